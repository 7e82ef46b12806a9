// Short ways to read the rotation of a GGUF model made by hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/gguf_config.h"
#include "formats/made_gguf.h"
#include "formats/reading.h"

namespace rotary::testing {

inline constexpr Reference kLlamaCpp = Reference::kLlamaCpp;

inline std::string key_u32(const std::string& name, std::uint32_t value) {
  return key(name, GgufType::kUint32, u32(value));
}
inline std::string key_f32(const std::string& name, float value) { return key(name, GgufType::kFloat32, le(value)); }
inline std::string key_str(const std::string& name, std::string_view value) {
  return key(name, GgufType::kString, str(value));
}
inline std::string key_bool(const std::string& name, bool value) {
  return key(name, GgufType::kBool, std::string(1, value ? '\1' : '\0'));
}
inline std::string key_i32s(const std::string& name, const std::vector<std::int32_t>& values) {
  std::string elements;
  for (const std::int32_t value : values) elements += le(value);
  return key(name, GgufType::kArray, array(GgufType::kInt32, values.size(), elements));
}
inline std::string key_bools(const std::string& name, const std::string& values) {  // "0110"
  std::string elements;
  for (const char value : values) elements += value == '1' ? '\1' : '\0';
  return key(name, GgufType::kArray, array(GgufType::kBool, values.size(), elements));
}

// A model of 4 layers and 8 heads of 16 channels, with the keys given and tensors of divisors.
struct GgufModel {
  std::string architecture = "llama";
  std::vector<std::string> keys = {};
  std::vector<std::pair<std::string, std::vector<float>>> factors = {};
  std::uint32_t num_layers = 4;
  bool has_head_counts = true;

  // Keys of the architecture by what follows its name.
  std::string name(const std::string& suffix) const { return architecture + "." + suffix; }

  std::string bytes() const {
    MadeGguf file;
    file.keys = {key_str("general.architecture", architecture), key_u32(name("block_count"), num_layers),
                 key_u32(name("context_length"), 4096), key_u32(name("embedding_length"), 128)};
    if (has_head_counts) file.keys.push_back(key_u32(name("attention.head_count"), 8));
    for (const std::string& k : keys) file.keys.push_back(k);
    std::string data;
    for (const auto& [tensor_name, values] : factors) {
      file.tensors.push_back(tensor(tensor_name, {values.size()}, 0, data.size()));
      for (const float value : values) data += le(value);
      data.resize((data.size() + 31) / 32 * 32, '\0');
    }
    std::string out = gguf(file);
    out.resize((out.size() + 31) / 32 * 32, '\0');
    return out + data;
  }
};

inline ModelConfig read(const GgufModel& model, std::optional<Reference> reference = std::nullopt,
                        std::int64_t seq_len = 0) {
  const std::string bytes = model.bytes();
  return detail::read_gguf_config(GgufFile(gguf_bytes(bytes), "x.gguf"), {.reference = reference, .seq_len = seq_len});
}

inline ModelRotation rotation_of(const GgufModel& model, std::optional<Reference> reference = std::nullopt,
                                 std::int64_t seq_len = 0) {
  return read(model, reference, seq_len).rotations.at(0);
}

inline std::string error_of(const GgufModel& model, std::optional<Reference> reference = std::nullopt) {
  try {
    read(model, reference);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

inline std::string warnings_of(const GgufModel& model, std::optional<Reference> reference = std::nullopt) {
  return warnings_of(read(model, reference));
}

// Frequencies by pair of a map of one axis.
inline std::vector<double> frequencies_of(const RotationMap& map) {
  std::vector<double> out;
  for (const Frequency& f : map.frequency) out.push_back(f.hi);
  return out;
}

inline double source_number(const ModelRotation& rotation, const std::string& field) {
  for (const Source& source : rotation.sources)
    if (source.field == field) return std::stod(source.value);
  return -1;
}

}  // namespace rotary::testing
