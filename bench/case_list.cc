#include "bench/case_list.h"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <thread>

namespace rotary::bench {
namespace {

constexpr DType kF32 = DType::kFloat32, kF16 = DType::kFloat16, kBf16 = DType::kBfloat16;
constexpr Pairing kHalf = Pairing::kHalf, kInterleaved = Pairing::kInterleaved;

Case decode(DType dtype, RopeSpec spec) { return {"decode", std::move(spec), dtype, 1, 1, 40, 4096}; }
Case batch(DType dtype, RopeSpec spec) { return {"batch", std::move(spec), dtype, 64, 1, 40, 100}; }
Case prefill(std::int64_t tokens, DType dtype, RopeSpec spec, std::int64_t heads = 40) {
  return {"prefill", std::move(spec), dtype, 1, tokens, heads};
}
Case table(std::int64_t rows) { return {"table", full_spec(128, kHalf), kF32, 1, rows}; }

Case out_of_place(Case c) { return c.in_place = false, c; }
Case through_c(Case c) { return c.interface = Interface::kC, c; }
Case lying(Memory memory, Case c) { return c.memory = memory, c; }
Case on_threads(int threads, Case c) { return c.threads = threads, c; }

RopeSpec half(int head_dim = 128) { return full_spec(head_dim, kHalf); }
RopeSpec interleaved(int head_dim = 128) { return full_spec(head_dim, kInterleaved); }
RopeSpec interleaved_to_half() {
  RopeSpec spec = interleaved();
  spec.output_pairing = kHalf;
  return spec;
}
RopeSpec neox_20b() {
  RopeSpec spec = half(96);
  spec.rotary_dim = 24;
  return spec;
}

// What --quick has, and the default too.
void add_first(std::vector<Case>& out, int all) {
  for (const DType dtype : {kF32, kF16, kBf16}) out.push_back(decode(dtype, half()));
  out.push_back(through_c(decode(kBf16, half())));
  for (const DType dtype : {kF32, kF16, kBf16}) out.push_back(batch(dtype, half()));
  for (const DType dtype : {kF32, kF16, kBf16}) out.push_back(prefill(2048, dtype, half()));
  for (const DType dtype : {kF32, kBf16}) {
    out.push_back(on_threads(all, prefill(2048, dtype, half())));
    out.push_back(out_of_place(prefill(2048, dtype, half())));
  }
  for (const DType dtype : {kF32, kF16, kBf16}) out.push_back(prefill(2048, dtype, interleaved()));
}

void add_rest(std::vector<Case>& out, int all) {
  out.push_back(through_c(decode(kF32, half())));
  out.push_back(decode(kBf16, interleaved()));
  out.push_back(batch(kBf16, interleaved()));
  out.push_back(out_of_place(prefill(2048, kF16, half())));
  out.push_back(on_threads(all, out_of_place(prefill(2048, kBf16, half()))));
  out.push_back(out_of_place(prefill(2048, kBf16, interleaved())));
  out.push_back(prefill(2048, kBf16, interleaved_to_half()));
  out.push_back(out_of_place(prefill(2048, kBf16, interleaved_to_half())));
  for (const Memory memory : {Memory::kHeadsFirst, Memory::kFused}) {
    out.push_back(lying(memory, prefill(2048, kBf16, half())));
    out.push_back(lying(memory, prefill(2048, kF32, half())));
  }
  for (const int head_dim : {64, 80, 96, 256}) out.push_back(prefill(2048, kBf16, half(head_dim)));
  out.push_back(prefill(2048, kF16, neox_20b(), 64));
  out.push_back(out_of_place(prefill(2048, kF16, neox_20b(), 64)));
  out.push_back(prefill(2048, kBf16, qwen2_vl_spec(), 28));
  out.push_back(prefill(8192, kBf16, half()));
  out.push_back(on_threads(all, prefill(8192, kBf16, half())));
  out.push_back(on_threads(all, prefill(8192, kF32, half())));
  out.push_back(on_threads(all, out_of_place(prefill(8192, kF32, half()))));
}

void add_ways(std::vector<Case>& out, const Case& base, int all) {
  for (const DType dtype : {kF32, kF16, kBf16})
    for (const Memory memory : {Memory::kTokensFirst, Memory::kHeadsFirst, Memory::kFused})
      for (const bool in_place : {true, false})
        for (const int threads : {1, all}) {
          Case c = base;
          c.dtype = dtype, c.memory = memory, c.in_place = in_place, c.threads = threads;
          const bool partial = c.spec.rotary_dim < c.spec.head_dim;
          if (partial && in_place && memory == Memory::kFused) continue;  // no plain rows of cache lines
          if (threads > 1 && base.kind == "decode") continue;
          out.push_back(c);
          if (base.kind == "decode" && memory == Memory::kTokensFirst) out.push_back(through_c(c));
          if (all == 1) break;
        }
}

void add_combinations(std::vector<Case>& out, int all) {
  std::vector<RopeSpec> specs = {neox_20b(), qwen2_vl_spec(), interleaved_to_half()};
  for (const int head_dim : {128, 64, 80, 96, 256}) {
    specs.push_back(half(head_dim));
    specs.push_back(interleaved(head_dim));
  }
  for (const RopeSpec& spec : specs)
    for (const Case& shape :
         {decode(kF32, spec), batch(kF32, spec), prefill(2048, kF32, spec), prefill(8192, kF32, spec)})
      add_ways(out, shape, all);
  for (const DType dtype : {kF32, kF16, kBf16}) out.push_back(prefill(65536, dtype, half()));  // beyond any cache
}

std::string known_kinds(const std::vector<Case>& cases) {
  std::string out;
  for (const Case& c : cases)
    if (out.find(c.kind) == std::string::npos) out += (out.empty() ? "" : ", ") + c.kind;
  return out;
}

}  // namespace

std::vector<Case> list_cases(Extent extent, const std::string& filter, int threads) {
  const int all = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<Case> listed, kept;
  if (extent == Extent::kFull) {
    add_combinations(listed, all);
  } else {
    add_first(listed, all);
    if (extent == Extent::kDefault) add_rest(listed, all);
  }
  listed.push_back(table(extent == Extent::kQuick ? 16384 : 131072));
  for (Case& c : listed) {
    if (threads > 0 && c.kind != "table") c.threads = threads;
    const std::string name = name_of(c);
    const bool met = std::any_of(kept.begin(), kept.end(), [&](const Case& k) { return name_of(k) == name; });
    if (!met && name.find(filter) != std::string::npos) kept.push_back(c);
  }
  if (kept.empty())
    throw std::invalid_argument("--filter must be part of a row's name, such as one of " + known_kinds(listed) +
                                ", got '" + filter + "'");
  return kept;
}

}  // namespace rotary::bench
