// GELU, residual and LayerNorm, dropout, AdamW: the kernels against twins in double, at every length from 1 to 70.
#include "nn/row_functions.h"

#include <gtest/gtest.h>

#include "nn/models.h"
#include "nn/row_kernels.h"
#include "reference/rows.h"
#include "text/random.h"

namespace rotary::testing {
namespace {

using reference::Row;

constexpr double kUnit = 0x1p-24;
constexpr float kUntouched = 7.5f;
constexpr nn::DropoutMask kKeepAll{};

// n numbers and one more that nothing may touch.
struct Guarded {
  Guarded(std::int64_t n, double size, std::uint64_t seed) : values(static_cast<std::size_t>(n) + 1, kUntouched) {
    text::Random random(seed, {static_cast<std::uint64_t>(n)});
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
      values[i] = static_cast<float>(size * (2 * random.uniform() - 1));
  }
  ~Guarded() { EXPECT_EQ(values.back(), kUntouched) << "written beyond the row"; }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  float* data() { return values.data(); }
  double operator[](std::size_t i) const { return static_cast<double>(values[i]); }
  Row row() const { return Row(values.begin(), values.end() - 1); }
  std::size_t size() const { return values.size() - 1; }

  std::vector<float> values;
};

class RowOfLength : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(RowOfLength, IsTheTwinsGelu) {
  Guarded x(GetParam(), 6, 1), grad(GetParam(), 1, 2), out(GetParam(), 1, 3), grad_x(GetParam(), 1, 4);
  nn::row_kernels().gelu(x.data(), out.data(), GetParam());
  nn::row_kernels().gelu_gradient(x.data(), grad.data(), grad_x.data(), GetParam());
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(out[i], reference::gelu(x[i]), 2e-7 * (1 + std::abs(x[i])));
    EXPECT_NEAR(grad_x[i], grad[i] * reference::gelu_slope(x[i]), 4e-7 * (1 + std::abs(x[i])));
  }
}

// Sums over n channels are off by n u of their size, the normal by that times itself.
TEST_P(RowOfLength, IsTheTwinsResidualNorm) {
  const std::int64_t n = GetParam();
  Guarded x(n, 2, 1), update(n, 1, 2), weight(n, 1, 3), bias(n, 1, 4), sum(n, 1, 5), out(n, 1, 6);
  float statistics[2];
  nn::row_kernels().residual_norm(x.data(), update.data(), kKeepAll, 0, weight.data(), bias.data(), 1e-5, sum.data(),
                                  out.data(), statistics, n);
  Row exact;
  for (std::size_t i = 0; i < x.size(); ++i) exact.push_back(x[i] + update[i]);
  const auto moments = reference::moments(exact, 1e-5);
  const Row want = reference::layer_norm(exact, weight.row(), bias.row(), 1e-5);
  const double error = static_cast<double>(n + 8) * kUnit * (3 * moments.inverse + 4);
  EXPECT_NEAR(static_cast<double>(statistics[0]), moments.mean, static_cast<double>(n + 2) * 3 * kUnit);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(sum[i], exact[i], 3 * kUnit);
    EXPECT_NEAR(out[i], want[i], 2 * error);
  }
  Guarded alone(n, 1, 7);
  nn::row_kernels().residual_norm(sum.data(), nullptr, kKeepAll, 0, weight.data(), bias.data(), 1e-5, nullptr,
                                  alone.data(), statistics, n);
  EXPECT_EQ(alone.values, out.values) << "of the sum alone";
}

TEST_P(RowOfLength, HasTheTwinsResidualNormGradient) {
  const std::int64_t n = GetParam();
  if (n == 1) return;  // the norm of one channel is its bias
  Guarded sum(n, 2, 1), weight(n, 1, 2), bias(n, 1, 3), out(n, 1, 4), grad(n, 1, 5), grad_x(n, 1, 6);
  Guarded grad_update(n, 1, 7), grad_weight(n, 0, 8), grad_bias(n, 0, 9);
  float statistics[2];
  nn::row_kernels().residual_norm(sum.data(), nullptr, kKeepAll, 0, weight.data(), bias.data(), 1e-5, nullptr,
                                  out.data(), statistics, n);
  for (int twice = 0; twice < 2; ++twice)
    nn::row_kernels().residual_norm_gradient(sum.data(), statistics, weight.data(), grad.data(), kKeepAll, 0,
                                             grad_x.data(), grad_update.data(), grad_weight.data(), grad_bias.data(),
                                             n);
  const auto moments = reference::moments(sum.row(), 1e-5);
  const Row want = reference::layer_norm_gradient(sum.row(), weight.row(), grad.row(), 1e-5);
  const double size = 3 * moments.inverse + 4, error = static_cast<double>(n + 8) * kUnit * size;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double normal = (sum[i] - moments.mean) * moments.inverse;
    EXPECT_NEAR(grad_x[i], want[i], 4 * error * size);
    EXPECT_NEAR(grad_weight[i], 2 * grad[i] * normal, 4 * error) << "added up over rows";
    EXPECT_EQ(grad_bias[i], 2 * grad[i]);
  }
  EXPECT_EQ(grad_update.values, grad_x.values);
}

TEST_P(RowOfLength, IsTheTwinsAdamWAfterFiveSteps) {
  const std::int64_t n = GetParam();
  Guarded x(n, 1, 1), first(n, 0, 2), second(n, 0, 3);
  std::vector<reference::AdamState> twins;
  for (std::size_t i = 0; i < x.size(); ++i) twins.push_back({x[i], 0, 0});
  constexpr double kBeta1 = 0.9f, kBeta2 = 0.98f, kRate = 1e-2, kDecay = 0.1;
  for (int t = 1; t <= 5; ++t) {
    Guarded gradient(n, 3, 10 + static_cast<std::uint64_t>(t));
    const nn::AdamWStep step{static_cast<float>(kBeta1),
                             static_cast<float>(kBeta2),
                             0.5f,
                             static_cast<float>(1 / std::sqrt(1 - std::pow(kBeta2, t))),
                             1e-8f,
                             static_cast<float>(kRate / (1 - std::pow(kBeta1, t))),
                             static_cast<float>(kRate * kDecay)};
    nn::row_kernels().adamw(step, gradient.data(), first.data(), second.data(), x.data(), n);
    for (std::size_t i = 0; i < x.size(); ++i)
      reference::adamw(twins[i], 0.5 * gradient[i], t, kRate, kBeta1, kBeta2, 1e-8, kDecay);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {  // 5 steps of at most 4 roundings each; 1 - beta2 is off by 2^-24 / 0.02
    EXPECT_NEAR(x[i], twins[i].x, 20 * kUnit + 5 * kRate * 50 * kUnit);
    EXPECT_NEAR(first[i], twins[i].first, 20 * kUnit * 1.5);
    EXPECT_NEAR(second[i], twins[i].second, 60 * kUnit * 1.5 * 1.5);
  }
}

TEST_P(RowOfLength, AddsUpAndSquares) {
  Guarded to(GetParam(), 1, 1), from(GetParam(), 1, 2);
  const Row before = to.row();
  double want = 0;
  for (std::size_t i = 0; i < from.size(); ++i) want += from[i] * from[i];
  EXPECT_NEAR(nn::row_kernels().sum_of_squares(from.data(), GetParam()), want, 70 * 0x1p-53 * want);
  nn::row_kernels().add(to.data(), from.data(), GetParam());
  for (std::size_t i = 0; i < to.size(); ++i)
    EXPECT_EQ(to[i], static_cast<double>(static_cast<float>(before[i] + from[i])));
}

TEST_P(RowOfLength, IsDroppedAsAPartOfALongerOne) {
  const nn::DropoutMask mask{123, 1U << 30, 4.0f / 3};
  Guarded ones(200, 0, 1), all(200, 1, 2), part(GetParam(), 1, 3);
  for (std::size_t i = 0; i < 200; ++i) ones.values[i] = 1;
  nn::row_kernels().dropout(ones.data(), mask, 0, all.data(), 200);
  nn::row_kernels().dropout(ones.data(), mask, 37, part.data(), GetParam());
  for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part[i], all[i + 37]);
}

INSTANTIATE_TEST_SUITE_P(Lengths, RowOfLength, ::testing::Range<std::int64_t>(1, 71));

// --- Dropout

Tensor mask_of(double p, std::uint64_t seed, std::int64_t n = 1 << 20) {
  return nn::dropout(torch::ones({n}), p, nn::Pass{MatmulPrecision::kFloat32, true, seed});
}

TEST(Dropout, KeepsItsShareAndScalesIt) {
  for (const double p : {0.1, 0.5, 0.75}) {
    const Tensor mask = mask_of(p, 5);
    const auto n = static_cast<double>(mask.numel());
    const double kept = mask.count_nonzero().item<double>();
    EXPECT_NEAR(kept, n * (1 - p), 5 * std::sqrt(n * p * (1 - p))) << p;
    EXPECT_EQ(mask.max().item<float>(), static_cast<float>(1 / (1 - p)));
    EXPECT_EQ((mask == mask.max()).sum().item<double>(), kept) << "another value than 0 and the factor";
  }
}

TEST(Dropout, OfNeighboursIsIndependent) {
  const Tensor kept = (mask_of(0.5, 6) > 0).to(torch::kFloat64) - 0.5;
  for (const std::int64_t distance : {1, 2, 8, 64, 4096}) {
    const std::int64_t n = kept.numel() - distance;
    const double product = (kept.narrow(0, 0, n) * kept.narrow(0, distance, n)).sum().item<double>();
    EXPECT_LE(std::abs(product), 5 * 0.25 * std::sqrt(static_cast<double>(n))) << distance;
  }
}

TEST(Dropout, IsTheSameForASeedAndSiteAndAnotherForOthers) {
  EXPECT_TRUE(torch::equal(mask_of(0.5, 7), mask_of(0.5, 7)));
  const Tensor one = mask_of(0.5, 7, 4096), other = mask_of(0.5, 8, 4096);
  EXPECT_NEAR((one == other).sum().item<double>(), 2048, 5 * 32);
  const nn::Pass pass{MatmulPrecision::kFloat32, true, 7};
  const Tensor x = torch::ones({4096}), first = nn::dropout(x, 0.5, pass), second = nn::dropout(x, 0.5, pass);
  EXPECT_TRUE(torch::equal(first, one));
  EXPECT_NEAR((first == second).sum().item<double>(), 2048, 5 * 32) << "the next site of the same pass";
}

TEST(Dropout, IsNothingOutsideOfTraining) {
  const Tensor x = torch::randn({40});
  EXPECT_TRUE(torch::equal(nn::dropout(x, 0.5, {}), x));
  EXPECT_TRUE(torch::equal(nn::dropout(x, 0, nn::Pass{MatmulPrecision::kFloat32, true, 3}), x));
}

TEST(Dropout, HasTheSameMaskForwardBackwardAndInDouble) {
  const nn::Pass pass{MatmulPrecision::kFloat32, true, 9}, again = pass, wide = pass;
  const Tensor x = torch::ones({3, 37}, torch::requires_grad());
  const Tensor out = nn::dropout(x, 0.3, pass);
  out.sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), out.detach()));
  EXPECT_TRUE(torch::equal(nn::dropout(torch::ones({3, 37}, torch::kFloat64), 0.3, wide).to(torch::kFloat32), out));
  // In a residual branch: the same mask, since it is the same site.
  const Tensor update = torch::ones({3, 37}, torch::requires_grad());
  const auto norm =
      nn::residual_norm(torch::zeros({3, 37}), update, torch::ones({37}), torch::zeros({37}), 1e-5, 0.3, again);
  EXPECT_TRUE(torch::equal(norm.sum, out.detach()));
  norm.sum.sum().backward();
  EXPECT_TRUE(torch::equal(update.grad(), out.detach()));
}

}  // namespace
}  // namespace rotary::testing
