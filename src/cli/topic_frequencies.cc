// Topics about frequencies: the progression, and what scaling methods make of it.
#include <cmath>
#include <numbers>

#include "cli/topic_examples.h"
#include "cli/topics.h"
#include "report/table.h"
#include "rotary/bands.h"

namespace rotary::cli {
namespace {

constexpr int kWidth = 128;
constexpr double kOriginal = 4096;  // of the example of scaling: Llama 2
constexpr double kFactor = 8;

double wavelength(const RotationMap& map, int pair) { return 2 * std::numbers::pi / map.at(0, pair, 0).hi; }

Passage progression() {
  const RotationMap small = plain_map(kWidth, 10000), large = plain_map(kWidth, 500000);
  report::Table table{{{"pair"}, {"base 10000"}, {"turns in 8192"}, {"base 500000"}, {"turns in 8192"}}, {}};
  for (int pair : {0, 1, 16, 32, 48, 63})
    table.rows.push_back({std::to_string(pair), short_number(wavelength(small, pair)),
                          short_number(8192 / wavelength(small, pair)), short_number(wavelength(large, pair)),
                          short_number(8192 / wavelength(large, pair))});
  return {
      "A geometric progression",
      "Pair i of a head of 128 channels turns by base^(-2i/128) radians per position. Its wavelength, the positions "
      "of a full turn, grows from 6.28 to nearly 2 pi times the base:",
      report::to_text(table)};
}

Passage clock() {
  return {
      "Hands of a clock",
      "Fast pairs are second hands: they tell neighbours apart and come round so often that far distances are a blur "
      "to them. Slow pairs are hour hands: they hardly move from one token to the next, and order what is far "
      "apart. A pair that makes less than one turn in training shows the model part of its circle only: beyond that "
      "length its angles are new. That is why models break past their length, and why a larger base, which slows "
      "all pairs but the first, is set before training on longer texts and not after.",
      ""};
}

Scaling yarn() {
  YarnScaling out;
  out.factor = kFactor;
  out.original_max_position = kOriginal;
  return out;
}

std::vector<std::pair<std::string, Scaling>> methods() {
  return {{"default", DefaultScaling{}},
          {"linear", LinearScaling{kFactor}},
          {"ntk", NtkScaling{kFactor}},
          {"dynamic at 8192", DynamicNtkScaling{1, kOriginal}},
          {"dynamic at 32768", DynamicNtkScaling{1, kOriginal}},
          {"yarn", yarn()},
          {"llama3", Llama3Scaling{kFactor, 1, 4, kOriginal}}};
}

RopeSpec example_of(const Scaling& scaling) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = kWidth;
  spec.scaling = scaling;
  return spec;
}

Passage methods_table() {
  const RotationMap plain = plain_map(kWidth);
  report::Table table{{{"method"}}, {}};
  const int pairs[] = {0, 16, 24, 32, 40, 48, 63};
  for (int pair : pairs) table.columns.push_back({"pair " + std::to_string(pair)});
  table.columns.push_back({"cos, sin times"});
  for (const auto& [name, scaling] : methods()) {
    const RotationMap map = make_rotation_map(example_of(scaling), name == "dynamic at 8192" ? 8192 : 32768);
    table.rows.push_back({name});
    for (int pair : pairs) table.rows.back().push_back(short_number(plain.at(0, pair, 0).hi / map.at(0, pair, 0).hi));
    table.rows.back().push_back(short_number(map.attention_factor));
  }
  return {
      "One model, all methods",
      "128 channels, base 10000, trained on 4096 positions, to be read at 32768: factor 8. What each method divides "
      "the frequency of some pairs by (1 is kept):",
      report::to_text(table)};
}

}  // namespace

std::vector<Passage> explain_frequencies() { return {progression(), clock()}; }

std::vector<Passage> explain_scaling() {
  return {
      methods_table(),
      {"What the differences are for",
       "Linear slows every pair, so that no angle is new, but neighbours are eight times harder to tell apart. NTK "
       "keeps the first pair and slows the last by the whole factor. YaRN and Llama 3.1's rule keep what turns often "
       "enough to have been seen all round, divide what never came round, and blend between; they differ in where. "
       "Dynamic NTK does what the length at hand asks for, so every length has another rotation. YaRN also makes "
       "logits a little larger, by the square of its factor.\nA factor above 1 in cos and sin, and frequencies that "
       "differ from training, are felt in short texts too: that is the price of a static setting.",
       ""}};
}

}  // namespace rotary::cli
