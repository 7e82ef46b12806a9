// Attention, forward and backward, against a twin in double.
#include "attention/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/bad_calls.h"
#include "reference/attention.h"
#include "text/random.h"

namespace rotary::testing {
namespace {

using reference::HeadInput;
using reference::Table;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kUnit = 0x1p-24;

struct Case {
  const char* name;
  std::int64_t batch, queries, keys, heads, head_dim;
  bool causal = false;
  std::int64_t hidden_before = 0;  // the last sequence's keys 0 .. n - 1, left padding
  bool has_bias = false;           // finite ones
  double softmax_scale = 0;

  friend void PrintTo(const Case& x, std::ostream* out) { *out << x.name; }
};

// Heads [batch][tokens][3][heads][head_dim], of which one of the three is used: strides that are not the packed ones.
struct Heads {
  Heads(std::int64_t batch, std::int64_t tokens, const Case& x, std::uint64_t seed)
      : shape{batch, tokens, x.heads, x.head_dim}, values(static_cast<std::size_t>(3 * batch * tokens * width())) {
    text::Random random(seed);
    for (float& value : values) value = static_cast<float>(4 * random.uniform() - 2);
  }

  std::int64_t width() const { return shape[2] * shape[3]; }
  TensorView view() {
    return {values.data() + width(), DType::kFloat32, shape, {3 * shape[1] * width(), 3 * width(), shape[3], 1}};
  }
  Table head(std::int64_t b, std::int64_t h) {
    Table out(static_cast<std::size_t>(shape[1]), static_cast<std::size_t>(shape[3]));
    const TensorView x = view();
    for (std::int64_t t = 0; t < shape[1]; ++t)
      for (std::int64_t d = 0; d < shape[3]; ++d)
        out.at(static_cast<std::size_t>(t), static_cast<std::size_t>(d)) = static_cast<double>(
            static_cast<const float*>(x.data)[b * x.strides[0] + t * x.strides[1] + h * x.strides[2] + d]);
    return out;
  }

  std::array<std::int64_t, 4> shape;
  std::vector<float> values;
};

double largest(const Table& table) {
  double out = 0;
  for (const double x : table.values) out = std::max(out, std::abs(x));
  return out;
}

double gap(const Table& got, const Table& want) {
  double out = 0;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    const double d = std::abs(got.values[i] - want.values[i]);
    if (!(d <= out)) out = std::isnan(d) ? static_cast<double>(kInfinity) : d;
  }
  return out;
}

// One call of both directions.
struct Attention {
  explicit Attention(const Case& c)
      : x(c),
        q(c.batch, c.queries, c, 1),
        k(c.batch, c.keys, c, 2),
        v(c.batch, c.keys, c, 3),
        grad_out(c.batch, c.queries, c, 4),
        out(c.batch, c.queries, c, 5),
        grad_q(c.batch, c.queries, c, 6),
        grad_k(c.batch, c.keys, c, 7),
        grad_v(c.batch, c.keys, c, 8),
        bias(static_cast<std::size_t>(c.batch * c.keys)),
        log_sum_exp(static_cast<std::size_t>(c.batch * c.heads * c.queries)) {
    text::Random random(9);
    for (float& b : bias) b = c.has_bias ? static_cast<float>(random.uniform()) : 0;
    std::fill_n(bias.end() - c.keys, c.hidden_before, -kInfinity);
  }

  AttentionOptions options() const {
    return {x.softmax_scale, x.causal, x.has_bias || x.hidden_before > 0 ? bias.data() : nullptr,
            MatmulPrecision::kFloat32};
  }
  void forward() {
    attention_forward(as_const(q.view()), as_const(k.view()), as_const(v.view()), out.view(), log_sum_exp.data(),
                      options());
  }
  void backward() {
    attention_backward(as_const(q.view()), as_const(k.view()), as_const(v.view()), as_const(out.view()),
                       log_sum_exp.data(), as_const(grad_out.view()), {grad_q.view(), grad_k.view(), grad_v.view()},
                       options());
  }
  HeadInput twin(std::int64_t b, std::int64_t h) {
    const auto begin = bias.begin() + b * x.keys;
    const double scale = x.softmax_scale != 0 ? x.softmax_scale : 1 / std::sqrt(static_cast<double>(x.head_dim));
    return {q.head(b, h), k.head(b, h), v.head(b, h), {begin, begin + x.keys}, scale, x.causal};
  }
  // A score is off by (head_dim + 2) u of sum |q| |k|, and so is a weight's logarithm; a sum over n by n u.
  double weight_error(const HeadInput& head) const {
    const double score = std::abs(head.scale) * static_cast<double>(x.head_dim) * largest(head.q) * largest(head.k) + 1;
    return kUnit * (static_cast<double>(x.head_dim + 4) * score + static_cast<double>(x.keys));
  }

  Case x;
  Heads q, k, v, grad_out, out, grad_q, grad_k, grad_v;
  std::vector<float> bias, log_sum_exp;
};

class EveryAttention : public ::testing::TestWithParam<Case> {
 protected:
  template <class Body>
  static void for_each_head(Attention& attention, const Body& body) {
    for (std::int64_t b = 0; b < attention.x.batch; ++b)
      for (std::int64_t h = 0; h < attention.x.heads; ++h) {
        SCOPED_TRACE(::testing::Message() << "sequence " << b << " head " << h);
        body(b, h, attention.twin(b, h));
      }
  }
};

TEST_P(EveryAttention, GivesTheTwinsOutputAndLogSumExp) {
  Attention x(GetParam());
  x.forward();
  for_each_head(x, [&](std::int64_t b, std::int64_t h, const HeadInput& head) {
    const auto want = reference::attend(head);
    const double error = x.weight_error(head);
    EXPECT_LE(gap(x.out.head(b, h), want.out), 2 * error * largest(head.v));
    for (std::int64_t t = 0; t < x.x.queries; ++t) {
      const double got = x.log_sum_exp[static_cast<std::size_t>((b * x.x.heads + h) * x.x.queries + t)];
      const double expected = want.log_sum_exp[static_cast<std::size_t>(t)];
      if (std::isinf(expected))
        ASSERT_EQ(got, expected) << "query " << t;
      else
        ASSERT_NEAR(got, expected, error + 2 * kUnit * std::abs(expected)) << "query " << t;
    }
  });
}

TEST_P(EveryAttention, GivesTheTwinsGradients) {
  Attention x(GetParam());
  x.forward();
  x.backward();
  for_each_head(x, [&](std::int64_t b, std::int64_t h, const HeadInput& head) {
    const Table grad_out = x.grad_out.head(b, h);
    const auto want = reference::attend_backward(head, grad_out);
    // grad of a weight: at most head_dim |grad_out| |v|; the weights of a query add up to 1, those of a key to no more
    // than the queries.
    const double slope = 4 * static_cast<double>(x.x.head_dim) * largest(grad_out) * largest(head.v) * head.scale;
    const double error = 4 * x.weight_error(head), queries = static_cast<double>(x.x.queries);
    EXPECT_LE(gap(x.grad_q.head(b, h), want.q), error * slope * largest(head.k));
    EXPECT_LE(gap(x.grad_k.head(b, h), want.k), error * slope * largest(head.q) * queries);
    EXPECT_LE(gap(x.grad_v.head(b, h), want.v), error * largest(grad_out) * queries);
    // The tolerances are bounds; what is right is far below them, what is wrong must not be.
    EXPECT_LE(gap(x.grad_k.head(b, h), want.k), 1e-4 * largest(want.k) + 1e-6);
    EXPECT_LE(gap(x.grad_v.head(b, h), want.v), 1e-4 * largest(want.v) + 1e-6);
  });
}

const Case kCases[] = {
    {"one_query_one_key", 2, 1, 1, 1, 8},
    {"small", 2, 5, 7, 2, 8},
    {"head_dim_not_of_whole_vectors", 2, 9, 19, 3, 6},
    {"several_blocks_of_queries", 1, 150, 2100, 1, 16},
    {"several_blocks_causal", 1, 150, 2100, 1, 16, true},
    {"causal", 2, 70, 70, 2, 16, true},
    {"causal_with_fewer_queries_than_keys", 2, 5, 70, 2, 16, true},
    {"bias", 2, 20, 33, 2, 8, false, 0, true},
    {"hidden_keys", 2, 20, 33, 2, 8, false, 11},
    {"hidden_keys_and_bias", 2, 20, 33, 2, 8, false, 11, true},
    {"queries_that_see_nothing", 2, 20, 33, 2, 8, false, 33},
    {"causal_queries_that_see_nothing", 2, 24, 24, 2, 8, true, 10},
    {"own_scale", 2, 20, 33, 2, 8, false, 0, false, 0.11},
};
INSTANTIATE_TEST_SUITE_P(Cases, EveryAttention, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(QueriesThatSeeNothing, GiveZeroAndTakeNoGradient) {
  Attention x({"", 2, 6, 9, 1, 8, false, 9});
  x.forward();
  x.backward();
  for (Heads* zero : {&x.out, &x.grad_q, &x.grad_k, &x.grad_v}) EXPECT_EQ(largest(zero->head(1, 0)), 0);
  EXPECT_GT(largest(x.out.head(0, 0)), 0);
}

TEST(HugeScores, OverflowNowhere) {
  Attention x({"", 1, 4, 40, 1, 8, false, 3, false, 1e4});
  x.forward();
  x.backward();
  const auto want = reference::attend(x.twin(0, 0));
  for (std::size_t t = 0; t < 4; ++t)
    EXPECT_NEAR(static_cast<double>(x.log_sum_exp[t]), want.log_sum_exp[t], 1e-6 * std::abs(want.log_sum_exp[t]));
  for (Heads* finite : {&x.out, &x.grad_q, &x.grad_k, &x.grad_v}) {
    const Table table = finite->head(0, 0);
    EXPECT_TRUE(std::ranges::all_of(table.values, [](double v) { return std::isfinite(v); }));
  }
}

TEST(ANotANumberInOneKey, ReachesEveryQueryThatSeesIt) {
  Attention x({"", 1, 100, 100, 1, 8, true});
  static_cast<float*>(x.k.view().data)[3 * x.k.view().strides[1]] = NAN;
  x.forward();
  const Table out = x.out.head(0, 0);
  for (std::size_t t = 0; t < 100; ++t)
    for (std::size_t d = 0; d < 8; ++d) EXPECT_EQ(std::isnan(out.at(t, d)), t >= 3) << "query " << t;
}

TEST(Rows, DoNotDependOnTheOtherSequences) {
  Attention both({"", 2, 20, 33, 2, 8, false, 5}), alone({"", 1, 20, 33, 2, 8, false, 5});
  both.forward();
  const auto take_last = [](const Heads& all, Heads& one) {
    std::copy(all.values.end() - static_cast<std::ptrdiff_t>(one.values.size()), all.values.end(), one.values.begin());
  };
  take_last(both.q, alone.q);
  take_last(both.k, alone.k);
  take_last(both.v, alone.v);
  alone.forward();
  for (const std::int64_t h : {0, 1}) EXPECT_EQ(both.out.head(1, h).values, alone.out.head(0, h).values);
}

TEST(Bfloat16Attention, IsCloseToFloat32s) {
  Attention x({"", 2, 20, 33, 2, 16});
  AttentionOptions options = x.options();
  options.precision = MatmulPrecision::kBfloat16;
  attention_forward(as_const(x.q.view()), as_const(x.k.view()), as_const(x.v.view()), x.out.view(),
                    x.log_sum_exp.data(), options);
  const HeadInput head = x.twin(1, 1);
  const double error = gap(x.out.head(1, 1), reference::attend(head).out);
  // Scores are off by 2^-8 of sum |q| |k| / 4 <= 16, weights and values by 2^-9 each.
  EXPECT_LE(error, (0x1p-8 * 16 * 2 + 0x1p-8) * largest(head.v));
  EXPECT_GT(error, 1e-5);
}

// --- Calls that are refused

float room[4096];
float sums[64];

ConstTensorView given(std::int64_t tokens, DType dtype = DType::kFloat32) {
  return bshd<const void>(room, dtype, 1, tokens, 2, 4);
}
TensorView result(std::int64_t tokens) { return bshd<void>(room + 2048, DType::kFloat32, 1, tokens, 2, 4); }

ConstTensorView with_strides(ConstTensorView x, std::int64_t token, std::int64_t channel) {
  x.strides[1] = token;
  x.strides[3] = channel;
  return x;
}

void forward_with(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v, const TensorView& out,
                  bool causal = false) {
  attention_forward(q, k, v, out, sums, {0, causal, nullptr, MatmulPrecision::kFloat32});
}

void backward_with(const ConstTensorView& grad_out, const AttentionGradients& gradients) {
  attention_backward(given(3), given(5), given(5), given(3), sums, grad_out, gradients, {});
}

class BadAttention : public ::testing::TestWithParam<BadCall> {};
TEST_P(BadAttention, IsRefused) { expect_refused(GetParam()); }

const BadCall kBadCalls[] = {
    {"float64", [] { forward_with(given(3, DType::kFloat64), given(5), given(5), result(3)); }, "invalid_argument",
     "q must be float32, got float64"},
    {"half_keys", [] { forward_with(given(3), given(5, DType::kFloat16), given(5), result(3)); }, "invalid_argument",
     "k must be float32"},
    {"fewer_values_than_keys", [] { forward_with(given(3), given(5), given(4), result(3)); }, "invalid_argument",
     "v must be [1, 5, 2, 4], got [1, 4, 2, 4]"},
    {"another_head_dim",
     [] { forward_with(given(3), bshd<const void>(room, DType::kFloat32, 1, 5, 2, 6), given(5), result(3)); },
     "invalid_argument", "k must be [1, 5, 2, 4]"},
    {"another_batch",
     [] { forward_with(given(3), bshd<const void>(room, DType::kFloat32, 2, 5, 2, 4), given(5), result(3)); },
     "invalid_argument", "k must be"},
    {"out_of_another_length", [] { forward_with(given(3), given(5), given(5), result(4)); }, "invalid_argument",
     "out must be"},
    {"channels_apart", [] { forward_with(with_strides(given(3), 16, 2), given(5), given(5), result(3)); },
     "invalid_argument", "q must be of unit channel stride"},
    {"tokens_that_overlap", [] { forward_with(given(3), with_strides(given(5), 3, 1), given(5), result(3)); },
     "invalid_argument", "k must be"},
    {"no_memory",
     [] { forward_with(given(3), bshd<const void>(nullptr, DType::kFloat32, 1, 5, 2, 4), given(5), result(3)); },
     "invalid_argument", "k must be given"},
    {"more_causal_queries_than_keys", [] { forward_with(given(6), given(5), given(5), result(6), true); },
     "invalid_argument", "causal queries"},
    {"grad_out_of_another_length",
     [] {
       backward_with(given(4), {result(3), result(5), result(5)});
     },
     "invalid_argument", "grad_out must be"},
    {"grad_k_of_another_length",
     [] {
       backward_with(given(3), {result(3), result(4), result(5)});
     },
     "invalid_argument", "grad_k must be"},
    {"grad_v_of_another_length",
     [] {
       backward_with(given(3), {result(3), result(5), result(4)});
     },
     "invalid_argument", "grad_v must be"},
};
INSTANTIATE_TEST_SUITE_P(Calls, BadAttention, ::testing::ValuesIn(kBadCalls), bad_call_name);

TEST(NoQueries, Succeed) {
  forward_with(given(0), given(5), given(5), result(0));
  forward_with(
      bshd<const void>(nullptr, DType::kFloat32, 0, 3, 2, 4), bshd<const void>(nullptr, DType::kFloat32, 0, 5, 2, 4),
      bshd<const void>(nullptr, DType::kFloat32, 0, 5, 2, 4), bshd<void>(nullptr, DType::kFloat32, 0, 3, 2, 4));
}

TEST(NoKeys, GiveZero) {
  float zero_out[24];
  std::fill_n(zero_out, 24, 1.0f);
  attention_forward(given(3), given(0), given(0), bshd<void>(zero_out, DType::kFloat32, 1, 3, 2, 4), sums, {});
  for (const float x : zero_out) EXPECT_EQ(x, 0);
  EXPECT_EQ(sums[0], kInfinity);
}

}  // namespace
}  // namespace rotary::testing
