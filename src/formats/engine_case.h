// One rotation as an engine's rules see it.
#pragma once

#include <string>
#include <string_view>

#include "formats/rope_parameters.h"
#include "rotary/formats/model_config.h"

namespace rotary::detail {

struct EngineCase {
  Reference reference;
  const ConfigView& view;
  const RopeParameters& set;
  RopeSpec& spec;      ///< as transformers 5 reads it, then as the engine computes it
  ModelRotation& out;  ///< takes `unknown` and `fails`

  bool is(Reference r) const { return reference == r; }
  bool settled() const { return out.unknown.empty() && out.fails.empty(); }
  std::string name() const { return name_and_release(reference); }
  const Json& row() const { return view.row(); }

  void unknown(const std::string& why) { out.unknown = "not known what " + name() + " does with " + why; }
  void fails(const std::string& why) { out.fails = name() + " " + why; }
  /// \param key  of the set
  void warn(const char* key, const std::string& message) { view.reading().warn(set.path + "." + key, message); }
  void lost(const Value& value, const std::string& why) {
    view.reading().warn(value.path, "ignored by " + name() + ": " + why + "; lost: " + show(*value.json));
  }
  /// A key of the set.
  double number(const char* key, double otherwise) const {
    const Value value = set.get(key);
    return value ? to_number(view.reading(), value) : otherwise;
  }
  /// Of the family's "in_4": what differs in transformers 4.57.
  bool in_4(const char* what) const { return row().value("in_4", Json::object()).value(what, false); }
};

/// The methods whose numbers engines treat differently; the spec holds that method.
void apply_yarn_rules(EngineCase& c, YarnScaling& s);
void apply_longrope_rules(EngineCase& c, LongRopeScaling& s);

}  // namespace rotary::detail
