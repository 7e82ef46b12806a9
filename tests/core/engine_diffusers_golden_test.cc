// Rotary embeddings of diffusers: text, images and video (golden/engines/diffusers).
#include <numbers>

#include "core/engine_specs.h"

namespace rotary::testing {
namespace {

constexpr auto kHeadsFirst = EngineOrder::kBatchHeadsTokens;
constexpr auto kTokensFirst = EngineOrder::kBatchTokensHeads;

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
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
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

/// Frequencies pi/2 theta^(k/(n-1)), n per axis, at coordinates 2 g - 1 of a grid in frames and pixels over their
/// largest; time, height and width by turns, and the channels that are left over first and still.
TEST(EngineDiffusersGolden, LtxAgrees) {
  EngineCount count("diffusers ltx");
  for (const EngineRecord& record : engine_records("diffusers", {"LTXVideoRotaryPosEmbed"})) {
    const EngineTensor& x = record.in.at("x");
    const json& a = record.attributes;
    const auto scale = a.at("rope_interpolation_scale").get<Vector>();
    const Vector largest{20, 2048, 2048};
    std::vector<Vector> axes;
    for (std::size_t i = 0; i < 3; ++i) {
      Vector axis =
          times(counted(0, a.at(std::vector<const char*>{"frames", "height", "width"}[i])), 2 * scale[i] / largest[i]);
      for (double& g : axis) g -= 1;
      axes.push_back(axis);
    }
    const int dim = a.at("dim"), bands = dim / 6;
    GivenFrequencies given;
    for (int k = 0; k < 3 * bands; ++k)
      for (int axis = 0; axis < 3; ++axis)
        given.frequencies.push_back(
            axis == k % 3 ? std::numbers::pi / 2 * std::pow(10000.0, static_cast<double>(k / 3) / (bands - 1)) : 0);
    RopeSpec spec = given_spec(dim, Pairing::kInterleaved, given, 3);
    spec.rotary_offset = dim % 6;
    const Vector points = grid_of(axes);
    // the coordinate is rounded three times before it meets frequencies up to 15708
    count.add_turn(record.id, {torch_rotation(spec), view_of(x, kHeadsFirst), ids_of(points, 3)}, x, record.out.at("y"),
                   {kTorchTolerance.roundings, 8 + kTorchTolerance.angle_roundings});
  }
}

/// The spec and the points of a function that gives tables only.
struct TableCase {
  RopeSpec spec;
  Vector points;
};

TableCase table_case(const EngineRecord& record) {
  const json& a = record.attributes;
  const int dim = a.at("embed_dim");
  RopeSpec spec = engine_spec(dim, dim, Pairing::kInterleaved, 10000);
  spec.axes = {AxisRule::kAxialBlocks, 2, {}, {1, 0}};  // columns first
  if (record.op == "get_2d_rotary_pos_embed_lumina") {
    spec.axes = {AxisRule::kAxialAlternating, 2, {}, {}};
    return {spec, grid_of({counted(0, a.at("len_h")), counted(0, a.at("len_w"))})};
  }
  std::vector<Vector> axes{counted(0, a.at("grid_size")[0]), counted(0, a.at("grid_size")[1])};
  if (record.op == "get_2d_rotary_pos_embed") return {spec, grid_of(axes)};
  axes.insert(axes.begin(), counted(0, a.at("temporal_size")));
  const double of_time = dim / 4, of_space = dim / 8 * 3;
  const auto lists =
      blocks_of({progression(10000, of_time), progression(10000, of_space), progression(10000, of_space)});
  return {given_spec(dim, Pairing::kInterleaved, lists, 3), grid_of(axes)};
}

TEST(EngineDiffusersGolden, TablesOfGridsAgree) {
  EngineCount count("diffusers tables");
  for (const EngineRecord& record : engine_records(
           "diffusers", {"get_2d_rotary_pos_embed", "get_3d_rotary_pos_embed", "get_2d_rotary_pos_embed_lumina"})) {
    const auto [spec, points] = table_case(record);
    const auto axes = static_cast<std::size_t>(spec.axes.num_axes), tokens = points.size() / axes;
    Vector by_token;
    for (std::size_t i = 0; i < points.size(); ++i) by_token.push_back(points[i % axes * tokens + i / axes]);
    const auto table = CosSinTable::by_token(make_rotation_map(spec), by_token);
    for (const char* name : {"cos", "sin"}) {
      const EngineTensor& want = record.out.at(name);
      const std::size_t twice = want.size() / tokens / static_cast<std::size_t>(table.num_pairs());
      std::vector<float> got;
      for (std::int64_t row = 0; row < table.num_rows(); ++row)
        for (float value : *name == 'c' ? table.cos(row) : table.sin(row)) got.insert(got.end(), twice, value);
      count.add(record.id, tensor_of(got), want, [](std::size_t) { return 8 * 0x1p-24 * 6; });  // angles below 6
    }
  }
}

}  // namespace
}  // namespace rotary::testing
