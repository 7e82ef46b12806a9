// The layout classes that kernels recognise.
#include <algorithm>

#include "rotary/rotation_map.h"

namespace rotary {
namespace {

struct Shape {
  bool half_in = true, interleaved_in = true, half_out = true, interleaved_out = true;
};

Shape shape_of(const std::vector<ChannelPair>& pairs) {
  Shape shape;
  const int n = static_cast<int>(pairs.size()), start = pairs.front().a;
  for (int i = 0; i < n; ++i) {
    const ChannelPair& p = pairs[static_cast<std::size_t>(i)];
    shape.half_in &= p.a == start + i && p.b == start + i + n;
    shape.interleaved_in &= p.a == start + 2 * i && p.b == start + 2 * i + 1;
    shape.half_out &= p.c == start + i && p.d == start + i + n;
    shape.interleaved_out &= p.c == start + 2 * i && p.d == start + 2 * i + 1;
  }
  return shape;
}

bool passes_in_place(const RotationMap& map) {
  for (int channel = 0; channel < map.channels; ++channel) {
    const int to = map.pass_to[static_cast<std::size_t>(channel)];
    if (to >= 0 && to != channel) return false;
  }
  return true;
}

}  // namespace

LayoutClass layout_class(const RotationMap& map) {
  if (map.pairs.empty()) return {passes_in_place(map) ? Layout::kIdentity : Layout::kGeneral, 0, 0};
  const LayoutClass general{Layout::kGeneral, map.pairs.front().a, 2 * static_cast<int>(map.pairs.size())};
  if (!passes_in_place(map)) return general;
  bool several_axes = false;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    const int axis = axis_of(map, i);
    if (axis == -2) return general;
    several_axes |= axis > 0;
  }
  const Shape shape = shape_of(map.pairs);
  LayoutClass found = general;
  if (several_axes) {
    if (shape.half_in && shape.half_out) found.layout = Layout::kSections;
  } else if (shape.half_in && shape.half_out) {
    found.layout = Layout::kHalf;
  } else if (shape.interleaved_in && shape.interleaved_out) {
    found.layout = Layout::kInterleaved;
  } else if (shape.interleaved_in && shape.half_out) {
    found.layout = Layout::kInterleavedToHalf;
  }
  return found;
}

std::string_view to_string(Layout layout) {
  switch (layout) {
    case Layout::kHalf: return "half";
    case Layout::kInterleaved: return "interleaved";
    case Layout::kInterleavedToHalf: return "interleaved to half";
    case Layout::kSections: return "sections";
    case Layout::kGeneral: return "general";
    case Layout::kIdentity: return "identity";
  }
  return "?";
}

}  // namespace rotary
