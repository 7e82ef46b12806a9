// What other engines make of a configuration, recorded by running them (tests/golden/references), and what the
// reference of that name says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "formats/reading.h"

namespace rotary::testing {
namespace {

using Table = std::vector<double>;

struct Answer {
  std::string id;
  std::int64_t seq_len = 0;
  Json said;  // [table, factor] or what was raised
};

std::vector<Json> lines_of(const std::string& file) {
  std::ifstream in(std::string(ROTARY_TEST_DATA) + "/references/" + file);
  std::vector<Json> out;
  for (std::string line; std::getline(in, line);) out.push_back(Json::parse(line));
  return out;
}

struct Recorded {
  std::map<std::string, std::string> configs;
  std::map<int, Table> tables;
  std::map<std::string, std::vector<Answer>> answers;  // by engine

  Recorded() {
    for (const Json& line : lines_of("configs.jsonl")) configs[line.at("id")] = line.at("config").dump();
    for (const Json& line : lines_of("answers.jsonl")) {
      if (line.contains("table")) {
        tables[line.at("table")] = line.at("inv_freq").get<Table>();
        continue;
      }
      for (const auto& [engine, said] : line.at("answers").items())
        answers[engine].push_back({line.at("id"), line.at("seq_len"), said});
    }
  }
};

const Recorded& recorded() {
  static const Recorded all;
  return all;
}

// The rotation of the text, which is what was recorded.
const ModelRotation* text_rotation(const ModelConfig& config) {
  for (const ModelRotation& r : config.rotations)
    if (r.component.empty() || r.component == "text_config") return &r;
  return nullptr;
}

// The engines make float32 of float32, in several operations, and the records have seven digits.
constexpr double kTolerance = 3e-6;

bool is_near(double x, double y) { return std::abs(x - y) <= kTolerance * std::abs(y) + 1e-12; }

bool same(const RotationMap& map, const Table& inv_freq, double factor) {
  if (map.pairs.size() != inv_freq.size() || !is_near(map.attention_factor, factor)) return false;
  for (int i = 0; i < static_cast<int>(inv_freq.size()); ++i) {
    double sum = 0;  // of all axes: the records are of equal positions
    for (int axis = 0; axis < map.num_axes; ++axis) sum += map.at(0, i, axis).hi;
    if (!is_near(sum, inv_freq[static_cast<std::size_t>(i)])) return false;
  }
  return true;
}

struct Counts {
  int same = 0, both_fail = 0, unknown = 0;
};

Counts compare_all(Reference reference) {
  Counts counts;
  for (const Answer& answer : recorded().answers.at(std::string(to_string(reference)))) {
    SCOPED_TRACE(std::string(to_string(reference)) + " " + answer.id + " at " + std::to_string(answer.seq_len) + ": " +
                 answer.said.dump());
    const bool failed = answer.said.is_string();
    ModelConfig config;
    try {
      config = parse_model_config(recorded().configs.at(answer.id), "config.json",
                                  {.reference = reference, .seq_len = answer.seq_len});
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(failed) << error.what();
      ++counts.both_fail;
      continue;
    }
    const ModelRotation* r = text_rotation(config);
    if (r == nullptr || !r->unknown.empty()) {
      ++counts.unknown;
      continue;
    }
    EXPECT_EQ(!r->fails.empty(), failed) << r->fails;
    if (failed || !r->fails.empty()) {
      ++counts.both_fail;
      continue;
    }
    EXPECT_TRUE(same(r->rotation.query, recorded().tables.at(answer.said[0]), answer.said[1].get<double>()))
        << warnings_of(config);
    ++counts.same;
  }
  return counts;
}

// How many records each engine has, and of how many its way is not claimed to be known: a record that becomes unknown
// shows here.
struct Expected {
  Reference reference;
  Counts counts;
};

class ReferencesGolden : public ::testing::TestWithParam<Expected> {};

TEST_P(ReferencesGolden, SaysWhatTheEngineComputes) {
  const Counts counts = compare_all(GetParam().reference);
  EXPECT_EQ(counts.same, GetParam().counts.same);
  EXPECT_EQ(counts.both_fail, GetParam().counts.both_fail);
  EXPECT_EQ(counts.unknown, GetParam().counts.unknown);
}

std::string name_of(const ::testing::TestParamInfo<Expected>& info) {
  std::string out(to_string(info.param.reference));
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(, ReferencesGolden,
                         ::testing::Values(Expected{Reference::kTransformers4, {295, 26, 25}},
                                           Expected{Reference::kVllm, {234, 0, 5}},
                                           Expected{Reference::kSglang, {152, 5, 13}},
                                           Expected{Reference::kMlxLm, {74, 19, 68}},
                                           Expected{Reference::kOnnxruntimeGenai, {141, 10, 14}}),
                         name_of);

}  // namespace
}  // namespace rotary::testing
