#include "formats/scaling_reader.h"

#include <algorithm>
#include <array>
#include <set>

namespace rotary::detail {
namespace {

// What stands beside transformers 5 in its departures. kSameLength: engines that take the present limit as well, or
// whose own rule for a missing length follows (engine_rules.cc).
constexpr std::array kSameLength{Reference::kTransformers4, Reference::kVllm,  Reference::kSglang,
                                 Reference::kLlamaCpp,      Reference::kMlxLm, Reference::kOnnxruntimeGenai};
// Their own rules for the magnitude count, not this one.
constexpr std::array kZeroMscales{Reference::kTransformers4, Reference::kVllm, Reference::kSglang, Reference::kMlxLm};
// Engines whose own rules say which of these methods they have.
constexpr std::array kKnowMore{Reference::kTransformers4, Reference::kVllm, Reference::kSglang, Reference::kMlxLm};

// Reads keys of one dictionary and remembers which were understood.
class Keys {
 public:
  Keys(const RopeParameters& parameters, const ConfigView& view, std::vector<Source>& sources)
      : parameters_(parameters), view_(view), sources_(sources) {
    for (const char* key : {"rope_type", "type", "rope_theta", "partial_rotary_factor"}) known_.insert(key);
    for (const Json& key : view.row().value("rope_keys", Json::array())) known_.insert(key.get<std::string>());
  }

  Value find(const std::string& key) {
    known_.insert(key);
    return parameters_.get(key);
  }

  std::optional<double> optional(const std::string& key) {
    const Value value = find(key);
    if (!value) return std::nullopt;
    sources_.push_back(value.source(key));
    return to_number(view_.reading(), value);
  }

  double number(const std::string& key, double otherwise) {
    if (const auto given = optional(key)) return *given;
    sources_.push_back({key, parameters_.path + "." + key, show(Json(otherwise)), true});
    return otherwise;
  }

  double required(const std::string& key) {
    if (const auto given = optional(key)) return *given;
    fail(view_.reading(), parameters_.path + "." + key, "be given for this rope_type", "nothing");
  }

  bool boolean(const std::string& key, bool otherwise) {
    const Value value = find(key);
    if (!value) return otherwise;
    sources_.push_back(value.source(key));
    return to_boolean(view_.reading(), value);
  }

  std::vector<double> required_list(const std::string& key) {
    const Value value = find(key);
    if (!value) fail(view_.reading(), parameters_.path + "." + key, "be given for this rope_type", "nothing");
    sources_.push_back({key, value.path, std::to_string(value.json->size()) + " entries", value.assumed});
    return to_numbers(view_.reading(), value);
  }

  void record(const Value& value, const std::string& field) { sources_.push_back(value.source(field)); }

  void warn_unknown(const std::string& type) {
    for (const auto& [key, value] : parameters_.values)
      if (!known_.contains(key))
        view_.reading().warn(value.path, "unknown key for rope_type '" + type + "', ignored: " + show(*value.json));
  }

 private:
  const RopeParameters& parameters_;
  const ConfigView& view_;
  std::vector<Source>& sources_;
  std::set<std::string> known_;
};

class ScalingReader {
 public:
  ScalingReader(const RopeParameters& parameters, const ConfigView& view, bool nested, std::vector<Source>& sources)
      : parameters_(parameters),
        view_(view),
        reading_(view.reading()),
        nested_(nested),
        keys_(parameters, view, sources) {}

  Scaling read() {
    const std::string type = rope_type_of(parameters_, view_);
    static const std::set<std::string> kNoScaling{"default", "mrope", "axial", "none"};
    Scaling scaling = kNoScaling.contains(type) ? default_kind(type) : scaled_kind(type);
    keys_.warn_unknown(type);
    return scaling;
  }

 private:
  Scaling default_kind(const std::string& type) {
    const bool known_here = type == "default" || (type == "axial" && view_.row().value("axial", false));
    if (!known_here) unknown(type);
    return DefaultScaling{};
  }

  [[noreturn]] void unknown(const std::string& type) {
    fail(reading_, parameters_.path + ".rope_type",
         "be one of default, linear, dynamic, yarn, longrope, llama3, proportional (or ntk, ntk_by_parts, su)",
         "'" + type + "'");
  }

  Scaling scaled_kind(const std::string& type) {
    if (const auto only = view_.row().find("only_types"); only != view_.row().end() && reading_.as_transformers())
      if (std::find(only->begin(), only->end(), type) == only->end())
        fail(reading_, parameters_.path + ".rope_type", "be one of " + only->dump() + " for this family",
             "'" + type + "'");
    if (type == "linear") return LinearScaling{keys_.required("factor")};
    if (type == "dynamic") return dynamic();
    if (type == "yarn") return yarn();
    if (type == "longrope" || type == "su") return longrope(type);
    if (type == "llama3") return llama3();
    if (type == "proportional") return proportional();
    if (type == "ntk" || type == "ntk_by_parts") return beyond_transformers(type);
    if (type == "deepseek_yarn" || type == "telechat3-yarn") return beyond_transformers(type);
    unknown(type);
  }

  // Kinds that other engines know and transformers fails on.
  Scaling beyond_transformers(const std::string& type) {
    reading_.depart(parameters_.path + ".rope_type",
                    "transformers 5 does not know '" + type + "' and fails; read as the engines that have it do",
                    kKnowMore);
    if (type == "ntk") {
      if (const auto alpha = keys_.optional("alpha")) return NtkScaling{*alpha};
      if (const auto mixed = keys_.optional("mixed_b")) return NtkMixedScaling{keys_.required("factor"), *mixed};
      return NtkScaledBaseScaling{keys_.required("factor")};
    }
    if (type == "ntk_by_parts")
      return NtkByPartsScaling{.factor = keys_.required("factor"), .original_max_position = original()};
    YarnScaling s = yarn();
    if (type == "telechat3-yarn") s.mscale_coefficient = 0.07;
    return s;
  }

  Scaling dynamic() {
    if (const auto alpha = keys_.find("alpha"); alpha && view_.row().value("dynamic_alpha", false)) {
      keys_.find("factor");
      return NtkScaling{*keys_.optional("alpha")};
    }
    DynamicNtkScaling s;
    s.factor = keys_.required("factor");
    const Value inside = keys_.find("original_max_position_embeddings");
    if (inside && !reading_.as_transformers()) {
      s.original_max_position = *keys_.optional("original_max_position_embeddings");
      return s;
    }
    if (inside)
      reading_.depart(inside.path,
                      "ignored by transformers 5 for rope_type 'dynamic': max_position_embeddings counts; lost: " +
                          show(*inside.json),
                      kSameLength);
    s.original_max_position = max_position("max_position_embeddings is needed for rope_type 'dynamic'");
    return s;
  }

  double max_position(const std::string& why) {
    const Value value = view_.get("max_position_embeddings");
    if (!value) fail(reading_, view_.path_of("max_position_embeddings"), "be given (" + why + ")", "nothing");
    keys_.record(value, "max_position");
    return to_number(reading_, value);
  }

  // A top-level original_max_position_embeddings wins where the dictionary is flat (Phi-3, under transformers its
  // default, too); the last resort is the present limit.
  double original() {
    const Value inside = keys_.find("original_max_position_embeddings");
    const Value beside = nested_ ? Value{} : view_.get("original_max_position_embeddings");
    const bool beside_wins = beside && (!beside.assumed || reading_.as_transformers());
    if (inside && beside_wins && *inside.json != *beside.json) {
      if (!reading_.as_transformers())
        fail(reading_, inside.path, "agree with " + beside.path, show(*inside.json) + " and " + show(*beside.json));
      reading_.depart(
          inside.path,
          "transformers 5 reads " + beside.path + " = " + show(*beside.json) + " instead; lost: " + show(*inside.json),
          kThroughTransformers);
    }
    if (const Value value = beside_wins || !inside ? beside : inside) {
      keys_.record(value, "original_max_position");
      return to_number(reading_, value);
    }
    const double limit = max_position("original_max_position_embeddings is absent");
    if (!reading_.as_transformers())
      fail(reading_, parameters_.path + ".original_max_position_embeddings",
           "be given (max_position_embeddings may already be the extended limit)", "nothing");
    reading_.depart(parameters_.path + ".original_max_position_embeddings",
                    "absent: transformers 5 takes max_position_embeddings = " + show(Json(limit)) +
                        ", which is wrong if that is already the extended limit",
                    kSameLength);
    return limit;
  }

  YarnScaling yarn() {
    YarnScaling s;
    s.original_max_position = original();
    s.factor = implied_factor("factor", s.original_max_position, true);
    s.beta_fast = beta("beta_fast", 32);
    s.beta_slow = beta("beta_slow", 1);
    if (s.beta_fast < s.beta_slow)
      reading_.warn(parameters_.path + ".beta_fast", "is below beta_slow: the ramp is turned round");
    s.truncate = keys_.boolean("truncate", true);
    if (nested_ && !s.truncate && reading_.as_transformers()) {
      // modeling_rope_utils reads the key from the outer dictionary.
      reading_.depart(
          parameters_.path + ".truncate",
          "ignored by transformers 5 in a set per layer type: the correction range is rounded; lost: false");
      s.truncate = true;
    }
    s.attention_factor = keys_.optional("attention_factor");
    if (const auto fixed = view_.row().find("default_attention_factor");
        fixed != view_.row().end() && !s.attention_factor)
      s.attention_factor = fixed->get<double>();
    s.mscale = keys_.optional("mscale");
    s.mscale_all_dim = keys_.optional("mscale_all_dim");
    for (const char* key : {"attn_factor", "extrapolation_factor"})
      if (const Value lost = keys_.find(key); lost && reading_.as(Reference::kTransformers))
        reading_.warn(lost.path, "ignored by transformers 5 (vLLM multiplies by it); lost: " + show(*lost.json));
    const bool both_zero = s.mscale && s.mscale_all_dim && *s.mscale == 0 && *s.mscale_all_dim == 0;
    if (both_zero && !s.attention_factor) {
      const std::string key = parameters_.path + ".mscale";
      if (reading_.as_transformers()) {
        reading_.depart(
            key,
            "mscale and mscale_all_dim are 0, which counts as absent here: attention factor 0.1 ln(factor) + "
            "1; DeepSeek's own code and vLLM take 1",
            kZeroMscales);
      } else {
        s.attention_factor = 1;
      }
    }
    return s;
  }

  // Python's "or": 0 counts as absent.
  double beta(const std::string& key, double otherwise) {
    const double value = keys_.number(key, otherwise);
    if (value != 0) return value;
    reading_.warn(parameters_.path + "." + key, "is 0, which counts as absent: " + show(Json(otherwise)));
    return otherwise;
  }

  // factor, or max / original where the reference derives it.
  double implied_factor(const std::string& key, double original, bool required) {
    if (const auto given = keys_.optional(key)) return *given;
    const Value limit = view_.get("max_position_embeddings");
    if (required && reading_.as_transformers() && !parameters_.nulls.contains(key))
      fail(reading_, parameters_.path + "." + key, "be given for this rope_type", "nothing");
    if (!limit)
      fail(reading_, view_.path_of("max_position_embeddings"), "be given (the factor is derived from it)", "nothing");
    keys_.record(limit, "factor (with original_max_position)");
    return to_number(reading_, limit) / original;
  }

  Scaling longrope(const std::string& type) {
    const bool renamed = view_.row().value("types", Json::object()).contains("su");
    if (type == "su" && !renamed && reading_.as_transformers())
      reading_.depart(parameters_.path + ".rope_type",
                      "transformers 5 does not know 'su' for this family and fails; read as longrope",
                      std::array{Reference::kVllm});
    LongRopeScaling s;
    s.short_factor = keys_.required_list("short_factor");
    s.long_factor = keys_.required_list("long_factor");
    s.original_max_position = original();
    s.factor = implied_factor("factor", s.original_max_position, false);
    s.attention_factor = keys_.optional("attention_factor");
    if (view_.row().value("mscale_by_length", false)) {
      s.short_mscale = keys_.required("short_mscale");
      s.long_mscale = keys_.required("long_mscale");
      if (reading_.as_transformers()) {
        reading_.depart(parameters_.path + ".long_factor",
                        "never used by transformers 5 for this family: short_factor counts at every length");
        s.long_factor = s.short_factor;
      }
    }
    return s;
  }

  Scaling llama3() {
    Llama3Scaling s;
    s.factor = keys_.required("factor");
    s.low_freq_factor = keys_.required("low_freq_factor");
    s.high_freq_factor = keys_.required("high_freq_factor");
    s.original_max_position = original();
    if (const auto limit = view_.number("max_position_embeddings"); limit && s.original_max_position >= *limit)
      reading_.warn(parameters_.path + ".original_max_position_embeddings",
                    "should be below max_position_embeddings = " + show(Json(*limit)));
    if (s.low_freq_factor == s.high_freq_factor)
      reading_.warn(keys_.find("high_freq_factor").path,
                    "equals low_freq_factor: no blended band (transformers divides by zero at the edge)");
    return s;
  }

  Scaling proportional() {
    ProportionalScaling s;
    s.factor = keys_.number("factor", 1);
    const Value share = keys_.find("partial_rotary_factor");
    if (share) {
      s.proportion = *keys_.optional("partial_rotary_factor");
    } else {
      reading_.warn(parameters_.path + ".partial_rotary_factor", "absent: all pairs turn, as with rope_type 'linear'");
    }
    return s;
  }

  const RopeParameters& parameters_;
  const ConfigView& view_;
  Reading& reading_;
  bool nested_;
  Keys keys_;
};

}  // namespace

Scaling read_scaling(const RopeParameters& parameters, const ConfigView& view, bool nested,
                     std::vector<Source>& sources) {
  return ScalingReader(parameters, view, nested, sources).read();
}

}  // namespace rotary::detail
