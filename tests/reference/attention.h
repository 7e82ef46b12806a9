// The slow twin of attention over one head and its gradients: the definition, in plain double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/multiply.h"

namespace rotary::reference {

struct HeadInput {
  Table q, k, v;             // [queries, channels], [keys, channels] twice
  std::vector<double> bias;  // [keys]
  double scale = 1;
  bool causal = false;
};

struct HeadOutput {
  Table weights, out;
  std::vector<double> log_sum_exp;
};

inline HeadOutput attend(const HeadInput& x) {
  const std::size_t queries = x.q.rows, keys = x.k.rows;
  HeadOutput made{multiply(x.q, transpose(x.k)), Table(0, 0), std::vector<double>(queries)};
  for (std::size_t t = 0; t < queries; ++t) {
    double highest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t s = 0; s < keys; ++s) {
      double& score = made.weights.at(t, s);
      score =
          x.causal && s > keys - queries + t ? -std::numeric_limits<double>::infinity() : x.scale * score + x.bias[s];
      highest = std::max(highest, score);
    }
    for (std::size_t s = 0; s < keys && std::isfinite(highest); ++s) sum += std::exp(made.weights.at(t, s) - highest);
    for (std::size_t s = 0; s < keys; ++s)
      made.weights.at(t, s) = sum > 0 ? std::exp(made.weights.at(t, s) - highest) / sum : 0;
    made.log_sum_exp[t] = sum > 0 ? highest + std::log(sum) : std::numeric_limits<double>::infinity();
  }
  made.out = multiply(made.weights, x.v);
  return made;
}

struct HeadGradients {
  Table q, k, v;
};

/// Of sum(grad_out * out).
inline HeadGradients attend_backward(const HeadInput& x, const Table& grad_out) {
  const Table p = attend(x).weights;
  Table grad = multiply(grad_out, transpose(x.v));  // of the weights, then of q.k
  for (std::size_t t = 0; t < p.rows; ++t) {
    double inner = 0;
    for (std::size_t s = 0; s < p.columns; ++s) inner += p.at(t, s) * grad.at(t, s);
    for (std::size_t s = 0; s < p.columns; ++s) grad.at(t, s) = x.scale * p.at(t, s) * (grad.at(t, s) - inner);
  }
  return {multiply(grad, x.k), multiply(transpose(grad), x.q), multiply(transpose(p), grad_out)};
}

}  // namespace rotary::reference
