#include "report/svg.h"

#include <cmath>

#include "report/number_text.h"
#include "report/text.h"

namespace rotary::report {
namespace {

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + pixels(value) + "\"";
}

std::string class_attribute(std::string_view css_class) { return " class=\"" + std::string(css_class) + "\""; }

std::string box_attributes(const Box& box) {
  return attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
         attribute("height", box.height);
}

std::string opacity_attribute(double opacity) { return opacity == 1 ? "" : attribute("fill-opacity", opacity); }

}  // namespace

std::string pixels(double value) { return trimmed(value, 2); }

PathData& PathData::add(char command, Spot to) {
  data_ += command;
  data_ += pixels(to.x) + " " + pixels(to.y);
  return *this;
}

PathData& PathData::close() {
  data_ += 'z';
  return *this;
}

PathData& PathData::box(const Box& box) {
  move_to({box.x, box.y});
  data_ +=
      "H" + pixels(box.right()) + "V" + pixels(box.bottom()) + "H" + pixels(box.x) + "z";  // neighbours meet exactly
  return *this;
}

void Svg::close(std::string_view element, std::string_view tooltip) {
  if (tooltip.empty())
    body_ += "/>\n";
  else
    body_ += "><title>" + escape_markup(tooltip) + "</title></" + std::string(element) + ">\n";
}

void Svg::line(Spot from, Spot to, std::string_view css_class) {
  body_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) + attribute("y2", to.y) +
           class_attribute(css_class) + "/>\n";
}

void Svg::path(const PathData& path, std::string_view css_class, double opacity) {
  body_ += "<path d=\"" + path.data() + "\"" + class_attribute(css_class) + opacity_attribute(opacity) + "/>\n";
}

void Svg::rect(const Box& box, std::string_view css_class, double opacity, std::string_view tooltip) {
  body_ += "<rect" + box_attributes(box) + class_attribute(css_class) + opacity_attribute(opacity);
  close("rect", tooltip);
}

void Svg::circle(Spot centre, double radius, std::string_view css_class, std::string_view tooltip) {
  body_ += "<circle" + attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius) +
           class_attribute(css_class);
  close("circle", tooltip);
}

void Svg::text(Spot spot, std::string_view text, const TextStyle& style) {
  if (text.empty()) return;
  body_ += "<text" + attribute("x", spot.x) + attribute("y", spot.y) + class_attribute(style.css_class) +
           attribute("font-size", style.size);
  if (style.anchor != Anchor::kStart)
    body_ += style.anchor == Anchor::kEnd ? " text-anchor=\"end\"" : " text-anchor=\"middle\"";
  if (style.rotation != 0)
    body_ += " transform=\"rotate(" + pixels(style.rotation) + " " + pixels(spot.x) + " " + pixels(spot.y) + ")\"";
  body_ += ">" + escape_markup(text) + "</text>\n";
}

// An inner picture cuts off by itself; a clip path would need a name, which has to be unique in a page.
void Svg::begin_clip(const Box& box) {
  body_ += "<svg" + box_attributes(box) + " viewBox=\"" + pixels(box.x) + " " + pixels(box.y) + " " +
           pixels(box.width) + " " + pixels(box.height) + "\" overflow=\"hidden\">\n";
}

void Svg::end_clip() { body_ += "</svg>\n"; }

std::string Svg::finish(Use use, std::string_view label) const {
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure\"" + attribute("width", size_.width) +
                    attribute("height", size_.height) + " viewBox=\"0 0 " + pixels(size_.width) + " " +
                    pixels(size_.height) +
                    "\" role=\"img\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', "
                    "'Noto Sans', Arial, sans-serif\"";
  if (!label.empty()) out += " aria-label=\"" + escape_markup(label) + "\"";
  if (use == Use::kAlone) out += " version=\"1.1\"";
  out += ">\n";
  if (use == Use::kAlone) out += "<style>\n" + figure_style() + "</style>\n";
  return out + body_ + "</svg>\n";
}

}  // namespace rotary::report
