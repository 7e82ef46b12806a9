// xPos in other engines: torchscale, rotary-embedding-torch and x-transformers (golden/engines). Each multiplies cos
// and sin of a token by a scale, so here a given table holds the products. They differ in the centre of the scale,
// which follows the length in all three: scores of one pass agree with those of a centre that never moves, others do
// not.
#include <algorithm>

#include "core/engine_specs.h"
#include "rotary/layer_rotation.h"

namespace rotary::testing {
namespace {

constexpr auto kHeadsFirst = EngineOrder::kBatchHeadsTokens;

/// Positions 0 .. rows-1, scaled as a query or, inversely, as a key. `largest` is the largest scale.
struct XposRotation {
  XposRotation(std::int64_t head_dim, std::int64_t dim, Xpos xpos, std::int64_t rows, bool key)
      : map(make_rotation_map(engine_spec(head_dim, dim, Pairing::kInterleaved, 10000), 0,
                              Arithmetic::kTransformersFloat32)) {
    const auto table = CosSinTable::by_position(map, rows, Arithmetic::kTransformersFloat32);
    std::vector<float> cos, sin;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < map.pairs.size(); ++i) {
        const double zeta =
            xpos_scale(xpos, static_cast<int>(i), static_cast<int>(map.pairs.size()), static_cast<double>(row));
        const double scale = key ? 1 / zeta : zeta;
        largest = std::max(largest, scale);
        cos.push_back(static_cast<float>(table.cos(row)[i] * scale));
        sin.push_back(static_cast<float>(table.sin(row)[i] * scale));
      }
    rotary.emplace(map, CosSinTable::from_values(cos, sin, table.num_pairs()));
  }

  RotationMap map;
  double largest = 1;
  std::optional<Rotary> rotary;
};

/// As kTorchTolerance; the scale is a float32 power, good to a few roundings, and is multiplied in.
EngineTolerance tolerance_of(const XposRotation& rotation) {
  return {kTorchTolerance.roundings + 8, kTorchTolerance.angle_roundings, rotation.largest};
}

Xpos xpos_of(double scale_base, double center) {
  Xpos xpos;
  xpos.scale_base = scale_base;
  xpos.center = center;
  return xpos;
}

void expect_xpos(EngineCount& count, const EngineRecord& record, const std::string& name, const XposRotation& rotation,
                 std::int64_t first) {
  const EngineTensor& x = record.in.at(name);
  count.add_turn(record.id + "/" + name, {*rotation.rotary, view_of(x, kHeadsFirst), PositionRange{first}}, x,
                 record.out.at(name + "_out"), tolerance_of(rotation));
}

/// q and k [batch * heads, tokens, dim]; the centre is half of all tokens so far, rounded up.
TEST(EngineXposGolden, TorchscaleAgrees) {
  EngineCount count("torchscale");
  for (const EngineRecord& record : engine_records("torchscale", {"XPOS"}))
    for (const char* name : {"q", "k"}) {
      const std::int64_t offset = *name == 'q' ? record.attributes.at("query_offset").get<std::int64_t>() : 0;
      const std::int64_t dim = record.attributes.at("head_dim"), rows = record.in.at(name).shape[1] + offset;
      const auto center = static_cast<double>((rows + 1) / 2);
      const Xpos xpos = xpos_of(record.attributes.at("scale_base"), center);
      expect_xpos(count, record, name, XposRotation(dim, dim, xpos, rows, *name == 'k'), offset);
    }
}

/// The centre is half of the tokens of the tensor, rounded down; queries come last, and their own number centres them.
TEST(EngineXposGolden, RotaryEmbeddingTorchAgrees) {
  EngineCount count("rotary-embedding-torch xPos");
  for (const EngineRecord& record :
       engine_records("rotary-embedding-torch", {"rotate_queries_and_keys", "rotate_queries_with_cached_keys"})) {
    const std::int64_t keys = record.in.at("k").shape[2];
    for (const char* name : {"q", "k"}) {
      const EngineTensor& x = record.in.at(name);
      const auto center = static_cast<double>(x.shape[2] / 2);
      const double base = record.attribute("use_xpos", false) ? record.attribute("scale_base", 512.0) : 1e300;
      const XposRotation rotation(x.shape.back(), record.attributes.at("dim"), xpos_of(base, center), keys,
                                  *name == 'k');
      expect_xpos(count, record, name, rotation, keys - x.shape[2]);
    }
  }
}

TEST(EngineXposGolden, XTransformersAgrees) {
  EngineCount count("x-transformers xPos");
  for (const EngineRecord& record : engine_records("x-transformers", {"RotaryEmbedding + apply_rotary_pos_emb"})) {
    if (!record.attribute("use_xpos", false)) continue;
    for (const char* name : {"q", "k"}) {
      const EngineTensor& x = record.in.at(name);
      const Xpos xpos = xpos_of(record.attribute("scale_base", 512.0), static_cast<double>(x.shape[2] / 2));
      const XposRotation rotation(x.shape.back(), record.attributes.at("dim"), xpos, x.shape[2], *name == 'k');
      expect_xpos(count, record, name, rotation, 0);
    }
  }
}

/// Scores of the last query with every key.
Vector last_scores(const EngineTensor& q, const EngineTensor& k) {
  Vector out;
  const auto dim = static_cast<std::size_t>(q.shape.back()), tokens = k.size() / dim;
  for (std::size_t s = 0; s < tokens; ++s) {
    double score = 0;
    for (std::size_t i = 0; i < dim; ++i) score += q[q.size() - dim + i] * k[s * dim + i];
    out.push_back(score);
  }
  return out;
}

TEST(EngineXposGolden, ScoresOfAFullPassAreThoseOfAFixedCentre) {
  EngineCount count("scores of a full pass");
  for (const EngineRecord& record :
       engine_records("rotary-embedding-torch", {"rotate_queries_and_keys against rotate_queries_with_cached_keys"})) {
    const std::int64_t dim = record.attributes.at("dim"), rows = record.in.at("k").shape[2];
    const auto turned = [&](const char* name) {
      const EngineTensor& x = record.in.at(name);
      const XposRotation rotation(dim, dim, xpos_of(record.attributes.at("scale_base"), 0), rows, *name == 'k');
      return EngineTurn{*rotation.rotary, view_of(x, kHeadsFirst), PositionRange{}}.result(x);
    };
    const Vector scores = last_scores(turned("q"), turned("k"));
    // 16 products of numbers up to 2 sqrt 2, each good to 16 roundings, and their sum
    count.add(record.id, tensor_of(std::vector<float>(scores.begin(), scores.end())), record.out.at("scores_full_pass"),
              [&](std::size_t) { return static_cast<double>(dim) * 8 * 32 * 0x1p-24; });
  }
}

}  // namespace
}  // namespace rotary::testing
