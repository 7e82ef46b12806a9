// Vectors before and after -> the rotation between them.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/measured_angles.h"
#include "core/require.h"

namespace rotary {
namespace {

using namespace detail;

constexpr const char* kName = "measure_rotation";

class Vectors {
 public:
  Vectors(std::span<const float> before, std::span<const float> after, std::span<const std::int64_t> positions)
      : before_(before), after_(after), positions_(positions), channels_(before.size() / positions.size()) {
    value_bits_ = value_bits_of(after);
    // A rounded result is off by half a unit of its own size; of the size of the pair in float32, where the two
    // products are rounded too.
    noise_ = std::ldexp(4.0, -std::min(value_bits_, 22));
  }

  std::size_t channels() const { return channels_; }
  std::size_t size() const { return positions_.size(); }
  double x(std::size_t n, int channel) const { return before_[n * channels_ + static_cast<std::size_t>(channel)]; }
  double y(std::size_t n, int channel) const { return after_[n * channels_ + static_cast<std::size_t>(channel)]; }

  bool moves(int channel) const {
    for (std::size_t n = 0; n < size(); ++n)
      if (x(n, channel) != y(n, channel)) return true;
    return false;
  }

  // How badly the norm of (a, b) is kept in (c, d) up to one factor: the largest relative deviation of a vector's.
  double deviation(const ChannelPair& p) const {
    double in = 0, out = 0, worst = 0;
    for (std::size_t n = 0; n < size(); ++n) in += square_in(n, p), out += square_out(n, p);
    if (out == 0) return 0;
    if (in == 0) return std::numeric_limits<double>::infinity();
    const double ratio = out / in, mean = in / static_cast<double>(size());
    for (std::size_t n = 0; n < size(); ++n)
      worst =
          std::max(worst, std::abs(square_out(n, p) - ratio * square_in(n, p)) / (ratio * (square_in(n, p) + mean)));
    return worst;
  }
  bool keeps(const ChannelPair& p) const { return deviation(p) <= 2 * noise_; }

  // By position, over all vectors there: the angle and the magnitude from (a, b) to (c, d).
  MeasuredAngles angles(const std::vector<ChannelPair>& pairs) const {
    std::map<std::int64_t, std::vector<std::size_t>> at;
    for (std::size_t n = 0; n < size(); ++n) at[positions_[n]].push_back(n);
    MeasuredAngles out;
    out.num_pairs = pairs.size();
    out.value_bits = value_bits_;
    out.noise = noise_;
    for (const auto& [position, vectors] : at) {
      out.positions.push_back(position);
      for (const ChannelPair& p : pairs) {
        double re = 0, im = 0, norm = 0;
        for (std::size_t n : vectors) {
          re += x(n, p.a) * y(n, p.c) + x(n, p.b) * y(n, p.d);
          im += x(n, p.a) * y(n, p.d) - x(n, p.b) * y(n, p.c);
          norm += square_in(n, p);
        }
        out.angle.push_back(std::atan2(im, re));
        out.magnitude.push_back(norm > 0 ? std::hypot(re, im) / norm : 1);
      }
    }
    return out;
  }

 private:
  double square_in(std::size_t n, const ChannelPair& p) const { return x(n, p.a) * x(n, p.a) + x(n, p.b) * x(n, p.b); }
  double square_out(std::size_t n, const ChannelPair& p) const { return y(n, p.c) * y(n, p.c) + y(n, p.d) * y(n, p.d); }

  std::span<const float> before_, after_;
  std::span<const std::int64_t> positions_;
  std::size_t channels_;
  int value_bits_ = 24;
  double noise_ = 0;
};

// Half or interleaved pairs of channels begin .. begin + width - 1.
ChannelPair regular(Pairing in, Pairing out, int begin, int width, int i) {
  const auto ends = [&](Pairing p) {
    return p == Pairing::kHalf ? std::pair{begin + i, begin + i + width / 2}
                               : std::pair{begin + 2 * i, begin + 2 * i + 1};
  };
  const auto [a, b] = ends(in);
  const auto [c, d] = ends(out);
  return {a, b, c, d};
}

// The usual layouts first: they also hold where a slow pair has hardly moved and could be anything.
std::optional<std::vector<ChannelPair>> regular_pairs(const Vectors& v, int begin, int width) {
  constexpr std::array<std::pair<Pairing, Pairing>, 4> kLayouts{{{Pairing::kHalf, Pairing::kHalf},
                                                                 {Pairing::kInterleaved, Pairing::kInterleaved},
                                                                 {Pairing::kInterleaved, Pairing::kHalf},
                                                                 {Pairing::kHalf, Pairing::kInterleaved}}};
  for (const auto& [in, out] : kLayouts) {
    std::vector<ChannelPair> pairs;
    for (int i = 0; i < width / 2; ++i) {
      pairs.push_back(regular(in, out, begin, width, i));
      if (!v.keeps(pairs.back())) break;
    }
    if (static_cast<int>(pairs.size()) == width / 2 && v.keeps(pairs.back())) return pairs;
  }
  return std::nullopt;
}

// Any pairs that stay in place: each channel with the one that it keeps its norm with best.
std::vector<ChannelPair> irregular_pairs(const Vectors& v, const std::vector<int>& moving) {
  std::vector<ChannelPair> out;
  std::vector<bool> taken(moving.size());
  for (std::size_t i = 0; i < moving.size(); ++i) {
    if (taken[i]) continue;
    std::size_t best = i;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = i + 1; j < moving.size(); ++j) {
      if (taken[j]) continue;
      const double deviation = v.deviation({moving[i], moving[j], moving[i], moving[j]});
      if (deviation < least) least = deviation, best = j;
    }
    const ChannelPair pair{moving[i], moving[best], moving[i], moving[best]};
    if (best == i || !v.keeps(pair)) continue;
    taken[i] = taken[best] = true;
    out.push_back(pair);
  }
  return out;
}

// A slice that begins or ends with slow pairs shows fewer moving channels than it has: the bounds that a layout holds
// in.
std::vector<ChannelPair> find_pairs(const Vectors& v, const std::vector<int>& moving) {
  const int channels = static_cast<int>(v.channels());
  const int first = moving.front(), last = moving.back() + 1;
  for (int width = (last - first + 1) / 2 * 2; width <= channels; width += 2)
    for (int begin : {0, channels - width, first, last - width})
      if (begin >= 0 && begin <= first && begin + width >= last && begin + width <= channels)
        if (auto pairs = regular_pairs(v, begin, width)) return *pairs;
  return irregular_pairs(v, moving);
}

void require_finite(std::span<const float> values, const char* must_hold) {
  for (float x : values) require(std::isfinite(x), kName, must_hold, x);
}

}  // namespace

MeasuredRotation measure_rotation(std::span<const float> before, std::span<const float> after,
                                  std::span<const std::int64_t> positions) {
  require(!positions.empty(), kName, "positions must not be empty", positions.size());
  require(!before.empty() && before.size() % positions.size() == 0, kName,
          "before must have the same number of channels in each vector", before.size());
  require(after.size() == before.size(), kName, "after must have as many values as before", after.size());
  const auto [least, most] = std::minmax_element(positions.begin(), positions.end());
  require(*least < *most, kName, "positions must differ", *least);
  constexpr std::int64_t kLargest = std::int64_t{1} << 30;
  require(*least >= -kLargest && *most <= kLargest, kName, "positions must be in -2^30 .. 2^30",
          *least < -kLargest ? *least : *most);
  require_finite(before, "before must be finite");
  require_finite(after, "after must be finite");

  const Vectors v(before, after, positions);
  MeasuredRotation out;
  out.map.channels = static_cast<int>(v.channels());
  out.map.pass_to.resize(v.channels());
  std::vector<int> moving;
  for (int c = 0; c < out.map.channels; ++c) {
    out.map.pass_to[static_cast<std::size_t>(c)] = c;
    if (v.moves(c)) moving.push_back(c);
  }
  if (moving.empty()) return out;
  out.map.pairs = find_pairs(v, moving);
  for (const ChannelPair& p : out.map.pairs)
    out.map.pass_to[static_cast<std::size_t>(p.a)] = out.map.pass_to[static_cast<std::size_t>(p.b)] = -1;
  const auto unpaired = std::find_if(moving.begin(), moving.end(),
                                     [&](int c) { return out.map.pass_to[static_cast<std::size_t>(c)] != -1; });
  if (!out.map.pairs.empty()) fit_rotation(v.angles(out.map.pairs), out);
  if (unpaired != moving.end())
    out.irregular = "channel " + std::to_string(*unpaired) + " changes, but keeps its norm with no other";
  return out;
}

}  // namespace rotary
