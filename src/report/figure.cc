#include "report/figure.h"

#include <algorithm>
#include <cmath>

#include "core/require.h"
#include "report/draw.h"

namespace rotary::report {
namespace {

constexpr double kEdge = 14, kLeastWidth = 80, kLeastHeight = 60, kMost = 20000;

std::string picture(const Figure& figure, Size size, Svg::Use use) {
  detail::require(size.width >= kLeastWidth && size.width <= kMost, "to_svg", "width must be 80 to 20000", size.width);
  detail::require(size.height >= kLeastHeight && size.height <= kMost, "to_svg", "height must be 60 to 20000",
                  size.height);
  validate_figure(figure);
  Svg svg(size);
  svg.rect({0, 0, size.width, size.height}, "card");
  draw_figure(svg, figure, {kEdge, kEdge, size.width - 2 * kEdge, size.height - 2 * kEdge});
  return svg.finish(use, title_of(figure));
}

}  // namespace

void validate_figure(const Figure& figure) {
  std::visit([](const auto& f) { validate(f); }, figure);
}

void draw_figure(Svg& svg, const Figure& figure, const Box& box) {
  std::visit([&](const auto& f) { draw(svg, f, box); }, figure);
}

const std::string& title_of(const Figure& figure) {
  return std::visit([](const auto& f) -> const std::string& { return f.title; }, figure);
}

std::string colour_class(std::size_t series) {
  return "c" + std::to_string(series % 8) + (series % 16 >= 8 ? " dashed" : "");
}

Size natural_size(const Figure& figure) {
  const Size inner = std::visit([](const auto& f) { return natural_size_of(f); }, figure);
  return {std::clamp(std::ceil(inner.width + 2 * kEdge), kLeastWidth, kMost),
          std::clamp(std::ceil(inner.height + 2 * kEdge), kLeastHeight, kMost)};
}

std::string to_svg(const Figure& figure, Size size) { return picture(figure, size, Svg::Use::kAlone); }

std::string to_svg(const Figure& figure) { return to_svg(figure, natural_size(figure)); }

std::string to_inline_svg(const Figure& figure, Size size) { return picture(figure, size, Svg::Use::kInPage); }

}  // namespace rotary::report
