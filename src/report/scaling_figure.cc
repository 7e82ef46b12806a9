// What a method does to each pair, and its attention factor.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/require.h"
#include "report/rotation_numbers.h"

namespace rotary::report {
namespace {

constexpr int kPoints = 121;
constexpr double kLeastRange = 64;  // of the scaling factor

// What the method calls factor; nothing for methods without one.
std::optional<double> factor_of(const Scaling& scaling) {
  return std::visit(
      [](const auto& method) -> std::optional<double> {
        if constexpr (requires { method.factor; }) return method.factor;
        return std::nullopt;
      },
      scaling);
}

double attention_factor_at(RopeSpec spec, double factor, std::int64_t seq_len) {
  std::visit(
      [factor](auto& method) {
        if constexpr (requires { method.factor; }) method.factor = factor;
      },
      spec.scaling);
  return make_rotation_map(spec, seq_len).attention_factor;
}

Series divisors(const NamedRotation& r) {
  const std::vector<double> plain = unscaled_frequencies(r.spec), scaled = frequencies_of(r.map);
  Series out{r.name, pair_indices(scaled.size()), {}};
  for (std::size_t i = 0; i < scaled.size(); ++i)  // no point where the method stops the pair
    out.y.push_back(scaled[i] == 0 ? std::numeric_limits<double>::quiet_NaN() : plain[i] / scaled[i]);
  return out;
}

LineChart divisor_chart(std::span<const NamedRotation> rotations) {
  LineChart chart;
  chart.title = "What each pair's frequency is divided by";
  chart.x = {"pair"};
  chart.y = {"frequency without the method ÷ with it", Scale::kLog2};
  for (const NamedRotation& r : rotations) chart.series.push_back(divisors(r));
  return chart;
}

LineChart attention_chart(std::span<const NamedRotation> rotations) {
  LineChart chart;
  chart.title = "Attention factor, were the scaling factor another";
  chart.x = {"scaling factor", Scale::kLog2, 1.0};
  chart.y = {"multiplies cos and sin, so scores by its square"};
  double most = kLeastRange;
  for (const NamedRotation& r : rotations) most = std::max(most, 2 * factor_of(r.spec.scaling).value_or(1));
  for (const NamedRotation& r : rotations) {
    if (!factor_of(r.spec.scaling)) continue;
    Series series{r.name};
    for (int i = 0; i < kPoints; ++i) {
      const double factor = std::exp2(std::log2(most) * i / (kPoints - 1));
      series.x.push_back(factor);
      series.y.push_back(attention_factor_at(r.spec, factor, r.seq_len));
    }
    chart.series.push_back(std::move(series));
    chart.lines.push_back(
        {rotations.size() == 1 ? "declared" : r.name, *factor_of(r.spec.scaling), ReferenceLine::Direction::kVertical});
  }
  return chart;
}

}  // namespace

Grid scaling_figure(std::span<const NamedRotation> rotations) {
  constexpr const char* kFunction = "scaling_figure";
  validate_rotations(rotations, kFunction);
  for (const NamedRotation& r : rotations)
    detail::require(is_scaled(r.spec), kFunction, "spec of '" + r.name + "' must have a scaling method",
                    scaling_name(r.spec.scaling));
  Grid grid;
  grid.panels.push_back({divisor_chart(rotations)});
  grid.panels.push_back({attention_chart(rotations)});
  return grid;
}

}  // namespace rotary::report
