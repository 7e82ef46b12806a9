// Configurations that make no sense, and what transformers 5.24.0 does with them (tests/golden/rope/malformed.jsonl):
// what makes no rotation is an error here that names the key, whether transformers runs it or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "formats/golden_records.h"
#include "rotary/formats/model_config.h"

namespace rotary::testing {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  bool error = true;
  const char* message = "";  // part of the error or of a warning; of a reading without warning: ""
};

constexpr bool kError = true, kRead = false;

// Transformers runs these although they are nonsense: the deviation is that they are errors here.
const std::map<std::string, Outcome> kRunsThere{
    {"linear_factor_zero", {kError, "rope_parameters.factor must be finite and at least 1, got 0"}},  // infinite there
    {"linear_factor_half", {kError, "rope_parameters.factor must be finite and at least 1, got 0.5"}},  // turns faster
    {"linear_factor_negative", {kError, "rope_parameters.factor must be finite and at least 1, got -2"}},  // backwards
    {"linear_factor_true", {kError, "rope_parameters.factor must be a finite number, got true"}},          // 1 there
    {"theta_zero", {kError, "rope_parameters.rope_theta must be finite and above 1, got 0"}},  // infinite there
    {"theta_negative", {kError, "rope_parameters.rope_theta must be finite and above 1, got -10000"}},  // NaN there
    {"theta_one", {kError, "rope_parameters.rope_theta must be finite and above 1, got 1"}},  // all pairs alike there
    {"yarn_factor_half", {kError, "rope_parameters.factor must be finite and at least 1, got 0.5"}},
    {"yarn_attention_factor_negative",
     {kError, "rope_parameters.attention_factor must be finite and positive, got -1"}},
    {"yarn_attention_factor_zero", {kError, "rope_parameters.attention_factor must be finite and positive, got 0"}},
};

// Transformers fails on these, and so do we.
const std::map<std::string, Outcome> kFailsThere{
    {"unknown_type",
     {kError, "rope_parameters.rope_type must be one of default, linear, dynamic, yarn, longrope, llama3"}},
    {"type_mrope", {kError, "rope_scaling.rope_type must be one of default"}},
    {"type_axial", {kError, "got 'axial'"}},
    {"type_upper_case", {kError, "got 'Linear'"}},
    {"linear_without_factor", {kError, "rope_parameters.factor must be given"}},
    {"linear_factor_string", {kError, "rope_parameters.factor must be a finite number, got \"2.0\""}},
    {"linear_factor_none", {kError, "rope_parameters.factor must be given"}},
    {"theta_string", {kError, "rope_parameters.rope_theta must be a finite number, got \"10000\""}},
    {"theta_one_yarn", {kError, "rope_parameters.rope_theta must be finite and above 1, got 1"}},
    {"dynamic_without_factor", {kError, "rope_parameters.factor must be given"}},
    {"dynamic_head_dim_2", {kError, "rope_parameters: NTK-aware scaling needs a rotary width above 2"}},
    {"yarn_without_factor", {kError, "rope_parameters.factor must be given"}},
    {"yarn_beta_string", {kError, "rope_parameters.beta_fast must be a finite number, got \"32\""}},
    {"yarn_original_zero",
     {kError, "rope_parameters.original_max_position_embeddings must be finite and positive, got 0"}},
    {"longrope_without_lists", {kError, "rope_parameters.short_factor must be given"}},
    {"longrope_short_list_wrong_length",
     {kError, "rope_parameters.short_factor must have one entry per pair (64), got 10"}},
    {"longrope_long_list_wrong_length",
     {kError, "rope_parameters.long_factor must have one entry per pair (64), got 10"}},
    {"longrope_list_of_strings", {kError, "rope_parameters.short_factor[0] must be a finite number, got \"1.0\""}},
    {"longrope_scalar_factor_lists", {kError, "rope_parameters.short_factor must be a list of numbers, got 1.0"}},
    {"llama3_missing_low", {kError, "rope_parameters.low_freq_factor must be given"}},
    {"llama3_low_zero", {kError, "rope_parameters.low_freq_factor must be finite and positive, got 0"}},
    {"llama3_low_string", {kError, "rope_parameters.low_freq_factor must be a finite number, got \"1\""}},
    {"partial_zero_linear", {kError, "rope_parameters.partial_rotary_factor must be a number above 0, got 0.0"}},
    {"partial_above_one_linear",
     {kError, "rope_parameters.partial_rotary_factor must give a rotary width in 2 .. 128, got 192"}},
    {"odd_head_dim", {kError, "head_dim must give an even rotary width, got 63"}},
    {"odd_head_dim_3", {kError, "head_dim must give an even rotary width, got 3"}},
    {"rope_parameters_list", {kError, "rope_parameters must be an object or null, got [1,2]"}},
    {"rope_parameters_string", {kError, "rope_parameters must be an object or null, got \"linear\""}},
    {"rope_scaling_string", {kError, "rope_scaling must be an object or null, got \"linear\""}},
    {"heads_do_not_divide", {kError, "hidden_size must divide by num_attention_heads = 32"}},
};

// Strange, but a rotation: read as transformers reads it, with a warning that says what is lost.
const std::map<std::string, Outcome> kAcceptedByBoth{
    {"linear_extra_key", {kRead, "unknown key for rope_type 'linear', ignored: 1"}},
    {"default_extra_factor", {kRead, "unknown key for rope_type 'default', ignored: 2.0"}},
    {"yarn_beta_swapped", {kRead, "is below beta_slow: the ramp is turned round"}},
    {"yarn_attention_factor_integer", {kRead, ""}},  // 1 is 1.0
    {"llama3_original_float", {kRead, ""}},          // 1024.0 is 1024
    {"llama3_original_not_below_max", {kRead, "should be below max_position_embeddings = 8192"}},
    {"proportional_without_partial", {kRead, "absent: all pairs turn"}},
    {"nested_by_layer_type_on_llama", {kRead, "unknown key; this family has one set of rope parameters"}},
};

// Transformers fails on these; here null means absent, and what other engines read is read with a warning.
const std::map<std::string, Outcome> kReadHereOnly{
    {"type_su", {kRead, "transformers 5 does not know 'su' for this family and fails; read as longrope"}},
    {"type_ntk", {kRead, "transformers 5 does not know 'ntk' and fails"}},
    {"type_none", {kRead, "unknown key for rope_type 'default', ignored: 2.0"}},
    {"theta_none", {kRead, ""}},
    {"yarn_original_none", {kRead, "absent: transformers 5 takes max_position_embeddings = 2048"}},
    {"partial_half_linear_runs", {kRead, "transformers 5 fails on a partial rotation with a scaling method"}},
};

struct Malformed {
  std::string id, config;
  bool runs_there = false;
};

std::vector<Malformed> malformed() {
  std::vector<Malformed> out;
  std::ifstream in = golden_lines("malformed");
  for (std::string line; std::getline(in, line);) {
    const Json entry = Json::parse(line);
    out.push_back({entry.at("id"), entry.at("config").dump(), entry.at("outcome") != "error"});
  }
  return out;
}

std::string warnings_of(const ModelConfig& config) {
  std::string out;
  for (const ConfigWarning& w : config.warnings) out += w.key + ": " + w.message + "\n";
  return out;
}

void check(const Malformed& entry, const Outcome& outcome) {
  std::string error, warnings;
  try {
    warnings = warnings_of(parse_model_config(entry.config, "config.json"));
  } catch (const std::runtime_error& e) {
    error = e.what();
  }
  EXPECT_EQ(!error.empty(), outcome.error) << error;
  if (outcome.error)
    EXPECT_THAT(error, ::testing::AllOf(::testing::StartsWith("config.json: "), HasSubstr(outcome.message)));
  else if (*outcome.message)
    EXPECT_THAT(warnings, HasSubstr(outcome.message));
  else
    EXPECT_EQ(warnings, "");
}

class MalformedGolden : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedGolden, HasItsOutcome) {
  const Malformed& entry = GetParam();
  const auto& with_error = entry.runs_there ? kRunsThere : kFailsThere;
  const auto& read = entry.runs_there ? kAcceptedByBoth : kReadHereOnly;
  ASSERT_EQ(with_error.count(entry.id) + read.count(entry.id), 1u) << "not in the table: " << entry.id;
  check(entry, with_error.contains(entry.id) ? with_error.at(entry.id) : read.at(entry.id));
}

INSTANTIATE_TEST_SUITE_P(, MalformedGolden, ::testing::ValuesIn(malformed()),
                         [](const auto& info) { return info.param.id; });

TEST(MalformedGoldenTable, HasNoRowsWithoutConfiguration) {
  EXPECT_EQ(kRunsThere.size() + kFailsThere.size() + kAcceptedByBoth.size() + kReadHereOnly.size(), malformed().size());
}

}  // namespace
}  // namespace rotary::testing
