#include "report/colour_scale.h"

#include <algorithm>

#include "report/axis.h"
#include "report/draw.h"
#include "report/number_text.h"
#include "report/text.h"

namespace rotary::report {
namespace {

constexpr double kFont = 11, kBarWidth = 120, kBarHeight = 10;
constexpr int kSteps = 40;

int hundredths(double part) { return static_cast<int>(std::lround(100 * std::clamp(part, 0.0, 1.0))); }

}  // namespace

Paint ColourLimits::paint(double value) const {
  if (!std::isfinite(value)) return {"missing", 100};
  if (palette == Palette::kSequential) {
    const double part = max / 2 > min / 2 ? (value / 2 - min / 2) / (max / 2 - min / 2) : 0.5;  // halves: no overflow
    return {"more", hundredths(part)};
  }
  const double end = std::max(std::abs(min), std::abs(max));
  return {value < 0 ? "less" : "more", end > 0 ? hundredths(std::abs(value) / end) : 0};
}

ColourLimits colour_limits(const ColourScale& scale, const std::vector<double>& values) {
  Range data;
  for (const double v : values)
    if (std::isfinite(v)) data.add(v);
  if (data.empty) data.high = 1;
  if (scale.palette == Palette::kDiverging) {
    const double end = std::max(std::abs(data.low), std::abs(data.high));
    if (!scale.min && !scale.max) return {scale.palette, -end, end};
    return {scale.palette, scale.min.value_or(-std::abs(scale.max.value_or(0))),
            scale.max.value_or(std::abs(scale.min.value_or(0)))};
  }
  const double min = scale.min.value_or(scale.max ? std::min(data.low, *scale.max) : data.low);
  return {scale.palette, min, scale.max.value_or(std::max(min, data.high))};
}

void draw_colour_scale(Svg& svg, const ColourScale& scale, const Box& row) {
  const ColourLimits limits = colour_limits(scale, {});
  const double baseline = row.y + kFont;
  double left = row.x;
  const auto write = [&](const std::string& text) {
    svg.text({left, baseline}, text, {"soft", kFont});
    left += estimate_width(text, kFont) + 6;
  };
  if (!scale.label.empty()) write(fit_width(scale.label, kFont, std::max(40.0, row.width - kBarWidth - 80)));
  write(short_number(limits.min));
  const Box bar{std::round(left), row.y + 2, kBarWidth, kBarHeight};
  for (int i = 0; i < kSteps; ++i) {
    const double part = (i + 0.5) / kSteps;
    const Paint paint = limits.paint(limits.min * (1 - part) + limits.max * part);
    svg.rect({bar.x + i * kBarWidth / kSteps, bar.y, kBarWidth / kSteps, bar.height},
             std::string(paint.css_class) + " cell", paint.opacity());
  }
  svg.rect({bar.x + 0.5, bar.y + 0.5, bar.width - 1, bar.height - 1}, "frame");
  left = bar.right() + 6;
  write(short_number(limits.max));
}

}  // namespace rotary::report
