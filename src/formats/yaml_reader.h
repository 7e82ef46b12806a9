// YAML as argument files hold it, read into the document that JSON gives.
#pragma once

#include <string>
#include <string_view>

#include "formats/json_reader.h"

namespace rotary::detail {

constexpr std::size_t kMaxYamlBytes = std::size_t{4} << 20;

/// One document, its plain scalars typed as PyYAML's safe_load types them (YAML 1.1: 1.0e-5 is a number, 1e-5 is text,
/// yes and on are true); sexagesimal numbers and dates stay text, a key is the text that is written. .nan and .inf are
/// marked as parse_json marks NaN. Refused: anchors, aliases, merge keys and tags, and what parse_json refuses.
/// Throws std::runtime_error "name: must be YAML, got ..."; always if the library was built without libyaml.
JsonDocument parse_yaml(std::string_view text, const std::string& name);

}  // namespace rotary::detail
