// Rotary embeddings of text models in other engines: mlx, torchtune, keras-hub, rotary-embedding-torch and
// x-transformers (golden/engines). All compute angles in float32.
#include "core/engine_specs.h"

namespace rotary::testing {
namespace {

constexpr auto kHeadsFirst = EngineOrder::kBatchHeadsTokens;
constexpr auto kTokensFirst = EngineOrder::kBatchTokensHeads;

// --- mlx

/// base^(-2i/d) as exp2 of a float32 up to log2(base) < 20, off by 2 u: 2 * 20 ln 2 roundings, and one of the product.
/// 16-bit data: cos and sin, both products and the sum rounded to 16 bits, and our one rounding.
constexpr EngineTolerance kMlxTolerance{8, 30};

/// Frequencies [dims/2] are divisors; every position is multiplied by the scale.
RopeSpec mlx_spec(const EngineRecord& record, std::int64_t head_dim) {
  const bool traditional = record.attributes.at("traditional");
  RopeSpec spec = engine_spec(head_dim, record.attributes.at("dims"),
                              traditional ? Pairing::kInterleaved : Pairing::kHalf, record.attribute("base", 10000.0));
  spec.angle_multiplier = record.attributes.at("scale");
  if (!record.in.count("freqs")) return spec;
  GivenFrequencies given;
  for (double divisor : record.in.at("freqs").as<double>()) given.frequencies.push_back(1 / divisor);
  spec.scaling = given;
  return spec;
}

TEST(EngineMlxGolden, FastRopeAgrees) {
  EngineCount count("mlx.core.fast.rope");
  for (const EngineRecord& record : engine_records("mlx", {"mlx.core.fast.rope"})) {
    if (!record.in.count("x")) continue;
    const EngineTensor& x = record.in.at("x");
    const Rotary rotary(mlx_spec(record, x.shape.back()));
    const json& offset = record.attributes.at("offset");
    const auto offsets = offset.is_array() ? offset.get<std::vector<std::int64_t>>() : std::vector<std::int64_t>{};
    const Positions positions =
        offset.is_array() ? Positions{PositionOffsets{offsets}} : Positions{PositionRange{offset.get<std::int64_t>()}};
    count.add_turn(record.id, {rotary, view_of(x, kHeadsFirst), positions}, x, record.out.at("y"), kMlxTolerance);
  }
}

TEST(EngineMlxGolden, TablesAgree) {
  EngineCount count("mlx tables");
  for (const EngineRecord& record : engine_records("mlx", {"mlx.core.fast.rope"})) {
    if (!record.out.count("cos")) continue;
    const auto type = record.attribute<std::string>("dtype", "float32");  // of the unit vectors turned
    const double u = type == "float16" ? 0x1p-11 : type == "bfloat16" ? 0x1p-8 : 0x1p-24;
    const RopeSpec spec = engine_spec(record.attributes.at("dims"), record.attributes.at("dims"), Pairing::kInterleaved,
                                      record.attributes.at("base"));
    const auto positions = record.in.at("positions").as<double>();
    const RotationMap map = make_rotation_map(spec);
    const auto table = CosSinTable::by_token(map, positions);
    for (const bool is_cos : {true, false}) {
      const EngineTensor& want = record.out.at(is_cos ? "cos" : "sin");
      const std::size_t pairs = map.pairs.size();
      std::vector<float> got;
      for (std::int64_t row = 0; row < table.num_rows(); ++row) {
        const auto values = is_cos ? table.cos(row) : table.sin(row);
        got.insert(got.end(), values.begin(), values.end());
      }
      count.add(record.id, tensor_of(got), want, [&](std::size_t i) {
        const double angle = std::abs(positions[i / pairs]) * map.frequency[i % pairs].hi;
        return u * kMlxTolerance.roundings + 0x1p-24 * kMlxTolerance.angle_roundings * angle;
      });
    }
  }
}

// --- torchtune

TEST(EngineTorchtuneGolden, TextClassesAgree) {
  EngineCount count("torchtune");
  for (const EngineRecord& record :
       engine_records("torchtune", {"RotaryPositionalEmbeddings", "Llama3ScaledRoPE", "Phi3RotaryPositionalEmbeddings",
                                    "Qwen2RotaryPositionalEmbeddings"})) {
    const EngineTensor& x = record.in.at("x");
    const bool half = record.op.starts_with("Phi3") || record.op.starts_with("Qwen2");
    RopeSpec spec = engine_spec(x.shape.back(), record.attributes.at("dim"),
                                half ? Pairing::kHalf : Pairing::kInterleaved, record.attributes.at("base"));
    if (record.op == "Llama3ScaledRoPE") spec.scaling = Llama3Scaling{record.attribute("scale_factor", 8.0)};
    const Rotary rotary = torch_rotation(spec);
    const ConstTensorView view = view_of(x, kTokensFirst);
    const auto ids = record.in.at("input_pos").as<double>();
    count.add_turn(record.id, {rotary, view, ids_of(ids, 1, true)}, x, record.out.at("y"), kTorchTolerance);
    count.add_turn(record.id, {rotary, view, PositionRange{}}, x, record.out.at("y_no_positions"), kTorchTolerance);
  }
}

TEST(EngineTorchtuneGolden, ScaledFrequenciesAgree) {
  EngineCount count("torchtune frequencies");
  for (const EngineRecord& record : engine_records("torchtune", {"Llama3ScaledRoPE.theta"})) {
    RopeSpec spec = engine_spec(record.attributes.at("dim"), record.attributes.at("dim"), Pairing::kInterleaved,
                                record.attributes.at("base"));
    spec.scaling = Llama3Scaling{record.attributes.at("scale_factor")};
    std::vector<float> got;
    for (const Frequency& f : make_rotation_map(spec, 0, Arithmetic::kTransformersFloat32).frequency)
      got.push_back(static_cast<float>(f.hi));
    count.add(record.id, tensor_of(got), record.out.at("theta"),
              [&](std::size_t i) { return 2 * 0x1p-23 * got[i]; });  // the power of torch, within two ulps
  }
}

// --- keras-hub

/// "dynamic" divides every frequency by s^(d/(d-2)), whatever the length (compare.json): no method of ours, a factor.
RopeSpec keras_spec(const EngineRecord& record, std::int64_t head_dim) {
  RopeSpec spec = engine_spec(head_dim, head_dim, Pairing::kHalf, record.attribute("max_wavelength", 10000.0));
  const double factor = record.attribute("scaling_factor", 1.0), d = static_cast<double>(head_dim);
  const auto type = record.attribute<std::string>("rope_type", "linear");
  if (type == "linear") spec.scaling = LinearScaling{factor};
  if (type == "dynamic") spec.angle_multiplier = std::pow(factor, -d / (d - 2));
  if (type != "yarn") return spec;
  YarnScaling yarn = yarn_of(factor, record.attribute("original_max_position_embeddings", 4096.0));
  yarn.beta_fast = record.attribute("beta_fast", 32.0);
  yarn.beta_slow = record.attribute("beta_slow", 1.0);
  yarn.truncate = record.attribute("truncate", true);
  spec.scaling = yarn;
  return spec;
}

/// Where YaRN's ramp nears its end, 1 - ramp keeps a rounding of the unscaled frequency, s of the scaled one.
EngineTolerance keras_tolerance(const RopeSpec& spec) {
  EngineTolerance tolerance = kTorchTolerance;
  if (const auto* yarn = std::get_if<YarnScaling>(&spec.scaling)) tolerance.angle_roundings += yarn->factor;
  return tolerance;
}

TEST(EngineKerasHubGolden, RotaryEmbeddingAgrees) {
  EngineCount count("keras-hub");
  for (const EngineRecord& record : engine_records("keras-hub", {"RotaryEmbedding"})) {
    const EngineTensor& x = record.in.at("x");
    const RopeSpec spec = keras_spec(record, x.shape.back());
    const EngineTolerance tolerance = keras_tolerance(spec);
    const Rotary rotary = torch_rotation(spec);
    const ConstTensorView view = view_of(x, kTokensFirst);
    const auto ids = record.in.at("positions").as<double>();
    count.add_turn(record.id, {rotary, view, ids_of(ids, 1, true)}, x, record.out.at("y"), tolerance);
    count.add_turn(record.id, {rotary, view, PositionRange{100}}, x, record.out.at("y_start_100"), tolerance);
  }
}

// --- rotary-embedding-torch

/// Rotates the leading `dim` channels, adjacent pairs; theta * theta_rescale_factor^(d/(d-2)) is NTK-aware scaling.
Rotary lucid_rotation(const EngineRecord& record, std::int64_t head_dim) {
  RopeSpec spec =
      engine_spec(head_dim, record.attributes.at("dim"), Pairing::kInterleaved, record.attribute("theta", 10000.0));
  if (record.attributes.contains("theta_rescale_factor"))
    spec.scaling = NtkScaling{record.attributes.at("theta_rescale_factor")};
  if (record.attributes.contains("interpolate_factor"))
    spec.scaling = LinearScaling{record.attributes.at("interpolate_factor")};
  return torch_rotation(spec);
}

/// Counted in the dtype of the data: bfloat16 has no odd numbers above 256. The offset is added in it too.
Vector lucid_positions(DType dtype, double offset, std::int64_t count) {
  Elements rounded(dtype, 1);
  const auto round = [&](double value) { return rounded.set(0, value), rounded[0]; };
  Vector out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(round(round(static_cast<double>(i)) + offset));
  return out;
}

TEST(EngineLucidrainsGolden, QueriesAndKeysAgree) {
  EngineCount count("rotary-embedding-torch");
  for (const EngineRecord& record : engine_records("rotary-embedding-torch", {"rotate_queries_or_keys"})) {
    const EngineTensor& x = record.in.at("x");
    const bool tokens_first = record.attribute("seq_before_head_dim", false);
    const ConstTensorView view = view_of(x, tokens_first ? kTokensFirst : kHeadsFirst);
    const Rotary rotary = lucid_rotation(record, x.shape.back());
    const Vector ids = lucid_positions(x.dtype(), record.attribute("offset", 0.0), view.shape[1]);
    // a negative offset with its cache gives the input back: its fault
    const char* name = record.out.count("y") ? "y" : "y_without_cache";
    count.add_turn(record.id, {rotary, view, ids_of(ids, 1)}, x, record.out.at(name), kTorchTolerance);
  }
}

// --- x-transformers

TEST(EngineXTransformersGolden, QueriesAndKeysAgree) {
  EngineCount count("x-transformers");
  for (const EngineRecord& record :
       engine_records("x-transformers", {"RotaryEmbedding + apply_rotary_pos_emb", "RotaryEmbedding(t)"})) {
    if (record.attribute("use_xpos", false)) continue;
    const bool has_ids = record.in.count("positions") > 0;
    const Vector ids = has_ids ? record.in.at("positions").as<double>() : counted(0, record.in.at("q").shape[2]);
    for (const char* name : {"q", "k", "x"}) {
      if (!record.in.count(name)) continue;
      const EngineTensor& x = record.in.at(name);
      RopeSpec spec = engine_spec(x.shape.back(), record.attributes.at("dim"), Pairing::kInterleaved,
                                  record.attribute("base", 10000.0));
      if (record.attributes.contains("base_rescale_factor"))
        spec.scaling = NtkScaling{record.attributes.at("base_rescale_factor")};
      spec.angle_multiplier = 1 / record.attribute("interpolation_factor", 1.0);
      const Rotary rotary = torch_rotation(spec);
      const EngineTensor& want = record.out.at(has_ids ? "y" : std::string(name) + "_out");
      count.add_turn(record.id, {rotary, view_of(x, kHeadsFirst), ids_of(ids, 1, has_ids)}, x, want, kTorchTolerance);
    }
  }
}

}  // namespace
}  // namespace rotary::testing
