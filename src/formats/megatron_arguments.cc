// Arguments of Megatron-LM, in YAML or JSON, at the top, under language_model: (its own --yaml-cfg) or under model:
// (NeMo).
//
//   names, defaults   Megatron-LM, megatron/training/arguments.py
//   rotation          megatron/core/models/common/embeddings/rotary_pos_embedding.py: scaling as in Llama 3.1 with low
//   1,
//                     high 4 and 8192; rope_utils.py: latent attention takes even and odd channels apart and writes
//                     halves
//   yarn              yarn_rotary_pos_embedding.py: cos and sin times m(factor, mscale) / m(factor, mscale_all_dim),
//                     m(s, k) = 0.1 k ln s + 1; latent attention: multi_latent_attention.py
#include "core/scaled_frequencies.h"
#include "formats/dialect.h"

namespace rotary::detail {
namespace {

class MegatronReader {
 public:
  MegatronReader(const ConfigView& file, ModelConfig& out)
      : file_(file),
        reading_(file.reading()),
        row_(file.row()),
        latent_(is_on(file, "multi_latent_attention")),
        out_(out) {}

  void read() {
    const Value legacy = file_.get("use_rotary_position_embeddings");
    if (legacy && to_boolean(reading_, legacy)) row_.erase("when");  // as arguments.py: it wins
    row_["defaults"]["position_embedding_type"] = "learned_absolute";
    const Value type = file_.with_row(row_).get("position_embedding_type");
    const std::string kind = row_.contains("when") ? to_text(reading_, type) : "rope";
    if (latent_) add_latent();
    if (kind == "mrope") add_sections();
    if (latent_ ? latent_kind() == "yarn" : kind == "yarn")
      add_yarn();
    else
      add_plain();
    add_layers();
    add_rotations(file_.with_row(row_), out_.model_type, out_);
    if (type && row_.contains("when")) add_source(out_, type.source("position_embedding"));
  }

 private:
  // rope_type is yarn where latent attention is on and the file does not say.
  std::string latent_kind() const {
    const Value kind = file_.get("rope_type");
    return kind ? to_text(reading_, kind) : "yarn";
  }

  void add_sections() {
    required("mrope_section");
    row_["axes"] = {{"rule", "sections"}, {"sections", nullptr}};
    row_["set"].push_back("mrope_section");
  }

  void add_latent() {
    row_.update({{"head", {"qk_head_dim", "qk_pos_emb_head_dim"}},
                 {"width", "qk_pos_emb_head_dim"},
                 {"slice", "trailing"},
                 {"pairing", "interleaved_to_half"}});
    row_["defaults"].update({{"qk_head_dim", 128}, {"qk_pos_emb_head_dim", 64}});
    if (const Value on = file_.get("rotary_interleaved"); on && to_boolean(reading_, on))
      fail(reading_, on.path, "be false with multi_latent_attention", "true");
  }

  // Positions over a number, frequencies as in Llama 3.1, or both.
  void add_plain() {
    Json& defaults = row_["defaults"];
    const Value divisor = file_.get("rotary_seq_len_interpolation_factor");
    const double factor = divisor ? to_number(reading_, divisor) : 1;
    if (!(factor > 0)) fail(reading_, divisor.path, "be a number above 0", show(*divisor.json));
    const bool scaled = is_on(file_, "use_rope_scaling");
    if (scaled) {
      set_keys({"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"});
      row_["keys"]["original_max_position_embeddings"] = Json::array({"rope_scaling_original_max_position_embeddings"});
      defaults.update({{"rope_type", "llama3"},
                       {"rope_scaling_factor", 8.0},
                       {"low_freq_factor", 1.0},
                       {"high_freq_factor", 4.0},
                       {"rope_scaling_original_max_position_embeddings", 8192}});
      row_["position_divisor"] = factor;
    } else if (factor != 1) {
      set_keys({"factor"});
      row_["keys"]["factor"] = Json::array({"rotary_seq_len_interpolation_factor"});
      defaults["rope_type"] = "linear";
    }
  }

  void add_yarn() {
    // Outside latent attention the settings carry a prefix (gpt_model.py).
    const std::string prefix = latent_ ? "" : "yarn_";
    const Value factor = required(prefix + "rotary_scaling_factor");
    set_keys({"factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "attention_factor"});
    for (const char* key : {"original_max_position_embeddings", "beta_fast", "beta_slow"})
      row_["keys"][key] = Json::array({prefix + key});
    row_["keys"]["factor"] = Json::array({prefix + "rotary_scaling_factor"});
    row_["defaults"].update({{"rope_type", "yarn"},
                             {prefix + "original_max_position_embeddings", 4096},
                             {prefix + "beta_fast", 32},
                             {prefix + "beta_slow", 1}});
    const double s = to_number(reading_, factor), m = number(prefix + "mscale", 1),
                 all = number(prefix + "mscale_all_dim", 0);
    row_["keys"]["attention_factor"] = Json::array({prefix + "mscale / " + prefix + "mscale_all_dim"});
    row_["defaults"][prefix + "mscale / " + prefix + "mscale_all_dim"] = yarn_magnitude(s, m) / yarn_magnitude(s, all);
    if (!latent_) return;
    row_["softmax"] = "mscale_all_dim";
    row_["set"].push_back("mscale_all_dim");
    if (m != all)
      reading_.warn("mscale",
                    "differs from mscale_all_dim: the softmax factor is of mscale_all_dim, as in Megatron "
                    "Core since 0.12; earlier ones took mscale");
  }

  void add_layers() {
    const Value skipped = file_.get("no_rope_freq");
    if (!skipped) return;
    if (skipped.json->is_array())
      row_["rotation_list"] = {{"key", "no_rope_freq"}, {"interval", "no_rope_freq"}, {"still", true}};
    else if (skipped.json->is_number())
      row_["rotation_list"] = {{"key", "no_rope_list"}, {"interval", "no_rope_freq"}};
    else
      fail(reading_, skipped.path, "be an integer or a list", show(*skipped.json));
    if (skipped.json->is_array() && skipped.json->empty())
      fail(reading_, skipped.path, "have one entry per layer", "none");
  }

  void set_keys(std::initializer_list<const char*> keys) {
    for (const char* key : keys) row_["set"].push_back(key);
  }

  Value required(const std::string& key) const {
    const Value value = file_.get(key);
    if (!value) fail(reading_, key, "be given (it has no default that all versions share)", "nothing");
    return value;
  }

  double number(const std::string& key, double otherwise) const { return file_.number(key).value_or(otherwise); }

  const ConfigView& file_;
  Reading& reading_;
  Json row_;
  bool latent_;
  ModelConfig& out_;
};

}  // namespace

void read_megatron_arguments(const Json& root, Reading& reading, ModelConfig& out) {
  refuse_two_spellings(root, "", reading);
  for (const char* key : {"language_model", "model"})
    if (const Value inner = member(root, "", key); inner && inner.json->is_object())
      refuse_two_spellings(*inner.json, key, reading);
  out.model_type = "megatron";
  const ConfigView file(root, "", dialect_row("megatron"), reading, "");
  MegatronReader(file, out).read();
}

}  // namespace rotary::detail
