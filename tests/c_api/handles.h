// Rotations and arguments for tests of the C interface.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "rotary/apply.h"
#include "rotary/rotary_c.h"

namespace rotary::testing {

struct Release {
  void operator()(const rotary_rotation* rotation) const { rotary_rotation_release(rotation); }
};
using Handle = std::unique_ptr<rotary_rotation, Release>;

/// The C rotation of a C++ map.
inline Handle handle_of(const RotationMap& map, const rotary_rotation_options* options = nullptr) {
  std::vector<rotary_pair> pairs;
  std::vector<double> high, low;
  for (const ChannelPair& p : map.pairs) pairs.push_back({p.a, p.b, p.c, p.d});
  for (const Frequency& f : map.frequency) high.push_back(f.hi), low.push_back(f.lo);
  const rotary_map flat{.struct_size = sizeof flat,
                        .channels = map.channels,
                        .num_axes = map.num_axes,
                        .num_sets = map.num_sets,
                        .num_pairs = static_cast<int32_t>(pairs.size()),
                        .pairs = pairs.data(),
                        .frequency = high.data(),
                        .attention_factor = map.attention_factor,
                        .frequency_low = low.data(),
                        .pass_to = map.pass_to.data()};
  rotary_rotation* made = nullptr;
  EXPECT_EQ(rotary_rotation_from_map(&flat, options, &made), ROTARY_OK) << rotary_last_error();
  return Handle(made);
}

/// The map read back.
inline RotationMap map_of_handle(const rotary_rotation* rotation) {
  rotary_map flat{};
  flat.struct_size = sizeof flat;
  EXPECT_EQ(rotary_rotation_get_map(rotation, &flat), ROTARY_OK) << rotary_last_error();
  RotationMap map;
  map.channels = flat.channels;
  map.num_axes = flat.num_axes;
  map.num_sets = flat.num_sets;
  map.attention_factor = flat.attention_factor;
  for (int i = 0; i < flat.num_pairs; ++i)
    map.pairs.push_back({flat.pairs[i].a, flat.pairs[i].b, flat.pairs[i].c, flat.pairs[i].d});
  for (int i = 0; i < flat.num_sets * flat.num_pairs * flat.num_axes; ++i)
    map.frequency.push_back({flat.frequency[i], flat.frequency_low[i]});
  map.pass_to.assign(flat.pass_to, flat.pass_to + flat.channels);
  return map;
}

inline rotary_dtype c_dtype(DType dtype) { return static_cast<rotary_dtype>(dtype) + ROTARY_FLOAT32; }

inline rotary_tensor c_tensor(const TensorView& view) {
  rotary_tensor t{sizeof(rotary_tensor), view.data, c_dtype(view.dtype), 4, {}, {}};
  for (std::size_t k = 0; k < 4; ++k) {
    t.shape[k] = view.shape[k];
    t.strides[k] = view.strides[k];
  }
  return t;
}

}  // namespace rotary::testing
