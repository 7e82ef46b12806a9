#include "bench/operands.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "core/bfloat16.h"

namespace rotary::bench {
namespace {

constexpr std::int64_t kLine = 64, kPage = 4096;
constexpr std::int64_t kPattern = 65521;  // a prime: no two tokens, heads or channels look alike

// Row b of a batch of decoding sequences is somewhere else in its text.
std::int64_t position_of_sequence(const Case& c, std::int64_t b) { return c.first + 13 * b; }

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) { return (bytes + unit - 1) / unit * unit; }

std::int64_t table_rows(const Case& c) { return position_of_sequence(c, c.batch - 1) + c.tokens; }

// 16-bit floats of k / 128, -128 <= k < 128.
std::uint16_t float16_of(int k) {
  if (k == 0) return 0;
  const unsigned magnitude = static_cast<unsigned>(k < 0 ? -k : k);
  unsigned exponent = 0;
  while (magnitude >> (exponent + 1) != 0) ++exponent;
  return static_cast<std::uint16_t>((k < 0 ? 0x8000U : 0U) | (exponent + 8) << 10 |
                                    ((magnitude << (10 - exponent)) & 0x3ffU));
}

void write(std::byte* out, int k, DType dtype) {
  const float value = static_cast<float>(k) / 128;
  const double wide = value;
  const std::uint16_t short_value = dtype == DType::kFloat16 ? float16_of(k) : detail::to_bfloat16(value);
  const void* const from = dtype == DType::kFloat32   ? static_cast<const void*>(&value)
                           : dtype == DType::kFloat64 ? static_cast<const void*>(&wide)
                                                      : &short_value;
  std::memcpy(out, from, size_of(dtype));
}

int pattern(std::int64_t index) {
  const std::uint32_t mixed = static_cast<std::uint32_t>(index % kPattern) * 2654435761U;
  return static_cast<int>(mixed >> 24) - 128;
}

TensorView view(const Case& c, std::byte* data, Memory memory) {
  const std::int64_t channels = c.spec.head_dim;
  if (memory == Memory::kHeadsFirst) return bhsd<void>(data, c.dtype, c.batch, c.heads, c.tokens, channels);
  TensorView x = bshd<void>(data, c.dtype, c.batch, c.tokens, c.heads, channels);
  if (memory == Memory::kFused) x.strides[0] *= 3, x.strides[1] *= 3;
  return x;
}

std::int64_t elements_of(const Case& c) {
  return c.batch * c.tokens * c.heads * c.spec.head_dim * (c.memory == Memory::kFused ? 3 : 1);
}

std::vector<std::int64_t> section_ids(const Case& c) {
  std::vector<std::int64_t> ids;
  for (int axis = 0; axis < c.spec.axes.num_axes; ++axis)
    for (std::int64_t token = 0; token < c.tokens; ++token) ids.push_back(c.first + token / (axis + 1));
  return ids;
}

}  // namespace

Buffer::Buffer(std::int64_t elements, DType dtype) {
  const auto size = size_of(dtype), bytes = static_cast<std::size_t>(elements) * size;
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage)));
  if (memory_ == nullptr) throw std::bad_alloc();
  const std::size_t first = std::min(bytes, kPattern * size);
  for (std::size_t i = 0; i < first / size; ++i) write(data() + i * size, pattern(static_cast<std::int64_t>(i)), dtype);
  for (std::size_t done = first; done < bytes; done += first)
    std::memcpy(data() + done, data(), std::min(first, bytes - done));
}

void Buffer::Free::operator()(std::byte* p) const { std::free(p); }

double Buffer::initial(std::int64_t index) { return pattern(index) / 128.0; }

Operands::Operands(const Case& c)
    : case_(c),
      rotary_(c.spec, table_rows(c)),
      x_buffer_(elements_of(c), c.dtype),
      x_(view(c, x_buffer_.data(), c.memory)),
      out_(x_) {
  if (!c.in_place) {
    out_buffer_ = Buffer(c.batch * c.tokens * c.heads * c.spec.head_dim, c.dtype);
    out_ = view(c, out_buffer_.data(), c.memory == Memory::kFused ? Memory::kTokensFirst : c.memory);
  }
  for (std::int64_t b = 0; b < c.batch; ++b) offsets_.push_back(position_of_sequence(c, b));
  if (c.spec.axes.num_axes > 1 && c.tokens > 1) ids_ = section_ids(c);
  if (c.interface == Interface::kC) c_ = std::make_unique<CCall>(c.spec, table_rows(c), x_, out_, c.first, c.threads);
}

Positions Operands::positions() const {
  if (!ids_.empty()) return PositionIds{std::span<const std::int64_t>(ids_), case_.spec.axes.num_axes, false};
  if (case_.batch > 1) return PositionOffsets{offsets_};
  return PositionRange{case_.first};
}

void Operands::run() {
  if (c_ != nullptr) return c_->run();
  ApplyOptions options;
  options.num_threads = case_.threads;
  if (case_.in_place)
    apply_rotary_inplace(rotary_, x_, positions(), options);
  else
    apply_rotary(rotary_, as_const(x_), out_, positions(), options);
}

std::vector<double> Operands::position(std::int64_t sequence, std::int64_t token) const {
  std::vector<double> out;
  for (int axis = 0; axis < map().num_axes; ++axis)
    out.push_back(static_cast<double>(ids_.empty() ? offsets_[static_cast<std::size_t>(sequence)] + token
                                                   : ids_[static_cast<std::size_t>(axis * case_.tokens + token)]));
  return out;
}

// A partial rotation in place: the lines with turned channels of every head.
LineRows Operands::turned_lines() const {
  const RopeSpec& spec = case_.spec;
  const auto size = static_cast<std::int64_t>(size_of(case_.dtype)), head = spec.head_dim * size;
  const std::int64_t begin = spec.rotary_offset * size / kLine * kLine;
  const std::int64_t end = std::min(rounded_up((spec.rotary_offset + spec.rotary_dim) * size, kLine), head);
  LineRows out{x_buffer_.data() + begin};
  out.rows = static_cast<std::size_t>(case_.batch * case_.tokens * case_.heads);
  out.row_bytes = static_cast<std::size_t>(end - begin);
  out.in_step = out.out_step = static_cast<std::size_t>(head);
  return out;
}

LineRows Operands::all_lines() const {
  const std::int64_t token = case_.heads * case_.spec.head_dim * static_cast<std::int64_t>(size_of(case_.dtype));
  const std::int64_t tokens = case_.batch * case_.tokens;
  LineRows out{x_buffer_.data()};
  if (!case_.in_place) out.in = std::exchange(out.out, out_buffer_.data());
  if (case_.memory == Memory::kFused) {
    out.rows = static_cast<std::size_t>(tokens);
    out.row_bytes = out.out_step = static_cast<std::size_t>(token);
    out.in_step = 3 * out.row_bytes;
    if (case_.in_place) out.out_step = out.in_step;
  } else {
    out.rows = 1;
    out.row_bytes = static_cast<std::size_t>(rounded_up(tokens * token, kLine));
  }
  return out;
}

LineRows Operands::lines() const {
  return case_.in_place && case_.spec.rotary_dim < case_.spec.head_dim ? turned_lines() : all_lines();
}

}  // namespace rotary::bench
