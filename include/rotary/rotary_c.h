// The C interface of the library, C99: make a rotation once, then apply it from any thread.
//
// Every function that can fail returns a status and never lets an exception or a crash through; on failure nothing is
// written to tensors (an executor that breaks its contract is the exception), created handles are null, and
// rotary_last_error() has the text. All functions may be called from any number of threads at once, as long as no two
// calls write the same memory. Accuracy and aliasing are those of rotary/apply.h.
#pragma once

#include "rotary/rotary_c_types.h"
#include "rotary/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the linked library, "major.minor.patch". Static.
ROTARY_API const char* rotary_version(void);

/// The SIMD target in use: "AVX3", "AVX2", "NEON", ... Static.
ROTARY_API const char* rotary_simd_target(void);

/// A status in words: "ok", "invalid argument", ...; "unknown status" for numbers that are none. Static.
ROTARY_API const char* rotary_status_name(rotary_status status);

/// The text of this thread's last failed call, "" if none failed. Valid until this thread's next call of the library.
/// Texts of more than 1023 bytes are cut.
ROTARY_API const char* rotary_last_error(void);

// ---- making rotations ----
//
// `options` may be null: exact arithmetic, no table, short sequences. The caller owns *rotation and ends its life with
// rotary_rotation_release(). Errors of all: INVALID_ARGUMENT, OUT_OF_MEMORY.

/// The rotation of a layer of a model, from its config.json or another file of one (docs/formats.md), or their folder.
/// \param choice  which of the model's rotations; null: the model must have one only
/// Errors also: NOT_FOUND; BAD_CONFIG, naming file and key; UNSUPPORTED, naming what the layer does instead.
/// A layer without rotation gives the identity. Ask rotary_rotation_get_layer() for factors that the model applies
/// besides, and rotary_rotation_warning() for what the reader had to ignore.
ROTARY_API rotary_status rotary_rotation_from_config(const char* path, const rotary_layer_choice* choice,
                                                     const rotary_rotation_options* options,
                                                     rotary_rotation** rotation);

/// The same from the text of a config.json: `length` bytes, a closing zero not needed.
ROTARY_API rotary_status rotary_rotation_from_json(const char* text, size_t length, const rotary_layer_choice* choice,
                                                   const rotary_rotation_options* options, rotary_rotation** rotation);

/// Fills a spec with the defaults of a scaling method; head_dim, rotary_dim and pairing are left 0 for the caller.
/// \param struct_size  sizeof(rotary_spec)
ROTARY_API rotary_status rotary_spec_init(rotary_spec* spec, size_t struct_size, int32_t scaling);

/// The rotation of a declared spec.
ROTARY_API rotary_status rotary_rotation_from_spec(const rotary_spec* spec, const rotary_rotation_options* options,
                                                   rotary_rotation** rotation);

/// A rotation given pair by pair, with frequencies as numbers. options->seq_len means nothing here.
/// Not with ROTARY_ARITHMETIC_GGML, which needs a spec.
ROTARY_API rotary_status rotary_rotation_from_map(const rotary_map* map, const rotary_rotation_options* options,
                                                  rotary_rotation** rotation);

/// Adds an owner: one more rotary_rotation_release() is needed.
ROTARY_API rotary_status rotary_rotation_retain(const rotary_rotation* rotation);

/// Gives up ownership; the last owner's call frees the rotation. Null is fine, as for free().
ROTARY_API void rotary_rotation_release(const rotary_rotation* rotation);

// ---- reading rotations back ----
//
// Of an out struct the caller sets struct_size; the rest is overwritten.

/// Sizes, factor, layout and fingerprint.
ROTARY_API rotary_status rotary_rotation_get_info(const rotary_rotation* rotation, rotary_rotation_info* info);

/// The pairs and frequencies, such that rotary_rotation_from_map() makes an equal rotation of them (in exact
/// arithmetic). Pointers belong to the rotation.
ROTARY_API rotary_status rotary_rotation_get_map(const rotary_rotation* rotation, rotary_map* map);

/// What the layer does besides.
ROTARY_API rotary_status rotary_rotation_get_layer(const rotary_rotation* rotation, rotary_layer_info* layer);

/// What the numbers on a position axis are, axis in 0 .. num_axes-1.
ROTARY_API rotary_status rotary_rotation_get_axis(const rotary_rotation* rotation, int32_t axis,
                                                  rotary_axis_info* info);

/// The warning `index` = 0, 1, ... of the configuration's reader; null beyond the last. Belongs to the rotation.
ROTARY_API const char* rotary_rotation_warning(const rotary_rotation* rotation, size_t index);

// ---- applying rotations ----
//
// Tensors: [batch][token][head][channel], channel = the rotation's channels, any dtype and strides (see
// rotary_tensor). `out` has the shape and dtype of `in`, in strides of its own, and must not overlap it unless it is
// the same memory in the same strides; null means in place. 16-bit data is rotated in float32 and rounded once, to
// nearest even. `options` may be null: one thread, no limit. `positions` may not: {.struct_size = sizeof p, .kind =
// ROTARY_POSITIONS_RANGE} counts from 0. Errors: INVALID_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY, INTERNAL.

/// out = the rotation of `in` at each token's position.
ROTARY_API rotary_status rotary_apply(const rotary_rotation* rotation, const rotary_tensor* in,
                                      const rotary_tensor* out, const rotary_positions* positions,
                                      const rotary_options* options);

/// Several tensors in place, queries and keys for example, in one pass over the positions. Heads, dtypes and strides
/// may differ; batch and tokens may not.
/// \param tensors  [num_tensors] pointers
ROTARY_API rotary_status rotary_apply_many(const rotary_rotation* rotation, const rotary_tensor* const* tensors,
                                           size_t num_tensors, const rotary_positions* positions,
                                           const rotary_options* options);

/// The inverse: rotation by the negative angle, divided by the attention factor.
ROTARY_API rotary_status rotary_unrotate(const rotary_rotation* rotation, const rotary_tensor* in,
                                         const rotary_tensor* out, const rotary_positions* positions,
                                         const rotary_options* options);

/// The gradient with respect to `in`, from the gradient with respect to `out`: rotation by the negative angle, times
/// the attention factor.
ROTARY_API rotary_status rotary_backward(const rotary_rotation* rotation, const rotary_tensor* grad_out,
                                         const rotary_tensor* grad_in, const rotary_positions* positions,
                                         const rotary_options* options);

/// Moves keys that were rotated at p to p + delta, in place: a pure rotation, of magnitude 1 however often it is done.
ROTARY_API rotary_status rotary_shift_keys(const rotary_rotation* rotation, const rotary_tensor* keys, int64_t delta,
                                           const rotary_options* options);

/// The same with a delta for every token.
/// \param deltas  of kind ROTARY_POSITIONS_IDS
ROTARY_API rotary_status rotary_shift_keys_each(const rotary_rotation* rotation, const rotary_tensor* keys,
                                                const rotary_positions* deltas, const rotary_options* options);

/// Moves keys rotated under `from` at positions p to what `to` gives at positions q, in place, attention factors
/// included. Both rotations must have the same pairs.
ROTARY_API rotary_status rotary_move_keys(const rotary_rotation* from, const rotary_positions* p,
                                          const rotary_rotation* to, const rotary_positions* q,
                                          const rotary_tensor* keys, const rotary_options* options);

/// Writes cos and sin, attention factor included, of every pair for a list of positions.
/// \param positions   of a batch of 1
/// \param num_tokens  rows
/// \param set         frequency set (head), 0 .. num_sets-1
/// \param cos, sin    [num_tokens][num_pairs] float, contiguous
ROTARY_API rotary_status rotary_table(const rotary_rotation* rotation, const rotary_positions* positions,
                                      int64_t num_tokens, int32_t set, float* cos, float* sin);

#ifdef __cplusplus
}
#endif
