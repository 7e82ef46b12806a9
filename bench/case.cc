#include "bench/case.h"

namespace rotary::bench {
namespace {

std::string joined(const std::vector<int>& numbers) {
  std::string out;
  for (const int n : numbers) out += "-" + std::to_string(n);
  return out;
}

std::string shape_of(const Case& c) {
  const std::int64_t rows = c.batch * c.tokens;
  const std::string heads = c.kind == "table" ? "" : std::to_string(c.heads) + "x";
  return std::to_string(rows) + "x" + heads +
         std::to_string(c.kind == "table" ? c.spec.rotary_dim / 2 : c.spec.head_dim);
}

std::string layout_of(const Case& c) {
  std::string out = pairing_of(c) + joined(c.spec.axes.sections);
  if (c.spec.rotary_dim < c.spec.head_dim) out += "-" + std::to_string(c.spec.rotary_dim);
  return out;
}

}  // namespace

std::string pairing_of(const Case& c) {
  if (c.spec.axes.rule == AxisRule::kSections) return "sections";
  if (c.spec.pairing == c.spec.output_pairing) return std::string(to_string(c.spec.pairing));
  return std::string(to_string(c.spec.pairing)) + "-to-" + std::string(to_string(c.spec.output_pairing));
}

std::string name_of(const Case& c) {
  std::string out = c.kind + " " + shape_of(c);
  if (c.kind != "table") {
    out += " " + std::string(to_string(c.dtype)) + " " + layout_of(c) + (c.in_place ? " in-place" : " out-of-place");
    if (c.memory == Memory::kHeadsFirst) out += " bhsd";
    if (c.memory == Memory::kFused) out += " fused-qkv";
    if (c.interface == Interface::kC) out += " (C)";
  }
  return out + (c.threads > 1 ? ", " + std::to_string(c.threads) + " threads" : "");
}

RopeSpec full_spec(int head_dim, Pairing pairing) {
  RopeSpec spec;
  spec.head_dim = spec.rotary_dim = head_dim;
  spec.pairing = spec.output_pairing = pairing;
  return spec;
}

RopeSpec qwen2_vl_spec() {
  RopeSpec spec = full_spec(128, Pairing::kHalf);
  spec.base = 1e6;
  spec.axes = {AxisRule::kSections, 3, {16, 24, 24}, {}};
  return spec;
}

}  // namespace rotary::bench
