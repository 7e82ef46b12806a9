// Bad input of ggml's operators (golden/engines/ggml): what aborts, hangs, divides by zero or writes past the output
// there is refused by name here; what ggml returns is returned bit for bit, where it means something.
#include <limits>

#include "core/engine_bad_calls.h"

namespace rotary::testing {
namespace {

/// A recorded call: 3 tokens, one head of 8 channels, all ones, n_dims 8, kNeox, positions 0 1 2, with changes.
struct GgmlCall {
  explicit GgmlCall(const json& record) : changed(record["attributes"]["changed"]) {
    parameters.mode = static_cast<GgmlMode>(changed.value("mode", 2));
    parameters.head_dim = changed.value("d", 8);
    parameters.n_dims = changed.value("n_dims", parameters.head_dim);
    parameters.n_offs = changed.value("n_offs", 0);
    parameters.n_ctx_orig = changed.value("n_ctx_orig", 0);
    parameters.freq_base = number("freq_base", 10000);
    parameters.freq_scale = number("freq_scale", 1);
    parameters.ext_factor = number("ext_factor", 0);
    parameters.beta_fast = number("beta_fast", 32);
    parameters.beta_slow = number("beta_slow", 1);
    parameters.sections = changed.value("sections", parameters.sections);
    for (const json& factor : changed.value("factors", json::array()))
      parameters.freq_factors.push_back(to_float(factor));
  }

  static float to_float(const json& value) {
    return value.is_string() ? std::stof(value.get<std::string>()) : value.get<float>();
  }
  float number(const char* name, float absent) const {
    return changed.contains(name) ? to_float(changed[name]) : absent;
  }

  DType dtype() const {
    const auto name = changed.value("dtype", "float32");
    return name == "bf16" ? DType::kBfloat16 : name == "float64" ? DType::kFloat64 : DType::kFloat32;
  }

  /// The last token.
  Vector result() const {
    const Rotary rotary(parameters);
    const std::int64_t tokens = changed.value("tokens", 3), axes = rotary.map().num_axes;
    Vector ids = random_vector(0, 1);
    for (std::int64_t i = 0; i < changed.value("npos", tokens * axes); ++i) ids.push_back(static_cast<double>(i));
    const Vector all = turned(rotary, PositionIds{std::span<const double>(ids), static_cast<int>(axes)},
                              {1, tokens, 1, parameters.head_dim}, number("fill", 1), dtype());
    return {all.end() - (all.empty() ? 0 : parameters.head_dim), all.end()};
  }

  json changed;
  GgmlRotation parameters;
};

struct Refusal {
  const char* record;
  const char* substring;
};

const Refusal kRefused[] = {{"n_dims_odd", "n_dims must be even"},
                            {"n_dims_above_head", "n_dims must be at most head_dim = 8, got 10"},
                            {"n_dims_zero", "n_dims must be even and at least 2, got 0"},
                            {"n_dims_negative", "n_dims must be even and at least 2, got -2"},
                            {"positions_wrong_count", "positions.ids"},
                            {"mode_1", "mode must be one of ggml's, got 1"},
                            {"mode_4", "mode"},
                            {"mode_64", "mode"},
                            {"factors_too_short", "freq_factors must be empty or one per pair, 4, got 2"},
                            {"factors_zero", "freq_factors[0]"},
                            {"factors_nan", "freq_factors[0]"},
                            {"freq_base_zero", "freq_base"},
                            {"freq_base_negative", "freq_base"},
                            {"freq_base_one", "freq_base must be finite and above 1, got 1"},
                            {"freq_base_one_yarn", "freq_base"},
                            {"freq_base_nan", "freq_base"},
                            {"freq_scale_zero", "freq_scale"},
                            {"freq_scale_negative", "freq_scale"},
                            {"freq_scale_zero_yarn", "freq_scale"},
                            {"freq_scale_negative_yarn", "freq_scale"},
                            {"n_ctx_orig_zero_yarn", "n_ctx_orig must be positive"},
                            {"n_ctx_orig_negative_yarn", "n_ctx_orig must be positive"},
                            {"beta_zero_yarn", "beta_fast"},
                            {"offset_odd", "n_offs must be even"},
                            {"offset_too_large", "n_offs must leave room"},
                            {"offset_negative", "n_offs must be even and not negative, got -2"},
                            {"sections_all_zero", "sections"},
                            {"sections_sum_large", "sections must sum to at most head_dim = 8, got 12"},
                            {"sections_negative", "sections must not be negative"},
                            {"sections_sum_zero_mixed_sign", "sections must not be negative"},
                            {"mrope_without_sections", "sections"},
                            {"mrope_positions_not_times_4", "positions.ids"},
                            {"vision_full_n_dims", "n_dims must be head_dim / 2"},
                            {"vision_offset", "n_offs must be 0"},
                            {"vision_factors_n_dims_half", "freq_factors must be empty or one per pair, 4, got 2"}};

/// What ggml aborts at and the library can do, and what it returns something else for.
const std::set<std::string> kMore{
    "positions_i64", "positions_f32", "bf16_data", "f64_data", "head_dim_odd_writes_past_the_output", "tokens_zero"};

std::string name_of(const json& record) { return record["id"].get<std::string>().substr(4); }

/// The numbers of "finite [..]" and "nonfinite [..]".
Vector recorded_values(const json& record) {
  std::string text = record["message"];
  Vector out;
  for (std::size_t at = text.find('['); at != std::string::npos; at = text.find(',', at + 1))
    out.push_back(std::stof(text.substr(at + 1)));
  return out;
}

TEST(EngineGgmlBadInput, IsRefusedByNameOrReturnsTheValuesOfGgml) {
  std::map<std::string, const char*> refused;
  for (const Refusal& r : kRefused) refused[r.record] = r.substring;
  for (const json& record : bad_records("ggml")) {
    SCOPED_TRACE(record["id"]);
    const std::string name = name_of(record);
    if (refused.count(name)) {
      expect_refused({"", [&] { GgmlCall(record).result(); }, kInvalid, refused[name]});
    } else if (!kMore.count(name)) {
      const Vector want = recorded_values(record), got = GgmlCall(record).result();
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_TRUE(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) << got[i] << " " << want[i];
    }
  }
}

TEST(EngineGgmlBadInput, OtherTypesOfDataAndPositionsGiveTheSameNumbers) {
  const json plain{{"attributes", {{"changed", json::object()}}}};
  const Vector want = GgmlCall(plain).result();
  for (const json& record : bad_records("ggml")) {
    const std::string name = name_of(record);
    if (!kMore.count(name) || name.starts_with("head") || name == "tokens_zero") continue;
    const GgmlCall call(record);
    // rounded to the type, and in float32; numbers below 2
    EXPECT_LE(gap(call.result(), want), 2 * (unit_roundoff(call.dtype()) + 0x1p-24)) << name;
  }
}

TEST(EngineGgmlBadInput, NoTokensAreNoWork) {
  const json none{{"attributes", {{"changed", {{"tokens", 0}}}}}};
  EXPECT_TRUE(GgmlCall(none).result().empty());
}

TEST(EngineGgmlBadInput, AMapThatIsNoneMakesNoRotation) {
  GgmlRotation parameters;
  parameters.head_dim = parameters.n_dims = 8;
  parameters.attn_factor = -1;
  EXPECT_THROW(Rotary{parameters}, std::invalid_argument);
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = 8;
  YarnScaling yarn;
  yarn.factor = 4;
  yarn.original_max_position = 1024;
  yarn.mscale_coefficient = -1;  // 1 - ln 4 is negative
  spec.scaling = yarn;
  EXPECT_THROW(Rotary(spec, 0, Arithmetic::kGgml), std::invalid_argument);
}

TEST(EngineGgmlBadInput, AnOddHeadIsNotWrittenPastItsEnd) {
  GgmlRotation parameters;
  parameters.mode = GgmlMode::kNeox;
  parameters.head_dim = 9;
  parameters.n_dims = 8;
  std::vector<float> x(27, 1), y(28, 777);
  apply_rotary(Rotary(parameters), bshd<const void>(x.data(), DType::kFloat32, 1, 3, 1, 9),
               bshd<void>(y.data(), DType::kFloat32, 1, 3, 1, 9), PositionRange{});
  EXPECT_EQ(y[26], 1);
  EXPECT_EQ(y[27], 777);
}

}  // namespace
}  // namespace rotary::testing
