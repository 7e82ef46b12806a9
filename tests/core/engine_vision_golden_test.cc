// Rotary embeddings of grids in other engines: timm, diffusers, torchtune's and rotary-embedding-torch's axial classes
// (golden/engines).
#include <numbers>

#include "core/engine_specs.h"

namespace rotary::testing {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr auto kHeadsFirst = EngineOrder::kBatchHeadsTokens;
constexpr auto kTokensFirst = EngineOrder::kBatchTokensHeads;

/// Grids of 24 or so points in units of pi: bands of up to max_res/2 pi at coordinates up to 1 are made of linspaces,
/// each within two roundings of ours.
constexpr EngineTolerance kGridTolerance{8, 8};

// --- timm

/// What timm rotates by: frequencies of an axis, coordinates of both.
struct TimmGrid {
  std::vector<Vector> axes;
  Vector bands;
};

/// RotaryEmbedding and RotaryEmbeddingCat.
TimmGrid timm_fourier(const EngineRecord& record) {
  const int count = record.attributes.at("dim").get<int>() / 4;
  TimmGrid grid;
  const auto shape = record.attributes.at("shape").get<std::vector<int>>();
  const auto ref = record.attribute("ref_feat_shape", shape);
  if (record.attribute("in_pixels", true)) {
    const double largest = record.attribute("max_res", 224.0);
    if (record.attribute("linear_bands", false))
      grid.bands = times(linspace(1, largest / 2, count), kPi);
    else
      for (double e : linspace(0, std::log2(largest) - 1, count)) grid.bands.push_back(kPi * std::exp2(e));
    for (int n : shape) grid.axes.push_back(linspace(-1, 1, n));
    return grid;
  }
  grid.bands = progression(record.attribute("temperature", 10000.0), 2 * count);
  for (std::size_t i = 0; i < shape.size(); ++i)
    grid.axes.push_back(
        times(counted(record.attribute("grid_offset", 0.0), shape[i]), static_cast<double>(ref[i]) / shape[i]));
  return grid;
}

/// Periods of coordinates in [-1, 1] at the centres of the patches.
TimmGrid timm_dinov3(const EngineRecord& record) {
  const int count = record.attributes.at("dim").get<int>() / 4;
  TimmGrid grid;
  const auto shape = record.attributes.at("shape").get<std::vector<int>>();
  const auto normalize = record.attribute<std::string>("normalize_coords", "separate");
  for (int n : shape) {
    const double over = normalize == "max"   ? std::max(shape[0], shape[1])
                        : normalize == "min" ? std::min(shape[0], shape[1])
                                             : n;
    Vector axis = times(counted(0.5, n), 2 / over);
    for (double& x : axis) x -= 1;
    grid.axes.push_back(axis);
  }
  const double temperature = record.attribute("temperature", record.attributes.contains("min_period") ? 0.0 : 100.0);
  if (temperature > 0) {
    grid.bands = times(progression(temperature, 2 * count), 2 * kPi);
  } else {
    const double least = record.attributes.at("min_period"), most = record.attributes.at("max_period");
    for (double e : linspace(0, 1, count)) grid.bands.push_back(2 * kPi / (least * std::pow(most / least, e)));
  }
  return grid;
}

TEST(EngineTimmGolden, GridsOfTwoAxesAgree) {
  EngineCount count("timm");
  for (const EngineRecord& record :
       engine_records("timm", {"RotaryEmbedding", "RotaryEmbeddingCat", "RotaryEmbeddingDinoV3"})) {
    TimmGrid grid = record.op == "RotaryEmbeddingDinoV3" ? timm_dinov3(record) : timm_fourier(record);
    Vector points = grid_of(grid.axes);
    if (record.attribute<std::string>("grid_indexing", "ij") == "xy")  // columns first, the points in the same order
      std::rotate(points.begin(), points.begin() + static_cast<long>(points.size() / 2), points.end());
    const EngineTensor& x = record.in.at("x");
    const bool half = record.attribute("half", false);
    const Rotary rotary = torch_rotation(given_spec(x.shape.back(), half ? Pairing::kHalf : Pairing::kInterleaved,
                                                    blocks_of({grid.bands, grid.bands}), 2));
    count.add_turn(record.id, {rotary, view_of(x, kHeadsFirst), ids_of(points, 2)}, x, record.out.at("y"),
                   kGridTolerance);
  }
}

/// Learned frequencies [2 axes][depth][heads][pairs], both axes on every pair.
TEST(EngineTimmGolden, LearnedFrequenciesOfEveryHeadAgree) {
  EngineCount count("timm mixed");
  for (const EngineRecord& record : engine_records("timm", {"RotaryEmbeddingMixed"})) {
    const EngineTensor &x = record.in.at("x"), &learned = record.in.at("freqs");
    const auto shape = record.attributes.at("shape").get<std::vector<int>>();
    Vector points = grid_of({counted(0, shape[0]), counted(0, shape[1])});
    std::rotate(points.begin(), points.begin() + static_cast<long>(points.size() / 2), points.end());  // "xy"
    const auto depth = static_cast<std::size_t>(learned.shape[1]), of_layer = learned.size() / 2 / depth;
    for (std::size_t layer = 0; layer < depth; ++layer) {
      GivenFrequencies given{static_cast<int>(learned.shape[2]), {}};
      for (std::size_t i = 0; i < of_layer; ++i)
        for (std::size_t axis = 0; axis < 2; ++axis)
          given.frequencies.push_back(learned[(axis * depth + layer) * of_layer + i]);
      const Rotary rotary = torch_rotation(given_spec(x.shape.back(), Pairing::kInterleaved, given, 2, given.num_sets));
      count.add_turn(record.id, {rotary, view_of(x, kHeadsFirst), ids_of(points, 2)}, x,
                     record.out.at("y_block" + std::to_string(layer)), kGridTolerance);
    }
  }
}

// --- diffusers

RopeSpec diffusers_spec(const EngineRecord& record, Pairing pairing) {
  const std::int64_t dim = record.attributes.at("dim");
  RopeSpec spec =
      engine_spec(dim, dim, pairing, record.attribute("theta", 10000.0) * record.attribute("ntk_factor", 1.0));
  spec.angle_multiplier = 1 / record.attribute("linear_factor", 1.0);
  return spec;
}

/// Frequencies in float64 are rounded only where angles are; those in float32 as everywhere in torch.
Rotary diffusers_rotation(const EngineRecord& record, const RopeSpec& spec) {
  const bool is_double = record.attribute<std::string>("freqs_dtype", "f32") == "f64";
  return Rotary(spec, 0, is_double ? Arithmetic::kExact : Arithmetic::kTransformersFloat32);
}

TEST(EngineDiffusersGolden, OneAxisAgreesInBothLayouts) {
  EngineCount count("diffusers 1d");
  for (const EngineRecord& record : engine_records("diffusers", {"get_1d_rotary_pos_embed + apply_rotary_emb"})) {
    const EngineTensor& x = record.in.at("x");
    const Vector ids = record.in.at("positions").as<double>();
    for (const auto& [pairing, name] : {std::pair{Pairing::kInterleaved, "y_adjacent"}, {Pairing::kHalf, "y_half"}})
      count.add_turn(
          record.id,
          {diffusers_rotation(record, diffusers_spec(record, pairing)), view_of(x, kHeadsFirst), ids_of(ids, 1)}, x,
          record.out.at(name), kTorchTolerance);
  }
}

TEST(EngineDiffusersGolden, GivenTablesOfRepeatedColumnsAgree) {
  EngineCount count("diffusers given tables");
  for (const EngineRecord& record : engine_records("diffusers", {"apply_rotary_emb"})) {
    const EngineTensor& x = record.in.at("x");
    std::vector<float> cos, sin;
    for (std::size_t i = 0; i < record.in.at("cos").size(); i += 2) {  // every value stands twice
      cos.push_back(record.in.at("cos").get<float>(i));
      sin.push_back(record.in.at("sin").get<float>(i));
    }
    const RotationMap map = make_rotation_map(diffusers_spec(record, Pairing::kInterleaved));
    const Rotary rotary(map, CosSinTable::from_values(cos, sin, x.shape.back() / 2));
    count.add_turn(record.id, {rotary, view_of(x, kHeadsFirst), PositionRange{}}, x, record.out.at("y"),
                   kTorchTolerance);
  }
}

struct VideoGrid {
  std::vector<double> widths;  // channels of every axis
  std::vector<Vector> axes;    // coordinates of the grid
  bool float64 = true;         // frequencies
};

VideoGrid video_grid(const EngineRecord& record) {
  const json& a = record.attributes;
  if (record.op.starts_with("Wan")) {
    const auto latent = a.at("latent").get<std::vector<int>>(), patch = a.at("patch_size").get<std::vector<int>>();
    VideoGrid grid{{a.at("t_dim"), a.at("h_dim"), a.at("w_dim")}, {}};
    for (std::size_t i = 0; i < 3; ++i) grid.axes.push_back(counted(0, latent[i] / patch[i]));
    return grid;
  }
  if (record.op.starts_with("Hunyuan")) {
    const auto latent = a.at("latent").get<std::vector<int>>();
    const int patch = a.at("patch_size"), patch_t = a.at("patch_size_t");
    return {a.at("rope_dim"),
            {counted(0, latent[0] / patch_t), counted(0, latent[1] / patch), counted(0, latent[2] / patch)},
            false};
  }
  const auto fhw = a.at("fhw").get<std::vector<int>>();  // Qwen-Image, centred with scale_rope
  VideoGrid grid{a.at("axes_dim"), {counted(0, fhw[0])}, false};
  for (std::size_t i : {1, 2})
    grid.axes.push_back(counted(a.at("scale_rope").get<bool>() ? fhw[i] / 2 - fhw[i] : 0, fhw[i]));
  return grid;
}

Rotary blocks_rotation(const VideoGrid& grid, double base, std::int64_t head_dim) {
  std::vector<Vector> lists;
  for (double width : grid.widths) lists.push_back(progression(base, width));
  const RopeSpec spec = given_spec(head_dim, Pairing::kInterleaved, blocks_of(lists), static_cast<int>(lists.size()));
  return Rotary(spec, 0, grid.float64 ? Arithmetic::kExact : Arithmetic::kTransformersFloat32);
}

TEST(EngineDiffusersGolden, VideoGridsOfThreeAxesAgree) {
  EngineCount count("diffusers video");
  for (const EngineRecord& record :
       engine_records("diffusers", {"WanRotaryPosEmbed", "HunyuanVideoRotaryPosEmbed + apply_rotary_emb",
                                    "QwenEmbedRope + apply_rotary_emb_qwen"})) {
    const VideoGrid grid = video_grid(record);
    const EngineTensor& x = record.in.at("x");
    const Rotary rotary = blocks_rotation(grid, record.attributes.at("theta"), x.shape.back());
    const Vector points = grid_of(grid.axes);
    const auto order = record.op.starts_with("Hunyuan") ? kHeadsFirst : kTokensFirst;
    count.add_turn(record.id, {rotary, view_of(x, order), ids_of(points, 3)}, x, record.out.at("y"), kTorchTolerance);
  }
}

TEST(EngineDiffusersGolden, FluxAgreesAtFractionalCoordinates) {
  EngineCount count("diffusers flux");
  for (const EngineRecord& record : engine_records("diffusers", {"FluxPosEmbed + apply_rotary_emb"})) {
    const EngineTensor &x = record.in.at("x"), &given = record.in.at("ids");
    const auto axes = static_cast<std::size_t>(given.shape[1]), tokens = static_cast<std::size_t>(given.shape[0]);
    Vector ids;
    for (std::size_t i = 0; i < given.size(); ++i) ids.push_back(given[i % tokens * axes + i / tokens]);
    const VideoGrid grid{record.attributes.at("axes_dim"), {}, true};
    const Rotary rotary = blocks_rotation(grid, record.attributes.at("theta"), x.shape.back());
    count.add_turn(record.id, {rotary, view_of(x, kHeadsFirst), ids_of(ids, static_cast<int>(axes))}, x,
                   record.out.at("y"), kTorchTolerance);
  }
}

}  // namespace
}  // namespace rotary::testing
