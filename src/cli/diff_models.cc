#include "cli/diff_models.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/inspect_text.h"

namespace rotary::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string what(const RotationDifference& row) {
  std::string out = row.first.empty() ? row.second : row.first;
  if (!row.first.empty() && !row.second.empty() && row.second != row.first) out += " / " + row.second;
  if (!row.layers.empty()) out += std::string(", layer") + (row.layers.size() == 1 ? " " : "s ") + ranges(row.layers);
  return out;
}

std::string how(const RotationDifference& row, double position) {
  const MapDifference& d = row.difference;
  if (!row.no_answer.empty()) return row.no_answer;
  if (d.same) return "same rotation" + (d.cause.empty() ? "" : ", " + d.cause);
  std::string out = "differ: " + d.cause;
  if (d.max_angle == 0 && d.factor_ratio == 1) return out;
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "; up to %.6g rad apart at position %.17g (pair %d), factor ratio %.9g",
                d.max_angle, position, d.pair, d.factor_ratio);
  return out + numbers;
}

Json rows_json(const std::vector<RotationDifference>& rows) {
  Json out = Json::array();
  for (const auto& [first, second, layers, d, no_answer] : rows)
    out.push_back({{"first", first},
                   {"second", second},
                   {"layers", layers},
                   {"known", no_answer.empty()},
                   {"same", d.same},
                   {"max_angle", d.max_angle},
                   {"pair", d.pair},
                   {"factor_ratio", d.factor_ratio},
                   {"cause", d.cause}});
  return out;
}

std::string name_of(const ReferenceAnswer& answer) {
  const std::string release(release_of(answer.reference));
  return std::string(to_string(answer.reference)) + (release.empty() ? "" : " " + release);
}

}  // namespace

bool same(const std::vector<RotationDifference>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const RotationDifference& r) { return r.difference.same; });
}

std::string to_text(const std::vector<RotationDifference>& rows, double position) {
  std::string out;
  for (const RotationDifference& r : rows) out += what(r) + ": " + how(r, position) + "\n";
  return out;
}

std::string to_json(const std::vector<RotationDifference>& rows, double position) {
  return Json{{"same", same(rows)}, {"position", position}, {"rotations", rows_json(rows)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

std::string to_text(const std::vector<ReferenceAnswer>& answers, double position) {
  std::string out;
  for (const ReferenceAnswer& answer : answers) {
    const bool first = &answer == &answers.front();
    out += name_of(answer) + ":";
    if (!answer.error.empty()) {
      out += " refuses the file: " + answer.error + "\n";
      continue;
    }
    if (first)
      out += " the others are compared with it\n";
    else if (same(answer.differences))
      out += " the same\n";
    else
      out += "\n";
    for (const RotationDifference& r : answer.differences)
      if (!r.difference.same) out += "  " + what(r) + ": " + how(r, position) + "\n";
    for (const ConfigWarning& w : answer.warnings) out += "  warning: " + w.key + ": " + w.message + "\n";
  }
  return out;
}

std::string to_json(const std::vector<ReferenceAnswer>& answers, double position) {
  Json out{{"position", position}, {"references", Json::array()}};
  for (const ReferenceAnswer& answer : answers) {
    Json one{{"reference", to_string(answer.reference)}, {"release", release_of(answer.reference)}};
    if (!answer.error.empty()) {
      one["error"] = answer.error;
    } else {
      one["same"] = same(answer.differences);
      one["rotations"] = rows_json(answer.differences);
      one["warnings"] = Json::array();
      for (const ConfigWarning& w : answer.warnings)
        one["warnings"].push_back({{"key", w.key}, {"message", w.message}});
    }
    out["references"].push_back(std::move(one));
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rotary::cli
