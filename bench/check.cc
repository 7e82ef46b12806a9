#include "bench/check.h"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <set>
#include <stdexcept>

#include "core/bfloat16.h"
#include "core/float16.h"
#include "reference/rotate.h"

namespace rotary::bench {
namespace {

double element(const TensorView& view, std::int64_t index) {
  const auto* const at =
      static_cast<const std::byte*>(view.data) + static_cast<std::size_t>(index) * size_of(view.dtype);
  std::uint16_t bits = 0;
  float single = 0;
  double wide = 0;
  switch (view.dtype) {
    case DType::kFloat16: return std::memcpy(&bits, at, sizeof bits), detail::from_float16(bits);
    case DType::kBfloat16: return std::memcpy(&bits, at, sizeof bits), detail::from_bfloat16(bits);
    case DType::kFloat32: return std::memcpy(&single, at, sizeof single), single;
    case DType::kFloat64: return std::memcpy(&wide, at, sizeof wide), wide;
  }
  return wide;
}

// Both ends of a pair are at most 1. float32: cos and sin are half an epsilon off each, the products and their sum one
// more; 16-bit results are rounded once more, by half an epsilon of a magnitude up to sqrt 2.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return 0x1p-10;
    case DType::kBfloat16: return 0x1p-7;
    case DType::kFloat32: return 4 * 0x1p-23;
    case DType::kFloat64: return 0x1p-40;  // the twin's own angle
  }
  return 0;
}

std::int64_t index_of(const TensorView& view, std::int64_t b, std::int64_t t, std::int64_t h) {
  return b * view.strides[0] + t * view.strides[1] + h * view.strides[2];
}

void check_head(const std::string& name, const Operands& operands, std::int64_t b, std::int64_t t, std::int64_t h) {
  const TensorView &x = operands.x(), &out = operands.out();
  reference::Vector given;
  for (std::int64_t d = 0; d < x.shape[3]; ++d) given.push_back(Buffer::initial(index_of(x, b, t, h) + d));
  const reference::Vector expected = reference::rotate(operands.map(), given, operands.position(b, t));
  for (std::int64_t d = 0; d < x.shape[3]; ++d) {
    const double got = element(out, index_of(out, b, t, h) + d), want = expected[static_cast<std::size_t>(d)];
    if (std::abs(got - want) <= tolerance(x.dtype)) continue;
    throw std::runtime_error(name + ": sequence " + std::to_string(b) + ", token " + std::to_string(t) + ", head " +
                             std::to_string(h) + ", channel " + std::to_string(d) + " must be " + std::to_string(want) +
                             ", got " + std::to_string(got));
  }
}

}  // namespace

void check_answer(const std::string& name, const Operands& operands) {
  const auto& shape = operands.x().shape;
  for (const std::int64_t b : std::set<std::int64_t>{0, shape[0] / 2, shape[0] - 1})
    for (const std::int64_t t : std::set<std::int64_t>{0, shape[1] / 3, shape[1] / 2, shape[1] - 1})
      for (const std::int64_t h : std::set<std::int64_t>{0, shape[2] / 2, shape[2] - 1})
        check_head(name, operands, b, t, h);
}

}  // namespace rotary::bench
