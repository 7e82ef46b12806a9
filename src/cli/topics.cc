#include "cli/topics.h"

namespace rotary::cli {

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"relative-property", "Why a rotation makes scores depend on distances only", explain_relative_property},
      {"pairing", "Which channels meet, and the forms that a rotation is written in", explain_pairing},
      {"frequencies", "How fast each pair turns, and what that is good for", explain_frequencies},
      {"scaling", "What scaling methods do to the frequencies of one model", explain_scaling},
      {"precision", "Where narrow numbers make neighbours the same", explain_precision},
      {"cache", "What may be done with keys that are rotated already", explain_cache}};
  return all;
}

}  // namespace rotary::cli
