// Gradients with respect to what makes the angle. With g = dL/d out, t the angle of a pair and f in cos and sin:
//
//     dL/dt = cos (g_d x_a - g_c x_b) - sin (g_c x_a + g_d x_b)
//     dL/d frequency = sum over tokens of position dL/dt        dL/d position = sum over pairs of frequency dL/dt
//
// Sums over heads come first (a row is shared by the heads of a set), all in double and in one order.
#include <vector>

#include "core/apply_checks.h"
#include "core/bfloat16.h"
#include "core/float16.h"
#include "core/require.h"
#include "core/tensor_layout.h"

namespace rotary {
namespace {

using detail::require;
using detail::TokenPositions;

struct Gradient {
  const ConstTensorView& x;
  const ConstTensorView& grad_out;
};

template <class T, class Convert>
void read_as(const ConstTensorView& x, std::int64_t start, std::vector<double>& out, const Convert& convert) {
  const T* p = static_cast<const T*>(x.data) + start;
  for (std::size_t channel = 0; channel < out.size(); ++channel)
    out[channel] = static_cast<double>(convert(p[static_cast<std::int64_t>(channel) * x.strides[3]]));
}

void read_head(const ConstTensorView& x, std::int64_t b, std::int64_t t, std::int64_t h, std::vector<double>& out) {
  const std::int64_t start = b * x.strides[0] + t * x.strides[1] + h * x.strides[2];
  const auto same = [](auto value) { return value; };
  switch (x.dtype) {
    case DType::kFloat32: return read_as<float>(x, start, out, same);
    case DType::kFloat64: return read_as<double>(x, start, out, same);
    case DType::kFloat16: return read_as<std::uint16_t>(x, start, out, detail::from_float16);
    case DType::kBfloat16: return read_as<std::uint16_t>(x, start, out, detail::from_bfloat16);
  }
}

// dL/dt of every pair of a token.
class AngleGradients {
 public:
  AngleGradients(const Rotary::State& state, const Gradient& gradient)
      : state_(state),
        rows_(state, detail::TurnRows::Direction::kForward),
        gradient_(gradient),
        x_(static_cast<std::size_t>(state.map.channels)),
        g_(x_.size()),
        row_(2 * state.map.pairs.size()),
        narrow_row_(row_.size()),
        cross_(state.map.pairs.size()),
        dot_(cross_.size()) {}

  /// Calls add(pair, dL/dt) for the heads of one set; position: [num_axes].
  template <class Add>
  void for_each_pair(int set, std::int64_t b, std::int64_t t, const double* position, const Add& add) {
    const std::int64_t heads = gradient_.x.shape[2];
    const bool shared = state_.map.num_sets == 1;
    sum_heads(b, t, shared ? 0 : set, shared ? heads : set + 1);
    const double *cos = make_row(set, position), *sin = cos + cross_.size();
    for (std::size_t i = 0; i < cross_.size(); ++i) add(static_cast<int>(i), cos[i] * cross_[i] - sin[i] * dot_[i]);
  }

 private:
  void sum_heads(std::int64_t b, std::int64_t t, std::int64_t first, std::int64_t last) {
    std::fill(cross_.begin(), cross_.end(), 0.0);
    std::fill(dot_.begin(), dot_.end(), 0.0);
    for (std::int64_t h = first; h < last; ++h) {
      read_head(gradient_.x, b, t, h, x_);
      read_head(gradient_.grad_out, b, t, h, g_);
      for (std::size_t i = 0; i < cross_.size(); ++i) {
        const ChannelPair& p = state_.map.pairs[i];
        const double x_a = x_[index(p.a)], x_b = x_[index(p.b)], g_c = g_[index(p.c)], g_d = g_[index(p.d)];
        cross_[i] += g_d * x_a - g_c * x_b;
        dot_[i] += g_c * x_a + g_d * x_b;
      }
    }
  }

  // The row that the data was rotated with.
  const double* make_row(int set, const double* position) {
    if (gradient_.x.dtype == DType::kFloat64) return rows_.row(set, position, row_.data());
    std::copy_n(rows_.row(set, position, narrow_row_.data()), row_.size(), row_.begin());
    return row_.data();
  }

  static std::size_t index(int channel) { return static_cast<std::size_t>(channel); }

  const Rotary::State& state_;
  detail::TurnRows rows_;
  Gradient gradient_;
  std::vector<double> x_, g_, row_;
  std::vector<float> narrow_row_;
  std::vector<double> cross_, dot_;
};

TokenPositions validate(const Rotary::State& state, const Gradient& gradient, const Positions& positions,
                        std::string_view function) {
  detail::validate_knows_angles(state, function, "rotary");
  detail::validate_read(state, gradient.x, function, "x");
  detail::validate_read(state, gradient.grad_out, function, "grad_out");
  require(gradient.x.shape == gradient.grad_out.shape, function, "grad_out.shape must be that of x", "another");
  return detail::validate_positions(state, gradient.x.shape[0], gradient.x.shape[1], positions, {}, function);
}

// Calls visit(b, t, position) for every token, in order.
template <class Visit>
void for_each_token(const ConstTensorView& x, const TokenPositions& positions, const Visit& visit) {
  if (detail::is_empty(x)) return;
  std::vector<double> position(static_cast<std::size_t>(positions.num_axes()));
  for (std::int64_t b = 0; b < x.shape[0]; ++b)
    for (std::int64_t t = 0; t < x.shape[1]; ++t) {
      positions.read(b, t, 1, position.data(), positions.num_axes());
      visit(b, t, position.data());
    }
}

}  // namespace

void frequency_gradient(const Rotary& rotary, const ConstTensorView& x, const ConstTensorView& grad_out,
                        const Positions& positions, std::span<double> grad) {
  const Rotary::State& state = rotary.state();
  const RotationMap& map = state.map;
  constexpr std::string_view kName = "frequency_gradient";
  const TokenPositions checked = validate(state, {x, grad_out}, positions, kName);
  require(grad.size() == map.frequency.size(), kName,
          "grad must be [num_sets][pairs][num_axes], " + std::to_string(map.frequency.size()) + " numbers",
          grad.size());
  std::fill(grad.begin(), grad.end(), 0.0);
  AngleGradients angles(state, {x, grad_out});
  for_each_token(x, checked, [&](std::int64_t b, std::int64_t t, const double* position) {
    for (int set = 0; set < map.num_sets; ++set)
      angles.for_each_pair(set, b, t, position, [&](int pair, double d_angle) {
        for (int axis = 0; axis < map.num_axes; ++axis)
          grad[static_cast<std::size_t>(&map.at(set, pair, axis) - map.frequency.data())] += position[axis] * d_angle;
      });
  });
}

void position_gradient(const Rotary& rotary, const ConstTensorView& x, const ConstTensorView& grad_out,
                       const Positions& positions, std::span<double> grad) {
  const Rotary::State& state = rotary.state();
  const RotationMap& map = state.map;
  constexpr std::string_view kName = "position_gradient";
  const TokenPositions checked = validate(state, {x, grad_out}, positions, kName);
  std::int64_t tokens = 0, count = 0;
  const bool fits =
      !__builtin_mul_overflow(x.shape[0], x.shape[1], &tokens) && !__builtin_mul_overflow(tokens, map.num_axes, &count);
  require(fits && static_cast<std::int64_t>(grad.size()) == count, kName,
          "grad must be [num_axes][batch][tokens], " + std::to_string(count) + " numbers", grad.size());
  std::fill(grad.begin(), grad.end(), 0.0);
  AngleGradients angles(state, {x, grad_out});
  for_each_token(x, checked, [&](std::int64_t b, std::int64_t t, const double* position) {
    const std::int64_t token = b * x.shape[1] + t;
    for (int set = 0; set < map.num_sets; ++set)
      angles.for_each_pair(set, b, t, position, [&](int pair, double d_angle) {
        for (int axis = 0; axis < map.num_axes; ++axis)
          grad[static_cast<std::size_t>(axis * tokens + token)] += map.at(set, pair, axis).hi * d_angle;
      });
  });
}

}  // namespace rotary
