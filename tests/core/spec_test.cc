// What a spec may say, and what it is refused for.
#include "rotary/spec.h"

#include <gtest/gtest.h>

#include <set>
#include <variant>

#include "core/case_lines.h"
#include "core/golden.h"
#include "core/rotation_cases.h"

namespace rotary::testing {
namespace {

// --- Widths (UP-10: what a config gives as head_dim times a partial factor)

void validate_width(int head_dim, double partial_factor) {
  RopeSpec spec = spec_of(static_cast<int>(head_dim * partial_factor), 10000);
  spec.head_dim = head_dim;
  validate_spec(spec);
}

TEST(Spec, EvenRotaryWidthsOfAnyHeadAreAccepted) {
  for (const auto& [head_dim, factor] : {std::pair{96, 0.4}, {100, 0.29}, {128, 1.0}, {65, 0.5}, {4, 0.5}})
    EXPECT_NO_THROW(validate_width(head_dim, factor)) << head_dim << " " << factor;  // 38, 28, 128, 32 and 2
}

TEST(Spec, EveryCaseOfTheseTestsIsValid) {
  for (const SpecCase& c : all_cases()) EXPECT_NO_THROW(validate_spec(c.spec)) << c.name;
}

// --- Several axes

RopeSpec multi_axis(int head_dim, int rotary_dim, AxisRule rule, std::vector<int> sections, int num_axes = 3) {
  RopeSpec spec = spec_of(rotary_dim, 10000000);
  spec.head_dim = head_dim;
  spec.axes = {rule, num_axes, std::move(sections), {}};
  return spec;
}

std::string axes_of(const RotationMap& map) {
  std::string out;
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) out += std::to_string(axis_of(map, i));
  return out;
}

TEST(SpecGolden, AxesOfMultiAxisRotaryAreThoseReported) {
  std::ifstream file = open_golden("core/axes.txt");
  std::string line, id, rule, want;
  int lines = 0;
  while (std::getline(file, line)) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    std::vector<int> sections(3);
    words >> id >> rule >> sections[0] >> sections[1] >> sections[2] >> want;
    const AxisRule axis_rule = rule == "chunked" ? AxisRule::kSections : AxisRule::kInterleavedSections;
    const int width = 2 * static_cast<int>(want.size());
    EXPECT_EQ(axes_of(make_rotation_map(multi_axis(width, width, axis_rule, sections))), want) << line;
    ++lines;
  }
  EXPECT_EQ(lines, 3);
}

TEST(SpecGolden, EveryAxisRuleGivesPairsTheAxisAndTheFrequencyOfItsDefinition) {
  std::vector<SpecCase> cases = axis_cases();
  std::ifstream file = open_golden("core/axis_rules.txt");
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, axes, places;
    double denominator = 0;
    words >> name >> axes >> denominator >> places;
    ASSERT_EQ(name, cases.front().name);
    const RotationMap map = cases.front().map();
    EXPECT_EQ(axes_of(map), axes) << line;
    for (int i = 0; i < 12; ++i) {
      const double want = std::pow(10000, -2 * numbers(places)[static_cast<std::size_t>(i)] / denominator);
      EXPECT_NEAR(map.at(0, i, axis_of(map, i)).hi, want, 8 * 0x1p-52 * want) << line;  // eps / 2 times ln base < 10
    }
    cases.erase(cases.begin());
  }
  EXPECT_TRUE(cases.empty());
}

TEST(SpecProperty, EqualAxesTurnAsOneAxisBitForBit) {
  for (const SpecCase& c : axis_cases()) {  // UP-07, UP-50: rules with one list of frequencies
    if (c.spec.axes.rule >= AxisRule::kAxialBlocks) continue;
    RopeSpec one = c.spec;
    one.axes = {};
    const Vector x = random_vector(one.head_dim, 9);
    for (double m : kPositions)
      EXPECT_EQ(reference::rotate_all(c.map(), x, {m}), reference::rotate_all(make_rotation_map(one), x, {m}))
          << c.name;
  }
}

TEST(SpecProperty, APartialRotaryOfSeveralAxesLeavesTheOtherChannelsAlone) {
  const RopeSpec spec = multi_axis(256, 64, AxisRule::kSections, {11, 11, 10});  // UP-07
  const RotationMap map = make_rotation_map(spec);
  EXPECT_EQ(rotary_dim(map), 64);
  const Vector x = random_vector(256, 10), out = reference::rotate(map, x, {7, 8191, 131071});
  EXPECT_TRUE(std::equal(x.begin() + 64, x.end(), out.begin() + 64));
}

TEST(SpecProperty, AScoreOfPatchesDependsOnTheDifferenceInHeightAndWidthOnly) {
  RopeSpec spec = spec_of(24, 100);
  for (AxisRule rule : {AxisRule::kAlternating, AxisRule::kAxialBlocks, AxisRule::kAxialAlternating,
                        AxisRule::kAxialSplit, AxisRule::kAxialParts}) {
    spec.axes = {rule, 2, {}, {}};
    const RotationMap map = make_rotation_map(spec);  // UP-52: a grid of 2 x 3
    const Vector q = random_vector(24, 11), k = random_vector(24, 12);
    const auto score = [&](int m, int n) {
      const auto patch = [](int token) { return Vector{double(token / 3), double(token % 3)}; };
      return reference::dot(reference::rotate(map, q, patch(m)), reference::rotate(map, k, patch(n)));
    };
    EXPECT_NEAR(score(0, 1), score(4, 5), 24 * 16 * 0x1p-52);  // right by one; channels, roundings of each
    EXPECT_NEAR(score(0, 3), score(2, 5), 24 * 16 * 0x1p-52);  // down by one
    EXPECT_GT(std::abs(score(0, 1) - score(0, 3)), 1e-3);      // height and width are not exchanged
  }
}

TEST(SpecProperty, AnAxisOrderExchangesTheAxes) {
  for (AxisRule rule : {AxisRule::kAlternating, AxisRule::kAxialBlocks, AxisRule::kAxialAlternating}) {
    RopeSpec ordered = spec_of(24, 100), exchanged = ordered;
    ordered.axes = {rule, 2, {}, {0, 1}};
    exchanged.axes = {rule, 2, {}, {1, 0}};
    const Vector x = random_vector(24, 13);
    EXPECT_EQ(reference::rotate(make_rotation_map(ordered), x, {3, 8191}),
              reference::rotate(make_rotation_map(exchanged), x, {8191, 3}));
  }
}

// --- Names

TEST(Spec, NamesOfScalingsAndAxisRulesAreAllDifferent) {
  std::set<std::string_view> scalings, rules;
  for (const SpecCase& c : scaling_cases()) scalings.insert(scaling_name(c.spec.scaling));
  for (const SpecCase& c : axis_cases()) rules.insert(to_string(c.spec.axes.rule));
  EXPECT_EQ(scalings.size(), std::variant_size_v<Scaling> + 1);  // yarn_paper has a name of its own
  EXPECT_EQ(rules.size(), 9U);
}

TEST(Spec, ArithmeticsAreParsedFromTheirNames) {
  for (Arithmetic arithmetic :
       {Arithmetic::kExact, Arithmetic::kTransformersFloat32, Arithmetic::kTransformersBfloat16, Arithmetic::kGgml})
    EXPECT_EQ(parse_arithmetic(to_string(arithmetic)), arithmetic);
}

TEST(LengthRule, SwitchesWhereTheMethodDoes) {
  const auto rule = [](Scaling scaling) { return LengthRule(spec_of(32, 10000, std::move(scaling))); };
  EXPECT_EQ(rule(DynamicNtkScaling{2, 4096}).switch_length(), 4096);
  EXPECT_EQ(rule(longrope_of(2, 8192, Vector(16, 1), Vector(16, 2))).switch_length(), 8192);
  EXPECT_EQ(rule(yarn_of(4, 4096)).switch_length(), 0);
  EXPECT_FALSE(rule(yarn_of(4, 4096)).depends_on_length());
  EXPECT_THROW(LengthRule(RopeSpec{}), std::invalid_argument);
}

}  // namespace
}  // namespace rotary::testing
