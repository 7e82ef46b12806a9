#include "core/equal_neighbours.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace rotary::detail {
namespace {

constexpr std::int64_t kRowsAtOnce = 4096;

// A float32 in a format: as rounded_to(), by integers where the format has it as a normal number.
float stored_as(NumberFormat format, float x) {
  constexpr float kLeastNormalFloat16 = 0x1p-14F;
  if (std::fabs(x) < kLeastNormalFloat16) return static_cast<float>(rounded_to(format, x));
  const int dropped = 24 - significant_bits(format);
  if (dropped == 0) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t half = (std::uint32_t{1} << (dropped - 1)) - 1 + (bits >> dropped & 1);
  return std::bit_cast<float>((bits + half) >> dropped << dropped);
}

class Search {
 public:
  Search(const Examined& examined, PrecisionLoss& out)
      : examined_(examined), unmet_(turning_pairs(examined.exact)), out_(out) {}

  void run(std::int64_t below) {
    for (std::int64_t begin = 0; begin < below && !done(); begin += kRowsAtOnce)
      compare(begin, std::min(below, begin + kRowsAtOnce));
    std::sort(met_.begin(), met_.end());
    out_.equal_pairs = met_;
  }

 private:
  bool done() const { return out_.first_equal_row || (unmet_.empty() && met_.empty()); }

  void compare(std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> positions(static_cast<std::size_t>(end - begin + 1));
    std::iota(positions.begin(), positions.end(), begin);
    const CosSinTable table = examined_.rows(positions);
    for (std::int64_t row = 0; row < end - begin && !done(); ++row) {
      const std::size_t met_before = met_.size();
      const auto differs = [&](int pair) { return !same(table, row, pair); };
      // Those met at this position go to the end.
      const auto met = std::stable_partition(unmet_.begin(), unmet_.end(), differs);
      if (met != unmet_.end() && !out_.first_equal_pair) out_.first_equal_pair = EqualRows{begin + row, *met};
      met_.insert(met_.end(), met, unmet_.end());
      unmet_.erase(met, unmet_.end());
      const auto end_of_before = met_.begin() + static_cast<std::ptrdiff_t>(met_before);
      if (unmet_.empty() && std::none_of(met_.begin(), end_of_before, differs)) out_.first_equal_row = begin + row;
    }
  }

  bool same(const CosSinTable& table, std::int64_t row, int pair) const {
    const auto i = static_cast<std::size_t>(pair);
    const auto equal = [&](std::span<const float> now, std::span<const float> next) {
      return now[i] == next[i] || stored_as(examined_.stored, now[i]) == stored_as(examined_.stored, next[i]);
    };
    return equal(table.sin(row), table.sin(row + 1)) && equal(table.cos(row), table.cos(row + 1));
  }

  const Examined& examined_;
  std::vector<int> unmet_, met_;
  PrecisionLoss& out_;
};

}  // namespace

std::vector<int> turning_pairs(const RotationMap& map) {
  std::vector<int> out;
  for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair)
    if (map.at(0, pair, 0).hi != 0) out.push_back(pair);
  return out;
}

void find_equal_neighbours(const Examined& examined, std::int64_t search_below, PrecisionLoss& out) {
  Search(examined, out).run(search_below);
}

}  // namespace rotary::detail
