// Tables and vectors to measure, and families as they are released.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "rotary/apply.h"
#include "rotary/cos_sin_table.h"
#include "rotary/measure.h"

namespace rotary::testing {

constexpr std::int64_t kRows = 2100;

struct Table {
  std::vector<float> cos, sin;
};

inline Table table_of(const RopeSpec& spec, Arithmetic arithmetic = Arithmetic::kTransformersFloat32,
                      std::int64_t first = 0, std::int64_t stop = kRows) {
  std::vector<std::int64_t> positions(kRows);
  for (std::int64_t i = 0; i < kRows; ++i) positions[static_cast<std::size_t>(i)] = std::min(first + i, stop);
  const CosSinTable table = CosSinTable::by_token(make_rotation_map(spec), positions, arithmetic);
  Table out;
  for (std::int64_t row = 0; row < kRows; ++row) {
    out.cos.insert(out.cos.end(), table.cos(row).begin(), table.cos(row).end());
    out.sin.insert(out.sin.end(), table.sin(row).begin(), table.sin(row).end());
  }
  return out;
}

inline MeasuredRotation measured(const Table& t) { return measure_table(t.cos, t.sin, kRows); }

// Values twice, as transformers (halves) or side by side.
inline Table doubled(const Table& t, std::size_t pairs, Pairing pairing) {
  Table out;
  for (auto [from, to] : {std::pair{&t.cos, &out.cos}, {&t.sin, &out.sin}})
    for (std::size_t row = 0; row < static_cast<std::size_t>(kRows); ++row)
      for (std::size_t c = 0; c < 2 * pairs; ++c)
        to->push_back((*from)[row * pairs + (pairing == Pairing::kHalf ? c % pairs : c / 2)]);
  return out;
}

struct Dump {
  std::vector<float> before, after;
  std::vector<std::int64_t> positions;
};

// Two heads at each position, rotated by the kernels in float32 at that position + `first`.
inline Dump dump_at(const RopeSpec& spec, const std::vector<std::int64_t>& positions, std::int64_t first = 0) {
  const auto tokens = static_cast<std::int64_t>(positions.size());
  const std::int64_t heads = 2, channels = spec.head_dim;
  Dump out;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  out.before.resize(static_cast<std::size_t>(tokens * heads * channels));
  for (float& x : out.before) x = normal(random);
  std::vector<std::int64_t> moved;
  for (const std::int64_t position : positions) {
    for (std::int64_t h = 0; h < heads; ++h) out.positions.push_back(position);
    moved.push_back(position + first);
  }
  out.after = out.before;
  apply_rotary_inplace(Rotary(spec), thd<void>(out.after.data(), DType::kFloat32, tokens, heads, channels),
                       PositionIds{std::span<const std::int64_t>(moved)});
  return out;
}

// At the positions 0 .. 299.
inline Dump dump_of(const RopeSpec& spec, std::int64_t first = 0) {
  std::vector<std::int64_t> positions(300);
  std::iota(positions.begin(), positions.end(), 0);
  return dump_at(spec, positions, first);
}

inline MeasuredRotation measured(const Dump& d) { return measure_rotation(d.before, d.after, d.positions); }

// Families as they are released.
inline RopeSpec plain(double base = 500000) {
  RopeSpec s;
  s.head_dim = s.rotary_dim = 64;
  s.base = base;
  s.max_position = 8192;
  return s;
}
inline YarnScaling yarn(double factor, double original) {
  YarnScaling s;
  s.factor = factor;
  s.original_max_position = original;
  return s;
}
inline RopeSpec with(RopeSpec spec, const Scaling& scaling) {
  spec.scaling = scaling;
  return spec;
}
inline RopeSpec llama3() { return with(plain(), Llama3Scaling{.factor = 8, .original_max_position = 8192}); }
inline RopeSpec qwen() {
  RopeSpec s = with(plain(1e6), yarn(4, 1024));
  s.max_position = 4096;
  return s;
}
inline RopeSpec gpt_oss() {
  YarnScaling s = yarn(32, 4096);
  s.truncate = false;
  return with(plain(150000), s);
}
inline RopeSpec linear() { return with(plain(10000), LinearScaling{4}); }
inline RopeSpec pythia() {
  RopeSpec s = plain(10000);
  s.rotary_dim = 16;
  return s;
}
inline RopeSpec gpt_j() {
  RopeSpec s = pythia();
  s.pairing = s.output_pairing = Pairing::kInterleaved;
  return s;
}
inline RopeSpec deepseek() {
  RopeSpec s = plain(10000);
  s.rotary_dim = 16;
  s.rotary_offset = 48;
  s.pairing = Pairing::kInterleaved;
  return s;
}
inline RopeSpec phi3() {
  std::vector<double> shorter(32), longer(32);
  for (std::size_t i = 0; i < 32; ++i) shorter[i] = 1 + 0.01 * double(i), longer[i] = 1 + double(i);
  LongRopeScaling s;
  s.short_factor = shorter;
  s.long_factor = longer;
  s.original_max_position = 4096;
  s.factor = 32;
  return with(plain(10000), s);
}

inline std::vector<RopeSpec> families() {
  return {plain(), plain(10000), llama3(), qwen(), gpt_oss(), linear(), pythia(), gpt_j(), deepseek(), phi3()};
}

template <class Change>
inline RopeSpec changed(RopeSpec spec, Change change) {
  change(spec);
  return spec;
}

}  // namespace rotary::testing
