#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>

#include "core/double_double.h"
#include "core/golden.h"
#include "core/table_cases.h"
#include "rotary/cos_sin_table.h"

namespace rotary::testing {
namespace {

/// FNV-1a over the little-endian bytes, row by row, cos before sin.
std::uint64_t hash_of(const CosSinTable& table) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](std::span<const float> values) {
    for (float value : values)
      for (int shift = 0; shift < 32; shift += 8)
        hash = (hash ^ (std::bit_cast<std::uint32_t>(value) >> shift & 0xff)) * 0x100000001b3U;
  };
  for (std::int64_t row = 0; row < table.num_rows(); ++row) {
    add(table.cos(row));
    add(table.sin(row));
  }
  return hash;
}

Agreement compare_with_exact_golden(const std::string& suffix,
                                    const std::function<RotationMap(int dim, double base)>& map) {
  const auto positions = read_golden<double>("exact/positions.f64");
  const auto cos = read_golden<float>("exact/cos" + suffix), sin = read_golden<float>("exact/sin" + suffix);
  Agreement agreement;
  std::size_t next = 0;
  for (int dim : {32, 64, 80, 96, 128, 256})
    for (double base : {10000.0, 500000.0, 1000000.0, 10000000.0, 150000.0}) {
      const auto table = CosSinTable::by_token(map(dim, base), positions);
      for (std::int64_t row = 0; row < table.num_rows(); ++row)
        for (std::size_t i = 0; i < static_cast<std::size_t>(dim) / 2; ++i, ++next) {
          agreement.add(table.cos(row)[i], cos.at(next));
          agreement.add(table.sin(row)[i], sin.at(next));
        }
    }
  std::cout << agreement.equal << " of " << agreement.total << " values bit-equal, worst " << agreement.worst_ulps
            << " ulp\n";
  return agreement;
}

TEST(CosSinTableGolden, ExactValuesAreThe60DigitValuesRoundedOnceUpTo2To31) {
  const Agreement agreement = compare_with_exact_golden(".f32", [](int dim, double base) { return map_of(dim, base); });
  EXPECT_EQ(agreement.total, 55760);
  EXPECT_EQ(agreement.equal, agreement.total);
}

TEST(CosSinTableGolden, GivenFloat32FrequenciesAreTakenAsExactNumbers) {
  const Agreement agreement = compare_with_exact_golden("_freq32.f32", [](int dim, double base) {
    RotationMap map = map_of(dim, base);
    for (Frequency& f : map.frequency) f = {detail::to_float({f.hi, f.lo}), 0};
    return map;
  });
  EXPECT_EQ(agreement.equal, agreement.total);
}

TEST(CosSinTableGolden, TheTableOfLlama3IsTheSameBitForBitOnEveryMachine) {
  int dim = 0;
  double base = 0;
  std::int64_t rows = 0;
  std::uint64_t hash = 0;
  open_golden("exact/table_hash.txt") >> dim >> base >> rows >> std::hex >> hash;
  const RotationMap map = map_of(dim, base);
  EXPECT_EQ(hash_of(CosSinTable::by_position(map, rows)), hash);
  EXPECT_EQ(hash_of(CosSinTable::by_position(map, 100).grown(rows)), hash);  // UP-17
}

TEST(CosSinTableGolden, ValuesOfReportedFaultsAreRight) {
  std::ifstream file = open_golden("exact/cases.tsv");
  std::string id, function;
  double base = 0, position = 0, want = 0, tolerance = 0;
  int dim = 0;
  std::size_t pair = 0;
  while (file >> id >> base >> dim >> pair >> position >> function >> want >> tolerance) {
    const auto table = CosSinTable::by_token(map_of(dim, base), std::vector<double>{position});
    const double cos = table.cos(0)[pair], sin = table.sin(0)[pair];
    const double got = function == "cos"       ? cos
                       : function == "sin"     ? sin
                       : function == "cos-sin" ? cos - sin
                                               : cos + sin;
    EXPECT_NEAR(got, want, tolerance) << id << " " << position;
  }
}

TEST(CosSinTableGolden, EnginesAreOffByWhatWasMeasured) {
  std::ifstream file = open_golden("exact/engine_errors.tsv");
  std::string arithmetic;
  double base = 0, want = 0;
  std::int64_t position = 0;
  while (file >> arithmetic >> base >> position >> want) {
    const std::vector<std::int64_t> positions{position};
    const auto exact = CosSinTable::by_token(spec_of(128, base), positions, Arithmetic::kExact);
    const auto engine = CosSinTable::by_token(spec_of(128, base), positions, parse_arithmetic(arithmetic));
    const double worst = std::max(worst_cos_gap(exact, engine, 0), worst_sin_gap(exact, engine, 0));
    EXPECT_NEAR(worst, want, 0.05 * want) << arithmetic << " " << base << " " << position;  // two digits given
  }
}

TEST(CosSinTableGolden, AFloat32ProductIsOffByWhatWasReported) {
  std::ifstream file = open_golden("exact/float32_product_errors.tsv");  // UP-16
  double base = 0, want = 0;
  std::int64_t position = 0;
  while (file >> base >> position >> want) {
    const std::vector<std::int64_t> positions{position};
    const auto exact = CosSinTable::by_token(map_of(128, base), positions);
    const auto product = CosSinTable::by_token(map_of(128, base), positions, Arithmetic::kTransformersFloat32);
    EXPECT_NEAR(worst_cos_gap(exact, product, 0), want, 0.05 * want) << base << " " << position;
  }
}

TEST(CosSinTableGolden, TransformersFloat32FrequenciesAreWithinOneUlp) {
  const auto want = read_golden<float>("exact/inv_freq.f32");
  const RotationMap map = make_rotation_map(spec_of(128, 500000), 0, Arithmetic::kTransformersFloat32);  // UP-17
  const std::size_t first = 5 * (16 + 32 + 40 + 48) + 64;  // d = 128, second base
  EXPECT_EQ(want.at(first + 1), 0.8146172165870667F);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_LE(ulps_apart(static_cast<float>(map.frequency[i].hi), want[first + i]), 1) << i;
  }
}

}  // namespace
}  // namespace rotary::testing
