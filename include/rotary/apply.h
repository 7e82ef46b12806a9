// Rotating head vectors: queries and keys, their gradients, and keys that lie in a cache already.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "rotary/cos_sin_table.h"
#include "rotary/positions.h"
#include "rotary/rotation_map.h"
#include "rotary/tensor.h"
#include "rotary/version.h"

namespace rotary {

/// Runs tasks on threads that belong to someone else, e.g. a host engine's pool.
class ROTARY_API Executor {
 public:
  virtual ~Executor() = default;
  /// How many tasks may run at once.
  virtual int concurrency() const = 0;
  /// Calls task(0) ... task(num_tasks - 1), each once, and returns when all are done. Tasks do not throw.
  virtual void run(int num_tasks, const std::function<void(int)>& task) = 0;
};

/// A rotation ready to be applied: the map, its layout class, and a table of its first rows. Immutable; copies share
/// the table; safe to use from any number of threads.
class ROTARY_API Rotary {
 public:
  /// \param table_rows  positions 0 .. table_rows-1 come from a table; others are computed per token, about two
  ///                    nanoseconds per pair. Maps with several axes on one pair have no table.
  /// Throws std::invalid_argument for a map that validate_map() refuses or for Arithmetic::kGgml (use the spec).
  explicit Rotary(RotationMap map, std::int64_t table_rows = 0, Arithmetic arithmetic = Arithmetic::kExact);
  /// The rotation of a spec at a sequence length, in any arithmetic.
  explicit Rotary(const RopeSpec& spec, std::int64_t table_rows = 0, Arithmetic arithmetic = Arithmetic::kExact,
                  std::int64_t seq_len = 0);

  /// The rotation of one of ggml's operators, in ggml's arithmetic. Throws as validate_ggml_rotation().
  explicit Rotary(const GgmlRotation& parameters, std::int64_t table_rows = 0);
  /// A rotation by a table that is there already, as the operators of ONNX and other engines have it: a position is the
  /// number of a row, whole and in 0 .. table.num_rows()-1 (std::out_of_range names value and index); with several axes
  /// a pair is turned by the row of its axis. Nothing is an identity but by its values. A table of [batch][tokens] rows
  /// is read with the offsets 0, tokens, 2 tokens, ...
  ///
  /// \param map    channels, pairs and the axis of each; its frequencies do not count, so that what needs them
  ///               (shift_keys_inplace, move_keys_inplace, gradients of frequencies and positions) is refused. Its
  ///               attention factor is the one the values hold already; only unrotate() needs it.
  /// \param table  of any kind; float64 data is rotated with its float32 values
  /// Throws std::invalid_argument unless table.num_pairs() is the map's, which has one set and one axis on every pair.
  Rotary(RotationMap map, CosSinTable table);

  const RotationMap& map() const;
  LayoutClass layout() const;
  /// Of what is computed; kExact where the table was given.
  Arithmetic arithmetic() const;
  std::int64_t table_rows() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

struct ApplyOptions {
  int num_threads = 1;           ///< at most, the caller's included; small work stays on the caller's thread
  Executor* executor = nullptr;  ///< instead of the library's threads; its concurrency() then stands for num_threads
  /// Positions must be below it and not negative: std::out_of_range names value and index.
  std::optional<std::int64_t> limit;
};

/// out = rotation of x at each token's position:
///     out[c] = f (x[a] cos t - x[b] sin t),  out[d] = f (x[a] sin t + x[b] cos t)
///
/// \param x    [batch][tokens][heads][channels], channels = map.channels; any strides
/// \param out  the same shape and dtype; must not overlap x unless it is x (same data, same strides)
///
/// 16-bit data is rotated in float32 with the float32 table and rounded once, to nearest even; float64 data in float64
/// with cos and sin of float64 accuracy. Channels that pass are copied bit for bit, and so are whole tokens at position
/// 0 when the factor is 1. Any threads, strides, batching and SIMD target with fused multiply-add give the same bits
/// (the payload of a NaN apart); SSE and scalar targets round the products with x[a], too. A map with one frequency set
/// per head needs heads == num_sets. Zero-size tensors succeed.
///
/// Throws std::invalid_argument (shapes, strides, overlap, null or misaligned data, positions that do not fit or are
/// not finite) and std::out_of_range (beyond options.limit) before anything is written.
ROTARY_API void apply_rotary(const Rotary& rotary, const ConstTensorView& x, const TensorView& out,
                             const Positions& positions, const ApplyOptions& options = {});
ROTARY_API void apply_rotary_inplace(const Rotary& rotary, const TensorView& x, const Positions& positions,
                                     const ApplyOptions& options = {});

/// Queries and keys (any tensors of the same batch and tokens; heads, dtype and strides may differ) in one pass over
/// the positions.
ROTARY_API void apply_rotary_inplace(const Rotary& rotary, std::span<const TensorView> tensors,
                                     const Positions& positions, const ApplyOptions& options = {});

/// The inverse: rotation by -t, divided by the attention factor.
ROTARY_API void unrotate(const Rotary& rotary, const ConstTensorView& x, const TensorView& out,
                         const Positions& positions, const ApplyOptions& options = {});
ROTARY_API void unrotate_inplace(const Rotary& rotary, const TensorView& x, const Positions& positions,
                                 const ApplyOptions& options = {});

/// Gradient with respect to x: the transpose, i.e. rotation by -t times the attention factor. May be in place.
ROTARY_API void apply_rotary_backward(const Rotary& rotary, const ConstTensorView& grad_out, const TensorView& grad_x,
                                      const Positions& positions, const ApplyOptions& options = {});

/// Gradient of sum(grad_out * out) with respect to the frequencies, added up over tokens (and over heads where a set is
/// shared), in float64 and in one order.
///
/// \param grad  [num_sets][pairs][num_axes], overwritten
ROTARY_API void frequency_gradient(const Rotary& rotary, const ConstTensorView& x, const ConstTensorView& grad_out,
                                   const Positions& positions, std::span<double> grad);

/// Gradient with respect to the positions: [num_axes][batch][tokens], overwritten.
ROTARY_API void position_gradient(const Rotary& rotary, const ConstTensorView& x, const ConstTensorView& grad_out,
                                  const Positions& positions, std::span<double> grad);

/// Moves keys that were rotated at p to p + delta: a pure rotation by delta, of magnitude 1 however often it is done. n
/// shifts keep the norm within n ulp of the dtype.
///
/// \param keys   rotated under `rotary`, in its output layout
/// \param delta  the shift, one for all tokens and axes or one for each; options.limit does not concern it
ROTARY_API void shift_keys_inplace(const Rotary& rotary, const TensorView& keys, std::int64_t delta,
                                   const ApplyOptions& options = {});
ROTARY_API void shift_keys_inplace(const Rotary& rotary, const TensorView& keys, const PositionIds& delta,
                                   const ApplyOptions& options = {});

/// Moves keys rotated under `from` at positions p to what `to` gives at positions q: rotation by the difference of the
/// angles, times the ratio of the attention factors, once. Both maps must write the same pairs of channels.
/// options.limit concerns q.
ROTARY_API void move_keys_inplace(const Rotary& from, const Positions& p, const Rotary& to, const Positions& q,
                                  const TensorView& keys, const ApplyOptions& options = {});

/// Writes cos and sin, attention factor included, of every pair at each position: the rows that apply_rotary() turns
/// by, for kernels of one's own.
///
/// \param positions  of a batch of 1
/// \param set        frequency set (head), 0 .. num_sets-1
/// \param cos, sin   [num_tokens][pairs], overwritten
///
/// Accuracy and speed: see CosSinTable; a range from 0 or above is made as a table by position is. Throws
/// std::invalid_argument (sizes, set, positions that do not fit or are not finite) and, for a given table,
/// std::out_of_range (a position beyond it) before anything is written.
ROTARY_API void write_cos_sin(const Rotary& rotary, const Positions& positions, std::int64_t num_tokens, int set,
                              std::span<float> cos, std::span<float> sin);

/// The SIMD target in use: "AVX3", "AVX2", "NEON", "EMU128" ...; ROTARY_TARGET in the environment
/// chooses another that this CPU has, by name in any case; a name that it has not is ignored (the library's one
/// environment variable, read once).
ROTARY_API std::string_view simd_target();

}  // namespace rotary
