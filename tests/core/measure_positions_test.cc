// Measured rotations by their positions: far apart, off by one, stopped, rounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/measured_cases.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;

std::vector<std::int64_t> every(std::int64_t step, std::int64_t first) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < 160; ++i) out.push_back(first + step * i);
  return out;
}

std::vector<std::int64_t> scattered(std::int64_t below, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> out;
  for (int i = 0; i < 160; ++i) out.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below)));
  return out;
}

struct SparsePositions {
  const char* name;
  std::vector<std::int64_t> positions;
};

const SparsePositions kSparse[] = {
    {"NoneNextToTheFirst", {0, 7, 8, 31, 90, 333}},
    {"NoTwoNeighbours", {3, 5, 8, 15, 22, 40, 77}},
    {"AStepOf2", every(2, 0)},
    {"AStepOf800", every(800, 0)},
    {"AStepOf800FromOne", every(800, 1)},
    {"AStepOf37FromAfar", every(37, 5000)},
    {"Scattered131072", scattered(131072, 1)},
    {"Scattered16384", scattered(16384, 2)},
    {"ScatteredEvenOnly",
     [] {
       std::vector<std::int64_t> out = scattered(4096, 3);
       for (std::int64_t& x : out) x *= 2;
       return out;
     }()},
};

class MeasuredSparsely : public ::testing::TestWithParam<SparsePositions> {};

TEST_P(MeasuredSparsely, RightIsTheSameAndAnotherBaseIsNot) {
  for (const RopeSpec& spec : families()) {
    const MeasuredRotation found = measured(dump_at(spec, GetParam().positions));
    const MapDifference same = compare(make_rotation_map(spec), found);
    EXPECT_TRUE(same.same) << same.cause << " in " << scaling_name(spec.scaling) << " base " << spec.base;
    RopeSpec other = spec;
    other.base *= 1.5;
    EXPECT_FALSE(compare(make_rotation_map(other), found).same) << scaling_name(spec.scaling);
  }
}

INSTANTIATE_TEST_SUITE_P(, MeasuredSparsely, ::testing::ValuesIn(kSparse),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Measured, RefusesPositionsThatLeaveTheTurnsOpen) {
  EXPECT_THROW(measured(dump_at(plain(), {0, 100000, 200003})), std::invalid_argument);
  Dump far = dump_of(plain());
  far.positions.back() = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(measured(far), std::invalid_argument);
}

TEST(Measured, ComparesMeasurementsOfDifferentPositions) {
  const MeasuredRotation dense = measured(dump_of(llama3())), sparse = measured(dump_at(llama3(), every(6, 0))),
                         sparser = measured(dump_at(llama3(), every(4, 0)));
  EXPECT_EQ(dense.position_step, 1);
  EXPECT_EQ(sparse.position_step, 6);
  for (const auto& [x, y] : {std::pair{&dense, &sparse}, {&sparse, &dense}, {&sparse, &sparser}})
    EXPECT_TRUE(compare(*x, *y).same) << compare(*x, *y).cause;
  EXPECT_FALSE(compare(sparse, measured(dump_of(plain()))).same);
}
TEST(Measured, SeesPositionsThatAreOffByOneOrStop) {
  const MeasuredRotation off = measured(table_of(plain(), Arithmetic::kExact, 1));
  EXPECT_EQ(off.first_position, 1);
  EXPECT_THAT(compare(make_rotation_map(plain()), off).cause, HasSubstr("positions off by 1"));
  const MeasuredRotation stopped = measured(table_of(plain(), Arithmetic::kExact, 0, 1023));
  EXPECT_EQ(stopped.stops_at, 1023);
  EXPECT_THAT(compare(make_rotation_map(plain()), stopped).cause, HasSubstr("positions stop at 1023"));
}

TEST(Measured, SeesPositionsThatWereRounded) {
  std::vector<std::int64_t> positions(600);
  for (std::int64_t i = 0; i < 600; ++i) positions[static_cast<std::size_t>(i)] = i < 256 ? i : i / 2 * 2;
  const CosSinTable table = CosSinTable::by_token(make_rotation_map(llama3()), positions);
  Table t;
  for (std::int64_t row = 0; row < 600; ++row) {
    t.cos.insert(t.cos.end(), table.cos(row).begin(), table.cos(row).end());
    t.sin.insert(t.sin.end(), table.sin(row).begin(), table.sin(row).end());
  }
  const MapDifference d = compare(make_rotation_map(llama3()), measure_table(t.cos, t.sin, 600));
  EXPECT_FALSE(d.same);
  EXPECT_EQ(d.cause, "positions 256 and 257 are one, as in bfloat16");
}

}  // namespace
}  // namespace rotary::testing
