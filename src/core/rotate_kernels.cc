#include "core/rotate_kernels.h"

// x86 without AVX2 (before 2013) takes the portable baseline: its own targets would double the time to build this file.
// So does ARM with SVE: NEON is everywhere, and its four targets take ten minutes.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/rotate_kernels.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/arrange_row-inl.h"
#include "core/cos_sin-inl.h"
#include "core/rotate_heads-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rotary::detail {
namespace HWY_NAMESPACE {

template <class T, PairLayout kLayout>
void Fill(DType dtype, Kernels& kernels) {
  kernels.rotate[static_cast<int>(dtype)][static_cast<int>(kLayout)] = &Rotate<T, kLayout>;
  kernels.arrange[static_cast<int>(dtype)][static_cast<int>(kLayout)] = ArrangeFor<T, kLayout>();
}

template <class T>
void FillLayouts(DType dtype, Kernels& kernels) {
  Fill<T, PairLayout::kHalf>(dtype, kernels);
  Fill<T, PairLayout::kInterleaved>(dtype, kernels);
  Fill<T, PairLayout::kInterleavedToHalf>(dtype, kernels);
  Fill<T, PairLayout::kHalfToInterleaved>(dtype, kernels);
}

Kernels MakeKernels() {
  Kernels kernels{hwy::TargetName(HWY_TARGET), {}, {}, Combine, kCosSinKernels, Stream, Fence};
  FillLayouts<float>(DType::kFloat32, kernels);
  FillLayouts<float16_t>(DType::kFloat16, kernels);
  FillLayouts<bfloat16_t>(DType::kBfloat16, kernels);
  FillLayouts<double>(DType::kFloat64, kernels);
  return kernels;
}

const Kernels* TargetKernels() {
  static const Kernels kernels = MakeKernels();
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace rotary::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>

#include "rotary/apply.h"

namespace rotary::detail {
namespace {

HWY_EXPORT(TargetKernels);

// Highway's own choice is global to the process and not ours to change: the table is indexed by a choice of our own.
const Kernels* kernels_of(std::int64_t target) {
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
  (void)target;
  return HWY_STATIC_DISPATCH(TargetKernels)();
#else
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return HWY_DISPATCH_TABLE(TargetKernels)[chosen.GetIndex()]();
#endif
}

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) all.push_back(kernels_of(target));
  return all;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

const Kernels* find_kernels(std::string_view name) {
  for (const Kernels* k : all_kernels())
    if (same_name(k->target, name)) return k;
  return nullptr;
}

const Kernels* default_kernels() {
  const char* name = std::getenv("ROTARY_TARGET");
  const Kernels* named = name != nullptr ? find_kernels(name) : nullptr;
  return named != nullptr ? named : kernels_of(hwy::SupportedTargets());
}

std::atomic<const Kernels*> chosen_kernels{nullptr};

}  // namespace

const Kernels& kernels() {
  const Kernels* current = chosen_kernels.load(std::memory_order_acquire);
  if (current == nullptr) [[unlikely]] {
    static const Kernels* const first = default_kernels();
    current = first;
    chosen_kernels.store(current, std::memory_order_release);
  }
  return *current;
}

std::vector<std::string> available_targets() {
  std::vector<std::string> names;
  for (const Kernels* k : all_kernels()) names.emplace_back(k->target);
  return names;
}

bool choose_target(std::string_view name) {
  const Kernels* named = name.empty() ? nullptr : find_kernels(name);
  chosen_kernels.store(named, std::memory_order_release);
  return name.empty() || named != nullptr;
}

}  // namespace rotary::detail

namespace rotary {

std::string_view simd_target() { return detail::kernels().target; }

}  // namespace rotary

#endif  // HWY_ONCE
