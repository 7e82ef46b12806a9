// Documents that describe a model: config.json and the files of other programs, told apart by their keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/config_view.h"

namespace rotary::detail {

enum class Dialect { kHuggingFace, kMeta, kMistral, kMegatron, kNeox };

/// By the keys of the document; kHuggingFace if it is none of the others.
Dialect dialect_of(const Json& root);

/// As ModelFile::format has it: "config.json", "params.json of Meta", ...
std::string_view format_name(Dialect dialect);

/// The readers of the others: what the program that the file is made for does with it. They add rotations, warnings
/// (to `reading`) and the model type, and throw std::runtime_error naming file and key.
void read_meta_params(const Json& root, Reading& reading, ModelConfig& out);
void read_mistral_params(const Json& root, Reading& reading, ModelConfig& out);
void read_megatron_arguments(const Json& root, Reading& reading, ModelConfig& out);
void read_neox_arguments(const Json& root, Reading& reading, ModelConfig& out);

/// What they share: a dialect's row; the rotations of a view; a switch of the file, false if absent; a source for
/// every rotation that a switch caused; a component by the rules of a family.
const Json& dialect_row(const std::string& name);
void add_rotations(const ConfigView& view, const std::string& model_type, ModelConfig& out);
bool is_on(const ConfigView& view, const std::string& key);
void add_source(ModelConfig& out, const Source& source);
void add_component(const Value& component, const std::string& family, const Json& patch, Reading& reading,
                   ModelConfig& out);
/// A key that is an object or absent; anything else is an error.
Value object_member(const ConfigView& view, const std::string& key);
/// Of a file of arguments: refuses a key that is given in two spellings.
void refuse_two_spellings(const Json& arguments, const std::string& path, const Reading& reading);

}  // namespace rotary::detail
