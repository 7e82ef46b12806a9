// The values and structs of the C interface. Include rotary/rotary_c.h.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Rules of every struct here. The first field, struct_size, is sizeof the struct as the caller's compiler sees it: a
// program built with older, smaller structs goes on working as long as they hold what the call needs, and a larger
// struct is accepted if what this library does not know is zero. Fields that are not set must be zero, so initialise
// with {.struct_size = sizeof x, ...}. Pointers in a struct must stay valid for the duration of the call only.

/// How a call ended. The numbers never change; new ones may be added.
typedef int32_t rotary_status;
enum {
  ROTARY_OK = 0,
  ROTARY_INVALID_ARGUMENT = 1,  ///< an argument breaks a documented rule, null pointers and struct sizes included
  ROTARY_OUT_OF_RANGE = 2,      ///< a position is negative or not below rotary_options.limit
  ROTARY_NOT_FOUND = 3,         ///< a file cannot be opened
  ROTARY_BAD_CONFIG = 4,        ///< a configuration cannot be read, or contradicts itself
  ROTARY_OUT_OF_MEMORY = 5,
  ROTARY_UNSUPPORTED = 6,  ///< the model does something that is no plane rotation
  ROTARY_INTERNAL = 7,     ///< a fault of the library, or an executor that did not run every task once
};

/// Type of an element. There is no default: a wrong one would be silent.
typedef int32_t rotary_dtype;
enum { ROTARY_FLOAT32 = 1, ROTARY_FLOAT16 = 2, ROTARY_BFLOAT16 = 3, ROTARY_FLOAT64 = 4 };
/// Types of position ids.
enum { ROTARY_INT32 = 5, ROTARY_INT64 = 6 };

/// Which channels meet (r = rotary_dim): half (i, i + r/2), interleaved (2i, 2i + 1). There is no default.
enum { ROTARY_PAIRING_HALF = 1, ROTARY_PAIRING_INTERLEAVED = 2 };

/// Context-scaling methods; see rotary/scaling.h for their formulas.
enum {
  ROTARY_SCALING_DEFAULT = 0,
  ROTARY_SCALING_LINEAR = 1,              ///< factor
  ROTARY_SCALING_NTK = 2,                 ///< alpha
  ROTARY_SCALING_NTK_SCALED_BASE = 3,     ///< factor
  ROTARY_SCALING_NTK_MIXED = 4,           ///< factor, mixed_b
  ROTARY_SCALING_DYNAMIC = 5,             ///< factor, original_max_position, paper_form
  ROTARY_SCALING_NTK_BY_PARTS = 6,        ///< factor, original_max_position, beta_0 ... extrapolation_factor
  ROTARY_SCALING_NTK_BY_PARTS_PAPER = 7,  ///< factor, original_max_position, alpha, beta, temperature
  ROTARY_SCALING_YARN = 8,                ///< factor, original_max_position, beta_fast ... mscale_coefficient, truncate
  ROTARY_SCALING_LONGROPE = 9,            ///< short_factor, long_factor, original_max_position, factor, ...
  ROTARY_SCALING_LLAMA3 = 10,             ///< factor, low_freq_factor, high_freq_factor, original_max_position
  ROTARY_SCALING_PROPORTIONAL = 11,       ///< proportion, factor
  ROTARY_SCALING_GIVEN = 12,              ///< frequencies, num_sets
};

/// Which position axis turns a pair; see AxisRule in rotary/spec.h.
enum {
  ROTARY_AXES_ONE = 0,
  ROTARY_AXES_SECTIONS = 1,
  ROTARY_AXES_INTERLEAVED_SECTIONS = 2,
  ROTARY_AXES_ALTERNATING_HEIGHT_WIDTH = 3,
  ROTARY_AXES_ALTERNATING = 4,
  ROTARY_AXES_AXIAL_BLOCKS = 5,
  ROTARY_AXES_AXIAL_ALTERNATING = 6,
  ROTARY_AXES_AXIAL_SPLIT = 7,
  ROTARY_AXES_AXIAL_PARTS = 8,
};

/// How frequencies, angles and tables are computed; see rotary/frequency.h.
enum {
  ROTARY_ARITHMETIC_EXACT = 0,
  ROTARY_ARITHMETIC_TRANSFORMERS_FLOAT32 = 1,
  ROTARY_ARITHMETIC_TRANSFORMERS_BFLOAT16 = 2,
  ROTARY_ARITHMETIC_GGML = 3,
};

/// Whose reading of a configuration is meant; see rotary/formats/model_config.h.
enum {
  ROTARY_REFERENCE_OF_FORMAT = 0,  ///< transformers for config.json, llama.cpp for GGUF, original for all else
  ROTARY_REFERENCE_TRANSFORMERS = 1,
  ROTARY_REFERENCE_ORIGINAL = 2,
  ROTARY_REFERENCE_TRANSFORMERS_4 = 3,
  ROTARY_REFERENCE_LLAMA_CPP = 4,
  ROTARY_REFERENCE_VLLM = 5,
  ROTARY_REFERENCE_SGLANG = 6,
  ROTARY_REFERENCE_MLX_LM = 7,
  ROTARY_REFERENCE_ONNXRUNTIME_GENAI = 8
};

/// A rotation ready to be applied. Immutable; any number of threads may use one at the same time.
typedef struct rotary_rotation rotary_rotation;

/// What every way of making a rotation may be told.
typedef struct rotary_rotation_options {
  size_t struct_size;
  int32_t arithmetic;  ///< ROTARY_ARITHMETIC_...
  int64_t table_rows;  ///< positions 0 .. table_rows-1 come from a table (8 bytes a pair and row), others are computed
  int64_t seq_len;     ///< for dynamic NTK and LongRoPE; 0: short enough to stay unscaled
} rotary_rotation_options;

/// Which rotation of a model is meant. What is left open must not matter: two candidates that differ are an error.
typedef struct rotary_layer_choice {
  size_t struct_size;
  const char* component;  ///< path of the sub-configuration, "" for the file itself, e.g. "text_config"; null: any
  const char* part;       ///< which attention of a layer, where there are several ("" is the main one); null: any
  const int32_t* layer;   ///< index; null: any
  int32_t keys;           ///< not 0: the rotation of the keys, where it differs from that of the queries
  int32_t reference;      ///< ROTARY_REFERENCE_...
} rotary_layer_choice;

/// What is declared about the rotation of one head vector: RopeSpec of rotary/spec.h, flat. Start from
/// rotary_spec_init(); fields of other scaling methods are ignored.
typedef struct rotary_spec {
  size_t struct_size;
  int32_t head_dim;         ///< channels of the vector
  int32_t rotary_dim;       ///< channels of the rotary slice, even
  int32_t rotary_offset;    ///< first channel of the slice
  int32_t pairing;          ///< ROTARY_PAIRING_...
  int32_t output_pairing;   ///< where results are written; 0: as `pairing`
  int32_t negate_angle;     ///< not 0: turn the other way
  double base;              ///< of the geometric progression, "rope_theta" in configurations
  double angle_multiplier;  ///< of every frequency
  int32_t frequency_dim;    ///< denominator of the exponent; 0: the width of one frequency list
  int32_t scaling;          ///< ROTARY_SCALING_...
  double factor;            ///< of the scaling method, as all fields down to num_sets
  double original_max_position;
  double alpha, beta, mixed_b, proportion;
  double low_freq_factor, high_freq_factor;
  double beta_fast, beta_slow;
  double beta_0, beta_1, gamma_0, gamma_1, ntk_factor, extrapolation_factor;
  double attention_factor;        ///< 0: what the method computes
  double mscale, mscale_all_dim;  ///< 0: absent
  double mscale_coefficient;
  double short_mscale, long_mscale;                          ///< 0: absent
  int32_t truncate, paper_form, temperature, dynamic_blend;  ///< 0 or not 0
  const double* short_factor;                                ///< [num_factors]
  const double* long_factor;                                 ///< [num_factors]
  int64_t num_factors;
  const double* frequencies;  ///< [num_sets][pairs][num_axes], num_frequencies in all, radians per position
  int64_t num_frequencies;
  int32_t num_sets;   ///< 1, or one per head
  int32_t axis_rule;  ///< ROTARY_AXES_...
  int32_t num_axes;
  int32_t num_sections;
  const int32_t* sections;    ///< [num_sections] pairs per band, for the section rules
  const int32_t* axis_order;  ///< [num_axes], or null: 0, 1, ...
} rotary_spec;

/// Input channels (a, b), a < b, and the output channels (c, d) that they are written to.
typedef struct rotary_pair {
  int32_t a, b, c, d;
} rotary_pair;

/// A rotation as a list of plane rotations, t = sum over axes of position * frequency:
///
///     out[c] = f (x[a] cos t - x[b] sin t)      out[d] = f (x[a] sin t + x[b] cos t)      f = attention_factor
typedef struct rotary_map {
  size_t struct_size;
  int32_t channels;
  int32_t num_axes;
  int32_t num_sets;  ///< frequency sets: 1, or one per head
  int32_t num_pairs;
  const rotary_pair* pairs;  ///< [num_pairs], sorted by a; each channel in at most one pair
  const double* frequency;   ///< [num_sets][num_pairs][num_axes], radians per position
  double attention_factor;
  const double* frequency_low;  ///< same shape, added to `frequency` where a double is not enough; null: zeros
  const int32_t* pass_to;  ///< [channels]: where a channel in no pair is copied, -1 for the others; null: to itself
} rotary_map;

/// What is known about a rotation.
typedef struct rotary_rotation_info {
  size_t struct_size;
  uint64_t fingerprint;  ///< equal for equal rotations, on every machine
  double attention_factor;
  int32_t channels;
  int32_t num_axes;
  int32_t num_sets;
  int32_t num_pairs;
  int32_t rotary_dim;  ///< channels that really turn
  int32_t arithmetic;
  int64_t table_rows;
  const char* layout;  ///< "half", "interleaved", "interleaved to half", "sections", "general", "identity"; static
} rotary_rotation_info;

/// What the layer does besides rotating its queries and keys; rotary_apply() does none of it. See LayerRotation in
/// rotary/layer_rotation.h. Pointers belong to the rotation. What was not read from a model has the neutral values.
typedef struct rotary_layer_info {
  size_t struct_size;
  int32_t rotates;  ///< 0: the layer rotates nothing (and the rotation is the identity)
  int32_t rotates_keys;
  int32_t rotates_values;
  int32_t rotates_output_back;  ///< the attention output is rotated by the inverse at the query's position
  int32_t before_projection;    ///< applied to hidden states, before the q and k projections
  int32_t key_differs;          ///< the keys have a rotation of their own
  double query_scale;           ///< multiplies the query before the product
  double softmax_factor;        ///< multiplies the softmax scale
  int32_t query_scale_rule;     ///< 0 none, 1 log-floor, 2 power, 3 log-n: QueryScaleRule, with its three numbers
  int32_t num_heads;            ///< heads that rotate; 0: all
  double rule_beta, rule_floor_scale, rule_shift;
  const int32_t* heads;  ///< [num_heads]
  const char* note;      ///< what a reader should know and no field says, or ""
} rotary_layer_info;

/// What the number on a position axis is: (index + first) * multiplier, of the index named `name`.
typedef struct rotary_axis_info {
  size_t struct_size;
  const char* name;  ///< "token", "height", ...; belongs to the rotation
  double first;
  double multiplier;
} rotary_axis_info;

/// Head vectors in the caller's memory. rank 4 is [batch][token][head][channel]; a tensor of lower rank lacks the axes
/// from the left: rank 3 is [token][head][channel], rank 2 [head][channel] (one token), rank 1 [channel].
/// Strides are in elements, in any order (so [batch][head][token][channel] memory is a matter of strides); negative is
/// fine, zero only where the tensor is read. A channel stride of 1 is the fast case.
typedef struct rotary_tensor {
  size_t struct_size;
  void* data;  ///< aligned to its elements; not written where the tensor is an input
  rotary_dtype dtype;
  int32_t rank;
  int64_t shape[4];    ///< the first `rank` entries count
  int64_t strides[4];  ///< elements
} rotary_tensor;

enum {
  ROTARY_POSITIONS_RANGE = 1,    ///< first, first + 1, ... in every sequence
  ROTARY_POSITIONS_OFFSETS = 2,  ///< sequence b starts at offsets[b]
  ROTARY_POSITIONS_IDS = 3,      ///< a position for every token (and axis)
  ROTARY_POSITIONS_PACKED = 4,   ///< sequences one after the other in a tensor of batch 1
};

/// The positions of the tokens of a call; `kind` says which fields count.
typedef struct rotary_positions {
  size_t struct_size;
  int32_t kind;            ///< ROTARY_POSITIONS_...
  rotary_dtype ids_dtype;  ///< IDS: ROTARY_INT32, ROTARY_INT64 or ROTARY_FLOAT64
  int64_t first;           ///< RANGE
  const int64_t* offsets;  ///< OFFSETS: [batch]; PACKED: [number of sequences], or null: all start at 0
  int64_t num_offsets;
  const void* ids;            ///< IDS: [num_axes][batch][token], or [num_axes][token] for all sequences alike
  int64_t num_ids;            ///< in all
  int32_t num_axes;           ///< IDS: 0 or 1: the id counts on every axis of the rotation
  int32_t per_sequence;       ///< IDS: not 0: the shape with [batch]
  const int32_t* cu_seqlens;  ///< PACKED: sequence j is tokens cu_seqlens[j] .. cu_seqlens[j + 1] - 1
  int64_t num_cu_seqlens;     ///< number of sequences + 1
} rotary_positions;

/// Threads that belong to the caller. Neither function may throw or jump out.
typedef struct rotary_executor {
  size_t struct_size;
  void* context;
  /// How many tasks may run at once.
  int (*concurrency)(void* context);
  /// Calls task(task_context, i) for i = 0 .. num_tasks-1, each once, on any threads; returns when all are done.
  void (*run)(void* context, int num_tasks, void (*task)(void* task_context, int i), void* task_context);
} rotary_executor;

typedef struct rotary_options {
  size_t struct_size;
  int32_t num_threads;              ///< at most; 0 is 1; small work stays on the caller's thread
  const rotary_executor* executor;  ///< instead of the library's threads; null: none
  int64_t limit;                    ///< positions must be in 0 .. limit-1; 0: any position
} rotary_options;
