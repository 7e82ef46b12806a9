#include "bench/c_call.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace rotary::bench {
namespace {

void require_ok(rotary_status status, const char* function) {
  if (status != ROTARY_OK) throw std::runtime_error(std::string(function) + ": " + rotary_last_error());
}

int c_pairing(Pairing pairing) { return pairing == Pairing::kHalf ? ROTARY_PAIRING_HALF : ROTARY_PAIRING_INTERLEAVED; }

rotary_dtype c_dtype(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return ROTARY_FLOAT32;
    case DType::kFloat16: return ROTARY_FLOAT16;
    case DType::kBfloat16: return ROTARY_BFLOAT16;
    case DType::kFloat64: return ROTARY_FLOAT64;
  }
  return 0;
}

rotary_tensor c_tensor(const TensorView& view) {
  rotary_tensor out{};
  out.struct_size = sizeof out;
  out.data = view.data;
  out.dtype = c_dtype(view.dtype);
  out.rank = 4;
  std::copy(view.shape.begin(), view.shape.end(), out.shape);
  std::copy(view.strides.begin(), view.strides.end(), out.strides);
  return out;
}

rotary_rotation* make_rotation(const RopeSpec& spec, std::int64_t table_rows) {
  const std::vector<std::int32_t> sections(spec.axes.sections.begin(), spec.axes.sections.end());
  rotary_spec c{};
  require_ok(rotary_spec_init(&c, sizeof c, ROTARY_SCALING_DEFAULT), "rotary_spec_init");
  c.head_dim = spec.head_dim;
  c.rotary_dim = spec.rotary_dim;
  c.rotary_offset = spec.rotary_offset;
  c.pairing = c_pairing(spec.pairing);
  c.output_pairing = c_pairing(spec.output_pairing);
  c.base = spec.base;
  c.axis_rule = sections.empty() ? ROTARY_AXES_ONE : ROTARY_AXES_SECTIONS;
  c.num_axes = spec.axes.num_axes;
  c.num_sections = static_cast<std::int32_t>(sections.size());
  c.sections = sections.empty() ? nullptr : sections.data();
  rotary_rotation_options options{};
  options.struct_size = sizeof options;
  options.table_rows = table_rows;
  rotary_rotation* rotation = nullptr;
  require_ok(rotary_rotation_from_spec(&c, &options, &rotation), "rotary_rotation_from_spec");
  return rotation;
}

}  // namespace

CCall::CCall(const RopeSpec& spec, std::int64_t table_rows, const TensorView& x, const TensorView& out,
             std::int64_t first, int threads)
    : rotation_(make_rotation(spec, table_rows)), x_(c_tensor(x)), out_(c_tensor(out)) {
  positions_.struct_size = sizeof positions_;
  positions_.kind = ROTARY_POSITIONS_RANGE;
  positions_.first = first;
  options_.struct_size = sizeof options_;
  options_.num_threads = threads;
}

void CCall::run() const {
  const rotary_tensor* const out = x_.data == out_.data ? nullptr : &out_;
  require_ok(rotary_apply(rotation_.get(), &x_, out, &positions_, &options_), "rotary_apply");
}

}  // namespace rotary::bench
