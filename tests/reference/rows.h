// The slow twins of the steps between the products, in plain double.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace rotary::reference {

using Row = std::vector<double>;

inline double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
inline double gelu(double x) { return x * normal_distribution(x); }
inline double gelu_slope(double x) {
  return normal_distribution(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
}

struct Moments {
  double mean = 0, inverse = 0;
};

inline Moments moments(const Row& x, double epsilon) {
  double sum = 0, squares = 0;
  for (const double v : x) sum += v;
  const double n = static_cast<double>(x.size()), mean = sum / n;
  for (const double v : x) squares += (v - mean) * (v - mean);
  return {mean, 1 / std::sqrt(squares / n + epsilon)};
}

inline Row layer_norm(const Row& x, const Row& weight, const Row& bias, double epsilon) {
  const Moments m = moments(x, epsilon);
  Row out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back((x[i] - m.mean) * m.inverse * weight[i] + bias[i]);
  return out;
}

/// Of sum(grad_out * layer_norm(x)) by x.
inline Row layer_norm_gradient(const Row& x, const Row& weight, const Row& grad_out, double epsilon) {
  const Moments m = moments(x, epsilon);
  const double n = static_cast<double>(x.size());
  double first = 0, second = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    first += grad_out[i] * weight[i] / n;
    second += grad_out[i] * weight[i] * (x[i] - m.mean) * m.inverse / n;
  }
  Row out;
  for (std::size_t i = 0; i < x.size(); ++i)
    out.push_back(m.inverse * (grad_out[i] * weight[i] - first - (x[i] - m.mean) * m.inverse * second));
  return out;
}

struct AdamState {
  double x = 0, first = 0, second = 0;
};

/// Step t (from 1) of AdamW, arXiv 1711.05101.
inline void adamw(AdamState& s, double gradient, int t, double rate, double beta1, double beta2, double epsilon,
                  double weight_decay) {
  s.first = beta1 * s.first + (1 - beta1) * gradient;
  s.second = beta2 * s.second + (1 - beta2) * gradient * gradient;
  const double first = s.first / (1 - std::pow(beta1, t)), second = s.second / (1 - std::pow(beta2, t));
  s.x -= rate * (first / (std::sqrt(second) + epsilon) + weight_decay * s.x);
}

}  // namespace rotary::reference
