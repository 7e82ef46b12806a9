// Rotary embeddings of images in other engines: timm, and the axial classes of torchtune and rotary-embedding-torch
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

/// Pair i on row or column by turns as far as the sections go, on the time, 0, beyond; any sections will do for timm.
TEST(EngineTimmGolden, InterleavedSectionsAgree) {
  EngineCount count("timm M-RoPE");
  for (const EngineRecord& record : engine_records("timm", {"RotaryEmbeddingMRope"})) {
    const EngineTensor& x = record.in.at("x");
    const auto shape = record.attributes.at("shape").get<std::vector<int>>();
    auto sections = record.attributes.at("mrope_section").get<std::vector<int>>();
    RopeSpec spec =
        engine_spec(x.shape.back(), x.shape.back(), Pairing::kHalf, record.attribute("temperature", 10000.0));
    const int pairs = spec.rotary_dim / 2;
    for (int axis : {1, 2}) {
      int& section = sections[static_cast<std::size_t>(axis)];
      section = std::min(section, (pairs - axis + 2) / 3);  // pairs of that turn
    }
    sections[0] = pairs - sections[1] - sections[2];
    spec.axes = {AxisRule::kInterleavedSections, 3, sections, {}};
    const Vector points = grid_of({{0}, counted(0, shape[0]), counted(0, shape[1])});
    count.add_turn(record.id, {torch_rotation(spec), view_of(x, kHeadsFirst), ids_of(points, 3)}, x, record.out.at("y"),
                   kTorchTolerance);
  }
}

// --- torchtune

/// Columns, then rows, from 1; the class token, before or after the patches of a tile, is at 0.
TEST(EngineTorchtuneGolden, TilesOfPatchesAgree) {
  EngineCount count("torchtune vision");
  for (const EngineRecord& record : engine_records("torchtune", {"VisionRotaryPositionalEmbeddings"})) {
    const EngineTensor& x = record.in.at("x");
    RopeSpec spec = engine_spec(x.shape.back(), 2 * record.attributes.at("dim").get<int>(), Pairing::kInterleaved,
                                record.attributes.at("base"));
    spec.axes = {AxisRule::kAxialBlocks, 2, {}, {}};
    const int side = record.attributes.at("tile_size").get<int>() / record.attributes.at("patch_size").get<int>();
    const Vector rows_first = grid_of({counted(1, side), counted(1, side)});
    const auto patches = static_cast<long>(rows_first.size() / 2);
    Vector ids;
    for (const int axis : {1, 0})  // columns are the second
      for (int tile = 0; tile < record.attributes.at("max_num_tiles").get<int>(); ++tile) {
        const bool appended = record.attributes.at("append_cls_token");
        if (!appended) ids.push_back(0);
        ids.insert(ids.end(), rows_first.begin() + axis * patches, rows_first.begin() + (axis + 1) * patches);
        if (appended) ids.push_back(0);
      }
    count.add_turn(record.id, {torch_rotation(spec), view_of(x, kTokensFirst), ids_of(ids, 2)}, x, record.out.at("y"),
                   kTorchTolerance);
  }
}

// --- rotary-embedding-torch

/// Frequencies of an axis: of language, or of pixels at coordinates in [-1, 1].
Vector lucid_bands(const EngineRecord& record) {
  const int dim = record.attributes.at("dim");
  if (record.attribute<std::string>("freqs_for", "lang") == "lang") return progression(10000, dim);
  return times(linspace(1, record.attribute("max_freq", 10.0) / 2, dim / 2), kPi);
}

TEST(EngineLucidrainsGolden, AxesOfAGridAgree) {
  EngineCount count("rotary-embedding-torch axial");
  for (const EngineRecord& record : engine_records("rotary-embedding-torch", {"get_axial_freqs + apply_rotary_emb"})) {
    EngineTensor x = record.in.at("x");
    const bool pixels = record.attribute<std::string>("freqs_for", "lang") == "pixel";
    std::vector<Vector> axes;
    for (const int n : record.attributes.at("axes")) axes.push_back(pixels ? linspace(-1, 1, n) : counted(0, n));
    const Vector points = grid_of(axes);
    x.shape = {x.shape[0], x.shape[1], static_cast<std::int64_t>(points.size() / axes.size()), x.shape.back()};
    const int num_axes = static_cast<int>(axes.size());
    const RopeSpec spec = given_spec(x.shape.back(), Pairing::kInterleaved,
                                     blocks_of(std::vector<Vector>(axes.size(), lucid_bands(record))), num_axes);
    count.add_turn(record.id, {torch_rotation(spec), view_of(x, kHeadsFirst), ids_of(points, num_axes)}, x,
                   record.out.at("y"), kGridTolerance);
  }
}

/// Angles, every one twice. The second call's are those of the first, out of its cache: its fault.
TEST(EngineLucidrainsGolden, AnglesOfAnOffsetGridAgree) {
  EngineCount count("rotary-embedding-torch angles");
  for (const EngineRecord& record : engine_records("rotary-embedding-torch", {"get_axial_freqs"}))
    for (const char* name : {"first", "fresh"}) {
      const auto axes = record.attributes.at("axes").get<std::vector<int>>();
      const auto offsets = record.attributes.at("first_call_offsets").get<Vector>();
      const bool moved = std::string(name) == "first";
      const Vector points =
          grid_of({counted(moved ? offsets[0] : 0, axes[0]), counted(moved ? offsets[1] : 0, axes[1])});
      RopeSpec spec = engine_spec(64, 2 * record.attributes.at("dim").get<int>(), Pairing::kInterleaved, 10000);
      spec.axes = {AxisRule::kAxialBlocks, 2, {}, {}};
      const RotationMap map = make_rotation_map(spec);
      std::vector<float> angles;
      for (std::size_t point = 0; point < points.size() / 2; ++point)
        for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair)
          angles.insert(angles.end(), 2,
                        static_cast<float>(points[point] * map.at(0, pair, 0).hi +
                                           points[points.size() / 2 + point] * map.at(0, pair, 1).hi));
      count.add(record.id, tensor_of(angles), record.out.at(name),
                [&](std::size_t i) { return kTorchTolerance.angle_roundings * 0x1p-24 * angles[i]; });
    }
}

}  // namespace
}  // namespace rotary::testing
