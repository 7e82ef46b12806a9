#include "attention/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "attention/softmax_kernels.h"
#include "core/require.h"

namespace rotary {
namespace {

constexpr std::int64_t kScoresPerBlock = 1 << 17;  // 512 kB: two blocks stay in a core's own cache

// The rows of one sequence and head, [tokens, head_dim].
template <class Float, class Void>
BasicMatrix<Float> head_of(const BasicTensorView<Void>& x, std::int64_t b, std::int64_t h) {
  return {static_cast<Float*>(x.data) + b * x.strides[0] + h * x.strides[2], x.shape[1], x.shape[3], x.strides[1]};
}
ConstMatrix const_head(const ConstTensorView& x, std::int64_t b, std::int64_t h) {
  return head_of<const float>(x, b, h);
}

template <class Float>
BasicMatrix<Float> rows_of(const BasicMatrix<Float>& x, std::int64_t begin, std::int64_t count) {
  return {x.data + begin * x.stride, count, x.columns, x.stride};
}

ConstMatrix as_const(const Matrix& x) { return {x.data, x.rows, x.columns, x.stride, x.is_transposed}; }

struct Shape {
  std::int64_t batch, queries, heads, head_dim, keys;
};

Shape shape_of(const ConstTensorView& q, const ConstTensorView& k) {
  return {q.shape[0], q.shape[1], q.shape[2], q.shape[3], k.shape[1]};
}

std::string show(const std::array<std::int64_t, 4>& x) {
  return "[" + std::to_string(x[0]) + ", " + std::to_string(x[1]) + ", " + std::to_string(x[2]) + ", " +
         std::to_string(x[3]) + "]";
}

template <class Void>
void validate(const char* name, const BasicTensorView<Void>& x, const std::array<std::int64_t, 4>& shape) {
  using detail::require;
  const std::string what = std::string(name) + " must be ";
  require(x.dtype == DType::kFloat32, "attention", what + "float32", to_string(x.dtype));
  require(x.shape == shape, "attention", what + show(shape), show(x.shape));
  require(x.strides[3] == 1 && x.strides[1] >= shape[3], "attention",
          what + "of unit channel stride and tokens that do not overlap", show(x.strides));
  require(x.data != nullptr || shape[0] * shape[1] * shape[2] * shape[3] == 0, "attention", what + "given", "null");
}

void validate_inputs(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
                     const AttentionOptions& options) {
  const Shape n = shape_of(q, k);
  validate("q", q, q.shape);
  validate("k", k, {n.batch, n.keys, n.heads, n.head_dim});
  validate("v", v, k.shape);
  detail::require(!options.causal || n.keys >= n.queries, "attention", "causal queries must be no more than the keys",
                  n.queries);
}

// One sequence and head, a block of queries at a time.
class Head {
 public:
  Head(const ConstTensorView& q, const ConstTensorView& k, const AttentionOptions& options, std::int64_t b,
       std::int64_t h)
      : q_(const_head(q, b, h)), k_(const_head(k, b, h)), options_(options) {
    scale_ = static_cast<float>(options.softmax_scale != 0 ? options.softmax_scale
                                                           : 1 / std::sqrt(static_cast<double>(q.shape[3])));
    if (options.key_bias) bias_ = options.key_bias + b * k_.rows;
  }

  std::int64_t keys() const { return k_.rows; }
  std::int64_t block() const {
    const std::int64_t rows = kScoresPerBlock / std::max<std::int64_t>(keys(), 1);
    return std::max<std::int64_t>(rows / 16 * 16, 16);
  }
  float scale() const { return scale_; }
  const float* bias() const { return bias_; }
  MultiplyOptions precision(bool accumulate = false) const { return {options_.precision, accumulate, nullptr}; }

  // How many keys query t sees, hidden ones included.
  std::int64_t seen(std::int64_t t) const { return options_.causal ? keys() - q_.rows + t + 1 : keys(); }

  // scores[r, s] = q[begin + r].k[s]
  void score(std::int64_t begin, const Matrix& scores) const {
    multiply(rows_of(q_, begin, scores.rows), k_.transposed(), scores, precision());
  }

  // Turns a row of scores into exponentials, those beyond what it sees into zero; the factor that makes them weights.
  float exponentials(std::int64_t t, float* row, float& log_sum_exp) const {
    const std::int64_t n = seen(t);
    const auto [maximum, sum] = detail::softmax_kernels().exponentials(row, bias_, scale_, n);
    std::fill(row + n, row + keys(), 0.0f);
    const bool none = !(sum > 0) && maximum == -std::numeric_limits<float>::infinity();
    log_sum_exp = none ? std::numeric_limits<float>::infinity() : maximum + std::log(sum);
    return none ? 0.0f : 1 / sum;
  }

 private:
  ConstMatrix q_, k_;
  const AttentionOptions& options_;
  float scale_;
  const float* bias_ = nullptr;
};

// Calls body(begin, count) for every block of queries.
template <class Body>
void for_each_block(const Head& head, std::int64_t queries, const Body& body) {
  for (std::int64_t begin = 0; begin < queries; begin += head.block())
    body(begin, std::min(head.block(), queries - begin));
}

// Calls body(b, h, index) for every sequence and head.
template <class Body>
void for_each_head(const Shape& n, const Body& body) {
  for (std::int64_t b = 0; b < n.batch; ++b)
    for (std::int64_t h = 0; h < n.heads; ++h) body(b, h, b * n.heads + h);
}

Matrix scratch(std::vector<float>& room, std::int64_t rows, std::int64_t columns) {
  room.resize(std::max(room.size(), static_cast<std::size_t>(rows * columns)));
  return {room.data(), rows, columns, columns};
}

}  // namespace

void attention_forward(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
                       const TensorView& out, float* log_sum_exp, const AttentionOptions& options) {
  validate_inputs(q, k, v, options);
  validate("out", out, q.shape);
  const Shape n = shape_of(q, k);
  thread_local std::vector<float> room;
  std::vector<float> factors;
  for_each_head(n, [&](std::int64_t b, std::int64_t h, std::int64_t index) {
    const Head head(q, k, options, b, h);
    const Matrix result = head_of<float>(out, b, h);
    for_each_block(head, n.queries, [&](std::int64_t begin, std::int64_t count) {
      const Matrix scores = scratch(room, count, n.keys);
      factors.resize(static_cast<std::size_t>(count));
      head.score(begin, scores);
      for (std::int64_t r = 0; r < count; ++r)
        factors[static_cast<std::size_t>(r)] =
            head.exponentials(begin + r, scores.data + r * scores.stride, log_sum_exp[index * n.queries + begin + r]);
      const Matrix rows = rows_of(result, begin, count);
      multiply(as_const(scores), const_head(v, b, h), rows, head.precision());
      for (std::int64_t r = 0; r < count; ++r)
        detail::softmax_kernels().scale(rows.data + r * rows.stride, factors[static_cast<std::size_t>(r)], n.head_dim);
    });
  });
}

void attention_backward(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
                        const ConstTensorView& out, const float* log_sum_exp, const ConstTensorView& grad_out,
                        const AttentionGradients& gradients, const AttentionOptions& options) {
  validate_inputs(q, k, v, options);
  validate("out", out, q.shape);
  validate("grad_out", grad_out, q.shape);
  validate("grad_q", gradients.q, q.shape);
  validate("grad_k", gradients.k, k.shape);
  validate("grad_v", gradients.v, v.shape);
  const Shape n = shape_of(q, k);
  const auto& kernels = detail::softmax_kernels();
  thread_local std::vector<float> room, grad_room;
  for_each_head(n, [&](std::int64_t b, std::int64_t h, std::int64_t index) {
    const Head head(q, k, options, b, h);
    const ConstMatrix o = const_head(out, b, h), grad_o = const_head(grad_out, b, h);
    for_each_block(head, n.queries, [&](std::int64_t begin, std::int64_t count) {
      const Matrix p = scratch(room, count, n.keys), grad = scratch(grad_room, count, n.keys);
      const ConstMatrix grad_rows = rows_of(grad_o, begin, count), out_rows = rows_of(o, begin, count);
      head.score(begin, p);
      multiply(grad_rows, const_head(v, b, h).transposed(), grad, head.precision());
      for (std::int64_t r = 0; r < count; ++r) {
        const std::int64_t t = begin + r, seen = head.seen(t);
        const float inner =
            kernels.dot(grad_rows.data + r * grad_rows.stride, out_rows.data + r * out_rows.stride, n.head_dim);
        float *p_row = p.data + r * p.stride, *grad_row = grad.data + r * grad.stride;
        kernels.gradient(p_row, head.bias(), head.scale(), log_sum_exp[index * n.queries + t], inner, grad_row, seen);
        std::fill(p_row + seen, p_row + n.keys, 0.0f);
        std::fill(grad_row + seen, grad_row + n.keys, 0.0f);
      }
      const MultiplyOptions add = head.precision(begin > 0);
      multiply(as_const(p).transposed(), grad_rows, head_of<float>(gradients.v, b, h), add);
      multiply(as_const(grad).transposed(), rows_of(const_head(q, b, h), begin, count),
               head_of<float>(gradients.k, b, h), add);
      multiply(as_const(grad), const_head(k, b, h), rows_of(head_of<float>(gradients.q, b, h), begin, count),
               head.precision());
    });
  });
}

}  // namespace rotary
