// Configuration files of GPT-NeoX (megatron/neox_arguments/neox_args.py and megatron/model/transformer.py): pos_emb is
// "learned" unless the file says "rotary"; int(head_dim * rotary_pct) leading channels turn, in half pairing.
#include "formats/dialect.h"

namespace rotary::detail {

void read_neox_arguments(const Json& root, Reading& reading, ModelConfig& out) {
  refuse_two_spellings(root, "", reading);
  const ConfigView file(root, "", dialect_row("gpt_neox"), reading, "");
  out.model_type = "gpt_neox";
  if (!file.in_file("pos_emb"))
    for (const char* key : {"rotary_pct", "rotary_emb_base"})
      if (const Value lost = file.in_file(key))
        reading.warn(lost.path, "without effect: pos_emb is absent, so positions are learned");
  add_rotations(file, out.model_type, out);
}

}  // namespace rotary::detail
