// RopeSpec: what a model declares about its rotation, before any number is computed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rotary/scaling.h"
#include "rotary/version.h"

namespace rotary {

/// Which channels of the rotary slice meet. r = rotary_dim.
enum class Pairing {
  kHalf,         ///< pair (i, i + r/2): GPT-NeoX, Hugging Face Llama ("rotate_half", is_neox)
  kInterleaved,  ///< pair (2i, 2i + 1): the RoFormer paper, GPT-J, Meta's Llama
};

ROTARY_API std::string_view to_string(Pairing pairing);

/// Which position axis turns a pair, and which frequency of the geometric progression it gets.
///
/// n axes, P = rotary_dim / 2 pairs. "One list" methods use inv_freq_i of the full width for pair i; "own list" methods
/// give every axis its own progression of P/n frequencies over rotary_dim / n.
enum class AxisRule {
  kOne,                  ///< one axis (the token index)
  kSections,             ///< one list; bands of `sections` pairs, band j on axis j mod n (M-RoPE of Qwen2-VL, xdrope)
  kInterleavedSections,  ///< one list; axis 1 at i = 1, 4, 7 ... below 3 sections[1], axis 2 at 2, 5, 8 ... below 3
                         ///< sections[2], else 0
  kAlternatingHeightWidth,  ///< one list; pairs below sections[0] + sections[1] alternate axes 1, 2; the rest is axis 0
                            ///< (ERNIE 4.5 VL)
  kAlternating,             ///< one list; pair i on axis axis_order[i mod n] (NeoMME text: row, column)
  kAxialBlocks,             ///< own list; P/n pairs on axis 0, then axis 1, ... (Qwen-VL vision)
  kAxialAlternating,        ///< own list; pairs i = n k + j: axis axis_order[j], frequency k (Kimi-K2.5 vision)
  kAxialSplit,  ///< one list split by turns: axis j takes frequencies j, j + n, ...; blocks per axis (Pixtral)
  kAxialParts,  ///< own list; the slice is cut into n parts of rotary_dim / n channels, each paired within itself
                ///< (Gemma 4 vision)
};

struct AxisLayout {
  AxisRule rule = AxisRule::kOne;
  int num_axes = 1;
  std::vector<int> sections;    ///< pairs per band, for the section rules
  std::vector<int> axis_order;  ///< axial rules: axis of the j-th block or turn; empty means 0, 1, ...
  friend bool operator==(const AxisLayout&, const AxisLayout&) = default;
};

ROTARY_API std::string_view to_string(AxisRule rule);

/// xPos (arXiv 2212.10554): query multiplied by zeta_i^((m - center) / scale_base), key by its inverse,
/// zeta_i = (2i/r + gamma) / (1 + gamma), with a centre that never moves.
struct Xpos {
  double scale_base = 512;
  double gamma = 0.4;
  double center = 0;
  friend bool operator==(const Xpos&, const Xpos&) = default;
};

/// What is declared about the rotation of one head vector. Plain data; validate_spec() says whether it makes sense.
struct RopeSpec {
  int head_dim = 0;       ///< channels of the vector
  int rotary_dim = 0;     ///< channels of the rotary slice, even, 2 .. head_dim
  int rotary_offset = 0;  ///< first channel of the slice
  Pairing pairing = Pairing::kHalf;
  Pairing output_pairing = Pairing::kHalf;  ///< where results are written; differs from `pairing` in DeepSeek-V3
  bool negate_angle = false;                ///< turn the other way (nanochat)
  double base = 10000;
  double angle_multiplier = 1;  ///< constant factor on every frequency, e.g. 2 pi for coordinates in [-1, 1] (DINOv3)
  int frequency_dim = 0;        ///< denominator of the exponent; 0 means the width of one frequency list
  Scaling scaling;
  AxisLayout axes;
  std::optional<Xpos> xpos;
  double max_position = 0;  ///< trained or declared limit, 0 if unknown; reported, never enforced

  friend bool operator==(const RopeSpec&, const RopeSpec&) = default;
};

/// Throws std::invalid_argument naming the field, what must hold and what came. The base, the angle multiplier and the
/// numbers of a scaling have to be within 2^100 in size, so that no frequency overflows.
ROTARY_API void validate_spec(const RopeSpec& spec);

}  // namespace rotary
