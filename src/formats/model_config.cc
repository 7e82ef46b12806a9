#include "rotary/formats/model_config.h"

#include <stdexcept>

#include "core/require.h"
#include "formats/component_reader.h"
#include "formats/family_table.h"
#include "formats/model_source.h"
#include "formats/yaml_reader.h"

namespace rotary {
namespace {

using namespace detail;

constexpr int kMaxComponents = 64;

// Keys whose presence says that a configuration of unknown type rotates.
bool has_rope_key(const Json& node) {
  for (const auto& [key, value] : node.items())
    if (!value.is_null() && (key.find("rope") != std::string::npos || key.find("rotary") != std::string::npos))
      return true;
  return false;
}

class ModelReader {
 public:
  ModelReader(const Json& root, Reading& reading, ModelConfig& out) : root_(root), reading_(reading), out_(out) {}

  void read() {
    const Json& root = root_;
    if (!root.is_object()) fail(reading_, "the file", "hold a JSON object", show(root));
    const Value type = member(root, "", "model_type");
    out_.model_type = type ? to_text(reading_, type) : "";
    const Json* row = out_.model_type.empty() ? FamilyTable::built_in().recognise(root)
                                              : FamilyTable::built_in().find(out_.model_type);
    if (row != nullptr && out_.model_type.empty()) {
      out_.model_type = row->at("model_type").get<std::string>();
      reading_.warn("model_type", "absent; recognised by its keys as " + out_.model_type);
    }
    if (row == nullptr) {
      reading_.warn("model_type",
                    (out_.model_type.empty() ? "absent" : "unknown: '" + out_.model_type + "'") +
                        std::string("; read by the general rules (one base, half pairing, the whole head)"));
      read_unknown(root, "");
      return;
    }
    read_row(root, "", out_.model_type, *row);
  }

 private:
  void read_row(const Json& node, const std::string& path, const std::string& model_type, const Json& row) {
    if (++components_ > kMaxComponents)
      fail(reading_, path.empty() ? "the file" : path, "hold at most 64 components", "more");
    const auto components = row.find("components");
    const bool composite = components == row.end() && member(node, path, "text_config");
    if (row.value("rotation", true) && !composite) add(node, path, path, model_type, row);
    if (components != row.end())
      for (const auto& [key, fallback] : components->items()) read_child(node, path, key, fallback, row);
    // Sub-configurations that the row does not name, if they say what they are.
    for (const auto& [key, value] : node.items()) {
      if (!value.is_object() || !key.ends_with("_config") || key == "per_layer_config" ||
          (components != row.end() && components->contains(key)))
        continue;
      const Value type = member(value, join(path, key), "model_type");
      if (type && type.json->is_string() && FamilyTable::built_in().find(type.json->get<std::string>()))
        read_nested(value, join(path, key), type.json->get<std::string>());
    }
  }

  static std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  // `fallback`: the sub-configuration's default model type; with "defaults" (and "merge", if they count beside given
  // keys too) where the wrapper changes its defaults; null if there is none by default.
  void read_child(const Json& node, const std::string& path, const std::string& key, const Json& fallback,
                  const Json& row) {
    const std::string child_path = join(path, key);
    const Value child = member(node, path, key);
    if (child && !child.json->is_object()) fail(reading_, child_path, "be an object or null", show(*child.json));
    static const Json empty = Json::object();
    const Json& child_node = child ? *child.json : empty;
    const Json& type_rule = fallback.is_object() ? fallback.at("model_type") : fallback;
    std::string model_type = type_rule.is_string() ? type_rule.get<std::string>() : "";
    if (const Value own = child ? member(*child.json, child_path, "model_type") : Value{}) {
      const std::string named = to_text(reading_, own);
      if (FamilyTable::built_in().find(named) || model_type.empty()) model_type = named;
    }
    if (model_type.empty()) return;
    const Json* child_row = FamilyTable::built_in().find(model_type);
    // Older files hold the text part's keys at the top.
    if (!child && child_row && row.value("flat", "") == key) return add(node, path, child_path, model_type, *child_row);
    const bool changed = fallback.is_object() && (!child || fallback.value("merge", false));
    if (!changed || !child_row) return read_nested(child_node, child_path, model_type);
    Json changed_row = *child_row;
    changed_row["defaults"].update(fallback.at("defaults"));
    read_row(child_node, child_path, model_type, changed_row);
  }

  void read_nested(const Json& node, const std::string& path, const std::string& model_type) {
    const Json* row = FamilyTable::built_in().find(model_type);
    if (row != nullptr) {
      read_row(node, path, model_type, *row);
    } else if (has_rope_key(node)) {
      reading_.warn(path + ".model_type", "unknown: '" + model_type +
                                              "'; read by the general rules (one base, half pairing, the whole head)");
      read_unknown(node, path);
    }
  }

  // No row: the general rules for the keys at this level, then every nested configuration that names a type or a rope
  // key.
  void read_unknown(const Json& node, const std::string& path) {
    if (++components_ > kMaxComponents)
      fail(reading_, path.empty() ? "the file" : path, "hold at most 64 components", "more");
    const bool has_width =
        node.contains("head_dim") || (node.contains("hidden_size") && node.contains("num_attention_heads"));
    bool nested = false;
    for (const auto& [key, value] : node.items()) {
      if (!value.is_object() || !key.ends_with("_config") || !(value.contains("model_type") || has_rope_key(value)))
        continue;
      const Value type = member(value, path, "model_type");
      const std::size_t before = out_.rotations.size();
      read_nested(value, path.empty() ? key : path + "." + key,
                  type && type.json->is_string() ? type.json->get<std::string>() : "");
      nested |= out_.rotations.size() > before;
    }
    if (nested && !has_rope_key(node)) return;
    if (!has_width && nested) return;
    add(node, path, path, path.empty() ? out_.model_type : "", FamilyTable::built_in().general());
  }

  // The rotations of the component whose keys stand at `path`.
  void add(const Json& node, const std::string& path, const std::string& component, const std::string& model_type,
           const Json& row) {
    Json own = row;
    if (const auto older = row.find("in_4"); older != row.end() && reading_.as(Reference::kTransformers4))
      own["defaults"].update(*older);
    for (ModelRotation& r : read_component(ConfigView(node, path, own, reading_, component), model_type))
      out_.rotations.push_back(std::move(r));
  }

  const Json& root_;
  Reading& reading_;
  ModelConfig& out_;
  int components_ = 0;
};

// Engines' oddities are known for Hugging Face's files only.
Reference reference_for(Dialect dialect, const std::string& name, const ReadOptions& options) {
  if (dialect == Dialect::kHuggingFace) return options.reference.value_or(Reference::kTransformers);
  require_original(options, name, format_name(dialect));
  return Reference::kOriginal;
}

}  // namespace

namespace detail {

void require_original(const ReadOptions& options, const std::string& name, std::string_view format) {
  if (options.reference.value_or(Reference::kOriginal) != Reference::kOriginal)
    throw std::runtime_error(name + ": --as must be original for " + (format.starts_with("arg") ? "" : "a ") +
                             std::string(format) + ", got " + std::string(to_string(*options.reference)));
}

JsonDocument parse_document(std::string_view text, const std::string& name) {
  if (!name.ends_with(".yml") && !name.ends_with(".yaml")) return parse_json(text, name);
  JsonDocument document = parse_yaml(text, name);
  const Dialect dialect = dialect_of(document.root);
  if (dialect != Dialect::kMegatron && dialect != Dialect::kNeox)
    throw std::runtime_error(name + ": must hold the arguments of Megatron-LM or GPT-NeoX, got " + show(document.root));
  return document;
}

ModelConfig read_document(const JsonDocument& document, std::size_t num_bytes, const std::string& name,
                          const ReadOptions& options) {
  const Dialect dialect = dialect_of(document.root);
  Reading reading{name, options, {}, {}, num_bytes};
  ModelConfig out;
  out.reference = reading.options.reference.emplace(reference_for(dialect, name, options));
  out.files.push_back({name, std::string(format_name(dialect)), "read"});
  for (const std::string& path : document.duplicate_keys) reading.warn(path, "given twice; the last value counts");
  switch (dialect) {
    case Dialect::kHuggingFace: ModelReader(document.root, reading, out).read(); break;
    case Dialect::kMeta: read_meta_params(document.root, reading, out); break;
    case Dialect::kMistral: read_mistral_params(document.root, reading, out); break;
    case Dialect::kMegatron: read_megatron_arguments(document.root, reading, out); break;
    case Dialect::kNeox: read_neox_arguments(document.root, reading, out); break;
  }
  out.warnings = std::move(reading.warnings);
  return out;
}

}  // namespace detail

ModelConfig parse_model_config(std::string_view text, const std::string& name, const ReadOptions& options) {
  detail::require(options.seq_len >= 0, "parse_model_config", "seq_len must not be negative", options.seq_len);
  return read_document(parse_document(text, name), text.size(), name, options);
}

}  // namespace rotary
