// ONNX's RotaryEmbedding and onnxruntime's operators, which are given cos and sin: golden/engines/onnx-node-tests,
// onnx-rotary and ort-contrib.
#include "core/engine_records.h"

namespace rotary::testing {
namespace {

/// A record's call: X as head vectors, the tables, the positions as rows of the tables.
struct OnnxCall {
  explicit OnnxCall(const EngineRecord& record)
      : x(record.in.count("X") ? record.in.at("X") : record.in.at("input")),
        cos(record.in.at("cos_cache")),
        sin(record.in.at("sin_cache")),
        order(x.shape.size() == 4 ? EngineOrder::kBatchHeadsTokens : EngineOrder::kBatchTokensHeads),
        view(view_of(x, order, num_heads(record))),
        rotary(make_rotation_map(spec_of_record(record)),
               CosSinTable::from_values(cos.as<float>(), sin.as<float>(), cos.shape.back())) {
    if (record.in.count("position_ids")) {
      const EngineTensor& given = record.in.at("position_ids");
      ids = given.as<std::int64_t>();
      if (given.shape.size() == 1)
        positions = PositionRange{ids.at(0)};
      else
        positions = PositionIds{std::span<const std::int64_t>(ids), rotary.map().num_axes, true};
    } else {
      for (std::int64_t b = 0; b < view.shape[0]; ++b) ids.push_back(b * view.shape[1]);
      positions = PositionOffsets{ids};  // tables of [batch][tokens] rows
    }
  }

  /// Of a 3-D X; com.microsoft's operator takes the width of the tables for heads that turn whole.
  std::int64_t num_heads(const EngineRecord& record) const {
    if (x.shape.size() == 4) return 0;
    const auto heads = record.attribute<std::int64_t>("num_heads", 0);
    return heads > 0 ? heads : x.shape.back() / (2 * cos.shape.back());
  }

  RopeSpec spec_of_record(const EngineRecord& record) const {
    RopeSpec spec;
    spec.head_dim = static_cast<int>(view.shape[3]);
    spec.rotary_dim = record.attribute("rotary_embedding_dim", 0);
    if (spec.rotary_dim == 0) spec.rotary_dim = spec.head_dim;
    if (record.attribute("interleaved", 0) != 0) spec.pairing = spec.output_pairing = Pairing::kInterleaved;
    const auto sections = record.attribute("mrope_section", std::vector<int>{});
    if (sections.empty()) return spec;
    const bool alternating = record.attribute("mrope_layout", 0) == 1;
    spec.axes = {alternating ? AxisRule::kInterleavedSections : AxisRule::kSections, 3, sections, {}};
    return spec;
  }

  EngineTurn turn() const { return {rotary, view, positions}; }

  /// Of the tables, which may hold any values.
  double largest() const {
    double out = 1;
    for (const EngineTensor* table : {&cos, &sin})
      for (std::size_t i = 0; i < table->size(); ++i) out = std::max(out, std::abs((*table)[i]));
    return out;
  }

  const EngineTensor &x, &cos, &sin;
  EngineOrder order;
  ConstTensorView view;
  Rotary rotary;
  std::vector<std::int64_t> ids;
  Positions positions;
};

/// An engine that rounds both products and their sum, against one that rounds one product and the sum: each rounding is
/// at most u (|x_a| + |x_b|) max(|cos|, |sin|) but for the sum's, which is that of a number up to as large.
constexpr double kRoundings = 5;

void expect_near(EngineCount& count, const EngineRecord& record, const char* output) {
  if (!record.out.count(output)) return;
  const OnnxCall call(record);
  count.add_turn(record.id, call.turn(), call.x, record.out.at(output), {kRoundings, 0, call.largest()});
}

void expect_equal(EngineCount& count, const EngineRecord& record, const char* output) {
  if (!record.out.count(output)) return;
  const OnnxCall call(record);
  count.add_equal(record.id, call.turn().result(call.x), record.out.at(output));
}

/// onnxruntime fuses as we do, but for the remainders of interleaved float32 pairs; its float16 is rounded once.
bool is_reproducible(const EngineRecord& record) {
  const bool half = record.attribute("interleaved", 0) == 0;
  return half || (record.in.count("X") ? record.in.at("X") : record.in.at("input")).is("F16");
}

TEST(EngineOnnxGolden, NodeTestsPassAtTheirOwnToleranceAndAtOurs) {
  EngineCount count("onnx node tests");
  for (const EngineRecord& record : engine_records("onnx-node-tests", {"RotaryEmbedding"})) {
    expect_near(count, record, "Y");
    const OnnxCall call(record);
    const EngineTensor &want = record.out.at("Y"), got = call.turn().result(call.x);
    for (std::size_t i = 0; i < want.size(); ++i)  // rtol and atol of every node test
      EXPECT_LE(std::abs(got[i] - want[i]), 1e-7 + 1e-3 * std::abs(want[i])) << record.id;
  }
}

TEST(EngineOnnxGolden, TheReferenceImplementationAgreesToItsRoundings) {
  EngineCount count("onnx.reference");
  for (const EngineRecord& record : engine_records("onnx-rotary", {"RotaryEmbedding"}))
    expect_near(count, record, "Y_ref");
}

TEST(EngineOnnxGolden, OnnxruntimeAgreesBitForBitWhereItFusesAsWeDo) {
  EngineCount equal("onnxruntime, halves and float16"), near("onnxruntime, interleaved float32");
  for (const EngineRecord& record : engine_records("onnx-rotary", {"RotaryEmbedding"}))
    is_reproducible(record) ? expect_equal(equal, record, "Y_ort") : expect_near(near, record, "Y_ort");
}

TEST(EngineOnnxGolden, MicrosoftsOperatorAgrees) {
  EngineCount equal("com.microsoft.RotaryEmbedding, halves and float16"), near("the same, interleaved float32");
  for (const EngineRecord& record : engine_records("ort-contrib", {"com.microsoft.RotaryEmbedding"}))
    is_reproducible(record) ? expect_equal(equal, record, "output") : expect_near(near, record, "output");
}

TEST(EngineOnnxGolden, MicrosoftsOperatorOfThreeAxesAgrees) {
  EngineCount equal("com.microsoft.MRotaryEmbedding, halves and float16"), near("the same, interleaved float32");
  for (const EngineRecord& record : engine_records("ort-contrib", {"com.microsoft.MRotaryEmbedding"}))
    is_reproducible(record) ? expect_equal(equal, record, "output") : expect_near(near, record, "output");
}

}  // namespace
}  // namespace rotary::testing
