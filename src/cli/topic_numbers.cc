// Topics about what is kept: numbers of few digits, and keys in a cache.
#include <cmath>

#include "cli/topic_examples.h"
#include "cli/topics.h"
#include "report/table.h"
#include "rotary/apply.h"
#include "rotary/precision.h"

namespace rotary::cli {
namespace {

constexpr NumberFormat kFormats[] = {NumberFormat::kBfloat16, NumberFormat::kFloat16, NumberFormat::kTfloat32,
                                     NumberFormat::kFloat32};

std::string whole(std::int64_t x) { return std::to_string(x); }

Passage positions() {
  report::Table table{
      {{"format"}, {"digits (bits)"}, {"first equal"}, {"8191 becomes"}, {"131071 becomes", report::Align::kRight}},
      {}};
  const auto rounded = [](NumberFormat format, double x) {
    const double y = rounded_to(format, x);
    return std::isinf(y) ? std::string("infinity") : whole(static_cast<std::int64_t>(y));
  };
  for (NumberFormat format : kFormats) {
    const std::int64_t m = first_equal_positions(format);
    table.rows.push_back({std::string(to_string(format)), std::to_string(significant_bits(format)),
                          whole(m) + " and " + whole(m + 1), rounded(format, 8191), rounded(format, 131071)});
  }
  return {
      "Positions",
      "A format with p significant bits has every whole number up to 2^p, and then only every second one. Positions "
      "kept in the model's type meet from there on: two tokens get the same rotation, and order is lost.",
      report::to_text(table)};
}

Passage parts() {
  report::Table table{{{"kept in bfloat16"}, {"at 1"}, {"at 257"}, {"at 8191"}, {"at 131071"}}, {}};
  const RotationMap map = plain_map(128);
  for (RoundedPart part : {RoundedPart::kPositions, RoundedPart::kFrequencies, RoundedPart::kTables}) {
    table.rows.push_back({std::string(to_string(part))});
    for (const AngleLoss& at : rounding_loss(map, part, NumberFormat::kBfloat16, {{1, 257, 8191, 131071}, 0}).at)
      table.rows.back().push_back(short_number(at.error));
  }
  return {
      "Positions, frequencies, tables",
      "It matters what is narrow. The largest error of an angle, in radians as a turn (3.14 is the worst), for 128 "
      "channels and base 10000. An error of a frequency is multiplied by the position; a narrow table is off by the "
      "same everywhere, and by no more than half a last place.",
      report::to_text(table)};
}

Passage tables() {
  const PrecisionLoss loss = rounding_loss(plain_map(128), RoundedPart::kTables, NumberFormat::kBfloat16, {{}, 8192});
  return {
      "Which pairs a narrow table loses",
      "The slow ones: from one token to the next they move by less than a last place of cos and sin. In bfloat16 the "
      "first neighbours with the same cos and sin are positions " +
          whole(loss.first_equal_pair->position) + " and " + whole(loss.first_equal_pair->position + 1) + ", in pair " +
          std::to_string(loss.first_equal_pair->pair) + "; up to position 8192 it happens in " +
          std::to_string(loss.equal_pairs.size()) + " of 64 pairs, pair " + std::to_string(loss.equal_pairs.front()) +
          " the fastest of them. Pair 0 turns by a radian each time and never has it.",
      ""};
}

const Vector kKey{1, 2, 3, 4};

Vector shifted(const RotationMap& map, Vector key, std::int64_t delta) {
  shift_keys_inplace(Rotary(map), thd<void>(key.data(), DType::kFloat64, 1, 1, map.channels), delta);
  return key;
}

Passage shift() {
  const RotationMap map = plain_map(4);
  return {
      "Rotated once, moved by turning on",
      "A key is rotated at its position when it enters the cache, and never again: each new query is rotated at its "
      "own, and their product knows the distance. If tokens are cut out before it, the key is not made anew: it is "
      "turned by the difference, for two turns in a plane add up. k = (1, 2, 3, 4), rotated at 1000, then moved by "
      "-100:",
      "rotated at 1000:            " + fixed(turned(map, kKey, 1000)) +
          "\nmoved by -100:              " + fixed(shifted(map, turned(map, kKey, 1000), -100)) +
          "\nrotated at 900 from fresh:  " + fixed(turned(map, kKey, 900)) + "\n"};
}

Passage another_base() {
  const RotationMap was = plain_map(4), is = plain_map(4, 500000);
  const auto score = [](const RotationMap& of_query, const RotationMap& of_key, double n) {
    return fixed(dot(turned(of_query, kKey, n + 10), turned(of_key, kKey, n)));
  };
  report::Table table{{{"key at"}, {"both old"}, {"both new"}, {"old key, new query"}}, {}};
  for (double n : {0.0, 100.0, 1000.0, 8000.0})
    table.rows.push_back({short_number(n), score(was, was, n), score(is, is, n), score(is, was, n)});
  return {"Another base, another cache",
          "A key that was rotated under one base, or one scaling, read by a query under another: the difference of the "
          "two angles grows with the position, and the score no longer knows the distance alone. The same pair of "
          "vectors, always ten apart, under base 10000 and 500000:",
          report::to_text(table)};
}

}  // namespace

std::vector<Passage> explain_precision() { return {positions(), parts(), tables()}; }

std::vector<Passage> explain_cache() {
  return {shift(),
          another_base(),
          {"So",
           "Decide base, scaling and, where the method depends on it, the length once for a sequence. To change them, "
           "turn each key from its old angle to the new one (move_keys_inplace), or read the text again. A factor on "
           "cos and sin is in a cached key already: a shift must turn by the pure angle, or the key grows each time.",
           ""}};
}

}  // namespace rotary::cli
