#include "core/ggml_angles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <variant>

#include "core/double_double.h"
#include "core/pair_slots.h"
#include "core/require.h"
#include "core/scaled_frequencies.h"

namespace rotary::detail {
namespace {

constexpr int kMaxAxes = 4;
constexpr int kFourthId = -1;
constexpr int kNone = -1;
constexpr float kNeverTurns = 1e30F;  // the freq_factor that llama.cpp gives pairs without rotation

bool is_ggml_rule(AxisRule rule) {
  return rule == AxisRule::kOne || rule == AxisRule::kSections || rule == AxisRule::kInterleavedSections ||
         rule == AxisRule::kAxialBlocks;
}

template <class... Kinds>
bool is_any(const Scaling& scaling) {
  return (std::holds_alternative<Kinds>(scaling) || ...);
}

void validate_for_ggml(const RopeSpec& spec) {
  const auto check = [](bool ok, std::string_view must_hold, const auto& got) {
    require(ok, "ggml arithmetic", must_hold, got);
  };
  check(is_any<DefaultScaling, LinearScaling, YarnScaling, LongRopeScaling, Llama3Scaling, ProportionalScaling>(
            spec.scaling),
        "scaling must be one that ggml has", scaling_name(spec.scaling));
  check(is_ggml_rule(spec.axes.rule) && spec.axes.num_axes <= kMaxAxes, "the axis rule must be one that ggml has",
        to_string(spec.axes.rule));
  check(spec.axes.rule != AxisRule::kAxialBlocks || !is_any<YarnScaling>(spec.scaling),
        "axial blocks must not be scaled by", "yarn");
  check(list_denominator(spec) == 2 * list_length(spec), "frequency_dim must be the width of the rotation",
        list_denominator(spec));
  check(spec.angle_multiplier == 1, "angle_multiplier must be 1", spec.angle_multiplier);
}

// Divisors of the angle: the unscaled over the scaled frequency, which is 1, s or 1 / ((1 - smooth) / s + smooth) for
// Llama 3 and the listed factor for LongRoPE.
std::vector<float> freq_factors(const RopeSpec& spec, std::int64_t seq_len) {
  const FrequencyList list{spec.base, list_denominator(spec), list_length(spec), seq_len};
  std::vector<float> out(static_cast<std::size_t>(list.count), 1.0F);
  if (!is_any<LongRopeScaling, Llama3Scaling, ProportionalScaling>(spec.scaling)) return out;
  const auto plain = exact_frequencies(DefaultScaling{}, list);
  const auto scaled = exact_frequencies(spec.scaling, list);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = scaled[i].hi == 0 ? kNeverTurns : to_float(plain[i] / scaled[i]);
  return out;
}

struct Yarn {
  float low, high;

  Yarn(float n_ctx_orig, float beta_fast, float beta_slow, float n_dims, float base) {
    const auto pair_of = [&](float rotations) {
      return n_dims * log_float(n_ctx_orig / (rotations * 2.0F * 3.14159265F)) / (2.0F * log_float(base));
    };
    low = std::max(0.0F, std::floor(pair_of(beta_fast)));
    high = std::min(n_dims - 1, std::ceil(pair_of(beta_slow)));
  }

  float mix(int pair) const {
    const float y = (static_cast<float>(pair) - low) / std::max(0.001F, high - low);
    return 1.0F - std::min(1.0F, std::max(0.0F, y));
  }
};

// ggml multiplies attn_factor by 1 + 0.1 ln s when it mixes; llama.cpp divides that out beforehand where a model's
// factor differs.
float magnitude_of(const RopeSpec& spec, std::int64_t seq_len, float freq_scale) {
  const double wanted = attention_factor(spec.scaling, seq_len);
  const auto* yarn = std::get_if<YarnScaling>(&spec.scaling);
  if (yarn == nullptr) return static_cast<float>(wanted);
  const double own = 0.1 * to_double(log(DoubleDouble{yarn->factor})) + 1;
  return static_cast<float>(wanted / own) * (1.0F + 0.1F * log_float(1.0F / freq_scale));
}

float freq_scale_of(const Scaling& scaling) {
  if (const auto* linear = std::get_if<LinearScaling>(&scaling)) return 1.0F / static_cast<float>(linear->factor);
  if (const auto* yarn = std::get_if<YarnScaling>(&scaling)) return 1.0F / static_cast<float>(yarn->factor);
  return 1;
}

int axis_in_ggml(const RopeSpec& spec, const PairSlot& slot) {
  if (spec.axes.rule != AxisRule::kInterleavedSections) return slot.axis;
  const int axis = slot.frequency % 3;
  return slot.frequency < 3 * spec.axes.sections[static_cast<std::size_t>(axis)] ? axis : kFourthId;
}

// The position id of a place in the sections.
int id_of(const GgmlRotation& g, int place) {
  const auto& s = g.sections;
  if (!has_sections(g.mode)) return 0;
  if (g.mode == GgmlMode::kImrope) {
    const int id = place % 3;
    return place < 3 * s[static_cast<std::size_t>(id)] ? id : 3;
  }
  return place < s[0] ? 0 : place < s[0] + s[1] ? 1 : place < s[0] + s[1] + s[2] ? 2 : 3;
}

// The section that starts at a place; of several, empty ones before the last, ggml takes the first.
int section_at(const GgmlRotation& g, int place) {
  int start = 0;
  for (int id = 0; id < kMaxAxes; start += g.sections[static_cast<std::size_t>(id)], ++id)
    if (place == start) return id;
  return kNone;
}

}  // namespace

bool has_sections(GgmlMode mode) {
  return mode == GgmlMode::kMrope || mode == GgmlMode::kVision || mode == GgmlMode::kImrope;
}

int num_pairs(const GgmlRotation& parameters) {
  return parameters.mode == GgmlMode::kVision ? parameters.head_dim / 2 : parameters.n_dims / 2;
}

GgmlAngles::GgmlAngles(const RopeSpec& spec, std::int64_t seq_len)
    : negates_(spec.negate_angle), num_axes_(spec.axes.num_axes) {
  validate_spec(spec);
  validate_for_ggml(spec);
  const auto base = static_cast<float>(spec.base), n_dims = static_cast<float>(list_denominator(spec));
  std::optional<Yarn> yarn;
  if (const auto* s = std::get_if<YarnScaling>(&spec.scaling))
    yarn.emplace(static_cast<float>(s->original_max_position), static_cast<float>(s->beta_fast),
                 static_cast<float>(s->beta_slow), n_dims, base);
  step_ = pow_float(base, -2.0F / n_dims);
  freq_scale_ = freq_scale_of(spec.scaling);
  magnitude_ = magnitude_of(spec, seq_len, freq_scale_);
  mixes_ = yarn.has_value();
  const std::vector<float> factors = freq_factors(spec, seq_len);
  for (const PairSlot& slot : pair_slots(spec)) {
    const float factor = factors[static_cast<std::size_t>(slot.frequency)];
    slots_.push_back({axis_in_ggml(spec, slot), slot.frequency == 0 ? slot.axis : kNone, factor,
                      yarn ? yarn->mix(slot.frequency) : 0.0F});
  }
}

GgmlAngles::GgmlAngles(const GgmlRotation& g) {
  validate_ggml_rotation(g);
  const auto n_dims = static_cast<float>(g.n_dims);
  num_axes_ = has_sections(g.mode) ? kMaxAxes : 1;
  step_ = pow_float(g.freq_base, -2.0F / n_dims);
  freq_scale_ = g.freq_scale;
  magnitude_ = g.attn_factor;
  mixes_ = g.ext_factor != 0;
  std::optional<Yarn> yarn;
  if (mixes_) {
    yarn.emplace(static_cast<float>(g.n_ctx_orig), g.beta_fast, g.beta_slow, n_dims, g.freq_base);
    magnitude_ *= 1.0F + 0.1F * log_float(1.0F / freq_scale_);
  }
  for (int pair = 0; pair < detail::num_pairs(g); ++pair) {
    const int place = has_sections(g.mode) ? pair % std::reduce(g.sections.begin(), g.sections.end()) : 0;
    const float factor = g.freq_factors.empty() ? 1.0F : g.freq_factors[static_cast<std::size_t>(pair)];
    slots_.push_back({id_of(g, place), g.mode == GgmlMode::kVision ? section_at(g, place) : kNone, factor,
                      yarn ? yarn->mix(pair) * g.ext_factor : 0.0F});
  }
}

void GgmlAngles::angles(const double* position, std::span<float> angles) const {
  std::array<float, kMaxAxes> theta{};
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    for (int axis = 0; axis < num_axes_; ++axis) {
      float& t = theta[static_cast<std::size_t>(axis)];
      t = i == 0 || slot.restarts == axis ? static_cast<float>(position[axis]) : t * step_;
    }
    const float unscaled =
        slot.axis == kFourthId ? 0.0F : theta[static_cast<std::size_t>(slot.axis)] / slot.freq_factor;
    float angle = freq_scale_ * unscaled;
    if (mixes_) angle = fma_float(angle, 1.0F - slot.mix, unscaled * slot.mix);
    angles[i] = negates_ ? -angle : angle;
  }
}

std::vector<float> ggml_frequencies(const RopeSpec& spec, std::int64_t seq_len) {
  RopeSpec forward = spec;
  forward.negate_angle = false;
  const GgmlAngles ggml(forward, seq_len);
  constexpr std::array<double, kMaxAxes> kOnes{1, 1, 1, 1};
  std::vector<float> out(ggml.num_pairs());
  ggml.angles(kOnes.data(), out);
  out.resize(static_cast<std::size_t>(list_length(spec)));  // with one list per axis: that of the first block
  return out;
}

}  // namespace rotary::detail
