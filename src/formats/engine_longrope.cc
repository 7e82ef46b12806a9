#include "core/scaled_frequencies.h"
#include "formats/engine_case.h"

namespace rotary::detail {
namespace {

// 4.57 takes the original length beside the dictionary, never the one inside, and then the ratio of the lengths.
void transformers_4(EngineCase& c, LongRopeScaling& s) {
  const Value beside = c.view.get("original_max_position_embeddings");
  const double limit = c.spec.max_position;
  if (const Value inside = c.set.get("original_max_position_embeddings"); inside && !beside)
    c.lost(inside, "read beside the dictionary only; max_position_embeddings counts");
  s.original_max_position = beside ? to_number(c.view.reading(), beside) : limit;
  if (beside) s.factor = limit / s.original_max_position;
  if (!beside && !c.set.get("factor") && !c.set.get("attention_factor"))
    c.fails("fails on longrope without factor and without original_max_position_embeddings beside it (TypeError)");
}

// One list at every length.
void take_long_list(EngineCase& c, LongRopeScaling& s, const std::string& why) {
  c.view.reading().warn(c.set.path, c.name() + " takes the long list at every length" + why);
  s.short_factor = s.long_factor;
  s.short_mscale = s.long_mscale;
}

// All but transformers: the magnitude follows from the lengths, or short_mscale and long_mscale give it per list.
bool take_lengths(EngineCase& c, LongRopeScaling& s, double limit) {
  const double ratio = limit / s.original_max_position;
  LongRopeScaling by_lengths = s;
  by_lengths.factor = ratio;
  by_lengths.attention_factor.reset(), by_lengths.short_mscale.reset(), by_lengths.long_mscale.reset();
  const double rule = attention_factor(by_lengths, 0);
  if (const Value given = c.set.get("attention_factor")) {
    if (c.is(Reference::kLlamaCpp)) return c.unknown("attention_factor of longrope"), false;
    c.lost(given, "the magnitude follows from the lengths");
  }
  if (const Value factor = c.set.get("factor"); factor && s.factor != ratio)
    c.lost(factor, "the ratio of the lengths counts");
  s.factor = ratio;
  s.attention_factor.reset();
  // mlx-lm's general code does not pass the two keys on; llama.cpp's converter writes the rule's value.
  const bool by_rule = c.is(Reference::kMlxLm) || c.is(Reference::kLlamaCpp);
  s.short_mscale = by_rule ? rule : c.number("short_mscale", rule);
  s.long_mscale = by_rule ? rule : c.number("long_mscale", rule);
  return true;
}

}  // namespace

void apply_longrope_rules(EngineCase& c, LongRopeScaling& s) {
  if (c.is(Reference::kTransformers4)) return transformers_4(c, s);
  const double limit = c.spec.max_position;
  if (!(limit > 0)) return c.unknown("longrope without max_position_embeddings");
  if (!take_lengths(c, s, limit)) return;
  switch (c.reference) {
    case Reference::kVllm:  // the longest sequence that the server admits: the declared limit, unless told otherwise
      if (limit > s.original_max_position) take_long_list(c, s, ", since max_model_len is beyond the original length");
      return;
    case Reference::kMlxLm: return take_long_list(c, s, "");
    case Reference::kSglang:  // any(positions > original): one token later than transformers
      s.original_max_position += 1;
      return;
    case Reference::kLlamaCpp:
      c.view.reading().warn(c.set.path, c.name() +
                                            " chooses the list once, by the length of the context: give that as "
                                            "the sequence length");
      return;
    default: return;
  }
}

}  // namespace rotary::detail
