#include "rotary/formats/model_tensors.h"

#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>

#include "formats/json_reader.h"
#include "formats/safetensors_header.h"
#include "rotary/formats/files.h"

namespace rotary {
namespace {

using namespace detail;
namespace fs = std::filesystem;

constexpr std::string_view kIndexEnding = ".index.json";

[[noreturn]] void fail(const std::string& place, const std::string& must_hold, const std::string& got) {
  throw std::runtime_error(place + ": " + must_hold + ", got " + got);
}

std::string file_of_folder(const std::string& folder) {
  for (const char* name : {"model.safetensors", "model.safetensors.index.json"}) {
    const fs::path file = fs::path(folder) / name;
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file.string();
  }
  fail(folder, "must hold model.safetensors or model.safetensors.index.json", "neither");
}

// A plain name, so that an index can only name files beside itself.
bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

// Name of a tensor -> name of its shard.
std::map<std::string, std::string> read_weight_map(const std::string& path) {
  const JsonDocument document = parse_json(read_file(path, kMaxFileBytes), path);
  if (!document.duplicate_keys.empty()) fail(path, "must not give a key twice", document.duplicate_keys.front());
  const Json& root = document.root;
  if (!root.is_object() || !root.contains("weight_map") || !root["weight_map"].is_object())
    fail(path, "must hold an object weight_map", show(root));
  std::map<std::string, std::string> out;
  for (const auto& [tensor, shard] : root["weight_map"].items()) {
    if (!shard.is_string() || !is_file_name(shard.get_ref<const std::string&>()))
      fail(path + ": weight_map: " + show(Json(tensor)), "must be the name of a file beside the index", show(shard));
    out.emplace(tensor, shard.get_ref<const std::string&>());
  }
  if (out.empty()) fail(path, "weight_map must name a tensor", "{}");
  return out;
}

}  // namespace

ModelTensors::ModelTensors(const std::string& path) : path_(path) {
  std::error_code ignored;  // what cannot be opened is said below
  const std::string file = fs::is_directory(path, ignored) ? file_of_folder(path) : path;
  if (file.ends_with(kIndexEnding)) {
    open_shards(file);
  } else {
    files_.emplace_back(file);
    add_names();
  }
}

void ModelTensors::open_shards(const std::string& index_path) {
  const std::map<std::string, std::string> weight_map = read_weight_map(index_path);
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : weight_map) shards.insert(shard);
  const fs::path folder = fs::path(index_path).parent_path();
  for (const std::string& shard : shards) files_.emplace_back((folder / shard).string());
  add_names();
  for (const auto& [tensor, shard] : weight_map) {
    const std::string wanted = (folder / shard).string();
    const auto found = file_of_.find(tensor);
    if (found == file_of_.end() || files_[found->second].path() != wanted)
      fail(index_path + ": weight_map: " + show(Json(tensor)), "must be in " + shard,
           found == file_of_.end() ? "no such tensor" : "it in " + files_[found->second].path());
  }
}

void ModelTensors::add_names() {
  for (std::size_t i = 0; i < files_.size(); ++i)
    for (const StoredTensor& tensor : files_[i].tensors()) {
      const auto [place, is_new] = file_of_.emplace(tensor.name, i);
      if (!is_new)
        fail(place_of(files_[i].path(), tensor.name), "must be in one shard", "it in " + files_[place->second].path());
    }
}

std::vector<std::string> ModelTensors::names() const {
  std::vector<std::string> out;
  out.reserve(file_of_.size());
  for (const SafetensorsFile& file : files_)
    for (const StoredTensor& tensor : file.tensors()) out.push_back(tensor.name);
  return out;
}

const SafetensorsFile& ModelTensors::file_of(std::string_view name) const {
  const auto found = file_of_.find(name);
  if (found != file_of_.end()) return files_[found->second];
  fail(place_of(path_, name), "must be in the model", std::to_string(file_of_.size()) + " tensors of other names");
}

const StoredTensor* ModelTensors::find(std::string_view name) const {
  const auto found = file_of_.find(name);
  return found == file_of_.end() ? nullptr : files_[found->second].find(name);
}

const StoredTensor& ModelTensors::at(std::string_view name) const { return file_of(name).at(name); }

std::vector<float> ModelTensors::read_float(std::string_view name) const { return file_of(name).read_float(name); }

void ModelTensors::read_float_into(std::string_view name, std::span<float> out) const {
  file_of(name).read_float_into(name, out);
}

std::vector<std::int64_t> ModelTensors::read_int64(std::string_view name) const {
  return file_of(name).read_int64(name);
}

}  // namespace rotary
