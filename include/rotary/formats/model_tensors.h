// The tensors of a model: one file, or several that an index joins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/formats/safetensors.h"

namespace rotary {

/// Opens a safetensors file, an index (*.index.json), or a folder with model.safetensors or else
/// model.safetensors.index.json, as transformers writes them. An index is
///
///     {"weight_map": {"name of a tensor": "model-00001-of-00002.safetensors", ...}}
///
/// and the shards are files beside it: a name with a slash is refused. Each tensor of the map must be in its shard and
/// in no other; tensors of the shards that the map leaves out are there all the same, as in transformers.
///
/// Errors are std::runtime_error and name the file and the key; those of single shards are SafetensorsFile's.
class ROTARY_API ModelTensors {
 public:
  explicit ModelTensors(const std::string& path);

  /// The files, in the order of their names.
  std::span<const SafetensorsFile> files() const { return files_; }
  /// File by file, in the order of the data.
  std::vector<std::string> names() const;

  /// As SafetensorsFile has them.
  const StoredTensor* find(std::string_view name) const;
  const StoredTensor& at(std::string_view name) const;
  std::vector<float> read_float(std::string_view name) const;
  void read_float_into(std::string_view name, std::span<float> out) const;
  std::vector<std::int64_t> read_int64(std::string_view name) const;

 private:
  void open_shards(const std::string& index_path);
  void add_names();
  const SafetensorsFile& file_of(std::string_view name) const;

  std::string path_;  // as given
  std::vector<SafetensorsFile> files_;
  std::map<std::string, std::size_t, std::less<>> file_of_;  // name of a tensor -> index of its file
};

}  // namespace rotary
