// Values of reported faults, papers and other implementations: golden/core.
#include <gtest/gtest.h>

#include "core/case_lines.h"
#include "core/double_double.h"
#include "core/scaled_frequencies.h"
#include "rotary/cos_sin_table.h"

namespace rotary::testing {
namespace {

constexpr double kEpsilon = 0x1p-52;

detail::CorrectionRange range_of(const CaseLine& line, bool rounded) {
  const RopeSpec spec = spec_of(line);
  const auto& yarn = std::get<YarnScaling>(spec.scaling);
  return detail::correction_range(yarn.beta_fast, yarn.beta_slow, {spec.base, spec.rotary_dim, spec.rotary_dim / 2, 0},
                                  yarn.original_max_position, rounded && yarn.truncate);
}

/// The frequency of a pair, whatever its axis.
Frequency frequency_of(const RotationMap& map, int pair) { return map.at(0, pair, std::max(0, axis_of(map, pair))); }

/// What a line calls `quantity`, with up to two numbers.
double measure(const CaseLine& line, const std::string& quantity, int pair, double position) {
  const RopeSpec spec = spec_of(line);
  const RotationMap map = make_rotation_map(spec, length_of(line));
  if (quantity == "inv") return frequency_of(map, pair).hi;
  if (quantity == "ratio")
    return frequency_of(map, pair).hi / frequency_of(map_of(spec.rotary_dim, spec.base), pair).hi;
  if (quantity == "base") return std::pow(map.frequency[1].hi, -spec.rotary_dim / 2.0);
  if (quantity == "factor") return map.attention_factor;
  if (quantity == "low") return range_of(line, true).low.hi;
  if (quantity == "high") return range_of(line, true).high.hi;
  if (quantity == "raw_low") return range_of(line, false).low.hi;
  if (quantity == "raw_high") return range_of(line, false).high.hi;
  if (quantity == "cos") return CosSinTable::by_token(map, Vector{position}).cos(0)[static_cast<std::size_t>(pair)];
  throw std::runtime_error("no such quantity: " + quantity);
}

/// Rounding of what is measured, relative to it: float32 for a table; the power that finds a base multiplies the
/// rounding of a frequency by the number of pairs; a quotient or a logarithm in the recorded value is off by 4 eps.
double rounding(const CaseLine& line, const std::string& quantity) {
  if (quantity == "cos") return 0x1p-24;
  return kEpsilon * (quantity == "base" ? line.number("d", 0) : 4);
}

class CasesGolden : public ::testing::TestWithParam<CaseGroup> {};

TEST_P(CasesGolden, AreMet) {
  for (const CaseLine& line : GetParam().lines)
    for (const auto& [key, value] : line.want) {
      std::istringstream words(key);
      std::string quantity, pair = "0", position = "0";
      std::getline(words, quantity, '.');
      std::getline(words, pair, '.');
      std::getline(words, position);
      const double want = std::stod(value), got = measure(line, quantity, std::stoi(pair), std::stod(position));
      EXPECT_NEAR(got, want, half_unit(value) + rounding(line, quantity) * std::abs(want))
          << key << " of " << line.text;
    }
}

INSTANTIATE_TEST_SUITE_P(Reports, CasesGolden, ::testing::ValuesIn(read_cases("core/cases.txt")), group_name);

class ExactScalingGolden : public ::testing::TestWithParam<CaseGroup> {};

TEST_P(ExactScalingGolden, IsGoodToTheSecondDouble) {
  for (const CaseLine& line : GetParam().lines) {
    const RotationMap map = make_rotation_map(spec_of(line), length_of(line));
    for (const auto& [key, value] : line.want) {
      const Vector want = numbers(value);
      const Frequency got = frequency_of(map, std::stoi(key.substr(6)));
      const auto gap = detail::DoubleDouble{got.hi, got.lo} - detail::DoubleDouble{want[0], want[1]};
      EXPECT_LE(std::abs(gap.hi), 0x1p-95 * want[0]) << key << " of " << line.text;  // what exact arithmetic promises
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ExactScalingGolden, ::testing::ValuesIn(read_cases("core/exact_scaling.txt")),
                         group_name);

// --- Vectors

class VectorsGolden : public ::testing::TestWithParam<CaseGroup> {};

TEST_P(VectorsGolden, AreMet) {
  for (const CaseLine& line : GetParam().lines) {
    const RotationMap map = vector_map(line);
    const std::string& text = line.want[0].second;
    const Vector want = numbers(text);
    if (line.kind == "score") {
      const double score = reference::dot(reference::rotate(map, line.list("q"), {line.number("m", 0)}),
                                          reference::rotate(map, line.list("k"), {line.number("n", 0)}));
      EXPECT_NEAR(score, want[0], 16 * kEpsilon * want[0]) << line.text;  // four roundings of each of four products
      continue;
    }
    const Vector got = reference::rotate(map, line.list("x"), {line.number("p", 0)});
    ASSERT_EQ(got.size(), want.size()) << line.text;
    std::istringstream words(text);
    for (std::size_t i = 0; i < got.size(); ++i) {
      std::string word;
      std::getline(words, word, ',');
      EXPECT_NEAR(got[i], want[i], half_unit(word) + 16 * kEpsilon) << line.text;  // four roundings of values up to 4
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Reports, VectorsGolden, ::testing::ValuesIn(read_cases("core/vectors.txt")), group_name);

}  // namespace
}  // namespace rotary::testing
