#include "report/line_path.h"

#include <algorithm>
#include <cmath>

namespace rotary::report {
namespace {

struct Stretch {
  std::size_t begin, end;
};

// The longest runs of indices that `shown` accepts.
template <class Shown>
std::vector<Stretch> stretches(std::size_t count, Shown shown) {
  std::vector<Stretch> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (!shown(i)) continue;
    if (out.empty() || out.back().end != i) out.push_back({i, i});
    out.back().end = i + 1;
  }
  return out;
}

auto point_shown(const Series& s, const AxisView& x, const AxisView& y) {
  return [&](std::size_t i) { return can_show(x.scale, s.x[i]) && can_show(y.scale, s.y[i]); };
}

// Parts of the stretch whose points share a column of pixels; calls part(begin, end) for each.
template <class Part>
void for_each_column(const Series& s, const AxisView& x, const Stretch& stretch, Part part) {
  for (std::size_t i = stretch.begin; i < stretch.end;) {
    const double column = std::floor(x.at(s.x[i]));
    std::size_t end = i + 1;
    while (end < stretch.end && std::floor(x.at(s.x[end])) == column) ++end;
    part(i, end);
    i = end;
  }
}

std::vector<std::size_t> kept_points(const Series& s, const AxisView& x, const Stretch& stretch) {
  std::vector<std::size_t> out;
  for_each_column(s, x, stretch, [&](std::size_t begin, std::size_t end) {
    const auto at = [&](std::size_t i) { return s.y.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto [low, high] = std::minmax_element(at(begin), at(end));
    std::size_t kept[] = {begin, static_cast<std::size_t>(low - s.y.begin()),
                          static_cast<std::size_t>(high - s.y.begin()), end - 1};
    std::sort(std::begin(kept), std::end(kept));
    out.insert(out.end(), std::begin(kept), std::unique(std::begin(kept), std::end(kept)));
  });
  return out;
}

}  // namespace

PathData line_path(const Series& s, const AxisView& x, const AxisView& y) {
  PathData out;
  for (const Stretch& stretch : stretches(s.x.size(), point_shown(s, x, y))) {
    if (stretch.end - stretch.begin < 2) continue;
    bool first = true;
    for (const std::size_t i : kept_points(s, x, stretch)) {
      const Spot spot{x.at(s.x[i]), y.at(s.y[i])};
      first ? out.move_to(spot) : out.line_to(spot);
      first = false;
    }
  }
  return out;
}

PathData band_path(const Series& s, const AxisView& x, const AxisView& y) {
  const auto shown = [&](std::size_t i) {
    return can_show(x.scale, s.x[i]) && can_show(y.scale, s.low[i]) && can_show(y.scale, s.high[i]);
  };
  PathData out;
  for (const Stretch& stretch : stretches(s.low.size(), shown)) {
    std::vector<Spot> upper, lower;
    for_each_column(s, x, stretch, [&](std::size_t begin, std::size_t end) {
      const auto part = [&](const std::vector<double>& v) { return v.begin() + static_cast<std::ptrdiff_t>(begin); };
      const auto count = static_cast<std::ptrdiff_t>(end - begin);
      upper.push_back({x.at(s.x[begin]), y.at(*std::max_element(part(s.high), part(s.high) + count))});
      lower.push_back({x.at(s.x[begin]), y.at(*std::min_element(part(s.low), part(s.low) + count))});
    });
    out.move_to(upper.front());
    for (std::size_t i = 1; i < upper.size(); ++i) out.line_to(upper[i]);
    for (std::size_t i = lower.size(); i-- > 0;) out.line_to(lower[i]);
    out.close();
  }
  return out;
}

std::vector<std::size_t> visible_points(const Series& s, const AxisView& x, const AxisView& y) {
  std::vector<std::size_t> out;
  for (const Stretch& stretch : stretches(s.x.size(), point_shown(s, x, y)))
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) out.push_back(i);
  return out;
}

std::vector<std::size_t> lonely_points(const Series& s, const AxisView& x, const AxisView& y) {
  std::vector<std::size_t> out;
  for (const Stretch& stretch : stretches(s.x.size(), point_shown(s, x, y)))
    if (stretch.end - stretch.begin == 1) out.push_back(stretch.begin);
  return out;
}

}  // namespace rotary::report
