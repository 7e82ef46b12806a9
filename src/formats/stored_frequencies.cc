#include "formats/stored_frequencies.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "formats/tensor_values.h"

namespace rotary::detail {
namespace {

constexpr std::int64_t kMaxPairs = 1 << 13;

bool is_float(StoredDType dtype) {
  return dtype == StoredDType::kFloat64 || dtype == StoredDType::kFloat32 || dtype == StoredDType::kFloat16 ||
         dtype == StoredDType::kBfloat16;
}

// The first `rows` rows.
std::vector<float> read_rows(const StoredTensor& tensor, std::int64_t rows) {
  StoredTensor part = tensor;
  if (rows > 0) part.shape[0] = rows;
  part.data = tensor.data.first(static_cast<std::size_t>(num_elements(part) * bits_of(part.dtype) / 8));
  std::vector<float> out(static_cast<std::size_t>(num_elements(part)));
  read_float_into(part, tensor.name, out);
  return out;
}

// Row 0 of a table [sin | cos] is [0 ... | 1 ...]; learned tables of the same name are not.
std::vector<double> frequencies_of_table(const StoredTensor& tensor) {
  const auto half = static_cast<std::size_t>(tensor.shape[1] / 2);
  const std::vector<float> rows = read_rows(tensor, 2);
  for (std::size_t i = 0; i < 2 * half; ++i)
    if (rows[i] != (i < half ? 0.0F : 1.0F)) return {};
  std::vector<double> out(half);
  for (std::size_t i = 0; i < half; ++i) out[i] = std::atan2(rows[2 * half + i], rows[3 * half + i]);
  return out;
}

bool is_buffer(const StoredTensor& t) {
  return (t.name.ends_with("inv_freq") || t.name.ends_with("rope.freqs")) && t.shape.size() == 1 && t.shape[0] >= 1 &&
         t.shape[0] <= kMaxPairs;
}

bool is_table(const StoredTensor& t) {
  return t.name.ends_with("embed_positions.weight") && t.shape.size() == 2 && t.shape[0] >= 2 && t.shape[1] >= 2 &&
         t.shape[1] % 2 == 0 && t.shape[1] <= 2 * kMaxPairs;
}

// "layers.3." and its like: where the number begins.
std::size_t place_of_layer(const std::string& name) {
  for (const char* word : {"layers.", "layer.", "blocks.", "block.", "h."})
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
      const std::size_t digit = at + std::string_view(word).size();
      const bool whole_word = at == 0 || name[at - 1] == '.';
      if (whole_word && digit < name.size() && name[digit] >= '0' && name[digit] <= '9') return digit;
    }
  return std::string::npos;
}

}  // namespace

int layer_of_tensor(const std::string& name) {
  const std::size_t digit = place_of_layer(name);
  if (digit == std::string::npos) return -1;
  const std::string number = name.substr(digit, name.find('.', digit) - digit);
  return number.size() <= 6 && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; })
             ? std::stoi(number)
             : -1;
}

std::string projection_of_tensor(const std::string& name) {
  for (const char* ending : {".q_proj.weight", ".wq.weight", ".attention.self.query.weight"})
    if (name.ends_with(ending)) return "q";
  for (const char* ending : {".k_proj.weight", ".wk.weight", ".attention.self.key.weight"})
    if (name.ends_with(ending)) return "k";
  return "";
}

std::string shape_text(const StoredTensor& tensor) {
  std::string out;
  for (std::int64_t extent : tensor.shape) out += (out.empty() ? "[" : ", ") + std::to_string(extent);
  return out.empty() ? "[]" : out + "]";
}

double rounding_of(StoredDType dtype) {
  // A power and a division in float32 are off by some units of 2^-24; 16-bit types round to 2^-8 and 2^-11.
  constexpr double kMadeInFloat32 = 4e-6;
  if (dtype == StoredDType::kBfloat16) return 1.0 / 256 + kMadeInFloat32;
  return dtype == StoredDType::kFloat16 ? 1.0 / 2048 + kMadeInFloat32 : kMadeInFloat32;
}

std::vector<StoredFrequencies> stored_frequencies(const ModelTensors& tensors) {
  std::vector<StoredFrequencies> out;
  for (const SafetensorsFile& file : tensors.files())
    for (const StoredTensor& tensor : file.tensors()) {
      if (!is_float(tensor.dtype) || !(is_buffer(tensor) || is_table(tensor))) continue;
      StoredFrequencies found{tensor.name,
                              tensor.name.substr(0, place_of_layer(tensor.name)),
                              layer_of_tensor(tensor.name),
                              tensor.dtype,
                              is_table(tensor),
                              {}};
      if (found.is_table) {
        found.values = frequencies_of_table(tensor);
        if (found.values.empty()) continue;
      } else {
        const std::vector<float> values = read_rows(tensor, 0);
        found.values.assign(values.begin(), values.end());
      }
      for (double f : found.values)
        if (!std::isfinite(f))
          throw std::runtime_error(file.path() + ": " + tensor.name + " must be finite numbers, got " +
                                   std::to_string(f));
      out.push_back(std::move(found));
    }
  return out;
}

}  // namespace rotary::detail
