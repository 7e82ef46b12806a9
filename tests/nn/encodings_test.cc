// What an encoding must not depend on.
#include "nn/models.h"

namespace rotary::testing {
namespace {

Tensor logits_of(const nn::Roformer& model, const Tensor& tokens, const Tensor& mask = {}) {
  const torch::NoGradGuard no_grad;
  return say(model, {tokens, mask});
}

TEST(ScalingByLength, TakesADocumentsOwnLengthNotTheBatchs) {
  for (const char* method : {"dynamic", "default"}) {
    SCOPED_TRACE(method);
    nn::RoformerConfig config = small_config();
    config.scaling = {method, 2, 4};
    const auto model = drawn_model(config);
    const Tensor tokens = drawn_tokens(3, 14, config.vocab_size);
    Tensor mask = torch::ones({3, 14}, torch::kBool);
    mask[0].narrow(0, 6, 8).fill_(false);
    mask[1].narrow(0, 3, 11).fill_(false);
    const Tensor together = logits_of(*model, tokens, mask);
    const std::int64_t lengths[] = {6, 3, 14};
    for (std::int64_t i = 0; i < 3; ++i)
      EXPECT_LE(gap(together[i], logits_of(*model, tokens.narrow(0, i, 1).narrow(1, 0, lengths[i]))[0]), 1e-5) << i;
  }
}

TEST(ScalingByLength, TurnsLongDocumentsMoreSlowly) {
  nn::RoformerConfig config = small_config();
  const auto plain = drawn_model(config);
  config.scaling = {"dynamic", 2, 4};
  const auto scaled = drawn_model(config);
  const Tensor tokens = drawn_tokens(1, 14, config.vocab_size), few = tokens.narrow(1, 0, 4);
  EXPECT_EQ(gap(logits_of(*plain, few), logits_of(*scaled, few)), 0);
  EXPECT_GT(gap(logits_of(*plain, tokens), logits_of(*scaled, tokens)), 1e-3);
}

}  // namespace
}  // namespace rotary::testing
