// Every 16-bit value through the kernels: rounded once, to nearest even, with denormals, infinities and NaN kept.
#include <gtest/gtest.h>

#include <tuple>

#include "core/apply_cases.h"

namespace rotary::testing {
namespace {

constexpr std::size_t kValues = 65536;

// A pair that does not turn is multiplied by the factor: out = factor * x.
RotationMap scaling_map(double factor, Pairing in, Pairing out) {
  RopeSpec spec = spec_of(64, 10000, GivenFrequencies{1, Vector(32, 0.0)});
  spec.pairing = in;
  spec.output_pairing = out;
  RotationMap map = make_rotation_map(spec);
  map.attention_factor = factor;
  return map;
}

double nearest(DType dtype, float value) {
  if (dtype == DType::kBfloat16) return detail::from_bfloat16(detail::to_bfloat16(value));
  return detail::from_float16(to_float16(value));
}

class ApplyRoundingTest : public OnEveryTarget,
                          public ::testing::WithParamInterface<std::tuple<DType, Pairing, Pairing>> {
 protected:
  /// All 65536 values: in each vector of 64 channels, at the place where the map writes it.
  void check(double factor) {
    const auto [dtype, in, out_pairing] = GetParam();
    const RotationMap map = scaling_map(factor, in, out_pairing);
    Heads x = zero_heads(dtype, {1, 1, kValues / 64, 64}), out = x;
    for (std::size_t i = 0; i < kValues; ++i) x.memory.put(i, static_cast<std::uint16_t>(i * 40503));
    apply_rotary(Rotary(map, 2), x.read(), out.view(), PositionRange{1});
    for (std::int64_t h = 0; h < x.shape[2]; ++h)
      for (const ChannelPair& p : map.pairs) {
        check_one(x, x.at(0, 0, h, p.a), x.at(0, 0, h, p.b), out, out.at(0, 0, h, p.c), factor);
        check_one(x, x.at(0, 0, h, p.b), x.at(0, 0, h, p.a), out, out.at(0, 0, h, p.d), factor);
      }
  }

  // The other end adds a zero, or NaN where it is not finite.
  static void check_one(const Heads& x, std::size_t from, std::size_t other, const Heads& out, std::size_t to,
                        double factor) {
    const double value = x.memory[from], rest = x.memory[other] * 0;
    if (std::isnan(value) || std::isnan(rest)) {
      ASSERT_TRUE(std::isnan(out.memory[to])) << value;
    } else {
      ASSERT_EQ(nearest(x.memory.dtype(), static_cast<float>(value) * static_cast<float>(factor)), out.memory[to])
          << value << " * " << factor;
    }
  }
};

// 1 + 2^-8 and 1 + 2^-11 make ties of bfloat16 and float16; 2^-9 makes denormals; 3 overflows.
TEST_P(ApplyRoundingTest, RoundsEveryValueToNearestEven) {
  for_each_target([&] {
    for (double factor : {1 + 0x1p-8, 1 + 0x1p-11, 1 - 0x1p-9, 0x1.8p-9, 0x1p-120, 3.0}) check(factor);
  });
}

INSTANTIATE_TEST_SUITE_P(DTypes, ApplyRoundingTest,
                         ::testing::Combine(::testing::Values(DType::kFloat16, DType::kBfloat16),
                                            ::testing::Values(Pairing::kHalf, Pairing::kInterleaved),
                                            ::testing::Values(Pairing::kHalf, Pairing::kInterleaved)),
                         [](const auto& info) {
                           const auto name = [](Pairing p) { return p == Pairing::kHalf ? "Half" : "Interleaved"; };
                           return dtype_label(std::get<0>(info.param)) + "_" + name(std::get<1>(info.param)) + "_To_" +
                                  name(std::get<2>(info.param));
                         });

}  // namespace
}  // namespace rotary::testing
