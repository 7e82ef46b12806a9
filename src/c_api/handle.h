// What is behind a rotary_rotation.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/apply.h"
#include "rotary/layer_rotation.h"
#include "rotary/rotary_c.h"

struct rotary_rotation {
  explicit rotary_rotation(rotary::Rotary made);

  rotary::Rotary rotary;
  // The map as C reads it back.
  std::vector<rotary_pair> pairs;
  std::vector<double> frequency, frequency_low;
  std::vector<int32_t> pass_to;

  rotary::LayerRotation layer;  // without its maps
  bool key_differs = false;
  std::string note;
  std::vector<std::string> warnings;

  mutable std::atomic<std::int64_t> owners{1};
};

namespace rotary::c_api {

/// rotary_rotation_options in C++.
struct MakeOptions {
  Arithmetic arithmetic = Arithmetic::kExact;
  std::int64_t table_rows = 0;
  std::int64_t seq_len = 0;
};
MakeOptions to_make_options(const rotary_rotation_options* options, std::string_view function);

const rotary_rotation& to_handle(const rotary_rotation* rotation, std::string_view function, std::string_view name);

/// Checks the pointer that a new rotation is written to, and makes it null until there is one.
void clear(rotary_rotation** rotation, std::string_view function);

/// The spec's rotation.
rotary_rotation* make_from_spec(const RopeSpec& spec, const MakeOptions& options);

}  // namespace rotary::c_api
