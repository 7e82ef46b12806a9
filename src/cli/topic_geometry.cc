// Topics about one rotation: what it keeps, and how it is written.
#include <cmath>
#include <complex>
#include <numbers>

#include "cli/topic_examples.h"
#include "cli/topics.h"
#include "report/table.h"

namespace rotary::cli {
namespace {

std::string score_row(const RotationMap& map, double m, double n) {
  const Vector q = turned(map, {1, 0}, m), k = turned(map, {1, 0}, n);
  return "q at " + short_number(m) + " = " + fixed(q) + ", k at " + short_number(n) + " = " + fixed(k) +
         ":  q . k = " + fixed(dot(q, k)) + "\n";
}

Passage norms() {
  const RotationMap map = plain_map(4);
  const Vector x{1, 2, 3, 4};
  std::string block;
  for (double m : {0.0, 7.0, 1000003.0})
    block += "|x at " + std::string(m > 1000 ? "1000003" : short_number(m)) +
             "|^2 = " + fixed(dot(turned(map, x, m), turned(map, x, m))) + "\n";
  return {"A rotation keeps lengths",
          "Each pair of channels is turned in its plane, so no vector grows or shrinks with its position: what a token "
          "says stays as loud, only its direction says where it stands. Undoing it is turning back, which is also the "
          "transpose and the gradient. x = (1, 2, 3, 4):",
          block};
}

Passage extremes() {
  const RotationMap still = one_pair(0), flip = one_pair(std::numbers::pi);
  return {"Frequency zero, and frequency pi",
          "If no pair turns, every position is alike: attention sees a bag of tokens (NoPE, or the still pairs of "
          "p-RoPE). If all turn by pi, a step turns the sign and two steps nothing: the score knows odd from even "
          "distances and no more.",
          "all zero\n" + score_row(still, 0, 2) + score_row(still, 0, 3) + "all pi\n" + score_row(flip, 0, 2) +
              score_row(flip, 0, 3)};
}

Passage values() {
  const RotationMap map = one_pair(1);
  const auto mean = [&](double m, double n) {
    const Vector x = turned(map, {1, 0}, m), y = turned(map, {1, 0}, n);
    return Vector{(x[0] + y[0]) / 2, (x[1] + y[1]) / 2};
  };
  return {"Why values are not rotated",
          "Scores compare two rotated vectors, and what is left is the difference. The output is a weighted sum of "
          "values, compared with nothing: rotated, it would say where in the text it came from, and the same words "
          "further on would give another output. Two equal values v = (1, 0), half each:",
          "rotated at 0 and 2: " + fixed(mean(0, 2)) + "\nrotated at 5 and 7: " + fixed(mean(5, 7)) +
              "\nnot rotated:        " + fixed(Vector{1, 0}) + " in both places\n"};
}

// (x0 + i x1) e^(i t), pair by pair: the complex form.
Vector as_complex(const Vector& x, const RotationMap& map, double m) {
  Vector out;
  for (std::size_t i = 0; i < x.size(); i += 2) {
    const double angle = m * map.at(0, static_cast<int>(i / 2), 0).hi;
    const std::complex<double> z = std::complex(x[i], x[i + 1]) * std::polar(1.0, angle);
    out.push_back(z.real());
    out.push_back(z.imag());
  }
  return out;
}

// x cos + rotate_half(x) sin with tables of full width: `repeated` [c0, c0, c1, c1], else [c0, c1, c0, c1].
Vector as_rotate_half(const Vector& x, const RotationMap& map, double m, bool repeated) {
  const std::size_t half = x.size() / 2;
  Vector out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double angle = m * map.at(0, static_cast<int>(repeated ? i / 2 : i % half), 0).hi;
    out.push_back(x[i] * std::cos(angle) + (i < half ? -x[i + half] : x[i - half]) * std::sin(angle));
  }
  return out;
}

Vector evens_then_odds(const Vector& x) { return {x[0], x[2], x[1], x[3]}; }

std::string matrix_text(double angle) {
  return "[" + fixed(std::cos(angle)) + "  " + fixed(-std::sin(angle)) + "]\n[" + fixed(std::sin(angle)) + "  " +
         fixed(std::cos(angle)) + "]\n";
}

Passage forms() {
  const RotationMap map = plain_map(4);
  const Vector x{1, 2, 3, 4};
  return {
      "One rotation, four ways to write it",
      "x = (1, 2, 3, 4) at position 3, base 10000, pairs (0, 1) and (2, 3): angles 3 and 0.03. The rotate-half form "
      "pairs channel i with i + 2, so it gets the channels in the order 0, 2, 1, 3 and its answer is put in that "
      "order too.",
      "the library:        " + fixed(turned(map, x, 3)) + "\ncomplex z e^(i t):  " + fixed(as_complex(x, map, 3)) +
          "\nrotate-half:        " + fixed(evens_then_odds(as_rotate_half(evens_then_odds(x), map, 3, false))) +
          "\n2 x 2 blocks of the first pair and of the second:\n" + matrix_text(3) + matrix_text(0.03)};
}

Passage wrong_pairing() {
  const RotationMap interleaved = plain_map(4), half = plain_map(4, 10000, Pairing::kHalf);
  const Vector q{1, 2, 3, 4}, k{4, -1, 2, 3};
  const auto score = [&](const RotationMap& map, const Vector& x, const Vector& y) {
    return fixed(dot(turned(map, x, 7), turned(map, y, 2)));
  };
  return {"The wrong one does not fail",
          "A checkpoint for one pairing under the other rotates channels that do not belong together: nothing at "
          "position 0, little at first, then text falls apart. Rows reordered (evens, then odds) make the scores the "
          "same again. q = (1, 2, 3, 4) at 7, k = (4, -1, 2, 3) at 2:",
          "interleaved:                     " + score(interleaved, q, k) +
              "\nhalf, rows reordered:            " + score(half, evens_then_odds(q), evens_then_odds(k)) +
              "\nhalf, rows left as they are:     " + score(half, q, k) + "\n"};
}

Passage hybrid() {
  const RotationMap half = plain_map(4, 10000, Pairing::kHalf);
  const Vector q{1, 2, 3, 4}, k{4, -1, 2, 3};
  std::string block;
  for (const bool repeated : {false, true}) {
    const auto at = [&](const Vector& x, double m) { return as_rotate_half(x, half, m, repeated); };
    block += std::string(repeated ? "[t0, t0, t1, t1]" : "[t0, t1, t0, t1]") +
             ": |q|^2 = " + fixed(dot(at(q, 7), at(q, 7))) + ", score at (7, 2) = " + fixed(dot(at(q, 7), at(k, 2))) +
             ", at (12, 7) = " + fixed(dot(at(q, 12), at(k, 7))) + "\n";
  }
  return {"And a mixture is no rotation at all",
          "rotate_half wants its angles twice in a row, [t0, t1, t0, t1]. With each one doubled in place, [t0, t0, t1, "
          "t1], the two ends of a pair turn by different angles: lengths change, and the score depends on where the "
          "pair stands.",
          block};
}

}  // namespace

std::vector<Passage> explain_relative_property() {
  const RotationMap map = one_pair(1);
  return {
      {"One pair is enough to see it",
       "Two channels, turned by one radian per position. Query and key are the same vector (1, 0). Turned by m and by "
       "n, their product is cos(m - n): cos 2 = " +
           fixed(std::cos(2.0)) +
           " at 0 and 2, and the same at 5 and 7. "
           "Every pair of a head does this at a frequency of its own, and the score is the sum.",
       score_row(map, 0, 2) + score_row(map, 5, 7) + score_row(map, 5, 8)},
      norms(),
      extremes(),
      values()};
}

std::vector<Passage> explain_pairing() { return {forms(), wrong_pairing(), hybrid()}; }

}  // namespace rotary::cli
