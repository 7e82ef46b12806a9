// Bands: what a scaling method does to which pairs, and how their wavelengths compare with the trained length.
#pragma once

#include <cstdint>
#include <vector>

#include "rotary/rotation_map.h"
#include "rotary/spec.h"

namespace rotary {

/// What happens to a frequency against the unscaled progression of the same base.
enum class BandEffect {
  kKept,     ///< unchanged
  kDivided,  ///< divided by one number in the whole band
  kBlended,  ///< divided by a number that varies from pair to pair
  kStill,    ///< frequency zero: the pair does not turn
  kGiven,    ///< given as a number: there is no unscaled progression to compare it with
};

/// Consecutive frequencies of one list (of pairs, or of the pairs of one axis where every axis has its own) that are
/// treated alike and lie on the same side of the trained length.
struct Band {
  int begin = 0, end = 0;  ///< indices in the list, half-open
  BandEffect effect = BandEffect::kKept;
  double first_divisor = 1, last_divisor = 1;        ///< unscaled frequency over scaled one at the two ends
  double first_wavelength = 0, last_wavelength = 0;  ///< positions per full turn after scaling; infinite for kStill
  bool turns_in_training = true;  ///< whether the unscaled wavelength fits the trained length at least once
};

/// The length before extension that the spec knows: the method's original length, else max_position, else 0.
ROTARY_API double trained_length(const RopeSpec& spec);

/// The bands of a spec at a sequence length, in the order of the list. Throws std::invalid_argument as validate_spec()
/// does. Given frequencies are kGiven, or still.
ROTARY_API std::vector<Band> frequency_bands(const RopeSpec& spec, std::int64_t seq_len = 0);

}  // namespace rotary
