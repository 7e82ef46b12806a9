#include "core/rotation_pass.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

#include "core/executor.h"
#include "core/tensor_layout.h"
#include "core/tile_rotation.h"

namespace rotary::detail {
namespace {

constexpr std::int64_t kMinBytesPerTask = std::int64_t{256} * 1024;  // below, waking a thread costs more than it saves

std::int64_t bytes_of(const RotationPass& pass) {
  std::int64_t bytes = 0;
  for (const PassTensor& t : pass.tensors)
    bytes += pass.batch * pass.tokens * t.x.shape[2] * t.x.shape[3] * static_cast<std::int64_t>(size_of(t.x.dtype));
  return bytes;
}

std::int64_t num_tasks(const RotationPass& pass, const ApplyOptions& options) {
  const std::int64_t threads = options.executor != nullptr ? options.executor->concurrency() : options.num_threads;
  if (threads <= 1) return 1;
  return std::clamp<std::int64_t>(bytes_of(pass) / kMinBytesPerTask, 1,
                                  std::min(threads, std::max(pass.batch, pass.tokens)));
}

// The i-th of n parts, cut along the longer of batch and tokens.
Part part_of(const RotationPass& pass, std::int64_t i, std::int64_t n) {
  Part part{0, pass.batch, 0, pass.tokens};
  const auto cut = [&](std::int64_t size, std::int64_t k) { return size / n * k + std::min(k, size % n); };
  if (pass.tokens >= pass.batch) {
    part.token_begin = cut(pass.tokens, i);
    part.token_end = cut(pass.tokens, i + 1);
  } else {
    part.batch_begin = cut(pass.batch, i);
    part.batch_end = cut(pass.batch, i + 1);
  }
  return part;
}

void run_part(const RotationPass& pass, const Part& part, std::byte* scratch, const ScratchSizes& sizes) {
  if (scratch != nullptr) return TileRotation(pass, scratch, sizes).run(part);
  alignas(64) std::byte on_stack[kStackScratchBytes];
  TileRotation(pass, on_stack, sizes).run(part);
}

// The sequences of one token each, as the tokens of one sequence.
class FirstPositions final : public PositionSource {
 public:
  explicit FirstPositions(const PositionSource& each) : each_(each) {}
  bool same_for_all_sequences() const override { return true; }
  void read(std::int64_t, std::int64_t token, std::int64_t count, double* out, std::int64_t stride) const override {
    for (std::int64_t i = 0; i < count; ++i) each_.read(token + i, 0, 1, out + i * stride, stride);
  }

 private:
  const PositionSource& each_;
};

template <class View>
void swap_batch_and_tokens(View& x) {
  std::swap(x.shape[0], x.shape[1]);
  std::swap(x.strides[0], x.strides[1]);
}

// A batch that decodes: tiles hold many tokens, and the next ones are fetched ahead.
void run_sequences_as_tokens(const RotationPass& pass, const ApplyOptions& options) {
  const FirstPositions positions(*pass.positions);
  std::vector<PassTensor> tensors(pass.tensors.begin(), pass.tensors.end());
  for (PassTensor& t : tensors) {
    swap_batch_and_tokens(t.x);
    swap_batch_and_tokens(t.out);
  }
  run_pass({pass.plan, pass.halves, pass.rows, &positions, tensors, 1, pass.batch}, options);
}

}  // namespace

void run_pass(const RotationPass& pass, const ApplyOptions& options) {
  if (std::all_of(pass.tensors.begin(), pass.tensors.end(), [](const PassTensor& t) { return is_empty(t.x); })) return;
  if (pass.tokens == 1 && pass.batch > 1) return run_sequences_as_tokens(pass, options);
  const std::int64_t tasks = num_tasks(pass, options);
  const ScratchSizes sizes = scratch_sizes(pass);
  const std::int64_t bytes = sizes.total();
  std::vector<std::byte> wide;  // very wide heads only
  if (bytes > kStackScratchBytes) wide.resize(static_cast<std::size_t>(bytes * tasks + 64));
  const auto aligned = (reinterpret_cast<std::uintptr_t>(wide.data()) + 63) / 64 * 64;
  const auto scratch_of = [&](std::int64_t i) {
    return wide.empty() ? nullptr : reinterpret_cast<std::byte*>(aligned) + i * bytes;
  };
  if (tasks == 1) return run_part(pass, {0, pass.batch, 0, pass.tokens}, scratch_of(0), sizes);
  Executor& executor = options.executor != nullptr ? *options.executor : own_threads();
  // A host's executor is promised tasks that do not throw; rows that are computed may be out of memory.
  std::exception_ptr failure;
  std::atomic_flag failed;
  executor.run(static_cast<int>(tasks), [&](int i) {
    try {
      run_part(pass, part_of(pass, i, tasks), scratch_of(i), sizes);
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace rotary::detail
