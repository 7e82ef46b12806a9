// Compares a read configuration with golden records, by the rules of the project's check_inspect.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "formats/golden_records.h"
#include "rotary/formats/model_config.h"

namespace rotary::testing {

// Relative differences that the recorded float32 frequencies allow. Exact results are up to 2e-6 from a frequency that
// transformers computed in float32 (YaRN's ramp without rounding cancels); its own arithmetic is within two units in
// the last place, 2 * 2^-23 = 2.4e-7. Frequencies measured from angles are good to 1e-6.
struct Tolerance {
  double frequency, measured;
  double factor = 2e-6;
};
constexpr Tolerance kExactTolerance{3e-6, 5e-6}, kFloat32Tolerance{2.5e-7, 2e-6};

inline bool close(double x, double y, double relative) {
  const double magnitude = std::max(std::abs(x), std::abs(y));
  return x == y || std::abs(x - y) <= relative * magnitude || magnitude < 1e-30;
}

inline bool turns(const GoldenPair& p) {
  return std::any_of(p.frequency.begin(), p.frequency.end(), [](double f) { return f != 0; });
}

// The pairs of a map as records have them, those that turn only.
inline std::vector<GoldenPair> pairs_of(const RotationMap& map) {
  std::vector<GoldenPair> out;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    const ChannelPair& p = map.pairs[static_cast<std::size_t>(i)];
    GoldenPair pair{p.a, p.b, p.c, p.d, {}, {}};
    for (int axis = 0; axis < map.num_axes; ++axis) {
      if (map.at(0, i, axis).hi == 0) continue;
      pair.frequency.push_back(map.at(0, i, axis).hi);
      pair.axis.push_back(axis);
    }
    if (turns(pair)) out.push_back(pair);
  }
  return out;
}

inline std::string pair_differs(const GoldenPair& want, const GoldenPair& got, double relative) {
  const std::string name = "pair (" + std::to_string(want.a) + ", " + std::to_string(want.b) + "): ";
  if (want.a != got.a || want.b != got.b)
    return name + "got (" + std::to_string(got.a) + ", " + std::to_string(got.b) + ")";
  if (want.c != got.c || want.d != got.d) return name + "written to other channels";
  if (want.axis != got.axis) return name + "axes " + Json(want.axis).dump() + ", got " + Json(got.axis).dump();
  for (std::size_t i = 0; i < want.frequency.size(); ++i)
    if (!close(want.frequency[i], got.frequency[i], relative))
      return name + "frequency " + Json(want.frequency[i]).dump() + ", got " + Json(got.frequency[i]).dump();
  return "";
}

inline std::string number_differs(const char* name, double want, double got, double relative) {
  return close(want, got, relative) ? "" : name + (" " + Json(want).dump() + ", got " + Json(got).dump());
}

// Empty if the rotation is what the record says (at a length of the record, if one is given), else the first
// difference.
inline std::string differs(const ModelRotation& r, const GoldenRecord& record, const GoldenLength* length,
                           const Tolerance& tolerance) {
  if (record.no_rotation != !r.rotation.rotates) return record.no_rotation ? "should not rotate" : "should rotate";
  if (record.no_rotation) return "";
  if (record.not_a_rotation != !r.rotation.not_a_rotation.empty())
    return record.not_a_rotation ? "should be no rotation" : "is said to be no rotation: " + r.rotation.not_a_rotation;
  if (record.not_a_rotation) return "";
  const RotationMap& map = r.rotation.query;
  if (record.head_dim && r.head_dim != *record.head_dim) return "head_dim is " + std::to_string(r.head_dim);
  if (record.rotary_dim && rotary_dim(map) != *record.rotary_dim)
    return "rotary_dim is " + std::to_string(rotary_dim(map));
  std::vector<GoldenPair> want = record.pairs;
  for (std::size_t i = 0; length && i < want.size(); ++i) want[i].frequency = {length->frequency[i]};
  std::erase_if(want, [](const GoldenPair& p) { return !turns(p); });
  const std::vector<GoldenPair> got = pairs_of(map);
  if (want.size() != got.size()) return "has " + std::to_string(got.size()) + " pairs that turn";
  const double relative = record.measured ? tolerance.measured : tolerance.frequency;
  for (std::size_t i = 0; i < want.size(); ++i)
    if (std::string why = pair_differs(want[i], got[i], relative); !why.empty()) return why;
  std::string why = number_differs("attention factor", length ? length->attention_factor : record.attention_factor,
                                   map.attention_factor, tolerance.factor);
  if (why.empty() && record.component)
    why = number_differs("query scale", record.input_scale, r.rotation.query_scale, tolerance.factor);
  if (why.empty() && record.softmax_factor)
    why = number_differs("softmax factor", *record.softmax_factor, r.rotation.softmax_factor, tolerance.factor);
  return why;
}

inline bool same_component(const ModelRotation& r, const GoldenRecord& record) {
  return !record.component || r.component == *record.component;
}

inline bool covers(const ModelRotation& r, int layer) {
  return r.all_layers || std::find(r.layers.begin(), r.layers.end(), layer) != r.layers.end();
}

inline bool covers(const GoldenRecord& record, int layer) {
  return !record.layers || std::find(record.layers->begin(), record.layers->end(), layer) != record.layers->end();
}

// Some reported rotation of the component covers each layer of the record and equals it.
inline std::string missing_from(const ModelConfig& config, const GoldenRecord& record, const GoldenLength* length,
                                const Tolerance& tolerance) {
  constexpr int kAnyLayer = -1;
  for (int layer : record.layers.value_or(std::vector<int>{kAnyLayer})) {
    std::string why = "nothing reported for layer " + std::to_string(layer);
    for (const ModelRotation& r : config.rotations) {
      if (!same_component(r, record) || (layer != kAnyLayer && !covers(r, layer))) continue;
      const std::string difference = differs(r, record, length, tolerance);
      why = difference;
      if (difference.empty()) break;
    }
    if (!why.empty()) return record.id + ", layer " + std::to_string(layer) + ": " + why;
  }
  return "";
}

// Nothing else is reported for a layer of the record: every entry that covers it fits some record of that layer.
inline std::string superfluous_in(const ModelConfig& config, const GoldenGroup& group, const GoldenRecord& record,
                                  const Tolerance& tolerance) {
  for (const ModelRotation& r : config.rotations) {
    if (!same_component(r, record)) continue;
    for (int layer : record.layers.value_or(std::vector<int>{})) {
      if (!covers(r, layer)) continue;
      const auto fits = [&](const GoldenRecord& other) {
        return same_component(r, other) && covers(other, layer) && differs(r, other, nullptr, tolerance).empty();
      };
      if (std::none_of(group.records.begin(), group.records.end(), fits))
        return "an entry '" + r.part + "' for layer " + std::to_string(layer) + " fits no record of that layer";
    }
  }
  return "";
}

// Empty if the configuration of the group reads as the record says, else the first difference.
inline std::string differs(const GoldenGroup& group, const GoldenRecord& record, ReadOptions options,
                           const Tolerance& tolerance) {
  const ModelConfig config = parse_model_config(group.config, group.name, options);
  std::string why = missing_from(config, record, nullptr, tolerance);
  if (why.empty() && group.kind != "published") why = superfluous_in(config, group, record, tolerance);
  for (const GoldenLength& length : record.lengths) {
    if (!why.empty()) break;
    options.seq_len = length.seq_len;
    why = missing_from(parse_model_config(group.config, group.name, options), record, &length, tolerance);
    if (!why.empty()) why += " (at length " + std::to_string(length.seq_len) + ")";
  }
  return why;
}

}  // namespace rotary::testing
