#include "rotary/formats/explanation.h"

#include <utility>

#include "core/ranges.h"
#include "formats/explained_method.h"
#include "formats/wording.h"

namespace rotary {
namespace {

using detail::listed;
using detail::number;
using detail::ranges;
using detail::rough;

std::string channel_pair(const ChannelPair& p) { return "(" + std::to_string(p.a) + ", " + std::to_string(p.b) + ")"; }

std::string pairing_text(const RopeSpec& spec) {
  const std::string half = std::to_string(spec.rotary_dim / 2);
  return spec.pairing == Pairing::kHalf
             ? "Pairing is half: channel i meets channel i + " + half + " (rotate_half, GPT-NeoX's way)"
             : "Pairing is interleaved: neighbouring channels 2i and 2i + 1 meet (GPT-J's way, and Meta's)";
}

// The first pair that turns and the last.
std::pair<ChannelPair, ChannelPair> ends_of(const RotationMap& map) {
  std::pair out{map.pairs.front(), map.pairs.back()};
  bool any = false;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    if (axis_of(map, i) == -1) continue;
    out.second = map.pairs[static_cast<std::size_t>(i)];
    if (!any) out.first = out.second;
    any = true;
  }
  return out;
}

Passage explain_turning(const ModelRotation& r) {
  const RopeSpec& spec = *r.spec;
  const RotationMap& map = r.rotation.query;
  const int turning = rotary_dim(map), rest = spec.head_dim - turning;
  std::string text = std::to_string(turning) + " of the " + std::to_string(spec.head_dim) +
                     " channels of a head turn, in " + std::to_string(turning / 2) + " pairs. ";
  if (map.pairs.empty()) return {"What turns", text, ""};
  text += pairing_text(spec);
  if (spec.axes.rule == AxisRule::kAxialParts) text += ", within the part of each axis";
  const auto [first, last] = ends_of(map);
  text += "; the first pair is " + channel_pair(first) + ", the last " + channel_pair(last) + ".";
  if (layout_class(map).layout == Layout::kInterleavedToHalf)
    text += " Results are written in halves, (" + std::to_string(map.pairs.front().c) + ", " +
            std::to_string(map.pairs.front().d) + ") first: scores are the same, cached keys are not interchangeable.";
  if (spec.rotary_offset > 0)
    text += " The rotated slice starts at channel " + std::to_string(spec.rotary_offset) + ".";
  if (rest > 0) text += " The other " + std::to_string(rest) + " are copied as they are and carry no position.";
  if (spec.negate_angle) text += " It turns the other way: angles are negative.";
  return {"What turns", text, ""};
}

std::string axis_sentence(const ModelRotation& r, int axis) {
  const RotationMap& map = r.rotation.query;
  std::vector<int> pairs;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i)
    if (map.at(0, i, axis).hi != 0) pairs.push_back(i);
  const PositionAxis& a = r.rotation.axes[static_cast<std::size_t>(axis)];
  std::string out = a.name + " turns " + std::to_string(pairs.size()) + " pairs (" + ranges(pairs) + ")";
  if (a.offset != 0) out += ", counted from " + number(a.offset);
  if (a.multiplier != 1) out += ", times " + number(a.multiplier);
  return out;
}

// Nothing to say where the token's index is all there is.
Passage explain_axes(const ModelRotation& r) {
  const std::size_t count = r.rotation.axes.size();
  if (count == 1 && r.rotation.axes[0].name == "token") return {};
  std::vector<std::string> sentences;
  for (int axis = 0; axis < static_cast<int>(count); ++axis) sentences.push_back(axis_sentence(r, axis));
  std::string text = count == 1 ? "The position is no token index: "
                                : "A position is " + std::to_string(count) + " numbers, each with pairs of its own: ";
  text += listed(sentences) + ".";
  if (r.rotation.axes[0].name == "time")
    text += " In plain text all are the token's index, so it is then an ordinary rotation.";
  return {"Axes", text, ""};
}

std::string temperature_text(const QueryScaleRule& rule) {
  switch (rule.kind) {
    case QueryScaleRule::Kind::kNone: return "";
    case QueryScaleRule::Kind::kLogN:
      return " Queries grow with their position, by ln(m + 1) / ln(" + number(rule.floor_scale) + ") where above 1.";
    case QueryScaleRule::Kind::kPower:
    case QueryScaleRule::Kind::kLogFloor: break;
  }
  const double far = 131071;
  return " Queries grow with their position, in steps of " + number(rule.floor_scale) + ": by " +
         rough(query_scale_at(rule, 0)) + " at position 0, by " + rough(query_scale_at(rule, far)) + " at " +
         number(far) + ".";
}

Passage explain_factors(const LayerRotation& layer) {
  const double f = layer.query.attention_factor;
  std::string text = f == 1
                         ? "cos and sin are multiplied by nothing."
                         : "cos and sin are multiplied by " + number(f) +
                               ", queries and keys both, so logits of the rotated channels by " + number(f * f) + ".";
  if (layer.softmax_factor != 1)
    text += " The softmax scale is multiplied by " + number(layer.softmax_factor) + ", all channels alike.";
  if (layer.query_scale != 1) text += " Queries are multiplied by " + number(layer.query_scale) + ".";
  text += temperature_text(layer.query_scale_rule);
  if (layer.xpos) text += " xPos: queries grow and keys shrink with their position, pair by pair.";
  return {"Factors", text, ""};
}

Passage explain_layers(const ModelRotation& r) {
  const LayerRotation& layer = r.rotation;
  std::string text = layer.before_projection ? "Hidden states are rotated, before queries and keys are made of them."
                     : layer.rotates_values  ? "Queries, keys and values are rotated."
                                             : "Queries and keys are rotated, values are not.";
  if (layer.rotates_output_back) text += " The output of attention is rotated back.";
  if (!layer.heads.empty()) text += " Only head " + ranges(layer.heads) + " rotates.";
  if (!r.note.empty()) text += " " + r.note + (r.note.ends_with('.') ? "" : ".");
  return {"Applied to", text, ""};
}

Passage explain_sources(const ModelRotation& r) {
  std::vector<std::string> read, assumed;
  for (const Source& s : r.sources) {
    const std::string value = s.value.size() <= 48 ? s.value : s.value.substr(0, 45) + "...";
    if (s.assumed)
      assumed.push_back(s.field + " = " + value + " (no " + s.key + ")");
    else
      read.push_back(s.field + " = " + value + " (" + s.key + ")");
  }
  std::string text;
  if (!read.empty()) text = "From the file: " + listed(read) + ".";
  if (!assumed.empty())
    text +=
        (text.empty() ? "" : "\n") + std::string("The family's defaults, for want of a key: ") + listed(assumed) + ".";
  return {"Where it comes from", text.empty() ? "The family's defaults alone." : text, ""};
}

Passage explain_none(const ModelRotation& r) {
  if (!r.rotation.not_a_rotation.empty())
    return {"What turns", "What these layers do is no set of plane rotations: " + r.rotation.not_a_rotation + ".", ""};
  if (!r.unknown.empty()) return {"What turns", "Not known: " + r.unknown + ".", ""};
  if (!r.fails.empty()) return {"What turns", "This reader cannot run the model: " + r.fails + ".", ""};
  const std::string reason = "no rotation: ";  // of a whole family
  std::string text = "Nothing: these layers rotate neither queries nor keys";
  text += r.note.starts_with(reason) ? ": " + r.note.substr(reason.size()) + "."
                                     : ". They compare content only and know order from the causal mask and from the "
                                       "other layers.";
  return {"What turns", text + temperature_text(r.rotation.query_scale_rule), ""};
}

}  // namespace

std::vector<Passage> explain_rotation(const ModelRotation& rotation, const ReadOptions& options) {
  if (!rotation.spec) return {explain_none(rotation)};
  const RopeSpec& spec = *rotation.spec;
  std::vector<Passage> out{explain_turning(rotation)};
  if (Passage axes = explain_axes(rotation); !axes.text.empty()) out.push_back(std::move(axes));
  out.push_back(detail::explain_speed(spec));
  out.push_back(detail::explain_method(spec, options.seq_len));
  out.push_back(explain_factors(rotation.rotation));
  out.push_back(explain_layers(rotation));
  out.push_back(detail::explain_beyond(rotation, options.seq_len));
  out.push_back(explain_sources(rotation));
  return out;
}

}  // namespace rotary
