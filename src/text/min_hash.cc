#include "text/min_hash.h"

#include <algorithm>
#include <limits>

#include "text/hash64.h"

namespace rotary::text {
namespace {

constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();

// An empty bin takes the value of a full one, drawn by the bin's number: the same draw for every set.
void fill_empty_bins(MinHash& sketch) {
  const MinHash found = sketch;
  for (std::size_t bin = 0; bin < kNumBins; ++bin)
    for (std::uint64_t draw = 1; sketch[bin] == kEmpty; ++draw)
      sketch[bin] = found[mix64((std::uint64_t{bin} << 32) + draw) % kNumBins];
}

}  // namespace

MinHash min_hash(const std::vector<std::uint64_t>& members) {
  MinHash sketch;
  sketch.fill(kEmpty);
  for (const std::uint64_t member : members) {
    std::uint32_t& bin = sketch[(member >> 32) % kNumBins];
    bin = std::min({bin, static_cast<std::uint32_t>(member), kEmpty - 1});
  }
  if (!members.empty()) fill_empty_bins(sketch);
  return sketch;
}

std::uint64_t band_key(const MinHash& sketch, std::size_t band) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < kBinsPerBand; ++i) key = chain64(key, sketch[band * kBinsPerBand + i]);
  return key;
}

double agreement(const MinHash& a, const MinHash& b) {
  std::size_t count = 0;
  for (std::size_t bin = 0; bin < kNumBins; ++bin) count += a[bin] == b[bin] ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(kNumBins);
}

}  // namespace rotary::text
