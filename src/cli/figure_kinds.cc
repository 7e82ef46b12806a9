#include "cli/figure_kinds.h"

#include <algorithm>
#include <stdexcept>

namespace rotary::cli {
namespace {

using Rotations = std::span<const report::NamedRotation>;

const FigureKind kKinds[] = {
    {"mechanism", "a query and a key in the plane of a pair, before and after",
     "Dashed: the query q and the key k as they are; solid: turned by their positions. Both pictures on top have the "
     "same offset between the positions, so the same angle and the same score. Below: the score of this pair against "
     "the offset, and for three offsets against the position, where it is flat.",
     false, [](Rotations r) { return report::Figure(report::mechanism_figure(r.front())); }},
    {"wavelength", "positions per full turn of each pair",
     "A pair above the line of the trained length completes no turn within it: longer texts bring angles that the "
     "model "
     "has not seen, unless a scaling method slows the pair down.",
     true, [](Rotations r) { return report::Figure(report::wavelength_figure(r)); }},
    {"decay", "score against distance, and its bound",
     "Above, the score of a query and a key whose channels are all 1. Below, the mean size of the partial sums, which "
     "bounds the score of any query and key up to a factor of their own; the bound falls with ripples, the score of a "
     "real head need not fall at all.",
     true, [](Rotations r) { return report::Figure(report::decay_figure(r)); }},
    {"angles", "the angle of each pair at each position",
     "Fast pairs on the left turn many times; pairs on the right whose column never reaches the darkest colour have "
     "not "
     "turned once.",
     false, [](Rotations r) { return report::Figure(report::angle_figure(r.front())); }},
    {"yarn", "what a scaling method divides each pair by, and its attention factor",
     "Above, 1 is a pair left alone, the scaling factor a pair that is interpolated in full. Below, what multiplies "
     "cos "
     "and sin; methods without an attention factor stay at 1.",
     true, [](Rotations r) { return report::Figure(report::scaling_figure(r)); }},
    {"precision", "what rounding costs, position by position and pair by pair",
     "Each row holds the positions from the one above to its own. Angles are rounded once to the format named; the "
     "engines' arithmetics round as those engines do. Grey: beyond the format's range.",
     false, [](Rotations r) { return report::Figure(report::precision_figure(r.front())); }},
};

}  // namespace

std::span<const FigureKind> figure_kinds() { return kKinds; }

const FigureKind& figure_kind(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const FigureKind& kind) { return kind.name == name; });
  if (found == std::end(kKinds)) throw std::logic_error("figure_kind: name must be known, got " + name);
  return *found;
}

report::NamedRotation named(std::string name, const ModelRotation& rotation, const ReadOptions& options) {
  return {std::move(name), rotation.spec.value(), rotation.rotation.query, options.seq_len};
}

}  // namespace rotary::cli
