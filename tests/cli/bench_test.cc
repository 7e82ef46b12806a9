// rotary bench: its schema and its sanity. How fast anything is, no test says.
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace rotary::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Bench : public Program {
 protected:
  json bench(const std::string& options) const {
    const Finished run = rotary("bench --quick --json " + options);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.err, IsEmpty());  // progress is for terminals
    return json::parse(run.out);
  }
};

TEST_F(Bench, SaysWhereItWasMeasured) {
  const json machine = bench("--filter 'decode 1x40x128 float32'");
  EXPECT_FALSE(machine.at("simd_target").get<std::string>().empty());
  EXPECT_FALSE(machine.at("cpu").get<std::string>().empty());
  EXPECT_GE(machine.at("cores"), 1);
  EXPECT_GE(machine.at("l2_bytes"), 0);
  EXPECT_GE(machine.at("l3_bytes"), 0);
}

TEST_F(Bench, MeasuresEveryRowThatTheFilterKeeps) {
  const json rows = bench("--filter decode").at("rows");
  ASSERT_GE(rows.size(), 1u);
  for (const json& row : rows) {
    EXPECT_THAT(row.at("name").get<std::string>(), StartsWith("decode 1x40x128 "));
    EXPECT_THAT(row.at("dtype").get<std::string>(), AnyOf("float32", "float16", "bfloat16"));
    EXPECT_EQ(row.at("pairing"), "half");
    EXPECT_EQ(row.at("in_place"), true);
    EXPECT_EQ(row.at("threads"), 1);
    EXPECT_EQ(row.at("bytes"), 40 * 128 * (row.at("dtype") == "float32" ? 4 : 2));
    for (const char* number : {"gbps", "limit_gbps", "share", "ns_per_token"}) EXPECT_GT(row.at(number), 0) << number;
  }
}

TEST_F(Bench, TimesTheCInterfaceToo) {
  const json rows = bench("--filter '(C)'").at("rows");
  ASSERT_GE(rows.size(), 1u);
  EXPECT_THAT(rows[0].at("name").get<std::string>(), HasSubstr("decode"));
}

TEST_F(Bench, TakesANumberOfThreads) {
  const json rows = bench("--filter 'batch 64x40x128 float32' --threads 3").at("rows");
  ASSERT_GE(rows.size(), 1u);
  for (const json& row : rows) EXPECT_EQ(row.at("threads"), 3);
}

TEST_F(Bench, PrintsATableForPeople) {
  const Finished run = rotary("bench --quick --filter 'decode 1x40x128 bfloat16'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("GB/s"), HasSubstr("limit"), HasSubstr("share"), HasSubstr("ns/token"),
                             HasSubstr("decode 1x40x128 bfloat16 half in-place (C)")));
}

// A wrong answer is a failure: all of these are right.
TEST_F(Bench, ChecksEveryCombinationOfPlacesAndMemories) {
  const Finished run = rotary("bench --full --seconds 0 --json --filter 'batch 64x40x96'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_GT(json::parse(run.out).at("rows").size(), 30u);
}

TEST_F(Bench, FailsWithOneWhenTheFilterLeavesNothing) {
  expect_failure(rotary("bench --filter nonsense"), 1, "--filter must be part of a row's name");
}

TEST_F(Bench, FailsWithTwoOnBadUsage) {
  expect_failure(rotary("bench --nope"), 2, "--nope");
  expect_failure(rotary("bench --threads 0"), 2, "--threads");
  expect_failure(rotary("bench --threads many"), 2, "--threads");
  expect_failure(rotary("bench --seconds -1"), 2, "--seconds");
  expect_failure(rotary("bench --quick --full"), 2, "--quick");
  expect_failure(rotary("bench something"), 2, "something");
}

}  // namespace
}  // namespace rotary::testing
