// A rotation as the metadata and tensors of a GGUF file.
#pragma once

#include <string>
#include <vector>

#include "rotary/formats/gguf.h"
#include "rotary/formats/model_config.h"

namespace rotary {

struct GgufFactors {
  std::string name;  ///< "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"
  std::vector<float> values;
};

struct GgufRotationKeys {
  std::vector<GgufEntry> keys;       ///< "{architecture}.rope.*"
  std::vector<GgufFactors> factors;  ///< divisors of frequencies
  /// The architecture turns adjacent pairs and the rotation halves: within each head, row i of the rotary slice of q
  /// and k goes to 2i and row i + rotary_dim / 2 to 2i + 1, as llama.cpp's converter does it.
  bool rows_must_be_permuted = false;
};

/// What a file must hold so that llama.cpp (release_of(Reference::kLlamaCpp)) turns all layers of a model of that
/// architecture so. The keys of widths (attention.key_length, context_length, ...) are the caller's.
///
///     default, linear, yarn    rope.scaling.*
///     longrope                 rope.scaling.* and the tensors of factors
///     llama3, proportional, given frequencies    rope_freqs.weight, divisors of base^(-2i/rotary_dim); 1e30: still
///
/// Bases, factors and lengths must be numbers that a float32 holds. Divisors and the attention factor are rounded to
/// float32, which is within 2^-24 relative.
/// Throws std::invalid_argument naming what GGUF, or llama.cpp for this architecture, cannot say: dynamic and NTK-aware
/// scaling, yarn with truncate false or betas where the loader does not read them, values that turn, other axes, ...
ROTARY_API GgufRotationKeys gguf_rotation_keys(const std::string& architecture, const ModelRotation& rotation);

}  // namespace rotary
