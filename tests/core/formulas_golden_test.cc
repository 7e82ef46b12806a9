// The defining formulas evaluated in float64 by numpy: golden/formulas, stated to 1e-14 relative.
#include <gtest/gtest.h>

#include <sstream>

#include "core/double_double.h"
#include "core/golden.h"
#include "core/rotation_cases.h"
#include "core/scaled_frequencies.h"
#include "rotary/layer_rotation.h"

namespace rotary::testing {
namespace {

constexpr double kStated = 1e-14;

/// The arrays of a golden file one after the other.
class Arrays {
 public:
  explicit Arrays(const std::string& name) : values_(read_golden<double>(name)) {}

  Vector next(std::size_t count) {
    if (next_ + count > values_.size()) throw std::runtime_error("golden file is too short");
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(next_);
    next_ += count;
    return Vector(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  bool ended() const { return next_ == values_.size(); }

 private:
  std::vector<double> values_;
  std::size_t next_ = 0;
};

std::vector<std::string> lines_of(const std::string& name) {
  std::vector<std::string> out;
  std::ifstream file = open_golden(name);
  for (std::string line; std::getline(file, line);) out.push_back(line);
  return out;
}

void expect_frequencies(const RotationMap& map, const Vector& want, const std::string& what) {
  ASSERT_EQ(map.pairs.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(map.frequency[i].hi, want[i], kStated * want[i]) << what << " pair " << i;
}

TEST(FormulasGolden, ScaledFrequenciesAreThoseOfTheFormulas) {
  Arrays arrays("formulas/scaled.f64");
  for (const std::string& line : lines_of("formulas/scaled.txt")) {
    std::istringstream words(line);
    int d = 0, length = 0;
    double base = 0, s = 0;
    words >> d >> base >> length >> s;
    YarnScaling fractional = yarn_of(s, length);
    fractional.truncate = false;
    for (const Scaling& scaling :
         std::vector<Scaling>{DefaultScaling{}, LinearScaling{s}, NtkScaling{s}, DynamicNtkScaling{s, double(length)},
                              yarn_of(s, length), fractional, NtkByPartsPaperScaling{s, double(length)},
                              Llama3Scaling{s, 1, 4, double(length)}})
      expect_frequencies(make_rotation_map(spec_of(d, base, scaling), 2 * length),
                         arrays.next(static_cast<std::size_t>(d) / 2), line);
    const double magnitude = arrays.next(1)[0];
    EXPECT_NEAR(map_of(d, base, yarn_of(s, length)).attention_factor, magnitude, kStated * magnitude) << line;
  }
  EXPECT_TRUE(arrays.ended());
}

TEST(FormulasGolden, CorrectionRangesOfYarnAreThoseOfTheFormulas) {
  for (const std::string& line : lines_of("formulas/scaled.txt")) {
    std::istringstream words(line);
    int d = 0;
    double base = 0, length = 0, s = 0, low = 0, high = 0, exact_low = 0, exact_high = 0;
    words >> d >> base >> length >> s >> low >> high >> exact_low >> exact_high;
    const auto range = detail::correction_range(32, 1, {base, d, d / 2, 0}, length, true);
    const auto exact = detail::correction_range(32, 1, {base, d, d / 2, 0}, length, false);
    EXPECT_EQ(range.low.hi, low) << line;
    EXPECT_EQ(range.high.hi, high) << line;
    EXPECT_NEAR(exact.low.hi, exact_low, kStated * exact_low) << line;
    EXPECT_NEAR(exact.high.hi, exact_high, kStated * exact_high) << line;
  }
}

TEST(FormulasGolden, ProportionalAndPartialRotaryTurnVectorsAsTheFormulasDo) {
  Arrays arrays("formulas/partial.f64");
  for (const std::string& line : lines_of("formulas/partial.txt")) {
    std::istringstream words(line);
    std::string kind;
    RopeSpec spec;
    double proportion = 1;
    words >> kind >> spec.head_dim >> spec.rotary_dim >> proportion;
    if (kind == "p-RoPE") spec.scaling = ProportionalScaling{proportion, 1};
    const RotationMap map = make_rotation_map(spec);
    const Vector positions = arrays.next(5);
    std::vector<Vector> x, y;
    const auto d = static_cast<std::size_t>(spec.head_dim);
    for (std::size_t row = 0; row < 5; ++row) x.push_back(arrays.next(d));
    expect_frequencies(map, arrays.next(map.pairs.size()), line);
    for (std::size_t row = 0; row < 5; ++row) {
      const double size = std::sqrt(reference::dot(x[row], x[row]));
      // Both angles come from frequencies that may be 1e-14 apart.
      EXPECT_LE(gap(reference::rotate(map, x[row], {positions[row]}), arrays.next(d)),
                kStated * (1 + positions[row]) * size)
          << line;
    }
  }
  EXPECT_TRUE(arrays.ended());
}

std::string axes_of(const RotationMap& map) {
  std::string out;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) out += std::to_string(axis_of(map, i));
  return out;
}

RotationMap sectioned(AxisRule rule, const std::vector<int>& sections) {
  RopeSpec spec = spec_of(2 * (sections[0] + sections[1] + sections[2]), 1000000);
  spec.axes = {rule, 3, sections, {}};
  return make_rotation_map(spec);
}

TEST(FormulasGolden, TheAxisOfEachPairIsThatOfMultiAxisRotary) {
  for (const std::string& line : lines_of("formulas/axes.txt")) {
    std::istringstream words(line);
    std::vector<int> sections(3);
    std::string chunked, interleaved;
    words >> sections[0] >> sections[1] >> sections[2] >> chunked >> interleaved;
    EXPECT_EQ(axes_of(sectioned(AxisRule::kSections, sections)), chunked) << line;
    EXPECT_EQ(axes_of(sectioned(AxisRule::kInterleavedSections, sections)), interleaved) << line;
  }
}

struct XposCase {
  int d = 0;
  std::size_t queries = 0, offset = 0;
  Xpos xpos;

  /// x turned at position n, interleaved, every pair multiplied by its magnitude or divided by it.
  Vector turned(const Vector& x, std::size_t n, bool key) const {
    RopeSpec spec = spec_of(d, 10000);
    spec.pairing = spec.output_pairing = Pairing::kInterleaved;
    const auto m = static_cast<double>(n);
    Vector out = reference::rotate(make_rotation_map(spec), x, {m});
    for (int i = 0; i < d; ++i) {
      const double scale = xpos_scale(xpos, i / 2, d / 2, m);
      out[static_cast<std::size_t>(i)] *= key ? 1 / scale : scale;
    }
    return out;
  }
};

void expect_near_all(const Vector& got, const Vector& want, double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  EXPECT_LE(gap(got, want), tolerance) << what;
}

TEST(FormulasGolden, XposScalesAndScoresAreThoseOfTheFormulas) {
  Arrays arrays("formulas/xpos.f64");
  for (const std::string& line : lines_of("formulas/xpos.txt")) {
    std::istringstream words(line);
    XposCase c;
    words >> c.d >> c.queries >> c.offset >> c.xpos.scale_base >> c.xpos.center;
    c.xpos.center = -c.xpos.center;
    const std::size_t d = static_cast<std::size_t>(c.d), keys = c.queries + c.offset;
    std::vector<Vector> q, k, q_out, k_out;
    for (std::size_t n = 0; n < c.queries; ++n) q.push_back(arrays.next(d));
    for (std::size_t n = 0; n < keys; ++n) k.push_back(arrays.next(d));
    arrays.next(d / 2);  // zeta: the scale one scale base from the centre
    for (double m = 0; m < static_cast<double>(keys); ++m)
      for (int i = 0; i < c.d / 2; ++i)
        EXPECT_NEAR(xpos_scale(c.xpos, i, c.d / 2, m), arrays.next(1)[0], 2 * kStated) << line;  // at most 2
    for (std::size_t n = 0; n < c.queries; ++n) q_out.push_back(c.turned(q[n], c.offset + n, false));
    for (std::size_t n = 0; n < keys; ++n) k_out.push_back(c.turned(k[n], n, true));
    const double size = 16;  // channels below 4, scales below 2, angles below 8: a little below it
    for (const Vector& x : q_out) expect_near_all(x, arrays.next(d), size * kStated, line);
    for (const Vector& x : k_out) expect_near_all(x, arrays.next(d), size * kStated, line);
    for (const Vector& x : q_out)
      for (const Vector& y : k_out) EXPECT_NEAR(reference::dot(x, y), arrays.next(1)[0], size * kStated * c.d) << line;
  }
  EXPECT_TRUE(arrays.ended());
}

}  // namespace
}  // namespace rotary::testing
