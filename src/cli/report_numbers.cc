#include "cli/report_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "report/number_text.h"

namespace rotary::cli {
namespace {

using report::Grid;
using report::HeatMap;
using report::LineChart;
using report::Series;
using report::short_number;

const LineChart& chart_in(const report::Figure& figure, std::size_t panel) {
  return std::get<LineChart>(std::get<Grid>(figure).panels.at(panel).figure);
}

// y of the point nearest to x.
double value_at(const Series& series, double x) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < series.x.size(); ++i)
    if (std::abs(series.x[i] - x) < std::abs(series.x[best] - x)) best = i;
  return series.x.empty() ? std::numeric_limits<double>::quiet_NaN() : series.y[best];
}

// 1, 16, 256, ... and the last.
std::vector<double> some_positions(double last) {
  std::vector<double> out;
  for (double position = 1; position < last; position *= 16) out.push_back(position);
  out.push_back(last);
  return out;
}

}  // namespace

report::Table mechanism_numbers(const report::Figure& figure) {
  report::Table out{{{"positions apart"}, {"score"}}, {}};
  for (const Series& s : chart_in(figure, 3).series)
    out.rows.push_back({s.name.substr(s.name.find(' ') + 1), short_number(s.y.front())});
  return out;
}

report::Table wavelength_numbers(const report::Figure& figure) {
  const LineChart& chart = std::get<LineChart>(figure);
  report::Table out{{{"rotation"}, {"pairs"}, {"fastest"}, {"slowest"}}, {}};
  for (const report::ReferenceLine& line : chart.lines)
    out.columns.push_back({"turn within " + short_number(line.value, 12)});
  for (const Series& s : chart.series) {
    std::vector<double> turning;
    std::copy_if(s.y.begin(), s.y.end(), std::back_inserter(turning), [](double w) { return std::isfinite(w); });
    if (turning.empty()) continue;
    const auto [least, most] = std::minmax_element(turning.begin(), turning.end());
    std::vector<std::string> row = {s.name, std::to_string(turning.size()), short_number(*least), short_number(*most)};
    for (const report::ReferenceLine& line : chart.lines)
      row.push_back(
          std::to_string(std::count_if(turning.begin(), turning.end(), [&](double w) { return w <= line.value; })));
    out.rows.push_back(std::move(row));
  }
  return out;
}

report::Table decay_numbers(const report::Figure& figure) {
  const Series &scores = chart_in(figure, 0).series.at(0), &bounds = chart_in(figure, 1).series.at(0);
  report::Table out{{{"distance"}, {"score"}, {"bound"}}, {}};
  for (const double distance : some_positions(scores.x.back()))
    out.rows.push_back({short_number(distance, 12), short_number(value_at(scores, distance)),
                        short_number(value_at(bounds, distance))});
  return out;
}

report::Table angle_numbers(const report::Figure& figure) {
  const HeatMap& map = std::get<HeatMap>(figure);
  const auto columns = static_cast<std::size_t>(map.columns);
  const std::size_t pairs[] = {0, columns / 2, columns - 1};
  report::Table out{{{"position"}}, {}};
  for (const std::size_t pair : pairs) out.columns.push_back({"pair " + std::to_string(pair) + ", rad"});
  std::vector<std::string> shown;
  for (const double position : some_positions(0x1p40)) shown.push_back(short_number(position, 12));
  for (std::size_t r = 0; r < map.row_labels.size(); ++r) {
    const std::string& label = map.row_labels[r];
    if (std::find(shown.begin(), shown.end(), label) == shown.end() && r + 1 < map.row_labels.size()) continue;
    std::vector<std::string> row = {label};
    for (const std::size_t pair : pairs) row.push_back(short_number(map.values[r * columns + pair]));
    out.rows.push_back(std::move(row));
  }
  return out;
}

report::Table scaling_numbers(const report::Figure& figure) {
  const LineChart &divisors = chart_in(figure, 0), &factors = chart_in(figure, 1);
  report::Table out{
      {{"rotation"}, {"least divisor"}, {"largest divisor"}, {"factor"}, {"attention factor"}, {"squared"}}, {}};
  for (const Series& s : divisors.series) {
    std::vector<std::string> row = {s.name};
    std::vector<double> values;
    std::copy_if(s.y.begin(), s.y.end(), std::back_inserter(values), [](double d) { return std::isfinite(d); });
    if (values.empty()) continue;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    row.insert(row.end(), {short_number(*least), short_number(*most), "–", "–", "–"});
    for (std::size_t i = 0; i < factors.series.size(); ++i) {
      if (factors.series[i].name != s.name) continue;
      const double factor = value_at(factors.series[i], factors.lines[i].value);
      row[3] = short_number(factors.lines[i].value);
      row[4] = short_number(factor);
      row[5] = short_number(factor * factor);
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

report::Table precision_numbers(const report::Figure& figure) {
  const Grid& maps = std::get<Grid>(std::get<Grid>(figure).panels.at(0).figure);
  const LineChart& alike = chart_in(figure, 1);
  report::Table out{{{"arithmetic"}, {"largest error of cos, sin"}, {"half of the pairs alike from"}}, {}};
  for (std::size_t i = 0; i < maps.panels.size(); ++i) {
    const HeatMap& map = std::get<HeatMap>(maps.panels[i].figure);
    double most = map.scale.min.value_or(0);
    bool beyond = false;
    for (const double v : map.values) std::isfinite(v) ? void(most = std::max(most, v)) : void(beyond = true);
    const Series& s = alike.series.at(i);
    const auto half = std::find_if(s.y.begin(), s.y.end(), [](double share) { return share >= 50; });
    out.rows.push_back({map.title, short_number(std::pow(10, most), 2) + (beyond ? ", and out of range" : ""),
                        half == s.y.end() ? "–" : short_number(s.x[static_cast<std::size_t>(half - s.y.begin())], 12)});
  }
  return out;
}

}  // namespace rotary::cli
