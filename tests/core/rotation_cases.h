// One spec of every scaling kind, axis rule and layout, for tests that hold for all of them.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/table_cases.h"
#include "reference/rotate.h"

namespace rotary::testing {

using reference::Vector;

/// The default positions of every check (faults of this field are zero at 0 and invisible below 100).
inline const Vector kPositions{0, 1, 2049, 8191, 65537, 131071, 1000003};

struct SpecCase {
  std::string name;
  RopeSpec spec;
  std::int64_t seq_len = 0;

  RotationMap map() const { return make_rotation_map(spec, seq_len); }
  friend void PrintTo(const SpecCase& c, std::ostream* out) { *out << c.name; }
};

inline std::string case_name(const ::testing::TestParamInfo<SpecCase>& info) { return info.param.name; }

inline YarnScaling yarn_of(double factor, double original_max_position) {
  YarnScaling scaling;
  scaling.factor = factor;
  scaling.original_max_position = original_max_position;
  return scaling;
}

inline LongRopeScaling longrope_of(double factor, double original_max_position, Vector shorts, Vector longs) {
  LongRopeScaling scaling;
  scaling.factor = factor;
  scaling.original_max_position = original_max_position;
  scaling.short_factor = std::move(shorts);
  scaling.long_factor = std::move(longs);
  return scaling;
}

/// Every scaling kind of the variant, length-dependent ones on both sides of their switch. 16 pairs.
inline std::vector<SpecCase> scaling_cases() {
  constexpr int kDim = 32;
  YarnScaling fractional = yarn_of(32, 4096);
  fractional.truncate = false;
  Vector shorts(kDim / 2, 1), longs, given;
  for (int i = 0; i < kDim / 2; ++i) {
    shorts[static_cast<std::size_t>(i)] = 1 + 0.01 * i;
    longs.push_back(1 + 0.5 * i);
    given.push_back(1 / (1.0 + i * i));
  }
  LongRopeScaling blend = longrope_of(16, 4096, shorts, longs);
  blend.dynamic_blend = true;
  const auto of = [&](std::string name, Scaling scaling, std::int64_t seq_len = 0) {
    return SpecCase{std::move(name), spec_of(kDim, 10000, std::move(scaling)), seq_len};
  };
  return {of("Default", DefaultScaling{}),
          of("Linear", LinearScaling{3}),
          of("Ntk", NtkScaling{4}),
          of("NtkScaledBase", NtkScaledBaseScaling{8}),
          of("NtkMixed", NtkMixedScaling{8, 0.625}),
          of("DynamicShort", DynamicNtkScaling{2, 4096}, 4096),
          of("DynamicLong", DynamicNtkScaling{2, 4096}, 16384),
          of("DynamicPaper", DynamicNtkScaling{2, 4096, true}, 16384),
          of("NtkByParts", NtkByPartsScaling{4, 2048}),
          of("NtkByPartsMixed", NtkByPartsScaling{4, 2048, 8, 0.5, 64, 1, 0.75, 0.5}),
          of("NtkByPartsPaper", NtkByPartsPaperScaling{16, 4096}),
          of("YarnPaper", NtkByPartsPaperScaling{16, 4096, 1, 32, true}),
          of("Yarn", yarn_of(16, 4096)),
          of("YarnFractional", fractional),
          of("LongRopeShort", longrope_of(32, 4096, shorts, longs), 4096),
          of("LongRopeLong", longrope_of(32, 4096, shorts, longs), 4097),
          of("LongRopeBlend", blend, 10000),
          of("Llama3", Llama3Scaling{8, 1, 4, 2048}),
          of("Proportional", ProportionalScaling{0.4, 2}),
          of("Given", GivenFrequencies{1, given})};
}

/// Every rule that gives pairs their axis. 12 pairs.
inline std::vector<SpecCase> axis_cases() {
  std::vector<SpecCase> out;
  const auto add = [&](const char* name, AxisLayout axes) {
    out.push_back({name, spec_of(24, 10000), 0});
    out.back().spec.axes = std::move(axes);
  };
  add("OneAxis", {});
  add("Sections", {AxisRule::kSections, 3, {4, 5, 3}, {}});
  add("SectionsTwice", {AxisRule::kSections, 3, {2, 2, 2, 1, 3, 2}, {}});
  add("InterleavedSections", {AxisRule::kInterleavedSections, 3, {6, 3, 3}, {}});
  add("AlternatingHeightWidth", {AxisRule::kAlternatingHeightWidth, 3, {4, 4, 4}, {}});
  add("Alternating", {AxisRule::kAlternating, 2, {}, {1, 0}});
  add("AxialBlocks", {AxisRule::kAxialBlocks, 3, {}, {2, 0, 1}});
  add("AxialAlternating", {AxisRule::kAxialAlternating, 2, {}, {1, 0}});
  add("AxialSplit", {AxisRule::kAxialSplit, 2, {}, {}});
  add("AxialParts", {AxisRule::kAxialParts, 2, {}, {}});
  return out;
}

/// Pairings, output layouts, signs, slices and denominators. 8 pairs.
inline std::vector<SpecCase> layout_cases() {
  std::vector<SpecCase> out;
  const auto add = [&](const char* name, auto change) {
    RopeSpec spec = spec_of(16, 10000);
    change(spec);
    out.push_back({name, spec, 0});
  };
  const auto interleaved = [](RopeSpec& s) { s.pairing = s.output_pairing = Pairing::kInterleaved; };
  const auto partial = [](RopeSpec& s) { s.head_dim = 40, s.rotary_offset = 20; };
  add("Half", [](RopeSpec&) {});
  add("Interleaved", interleaved);
  add("InterleavedToHalf", [](RopeSpec& s) { s.pairing = Pairing::kInterleaved; });
  add("HalfToInterleaved", [](RopeSpec& s) { s.output_pairing = Pairing::kInterleaved; });
  add("Negated", [](RopeSpec& s) { s.negate_angle = true; });
  add("Partial", partial);
  add("PartialInterleaved", [&](RopeSpec& s) { partial(s), interleaved(s); });
  add("PartialInterleavedToHalf", [&](RopeSpec& s) { partial(s), s.pairing = Pairing::kInterleaved; });
  add("Coordinates", [](RopeSpec& s) { s.angle_multiplier = 6.283185307179586; });
  add("WiderDenominator", [](RopeSpec& s) { s.frequency_dim = 64; });
  add("Factor", [](RopeSpec& s) { s.scaling = yarn_of(4, 4096); });
  return out;
}

inline std::vector<SpecCase> all_cases() {
  std::vector<SpecCase> out = scaling_cases();
  for (auto* more : {&axis_cases, &layout_cases})
    for (SpecCase& c : (*more)()) out.push_back(std::move(c));
  return out;
}

/// Uniform in [-1, 1), the same on every machine for a seed.
inline Vector random_vector(int size, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  Vector out(static_cast<std::size_t>(size));
  for (double& x : out) x = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
  return out;
}

/// Largest |difference| of two vectors.
inline double gap(const Vector& x, const Vector& y) {
  double worst = x.size() == y.size() ? 0 : 1e300;
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

inline double largest_frequency(const RotationMap& map) {
  double worst = 0;
  for (const Frequency& f : map.frequency) worst = std::max(worst, std::abs(f.hi));
  return worst;
}

}  // namespace rotary::testing
