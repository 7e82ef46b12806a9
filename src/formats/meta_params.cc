// params.json of Meta's releases, read as their own code does: Llama 1 to 4 and Code Llama.
//
//   rope_theta   absent: 10000 in Llama 1 and 2, whose code knows no other (transformers,
//                convert_llama_weights_to_hf.py); 500000 where the file scales or is of Llama 4 (llama-models,
//                models/llama3/args.py and models/llama4/args.py)
//   scaling      llama-models, models/llama3/model.py and models/llama4/model.py: low 1, high 4 (Llama 4: 1),
//                original length 8192
//   pairing      interleaved: apply_rotary_emb in both
#include <map>

#include "formats/dialect.h"
#include "formats/family_table.h"

namespace rotary::detail {
namespace {

// Keys of models/llama4/args.py that models/llama3/args.py does not have.
bool is_llama4(const ConfigView& file) {
  for (const char* key : {"nope_layer_interval", "attention_chunk_size", "moe_args", "use_qk_norm", "vision_args",
                          "rope_high_freq_factor", "attn_temperature_tuning"})
    if (file.in_file(key)) return true;
  return false;
}

// The factor by the model's width, where the file has none: 8 for Llama 3.1, 3.3 and 3.2 with vision, 32 for the small
// text models of 3.2 (transformers, convert_llama_weights_to_hf.py, and the configurations published with the models;
// llama-models' own code has 8 for every size).
double implied_factor(const ConfigView& file) {
  static const std::map<int, double> kFactors{{2048, 32}, {3072, 32}, {4096, 8}, {8192, 8}, {16384, 8}};
  const auto found = kFactors.find(file.require_size("hidden_size"));
  if (found == kFactors.end())
    fail(file.reading(), file.path_of("rope_scaling_factor"),
         "be given (use_scaled_rope is true, and no released model with " + file.get("hidden_size").path + " = " +
             show(*file.get("hidden_size").json) + " implies it)",
         "nothing");
  return found->second;
}

void add_scaling(const ConfigView& file, bool llama4, Json& defaults) {
  defaults["rope_type"] = "llama3";
  defaults["low_freq_factor"] = 1.0;
  defaults["original_max_position_embeddings"] = 8192;
  defaults["rope_high_freq_factor"] = llama4 ? 1.0 : 4.0;
  // models/llama4/args.py has 16 for the one model that scales, Scout.
  if (!file.get("factor")) defaults["rope_scaling_factor"] = llama4 ? 16.0 : implied_factor(file);
}

// Its code divides whatever head_dim says: what differs cannot have been trained.
void check_head_dim(const ConfigView& file) {
  const Value given = member(file.node(), file.path(), "head_dim");
  if (!given) return;
  const std::int64_t dim = file.require_size("hidden_size"), heads = file.require_size("num_attention_heads");
  if (to_integer(file.reading(), given) * heads != dim)
    fail(file.reading(), given.path, "be dim / n_heads = " + std::to_string(dim) + " / " + std::to_string(heads),
         show(*given.json));
}

}  // namespace

void read_meta_params(const Json& root, Reading& reading, ModelConfig& out) {
  const Value nested = root.contains("dim") ? Value{} : member(root, "", "model");
  const ConfigView file(nested ? *nested.json : root, nested.path, dialect_row("meta"), reading, "");
  Json row = file.row();
  const bool llama4 = is_llama4(file), scaled = is_on(file, "use_scaled_rope");
  if (llama4 || scaled) row["defaults"]["rope_theta"] = 500000.0;
  if (scaled) add_scaling(file, llama4, row["defaults"]);
  if (file.in_file("nope_layer_interval"))
    row["rotation_list"] = {{"key", "no_rope_layers"}, {"interval", "nope_layer_interval"}};
  check_head_dim(file);
  out.model_type = llama4 ? "llama4" : "llama";
  add_rotations(file.with_row(row), out.model_type, out);
  if (scaled) add_source(out, file.get("use_scaled_rope").source("rope_type"));
  // models/llama4/vision/encoder.py: of base 10000 always.
  const Json sizes{
      {"keys",
       {{"hidden_size", {"dim"}},
        {"num_attention_heads", {"n_heads"}},
        {"num_hidden_layers", {"n_layers"}},
        {"head_dim", Json::array()}}},
      {"defaults", {{"hidden_size", nullptr}, {"num_attention_heads", nullptr}, {"num_hidden_layers", nullptr}}}};
  add_component(file.in_file("vision_args"), "llama4_vision_model", sizes, reading, out);
}

}  // namespace rotary::detail
