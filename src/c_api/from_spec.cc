// rotary_spec -> RopeSpec -> rotation.
#include <span>
#include <vector>

#include "c_api/guard.h"
#include "c_api/handle.h"
#include "c_api/structs.h"

namespace rotary::c_api {
namespace {

using detail::require;
constexpr std::string_view kFunction = "rotary_rotation_from_spec";

std::optional<double> optional(double x) { return x == 0 ? std::nullopt : std::optional(x); }

template <class T>
std::vector<T> list(const T* data, std::int64_t size, const std::string& name) {
  require(size >= 0, kFunction, "the number of " + name + " must not be negative", size);
  require(data != nullptr || size == 0, kFunction, name + " must not be null", "null");
  return size == 0 ? std::vector<T>() : std::vector<T>(data, data + size);
}

Pairing to_pairing(std::int32_t pairing, const std::string& name) {
  require(pairing == ROTARY_PAIRING_HALF || pairing == ROTARY_PAIRING_INTERLEAVED, kFunction,
          name + " must be a ROTARY_PAIRING_ value", pairing);
  return pairing == ROTARY_PAIRING_HALF ? Pairing::kHalf : Pairing::kInterleaved;
}

LongRopeScaling to_longrope(const rotary_spec& s) {
  LongRopeScaling out;
  out.short_factor = list(s.short_factor, s.num_factors, "short_factor");
  out.long_factor = list(s.long_factor, s.num_factors, "long_factor");
  out.original_max_position = s.original_max_position;
  out.factor = s.factor;
  out.attention_factor = optional(s.attention_factor);
  out.short_mscale = optional(s.short_mscale);
  out.long_mscale = optional(s.long_mscale);
  out.dynamic_blend = s.dynamic_blend != 0;
  return out;
}

YarnScaling to_yarn(const rotary_spec& s) {
  return {s.factor,
          s.original_max_position,
          s.beta_fast,
          s.beta_slow,
          s.truncate != 0,
          optional(s.attention_factor),
          optional(s.mscale),
          optional(s.mscale_all_dim),
          s.mscale_coefficient};
}

Scaling to_scaling(const rotary_spec& s) {
  const double length = s.original_max_position;
  switch (s.scaling) {
    case ROTARY_SCALING_DEFAULT: return DefaultScaling{};
    case ROTARY_SCALING_LINEAR: return LinearScaling{s.factor};
    case ROTARY_SCALING_NTK: return NtkScaling{s.alpha};
    case ROTARY_SCALING_NTK_SCALED_BASE: return NtkScaledBaseScaling{s.factor};
    case ROTARY_SCALING_NTK_MIXED: return NtkMixedScaling{s.factor, s.mixed_b};
    case ROTARY_SCALING_DYNAMIC: return DynamicNtkScaling{s.factor, length, s.paper_form != 0};
    case ROTARY_SCALING_NTK_BY_PARTS:
      return NtkByPartsScaling{s.factor,  length,    s.beta_0,     s.beta_1,
                               s.gamma_0, s.gamma_1, s.ntk_factor, s.extrapolation_factor};
    case ROTARY_SCALING_NTK_BY_PARTS_PAPER:
      return NtkByPartsPaperScaling{s.factor, length, s.alpha, s.beta, s.temperature != 0};
    case ROTARY_SCALING_YARN: return to_yarn(s);
    case ROTARY_SCALING_LONGROPE: return to_longrope(s);
    case ROTARY_SCALING_LLAMA3: return Llama3Scaling{s.factor, s.low_freq_factor, s.high_freq_factor, length};
    case ROTARY_SCALING_PROPORTIONAL: return ProportionalScaling{s.proportion, s.factor};
    case ROTARY_SCALING_GIVEN:
      return GivenFrequencies{s.num_sets, list(s.frequencies, s.num_frequencies, "frequencies")};
    default: require(false, kFunction, "scaling must be a ROTARY_SCALING_ value", s.scaling);
  }
  return {};
}

AxisLayout to_axes(const rotary_spec& s) {
  static_assert(static_cast<int>(AxisRule::kAxialParts) == ROTARY_AXES_AXIAL_PARTS);
  require(s.axis_rule >= ROTARY_AXES_ONE && s.axis_rule <= ROTARY_AXES_AXIAL_PARTS, kFunction,
          "axis_rule must be a ROTARY_AXES_ value", s.axis_rule);
  return {static_cast<AxisRule>(s.axis_rule), s.num_axes, list(s.sections, s.num_sections, "sections"),
          list(s.axis_order, s.axis_order == nullptr ? 0 : s.num_axes, "axis_order")};
}

RopeSpec to_spec(const rotary_spec& s) {
  RopeSpec spec;
  spec.head_dim = s.head_dim;
  spec.rotary_dim = s.rotary_dim;
  spec.rotary_offset = s.rotary_offset;
  spec.pairing = to_pairing(s.pairing, "pairing");
  spec.output_pairing = s.output_pairing == 0 ? spec.pairing : to_pairing(s.output_pairing, "output_pairing");
  spec.negate_angle = s.negate_angle != 0;
  spec.base = s.base;
  spec.angle_multiplier = s.angle_multiplier;
  spec.frequency_dim = s.frequency_dim;
  spec.scaling = to_scaling(s);
  spec.axes = to_axes(s);
  return spec;
}

// The defaults of C++: of the methods that share a field's name, the one asked for decides.
rotary_spec default_spec(std::int32_t scaling) {
  const RopeSpec spec;
  const YarnScaling yarn;
  const NtkByPartsScaling parts;
  const NtkByPartsPaperScaling paper;
  const Llama3Scaling llama3;
  const bool is_llama3 = scaling == ROTARY_SCALING_LLAMA3;
  rotary_spec s{};
  s.base = spec.base;
  s.angle_multiplier = spec.angle_multiplier;
  s.scaling = scaling;
  s.factor = is_llama3 ? llama3.factor : 1;
  s.original_max_position = is_llama3 ? llama3.original_max_position : 0;
  s.alpha = paper.alpha;
  s.beta = paper.beta;
  s.mixed_b = NtkMixedScaling{}.mixed_b;
  s.proportion = ProportionalScaling{}.proportion;
  s.low_freq_factor = llama3.low_freq_factor;
  s.high_freq_factor = llama3.high_freq_factor;
  s.beta_fast = yarn.beta_fast;
  s.beta_slow = yarn.beta_slow;
  s.beta_0 = parts.beta_0;
  s.beta_1 = parts.beta_1;
  s.gamma_0 = parts.gamma_0;
  s.gamma_1 = parts.gamma_1;
  s.ntk_factor = parts.ntk_factor;
  s.extrapolation_factor = parts.extrapolation_factor;
  s.mscale_coefficient = yarn.mscale_coefficient;
  s.truncate = yarn.truncate;
  s.num_sets = 1;
  s.num_axes = 1;
  return s;
}

}  // namespace

rotary_rotation* make_from_spec(const RopeSpec& spec, const MakeOptions& options) {
  return new rotary_rotation(Rotary(spec, options.table_rows, options.arithmetic, options.seq_len));
}

}  // namespace rotary::c_api

using namespace rotary::c_api;

rotary_status rotary_spec_init(rotary_spec* spec, size_t struct_size, int32_t scaling) {
  return guard([&] {
    constexpr std::string_view kName = "rotary_spec_init";
    rotary::detail::require(spec != nullptr, kName, "spec must not be null", "null");
    rotary::detail::require(
        struct_size >= end_of(rotary_spec{}, &rotary_spec::scaling) && struct_size <= kLargestStruct, kName,
        "struct_size must be sizeof(rotary_spec)", struct_size);
    rotary::detail::require(scaling >= ROTARY_SCALING_DEFAULT && scaling <= ROTARY_SCALING_GIVEN, kName,
                            "scaling must be a ROTARY_SCALING_ value", scaling);
    spec->struct_size = struct_size;
    write_struct(spec, default_spec(scaling), kName, "spec");
  });
}

rotary_status rotary_rotation_from_spec(const rotary_spec* spec, const rotary_rotation_options* options,
                                        rotary_rotation** rotation) {
  return guard([&] {
    clear(rotation, kFunction);
    rotary_spec room;
    // What an older caller does not know has the default of its scaling method.
    read_struct(spec, room, &rotary_spec::scaling, kFunction, "spec");
    const rotary_spec& given =
        read_struct(spec, room, &rotary_spec::scaling, kFunction, "spec", default_spec(spec->scaling));
    *rotation = make_from_spec(to_spec(given), to_make_options(options, kFunction));
  });
}
