#include "formats/gguf_scaling.h"

#include <algorithm>
#include <cmath>

#include "core/scaled_frequencies.h"
#include "formats/gguf_header.h"
#include "rotary/rotation_map.h"

namespace rotary::detail {
namespace {

constexpr const char *kFreqs = "rope_freqs.weight", *kLong = "rope_factors_long.weight",
                     *kShort = "rope_factors_short.weight";
constexpr double kStill = 1e30;  // the divisor by which converters say that a pair does not turn

// Keys that only some loaders read; as written, all of them count.
bool reads(const GgufKeys& keys, const Json& row, const char* key) {
  const auto list = row.find("reads");
  return keys.as_written() || (list != row.end() && std::ranges::find(*list, key) != list->end());
}

class ScalingReader {
 public:
  ScalingReader(GgufKeys& keys, const Json& row) : keys_(keys), row_(row) {}

  GgufScaling read() {
    read_type();
    read_factor();
    read_original();
    out_.alpha = special("alpha", 0);
    if (!(out_.alpha >= 0)) keys_.fail("rope.scaling.alpha", "not be negative", show(Json(out_.alpha)));
    const double attn_factor = positive("attention_factor", "rope.scaling.attn_factor", 1);
    out_.ext_factor = out_.type == "yarn" ? 1 : 0;
    const double yarn_attn_factor = read_yarn();
    out_.attention = attn_factor * (out_.ext_factor != 0 ? yarn_ratio() : yarn_attn_factor);
    return std::move(out_);
  }

 private:
  void read_type() {
    out_.type = keys_.text("rope.scaling.type").value_or("linear");
    out_.sources.push_back(keys_.source("rope_type", "rope.scaling.type", "\"linear\""));
    const auto known = {"none", "linear", "yarn", "longrope"};
    if (std::ranges::find(known, out_.type) == known.end())
      keys_.fail("rope.scaling.type", "be none, linear, yarn or longrope", show(Json(out_.type)));
  }

  void read_factor() {
    const char* key = "rope.scaling.factor";
    auto factor = keys_.number(key);
    if (!factor) {
      key = "rope.scale_linear";  // the old name
      factor = keys_.number(key);
    }
    if (!factor) return;
    if (!(*factor >= 0)) keys_.fail(key, "not be negative", show(Json(*factor)));
    if (out_.type == "none" || *factor == 0) return;  // 0: not scaled
    out_.factor = *factor;
    out_.sources.push_back(keys_.source("factor", key, ""));
  }

  void read_original() {
    const auto given = keys_.count("rope.scaling.original_context_length");
    const auto context = keys_.count("context_length");
    out_.original_max_position = static_cast<double>(given.value_or(context.value_or(0)));
    if (out_.type != "yarn" && out_.type != "longrope" && !given) return;
    if (out_.original_max_position <= 1)
      keys_.fail("rope.scaling.original_context_length", "be given, or context_length, and be above 1",
                 given || context ? std::to_string(given.value_or(context.value_or(0))) : "nothing");
    out_.sources.push_back(
        keys_.source("original_max_position", given ? "rope.scaling.original_context_length" : "context_length", ""));
  }

  double positive(const char* field, const char* key, double otherwise) {
    const auto given = keys_.number(key);
    if (!given) return otherwise;
    if (!(*given > 0)) keys_.fail(key, "be positive", show(Json(*given)));
    out_.sources.push_back(keys_.source(field, key, ""));
    return *given;
  }

  // rope.scaling.<name>, where the loader reads it.
  double special(const std::string& name, double otherwise) {
    if (!reads(keys_, row_, name.c_str())) return otherwise;
    const std::string key = "rope.scaling." + name;
    const auto given = keys_.number(key);
    if (given) out_.sources.push_back(keys_.source(name, key, ""));
    return given.value_or(otherwise);
  }

  double read_yarn() {
    out_.beta_fast = row_.value("beta_fast", 32.0);
    if (out_.type != "yarn") return 1;
    out_.beta_fast = special("yarn_beta_fast", out_.beta_fast);
    out_.beta_slow = special("yarn_beta_slow", 1);
    // The converter of the DeepSeek family writes a tenth.
    out_.log_multiplier = special("yarn_log_multiplier", 0) * row_.value("log_multiplier", 1.0);
    if (const double given = special("yarn_ext_factor", -1); given >= 0) out_.ext_factor = given;
    if (out_.ext_factor != 0 && out_.ext_factor != 1)
      keys_.fail("rope.scaling.yarn_ext_factor", "be 0 or 1 (or negative: 1)", show(Json(out_.ext_factor)));
    return special("yarn_attn_factor", 1);
  }

  // m(s, 1), or m(s, mscale) / m(s, mscale_all_dim), over the 1 + 0.1 ln s that the operator multiplies by.
  double yarn_ratio() const {
    const double s = out_.factor, k = out_.log_multiplier;
    const bool cancels = row_.value("log_multiplier_cancels", false) && k != 1;
    const double wanted = k == 0 ? yarn_magnitude(s, 1) : yarn_magnitude(s, cancels ? k : 1) / yarn_magnitude(s, k);
    return wanted / (1 + 0.1 * std::log(s));
  }

  GgufKeys& keys_;
  const Json& row_;
  GgufScaling out_;
};

// The divisors of a tensor, one for every pair.
std::vector<double> divisors(GgufKeys& keys, const char* name, int pairs) {
  const GgufFile& file = keys.file();
  const auto stored = to_stored(file.at(name));
  if (!stored || (stored->dtype != StoredDType::kFloat32 && stored->dtype != StoredDType::kFloat64 &&
                  stored->dtype != StoredDType::kFloat16 && stored->dtype != StoredDType::kBfloat16))
    fail(keys.reading(), tensor_item(name), "be of floats", std::string(to_string(file.at(name).type)));
  if (num_elements(*stored) < pairs)
    fail(keys.reading(), tensor_item(name), "have a number for each of the " + std::to_string(pairs) + " pairs",
         std::to_string(num_elements(*stored)));
  keys.reading().spend(static_cast<std::size_t>(num_elements(*stored)) * 16, tensor_item(name));
  std::vector<double> out;
  for (const float x : file.read_float(name)) out.push_back(static_cast<double>(x));
  out.resize(static_cast<std::size_t>(pairs));
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!(out[i] > 0))
      fail(keys.reading(), tensor_item(name) + ", element " + std::to_string(i) + ",", "be positive",
           show(Json(out[i])));
  return out;
}

std::vector<double> inv_freq_of(RopeSpec spec) {
  spec.axes = {};
  spec.head_dim = spec.rotary_dim;
  spec.rotary_offset = 0;
  std::vector<double> out;
  for (const Frequency& f : make_rotation_map(spec).frequency) out.push_back(f.hi);
  return out;
}

// Frequencies of spec.scaling, each divided, and an attention factor of their own.
void divide(RopeSpec& spec, const std::vector<double>& by, const GgufScaling& scaling, double magnitude) {
  std::vector<double> given = inv_freq_of(spec);
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = by[i] >= kStill ? 0 : given[i] / by[i];
  if (magnitude == 1 && spec.axes.num_axes == 1) {
    spec.scaling = GivenFrequencies{1, given};
    return;
  }
  RopeSpec plain = spec;
  plain.scaling = DefaultScaling{};
  LongRopeScaling out;
  const std::vector<double> unscaled = inv_freq_of(plain);
  for (std::size_t i = 0; i < given.size(); ++i)
    out.short_factor.push_back(given[i] > 0 ? unscaled[i] / given[i] : kStill);
  out.long_factor = out.short_factor;
  out.original_max_position = std::max(2.0, scaling.original_max_position);
  out.attention_factor = magnitude;
  spec.scaling = std::move(out);
}

LongRopeScaling longrope(GgufKeys& keys, const GgufScaling& scaling, const GgufLayerScaling& layer, int pairs,
                         double magnitude) {
  const std::vector<double> none(static_cast<std::size_t>(pairs), 1.0);
  LongRopeScaling out;
  for (const auto& [name, list] : {std::pair{kShort, &out.short_factor}, std::pair{kLong, &out.long_factor}}) {
    *list = keys.file().find(name) ? divisors(keys, name, pairs) : none;
    for (double& x : *list) x = std::min(x, kStill) * layer.factor;
  }
  out.original_max_position = std::max(2.0, scaling.original_max_position);
  out.attention_factor = magnitude;
  return out;
}

bool uses_longrope(GgufKeys& keys, const Json& row, const GgufScaling& scaling) {
  const std::string rule = row.value("longrope", "");
  const bool reads_them = rule == "always" || (rule == "by type" && scaling.type == "longrope") ||
                          (keys.as_written() && scaling.type == "longrope");
  return reads_them && (keys.file().find(kLong) || keys.file().find(kShort));
}

}  // namespace

GgufScaling read_gguf_scaling(GgufKeys& keys, const Json& row) { return ScalingReader(keys, row).read(); }

double gguf_magnitude(const GgufScaling& scaling, double factor) {
  const double out = scaling.attention * (scaling.ext_factor != 0 ? 1 + 0.1 * std::log(factor) : 1);
  return std::abs(out - 1) < 1e-15 ? 1 : out;
}

void scale_gguf_spec(GgufKeys& keys, const Json& row, const GgufScaling& scaling, const GgufLayerScaling& layer,
                     RopeSpec& spec, std::vector<Source>& sources) {
  if (layer.plain) return;
  const double magnitude = gguf_magnitude(scaling, layer.factor);
  if (scaling.alpha > 0 && spec.head_dim > 2)
    spec.base *= std::pow(scaling.alpha, static_cast<double>(spec.head_dim) / (spec.head_dim - 2));
  const int pairs = spec.rotary_dim / 2;
  if (layer.factors && uses_longrope(keys, row, scaling)) {
    spec.scaling = longrope(keys, scaling, layer, pairs, magnitude);
    for (const char* name : {kShort, kLong})
      sources.push_back({name == kShort ? "short_factor" : "long_factor", name,
                         keys.file().find(name) ? "a tensor" : "1", keys.file().find(name) == nullptr});
    return;
  }
  if (scaling.ext_factor != 0) {
    YarnScaling yarn;
    yarn.factor = layer.factor;
    yarn.original_max_position = scaling.original_max_position;
    yarn.beta_fast = scaling.beta_fast;
    yarn.beta_slow = scaling.beta_slow;
    yarn.attention_factor = magnitude;
    spec.scaling = yarn;
  } else if (layer.factor != 1) {
    spec.scaling = LinearScaling{layer.factor};
  }
  const bool freqs = layer.factors && (row.value("freqs", false) || keys.as_written()) && keys.file().find(kFreqs);
  if (freqs) {
    sources.push_back({"divisors", kFreqs, "a tensor", false});
    divide(spec, divisors(keys, kFreqs, pairs), scaling, magnitude);
  } else if (scaling.ext_factor == 0 && magnitude != 1) {
    divide(spec, std::vector<double>(static_cast<std::size_t>(pairs), 1.0), scaling, magnitude);
  }
}

}  // namespace rotary::detail
