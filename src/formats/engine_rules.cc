#include "formats/engine_rules.h"

#include <algorithm>
#include <set>

#include "formats/engine_case.h"
#include "rotary/rotation_map.h"

namespace rotary::detail {
namespace {

using Names = std::set<std::string_view>;

// What an engine has code for, as far as it was read. `has`, each in a word:
//   closed_list   models by name ("known_to" in families.json); it fails on others
//   all_methods   those in `methods` are all, another one is an error; else it is not known what becomes of it
//   sections, interleaved   M-RoPE in rows, M-RoPE in turns
//   latent        the softmax factor of DeepSeek's latent attention
//   layers        parameters per layer type, layers without rotation
//   temperature   position-dependent query scale
struct Engine {
  Reference reference;
  Names methods, has;
};

const Engine* engine_of(Reference reference) {
  static const Engine kEngines[] = {
      {Reference::kTransformers4,
       {"default", "linear", "dynamic", "yarn", "longrope", "llama3"},
       {"closed_list", "all_methods", "sections", "interleaved", "latent", "layers", "temperature"}},
      {Reference::kVllm,
       {"default", "linear", "ntk", "ntk_scaled_base", "ntk_mixed", "dynamic", "yarn", "longrope", "llama3",
        "proportional"},
       {"all_methods", "sections", "interleaved", "latent", "layers", "temperature"}},
      {Reference::kSglang,
       {"default", "linear", "ntk", "dynamic", "yarn", "longrope", "llama3"},
       {"all_methods", "sections", "interleaved", "latent", "layers", "temperature"}},
      {Reference::kLlamaCpp,
       {"default", "linear", "ntk", "dynamic", "yarn", "longrope", "llama3", "proportional"},
       {"sections", "interleaved", "latent", "layers", "temperature"}},
      {Reference::kMlxLm,
       {"default", "linear", "yarn", "longrope", "llama3", "proportional"},
       {"closed_list", "all_methods", "sections", "latent", "layers", "temperature"}},
      {Reference::kOnnxruntimeGenai,
       {"default", "linear", "dynamic", "yarn", "longrope", "llama3"},
       {"closed_list", "sections", "interleaved"}},
  };
  for (const Engine& e : kEngines)
    if (e.reference == reference) return &e;
  return nullptr;
}

// ---- families and layouts

// Ways of families that are theirs alone.
const char* peculiar_column(const Json& row) {
  for (const char* column :
       {"negate_angle", "values", "output_back", "before_projection", "first_head_only", "frequency_lists",
        "coordinate", "axial", "no_dictionary", "query_scale", "parts", "part", "base_factor"})
    if (row.contains(column)) return column;
  return nullptr;
}

bool is_known_family(const EngineCase& c) {
  const Json known = c.row().value("known_to", Json::array());
  return std::find(known.begin(), known.end(), to_string(c.reference)) != known.end();
}

void judge_family(EngineCase& c, const Engine& engine) {
  const Json& row = c.row();
  if (row.value("model_type", "*") == "*") return c.unknown("a model type that has no rules here");
  if (row.value("remote", false)) return c.unknown("code that comes with the checkpoint");
  if (engine.has.contains("closed_list") && !is_known_family(c))
    return c.fails("has no model of type " + c.out.model_type);
  if (c.is(Reference::kTransformers4)) {  // the same model code, but for what "in_4" says
    const Json older = row.value("in_4", Json::object());
    if (const auto why = older.find("unsettled"); why != older.end()) c.unknown(why->get<std::string>());
    return;
  }
  if (const char* column = peculiar_column(row)) return c.unknown("this family's " + std::string(column));
  const bool layers_differ =
      row.contains("per_type") || row.contains("rotating_types") || row.contains("rotation_list");
  if (layers_differ && !engine.has.contains("layers")) return c.unknown("layers that differ");
  if (row.contains("temperature") && !engine.has.contains("temperature"))
    return c.unknown("this family's query temperature");
  if (row.contains("softmax") && !engine.has.contains("latent")) return c.unknown("latent attention");
}

void apply_axes_rules(EngineCase& c, const Engine& engine) {
  const AxisRule rule = c.spec.axes.rule;
  if (rule == AxisRule::kOne || c.is(Reference::kTransformers4)) return;
  const bool has_code = (rule == AxisRule::kSections && engine.has.contains("sections")) ||
                        (rule == AxisRule::kInterleavedSections && engine.has.contains("interleaved"));
  if (!has_code) return c.unknown("axes by the rule " + std::string(to_string(rule)));
  if (!c.is(Reference::kMlxLm)) return;
  c.spec.axes = {};
  c.warn("mrope_section", "ignored by " + c.name() + ": text positions only");
}

// ggml's interleaved M-RoPE compares with all three sections: what lies beyond 3 x sections[axis] takes the fourth
// position id, which is 0 in text, where transformers takes the time.
void move_tail_to_fourth_axis(EngineCase& c) {
  if (c.spec.axes.rule != AxisRule::kInterleavedSections) return;
  const ReadOptions& options = c.view.reading().options;
  const RotationMap map = make_rotation_map(c.spec, options.seq_len, options.arithmetic);
  GivenFrequencies given;
  given.frequencies.assign(map.pairs.size() * 4, 0.0);
  std::string moved;
  for (std::size_t i = 0; i < map.pairs.size(); ++i) {
    const std::size_t axis = i % 3;
    const bool fourth = static_cast<int>(i) >= 3 * c.spec.axes.sections[axis];
    const int pair = static_cast<int>(i);
    given.frequencies[i * 4 + (fourth ? 3 : axis)] = map.at(0, pair, axis_of(map, pair)).hi;
    if (fourth) moved += (moved.empty() ? "" : ", ") + std::to_string(i);
  }
  if (moved.empty()) return;
  c.warn("mrope_section", c.name() + " turns the pairs " + moved + " by the fourth position id, which is 0 in text");
  c.spec.scaling = given;
  c.spec.axes = {};
  c.spec.axes.num_axes = 4;
}

// ---- scaling methods

// transformers 4.57 (modeling_rope_utils.py): yarn, dynamic and longrope take getattr(config, "head_dim", ...), which
// is None where the class keeps a null.
void judge_scaling_of_4(EngineCase& c, std::string_view kind) {
  const bool takes_null = kind == "yarn" || kind == "dynamic" || kind == "longrope";
  if (takes_null && c.in_4("null_head_dim") && !c.view.in_file("head_dim"))
    c.fails("fails on rope_type '" + std::string(kind) + "' without head_dim (TypeError)");
  else if (kind != "default" && c.in_4("own_scaling"))
    c.unknown("the scaling of this family, which has its own code for it");
}

// Every model file of mlx-lm has a default base of its own.
void judge_keys_of_mlx(EngineCase& c) {
  const Value base = c.set.get("rope_theta");
  if (!base || base.assumed) return c.unknown("an absent rope_theta");
  if (c.view.in_file("original_max_position_embeddings") && !c.set.get("original_max_position_embeddings"))
    c.unknown("original_max_position_embeddings outside rope_scaling");
}

// The builder of ONNX Runtime GenAI goes by keys, and each model class by other ones ("genai_methods"); YaRN it knows
// by beta_fast.
void drop_what_genai_does_not_recognise(EngineCase& c, std::string_view kind) {
  if (kind == "default") return;
  if (c.spec.rotary_dim != c.spec.head_dim) return c.unknown("a partial rotation that is scaled too");
  const auto methods = c.row().find("genai_methods");
  if (methods == c.row().end()) return c.unknown("rope_type '" + std::string(kind) + "' of this family");
  const bool has_class = std::find(methods->begin(), methods->end(), kind) != methods->end();
  if (has_class && (kind != "yarn" || c.set.get("beta_fast"))) return;
  c.view.reading().warn(c.set.path, c.name() +
                                        " does not recognise it for this family and leaves the model unscaled; "
                                        "lost: rope_type '" +
                                        std::string(kind) + "'");
  c.spec.scaling = DefaultScaling{};
}

// vLLM: one table, for max_position_embeddings, relative to max_trained_positions, which defaults to the same.
Scaling dynamic_of_vllm(EngineCase& c, const DynamicNtkScaling& s) {
  const Value trained = c.set.get("max_trained_positions");
  const double ratio = trained ? s.original_max_position / to_number(c.view.reading(), trained) : 1;
  const double alpha = s.factor * ratio - (s.factor - 1);
  if (alpha == 1) c.lost(c.set.get("factor"), "without max_trained_positions it has no effect");
  if (!(alpha > 0)) c.fails("computes a power of " + show(Json(alpha)));
  return alpha == 1 ? Scaling(DefaultScaling{}) : NtkScaling{alpha};
}

void apply_dynamic_rules(EngineCase& c, const DynamicNtkScaling& s) {
  const Value alpha = c.set.get("alpha");
  if (alpha && (c.is(Reference::kVllm) || c.is(Reference::kSglang))) {
    c.spec.scaling = NtkScaling{to_number(c.view.reading(), alpha)};
  } else if (c.is(Reference::kLlamaCpp)) {
    c.lost(c.set.get("factor"), "GGUF has no dynamic scaling, the converter drops it");
    c.spec.scaling = DefaultScaling{};
  } else if (c.is(Reference::kSglang)) {  // the base for factor x max_position_embeddings positions, at every length
    c.spec.scaling = NtkScaling{s.factor * s.factor - s.factor + 1};
  } else if (c.is(Reference::kVllm)) {
    c.spec.scaling = dynamic_of_vllm(c, s);
  }
}

void apply_method_rules(EngineCase& c, const Engine& engine) {
  const std::string_view kind = scaling_name(c.spec.scaling);
  if (!engine.methods.contains(kind)) {
    // sglang's and 4.57's "proportional" is code of single models.
    if (engine.has.contains("all_methods") && kind != "proportional")
      return c.fails("has no rope_type '" + std::string(kind) + "'");
    return c.unknown("rope_type '" + std::string(kind) + "'");
  }
  if (c.is(Reference::kOnnxruntimeGenai)) drop_what_genai_does_not_recognise(c, kind);
  if (c.is(Reference::kMlxLm)) judge_keys_of_mlx(c);
  if (c.is(Reference::kTransformers4)) judge_scaling_of_4(c, kind);
  if (!c.settled()) return;
  if (const auto* dynamic = std::get_if<DynamicNtkScaling>(&c.spec.scaling)) {
    apply_dynamic_rules(c, DynamicNtkScaling(*dynamic));
  } else if (auto* yarn = std::get_if<YarnScaling>(&c.spec.scaling)) {
    apply_yarn_rules(c, *yarn);
  } else if (auto* longrope = std::get_if<LongRopeScaling>(&c.spec.scaling)) {
    apply_longrope_rules(c, *longrope);
  } else if (const auto* llama3 = std::get_if<Llama3Scaling>(&c.spec.scaling)) {
    if (c.is(Reference::kLlamaCpp) && llama3->low_freq_factor == llama3->high_freq_factor)
      c.fails("has a converter that refuses low_freq_factor = high_freq_factor");
  } else if (c.is(Reference::kLlamaCpp) && std::holds_alternative<DefaultScaling>(c.spec.scaling)) {
    move_tail_to_fourth_axis(c);
  }
}

}  // namespace

void apply_engine_rules(const ConfigView& view, const RopeParameters& set, RopeSpec& spec, ModelRotation& out) {
  const Engine* engine = engine_of(*view.reading().options.reference);
  if (engine == nullptr || !out.unknown.empty()) return;
  validate_spec(spec);
  EngineCase c{engine->reference, view, set, spec, out};
  judge_family(c, *engine);
  if (c.settled()) apply_axes_rules(c, *engine);
  if (c.settled()) apply_method_rules(c, *engine);
}

}  // namespace rotary::detail
