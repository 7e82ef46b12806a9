#include <algorithm>
#include <array>
#include <cmath>

#include "core/require.h"
#include "core/scaled_frequencies.h"
#include "formats/gguf_table.h"
#include "rotary/formats/gguf_rotation.h"

namespace rotary {
namespace {

using namespace detail;

constexpr std::string_view kFunction = "gguf_rotation_keys";
constexpr float kStill = 1e30F;

template <class T>
void check(bool ok, const std::string& must_hold, const T& got) {
  require(ok, kFunction, must_hold, got);
}

class RotationWriter {
 public:
  RotationWriter(const std::string& architecture, const ModelRotation& rotation)
      : architecture_(architecture), rotation_(rotation) {}

  GgufRotationKeys write() {
    row_ = gguf_architecture(architecture_);
    check(row_ != nullptr && row_->value("rope", "none") != "none" && !row_->value("plain", false),
          "architecture must be one that llama.cpp rotates by rope.* keys", architecture_);
    check_rotation();
    const RopeSpec& s = *rotation_.spec;
    validate_spec(s);
    check_slice(s);
    check_pairing(s);
    add(gguf_uint32(path("dimension_count"), static_cast<std::uint32_t>(s.rotary_dim)));
    add_exact("freq_base", s.base);
    write_sections(s);
    std::visit([&](const auto& scaling) { write_scaling(scaling); }, s.scaling);
    return std::move(out_);
  }

 private:
  std::string path(const std::string& name) const { return architecture_ + ".rope." + name; }
  void add(GgufEntry entry) { out_.keys.push_back(std::move(entry)); }

  void add_exact(const std::string& name, double value) {
    const auto rounded = static_cast<float>(value);
    check(static_cast<double>(rounded) == value, name + " must be a number that float32 holds", value);
    add(gguf_float32(path(name), rounded));
  }

  void check_rotation() const {
    const LayerRotation& r = rotation_.rotation;
    check(rotation_.unknown.empty(), "the rotation must be known", rotation_.unknown);
    check(r.not_a_rotation.empty(), "the layers must rotate", r.not_a_rotation);
    check(r.rotates && rotation_.spec.has_value(), "the layers must rotate", "layers without rotation");
    const auto refuse = [](bool bad, const char* what) { check(!bad, "GGUF has no word for this", what); };
    refuse(r.rotates_values, "values that are rotated");
    refuse(r.rotates_output_back, "an output that is rotated back");
    refuse(r.before_projection, "a rotation before the projection");
    refuse(!r.rotates_keys, "keys that are not rotated");
    refuse(r.key.has_value() && *r.key != r.query, "keys that are rotated in another way than queries");
    refuse(!r.heads.empty(), "a rotation of some heads");
    refuse(r.xpos.has_value() || rotation_.spec->xpos.has_value(), "xPos");
    refuse(r.query_scale_rule != QueryScaleRule{}, "a query scale that depends on the position");
    refuse(r.softmax_factor != 1, "a softmax scale that depends on the scaling");
    refuse(rotation_.spec->negate_angle, "a negative angle");
    refuse(rotation_.spec->angle_multiplier != 1, "a multiplier of the angle");
  }

  void check_slice(const RopeSpec& s) const {
    const int begin = row_->value("slice", false) ? s.head_dim - s.rotary_dim : 0;
    check(s.rotary_offset == begin,
          "rotary_offset must be where " + architecture_ + " has the slice, " + std::to_string(begin), s.rotary_offset);
    check(!row_->value("whole_head", false) || s.rotary_dim == s.head_dim,
          "rotary_dim must be the head's width in " + architecture_ + ", " + std::to_string(s.head_dim), s.rotary_dim);
  }

  void check_pairing(const RopeSpec& s) {
    const bool adjacent = row_->at("rope") == "normal" && s.axes.num_axes == 1;
    const bool is_adjacent = s.pairing == Pairing::kInterleaved;
    const bool permuted = row_->value("rows", "").starts_with("permuted");
    check(adjacent == is_adjacent || (adjacent && permuted),
          "pairing must be that of " + architecture_ + ", " + (adjacent ? "interleaved" : "half"),
          to_string(s.pairing));
    check(s.output_pairing == s.pairing || row_->value("slice", false), "output_pairing must be the pairing",
          to_string(s.output_pairing));
    out_.rows_must_be_permuted = adjacent && !is_adjacent;
  }

  void write_sections(const RopeSpec& s) {
    const std::string rope = row_->at("rope").get<std::string>();
    if (s.axes.num_axes == 1) {
      check(row_->value("sections", "") != "required", "axes must have sections in " + architecture_, "one axis");
      return;
    }
    const auto wanted = rope == "imrope" ? AxisRule::kInterleavedSections : AxisRule::kSections;
    check(row_->contains("sections") && s.axes.rule == wanted && s.axes.sections.size() <= 4,
          "axes must be such as " + architecture_ + " has", to_string(s.axes.rule));
    std::array<std::int32_t, 4> sections{};
    std::ranges::copy(s.axes.sections, sections.begin());
    check(rope != "imrope" || 3 * sections[0] >= s.rotary_dim / 2,
          "interleaved sections must leave no pair to the fourth position id, " + std::to_string(s.rotary_dim / 2) +
              " pairs",
          sections[0]);
    add(gguf_int32s(path("dimension_sections"), sections));
  }

  void write_attention(double magnitude, double own) {
    if (magnitude != own) add(gguf_float32(path("scaling.attn_factor"), static_cast<float>(magnitude / own)));
  }

  void write_scaling(const DefaultScaling&) {
    if (denominator() != rotation_.spec->rotary_dim) write_divisors("frequency_dim");
  }

  void write_scaling(const LinearScaling& s) {
    check(denominator() == rotation_.spec->rotary_dim, "frequency_dim must be rotary_dim with linear scaling",
          denominator());
    add(gguf_string(path("scaling.type"), "linear"));
    add_exact("scaling.factor", s.factor);
  }

  void write_length(double original) {
    check(original == std::floor(original) && original < 4294967296.0,
          "original_max_position must be a whole number below 2^32", original);
    add(gguf_uint32(path("scaling.original_context_length"), static_cast<std::uint32_t>(original)));
  }

  void write_beta(const std::string& name, double value, double otherwise) {
    if (value == otherwise) return;
    const auto list = row_->value("reads", Json::array());
    check(std::any_of(list.begin(), list.end(), [&](const Json& key) { return key == name.c_str(); }),
          name.substr(5) + " must be " + show(otherwise) + ", since llama.cpp does not read it for " + architecture_,
          value);
    add_exact("scaling." + name, value);
  }

  void write_scaling(const YarnScaling& s) {
    check(s.truncate, "truncate must be true, as llama.cpp always has it", "false");
    check(denominator() == rotation_.spec->rotary_dim, "frequency_dim must be rotary_dim with yarn", denominator());
    add(gguf_string(path("scaling.type"), "yarn"));
    add_exact("scaling.factor", s.factor);
    write_length(s.original_max_position);
    write_beta("yarn_beta_fast", s.beta_fast, row_->value("beta_fast", 32.0));
    write_beta("yarn_beta_slow", s.beta_slow, 1);
    write_attention(attention_factor(s, 0), yarn_magnitude(s.factor, 1));
  }

  void write_scaling(const LongRopeScaling& s) {
    check(row_->contains("longrope"), "scaling must be one that llama.cpp reads for " + architecture_, "longrope");
    check(!s.dynamic_blend, "longrope must not blend its lists", "dynamic_blend");
    const auto beyond = static_cast<std::int64_t>(s.original_max_position) + 1;
    check(attention_factor(s, 0) == attention_factor(s, beyond), "longrope must have one attention factor",
          "one for each list");
    add(gguf_string(path("scaling.type"), "longrope"));
    write_length(s.original_max_position);
    write_attention(attention_factor(s, 0), 1);
    out_.factors.push_back({"rope_factors_long.weight", {s.long_factor.begin(), s.long_factor.end()}});
    out_.factors.push_back({"rope_factors_short.weight", {s.short_factor.begin(), s.short_factor.end()}});
  }

  void write_scaling(const Llama3Scaling&) { write_divisors("llama3"); }
  void write_scaling(const ProportionalScaling&) { write_divisors("proportional"); }
  void write_scaling(const GivenFrequencies& s) {
    check(s.num_sets == 1 && rotation_.spec->axes.num_axes == 1, "given frequencies must be one list", "several");
    write_divisors("frequencies given as numbers");
  }

  template <class Other>
  void write_scaling(const Other& other) {
    check(false, "scaling must be one that GGUF has (linear, yarn, longrope, or divisors of frequencies)",
          scaling_name(Scaling(other)));
  }

  int denominator() const {
    return rotation_.spec->frequency_dim != 0 ? rotation_.spec->frequency_dim : rotation_.spec->rotary_dim;
  }

  // Plain frequency over the wanted one, for every pair.
  void write_divisors(const char* what) {
    check(row_->value("freqs", false), "scaling must be one that llama.cpp reads for " + architecture_, what);
    RopeSpec one = *rotation_.spec;
    one.axes = {};
    RopeSpec plain = one;
    plain.scaling = DefaultScaling{};
    plain.frequency_dim = 0;
    const RotationMap from = make_rotation_map(plain), to = make_rotation_map(one);
    GgufFactors factors{"rope_freqs.weight", {}};
    for (std::size_t i = 0; i < from.frequency.size(); ++i) {
      const double wanted = to.frequency[i].hi;
      check(wanted >= 0, "frequencies must not be negative", wanted);
      factors.values.push_back(wanted == 0 ? kStill : static_cast<float>(from.frequency[i].hi / wanted));
    }
    out_.factors.push_back(std::move(factors));
  }

  const std::string& architecture_;
  const ModelRotation& rotation_;
  const Json* row_ = nullptr;
  GgufRotationKeys out_;
};

}  // namespace

GgufRotationKeys gguf_rotation_keys(const std::string& architecture, const ModelRotation& rotation) {
  return RotationWriter(architecture, rotation).write();
}

}  // namespace rotary
