// Writes the elements of an SVG picture.
#pragma once

#include <string>
#include <string_view>

#include "report/figure.h"

namespace rotary::report {

struct Spot {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  std::string_view css_class = "text";
  double size = 12;
  Anchor anchor = Anchor::kStart;
  double rotation = 0;  // degrees, clockwise, about the spot
};

/// A number of pixels or a share, as attributes and paths take it: two decimals at most, no trailing zeros.
std::string pixels(double value);

/// The data of a path.
class PathData {
 public:
  PathData& move_to(Spot to) { return add('M', to); }
  PathData& line_to(Spot to) { return add('L', to); }
  PathData& box(const Box& box);
  PathData& close();
  bool empty() const { return data_.empty(); }
  const std::string& data() const { return data_; }

 private:
  PathData& add(char command, Spot to);
  std::string data_;
};

/// Elements in the order of the calls. Classes are those of figure_style(); text is escaped here. A tooltip that is not
/// empty is what a browser shows over the element.
class Svg {
 public:
  explicit Svg(Size size) : size_(size) {}
  Size size() const { return size_; }

  void line(Spot from, Spot to, std::string_view css_class);
  void path(const PathData& path, std::string_view css_class, double opacity = 1);
  void rect(const Box& box, std::string_view css_class, double opacity = 1, std::string_view tooltip = {});
  void circle(Spot centre, double radius, std::string_view css_class, std::string_view tooltip = {});
  void text(Spot spot, std::string_view text, const TextStyle& style = {});

  /// What lies outside the box is cut off until end_clip.
  void begin_clip(const Box& box);
  void end_clip();

  enum class Use { kAlone, kInPage };
  /// `label` is what a screen reader says.
  std::string finish(Use use, std::string_view label) const;

 private:
  void close(std::string_view element, std::string_view tooltip);
  Size size_;
  std::string body_;
};

}  // namespace rotary::report
