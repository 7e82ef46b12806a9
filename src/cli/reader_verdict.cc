#include "cli/reader_verdict.h"

#include <stdexcept>
#include <string_view>

#include "report/number_text.h"
#include "rotary/formats/model_compare.h"

namespace rotary::cli {
namespace {

std::string text_of(const RotationDifference& d, double position) {
  using report::short_number;
  std::string out = (d.first.empty() ? d.second : d.first) + ": " + d.difference.cause;
  if (d.difference.max_angle > 0)
    out += ", up to " + short_number(d.difference.max_angle) + " rad apart at position " + short_number(position, 12);
  if (d.difference.factor_ratio != 1) out += ", factor ratio " + short_number(d.difference.factor_ratio);
  return out;
}

}  // namespace

ReaderVerdict ask_reader(const std::string& path, const ReadOptions& options, Reference reader, double position) {
  ReadOptions others = options;
  others.reference = reader;
  try {
    for (const ModelRotation& r : read_model_config(path, others).rotations) {
      if (!r.fails.empty()) return {"fails", r.fails};
      if (!r.unknown.empty()) return {"not known", r.unknown};
    }
    std::string details;
    for (const RotationDifference& d : compare_models(path, options, path, others, position))
      if (!d.difference.same) details += (details.empty() ? "" : "; ") + text_of(d, position);
    return details.empty() ? ReaderVerdict{"the same", ""} : ReaderVerdict{"differs", details};
  } catch (const std::runtime_error& error) {
    // Of other files than config.json no engine's reading is known.
    if (std::string_view(error.what()).find("--as must be") != std::string_view::npos)
      return {"not known", "this kind of file has its own reading only"};
    return {"refuses the file", error.what()};
  }
}

}  // namespace rotary::cli
