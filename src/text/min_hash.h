// Sketches of sets, to find the alike among many without comparing all pairs (Broder 1997; one permutation: Li, Owen
// and Zhang 2012; filling empty bins: Shrivastava 2017).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rotary::text {

/// Bands of three bins: two sets of Jaccard similarity s share a band with probability 1 - (1 - s^3)^32, so .986 at .5
/// and .03 at .1.
constexpr std::size_t kNumBands = 32, kBinsPerBand = 3, kNumBins = kNumBands * kBinsPerBand;

using MinHash = std::array<std::uint32_t, kNumBins>;

/// The sketch of a list of hashes taken as a set, not empty. Two sketches agree in about the share s of their bins.
MinHash min_hash(const std::vector<std::uint64_t>& members);

/// A hash of the bins of one band.
std::uint64_t band_key(const MinHash& sketch, std::size_t band);

/// The share of the bins in which two sketches agree.
double agreement(const MinHash& a, const MinHash& b);

}  // namespace rotary::text
