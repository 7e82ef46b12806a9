// Rotates head vectors by whatever the bytes say, on every SIMD target: against each other and against the slow twin.
// What the library refuses must throw a documented exception, and nothing but the output may be written.
#include <cstring>
#include <stdexcept>

#include "apply_twin.h"
#include "core/rotate_kernels.h"
#include "core/tile_rotation.h"
#include "gradient_twin.h"

namespace rotary::fuzz {
namespace {

/// Tasks one after the other, the last first.
class BackwardsExecutor final : public Executor {
 public:
  int concurrency() const override { return 3; }
  void run(int num_tasks, const std::function<void(int)>& task) override {
    while (num_tasks > 0) task(--num_tasks);
  }
};

struct Buffers {
  Elements x, out;
  friend bool operator==(const Buffers&, const Buffers&) = default;
};

enum class Ending { kDone, kInvalid, kOutOfRange, kRuntime };

class ApplyCase {
 public:
  explicit ApplyCase(Draw& draw)
      : draw_(draw),
        fault_(draw_int(draw, 0, 7) == 7 ? draw.ConsumeEnum<Fault>() : Fault::kNone),
        operation_(draw.ConsumeEnum<Operation>()),
        rotary_(draw_rotary(draw)),
        to_(draw_other()),
        dtype_(static_cast<DType>(draw_int(draw, 0, 3))),
        shape_(draw_shape()),
        x_(draw_place(draw, shape_)),
        inplace_(operation_ > Operation::kBackward || draw.ConsumeBool()),
        shared_(inplace_ || draw_int(draw, 0, 7) == 7),
        out_(inplace_ ? x_ : draw_place(draw, shape_)),
        before_(draw_buffers()),
        streams_(draw.ConsumeBool()) {
    draw_positions();
    draw_options();
  }

  void check() {
    const std::vector<std::string> targets = detail::available_targets();
    const bool exact = rotary_.arithmetic() == Arithmetic::kExact && to_.arithmetic() == Arithmetic::kExact;
    const Twin twin(turns(), exact, dtype_);
    detail::set_streaming_bytes(streams_ ? 0 : -1);
    std::optional<Buffers> fused;
    for (const std::string& target : targets) {
      detail::choose_target(target);
      Buffers after = before_;
      const Ending ending = run(after);
      check_ending(ending);
      if (fused && after == *fused) continue;
      check_untouched(after, ending == Ending::kDone);
      if (ending != Ending::kDone) continue;
      const bool has_fma = target.starts_with("AVX") || target.starts_with("NEON");
      if (fused) check_targets(twin, *fused, after, has_fma);
      if (fused && has_fma) continue;  // the same numbers
      twin.check({&before_.x, &shape_, &x_}, result(after));
      if (has_fma) fused = after;
    }
    detail::choose_target("");
    if (exact) check_gradients();
  }

 private:
  static std::size_t count(std::int64_t n) { return static_cast<std::size_t>(std::max<std::int64_t>(0, n)); }
  bool is_empty() const { return shape_[0] * shape_[1] * shape_[2] == 0; }
  Tensor result(const Buffers& buffers) const { return {shared_ ? &buffers.x : &buffers.out, &shape_, &out_}; }

  // move_keys_inplace needs the same pairs: mostly the map itself with other frequencies.
  Rotary draw_other() {
    if (operation_ != Operation::kMove) return rotary_;
    if (draw_int(draw_, 0, 15) == 15) return draw_rotary(draw_);
    RotationMap map = rotary_.map();
    if (draw_.ConsumeBool()) map.attention_factor *= 1.5;
    for (Frequency& f : map.frequency) f = {f.hi / 4, f.lo / 4};
    return Rotary(std::move(map), draw_int(draw_, 0, 19) == 19 ? 40 : 0);
  }

  Shape draw_shape() {
    const int sets = rotary_.map().num_sets;
    const bool large = draw_int(draw_, 0, 63) == 63;  // enough bytes for several tasks
    const int batch = draw_.PickValueInArray({2, 1, 1, 1, 2, 1, 3, 0});
    int tokens = draw_.PickValueInArray({3, 1, 2, 5, 1, 3, 2, 0});
    int heads = large ? 5 : draw_.PickValueInArray({3, 1, 2, 4, 1, 5, 8, 0});
    if (draw_int(draw_, 0, 3) == 3) tokens = draw_int(draw_, 1, 40);
    if (large) tokens += 50;
    if (sets > 1 && draw_int(draw_, 0, 31) < 31) heads = sets;
    return {batch, tokens, heads, rotary_.map().channels};
  }

  Buffers draw_buffers() {
    Random random = draw_random(draw_);
    const bool special = draw_int(draw_, 0, 3) == 3;
    const int exponent = draw_int(draw_, -10, 8);
    const std::int64_t after = draw_int(draw_, 0, 5);
    Elements x(dtype_, count((shared_ ? std::max(x_.end, out_.end) : x_.end) + after));
    Elements out(dtype_, shared_ ? 0 : count(out_.end + after));
    for (Elements* memory : {&x, &out})
      for (std::size_t i = 0; i < memory->size(); ++i) {
        memory->set(i, std::ldexp(number(random), exponent));
        if (!special || below(30, random) > 0) continue;
        const std::uint64_t any = random();  // NaN, infinities, denormals
        std::memcpy(static_cast<std::byte*>(memory->data()) + i * size_of(dtype_), &any, size_of(dtype_));
      }
    return {std::move(x), std::move(out)};
  }

  void draw_positions() {
    Random random = draw_random(draw_);
    delta_ = draw_position(draw_int(draw_, 0, 4), random);
    bool faulty =
        PositionDraw(draw_, shape_, rotary_.map().num_axes, fault_).into(p_, operation_ == Operation::kShiftEach);
    if (operation_ == Operation::kMove)
      faulty |= PositionDraw(draw_, shape_, to_.map().num_axes, fault_).into(q_, false);
    if (fault_ >= Fault::kPositionCount && (!faulty || operation_ == Operation::kShift)) fault_ = Fault::kNone;
    if (operation_ != Operation::kShift) return;
    for (auto& at : p_.at) at.assign(at.size(), static_cast<double>(delta_));
  }

  void draw_options() {
    options_.num_threads = draw_int(draw_, 1, 3);
    if (draw_.ConsumeBool()) options_.executor = &executor_;
    if (draw_int(draw_, 0, 3) == 3) options_.limit = draw_.PickValueInArray({300LL, 1LL << 21, 0LL});
    if (fault_ == Fault::kThreads) options_.num_threads = draw_int(draw_, -1, 0);
  }

  std::vector<Turn> turns() const {
    const RotationMap& map = rotary_.map();
    const double factor = map.attention_factor;
    switch (operation_) {
      case Operation::kApply:
      case Operation::kTogether: return {{map, &p_}};
      case Operation::kUnrotate: return {{on_outputs(map, true, -1, 1 / factor), &p_}};
      case Operation::kBackward: return {{on_outputs(map, true, -1, factor), &p_}};
      case Operation::kShift:
      case Operation::kShiftEach: return {{on_outputs(map, false, 1, 1), &p_}};
      case Operation::kMove:
        return {{on_outputs(map, false, -1, 1 / factor), &p_},
                {on_outputs(to_.map(), false, 1, to_.map().attention_factor), &q_}};
    }
    return {};
  }

  TensorView view(Elements& memory, const Place& place) const {
    auto* start = static_cast<std::byte*>(memory.data()) + place.start * static_cast<std::int64_t>(size_of(dtype_));
    return {start, dtype_, shape_, place.strides};
  }

  // Faults of a tensor; those that do not fit the call become none.
  void spoil(TensorView& x, TensorView& out) {
    const std::size_t axis = static_cast<std::size_t>(static_cast<int>(operation_) + shape_[1]) % 4;
    TensorView& bad = !inplace_ && shape_[2] % 2 == 0 ? x : out;
    const auto needs = [&](bool ok) { return ok || (fault_ = Fault::kNone, false); };
    switch (fault_) {
      case Fault::kNullData: bad.data = nullptr; break;
      case Fault::kMisaligned: bad.data = static_cast<std::byte*>(bad.data) + 1; break;
      case Fault::kUnknownDType: bad.dtype = static_cast<DType>(9); break;
      case Fault::kNegativeShape: bad.shape[axis] = -1; break;
      case Fault::kHugeShape: bad.shape[axis] = std::numeric_limits<std::int64_t>::max(); break;
      case Fault::kChannels: --x.shape[3], out.shape[3] = x.shape[3]; break;
      case Fault::kOtherShape:
        if (needs(!inplace_)) --out.shape[axis];
        break;
      case Fault::kOtherDType:
        if (needs(!inplace_)) out.dtype = dtype_ == DType::kFloat16 ? DType::kBfloat16 : DType::kFloat16;
        break;
      case Fault::kHugeStride:
        if (needs(shape_[axis] > 1)) bad.strides[axis] = std::numeric_limits<std::int64_t>::min() + (delta_ > 0);
        break;
      case Fault::kZeroStride:
        if (needs(shape_[axis] > 1)) out.strides[axis] = 0;
        break;
      default: break;
    }
    if (inplace_) x = out;
  }

  Ending run(Buffers& buffers) {
    TensorView x = view(buffers.x, x_), out = view(shared_ ? buffers.x : buffers.out, out_);
    spoil(x, out);
    try {
      call(x, out);
      return Ending::kDone;
    } catch (const std::invalid_argument&) {
      return Ending::kInvalid;
    } catch (const std::out_of_range&) {
      return Ending::kOutOfRange;
    } catch (const std::runtime_error&) {
      return Ending::kRuntime;
    }
  }

  void call(const TensorView& x, const TensorView& out) const {
    switch (operation_) {
      case Operation::kApply:
        return inplace_ && streams_ ? apply_rotary_inplace(rotary_, x, p_.value, options_)
                                    : apply_rotary(rotary_, as_const(x), out, p_.value, options_);
      case Operation::kUnrotate:
        return inplace_ && streams_ ? unrotate_inplace(rotary_, x, p_.value, options_)
                                    : unrotate(rotary_, as_const(x), out, p_.value, options_);
      case Operation::kBackward: return apply_rotary_backward(rotary_, as_const(x), out, p_.value, options_);
      case Operation::kShift: return shift_keys_inplace(rotary_, x, delta_, options_);
      case Operation::kShiftEach: return shift_keys_inplace(rotary_, x, std::get<PositionIds>(p_.value), options_);
      case Operation::kMove: return move_keys_inplace(rotary_, p_.value, to_, q_.value, x, options_);
      case Operation::kTogether: return call_together(x);
    }
  }

  // The first heads and the others as tensors of their own.
  void call_together(const TensorView& x) const {
    TensorView first = x, second = x;
    if (x.shape[2] > 1 && x.data != nullptr && shape_[2] == x.shape[2] && x.strides[2] == x_.strides[2]) {
      first.shape[2] = 1;
      --second.shape[2];
      second.data = static_cast<std::byte*>(x.data) + x.strides[2] * static_cast<std::int64_t>(size_of(dtype_));
      return apply_rotary_inplace(rotary_, std::array{first, second}, p_.value, options_);
    }
    apply_rotary_inplace(rotary_, {&first, 1}, p_.value, options_);
  }

  bool has_other_heads() const { return rotary_.map().num_sets > 1 && rotary_.map().num_sets != shape_[2]; }

  // Of sum(out * rotated x), with respect to frequencies and positions.
  void check_gradients() {
    if (operation_ != Operation::kApply || fault_ != Fault::kNone || shared_ || has_other_heads()) return;
    const RotationMap& map = rotary_.map();
    std::vector<double> of_frequencies(map.frequency.size());
    std::vector<double> of_positions(static_cast<std::size_t>(map.num_axes) * p_.at.size());
    const ConstTensorView x = as_const(view(before_.x, x_)), g = as_const(view(before_.out, out_));
    frequency_gradient(rotary_, x, g, p_.value, of_frequencies);
    position_gradient(rotary_, x, g, p_.value, of_positions);
    const Tensor twin_x{&before_.x, &shape_, &x_}, twin_g{&before_.out, &shape_, &out_};
    GradientTwin(map, twin_x, twin_g, p_).check(of_frequencies, of_positions);
  }

  bool breaks_limit() const {
    if (!options_.limit || operation_ == Operation::kShift || operation_ == Operation::kShiftEach) return false;
    for (const auto& at : (operation_ == Operation::kMove ? q_ : p_).at)
      for (const double m : at)
        if (!(m >= 0 && m < static_cast<double>(*options_.limit))) return true;
    return false;
  }

  void check_ending(Ending ending) const {
    const bool splits_sets = operation_ == Operation::kTogether && rotary_.map().num_sets > 1;
    if (is_empty() || x_.wild || out_.wild || (shared_ && !inplace_) || splits_sets || has_other_heads()) return;
    if (operation_ == Operation::kMove && to_.map().pairs != rotary_.map().pairs) return;
    if (fault_ != Fault::kNone) return expect(ending != Ending::kDone, "a faulty call must be refused");
    expect(ending == (breaks_limit() ? Ending::kOutOfRange : Ending::kDone), breaks_limit() ? "limit" : "refused");
  }

  // Bytes that are not the output's stay as they were.
  void check_untouched(const Buffers& after, bool written) const {
    const Tensor tensor = result(after);
    std::vector<bool> output(tensor.memory->size());
    if (written)
      for (std::int64_t b = 0; b < shape_[0]; ++b)
        for (std::int64_t t = 0; t < shape_[1]; ++t)
          for (std::int64_t h = 0; h < shape_[2]; ++h)
            for (std::int64_t c = 0; c < shape_[3]; ++c) output[tensor.at(b, t, h, c)] = true;
    const Elements& before = shared_ ? before_.x : before_.out;
    for (std::size_t i = 0; i < output.size(); ++i)
      if (!output[i]) expect(bits(before, i) == bits(*tensor.memory, i), "written outside the output");
    if (!shared_) expect(after.x == before_.x, "the input was written");
  }

  void check_targets(const Twin& twin, const Buffers& fused, const Buffers& other, bool has_fma) const {
    const Tensor want = result(fused), got = result(other), x{&before_.x, &shape_, &x_};
    for (std::int64_t b = 0; b < shape_[0]; ++b)
      for (std::int64_t t = 0; t < shape_[1]; ++t)
        for (std::int64_t h = 0; h < shape_[2]; ++h) {
          const double gap = has_fma ? 0 : twin.target_gap(x.head(b, t, h));
          for (std::int64_t c = 0; c < shape_[3]; ++c) {
            const std::size_t i = want.at(b, t, h, c);
            if (same_number(*want.memory, *got.memory, i) || gap == HUGE_VAL) continue;
            expect(std::fabs((*want.memory)[i] - (*got.memory)[i]) <= gap, "targets differ");
          }
        }
  }

  Draw& draw_;
  BackwardsExecutor executor_;
  Fault fault_;
  Operation operation_;
  Rotary rotary_, to_;
  DType dtype_;
  Shape shape_;
  Place x_;
  bool inplace_, shared_;  // shared: one buffer
  Place out_;
  Buffers before_;
  bool streams_;
  std::int64_t delta_ = 0;
  DrawnPositions p_, q_;
  ApplyOptions options_;
};

}  // namespace
}  // namespace rotary::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rotary::fuzz::Draw draw(data, size);
  std::optional<rotary::fuzz::ApplyCase> drawn;
  try {
    drawn.emplace(draw);
  } catch (const std::invalid_argument&) {
    return 0;  // no rotation of that kind
  }
  drawn->check();
  return 0;
}
