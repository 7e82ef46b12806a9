// How far every operation is from exact arithmetic, on every dtype and SIMD target, at positions up to 2^31 - 1:
//
//     build/tests/test_core --gtest_filter='*Accuracy*'
//
// prints the table of docs/accuracy.md, which must show no less than is measured here. Errors are in u, half the
// distance of the dtype's numbers near 1, of what stands in the comment of each operation.
#include <gtest/gtest.h>

#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

#include "core/apply_cases.h"
#include "core/golden.h"
#include "reference/turn.h"

namespace rotary::testing {
namespace {

using reference::Complex;

const Vector kFarPositions{0, 1, 2049, 8191, 65537, 131071, 1000003, 2147483647};
constexpr int kTokens = 8;

/// A pair of channels (p, q) of a head as a complex number.
Complex pair_of(const Heads& x, std::int64_t b, std::int64_t t, std::int64_t h, int p, int q) {
  return {x.memory[x.at(b, t, h, p)], x.memory[x.at(b, t, h, q)]};
}

/// Random data for a map, and exact turns.
struct Data {
  Data(RotationMap m, DType dtype) : map(std::move(m)) {
    x = random_heads(dtype, {2, kTokens, 4, map.channels}, 1);
    g = random_heads(dtype, x.shape, 2);
    for (int axis = 0; axis < map.num_axes; ++axis)
      for (std::size_t t = 0; t < kTokens; ++t) ids.push_back(position(t)[static_cast<std::size_t>(axis)]);
    for (std::size_t t = 0; t < kTokens; ++t)
      for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i)
        turns.push_back(reference::turn(map, i, position(t)));
  }

  /// The list in the order of the tokens, another place in it on every axis.
  Vector position(std::size_t t) const {
    Vector out;
    for (int axis = 0; axis < map.num_axes; ++axis)
      out.push_back(kFarPositions[(t + static_cast<std::size_t>(axis)) % kTokens]);
    return out;
  }
  Positions at() const { return PositionIds{std::span<const double>(ids), map.num_axes, false}; }
  Complex turn(std::int64_t t, int pair) const {
    return turns[static_cast<std::size_t>(t) * map.pairs.size() + static_cast<std::size_t>(pair)];
  }

  RotationMap map;
  Heads x = zero_heads(DType::kFloat32, {}), g = x;
  Vector ids;
  std::vector<Complex> turns;
};

/// The two channels of a pair, read or written.
struct Ends {
  int ChannelPair::*first;
  int ChannelPair::*second;
};
constexpr Ends kInputs{&ChannelPair::a, &ChannelPair::b}, kOutputs{&ChannelPair::c, &ChannelPair::d};

/// The largest error of a channel, in u of the length of its pair: want(token, pair, z) is what should become of z.
template <class Want>
double worst_pair(const RotationMap& map, const Heads& in, const Ends& from, const Heads& out, const Ends& to,
                  const Want& want) {
  long double worst = 0;
  for_each_head(in, [&](auto b, auto t, auto h) {
    for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
      const ChannelPair& p = map.pairs[static_cast<std::size_t>(i)];
      const Complex exact = want(t, i, pair_of(in, b, t, h, p.*from.first, p.*from.second));
      const Complex error = pair_of(out, b, t, h, p.*to.first, p.*to.second) - exact;
      if (exact != Complex())
        worst = std::max(worst, std::max(std::fabs(error.real()), std::fabs(error.imag())) / std::abs(exact));
    }
  });
  return static_cast<double>(worst) / unit_roundoff(in.memory.dtype());
}

// --- Maps

RotationMap spec_map(const std::function<void(RopeSpec&)>& change) {
  RopeSpec spec = spec_of(128, 10000);
  change(spec);
  return make_rotation_map(spec);
}

RotationMap half() { return map_of(128, 10000); }
RotationMap yarn() { return map_of(128, 10000, yarn_of(16, 4096)); }
RotationMap interleaved() {
  return spec_map([](RopeSpec& s) { s.pairing = s.output_pairing = Pairing::kInterleaved; });
}
RotationMap partial() {
  return spec_map([](RopeSpec& s) { s.head_dim = 200, s.rotary_offset = 40, s.rotary_dim = 80; });
}
RotationMap sections() {
  return spec_map([](RopeSpec& s) { s.base = 1e6, s.axes = {AxisRule::kSections, 3, {16, 24, 24}, {}}; });
}

/// Two axes turn every pair, one with the frequencies in reverse.
RotationMap several_axes() {
  RotationMap map = half();
  map.num_axes = 2;
  const std::vector<Frequency> one = map.frequency;
  map.frequency.clear();
  for (std::size_t i = 0; i < one.size(); ++i)
    for (const Frequency& f : {one[i], one[one.size() - 1 - i]}) map.frequency.push_back(f);
  return map;
}

// --- Operations

double measure_apply(const RotationMap& map, DType dtype) {
  const Data data(map, dtype);
  const Heads out = rotated(Rotary(map, 2050), data.x, data.at());
  const auto want = [&](auto t, int i, Complex z) {
    return static_cast<long double>(map.attention_factor) * z * data.turn(t, i);
  };
  return worst_pair(map, data.x, kInputs, out, kOutputs, want);
}

// A pair (1, 0) becomes (cos, sin); in u of the number itself, or 2^-60.
double measure_table(DType dtype) {
  const Data data(half(), dtype);
  Heads x = zero_heads(dtype, {1, kTokens, 1, 128});
  for (std::int64_t t = 0; t < kTokens; ++t)
    for (const ChannelPair& p : data.map.pairs) x.memory.set(x.at(0, t, 0, p.a), 1);
  const Heads out = rotated(Rotary(data.map, 2050), x, data.at());
  const double u = unit_roundoff(dtype);
  double worst = 0;
  for (std::int64_t t = 0; t < kTokens; ++t)
    for (int i = 0; i < 64; ++i) {
      const Complex want = data.turn(t, i), got = pair_of(out, 0, t, 0, i, i + 64);
      for (const auto& [w, y] : {std::pair(want.real(), got.real()), std::pair(want.imag(), got.imag())})
        worst = std::max(worst, static_cast<double>(std::fabs(y - w) / (u * std::fabs(w) + 0x1p-60L)));
    }
  return worst;
}

double measure_round_trip(DType dtype) {
  const Data data(yarn(), dtype);
  const Rotary rotary(data.map, 2050);
  Heads out = rotated(rotary, data.x, data.at());
  unrotate_inplace(rotary, out.view(), data.at());
  return worst_pair(data.map, data.x, kInputs, out, kInputs, [](auto, int, Complex z) { return z; });
}

double measure_backward(DType dtype) {
  const Data data(yarn(), dtype);
  Heads back = zero_heads(dtype, data.g.shape);
  apply_rotary_backward(Rotary(data.map, 2050), data.g.read(), back.view(), data.at());
  const auto want = [&](auto t, int i, Complex g) {
    return static_cast<long double>(data.map.attention_factor) * g * std::conj(data.turn(t, i));
  };
  return worst_pair(data.map, data.g, kOutputs, back, kInputs, want);
}

constexpr int kShifts = 10;

double measure_shifts(DType dtype) {
  const Data data(yarn(), dtype);
  Heads keys = data.x;
  const Vector& deltas = data.ids;
  for (int n = 0; n < kShifts; ++n)
    shift_keys_inplace(Rotary(data.map), keys.view(), PositionIds{std::span<const double>(deltas)});
  const auto want = [&](auto t, int i, Complex z) {
    return z * reference::turn(data.map, i, {kShifts * deltas[static_cast<std::size_t>(t)]});
  };
  return worst_pair(data.map, data.x, kOutputs, keys, kOutputs, want);
}

double measure_move(DType dtype) {
  const Data from(map_of(128, 10000, yarn_of(4, 4096)), dtype), to(yarn(), dtype);
  Heads keys = from.x;
  const PositionRange q{2147483640};
  move_keys_inplace(Rotary(from.map), from.at(), Rotary(to.map), q, keys.view());
  const auto want = [&](auto t, int i, Complex z) {
    const long double ratio = static_cast<long double>(to.map.attention_factor) / from.map.attention_factor;
    return ratio * z * std::conj(from.turn(t, i)) * reference::turn(to.map, i, {static_cast<double>(q.first + t)});
  };
  return worst_pair(from.map, from.x, kOutputs, keys, kOutputs, want);
}

/// dL/dt of a pair of a token, exact, and what it is measured in: the factor times the lengths of x and grad_out.
struct AngleGradient {
  long double value = 0, size = 0;
};

AngleGradient angle_gradient(const Data& data, std::int64_t b, std::int64_t t, int i) {
  AngleGradient out;
  const ChannelPair& p = data.map.pairs[static_cast<std::size_t>(i)];
  for (std::int64_t h = 0; h < data.x.shape[2]; ++h) {
    const Complex z = pair_of(data.x, b, t, h, p.a, p.b), g = pair_of(data.g, b, t, h, p.c, p.d);
    out.value -= data.map.attention_factor * (std::conj(g) * z * data.turn(t, i)).imag();
    out.size += data.map.attention_factor * std::abs(g) * std::abs(z);
  }
  return out;
}

// The arithmetic is that of the table: float32 but for float64 data.
double table_unit(DType dtype) { return std::min(unit_roundoff(dtype), 0x1p-24); }

double measure_frequency_gradient(DType dtype) {
  const Data data(yarn(), dtype);
  Vector grad(64);
  frequency_gradient(Rotary(data.map, 2050), data.x.read(), data.g.read(), data.at(), grad);
  long double worst = 0;
  for (int i = 0; i < 64; ++i) {
    AngleGradient sum;
    for (std::int64_t token = 0; token < 2 * kTokens; ++token) {
      const std::int64_t b = token / kTokens, t = token % kTokens;
      const AngleGradient one = angle_gradient(data, b, t, i);
      sum.value += data.ids[static_cast<std::size_t>(t)] * one.value;
      sum.size += data.ids[static_cast<std::size_t>(t)] * one.size;
    }
    worst = std::max(worst, std::fabs(grad[static_cast<std::size_t>(i)] - sum.value) / sum.size);
  }
  return static_cast<double>(worst) / table_unit(dtype);
}

double measure_position_gradient(DType dtype) {
  const Data data(yarn(), dtype);
  Vector grad(2 * kTokens);
  position_gradient(Rotary(data.map, 2050), data.x.read(), data.g.read(), data.at(), grad);
  long double worst = 0;
  for (std::int64_t token = 0; token < 2 * kTokens; ++token) {
    AngleGradient sum;
    for (int i = 0; i < 64; ++i) {
      const AngleGradient one = angle_gradient(data, token / kTokens, token % kTokens, i);
      sum.value += data.map.frequency[static_cast<std::size_t>(i)].hi * one.value;
      sum.size += data.map.frequency[static_cast<std::size_t>(i)].hi * one.size;
    }
    worst = std::max(worst, std::fabs(grad[static_cast<std::size_t>(token)] - sum.value) / sum.size);
  }
  return static_cast<double>(worst) / table_unit(dtype);
}

// --- Bounds, in u

/// So many roundings to a 16-bit dtype, on so many u of the arithmetic.
struct Bound {
  double roundings, float32, float64;

  double of(DType dtype) const {
    if (dtype == DType::kFloat64) return float64;
    return dtype == DType::kFloat32 ? float32 : roundings + float32 * 0x1p-24 / unit_roundoff(dtype);
  }
};

// cos and sin are within an ulp, 2 u.
constexpr Bound kTable{0, 2, 2};
// The 2 u of cos and sin, 1 u of the products and 1 u of the sum, each of at most the length of the pair.
constexpr Bound kTurn{1, 4, 4};
// The ratio of the factors is rounded once more.
constexpr Bound kMove{1, 4, 5};
// The pair is off by 4 sqrt 2 u, then turned with cos and sin that were divided by the factor's square: 3 u more
// than 4.
constexpr Bound kRoundTrip{2, 13, 13};
// A turn moves the end of a pair by at most 4 sqrt 2 u, or by the dtype's u and that of float32; later turns keep it.
constexpr Bound kManyTurns{kShifts, 6 * kShifts, 6 * kShifts};
// All in double but cos and sin, 2 u of float32. On float64 data besides: 2 u for a product of pairs, 2 u and 1 u to
// turn and to weigh it, and 1 u for every further term: 4 heads; 16 tokens; or 64 pairs, and 1 u of the frequency.
constexpr Bound kFrequencyGradient{0, 2.001, 2 + 2 + 3 + 3 + 15}, kPositionGradient{0, 2.001, 2 + 2 + 3 + 3 + 63 + 1};

struct Operation {
  std::string name;
  std::function<double(DType)> measure;
  Bound bound;
  std::vector<DType> dtypes = kDTypes;
  bool of_table = false;  // measured in u of the arithmetic, whatever the dtype

  double bound_of(DType dtype) const {
    return bound.of(of_table && dtype != DType::kFloat64 ? DType::kFloat32 : dtype);
  }
};

const std::vector<Operation>& operations() {
  const auto apply = [](RotationMap (*map)()) { return [map](DType dtype) { return measure_apply(map(), dtype); }; };
  static const std::vector<Operation> all{
      {"cos, sin", measure_table, kTable, {DType::kFloat32, DType::kFloat64}},
      {"apply, half", apply(half), kTurn},
      {"apply, interleaved", apply(interleaved), kTurn},
      {"apply, partial", apply(partial), kTurn},
      {"apply, sections", apply(sections), kTurn},
      {"apply, several axes per pair", apply(several_axes), kTurn},
      {"apply, then unrotate", measure_round_trip, kRoundTrip},
      {"gradient of x", measure_backward, kTurn},
      {"frequency gradient", measure_frequency_gradient, kFrequencyGradient, kDTypes, true},
      {"position gradient", measure_position_gradient, kPositionGradient, kDTypes, true},
      {"shift_keys, 10 times", measure_shifts, kManyTurns},
      {"move_keys", measure_move, kMove}};
  return all;
}

// --- The table

std::string shown(double measured, double bound) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << measured << std::defaultfloat << std::setprecision(3) << " of " << bound;
  return out.str();
}

/// The cells of the page's row for an operation, without blanks around them.
std::vector<std::string> cells_on_the_page(const std::string& name) {
  std::ifstream page = open_golden("../../docs/accuracy.md");
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| " + name + " |", 0) != 0) continue;
    std::vector<std::string> cells;
    std::istringstream stream(line.substr(1));
    for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell.substr(1, cell.size() - 2));
    return cells;
  }
  return {};
}

struct Case {
  std::size_t operation;
  DType dtype;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << operations()[c.operation].name; }
};

class AccuracyProperty : public OnEveryTarget, public ::testing::WithParamInterface<Case> {
 protected:
  static void TearDownTestSuite() {
    for (std::size_t i = 0; i < operations().size(); ++i) {
      std::cout << "| " << operations()[i].name;
      for (DType dtype : kDTypes) std::cout << " | " << (cells().count({i, dtype}) ? cells()[{i, dtype}] : "–");
      std::cout << " |\n";
    }
  }
  static std::map<std::pair<std::size_t, DType>, std::string>& cells() {
    static std::map<std::pair<std::size_t, DType>, std::string> all;
    return all;
  }
};

TEST_P(AccuracyProperty, StaysWithinTheBoundAndWhatThePageShows) {
  const Operation& operation = operations()[GetParam().operation];
  const DType dtype = GetParam().dtype;
  double measured = 0;
  for_each_target([&] { measured = std::max(measured, operation.measure(dtype)); });
  const double bound = operation.bound_of(dtype);
  EXPECT_LE(measured, bound);
  EXPECT_GT(measured, 0);  // something was
  cells()[{GetParam().operation, dtype}] = shown(measured, bound);
  const std::vector<std::string> page = cells_on_the_page(operation.name);
  ASSERT_EQ(page.size(), 5U) << "docs/accuracy.md has no row for " << operation.name;
  const std::string& cell = page[1 + static_cast<std::size_t>(dtype)];
  EXPECT_EQ(cell, shown(std::stod(cell), bound));
  EXPECT_LE(measured, std::stod(cell) + 0.005) << "docs/accuracy.md shows less";
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (std::size_t i = 0; i < operations().size(); ++i)
    for (DType dtype : operations()[i].dtypes) out.push_back({i, dtype});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Operations, AccuracyProperty, ::testing::ValuesIn(cases()), [](const auto& info) {
  std::string name;
  for (char c : operations()[info.param.operation].name)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return name + "_" + dtype_label(info.param.dtype);
});

}  // namespace
}  // namespace rotary::testing
