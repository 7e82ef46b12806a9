#include "rotary/formats/rotation_files.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "formats/numpy_file.h"
#include "rotary/formats/safetensors.h"

namespace rotary {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& must_hold, const std::string& got) {
  throw std::runtime_error(path + ": must " + must_hold + ", got " + got);
}

std::string show(const std::vector<std::int64_t>& shape) {
  std::string out = "[";
  for (std::int64_t extent : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(extent);
  return out + "]";
}

// Without leading extents of 1.
std::vector<std::int64_t> trimmed(std::vector<std::int64_t> shape, std::size_t rank) {
  while (shape.size() > rank && shape.front() == 1) shape.erase(shape.begin());
  return shape;
}

// [num_rows][2 n] or [2][num_rows][n]: cosines, then sines.
CosSinFile split(const std::vector<float>& values, std::vector<std::int64_t> shape, const std::string& path) {
  CosSinFile out;
  const bool is_stacked = shape.size() == 3 && shape[0] == 2;
  shape = trimmed(std::move(shape), is_stacked ? 3 : 2);
  if (is_stacked) {
    out.num_rows = shape[1];
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    out.cos.assign(values.begin(), middle);
    out.sin.assign(middle, values.end());
    return out;
  }
  if (shape.size() != 2 || shape[1] % 2 != 0)
    fail(path, "hold a table [rows][cosines, sines] or [2][rows][pairs]", show(shape));
  out.num_rows = shape[0];
  const auto half = static_cast<std::size_t>(shape[1] / 2);
  for (std::size_t at = 0; at < values.size(); at += 2 * half) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(at);
    out.cos.insert(out.cos.end(), row, row + static_cast<std::ptrdiff_t>(half));
    out.sin.insert(out.sin.end(), row + static_cast<std::ptrdiff_t>(half), row + static_cast<std::ptrdiff_t>(2 * half));
  }
  return out;
}

void require_safetensors(const std::string& path, const char* must_be) {
  if (!path.ends_with(".safetensors")) fail(path, std::string("be a file ") + must_be, "another name");
}

struct Names {
  std::string cos, sin;  // sin empty: one tensor for both
};

// The tensors of a table; none if the file has none.
std::optional<Names> table_names(const SafetensorsFile& file) {
  for (const StoredTensor& tensor : file.tensors())
    if (tensor.name.find("cos_sin") != std::string::npos) return Names{tensor.name, ""};
  for (const StoredTensor& tensor : file.tensors()) {
    const std::size_t at = tensor.name.rfind("cos");
    if (at == std::string::npos) continue;
    std::string sin = tensor.name;
    sin.replace(at, 3, "sin");
    if (file.find(sin) != nullptr) return Names{tensor.name, sin};
  }
  return std::nullopt;
}

struct VectorNames {
  std::string name, before, after;
};

std::vector<VectorNames> vector_names(const SafetensorsFile& file) {
  std::vector<VectorNames> out;
  for (const StoredTensor& tensor : file.tensors()) {
    if (!tensor.name.ends_with("_in")) continue;
    const std::string name = tensor.name.substr(0, tensor.name.size() - 3);
    for (const char* ending : {"_rot", "_out"})
      if (file.find(name + ending) != nullptr) {
        out.push_back({name, tensor.name, name + ending});
        break;
      }
  }
  std::sort(out.begin(), out.end(), [](const VectorNames& x, const VectorNames& y) { return x.name < y.name; });
  return out;
}

// The token of each vector, in the order of the data.
std::vector<std::int64_t> tokens_of(std::vector<std::int64_t> shape, DumpLayout layout, std::int64_t& num_tokens) {
  shape.resize(shape.size() - 1);
  while (shape.size() < 3) shape.insert(shape.begin(), 1);
  const bool heads_first = layout == DumpLayout::kBhsd;
  if (shape[0] == 1 && shape[1] == 1 && !heads_first) std::swap(shape[1], shape[2]);  // [tokens][channels]
  num_tokens = heads_first ? shape[2] : shape[1];
  std::vector<std::int64_t> out;
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t i = 0; i < shape[1]; ++i)
      for (std::int64_t j = 0; j < shape[2]; ++j) out.push_back(heads_first ? j : i);
  return out;
}

}  // namespace

CosSinFile read_cos_sin(const std::string& path) {
  if (path.ends_with(".npy")) {
    const detail::NumpyArray array = detail::read_numpy(path);
    return split(array.values, array.shape, path);
  }
  require_safetensors(path, "NAME.npy or NAME.safetensors");
  const SafetensorsFile file(path);
  const std::optional<Names> names = table_names(file);
  if (!names) fail(path, "hold tensors cos and sin, or cos_sin", std::to_string(file.tensors().size()) + " others");
  if (names->sin.empty()) return split(file.read_float(names->cos), file.at(names->cos).shape, path);
  const auto cos = trimmed(file.at(names->cos).shape, 2), sin = trimmed(file.at(names->sin).shape, 2);
  if (cos.size() != 2 || cos != sin)
    fail(path, "hold cosines and sines of one shape [rows][n]", show(cos) + " and " + show(sin));
  return {file.read_float(names->cos), file.read_float(names->sin), cos[0]};
}

std::vector<RotatedVectors> read_rotated_vectors(const std::string& path, DumpLayout layout) {
  require_safetensors(path, "NAME.safetensors");
  const SafetensorsFile file(path);
  const std::vector<VectorNames> all = vector_names(file);
  if (all.empty()) fail(path, "hold tensors NAME_in and NAME_rot", std::to_string(file.tensors().size()) + " others");
  std::vector<std::int64_t> ids;
  if (file.find("position_ids") != nullptr) ids = file.read_int64("position_ids");
  std::vector<RotatedVectors> out;
  for (const VectorNames& names : all) {
    const std::vector<std::int64_t>& shape = file.at(names.before).shape;
    if (shape.size() < 2 || shape.size() > 4 || shape != file.at(names.after).shape)
      fail(path, "hold " + names.before + " and " + names.after + " of one shape [batch][heads][tokens][channels]",
           show(shape) + " and " + show(file.at(names.after).shape));
    if (num_elements(file.at(names.before)) == 0) fail(path, "hold vectors in " + names.before, show(shape));
    RotatedVectors vectors{names.name, file.read_float(names.before), file.read_float(names.after), {}, shape.back()};
    std::int64_t num_tokens = 0;
    vectors.positions = tokens_of(shape, layout, num_tokens);
    if (!ids.empty()) {
      if (static_cast<std::int64_t>(ids.size()) != num_tokens)
        fail(path, "hold position_ids for the " + std::to_string(num_tokens) + " tokens of " + names.before,
             std::to_string(ids.size()));
      for (std::int64_t& p : vectors.positions) p = ids[static_cast<std::size_t>(p)];
    }
    out.push_back(std::move(vectors));
  }
  return out;
}

RotationFile kind_of_rotation_file(const std::string& path) {
  if (path.ends_with(".npy")) return RotationFile::kTable;
  if (!path.ends_with(".safetensors")) return RotationFile::kOther;
  const SafetensorsFile file(path);
  if (!vector_names(file).empty()) return RotationFile::kVectors;
  return table_names(file) ? RotationFile::kTable : RotationFile::kOther;
}

}  // namespace rotary
