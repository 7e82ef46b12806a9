#include "formats/recommended_settings.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "formats/rope_block.h"
#include "formats/wording.h"

namespace rotary::detail {
namespace {

bool same_part(const ModelRotation& x, const ModelRotation& y) {
  return x.component == y.component && x.part == y.part;
}

bool same_layers(const ModelRotation& x, const ModelRotation& y) {
  return same_part(x, y) && x.layer_type == y.layer_type;
}

// Layers of another type that turn otherwise than those meant: what turned alike is meant, too.
bool is_other(const ModelRotation& r, const ModelRotation& meant) {
  return same_part(r, meant) && r.layer_type != meant.layer_type && r.spec && r.rotation.rotates &&
         *r.spec != *meant.spec;
}

class Settings {
 public:
  Settings(Recommendation& out, const SettingSubject& subject)
      : out_(out), subject_(subject), place_(place_of(subject.document, subject.rotation.component)) {
    meant_ = make_rotation_map(out.after.value_or(*subject.rotation.spec), out.target_length);
  }

  void extend() {
    const auto& yarn = std::get<YarnScaling>(out_.after->scaling);
    OrderedJson flat = rope_block(node_at(subject_.document, place_), subject_.rotation.layer_type, *out_.after);
    OrderedJson block = flat;
    const OrderedJson limit = plain_number(static_cast<double>(out_.target_length));
    const auto patch_of = [&](const OrderedJson& rope) {
      return OrderedJson{{"max_position_embeddings", limit}, {"rope_parameters", rope}, {"rope_scaling", nullptr}};
    };
    if (!read_back(Reference::kTransformers, patch_of(block)).as_meant()) {
      OrderedJson per_type = by_layer_type(flat);
      if (per_type.size() > 1 && read_back(Reference::kTransformers, patch_of(per_type)).as_meant()) block = per_type;
    }
    add("transformers 5", "config.json", shown(patch_of(block)), read_back(Reference::kTransformers, patch_of(block)));
    add_transformers_4(flat, limit);
    OrderedJson overrides{{"rope_parameters", block}};
    add("vLLM", "command line",
        "vllm serve MODEL --hf-overrides '" + nested(place_, overrides).dump() + "' --max-model-len " + limit.dump(),
        read_back(Reference::kVllm, patch_of(block)));
    add("llama.cpp", "command line",
        "llama-server -m MODEL.gguf -c " + limit.dump() + " --rope-scaling yarn --rope-scale " + number(yarn.factor) +
            " --yarn-orig-ctx " + number(yarn.original_max_position),
        read_back(Reference::kLlamaCpp, patch_of(block)));
  }

  void keep() {
    const OrderedJson limit = plain_number(static_cast<double>(out_.target_length));
    const OrderedJson patch{{"max_position_embeddings", limit}};
    if (read_back(Reference::kTransformers, patch).as_meant())
      add("transformers", "config.json", shown(patch), {});
    else
      out_.caveats.push_back(
          "Leave config.json as it is: this method computes its frequencies or its factor from "
          "max_position_embeddings, so raising that key would change the rotation; transformers "
          "does not enforce the limit.");
    add("vLLM", "command line", "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 vllm serve MODEL --max-model-len " + limit.dump(), {});
    add("llama.cpp", "command line", "llama-server -m MODEL.gguf -c " + limit.dump(), {});
  }

  // Whether some release of transformers makes what is meant.
  bool is_possible() const { return is_possible_; }

 private:
  // What an engine makes of a patched file.
  struct Outcome {
    std::string otherwise;  // than meant, of the layers that it is meant for
    std::string others;     // that turn otherwise than before
    bool as_meant() const { return otherwise.empty() && others.empty(); }
  };

  void add(std::string engine, std::string where, std::string text, const Outcome& outcome) {
    if (where == "config.json" && !place_.empty()) where += ", " + place_;
    if (outcome.otherwise.starts_with("fails")) text.clear();
    is_possible_ |= engine.starts_with("transformers") && outcome.otherwise.empty();
    std::string both = outcome.otherwise;
    if (!outcome.others.empty()) both += (both.empty() ? "" : "; ") + outcome.others;
    out_.settings.push_back({std::move(engine), std::move(where), std::move(text), std::move(both)});
  }

  // Its classes read rope_scaling, and the base beside it.
  void add_transformers_4(OrderedJson block, const OrderedJson& limit) {
    block.erase("rope_theta");
    const OrderedJson patch{{"max_position_embeddings", limit}, {"rope_scaling", block}, {"rope_parameters", nullptr}};
    add("transformers 4", "config.json", shown(patch), read_back(Reference::kTransformers4, patch));
  }

  // One dictionary for each layer type of the component; the others stay as they are.
  OrderedJson by_layer_type(const OrderedJson& block) const {
    OrderedJson out;
    for (const ModelRotation& r : subject_.config.rotations) {
      if (!r.spec || r.layer_type.empty() || r.component != subject_.rotation.component || !r.part.empty()) continue;
      out[r.layer_type] = r.layer_type == subject_.rotation.layer_type ? block : plain_block(*r.spec);
    }
    return out;
  }

  // Members to paste, one a line, those of dictionaries too.
  static std::string shown(const OrderedJson& patch, const std::string& indent = "") {
    std::string out;
    for (const auto& [key, value] : patch.items()) {
      if (value.is_null()) continue;
      out += (out.empty() ? "" : ",\n") + indent + OrderedJson(key).dump() + ": " +
             (value.is_object() ? "{\n" + shown(value, indent + "  ") + "\n" + indent + "}" : value.dump());
    }
    return out;
  }

  Outcome read_back(Reference reference, const OrderedJson& patch) const {
    ReadOptions options = subject_.options;
    options.reference = reference;
    options.arithmetic = Arithmetic::kExact;
    options.seq_len = out_.target_length;  // where a method follows the length, at that length
    const std::string text =
        patched(subject_.document, place_, patch).dump(-1, ' ', false, Json::error_handler_t::replace);
    try {
      const ModelConfig config = parse_model_config(text, subject_.name, options);
      return {otherwise(config), changed_others(config)};
    } catch (const std::runtime_error& error) {
      return {std::string("refuses the file: ") + error.what(), ""};
    }
  }

  std::string otherwise(const ModelConfig& config) const {
    const ModelRotation& was = subject_.rotation;
    for (const ModelRotation& r : config.rotations) {
      if (!same_layers(r, was)) continue;
      if (!r.fails.empty()) return "fails: " + r.fails;
      if (!r.spec) return r.unknown.empty() ? "does not rotate" : "is left open: " + r.unknown;
      const RopeSpec& meant = out_.after ? *out_.after : *was.spec;
      const MapDifference difference = compare(meant_, r.rotation.query, 1, declared_difference(meant, *r.spec));
      return difference.same ? "" : "turns otherwise (meant / made): " + difference.cause;
    }
    return "has no such layers";
  }

  // The layer types beside the one meant that do not turn as before.
  std::string changed_others(const ModelConfig& config) const {
    std::vector<std::string> changed;
    for (const ModelRotation& was : subject_.config.rotations) {
      if (!is_other(was, subject_.rotation)) continue;
      const RotationMap before = make_rotation_map(*was.spec, out_.target_length);
      for (const ModelRotation& r : config.rotations)
        if (same_layers(r, was) && r.spec && !compare(before, r.rotation.query).same) changed.push_back(was.layer_type);
    }
    return changed.empty() ? "" : "changes the layers of type " + listed(changed) + ", too";
  }

  using Json = nlohmann::json;
  Recommendation& out_;
  const SettingSubject& subject_;
  std::string place_;
  RotationMap meant_;
  bool is_possible_ = false;
};

void add_caveats_of_yarn(Recommendation& out) {
  const auto& yarn = std::get<YarnScaling>(out.after->scaling);
  if (std::holds_alternative<YarnScaling>(out.before->scaling))
    out.caveats.push_back(
        "If the weights were trained with the old factor, the new one changes every rotation they "
        "know: measure it, or fine-tune.");
  else
    out.caveats.push_back("The weights were trained without it: how well the model reads beyond " +
                          number(out.original) + " positions has to be measured, or trained.");
  out.caveats.push_back(
      "Static YaRN turns short texts otherwise too and may cost quality there: set it only where long "
      "texts are read.");
  if (yarn.attention_factor)
    out.caveats.push_back("attention_factor is kept from the file (" + number(*yarn.attention_factor) +
                          ") and was chosen for the old factor; vLLM, SGLang, llama.cpp and others ignore it "
                          "(docs/references.md).");
  if (out.after->rotary_dim < out.after->head_dim && make_rotation_map(*out.after).attention_factor != 1)
    out.caveats.push_back("YaRN's factor on cos and sin reaches the " + std::to_string(out.after->rotary_dim) +
                          " rotated of " + std::to_string(out.after->head_dim) + " channels only.");
}

void add_caveats_of_kept(Recommendation& out) {
  out.caveats.push_back(
      "Not past what was trained, unless you fine-tune: nothing in the file says that the model reads "
      "further than " +
      number(out.limit) + " positions.");
  if (const auto* linear = std::get_if<LinearScaling>(&out.before->scaling))
    out.caveats.push_back(
        "A file with linear scaling does not say whether its limit counts before or after it: with "
        "factor " +
        number(linear->factor) + " this model may have been trained on up to " + number(linear->factor * out.limit) +
        " positions.");
}

void add_caveats(Recommendation& out, const SettingSubject& subject) {
  if (out.advice == Advice::kExtend)
    add_caveats_of_yarn(out);
  else
    add_caveats_of_kept(out);
  out.caveats.push_back("Keys cached under one setting must not be read under another: start with an empty cache.");
  const auto differs = [](const EngineSetting& s) { return !s.outcome.empty(); };
  if (std::any_of(out.settings.begin(), out.settings.end(), differs))
    out.caveats.push_back("Where an engine turns otherwise than meant, docs/references.md says by which of its rules.");
  const bool has_others = std::any_of(subject.config.rotations.begin(), subject.config.rotations.end(),
                                      [&](const ModelRotation& r) { return is_other(r, subject.rotation); });
  if (has_others)
    out.caveats.push_back("Meant for the layers of type " + subject.rotation.layer_type +
                          "; the others stay as they are where nothing else is said.");
}

}  // namespace

void add_settings(Recommendation& out, const SettingSubject& subject) {
  Settings settings(out, subject);
  if (out.advice == Advice::kExtend)
    settings.extend();
  else
    settings.keep();
  if (out.advice == Advice::kExtend && !settings.is_possible()) {
    out.advice = Advice::kNotPossible;
    out.summary = "No key of this family's configuration sets YaRN: of the usual block, transformers 5 " +
                  out.settings[0].outcome + ".";
    out.settings.clear();
    return;
  }
  add_caveats(out, subject);
}

}  // namespace rotary::detail
