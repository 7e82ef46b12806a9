// Two axes that cross at the origin, arcs, arrows, then the names, each at the first free place beside what it names.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "report/draw.h"
#include "report/plot_frame.h"
#include "report/text.h"

namespace rotary::report {
namespace {

constexpr double kSide = 340, kRoomForNames = 36, kFont = 12, kHead = 9, kPi = 3.141592653589793;

struct PlaneView {
  Spot origin;
  double scale;  // pixels per unit
  Spot at(double x, double y) const { return {origin.x + scale * x, origin.y - scale * y}; }
  Spot polar(double radius, double angle) const { return at(radius * std::cos(angle), radius * std::sin(angle)); }
};

PlaneView view_plane(const Plane& plane, const Box& box) {
  double reach = 0;
  for (const Arrow& a : plane.arrows) reach = std::max(reach, std::hypot(a.x, a.y));
  for (const Arc& a : plane.arcs) reach = std::max(reach, a.radius);
  const double half = std::max(10.0, std::min(box.width, box.height) / 2 - kRoomForNames);
  return {{box.x + box.width / 2, box.y + box.height / 2}, reach > 1e-290 ? half / reach : half};
}

// A triangle whose point is `tip`; `angle` is where it points, in pixels (downwards positive).
void draw_head(Svg& svg, Spot tip, double angle, const std::string& colour) {
  PathData head;
  head.move_to(tip);
  for (const double turn : {kPi - 0.38, kPi + 0.38})
    head.line_to({tip.x + kHead * std::cos(angle + turn), tip.y + kHead * std::sin(angle + turn)});
  svg.path(head.close(), colour + " fill");
}

void draw_axes(Svg& svg, const Plane& plane, const PlaneView& view, const Box& box) {
  svg.line({box.x, view.origin.y}, {box.right(), view.origin.y}, "grid");
  svg.line({view.origin.x, box.y}, {view.origin.x, box.bottom()}, "grid");
  svg.text({box.right(), view.origin.y + 13}, plane.x_label, {"soft", kTickFont, Anchor::kEnd});
  svg.text({view.origin.x + 5, box.y + 9}, plane.y_label, {"soft", kTickFont});
}

void draw_arc(Svg& svg, const Arc& arc, const PlaneView& view) {
  const std::string colour = colour_class(static_cast<std::size_t>(arc.colour));
  const double length = std::abs(arc.to - arc.from) * arc.radius * view.scale;
  const bool has_head = length > 2 * kHead;
  const double way = arc.to < arc.from ? -1 : 1,
               end = has_head ? arc.to - way * kHead / (arc.radius * view.scale) : arc.to;
  const int steps = std::clamp(static_cast<int>(length / 3), 1, 240);
  PathData path;
  path.move_to(view.polar(arc.radius, arc.from));
  for (int i = 1; i <= steps; ++i) path.line_to(view.polar(arc.radius, arc.from + (end - arc.from) * i / steps));
  svg.path(path, colour + " thin");
  if (has_head) {
    const Spot base = view.polar(arc.radius, end), tip = view.polar(arc.radius, arc.to);
    draw_head(svg, tip, std::atan2(tip.y - base.y, tip.x - base.x), colour);
  }
}

void draw_arrow(Svg& svg, const Arrow& arrow, const PlaneView& view) {
  const std::string colour = colour_class(static_cast<std::size_t>(arrow.colour));
  const Spot tip = view.at(arrow.x, arrow.y);
  const double length = std::hypot(tip.x - view.origin.x, tip.y - view.origin.y);
  if (length < 1) return svg.circle(view.origin, 3, colour + " fill");
  const double keep = std::max(0.0, 1 - (kHead - 1) / length);  // the line ends inside the head
  PathData path;
  path.move_to(view.origin)
      .line_to({view.origin.x + keep * (tip.x - view.origin.x), view.origin.y + keep * (tip.y - view.origin.y)});
  svg.path(path, colour + (arrow.faint ? " line faint" : " line"));
  draw_head(svg, tip, std::atan2(tip.y - view.origin.y, tip.x - view.origin.x), colour);
}

bool meet(const Box& a, const Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// What names keep clear of: small boxes along the arcs and the arrows.
std::vector<Box> lines_of(const Plane& plane, const PlaneView& view) {
  std::vector<Box> out;
  const auto add = [&](Spot spot) { out.push_back({spot.x - 2, spot.y - 2, 4, 4}); };
  constexpr int kBoxes = 60;
  for (const Arc& arc : plane.arcs)
    for (int i = 0; i <= kBoxes; ++i) add(view.polar(arc.radius, arc.from + (arc.to - arc.from) * i / kBoxes));
  for (const Arrow& a : plane.arrows)
    for (int i = 1; i <= kBoxes; ++i) add(view.at(a.x * i / kBoxes, a.y * i / kBoxes));
  return out;
}

// Names that are written one after the other, each where it meets no line and no earlier one.
class Names {
 public:
  Names(Svg& svg, const Box& room, std::vector<Box> taken) : svg_(svg), room_(room), taken_(std::move(taken)) {}

  /// Beside `spot`, outwards as seen from the origin if that is free.
  void write(const std::string& name, Spot spot, Spot origin, std::string_view css_class) {
    if (name.empty()) return;
    const std::string text = fit_width(name, kFont, room_.width / 2);
    const double outwards = std::atan2(spot.y - origin.y, spot.x - origin.x);
    const Box box = free_place(spot, outwards, estimate_width(text, kFont));
    taken_.push_back(box);
    svg_.text({box.x + box.width / 2, box.y + box.height - 3}, text, {css_class, kFont, Anchor::kMiddle});
  }

 private:
  Box place(Spot spot, double angle, double gap, double width) const {
    const double height = kFont + 2;
    Box box{spot.x + std::cos(angle) * (gap + width / 2) - width / 2,
            spot.y + std::sin(angle) * (gap + height / 2) - height / 2, width, height};
    box.x = std::clamp(box.x, room_.x, std::max(room_.x, room_.right() - width));
    box.y = std::clamp(box.y, room_.y, std::max(room_.y, room_.bottom() - height));
    return box;
  }

  // The nearest free place, outwards first and inwards last.
  Box free_place(Spot spot, double outwards, double width) const {
    for (const double gap : {6.0, 14.0, 24.0})
      for (const double turn : {0.0, 0.5, -0.5, 1.0, -1.0, kPi, kPi + 0.5, kPi - 0.5}) {
        const Box box = place(spot, outwards + turn, gap, width);
        if (std::none_of(taken_.begin(), taken_.end(), [&](const Box& b) { return meet(b, box); })) return box;
      }
    return place(spot, outwards, 6, width);
  }

  Svg& svg_;
  Box room_;
  std::vector<Box> taken_;
};

}  // namespace

Size natural_size_of(const Plane& plane) {
  const double title = plane.title.empty() ? 0 : 24;
  return {std::max(kSide, estimate_width(plane.title, kTitleFont * 1.05)), kSide + title};
}

void draw(Svg& svg, const Plane& plane, Box box) {
  draw_title(svg, plane.title, box);
  const PlaneView view = view_plane(plane, box);
  draw_axes(svg, plane, view, box);
  for (const Arc& arc : plane.arcs) draw_arc(svg, arc, view);
  for (const bool faint : {true, false})
    for (const Arrow& arrow : plane.arrows)
      if (arrow.faint == faint) draw_arrow(svg, arrow, view);
  Names names(svg, box, lines_of(plane, view));
  for (const Arrow& arrow : plane.arrows) names.write(arrow.name, view.at(arrow.x, arrow.y), view.origin, "text");
  for (const Arc& arc : plane.arcs)
    names.write(arc.name, view.polar(arc.radius, (arc.from + arc.to) / 2), view.origin, "soft");
}

}  // namespace rotary::report
