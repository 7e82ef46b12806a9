// Defects of other implementations (D-n, research/implementations.md section 7) and of users' kernels (UP-n,
// research/cases.md) that share a test: the id is the label, or the prefix where a test shows one case only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/apply_cases.h"
#include "core/bad_calls.h"

namespace rotary::testing {
namespace {

// --- D7, D9, D10: tables that end too early, read without a check

struct BeyondCase {
  const char* id;
  Scaling scaling;
  std::int64_t seq_len, table_rows, first;  // three tokens from `first`
  friend void PrintTo(const BeyondCase& c, std::ostream* out) { *out << c.id; }
};

class BeyondTheTable : public ::testing::TestWithParam<BeyondCase> {
 protected:
  const BeyondCase& c = GetParam();
  const Rotary rotary{spec_of(64, 10000, c.scaling), c.table_rows, Arithmetic::kExact, c.seq_len};
  const PositionRange positions{c.first};
};

TEST_P(BeyondTheTable, PositionsAreRotatedAsAnyOther) {
  for (DType dtype : kDTypes) {
    const Heads x = random_heads(dtype, {2, 3, 2, 64});
    const Heads out = rotated(rotary, x, positions);
    expect_twin(rotary.map(), x, out, [&](auto, auto t) { return Vector{static_cast<double>(c.first + t)}; });
    EXPECT_EQ(out.memory, rotated(Rotary(rotary.map()), x, positions).memory);
  }
}

TEST_P(BeyondTheTable, ALimitRefusesThemByValue) {
  ApplyOptions limited;
  limited.limit = c.table_rows;
  Heads x = random_heads(DType::kFloat32, {2, 3, 2, 64});
  const std::string value = "got " + std::to_string(std::max(c.first + 2, c.table_rows));
  const auto call = [&] { apply_rotary_inplace(rotary, x.view(), positions, limited); };
  expect_refused({c.id, call, "out_of_range", value.c_str()});
}

INSTANTIATE_TEST_SUITE_P(Cases, BeyondTheTable,
                         ::testing::Values(BeyondCase{"D7_DynamicTableOfTheOriginalLength", DynamicNtkScaling{2, 2048},
                                                      4096, 2048, 2046},
                                           BeyondCase{"D9_PositionIsTheTableLength", {}, 0, 32, 30},
                                           BeyondCase{"D10_OffsetBeyondTheTable", {}, 0, 32, 1000},
                                           BeyondCase{"UP_47_OffsetPlusLengthIsBeyond", {}, 0, 4096, 4094}),
                         [](const auto& info) { return info.param.id; });

// --- D12, D27, UP-05: channels left out, or met with the wrong partner, in a slice narrower than the head

struct SliceCase {
  const char* id;
  Pairing pairing;
  int head_dim, rotary_dim;
  friend void PrintTo(const SliceCase& c, std::ostream* out) { *out << c.id; }
};

class PartialRotation : public OnEveryTarget, public ::testing::WithParamInterface<SliceCase> {};

TEST_P(PartialRotation, TurnsTheSliceAndCopiesTheRestBitForBit) {
  RopeSpec spec = spec_of(GetParam().rotary_dim, 1e7);
  spec.head_dim = GetParam().head_dim;
  spec.pairing = spec.output_pairing = GetParam().pairing;
  const Rotary rotary(spec);
  for (DType dtype : kDTypes) {
    const Heads x = random_heads(dtype, {2, 3, 2, spec.head_dim});
    for_each_target([&] {
      Heads out = constant_heads(dtype, x.shape, std::numeric_limits<double>::quiet_NaN());
      apply_rotary(rotary, x.read(), out.view(), PositionRange{1000});
      EXPECT_EQ(count_nan(out.memory), 0U);
      expect_twin(rotary.map(), x, out, [](auto, auto t) { return Vector{1000.0 + static_cast<double>(t)}; });
      for_each_head(x, [&](auto b, auto t, auto h) {
        const auto tail = GetParam().rotary_dim;
        const Vector before = x.head(b, t, h), after = out.head(b, t, h);
        ASSERT_TRUE(std::equal(before.begin() + tail, before.end(), after.begin() + tail));
      });
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PartialRotation,
                         ::testing::Values(SliceCase{"D12_Adjacent80Of80", Pairing::kInterleaved, 80, 80},
                                           SliceCase{"D12_Adjacent80Of128", Pairing::kInterleaved, 128, 80},
                                           SliceCase{"D27_Halves64Of128", Pairing::kHalf, 128, 64},
                                           SliceCase{"UP_05_Halves64Of256", Pairing::kHalf, 256, 64}),
                         [](const auto& info) { return info.param.id; });

// --- D18, D19, D23, UP-11, UP-13, UP-19: 16-bit data must not make the rotation a 16-bit one

enum class Fault { kTable, kPositions, kFrequencies };

struct NarrowCase {
  const char* id;
  DType dtype;
  std::int64_t first;  // 40 tokens from here
  Fault fault;         // what the reported implementation keeps in bfloat16
  friend void PrintTo(const NarrowCase& c, std::ostream* out) { *out << c.id; }
};

class SixteenBitData : public ::testing::TestWithParam<NarrowCase> {
 protected:
  static constexpr std::int64_t kTokens = 40;
  static double rounded(double x) { return detail::rounded_to_bfloat16(static_cast<float>(x)); }

  /// Rotated as the reported implementation does.
  Heads faulty() const {
    if (c.fault == Fault::kTable)
      return rotated(Rotary(spec, 0, Arithmetic::kTransformersBfloat16), x, PositionRange{c.first});
    RotationMap narrow = map;
    if (c.fault == Fault::kFrequencies)
      for (Frequency& f : narrow.frequency) f = {rounded(f.hi), 0};
    Vector ids;
    for (std::int64_t t = 0; t < kTokens; ++t) ids.push_back(static_cast<double>(c.first + t));
    if (c.fault == Fault::kPositions)
      for (double& id : ids) id = rounded(id);
    return rotated(Rotary(narrow), x, PositionIds{std::span<const double>(ids)});
  }

  /// The largest error over its bound: the result rounded once, u of itself, on 4 u of float32 of the pair's length
  /// (cos, sin, product and sum are rounded to float32).
  double worst(const Heads& out) const {
    double worst = 0;
    for_each_head(x, [&](auto b, auto t, auto h) {
      const Vector in = x.head(b, t, h), got = out.head(b, t, h);
      const Vector want = reference::rotate(map, in, {static_cast<double>(c.first + t)});
      for (const ChannelPair& p : map.pairs)
        for (const auto channel : {static_cast<std::size_t>(p.a), static_cast<std::size_t>(p.b)}) {
          const double length = std::hypot(in[static_cast<std::size_t>(p.a)], in[static_cast<std::size_t>(p.b)]);
          const double bound = unit_roundoff(c.dtype) * std::fabs(want[channel]) + 4 * 0x1p-24 * length;
          worst = std::max(worst, std::fabs(got[channel] - want[channel]) / bound);
        }
    });
    return worst;
  }

  const NarrowCase& c = GetParam();
  const RopeSpec spec = spec_of(64, 10000);
  const RotationMap map = make_rotation_map(spec);
  const Heads x = constant_heads(c.dtype, {2, kTokens, 2, 64}, 1);  // cos - sin: what is left shows the rounding
};

TEST_P(SixteenBitData, IsRotatedInFloat32AndRoundedOnce) {
  EXPECT_LE(worst(rotated(Rotary(map, 2048), x, PositionRange{c.first})), 1);
  EXPECT_GT(worst(faulty()), 2);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SixteenBitData,
    ::testing::Values(NarrowCase{"D18_TableInBfloat16", DType::kBfloat16, 1, Fault::kTable},
                      NarrowCase{"D19_PositionsAbove256", DType::kBfloat16, 260, Fault::kPositions},
                      NarrowCase{"D23_Offset4096", DType::kBfloat16, 4096, Fault::kTable},
                      NarrowCase{"UP_11_Position15962", DType::kBfloat16, 15930, Fault::kPositions},
                      NarrowCase{"UP_13_Position4095", DType::kBfloat16, 4080, Fault::kFrequencies},
                      NarrowCase{"UP_19_Position4088", DType::kBfloat16, 4060, Fault::kTable},
                      NarrowCase{"UP_19_Float16", DType::kFloat16, 131050, Fault::kTable}),
    [](const auto& info) { return info.param.id; });

// --- D17, UP-61: strides taken from another tensor, or taken for contiguous

struct ViewCase {
  const char* id;
  std::array<std::int64_t, 4> shape, strides;
  std::int64_t start;
  friend void PrintTo(const ViewCase& c, std::ostream* out) { *out << c.id; }
};

class ViewedMemory : public ::testing::TestWithParam<std::tuple<ViewCase, DType>> {
 protected:
  const ViewCase& c = std::get<0>(GetParam());
  const DType dtype = std::get<1>(GetParam());

  /// Random where the view is, NaN around it.
  Heads view() const {
    Heads out{Elements(dtype, 0), c.start, c.shape, c.strides};
    std::int64_t end = c.start;
    for (std::size_t k = 0; k < 4; ++k) end += std::max<std::int64_t>(0, (c.shape[k] - 1) * c.strides[k]);
    out.memory = constant_heads(dtype, {1, 1, 1, end + 5}, std::numeric_limits<double>::quiet_NaN()).memory;
    std::uint64_t n = 0;
    for_each_head(out, [&](auto b, auto t, auto h) {
      const Vector values = random_vector(static_cast<int>(c.shape[3]), ++n);
      for (std::size_t i = 0; i < values.size(); ++i)
        out.memory.set(out.at(b, t, h, static_cast<std::int64_t>(i)), values[i]);
    });
    return out;
  }
  RopeSpec spec(Pairing pairing) const {
    RopeSpec spec = spec_of(static_cast<int>(c.shape[3]), 10000);
    spec.pairing = spec.output_pairing = pairing;
    return spec;
  }
};

TEST_P(ViewedMemory, GivesTheBitsOfItsContiguousCopyAndNothingElseIsTouched) {
  for (Pairing pairing : {Pairing::kHalf, Pairing::kInterleaved}) {
    const Rotary rotary(spec(pairing), 64);
    const Heads x = view(), copy = tokens_of(x, 0, c.shape[1]);
    const Heads want = rotated(rotary, copy, PositionRange{60});
    expect_same_values(want, rotated(rotary, x, PositionRange{60}));
    if (std::count(c.strides.begin(), c.strides.end(), 0) > 0) continue;  // to be read only
    Heads inplace = x;
    apply_rotary_inplace(rotary, inplace.view(), PositionRange{60});
    expect_same_values(want, inplace);
    EXPECT_EQ(count_nan(inplace.memory), count_nan(x.memory));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ViewedMemory,
    ::testing::Combine(::testing::Values(ViewCase{"D17_OddStridesOfA4dKey", {2, 5, 3, 16}, {401, 77, 25, 1}, 3},
                                         ViewCase{"UP_61_KeySliceOf576", {2, 7, 1, 64}, {7 * 576, 576, 64, 1}, 512},
                                         ViewCase{"UP_61_HeadStride256", {1, 8, 64, 64}, {0, 64 * 256, 256, 1}, 0},
                                         ViewCase{"UP_61_ReversedBatch", {3, 4, 2, 16}, {-128, 32, 16, 1}, 256},
                                         ViewCase{"UP_61_BatchStrideZero", {3, 4, 2, 16}, {0, 32, 16, 1}, 0},
                                         ViewCase{"UP_61_ChannelStride2", {2, 4, 2, 16}, {256, 64, 32, 2}, 1}),
                       ::testing::ValuesIn(kDTypes)),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).id) + "_" + dtype_label(std::get<1>(info.param));
    });

// --- One case each, on every dtype

class ThreeAxesOfData : public ::testing::TestWithParam<DType> {};  // [tokens][heads][channels]

TEST_P(ThreeAxesOfData, HaveAPositionPerTokenWhateverTheNumberOfHeads) {
  const Rotary rotary(spec_of(32, 10000), 64);
  const Heads x = random_heads(GetParam(), {1, 7, 3, 32});
  Heads out = x;
  apply_rotary_inplace(rotary, thd(out.memory.data(), GetParam(), 7, 3, 32), PositionRange{100});
  expect_twin(rotary.map(), x, out, [](auto, auto t) { return Vector{100.0 + static_cast<double>(t)}; });
}

class RepeatedCalls : public ::testing::TestWithParam<DType> {};

TEST_P(RepeatedCalls, RememberNeitherThePositionsNorTheRotationOfTheOneBefore) {
  for (const SpecCase& c : axis_cases()) {
    const Rotary rotary(c.map(), 64), other(spec_of(24, 500000), 64);
    const Heads x = random_heads(GetParam(), {2, 4, 2, 24});
    const Heads first = rotated(rotary, x, PositionRange{0}), offset = rotated(rotary, x, PositionRange{7});
    const Heads of_other = rotated(other, x, PositionRange{0});
    EXPECT_EQ(first.memory, rotated(rotary, x, PositionRange{0}).memory) << c.name;
    EXPECT_EQ(offset.memory, rotated(Rotary(c.map()), x, PositionRange{7}).memory) << c.name;
    EXPECT_NE(offset.memory, first.memory) << c.name;
    EXPECT_NE(of_other.memory, first.memory) << c.name;
  }
}

class MadeAgain : public ::testing::TestWithParam<DType> {};

/// Memory that was just freed is full of NaN.
void spoil_freed_memory() {
  for (std::size_t size = 16; size < 100000; size += size / 2) {
    const std::vector<std::vector<unsigned char>> blocks(8, std::vector<unsigned char>(size, 0xff));
    ASSERT_EQ(blocks.back().back(), 0xff);
  }
}

TEST_P(MadeAgain, ARotationHasItsNumbersWhateverWasInMemory) {
  const RopeSpec spec = spec_of(128, 500000, yarn_of(4, 4096));
  const Heads x = random_heads(GetParam(), {2, 3, 2, 128});
  const Heads want = rotated(Rotary(spec, 64), x, PositionRange{63});
  expect_twin(make_rotation_map(spec), x, want, [](auto, auto t) { return Vector{63.0 + static_cast<double>(t)}; });
  for (int time = 0; time < 3; ++time) {
    spoil_freed_memory();
    auto first = std::make_unique<Rotary>(spec, 64);
    const Rotary copy = *first, from_map(first->map(), 64);
    first.reset();
    spoil_freed_memory();
    EXPECT_EQ(rotated(copy, x, PositionRange{63}).memory, want.memory);
    EXPECT_EQ(rotated(from_map, x, PositionRange{63}).memory, want.memory);
  }
}

std::string label(const ::testing::TestParamInfo<DType>& info) { return dtype_label(info.param); }
INSTANTIATE_TEST_SUITE_P(D8, ThreeAxesOfData, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(D20_UP_44, RepeatedCalls, ::testing::ValuesIn(kDTypes), label);
INSTANTIATE_TEST_SUITE_P(D29, MadeAgain, ::testing::ValuesIn(kDTypes), label);

}  // namespace
}  // namespace rotary::testing
