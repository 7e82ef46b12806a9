#include "rotary/formats/recommend.h"

#include <algorithm>
#include <cmath>

#include "core/require.h"
#include "formats/json_reader.h"
#include "formats/recommended_settings.h"
#include "formats/wording.h"
#include "rotary/bands.h"

namespace rotary {
namespace {

using detail::number;
using detail::positions_text;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view s) { return text.starts_with(s); });
}

// Positions within reach: YaRN's factor says more than a declared limit that was left at the original length.
double reach_of(const RopeSpec& spec) {
  if (const auto* yarn = std::get_if<YarnScaling>(&spec.scaling))
    return std::max(spec.max_position, yarn->original_max_position * yarn->factor);
  return spec.max_position;
}

RopeSpec extended(const RopeSpec& spec, double original, double factor) {
  RopeSpec out = spec;
  YarnScaling yarn;
  if (const auto* given = std::get_if<YarnScaling>(&spec.scaling)) yarn = *given;
  yarn.factor = factor;
  yarn.original_max_position = original;
  out.scaling = yarn;
  out.max_position = original * factor;
  return out;
}

bool is_unscaled(const Scaling& scaling) { return std::holds_alternative<DefaultScaling>(scaling); }
bool is_yarn(const Scaling& scaling) { return std::holds_alternative<YarnScaling>(scaling); }

void refuse(Recommendation& out, std::string why) {
  out.advice = Advice::kNotPossible;
  out.summary = std::move(why);
}

void say_nothing_to_set(Recommendation& out, const RopeSpec& spec) {
  out.advice = Advice::kNothing;
  out.summary = "Nothing to set: " + positions_text(static_cast<double>(out.target_length)) + " are within the " +
                number(out.limit) + " that this model reads as it is";
  if (!is_unscaled(spec.scaling))
    out.summary += ", by its own method (" + std::string(scaling_name(spec.scaling)) + ")";
  out.summary += ".";
}

void say_extend(Recommendation& out, const RopeSpec& spec) {
  out.advice = Advice::kExtend;
  out.factor = static_cast<double>(out.target_length) / out.original;
  out.after = extended(spec, out.original, out.factor);
  const std::string ratio =
      number(static_cast<double>(out.target_length)) + " / " + number(out.original) + " = " + number(out.factor);
  out.summary = is_yarn(spec.scaling) ? "Keep YaRN and its parameters, with factor " + ratio + " instead of " +
                                            number(std::get<YarnScaling>(spec.scaling).factor) + "."
                                      : "YaRN with factor " + ratio + ": the model is not scaled yet, and " +
                                            number(out.original) + " is the limit it declares.";
}

void say_keep(Recommendation& out, const RopeSpec& spec) {
  out.advice = Advice::kKeepMethod;
  const std::string limit = number(out.limit);
  out.summary = "Keep the method (" + std::string(scaling_name(spec.scaling)) +
                "): a longer window alone never changes it. Only the limit is raised, from " + limit + " to " +
                number(static_cast<double>(out.target_length)) + "; " +
                (depends_on_length(spec.scaling) ? "the method follows the length of the text by itself"
                                                 : "every frequency stays as it is") +
                ", and positions from " + limit + " on are beyond what the model declares.";
}

void decide(Recommendation& out, const ModelRotation& rotation) {
  const RopeSpec& spec = *rotation.spec;
  out.component = rotation.component;
  out.layer_type = rotation.layer_type;
  out.before = spec;
  out.limit = reach_of(spec);
  out.original = trained_length(spec);
  if (is_local(rotation)) {
    out.advice = Advice::kNothing;
    out.summary =
        "Nothing to set: every layer that rotates sees a window or a chunk only, so its distances do not grow "
        "with the text.";
  } else if (out.limit <= 0) {
    refuse(out, "No setting can be worked out: the file declares no limit, so there is no length to extend from.");
  } else if (static_cast<double>(out.target_length) <= out.limit) {
    say_nothing_to_set(out, spec);
  } else if (is_unscaled(spec.scaling) || is_yarn(spec.scaling)) {
    say_extend(out, spec);
  } else {
    say_keep(out, spec);
  }
}

}  // namespace

std::string_view to_string(Advice advice) {
  constexpr std::string_view kNames[] = {"nothing", "extend", "keep_method", "not_possible"};
  return kNames[static_cast<std::size_t>(advice)];
}

bool is_local(const ModelRotation& rotation) {
  // Llama 4's files name no layer types: what rotates attends in chunks, what sees all does not rotate.
  return rotation.model_type == "llama4_text" || starts_with_any(rotation.layer_type, {"sliding", "local", "chunked"});
}

const ModelRotation* text_rotation(const ModelConfig& config) {
  const ModelRotation* best = nullptr;
  for (const ModelRotation& r : config.rotations) {
    if (!r.spec || !r.part.empty() || r.rotation.axes.empty()) continue;
    const std::string& axis = r.rotation.axes[0].name;
    if (axis != "token" && axis != "time") continue;
    if (starts_with_any(r.component, {"vision", "audio"})) continue;
    if (best == nullptr || (is_local(*best) && !is_local(r) && best->component == r.component)) best = &r;
  }
  return best;
}

Recommendation recommend_setting(std::string_view text, const std::string& name, std::int64_t target_length,
                                 const ReadOptions& options) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 40;
  detail::require(target_length >= 1 && target_length <= kLongest, "recommend_setting",
                  "target_length must be 1 .. 2^40", target_length);
  const ModelConfig config = parse_model_config(text, name, options);
  Recommendation out;
  out.target_length = target_length;
  const ModelRotation* rotation = text_rotation(config);
  if (rotation == nullptr) {
    refuse(out, "Nothing to set: no text attention of this model rotates in a way that is known.");
    return out;
  }
  decide(out, *rotation);
  if (out.advice == Advice::kExtend || out.advice == Advice::kKeepMethod)
    detail::add_settings(out, {detail::parse_json(text, name).root, config, *rotation, name, options});
  return out;
}

}  // namespace rotary
