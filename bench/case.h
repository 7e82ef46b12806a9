// One row of `rotary bench`: an operation on head vectors in the shape of a real model.
#pragma once

#include <cstdint>
#include <string>

#include "rotary/spec.h"
#include "rotary/tensor.h"

namespace rotary::bench {

enum class Memory {
  kTokensFirst,  ///< [batch][token][head][channel]
  kHeadsFirst,   ///< [batch][head][token][channel]
  kFused,        ///< the queries of rows that hold queries, keys and values: [batch][token][3 heads][channel]
};
enum class Interface { kCpp, kC };

struct Case {
  std::string kind;  ///< "decode", "batch", "prefill"; "table": the cosines and sines alone, float32
  RopeSpec spec;
  DType dtype = DType::kFloat32;
  std::int64_t batch = 1, tokens = 1, heads = 1;
  std::int64_t first = 0;  ///< position of the first token
  Memory memory = Memory::kTokensFirst;
  Interface interface = Interface::kCpp;
  bool in_place = true;
  int threads = 1;
};

/// "half", "interleaved", "interleaved-to-half" or "sections".
std::string pairing_of(const Case& c);

/// "prefill 2048x40x128 bfloat16 half in-place, 2 threads": what --filter searches.
std::string name_of(const Case& c);

/// Every channel turns, base 10000.
RopeSpec full_spec(int head_dim, Pairing pairing);

/// Qwen2-VL: sections of 16, 24 and 24 pairs for time, height and width.
RopeSpec qwen2_vl_spec();

}  // namespace rotary::bench
