#include "report/side_labels.h"

#include <algorithm>
#include <numeric>

#include "report/text.h"

namespace rotary::report {
namespace {

constexpr double kFont = 12, kPitch = 16, kLead = 14, kKey = 16, kGap = 5;

// Pools neighbours that would change places into one block at their mean.
std::vector<double> ascending_fit(const std::vector<double>& values) {
  struct Block {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (const double v : values) {
    blocks.push_back({v, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum, blocks.back().count += last.count;
    }
  }
  std::vector<double> out;
  for (const Block& b : blocks) out.insert(out.end(), b.count, b.mean());
  return out;
}

std::vector<double> wanted_places(const std::vector<SideLabel>& labels) {
  std::vector<double> out;
  for (const SideLabel& label : labels) out.push_back(label.wanted);
  return out;
}

void draw_key(Svg& svg, const SideLabel& label, double left, double y) {
  const double key = left + kLead;
  if (label.key == SideLabel::Key::kBox) return svg.rect({key + 3, y - 5, 10, 10}, label.css_class);
  if (label.touches) svg.line({left, label.wanted}, {key, y}, label.lead_class);
  svg.line({key, y}, {key + kKey, y}, label.css_class);
}

}  // namespace

std::vector<double> spread(const std::vector<double>& wanted, double pitch, double low, double high) {
  const std::size_t n = wanted.size();
  if (n > 1) pitch = std::min(pitch, (high - low) / static_cast<double>(n - 1));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> shifted(n), out(n);  // without the pitch, order is all that is asked for
  for (std::size_t i = 0; i < n; ++i) shifted[i] = wanted[order[i]] - pitch * static_cast<double>(i);
  shifted = ascending_fit(shifted);
  const double last = n > 0 ? high - pitch * static_cast<double>(n - 1) : high;
  for (std::size_t i = 0; i < n; ++i)
    out[order[i]] = std::max(low, std::min(shifted[i], last)) + pitch * static_cast<double>(i);
  return out;
}

double side_labels_width(const std::vector<SideLabel>& labels, double most) {
  double width = 0;
  for (const SideLabel& label : labels) width = std::max(width, estimate_width(label.name, kFont));
  return labels.empty() ? 0 : std::min(most, width + kLead + kKey + kGap + 4);
}

void draw_side_labels(Svg& svg, const std::vector<SideLabel>& labels, const Box& box) {
  const double half = kPitch / 2;
  const std::vector<double> places = spread(wanted_places(labels), kPitch, box.y + half, box.bottom() - half);
  const double pitch = labels.size() > 1 ? (box.height - kPitch) / static_cast<double>(labels.size() - 1) : kPitch;
  const double font = std::clamp(pitch * kFont / kPitch, 6.0, kFont);
  const double text_left = box.x + kLead + kKey + kGap;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    draw_key(svg, labels[i], box.x, places[i]);
    svg.text({text_left, places[i] + font * 0.36}, fit_width(labels[i].name, font, box.right() - text_left),
             {"text", font});
  }
}

}  // namespace rotary::report
