#include "rotary/self_test.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>

#include "core/bfloat16.h"
#include "core/float16.h"
#include "core/rotate_kernels.h"
#include "core/self_test_values.h"
#include "rotary/apply.h"

namespace rotary {
namespace {

constexpr std::array<std::int64_t, 7> kPositions{0, 1, 2049, 8191, 65537, 131071, 1000003};
constexpr std::int64_t kBatch = 2, kTokens = 7, kHeads = 3, kChannels = 80, kWidth = 64;

RopeSpec partial_spec(Pairing pairing) {
  RopeSpec spec;
  spec.head_dim = kChannels;
  spec.rotary_dim = kWidth;
  spec.pairing = spec.output_pairing = pairing;
  return spec;
}

// Head vectors [2][7][3][80] of one dtype.
class Heads {
 public:
  Heads(DType dtype, unsigned seed) : dtype_(dtype), bytes_(count() * size_of(dtype)) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < count(); ++i) {
      // Values of 8 binary digits are exact in every dtype.
      const float x = static_cast<float>(static_cast<int>(random() % 256) - 128) / 32.0F;
      set(i, x == 0 ? 0.5F : x);
    }
  }

  static constexpr std::size_t count() { return kBatch * kTokens * kHeads * kChannels; }
  double get(std::size_t i) const {
    if (dtype_ == DType::kFloat32) return at<float>(i);
    return dtype_ == DType::kBfloat16 ? detail::from_bfloat16(at<std::uint16_t>(i))
                                      : detail::from_float16(at<std::uint16_t>(i));
  }
  TensorView view() { return bshd<void>(bytes_.data(), dtype_, kBatch, kTokens, kHeads, kChannels); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

  static std::size_t index(std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t c) {
    return static_cast<std::size_t>(((b * kTokens + t) * kHeads + h) * kChannels + c);
  }

 private:
  template <class T>
  T at(std::size_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  void set(std::size_t i, float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    std::uint16_t small = detail::to_bfloat16(x);
    if (dtype_ == DType::kFloat16)  // normal in float16, and exact
      small = static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | (((bits >> 13) - (112U << 10)) & 0x7fffU));
    if (dtype_ == DType::kFloat32)
      std::memcpy(bytes_.data() + i * 4, &x, 4);
    else
      std::memcpy(bytes_.data() + i * 2, &small, 2);
  }

  DType dtype_;
  std::vector<std::byte> bytes_;
};

double unit_roundoff(DType dtype) {
  return dtype == DType::kFloat32 ? 0x1p-24 : dtype == DType::kFloat16 ? 0x1p-11 : 0x1p-8;
}

PositionIds ids(std::span<const std::int64_t> positions) { return {positions}; }

std::string measured(double worst, double bound) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g, at most %.3g", worst, bound);
  return text;
}

class OneTarget {
 public:
  OneTarget(std::string target, std::vector<SelfTestResult>& results) : target_(std::move(target)), results_(results) {}

  void run() {
    for (DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBfloat16})
      for (Pairing pairing : {Pairing::kHalf, Pairing::kInterleaved}) {
        const std::string of =
            std::string(", ") + std::string(to_string(dtype)) + " " + std::string(to_string(pairing));
        const Rotary rotary(partial_spec(pairing));
        twin(rotary, dtype, of);
        untouched(rotary, dtype, of);
        undone(rotary, dtype, of);
        rows(rotary, dtype, of);
      }
    relative();
    permuted();
    known_values();
  }

 private:
  void add(const std::string& name, double worst, double bound) {
    results_.push_back({target_, name, worst <= bound, measured(worst, bound)});
  }
  void add(const std::string& name, bool passed) {
    results_.push_back({target_, name, passed, passed ? "bit for bit" : "differs"});
  }

  // Against the formula in float64.
  void twin(const Rotary& rotary, DType dtype, const std::string& of) {
    const Heads before(dtype, 1);
    Heads after = before;
    apply_rotary_inplace(rotary, after.view(), ids(kPositions));
    double worst = 0;
    for_each_pair(rotary.map(), [&](std::size_t x, std::size_t y, double frequency, std::int64_t position) {
      const double t = static_cast<double>(position) * frequency;
      const double a = before.get(x), b = before.get(y), norm = std::hypot(a, b);
      worst = std::max(worst, std::abs(after.get(x) - (a * std::cos(t) - b * std::sin(t))) / norm);
      worst = std::max(worst, std::abs(after.get(y) - (a * std::sin(t) + b * std::cos(t))) / norm);
    });
    // Cosine, sine, two products and a sum in float32, one rounding to the dtype; the angle here is good to 2^-53 t.
    add("rotates by the formula" + of, worst, 4 * 0x1p-24 + unit_roundoff(dtype) + 1000003 * 0x1p-52);
  }

  template <class Body>
  void for_each_pair(const RotationMap& map, Body body) {
    for (std::int64_t b = 0; b < kBatch; ++b)
      for (std::int64_t t = 0; t < kTokens; ++t)
        for (std::int64_t h = 0; h < kHeads; ++h)
          for (std::size_t i = 0; i < map.pairs.size(); ++i)
            body(Heads::index(b, t, h, map.pairs[i].a), Heads::index(b, t, h, map.pairs[i].b), map.frequency[i].hi,
                 kPositions[static_cast<std::size_t>(t)]);
  }

  void untouched(const Rotary& rotary, DType dtype, const std::string& of) {
    const Heads before(dtype, 2);
    Heads after = before;
    apply_rotary_inplace(rotary, after.view(), ids(kPositions));
    bool tail = true, first = true;
    for (std::int64_t b = 0; b < kBatch; ++b)
      for (std::int64_t t = 0; t < kTokens; ++t)
        for (std::int64_t c = 0; c < kChannels; ++c) {
          const std::size_t i = Heads::index(b, t, 0, c);
          if (c >= kWidth) tail = tail && after.get(i) == before.get(i);
          if (t == 0) first = first && after.get(i) == before.get(i);
        }
    add("leaves the channels beyond the rotary width alone" + of, tail);
    add("is the identity at position 0" + of, first);
  }

  void undone(const Rotary& rotary, DType dtype, const std::string& of) {
    const Heads before(dtype, 3);
    Heads after = before;
    apply_rotary_inplace(rotary, after.view(), ids(kPositions));
    unrotate_inplace(rotary, after.view(), ids(kPositions));
    double worst = 0;
    for_each_pair(rotary.map(), [&](std::size_t x, std::size_t y, double, std::int64_t) {
      const double norm = std::hypot(before.get(x), before.get(y));
      for (std::size_t i : {x, y}) worst = std::max(worst, std::abs(after.get(i) - before.get(i)) / norm);
    });
    add("is undone by unrotate" + of, worst, 2 * (4 * 0x1p-24 + unit_roundoff(dtype)) * 1.5);
  }

  // Each row of the batch alone, and out of place, gives the same bits.
  void rows(const Rotary& rotary, DType dtype, const std::string& of) {
    Heads before(dtype, 4), together = before, apart = before;
    apply_rotary_inplace(rotary, together.view(), ids(kPositions));
    for (std::int64_t b = 0; b < kBatch; ++b) {
      TensorView row = before.view(), out = apart.view();
      row.shape[0] = out.shape[0] = 1;
      const std::size_t begin = Heads::index(b, 0, 0, 0) * size_of(dtype);
      row.data = static_cast<std::byte*>(row.data) + begin;
      out.data = static_cast<std::byte*>(out.data) + begin;
      apply_rotary(rotary, as_const(row), out, ids(kPositions));
    }
    add("gives a batch of 2 what it gives each row alone, in place or not" + of, together.bytes() == apart.bytes());
  }

  // The score of a query at m and a key at n depends on n - m.
  void relative() {
    const Rotary rotary(partial_spec(Pairing::kHalf));
    double worst = 0;
    for (std::int64_t shift : kPositions)
      worst = std::max(worst, std::abs(score(rotary, shift, shift + 5) - score(rotary, 0, 5)));
    add("scores depend on the distance alone, float32", worst, 80 * 16 * 8 * 0x1p-24);
  }

  static double score(const Rotary& rotary, std::int64_t m, std::int64_t n) {
    std::array<float, kChannels> q, k;
    for (std::size_t i = 0; i < q.size(); ++i)
      q[i] = 1 + static_cast<float>(i % 3), k[i] = 2 - static_cast<float>(i % 5);
    apply_rotary_inplace(rotary, thd<void>(q.data(), DType::kFloat32, 1, 1, kChannels), PositionRange{m});
    apply_rotary_inplace(rotary, thd<void>(k.data(), DType::kFloat32, 1, 1, kChannels), PositionRange{n});
    return std::inner_product(q.begin(), q.end(), k.begin(), 0.0);
  }

  // Half and interleaved are one rotation of permuted channels.
  void permuted() {
    const Heads before(DType::kFloat32, 5);
    Heads half = before, interleaved = before;
    for (std::size_t head = 0; head < Heads::count(); head += kChannels)
      for (std::int64_t i = 0; i < kWidth / 2; ++i) copy_pair(before, interleaved, head, i);
    apply_rotary_inplace(Rotary(partial_spec(Pairing::kHalf)), half.view(), ids(kPositions));
    apply_rotary_inplace(Rotary(partial_spec(Pairing::kInterleaved)), interleaved.view(), ids(kPositions));
    bool same = true;
    for (std::size_t head = 0; head < Heads::count(); head += kChannels)
      for (std::size_t i = 0; i < kWidth / 2; ++i)
        same = same && half.get(head + i) == interleaved.get(head + 2 * i) &&
               half.get(head + i + kWidth / 2) == interleaved.get(head + 2 * i + 1);
    add("half and interleaved agree on permuted channels, float32", same);
  }

  static void copy_pair(const Heads& from, Heads& to, std::size_t head, std::int64_t i) {
    auto* out = static_cast<float*>(to.view().data) + head;
    out[2 * i] = static_cast<float>(from.get(head + static_cast<std::size_t>(i)));
    out[2 * i + 1] = static_cast<float>(from.get(head + static_cast<std::size_t>(i + kWidth / 2)));
  }

  // Cosines and sines made elsewhere, to 50 digits.
  void known_values() {
    std::istringstream text{std::string(detail::self_test_values())};
    text.imbue(std::locale::classic());  // a decimal point, whatever the program around this has set
    bool same = text.peek() != EOF;
    double base = 0;
    int width = 0, pair = 0;
    long long position = 0;
    float cos = 0, sin = 0;
    while (text >> base >> width >> pair >> position >> cos >> sin >> std::ws)
      same = same && known(base, width, pair, position, cos, sin);
    add("cosines and sines are the nearest float32 of the true ones", same && text.eof());
  }

  static bool known(double base, int width, int pair, std::int64_t position, float cos, float sin) {
    RopeSpec spec;
    spec.head_dim = spec.rotary_dim = width;
    spec.base = base;
    const CosSinTable table = CosSinTable::by_token(make_rotation_map(spec), std::array{position});
    const auto i = static_cast<std::size_t>(pair);
    return table.cos(0)[i] == cos && table.sin(0)[i] == sin;
  }

  std::string target_;
  std::vector<SelfTestResult>& results_;
};

struct TargetRestored {
  ~TargetRestored() { detail::choose_target(""); }
};

}  // namespace

std::vector<SelfTestResult> self_test() {
  std::vector<SelfTestResult> out;
  const TargetRestored restored;
  for (const std::string& target : detail::available_targets()) {
    detail::choose_target(target);
    OneTarget(target, out).run();
  }
  return out;
}

}  // namespace rotary
