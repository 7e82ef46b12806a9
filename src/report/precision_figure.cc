// What rounding costs, octave by octave and pair by pair.
#include <algorithm>
#include <cmath>
#include <limits>

#include "report/number_text.h"
#include "report/rotation_numbers.h"
#include "rotary/cos_sin_table.h"

namespace rotary::report {
namespace {

constexpr int kSamples = 8;  // positions that stand for an octave
constexpr std::size_t kMostColumns = 32;
constexpr double kRounding = 1e-5;        // more than any arithmetic loses at position 1
constexpr double kLeast = -8, kMost = 0;  // log10 of errors on the colour scale

// cos and sin at each position and the next: [2 * positions][pairs].
struct Values {
  std::string name;
  std::vector<float> cos, sin;
};

struct Sampled {
  std::vector<std::int64_t> positions;  // each with the next after it
  std::vector<std::size_t> octave;      // of each sample
  std::vector<std::string> labels;      // of each octave: its last position
};

// Powers of two are exact in every format, so odd positions where there are any.
Sampled sample_octaves(double limit) {
  Sampled out;
  for (std::int64_t first = 1; static_cast<double>(first) < limit; first *= 2) {
    std::int64_t last = 0;
    for (int i = 0; i < kSamples; ++i) {
      const std::int64_t position = (first + first * i / kSamples) | 1;
      if (position == last) continue;
      last = position;
      out.positions.insert(out.positions.end(), {position, position + 1});
      out.octave.push_back(out.labels.size());
    }
    out.labels.push_back(with_commas(2 * first - 1));
  }
  return out;
}

Values from_table(std::string name, const CosSinTable& table, const RotationMap& map) {
  Values out{std::move(name), {}, {}};
  const auto factor = static_cast<float>(map.attention_factor);
  for (std::int64_t row = 0; row < table.num_rows(); ++row) {
    for (const float c : table.cos(row)) out.cos.push_back(c / factor);
    for (const float s : table.sin(row)) out.sin.push_back(s / factor);
  }
  return out;
}

Values in_arithmetic(std::string name, const NamedRotation& r, const std::vector<std::int64_t>& positions,
                     Arithmetic arithmetic) {
  std::vector<std::int64_t> all_axes;
  for (const std::int64_t p : positions) all_axes.insert(all_axes.end(), static_cast<std::size_t>(r.map.num_axes), p);
  return from_table(std::move(name), CosSinTable::by_token(r.map, all_axes, arithmetic), r.map);
}

// A format of `digits` binary digits; the smallest exponent and the largest number matter for float16 alone.
struct Format {
  const char* name;
  int digits, least_exponent;
  double most;
};

double rounded(double value, const Format& format) {
  if (value == 0) return 0;
  const int exponent = std::max(std::ilogb(value), format.least_exponent);
  const double unit = std::ldexp(1.0, exponent - format.digits + 1);
  const double out = std::nearbyint(value / unit) * unit;
  return std::abs(out) > format.most ? std::numeric_limits<double>::quiet_NaN() : out;
}

// Exact angles, rounded once.
Values of_rounded_angles(const RotationMap& map, const std::vector<std::int64_t>& positions, const Format& format) {
  Values out{std::string(format.name) + " angle", {}, {}};
  const std::vector<double> frequencies = frequencies_of(map);
  for (const std::int64_t p : positions)
    for (const double f : frequencies) {
      const double angle = rounded(static_cast<double>(p) * f, format);
      out.cos.push_back(static_cast<float>(std::cos(angle)));
      out.sin.push_back(static_cast<float>(std::sin(angle)));
    }
  return out;
}

double error_of(const Values& values, const Values& exact, std::size_t at) {
  return std::max(std::abs(double(values.cos[at]) - exact.cos[at]), std::abs(double(values.sin[at]) - exact.sin[at]));
}

// Whether the two differ at the first position, 1, by more than rounding: then they are different rotations.
bool differ(const Values& values, const Values& exact, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; ++i)
    if (error_of(values, exact, i) > kRounding) return true;
  return false;
}

void add_ggml(std::vector<Values>& out, const NamedRotation& r, const Values& exact,
              const std::vector<std::int64_t>& positions) {
  try {
    Values ggml = from_table("ggml", CosSinTable::by_token(r.spec, positions, Arithmetic::kGgml, r.seq_len), r.map);
    if (ggml.cos.size() == exact.cos.size() && !differ(ggml, exact, r.map.pairs.size())) out.push_back(std::move(ggml));
  } catch (const std::invalid_argument&) {  // ggml lacks the method, or there are several axes
  }
}

std::vector<Values> all_values(const NamedRotation& r, const Values& exact,
                               const std::vector<std::int64_t>& positions) {
  constexpr double kNoLimit = std::numeric_limits<double>::max();
  std::vector<Values> out;
  out.push_back(in_arithmetic("transformers, float32", r, positions, Arithmetic::kTransformersFloat32));
  add_ggml(out, r, exact, positions);
  out.push_back(of_rounded_angles(r.map, positions, {"tf32", 11, -126, kNoLimit}));
  out.push_back(of_rounded_angles(r.map, positions, {"float16", 11, -14, 65504}));
  out.push_back(in_arithmetic("transformers, bfloat16", r, positions, Arithmetic::kTransformersBfloat16));
  out.push_back(of_rounded_angles(r.map, positions, {"bfloat16", 8, -126, kNoLimit}));
  return out;
}

HeatMap error_map(const Values& values, const Values& exact, const Sampled& sampled, std::size_t pairs) {
  const std::size_t step = (pairs + kMostColumns - 1) / kMostColumns, columns = (pairs + step - 1) / step;
  HeatMap map;
  map.title = values.name;
  map.rows = static_cast<int>(sampled.labels.size());
  map.columns = static_cast<int>(columns);
  map.row_labels = sampled.labels;
  map.row_title = "position up to";
  map.column_title = "pair";
  map.show_scale = false;
  map.scale = {Palette::kSequential, kLeast, kMost};
  for (std::size_t c = 0; c < columns; ++c) map.column_labels.push_back(std::to_string(c * step));
  map.values.assign(sampled.labels.size() * columns, kLeast);
  for (std::size_t i = 0; i < sampled.octave.size(); ++i)
    for (std::size_t c = 0; c < columns; ++c) {
      const double error = std::log10(error_of(values, exact, 2 * i * pairs + c * step));
      double& most = map.values[sampled.octave[i] * columns + c];
      if (!(error <= most)) most = error;  // a value that is none stays
    }
  return map;
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Over the pairs that turn and the samples of an octave.
Series shares_alike(const Values& values, const Sampled& sampled, const std::vector<double>& frequencies) {
  const std::size_t pairs = frequencies.size();
  std::vector<double> alike(sampled.labels.size()), all(sampled.labels.size());
  for (std::size_t i = 0; i < sampled.octave.size(); ++i)
    for (std::size_t p = 0; p < pairs; ++p) {
      const std::size_t at = 2 * i * pairs + p, next = at + pairs;
      if (frequencies[p] == 0) continue;
      all[sampled.octave[i]] += 1;
      if (same(values.cos[at], values.cos[next]) && same(values.sin[at], values.sin[next]))
        alike[sampled.octave[i]] += 1;
    }
  Series out{values.name};
  for (std::size_t i = 0; i < all.size(); ++i) {
    out.x.push_back(std::exp2(static_cast<double>(i)));
    out.y.push_back(100 * alike[i] / all[i]);
  }
  return out;
}

}  // namespace

Grid precision_figure(const NamedRotation& rotation) {
  validate_rotations({&rotation, 1}, "precision_figure");
  const std::vector<double> frequencies = frequencies_of(rotation.map);
  // One octave at least: a declared limit of 1 leaves no two positions.
  const Sampled sampled = sample_octaves(std::max(2.0, limit_of(rotation.spec)));
  const Values exact = in_arithmetic("exact, float32", rotation, sampled.positions, Arithmetic::kExact);
  Grid maps;
  maps.columns = 2;
  LineChart chart;
  chart.title = "Pairs for which a position and the next are the same";
  chart.x = {"position", Scale::kLog2};
  chart.y = {"% of the pairs that turn", Scale::kLinear, 0.0, 100.0};
  for (const Values& values : all_values(rotation, exact, sampled.positions)) {
    maps.panels.push_back({error_map(values, exact, sampled, frequencies.size())});
    chart.series.push_back(shares_alike(values, sampled, frequencies));
  }
  chart.series.push_back(shares_alike(exact, sampled, frequencies));
  Grid grid;
  grid.title = "What rounding costs: " + rotation.name;
  grid.scale = ColourScale(Palette::kSequential, kLeast, kMost, "log10 of the largest error of cos and sin");
  grid.panels.push_back({std::move(maps)});
  grid.panels.push_back({std::move(chart)});
  return grid;
}

}  // namespace rotary::report
