// ggml's rotary operators, from their own parameters: golden/engines/ggml.
#include "core/engine_records.h"
#include "core/scaled_frequencies.h"

namespace rotary::testing {
namespace {

GgmlMode mode_of(const std::string& name) {
  const std::map<std::string, GgmlMode> modes{{"NORMAL", GgmlMode::kNormal},
                                              {"NEOX", GgmlMode::kNeox},
                                              {"MROPE", GgmlMode::kMrope},
                                              {"VISION", GgmlMode::kVision},
                                              {"IMROPE", GgmlMode::kImrope}};
  return modes.at(name);
}

GgmlRotation parameters_of(const EngineRecord& record, std::int64_t head_dim) {
  GgmlRotation g;
  g.mode = mode_of(record.attributes.at("mode"));
  g.head_dim = static_cast<int>(head_dim);
  g.n_dims = record.attributes.at("n_dims");
  g.n_offs = record.attribute("n_offs", 0);
  g.n_ctx_orig = record.attribute("n_ctx_orig", 0);
  g.freq_base = record.attribute("freq_base", g.freq_base);
  g.freq_scale = record.attribute("freq_scale", g.freq_scale);
  g.ext_factor = record.attribute("ext_factor", g.ext_factor);
  g.attn_factor = record.attribute("attn_factor", g.attn_factor);
  g.beta_fast = record.attribute("beta_fast", g.beta_fast);
  g.beta_slow = record.attribute("beta_slow", g.beta_slow);
  g.sections = record.attribute("sections", g.sections);
  if (record.in.count("freq_factors")) g.freq_factors = record.in.at("freq_factors").as<float>();
  return g;
}

/// Bit for bit: x and y [batch, tokens, heads, dim]; positions [tokens], or four times that.
void expect_ggml(const std::string& what, const std::vector<std::string>& ops) {
  EngineCount count(what);
  for (const EngineRecord& record : engine_records("ggml", ops)) {
    if (!record.out.count("y")) continue;
    const EngineTensor& x = record.in.at("x");
    const Rotary rotary(parameters_of(record, x.shape.back()), 3);  // some positions in the table, most beyond
    const auto ids = record.in.at("positions").as<std::int32_t>();
    const bool back = record.op.find("_back") != std::string::npos;
    const EngineTurn turn{rotary, view_of(x, EngineOrder::kBatchTokensHeads),
                          PositionIds{std::span<const std::int32_t>(ids), rotary.map().num_axes}, back};
    count.add_equal(record.id, turn.result(x), record.out.at("y"));
  }
}

TEST(EngineGgmlGolden, OneAxisTurnsBitForBit) {
  expect_ggml("ggml_rope_ext", {"ggml_rope_ext", "ggml_rope_ext + ggml_rope_set_offset"});
}

TEST(EngineGgmlGolden, OneAxisTurnsBackBitForBit) { expect_ggml("ggml_rope_ext_back", {"ggml_rope_ext_back"}); }

TEST(EngineGgmlGolden, SeveralAxesTurnBitForBit) { expect_ggml("ggml_rope_multi", {"ggml_rope_multi"}); }

TEST(EngineGgmlGolden, SeveralAxesTurnBackBitForBit) { expect_ggml("ggml_rope_multi_back", {"ggml_rope_multi_back"}); }

TEST(EngineGgmlGolden, UnitVectorsShowTheTablesBitForBit) {
  EngineCount count("ggml tables");
  for (const EngineRecord& record : engine_records("ggml", {"ggml_rope_ext"})) {
    if (!record.out.count("cos")) continue;
    const EngineTensor &cos = record.out.at("cos"), &sin = record.out.at("sin");
    const Rotary rotary(parameters_of(record, record.attributes.at("n_dims")));
    EngineTensor x{"F32", {1, cos.shape[0], 1, 2 * cos.shape[1]}, {}};
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float unit = i % 2 == 0 ? 1 : 0;
      x.bytes.insert(x.bytes.end(), reinterpret_cast<const char*>(&unit), reinterpret_cast<const char*>(&unit + 1));
    }
    const auto ids = record.in.at("positions").as<std::int32_t>();
    const EngineTensor y =
        EngineTurn{rotary, view_of(x, EngineOrder::kBatchTokensHeads), PositionIds{std::span<const std::int32_t>(ids)}}
            .result(x);
    EngineTensor got_cos{"F32", cos.shape, {}}, got_sin = got_cos;
    for (std::size_t i = 0; i < y.bytes.size(); i += 4)
      (i % 8 == 0 ? got_cos : got_sin)
          .bytes.insert((i % 8 == 0 ? got_cos : got_sin).bytes.end(), y.bytes.data() + i, y.bytes.data() + i + 4);
    count.add_equal(record.id, got_cos, cos);
    count.add_equal(record.id, got_sin, sin);
  }
}

/// Rows of n_dims, n_ctx_orig, base, beta_fast, beta_slow.
TEST(EngineGgmlGolden, CorrectionRangesOfYarnAreTheExactOnes) {
  EngineCount count("ggml_rope_yarn_corr_dims");
  for (const EngineRecord& record : engine_records("ggml", {"ggml_rope_yarn_corr_dims"})) {
    const EngineTensor& rows = record.in.at("n_dims_ctx_base_fast_slow");
    std::vector<float> got;
    for (std::size_t i = 0; i < rows.size(); i += 5) {
      const auto d = static_cast<int>(rows[i]);
      const auto range =
          detail::correction_range(rows[i + 3], rows[i + 4], {rows[i + 2], d, d / 2, 0}, rows[i + 1], true);
      got.push_back(static_cast<float>(range.low.hi));
      got.push_back(static_cast<float>(range.high.hi));
    }
    count.add_equal(record.id, tensor_of(got), record.out.at("corr_dims"));
  }
}

// A context shift turns cached keys by the operator itself, magnitude and all; shift_keys_inplace() would not.
TEST(EngineGgmlGolden, RepeatedShiftsMultiplyTheMagnitudeAgain) {
  EngineCount count("ggml_rope_ext repeated");
  for (const EngineRecord& record : engine_records("ggml", {"ggml_rope_ext repeated"})) {
    EngineTensor k = record.in.at("k");
    const Rotary rotary(parameters_of(record, k.shape.back()));
    const auto turn_by = [&](std::int64_t position) {
      k = EngineTurn{rotary, view_of(k, EngineOrder::kBatchTokensHeads), PositionRange{position}}.result(k);
    };
    turn_by(record.attributes.at("first_position"));
    int n = 0;
    for (const std::int64_t shift : record.attributes.at("shifts")) {
      turn_by(shift);
      count.add_equal(record.id, k, record.out.at("after_shift" + std::to_string(++n)));
    }
  }
}

}  // namespace
}  // namespace rotary::testing
