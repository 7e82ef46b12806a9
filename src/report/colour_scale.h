// From values to colours.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "report/figure.h"

namespace rotary::report {

/// A colour of figure_style(), laid over the background in hundredths of its strength.
struct Paint {
  std::string_view css_class;
  int hundredths = 0;
  double opacity() const { return hundredths / 100.0; }
};

/// A colour scale whose limits are known.
struct ColourLimits {
  Palette palette = Palette::kSequential;
  double min = 0, max = 1;
  Paint paint(double value) const;
};

/// The limits given, the data's otherwise; 0 to 1 without any.
ColourLimits colour_limits(const ColourScale& scale, const std::vector<double>& values);

}  // namespace rotary::report
