#include "formats/gguf_axes.h"

#include <algorithm>
#include <numeric>

namespace rotary::detail {
namespace {

const char* const kSections = "rope.dimension_sections";

// The id that turns pair i: 0 time, 1 height, 2 width, 3 extra.
int axis_of_pair(const GgufPairing& pairing, int i) {
  const auto& s = pairing.sections;
  const std::int64_t sector = i % std::accumulate(s.begin(), s.end(), std::int64_t{0});
  if (pairing.rope == "imrope") {
    for (const int axis : {0, 1, 2})
      if (sector % 3 == axis && sector < 3 * s[static_cast<std::size_t>(axis)]) return axis;
    return 3;
  }
  if (sector < s[0]) return 0;
  if (sector < s[0] + s[1]) return 1;
  return sector < s[0] + s[1] + s[2] ? 2 : 3;
}

// Bands of kSections, band j on axis j mod n, for any assignment: an axis that has no turn gets an empty band.
std::vector<int> bands_of(const std::vector<int>& axes, int num_axes) {
  std::vector<int> out;
  for (const int axis : axes) {
    while (out.empty() || static_cast<int>((out.size() - 1) % static_cast<std::size_t>(num_axes)) != axis)
      out.push_back(0);
    ++out.back();
  }
  return out;
}

// Interleaved as the core has it, if that is the same.
bool is_interleaved(const std::vector<int>& axes, const std::vector<int>& counts) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int turn = static_cast<int>(i % 3);
    const bool inside = turn != 0 && static_cast<int>(i) < 3 * counts[static_cast<std::size_t>(turn)];
    if (axes[i] != (inside ? turn : 0)) return false;
  }
  return true;
}

void warn_of_tail(GgufKeys& keys, const std::vector<int>& axes) {
  const auto tail = std::ranges::count(axes, 3);
  keys.reading().warn(keys.path_of(kSections),
                      std::to_string(tail) + " of " + std::to_string(axes.size()) + " pairs, the first of them pair " +
                          std::to_string(std::ranges::find(axes, 3) - axes.begin()) +
                          ", are turned by the fourth position id, which llama.cpp sets to 0 for text; transformers "
                          "turns them by the first");
}

}  // namespace

GgufPairing read_gguf_pairing(GgufKeys& keys, const Json& row) {
  GgufPairing out{row.at("rope").get<std::string>(), {}};
  const auto rule = row.find("sections");
  if (rule == row.end()) return out;
  const auto given = keys.counts(kSections, 4);
  if (!given && *rule == "required") keys.fail(kSections, "be given for this architecture", "nothing");
  if (!given || (*rule == "optional" && ((*given)[0] == 0 || (*given)[1] == 0))) return out;
  if (*rule == "optional") out.rope = "mrope";
  out.sections = *given;
  if (std::accumulate(given->begin(), given->begin() + 3, std::int64_t{0}) == 0)
    keys.fail(kSections, "have a pair on one of the first three axes", show(Json(*given)));
  return out;
}

AxisLayout gguf_axes(GgufKeys& keys, const GgufPairing& pairing, int pairs) {
  AxisLayout out;
  if (pairing.sections.empty()) return out;
  std::vector<int> axes;
  for (int i = 0; i < pairs; ++i) axes.push_back(axis_of_pair(pairing, i));
  const bool has_tail = std::ranges::find(axes, 3) != axes.end();
  if (has_tail && pairing.rope == "imrope") {
    if (keys.as_written())
      std::ranges::replace(axes, 3, 0);
    else
      warn_of_tail(keys, axes);
  }
  out.num_axes = std::ranges::find(axes, 3) != axes.end() ? 4 : 3;
  std::vector<int> counts(static_cast<std::size_t>(out.num_axes));
  for (const int axis : axes) ++counts[static_cast<std::size_t>(axis)];
  if (pairing.rope == "imrope" && out.num_axes == 3 && is_interleaved(axes, counts)) {
    out.rule = AxisRule::kInterleavedSections;
    out.sections = counts;
  } else {
    out.rule = AxisRule::kSections;
    out.sections = bands_of(axes, out.num_axes);
  }
  return out;
}

}  // namespace rotary::detail
