// Names beside a plot, each close to what it names and none on another.
#pragma once

#include <string>
#include <vector>

#include "report/svg.h"

namespace rotary::report {

/// The places closest to the wanted ones (least squares) that keep their order, lie `pitch` apart and inside low …
/// high; where there is no room, closer together. Ties keep the order given.
std::vector<double> spread(const std::vector<double>& wanted, double pitch, double low, double high);

struct SideLabel {
  enum class Key { kLine, kBox };
  std::string name = {};
  double wanted = 0;           // y of what it names
  std::string css_class = {};  // of the key
  Key key = Key::kLine;
  std::string lead_class = {};  // of the thin line from the plot to the key
  bool touches = false;         // the named line ends at the plot's edge: lead it to the name
};

/// The width that the labels take, at most `most`.
double side_labels_width(const std::vector<SideLabel>& labels, double most);

/// Draws them in `box`, whose left side is the plot's right side.
void draw_side_labels(Svg& svg, const std::vector<SideLabel>& labels, const Box& box);

}  // namespace rotary::report
