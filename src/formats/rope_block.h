// Rope parameters written back: the dictionary that stands for a spec, and a configuration that holds it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "rotary/formats/model_config.h"

namespace rotary::detail {

using OrderedJson = nlohmann::ordered_json;

/// rope_parameters of transformers 5 for a YaRN spec of a layer type ("": there are none): what `node`, the
/// configuration of the component, has there already, with base, method, factor and original length as the spec says.
OrderedJson rope_block(const nlohmann::json& node, const std::string& layer_type, const RopeSpec& spec);

/// The same for a rotation that stays as it is and is not scaled.
OrderedJson plain_block(const RopeSpec& spec);

/// A whole number without its ".0" where it is one.
OrderedJson plain_number(double x);

/// {"a": {"b": patch}} for the place "a.b".
OrderedJson nested(const std::string& place, OrderedJson patch);

/// The configuration of a component, or the file itself where its keys stand at the top: its path, which is "" then.
std::string place_of(const nlohmann::json& document, const std::string& component);

const nlohmann::json& node_at(const nlohmann::json& document, const std::string& place);

/// The document with the members at a place replaced by those of `patch`; null removes one.
nlohmann::json patched(nlohmann::json document, const std::string& place, const OrderedJson& patch);

}  // namespace rotary::detail
