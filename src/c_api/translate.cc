#include "c_api/translate.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "c_api/structs.h"

namespace rotary::c_api {
namespace {

using detail::require;

// Messages are made only on failure: these run in every call.
void reject(std::string_view function, std::string_view name, const char* rule, std::int64_t got) {
  require(false, function, std::string(name) + rule, got);
}

DType to_dtype(rotary_dtype dtype, std::string_view function, std::string_view name) {
  switch (dtype) {
    case ROTARY_FLOAT32: return DType::kFloat32;
    case ROTARY_FLOAT16: return DType::kFloat16;
    case ROTARY_BFLOAT16: return DType::kBfloat16;
    case ROTARY_FLOAT64: return DType::kFloat64;
    default: reject(function, name, ".dtype must be one of the ROTARY_FLOAT types", dtype);
  }
  return {};
}

// An array of the caller's.
template <class T>
std::span<const T> to_span(const void* data, std::int64_t size, std::string_view function, std::string_view name) {
  if (size < 0) reject(function, name, ": the number of entries must not be negative", size);
  if (data == nullptr && size > 0) reject(function, name, " must not be null", 0);
  return {static_cast<const T*>(data), static_cast<std::size_t>(size)};
}

PositionIds to_ids(const rotary_positions& p, std::string_view function, std::string_view name) {
  PositionIds out;
  const std::string_view what = "positions.ids";
  switch (p.ids_dtype) {
    case ROTARY_INT32: out.ids = to_span<std::int32_t>(p.ids, p.num_ids, function, what); break;
    case ROTARY_INT64: out.ids = to_span<std::int64_t>(p.ids, p.num_ids, function, what); break;
    case ROTARY_FLOAT64: out.ids = to_span<double>(p.ids, p.num_ids, function, what); break;
    default: reject(function, name, ".ids_dtype must be ROTARY_INT32, ROTARY_INT64 or ROTARY_FLOAT64", p.ids_dtype);
  }
  out.num_axes = p.num_axes == 0 ? 1 : p.num_axes;
  out.per_sequence = p.per_sequence != 0;
  return out;
}

PackedSequences to_packed(const rotary_positions& p, std::string_view function) {
  const auto cu = to_span<std::int32_t>(p.cu_seqlens, p.num_cu_seqlens, function, "positions.cu_seqlens");
  return {cu, to_span<std::int64_t>(p.offsets, p.num_offsets, function, "positions.offsets")};
}

// How much of the struct a kind needs.
const rotary_positions& read_positions(const rotary_positions* given, rotary_positions& room, std::string_view function,
                                       std::string_view name) {
  const rotary_positions& p = read_struct(given, room, &rotary_positions::kind, function, name);
  switch (p.kind) {
    case ROTARY_POSITIONS_RANGE: return read_struct(given, room, &rotary_positions::first, function, name);
    case ROTARY_POSITIONS_OFFSETS: return read_struct(given, room, &rotary_positions::num_offsets, function, name);
    case ROTARY_POSITIONS_IDS: return read_struct(given, room, &rotary_positions::per_sequence, function, name);
    case ROTARY_POSITIONS_PACKED: return read_struct(given, room, &rotary_positions::num_cu_seqlens, function, name);
    default: reject(function, name, ".kind must be a ROTARY_POSITIONS_ value", p.kind);
  }
  return p;
}

}  // namespace

TensorView to_view(const rotary_tensor* tensor, std::string_view function, std::string_view name) {
  rotary_tensor room;
  const rotary_tensor& t = read_struct(tensor, room, &rotary_tensor::strides, function, name);
  if (t.rank < 1 || t.rank > 4) reject(function, name, ".rank must be in 1 .. 4", t.rank);
  TensorView view{t.data, to_dtype(t.dtype, function, name), {1, 1, 1, 1}, {}};
  const std::size_t absent = 4 - static_cast<std::size_t>(t.rank);
  if (absent == 0) {  // in whole vectors: they are read so, too
    std::copy_n(t.shape, 4, view.shape.begin());
    std::copy_n(t.strides, 4, view.strides.begin());
    return view;
  }
  for (std::size_t k = absent; k < 4; ++k) {
    view.shape[k] = t.shape[k - absent];
    view.strides[k] = t.strides[k - absent];
  }
  // Axes of one index, as in a contiguous tensor: kernels look ahead along them.
  for (std::size_t k = absent; k-- > 0;)
    if (__builtin_mul_overflow(view.shape[k + 1], view.strides[k + 1], &view.strides[k])) view.strides[k] = 0;
  return view;
}

Positions to_positions(const rotary_positions* positions, std::string_view function, std::string_view name) {
  rotary_positions room;
  const rotary_positions& p = read_positions(positions, room, function, name);
  if (p.kind == ROTARY_POSITIONS_RANGE) return PositionRange{p.first};
  if (p.kind == ROTARY_POSITIONS_OFFSETS)
    return PositionOffsets{to_span<std::int64_t>(p.offsets, p.num_offsets, function, "positions.offsets")};
  if (p.kind == ROTARY_POSITIONS_IDS) return to_ids(p, function, name);
  return to_packed(p, function);
}

void HostExecutor::run(int num_tasks, const std::function<void(int)>& task) {
  struct Tasks {
    const std::function<void(int)>& task;
    int count;
    std::atomic<int> done{0};
  } tasks{task, num_tasks};
  const auto call = [](void* context, int i) {
    auto& all = *static_cast<Tasks*>(context);
    if (i < 0 || i >= all.count) return;
    all.task(i);
    ++all.done;
  };
  host_.run(host_.context, num_tasks, call, &tasks);
  done_ &= tasks.done == num_tasks;
}

void HostExecutor::require_done() const {
  if (!done_) throw std::logic_error("rotary_executor.run: must call every task once before it returns");
}

CallOptions::CallOptions(const rotary_options* options, std::string_view function) {
  if (options == nullptr) return;
  rotary_options room;
  const rotary_options& given = read_struct(options, room, &rotary_options::struct_size, function, "options");
  if (given.num_threads < 0) reject(function, "options", ".num_threads must not be negative", given.num_threads);
  if (given.limit < 0) reject(function, "options", ".limit must not be negative", given.limit);
  options_.num_threads = given.num_threads == 0 ? 1 : given.num_threads;
  if (given.limit > 0) options_.limit = given.limit;
  if (given.executor == nullptr) return;
  rotary_executor executor_room;
  const auto& host = read_struct(given.executor, executor_room, &rotary_executor::run, function, "options.executor");
  if (host.concurrency == nullptr || host.run == nullptr)
    reject(function, "options.executor", ".concurrency and .run must not be null", 0);
  options_.executor = &executor_.emplace(host);
}

}  // namespace rotary::c_api
