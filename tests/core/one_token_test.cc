// A step of decoding takes a way of its own; it gives the bits, and the refusals, of the way for many tokens.
#include <gtest/gtest.h>

#include <array>

#include "core/apply_cases.h"
#include "core/bad_calls.h"

namespace rotary::testing {
namespace {

constexpr std::int64_t kRows = 20;

class OneToken : public OnEveryTarget {};

/// Tokens at `first`, `first` + 1, ...: too many for the short way.
Heads among_others(const Rotary& rotary, const Heads& x, std::int64_t first) {
  Heads many = zero_heads(x.memory.dtype(), {1, 2, x.shape[2], x.shape[3]});
  for (std::size_t i = 0; i < x.memory.size(); ++i) many.memory.set(i, x.memory[i]);
  return tokens_of(rotated(rotary, many, PositionRange{first}), 0, 1);
}

// The layouts, in heads of 16 channels and as wide as a model's.
std::vector<RopeSpec> specs() {
  std::vector<RopeSpec> out;
  for (const SpecCase& layout : layout_cases()) out.push_back(layout.spec);
  for (const Pairing in : {Pairing::kHalf, Pairing::kInterleaved})
    for (const Pairing to : {Pairing::kHalf, Pairing::kInterleaved}) {
      out.push_back(spec_of(128, 10000));
      out.back().pairing = in;
      out.back().output_pairing = to;
    }
  return out;
}

TEST_F(OneToken, HasTheBitsOfATokenAmongOthers) {
  for_each_target([] {
    for (const RopeSpec& spec : specs())
      for (const DType dtype : kDTypes)
        for (const std::int64_t position : {std::int64_t{-3}, std::int64_t{0}, std::int64_t{1}, kRows - 1, kRows}) {
          const Rotary rotary(spec, kRows);
          const Heads x = random_heads(dtype, {1, 1, 5, spec.head_dim});
          const Heads want = among_others(rotary, x, position);
          Heads inplace = x;
          apply_rotary_inplace(rotary, inplace.view(), PositionRange{position});
          expect_same_values(inplace, want);
          expect_same_values(rotated(rotary, x, PositionRange{position}), want);
        }
  });
}

TEST_F(OneToken, TurnsQueriesAndKeysOfAnyDtypeAndPlace) {
  const Rotary rotary(spec_of(48, 10000), kRows);
  const Heads q = random_heads(DType::kBfloat16, {1, 1, 6, 48}), k = random_heads(DType::kFloat32, {1, 1, 2, 48}, 2);
  Heads q_turned = q, k_turned = k;
  apply_rotary_inplace(rotary, std::array{q_turned.view(), k_turned.view()}, PositionRange{7});
  expect_same_values(q_turned, among_others(rotary, q, 7));
  expect_same_values(k_turned, among_others(rotary, k, 7));
}

TEST_F(OneToken, IsHeldToTheLimit) {
  const Rotary rotary(spec_of(16, 10000), kRows);
  Heads x = random_heads(DType::kFloat32, {1, 1, 2, 16});
  ApplyOptions options;
  options.limit = 7;
  expect_refused({"AtTheLimit", [&] { apply_rotary_inplace(rotary, x.view(), PositionRange{7}, options); },
                  "out_of_range", "limit = 7, got 7"});
  apply_rotary_inplace(rotary, x.view(), PositionRange{6}, options);
}

}  // namespace
}  // namespace rotary::testing
