// Short ways to read a configuration in a test.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "rotary/formats/model_config.h"

namespace rotary::testing {

using Json = nlohmann::json;

inline constexpr Reference kTransformers = Reference::kTransformers, kOriginal = Reference::kOriginal;

inline ModelConfig read(const Json& config, Reference reference = kTransformers) {
  return parse_model_config(config.dump(), "config.json", {.reference = reference});
}

// The map of the first rotation.
inline RotationMap map_of(const Json& config, Reference reference = kTransformers) {
  return read(config, reference).rotations.at(0).rotation.query;
}

inline RopeSpec spec_of(const Json& config, Reference reference = kTransformers) {
  return read(config, reference).rotations.at(0).spec.value();
}

inline std::string error_of(const Json& config, Reference reference = kTransformers) {
  try {
    read(config, reference);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

inline std::string warnings_of(const ModelConfig& config) {
  std::string out;
  for (const ConfigWarning& w : config.warnings) out += w.key + ": " + w.message + "\n";
  return out;
}

inline std::string warnings_of(const Json& config, Reference reference = kTransformers) {
  return warnings_of(read(config, reference));
}

inline std::vector<std::uint64_t> fingerprints_of(const Json& config, Reference reference = kTransformers) {
  std::vector<std::uint64_t> out;
  for (const ModelRotation& r : read(config, reference).rotations) out.push_back(fingerprint(r.rotation.query));
  return out;
}

inline Json with(Json config, const Json& patch) {
  config.update(patch);
  return config;
}

inline Json parse(const char* text) { return Json::parse(text); }

// A small Llama: two layers, head_dim 128.
inline Json llama(const Json& patch = Json::object()) {
  return with({{"model_type", "llama"},
               {"hidden_size", 4096},
               {"num_attention_heads", 32},
               {"num_hidden_layers", 2},
               {"max_position_embeddings", 131072}},
              patch);
}

}  // namespace rotary::testing
