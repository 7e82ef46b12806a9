// Every call that must be refused, by name; nothing is written on error.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "core/apply_cases.h"
#include "core/bad_calls.h"

namespace rotary::testing {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
constexpr const char* kInvalid = "invalid_argument";
constexpr const char* kOutOfRange = "out_of_range";

const Rotary& rotation() {
  static const Rotary rotary(spec_of(8, 10000), 16);
  return rotary;
}

float* memory() {
  alignas(64) static std::array<float, 4096> numbers;
  return numbers.data();
}

/// [2][3][2][8] in memory().
TensorView tensor() { return bshd<void>(memory(), DType::kFloat32, 2, 3, 2, 8); }

template <class Change>
TensorView changed(const Change& change) {
  TensorView x = tensor();
  change(x);
  return x;
}

/// In place, with a tensor that something is wrong with.
template <class Change>
BadCall bad_tensor(const char* name, const Change& change, const char* substring) {
  return {name, [change] { apply_rotary_inplace(rotation(), changed(change), PositionRange{}); }, kInvalid, substring};
}

template <class Change>
BadCall bad_output(const char* name, const Change& change, const char* substring) {
  const auto call = [change] { apply_rotary(rotation(), as_const(tensor()), changed(change), PositionRange{}); };
  return {name, call, kInvalid, substring};
}

template <class T>
std::span<const T> kept(std::vector<T> values) {
  static std::vector<std::vector<T>> all;
  all.reserve(1000);
  all.push_back(std::move(values));
  return all.back();
}

BadCall bad_positions(const char* name, const Positions& p, const char* type, const char* substring,
                      std::optional<std::int64_t> limit = {}) {
  ApplyOptions options;
  options.limit = limit;
  return {name, [=] { apply_rotary_inplace(rotation(), tensor(), p, options); }, type, substring};
}

BadCall bad_packing(const char* name, std::vector<std::int32_t> cu, const char* substring) {
  const PackedSequences packed{kept(std::move(cu)), {}};
  const auto call = [packed] {
    apply_rotary_inplace(rotation(), thd<void>(memory(), DType::kFloat32, 3, 2, 8), packed);
  };
  return {name, call, kInvalid, substring};
}

std::vector<BadCall> tensor_calls() {
  return {bad_tensor(
              "NullData", [](TensorView& x) { x.data = nullptr; }, "x.data must not be null"),
          bad_tensor(
              "Misaligned", [](TensorView& x) { x.data = reinterpret_cast<char*>(memory()) + 2; }, "aligned"),
          bad_tensor(
              "UnknownDtype", [](TensorView& x) { x.dtype = static_cast<DType>(9); }, "x.dtype"),
          bad_tensor(
              "NegativeShape", [](TensorView& x) { x.shape[1] = -1; }, "tokens"),
          bad_tensor(
              "OtherChannels", [](TensorView& x) { x.shape[3] = 6; }, "channels"),
          bad_tensor(
              "HugeStride", [](TensorView& x) { x.strides[0] = kHuge / 2; }, "fit in memory"),
          bad_tensor(
              "LeastStride", [](TensorView& x) { x.strides[0] = -kHuge - 1; }, "fit in memory"),
          bad_tensor(
              "HugeShape", [](TensorView& x) { x.shape[0] = kHuge; }, "fit in memory"),
          bad_tensor(
              "StrideZeroWritten", [](TensorView& x) { x.strides[1] = 0; }, "out.strides"),
          bad_tensor(
              "HeadsOverlap", [](TensorView& x) { x.strides[2] = 7; }, "out.strides"),
          bad_output(
              "OutputOfOtherShape", [](TensorView& x) { x.shape[0] = 1; }, "out.shape"),
          bad_output(
              "OutputOfOtherDtype", [](TensorView& x) { x.dtype = DType::kBfloat16; }, "out.dtype"),
          bad_output(
              "OutputOneElementOn", [](TensorView& x) { x.data = memory() + 1; }, "overlap"),
          bad_output(
              "OutputInOtherOrder",
              [](TensorView& x) {
                x.strides = {48, 8, 24, 1};
              },
              "overlap"),
          bad_output(
              "OutputNull", [](TensorView& x) { x.data = nullptr; }, "out.data")};
}

std::vector<BadCall> position_calls() {
  const auto ids = [](std::vector<double> values, int axes = 1, bool each = false) {
    return PositionIds{kept(std::move(values)), axes, each};
  };
  const auto integers = [](std::vector<std::int64_t> values) { return PositionIds{kept(std::move(values))}; };
  return {
      bad_positions("TooFewIds", ids({1, 2}), kInvalid, "positions.ids"),
      bad_positions("IdsForOneSequenceOnly", ids({1, 2, 3}, 1, true), kInvalid, "positions.ids"),
      bad_positions("IdsOfTwoAxes", ids({1, 2, 3, 1, 2, 3}, 2), kInvalid, "num_axes"),
      bad_positions("IdsOfNoAxis", ids({}, 0), kInvalid, "num_axes"),
      bad_positions("NanPosition", ids({1, kNan, 3}), kInvalid, "positions.ids[1]"),
      bad_positions("InfinitePosition", ids({1, 2, HUGE_VAL}), kInvalid, "positions.ids[2]"),
      bad_positions("PositionBeyondDoubles", integers({0, 1, kHuge}), kInvalid, "2^53"),
      bad_positions("LeastPosition", integers({0, 1, -kHuge - 1}), kInvalid, "2^53"),
      bad_positions("RangeOverflows", PositionRange{kHuge}, kInvalid, "2^53"),
      bad_positions("OffsetsForOneSequence", PositionOffsets{kept<std::int64_t>({1})}, kInvalid, "one per sequence, 2"),
      bad_positions("PackingOfABatch", PackedSequences{kept<std::int32_t>({0, 3}), {}}, kInvalid, "batch 1"),
      bad_packing("PackingOfNothing", {}, "cu_seqlens"),
      bad_packing("PackingStartsLate", {1, 3}, "start with 0"),
      bad_packing("PackingFalls", {0, 2, 1, 3}, "cu_seqlens[2]"),
      bad_packing("PackingEndsEarly", {0, 2}, "end with the number of tokens"),
      bad_positions("IdAtTheLimit", integers({0, 10, 3}), kOutOfRange, "positions.ids[1] must be in 0 .. limit-1", 10),
      bad_positions("NegativeIdWithALimit", integers({0, 1, -1}), kOutOfRange, "got -1", 10),
      bad_positions("RangeEndsBeyondTheLimit", PositionRange{8}, kOutOfRange, "got 10", 10),
      bad_positions("OffsetBeyondTheLimit", PositionOffsets{kept<std::int64_t>({0, 99})}, kOutOfRange, "offsets[1]",
                    10)};
}

void shift(std::int64_t delta) { shift_keys_inplace(rotation(), tensor(), delta); }

void gradient(std::size_t size) {
  Vector grad(size);
  frequency_gradient(rotation(), as_const(tensor()), as_const(tensor()), PositionRange{}, grad);
}

void apply_both(const TensorView& second) {
  apply_rotary_inplace(rotation(), std::array{tensor(), second}, PositionRange{});
}

Vector& gradient_memory() {
  static Vector grad(6);
  return grad;
}

void position_gradient_of(const TensorView& grad_out, std::size_t size) {
  position_gradient(rotation(), as_const(tensor()), as_const(grad_out), PositionRange{},
                    std::span(gradient_memory()).first(size));
}

void shift_each(std::vector<double> deltas) {
  shift_keys_inplace(rotation(), tensor(), PositionIds{kept(std::move(deltas))});
}

void move_from(double factor, const Positions& p, const Positions& q, std::optional<std::int64_t> limit = {}) {
  RotationMap from = map_of(8, 10000);
  from.attention_factor = factor;
  ApplyOptions options;
  options.limit = limit;
  move_keys_inplace(Rotary(from), p, rotation(), q, tensor(), options);
}

std::vector<BadCall> key_calls() {
  return {
      {"ShiftOfTooFewTokens",
       [] {
         shift_each({1, 2});
       },
       kInvalid, "positions.ids"},
      {"ShiftByNan",
       [] {
         shift_each({1, kNan, 3});
       },
       kInvalid, "positions.ids[1]"},
      {"MoveFromBeyondDoubles", [] { move_from(1, PositionRange{kHuge}, PositionRange{}); }, kInvalid, "2^53"},
      {"MoveToBeyondDoubles", [] { move_from(1, PositionRange{}, PositionRange{-kHuge}); }, kInvalid, "2^53"},
      {"MoveToTheLimit", [] { move_from(1, PositionRange{99}, PositionRange{8}, 10); }, kOutOfRange, "got 10"},
      {"MoveBelowZero", [] { move_from(1, PositionRange{-9}, PositionRange{-1}, 10); }, kOutOfRange, "got -1"},
      {"GradOutOfOtherShape", [] { position_gradient_of(changed([](TensorView& x) { x.shape[1] = 2; }), 6); }, kInvalid,
       "grad_out.shape"},
      {"GradOutNull", [] { position_gradient_of(changed([](TensorView& x) { x.data = nullptr; }), 6); }, kInvalid,
       "grad_out.data"},
      {"GradientOfTooFewPositions", [] { position_gradient_of(tensor(), 5); }, kInvalid, "6 numbers, got 5"},
  };
}

std::vector<BadCall> other_calls() {
  RotationMap sets = map_of(8, 10000);
  sets.num_sets = 3;
  for (int copy = 0; copy < 2; ++copy)
    sets.frequency.insert(sets.frequency.end(), sets.frequency.begin(), sets.frequency.begin() + 4);
  RotationMap fast = map_with({1e10, 1, 1, 1});
  RotationMap bad = map_of(8, 10000);
  bad.frequency[1].hi = kNan;
  ApplyOptions none;
  none.num_threads = 0;
  const Rotary interleaved = [] {
    RopeSpec spec = spec_of(8, 10000);
    spec.pairing = spec.output_pairing = Pairing::kInterleaved;
    return Rotary(spec);
  }();
  return {
      {"NanFrequency", [=] { (void)Rotary(bad); }, kInvalid, "frequencies"},
      {"NanBase", [] { (void)Rotary(spec_of(8, kNan)); }, kInvalid, "base"},
      {"HugeTable", [] { (void)Rotary(map_of(8, 10000), kHuge); }, "length_error", "fit in memory"},
      {"NegativeTable", [] { (void)Rotary(map_of(8, 10000), -1); }, kInvalid, "table_rows"},
      {"GgmlWithoutSpec", [] { (void)Rotary(map_of(8, 10000), 0, Arithmetic::kGgml); }, kInvalid, "RopeSpec"},
      {"NoThreads", [=] { apply_rotary_inplace(rotation(), tensor(), PositionRange{}, none); }, kInvalid,
       "num_threads"},
      {"HeadsAreNotSets", [=] { apply_rotary_inplace(Rotary(sets), tensor(), PositionRange{}); }, kInvalid,
       "one head per frequency set, 3"},
      {"AngleTooLarge", [=] { apply_rotary_inplace(Rotary(fast), tensor(), PositionRange{1LL << 50}); }, kInvalid,
       "2^60"},
      {"TensorsOverlap", [] { apply_both(changed([](TensorView& x) { x.data = memory() + 80; })); }, kInvalid,
       "must not overlap"},
      {"TensorsOfOtherTokens", [] { apply_both(bshd<void>(memory() + 100, DType::kFloat32, 2, 4, 2, 8)); }, kInvalid,
       "same batch and tokens"},
      {"ShiftBeyondDoubles", [] { shift(kHuge); }, kInvalid, "2^53"},
      {"MoveToOtherPairs",
       [=] { move_keys_inplace(rotation(), PositionRange{}, interleaved, PositionRange{}, tensor()); }, kInvalid,
       "same pairs"},
      {"GradientOfOtherSize", [] { gradient(3); }, kInvalid, "grad must be"},
  };
}

class ApplyBadInputTest : public ::testing::TestWithParam<BadCall> {};

TEST_P(ApplyBadInputTest, IsRefusedBeforeAnythingIsWritten) {
  std::fill_n(memory(), 4096, 1.5F);
  gradient_memory() = Vector(6, 7.0);
  expect_refused(GetParam());
  EXPECT_EQ(gradient_memory(), Vector(6, 7.0));
  EXPECT_EQ(std::count(memory(), memory() + 4096, 1.5F), 4096);
}

INSTANTIATE_TEST_SUITE_P(Tensors, ApplyBadInputTest, ::testing::ValuesIn(tensor_calls()), bad_call_name);
INSTANTIATE_TEST_SUITE_P(Positions, ApplyBadInputTest, ::testing::ValuesIn(position_calls()), bad_call_name);
INSTANTIATE_TEST_SUITE_P(Keys, ApplyBadInputTest, ::testing::ValuesIn(key_calls()), bad_call_name);
INSTANTIATE_TEST_SUITE_P(Others, ApplyBadInputTest, ::testing::ValuesIn(other_calls()), bad_call_name);

}  // namespace
}  // namespace rotary::testing
