// Gradients: of every module and of whole models against finite differences in double, and of float32's fast path
// against the double one.
#include <gtest/gtest.h>

#include "nn/gradients.h"
#include "nn/linear.h"
#include "nn/rotate.h"
#include "nn/row_functions.h"

namespace rotary::testing {
namespace {

constexpr double kTolerance = 1e-7;  // of finite differences, with a factor for what they are differences of
constexpr std::uint64_t kSeed = 17;

nn::Pass training_pass() { return {MatmulPrecision::kFloat32, true, kSeed}; }

Tensor drawn(std::vector<std::int64_t> shape, std::uint64_t seed) {
  auto generator = torch::make_generator<torch::CPUGeneratorImpl>(seed);
  return torch::randn(shape, generator, torch::TensorOptions(torch::kFloat64)).requires_grad_();
}

// A function of tensors, by finite differences in double and by its fast path in float32.
void check_function(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                    const std::vector<Tensor>& inputs) {
  EXPECT_LE(gradient_error([&] { return weigh(function(inputs)); }, inputs, 100), kTolerance);
  std::vector<Tensor> singles;
  for (const Tensor& x : inputs) singles.push_back(x.detach().to(torch::kFloat32).requires_grad_());
  const Tensor want = function(inputs), got = function(singles);
  EXPECT_LE(gap(got, want), 1e-5 * (1 + largest(want)));
  const auto wanted = gradients_of(weigh(want), inputs), gotten = gradients_of(weigh(got), singles);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_LE(gap(gotten[i], wanted[i]), 1e-5 * (1 + largest(wanted[i]))) << "input " << i;
}

TEST(Gradient, OfLinear) {
  check_function([](const auto& x) { return nn::linear(x[0], x[1], x[2], {}); },
                 {drawn({2, 3, 5}, 1), drawn({4, 5}, 2), drawn({4}, 3)});
}

TEST(Gradient, OfLinearWithoutBias) {
  check_function([](const auto& x) { return nn::linear(x[0], x[1], {}, {}); }, {drawn({2, 3, 5}, 1), drawn({4, 5}, 2)});
}

TEST(Gradient, OfLinearOfSomethingTransposed) {
  check_function([](const auto& x) { return nn::linear(x[0].transpose(0, 1), x[1], {}, {}).transpose(0, 1); },
                 {drawn({5, 3}, 1), drawn({4, 5}, 2)});
}

TEST(Gradient, OfGelu) {
  check_function([](const auto& x) { return nn::gelu(x[0]); }, {drawn({3, 7}, 1)});
}

TEST(Gradient, OfDropout) {
  check_function([](const auto& x) { return nn::dropout(x[0], 0.3, training_pass()); }, {drawn({3, 11}, 1)});
}

TEST(Gradient, OfResidualNorm) {
  for (const double p : {0.0, 0.3})
    check_function(
        [p](const auto& x) {
          const auto out = nn::residual_norm(x[0], x[1], x[2], x[3], 1e-5, p, training_pass());
          return torch::cat({out.normal, 0.7 * out.sum});  // both are used: pre-norm
        },
        {drawn({3, 11}, 1), drawn({3, 11}, 2), drawn({11}, 3), drawn({11}, 4)});
}

TEST(Gradient, OfResidualNormWhoseSumIsNotUsed) {
  check_function(
      [](const auto& x) { return nn::residual_norm(x[0], x[1], x[2], x[3], 1e-5, 0.3, training_pass()).normal; },
      {drawn({3, 11}, 1), drawn({3, 11}, 2), drawn({11}, 3), drawn({11}, 4)});
}

TEST(Gradient, OfResidualNormWhoseNormIsNotUsed) {
  check_function(
      [](const auto& x) { return nn::residual_norm(x[0], x[1], x[2], x[3], 1e-5, 0.3, training_pass()).sum; },
      {drawn({3, 11}, 1), drawn({3, 11}, 2), drawn({11}, 3), drawn({11}, 4)});
}

TEST(Gradient, OfNormAlone) {
  check_function([](const auto& x) { return nn::residual_norm(x[0], {}, x[1], x[2], 1e-5, 0, {}).normal; },
                 {drawn({2, 2, 5}, 1), drawn({5}, 2), drawn({5}, 3)});
}

TEST(Gradient, OfRotation) {
  for (const Pairing pairing : {Pairing::kHalf, Pairing::kInterleaved})
    for (const bool with_values : {false, true})
      check_function(
          [&](const auto& x) {
            RopeSpec spec;
            spec.head_dim = spec.rotary_dim = 4;
            spec.pairing = spec.output_pairing = pairing;
            return nn::rotate(x[0] * 1, {Rotary(spec, 16)}, 2, 5, with_values);
          },
          {drawn({2, 3, 24}, 1)});
}

TEST(Gradient, OfAttention) {
  Tensor mask = torch::ones({2, 5}, torch::kBool), blind = mask.clone();
  mask[1].narrow(0, 3, 2).fill_(false);
  blind[1].fill_(false);
  for (const bool causal : {false, true})
    for (const Tensor& hidden : {Tensor(), mask, blind}) {
      SCOPED_TRACE(::testing::Message() << "causal " << causal << " masked " << hidden.defined());
      check_function(
          [&](const auto& x) {
            return nn::attend(x[0], {causal, hidden}, {});
          },
          {drawn({2, 5, 3, 2, 4}, 1)});
    }
}

TEST(Gradient, OfPooling) {
  const nn::Input input = drawn_input(true);
  for (const auto pooling : {nn::Pooling::kMean, nn::Pooling::kFirst, nn::Pooling::kMax})
    for (const Tensor& mask : {Tensor(), input.mask})
      check_function([&](const auto& x) { return nn::pool(x[0], mask, pooling); }, {drawn({2, 6, 5}, 1)});
}

// --- Whole models

struct Setting {
  bool masked;
  double dropout;
};
constexpr Setting kSettings[] = {{false, 0}, {true, 0}, {true, 0.2}};

class EveryModel : public ::testing::TestWithParam<ModelCase> {
 protected:
  static nn::RoformerConfig config_of(const Setting& setting) {
    nn::RoformerConfig config = GetParam().config;
    config.dropout = setting.dropout;
    return config;
  }
  static std::shared_ptr<nn::Roformer> double_model(const Setting& setting) {
    auto model = drawn_model(config_of(setting));
    model->to(torch::kFloat64);
    return model;
  }
};

TEST_P(EveryModel, HasTheGradientsOfFiniteDifferences) {
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(::testing::Message() << "masked " << setting.masked << " dropout " << setting.dropout);
    const auto model = double_model(setting);
    const nn::Input input = drawn_input(setting.masked);
    const auto loss = [&] { return weigh(say(*model, input, training_pass())); };
    EXPECT_LE(gradient_error(loss, model->parameters(), 6), kTolerance);
  }
}

// A rounding costs 2^-24 of what it rounds. A layer sums over 8 to 24 numbers six times and its norms divide by a
// deviation near 1, so that a value is off by about 150 u of the largest, a gradient by as much going back.
TEST_P(EveryModel, SaysInFloat32WhatItSaysInDouble) {
  constexpr double kError = 600 * 0x1p-24;
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(::testing::Message() << "masked " << setting.masked << " dropout " << setting.dropout);
    const auto wide = double_model(setting), model = drawn_model(config_of(setting));
    const nn::Input input = drawn_input(setting.masked);
    const Tensor want = say(*wide, input, training_pass()), got = say(*model, input, training_pass());
    EXPECT_LE(gap(got, want), kError * largest(want));
    const auto wanted = gradients_of(weigh(want), wide->parameters());
    const auto gotten = gradients_of(weigh(got), model->parameters());
    double size = 0;
    for (const Tensor& x : wanted) size = std::max(size, largest(x));
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_LE(gap(gotten[i], wanted[i]), kError * size) << model->named_parameters().keys()[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, ::testing::ValuesIn(model_cases()), model_name);

}  // namespace
}  // namespace rotary::testing
