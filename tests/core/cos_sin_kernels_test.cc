// The SIMD kernels of cos and sin against the double-double functions, on every target.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "core/bad_calls.h"
#include "core/rotate_kernels.h"
#include "core/table_cases.h"
#include "core/table_rows.h"
#include "core/trigonometry.h"
#include "rotary/apply.h"

namespace rotary::testing {
namespace {

using detail::Angles;
using detail::DoubleDouble;

class CosSinKernels : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(detail::choose_target(GetParam())); }
  void TearDown() override { detail::choose_target(""); }
};

// What the double-double functions give, bit for bit.
void expect_exact(DoubleDouble angle, double factor, float cos, float sin) {
  const detail::CosSin want = detail::cos_sin_float(angle, factor);
  ASSERT_EQ(std::bit_cast<std::uint32_t>(cos), std::bit_cast<std::uint32_t>(want.cos)) << angle.hi << " * " << factor;
  ASSERT_EQ(std::bit_cast<std::uint32_t>(sin), std::bit_cast<std::uint32_t>(want.sin)) << angle.hi << " * " << factor;
}

std::vector<double> many_angles() {
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> exponent(-60, 58), mantissa(1, 2);
  std::vector<double> angles{0, 0x1p-1000, 0x1p39, 0x1p40, -0x1p40, 0x1p41, 0x1.fffffffffffffp61};
  for (int n = 1; n <= 200; ++n)  // closest doubles to the zeros, and floats half-way between floats
    angles.insert(angles.end(), {n * 0x1.921fb54442d18p+0, n * 1000003 * 0x1.921fb54442d18p+0, n * 0x1p-24 + 0x1p-25});
  for (int n = 0; n < 20000; ++n) {
    angles.push_back(std::ldexp(mantissa(random), static_cast<int>(exponent(random))));
    angles.push_back(-std::ldexp(mantissa(random), static_cast<int>(exponent(random)) / 4));
  }
  return angles;
}

TEST_P(CosSinKernels, GiveTheBitsOfTheDoubleDoubleFunctions) {
  const std::vector<double> hi = many_angles();
  std::vector<double> lo(hi.size());
  for (std::size_t i = 0; i < hi.size(); i += 2) lo[i] = hi[i] * 0x1.3p-55;
  for (double factor : {1.0, 1.1386294361119891, 0.5, 3.7e-20})
    for (std::size_t count : {std::size_t{1}, std::size_t{7}, hi.size()}) {
      std::vector<float> cos(count), sin(count);
      detail::kernels().cos_sin.write({hi.data(), lo.data(), nullptr, 1, count}, factor, cos.data(), sin.data());
      for (std::size_t i = 0; i < count; ++i) expect_exact({hi[i], lo[i]}, factor, cos[i], sin[i]);
    }
}

TEST_P(CosSinKernels, MultiplyFrequenciesByPositionsWithoutLoss) {
  const std::vector<double> hi{1, 0.1, 0.7071067811865476, 1e-7, 3.1415926535897931, -0.25, 0};
  const std::vector<double> lo{0, 3e-18, -4e-17, 1e-25, 1.2246467991473532e-16, 0, 0};
  const std::vector<double> times{2147483647, 131071.25, 1000003, -8191, 65537, 0, 5};
  std::vector<float> cos(7), sin(7);
  detail::kernels().cos_sin.write({hi.data(), lo.data(), times.data(), 0, 7}, 1, cos.data(), sin.data());
  for (std::size_t i = 0; i < 7; ++i) expect_exact(DoubleDouble{hi[i], lo[i]} * times[i], 1, cos[i], sin[i]);
}

// A map with frequencies that products of rows find hard: none, tiny, about one turn in all, above pi.
RotationMap hard_map() {
  RotationMap map = map_with({0, 1e-14, 1e-9, 2.4e-5, 1, 3.2, 6.283185307179586, 40, -0.01, -1e-11, 0.1});
  map.attention_factor = 1.1386294361119891;
  return map;
}

TEST_P(CosSinKernels, RowsMadeInBlocksAreThoseMadeOneByOne) {
  const RotationMap map = hard_map();
  const std::size_t pairs = map.pairs.size();
  const auto rows = detail::map_rows(map, Arithmetic::kExact, 0, "test");
  for (std::int64_t first : {0, 1, 131000, 2147483000})
    for (std::int64_t count : {1, 255, 1000}) {
      std::vector<float> cos(static_cast<std::size_t>(count) * pairs), sin = cos, one_cos(pairs), one_sin(pairs);
      rows->write_range(first, count, cos.data(), sin.data(), pairs);
      for (std::int64_t row = 0; row < count; ++row) {
        const auto position = static_cast<double>(first + row);
        rows->write(&position, one_cos.data(), one_sin.data());
        for (std::size_t i = 0; i < pairs; ++i) {
          const std::size_t at = static_cast<std::size_t>(row) * pairs + i;
          ASSERT_EQ(std::bit_cast<std::uint32_t>(cos[at]), std::bit_cast<std::uint32_t>(one_cos[i])) << row << " " << i;
          ASSERT_EQ(std::bit_cast<std::uint32_t>(sin[at]), std::bit_cast<std::uint32_t>(one_sin[i])) << row << " " << i;
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, CosSinKernels, ::testing::ValuesIn(detail::available_targets()),
                         [](const auto& info) { return info.param; });

TEST(WriteCosSin, GivesTheRowsOfATable) {
  const RotationMap map = hard_map();
  const std::size_t pairs = map.pairs.size();
  const std::vector<double> ids{0, -3, 131071, 0.5};
  std::vector<float> cos(4 * pairs), sin(4 * pairs);
  write_cos_sin(Rotary(map), PositionIds{std::span<const double>(ids)}, 4, 0, cos, sin);
  const auto table = CosSinTable::by_token(map, ids);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t i = 0; i < pairs; ++i) {
      EXPECT_EQ(cos[row * pairs + i], table.cos(static_cast<std::int64_t>(row))[i]);
      EXPECT_EQ(sin[row * pairs + i], table.sin(static_cast<std::int64_t>(row))[i]);
    }
}

void write_rows(std::int64_t num_tokens, int set, std::size_t cosines, std::size_t sines, Positions at = {}) {
  std::vector<float> cos(cosines, 7), sin(sines, 7);
  const auto check = [&] {
    for (float value : cos) EXPECT_EQ(value, 7);
  };
  try {
    write_cos_sin(Rotary(map_with({1, 0.5})), at, num_tokens, set, cos, sin);
  } catch (...) {
    check();
    throw;
  }
}

const std::vector<std::int64_t> kTooFew{1};

const BadCall kBadCalls[] = {
    {"NegativeTokens", [] { write_rows(-1, 0, 0, 0); }, "invalid_argument", "num_tokens must not be negative, got -1"},
    {"CosTooSmall", [] { write_rows(2, 0, 3, 4); }, "invalid_argument",
     "cos must be [num_tokens][pairs] = 4 numbers, got 3"},
    {"SinTooLarge", [] { write_rows(2, 0, 4, 5); }, "invalid_argument",
     "sin must be [num_tokens][pairs] = 4 numbers, got 5"},
    {"SetBeyond", [] { write_rows(2, 1, 4, 4); }, "invalid_argument", "set must be in 0 .. 0, got 1"},
    {"Overflow", [] { write_rows(INT64_MAX, 0, 4, 4); }, "invalid_argument", "num_tokens * pairs must fit"},
    {"TooFewIds", [] { write_rows(2, 0, 4, 4, PositionIds{std::span<const std::int64_t>(kTooFew)}); },
     "invalid_argument", "positions"},
    {"TooFar", [] { write_rows(2, 0, 4, 4, PositionRange{(std::int64_t{1} << 53) - 1}); }, "invalid_argument", "2^53"},
};

class RefusedCosSin : public ::testing::TestWithParam<BadCall> {};

TEST_P(RefusedCosSin, NamesTheArgumentAndWritesNothing) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Calls, RefusedCosSin, ::testing::ValuesIn(kBadCalls), bad_call_name);

}  // namespace
}  // namespace rotary::testing
