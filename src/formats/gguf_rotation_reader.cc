#include "formats/gguf_rotation_reader.h"

#include <cmath>
#include <stdexcept>

#include "formats/gguf_axes.h"
#include "formats/gguf_layers.h"
#include "formats/gguf_scaling.h"

namespace rotary::detail {
namespace {

constexpr std::int64_t kMaxHeadDim = 1 << 20;

class RotationReader {
 public:
  RotationReader(GgufKeys& keys, const Json& row) : keys_(keys), row_(row) {}

  std::vector<ModelRotation> read() {
    std::vector<ModelRotation> out;
    if (row_.contains("unknown") || row_.at("rope") == "none") return {nothing()};
    plan_ = plan_gguf_layers(keys_, row_);
    pairing_ = read_gguf_pairing(keys_, row_);
    if (!row_.value("plain", false)) scaling_ = read_gguf_scaling(keys_, row_);
    for (const GgufLayers& layers : plan_.groups) out.push_back(rotation(layers));
    return out;
  }

 private:
  ModelRotation named() const {
    ModelRotation out;
    out.model_type = keys_.architecture();
    return out;
  }

  // Of an architecture that does not rotate, or of which that is not established.
  ModelRotation nothing() const {
    ModelRotation out = named();
    out.all_layers = true;
    if (row_.contains("unknown")) {
      out.unknown = row_.at("unknown").get<std::string>();
      return out;
    }
    out.rotation.rotates = false;
    out.note = "no rotation: " + row_.at("why").get<std::string>();
    return out;
  }

  ModelRotation rotation(const GgufLayers& layers) {
    ModelRotation out = named();
    out.all_layers = plan_.all;
    if (!plan_.all) out.layers = layers.indices;
    if (plan_.windowed) out.layer_type = layers.sliding ? "sliding_attention" : "full_attention";
    out.note = note();
    try {
      fill(layers, out);
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(keys_.reading().name + ": " + with_key(error.what(), out.sources));
    }
    return out;
  }

  std::string note() const {
    std::string out = "rows of q and k " + row_.value("rows", "as in the checkpoint");
    if (row_.contains("note")) out += "; " + row_.at("note").get<std::string>();
    return out;
  }

  // "function: field must hold, got x" of the core, with the key that the field came from instead of the function.
  std::string with_key(std::string what, const std::vector<Source>& sources) const {
    if (const auto colon = what.find(": "); colon != std::string::npos) what = what.substr(colon + 2);
    const std::string field = what.substr(0, what.find(' '));
    for (const Source& source : sources)
      if (source.field == field) return source.key + what.substr(field.size());
    return keys_.path_of("rope") + ": " + what;
  }

  void fill(const GgufLayers& layers, ModelRotation& out) {
    RopeSpec s;
    s.head_dim = out.head_dim = head_dim(layers.sliding, out.sources);
    out.rotation.rotates = layers.rotates;
    out.rotation.query_scale_rule = temperature(layers.rotates, out.sources);
    if (!layers.rotates) return;
    s.rotary_dim = rotary_dim(s.head_dim, layers.sliding, out.sources);
    if (row_.value("slice", false)) s.rotary_offset = s.head_dim - s.rotary_dim;
    s.pairing = s.output_pairing = pairing_.rope == "normal" ? Pairing::kInterleaved : Pairing::kHalf;
    out.sources.push_back(
        {"pairing", "general.architecture", pairing_.rope + " (" + keys_.architecture() + ")", false});
    s.axes = gguf_axes(keys_, pairing_, s.rotary_dim / 2);
    if (!pairing_.sections.empty()) out.sources.push_back(keys_.source("sections", "rope.dimension_sections", ""));
    s.base = base(layers.sliding, out.sources);
    s.max_position = static_cast<double>(keys_.count("context_length").value_or(0));
    keys_.reading().spend_on(s, keys_.path_of("rope"));
    const GgufLayerScaling own = layer_scaling(layers.sliding);
    if (!own.plain) out.sources.insert(out.sources.end(), scaling_.sources.begin(), scaling_.sources.end());
    scale_gguf_spec(keys_, row_, scaling_, own, s, out.sources);
    turn(s, own, out);
  }

  void turn(const RopeSpec& s, const GgufLayerScaling& own, ModelRotation& out) {
    const ReadOptions& options = keys_.reading().options;
    out.rotation.query = make_rotation_map(s, options.seq_len, options.arithmetic);
    out.rotation.softmax_factor = own.plain ? 1 : softmax_factor();
    static const char* const kAxes[] = {"time", "height", "width", "extra"};
    out.rotation.axes.resize(static_cast<std::size_t>(s.axes.num_axes));
    for (std::size_t i = 0; s.axes.num_axes > 1 && i < out.rotation.axes.size(); ++i)
      out.rotation.axes[i].name = kAxes[i];
    out.spec = s;
  }

  int size(const std::string& key, std::int64_t value) const {
    if (value < 1 || value > kMaxHeadDim) keys_.fail(key, "be in 1 .. 2^20", std::to_string(value));
    return static_cast<int>(value);
  }

  // The first of the keys that the file has, for the layers' kind; else the width over the number of heads.
  int head_dim(bool sliding, std::vector<Source>& sources) {
    const std::string kind = row_.value("slice", false) ? "attention.key_length_mla" : "attention.key_length";
    for (const std::string& key : {sliding ? kind + "_swa" : kind, kind, std::string("attention.key_length")}) {
      const auto given = keys_.count(key);
      if (!given) continue;
      sources.push_back(keys_.source("head_dim", key, ""));
      return size(key, *given);
    }
    const auto width = keys_.count("embedding_length");
    const auto heads = keys_.counts("attention.head_count", num_blocks());
    if (!width || !heads || heads->front() == 0)
      keys_.fail("attention.key_length", "be given, or embedding_length and attention.head_count", "neither");
    sources.push_back(
        {"head_dim", keys_.path_of("attention.key_length"), std::to_string(*width / heads->front()), true});
    return size("embedding_length", *width / heads->front());
  }

  std::size_t num_blocks() { return static_cast<std::size_t>(keys_.count("block_count").value_or(1)); }

  int rotary_dim(int head_dim, bool sliding, std::vector<Source>& sources) {
    std::string key = "rope.dimension_count";
    if (sliding && keys_.count("rope.dimension_count_swa")) key += "_swa";
    const auto given = row_.value("plain", false) ? std::nullopt : keys_.count(key);
    std::int64_t out = given.value_or(row_.value("plain", false) ? head_dim : plain_key_length(head_dim));
    if (!sliding) out = static_cast<std::int64_t>(static_cast<double>(out) * row_.value("full_share", 1.0));
    if (out < 2 || out > head_dim || out % 2 != 0)
      keys_.fail(key, "give an even rotary width in 2 .. " + std::to_string(head_dim), std::to_string(out));
    if (row_.value("whole_head", false) && !keys_.as_written() && out != head_dim)
      keys_.fail(key, "be the head's width in this architecture, " + std::to_string(head_dim), std::to_string(out));
    sources.push_back(keys_.source("rotary_dim", key, std::to_string(out)));
    return static_cast<int>(out);
  }

  std::int64_t plain_key_length(int head_dim) { return keys_.count("attention.key_length").value_or(head_dim); }

  double base_of(const char* key, double otherwise) {
    const auto given = keys_.number(key);
    if (given && !(*given > 1)) keys_.fail(key, "be above 1", show(Json(*given)));
    return given.value_or(otherwise);
  }

  double base(bool sliding, std::vector<Source>& sources) {
    if (row_.value("plain", false)) {
      sources.push_back({"base", keys_.path_of("rope.freq_base"), "10000", true});
      return 10000;
    }
    const double full = base_of("rope.freq_base", 10000);
    const std::string rule = sliding ? row_.at("swa").value("base", "") : "";
    if (rule.empty() || (rule == "full" && !keys_.value("rope.freq_base_swa"))) {
      sources.push_back(keys_.source("base", "rope.freq_base", "10000"));
      return full;
    }
    sources.push_back(keys_.source("base", "rope.freq_base_swa", "10000"));
    return base_of("rope.freq_base_swa", 10000);
  }

  GgufLayerScaling layer_scaling(bool sliding) const {
    GgufLayerScaling out;
    out.factor = scaling_.factor;
    out.plain = row_.value("plain", false);
    out.factors = !(sliding && row_.value("factors_on", "") == "full");
    if (!sliding) return out;
    const Json& swa = row_.at("swa");
    out.plain |= swa.value("plain", false);
    if (swa.contains("base") && !swa.value("scaled", false)) out.factor = 1;
    return out;
  }

  // DeepSeek: the softmax scale carries (magnitude m(s, mscale_all_dim))^2.
  double softmax_factor() const {
    if (!row_.value("softmax", false)) return 1;
    const double log_s = std::log(scaling_.factor);
    const double m = scaling_.attention * (1 + 0.1 * log_s) * (1 + 0.1 * scaling_.log_multiplier * log_s);
    return m * m;
  }

  QueryScaleRule temperature(bool rotates, std::vector<Source>& sources) {
    const auto rule = row_.find("temperature");
    if (rule == row_.end()) return {};
    const bool on_still = rule->value("on", "") == "still layers";
    if (on_still) {
      if (rotates || !plan_.windowed) return {};
      return {QueryScaleRule::Kind::kLogFloor, rule->at("beta").get<double>(), rule->at("floor").get<double>(),
              rule->at("shift").get<double>()};
    }
    const auto beta = keys_.number("attention.temperature_scale");
    const std::string floor_key = rule->at("floor").get<std::string>();
    const auto floor = keys_.count(floor_key);
    if (!beta || *beta == 0) return {};
    const double length = floor ? static_cast<double>(*floor) : scaling_.original_max_position;
    if (!(length > 0)) keys_.fail(floor_key, "be given and positive, with attention.temperature_scale", "nothing");
    sources.push_back(keys_.source("query scale", "attention.temperature_scale", ""));
    return {QueryScaleRule::Kind::kLogFloor, *beta, length, 0};
  }

  GgufKeys& keys_;
  const Json& row_;
  GgufLayerPlan plan_;
  GgufPairing pairing_;
  GgufScaling scaling_;
};

}  // namespace

std::vector<ModelRotation> read_gguf_rotations(GgufKeys& keys, const Json& row) {
  return RotationReader(keys, row).read();
}

}  // namespace rotary::detail
