// Files in which other programs leave what they rotate by, or what they rotated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rotary/version.h"

namespace rotary {

/// A table of cosines and sines, row by row as in the file.
struct CosSinFile {
  std::vector<float> cos, sin;  ///< [num_rows][num_columns] each
  std::int64_t num_rows = 0;
};

/// Reads a table:
///
///     NAME.npy           [num_rows][2 num_pairs], cosines then sines (vLLM's cos_sin_cache), or [2][num_rows][n]
///     NAME.safetensors   two tensors whose names differ in "cos" and "sin", [num_rows][n] each, leading extents of 1
///                        dropped; or one tensor with "cos_sin" in its name, as in .npy
///
/// float16, bfloat16 (safetensors), float32, float64. Throws std::runtime_error naming the file and what it lacks.
ROTARY_API CosSinFile read_cos_sin(const std::string& path);

/// Vectors before and after their rotation.
struct RotatedVectors {
  std::string name;                     ///< what the tensors' names have in common: "layer0_q"
  std::vector<float> before, after;     ///< [num_vectors][channels]
  std::vector<std::int64_t> positions;  ///< [num_vectors]
  std::int64_t channels = 0;
};

/// Where the tokens of a tensor of vectors lie: [batch][head][token][channel], as transformers hands them to its
/// attention, or [batch][token][head][channel].
enum class DumpLayout { kBhsd, kBshd };

/// Reads every pair of tensors NAME_in and NAME_rot (or NAME_out) of a safetensors file, [batch][..][..][channels] or
/// [tokens][channels]; positions are 0, 1, ... or the tensor position_ids, [tokens]. Throws std::runtime_error naming
/// the file and what it lacks.
ROTARY_API std::vector<RotatedVectors> read_rotated_vectors(const std::string& path,
                                                            DumpLayout layout = DumpLayout::kBhsd);

/// What a file holds, by its ending and its tensors' names.
enum class RotationFile { kTable, kVectors, kOther };
ROTARY_API RotationFile kind_of_rotation_file(const std::string& path);

}  // namespace rotary
