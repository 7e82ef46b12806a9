#include "formats/gguf_layers.h"

#include <algorithm>

#include "formats/gguf_bytes.h"

namespace rotary::detail {
namespace {

constexpr std::int64_t kMaxLayers = 1 << 16;

class LayerPlanner {
 public:
  LayerPlanner(GgufKeys& keys, const Json& row) : keys_(keys), row_(row) {}

  GgufLayerPlan plan() {
    const auto blocks = keys_.count("block_count");
    if (!blocks || *blocks < 1 || *blocks > kMaxLayers)
      keys_.fail("block_count", "be given, in 1 .. 65536", blocks ? std::to_string(*blocks) : "nothing");
    num_blocks_ = static_cast<std::size_t>(*blocks);
    // Layers that predict further tokens stand at the end and are no part of the model proper.
    const auto extra = static_cast<std::size_t>(keys_.count("nextn_predict_layers").value_or(0));
    num_layers_ = extra < num_blocks_ ? num_blocks_ - extra : num_blocks_;
    attends_ = attending();
    plan_windows();
    GgufLayerPlan out;
    out.windowed = windowed_;
    const std::vector<bool> turns = turning();
    for (std::size_t i = 0; i < num_layers_; ++i)
      if (attends_[i]) add(out, sliding_[i], turns[i], static_cast<int>(i));
    out.all = out.groups.size() == 1 && out.groups[0].indices.size() == num_blocks_;
    return out;
  }

 private:
  static void add(GgufLayerPlan& out, bool sliding, bool rotates, int index) {
    const auto alike = [&](const GgufLayers& g) { return g.sliding == sliding && g.rotates == rotates; };
    auto group = std::ranges::find_if(out.groups, alike);
    if (group == out.groups.end()) group = out.groups.insert(group, {sliding, rotates, {}});
    group->indices.push_back(index);
  }

  // Layers without heads, or without heads of keys, hold something else (a state space, a convolution).
  std::vector<bool> attending() {
    std::vector<bool> out(num_blocks_, true);
    for (const char* key : {"attention.head_count", "attention.head_count_kv"})
      if (const auto heads = keys_.counts(key, num_blocks_))
        for (std::size_t i = 0; i < num_blocks_; ++i) out[i] = out[i] && (*heads)[i] != 0;
    if (!row_.contains("attention_interval")) return out;
    if (const auto recurrent = keys_.counts("attention.recurrent_layers", num_blocks_)) {
      for (std::size_t i = 0; i < num_blocks_; ++i) out[i] = out[i] && (*recurrent)[i] == 0;
      return out;
    }
    const auto interval = static_cast<std::size_t>(
        keys_.count("full_attention_interval").value_or(row_.at("attention_interval").get<int>()));
    if (interval == 0) keys_.fail("full_attention_interval", "be positive", "0");
    for (std::size_t i = 0; i < num_layers_; ++i) out[i] = out[i] && (i + 1) % interval == 0;
    return out;
  }

  void plan_windows() {
    sliding_.assign(num_blocks_, false);
    const auto rule = row_.find("swa");
    if (rule == row_.end()) return;
    const auto window = keys_.count("attention.sliding_window");
    const std::string when = rule->at("when").get<std::string>();
    windowed_ = when == "always" || (when == "window" && window.value_or(0) > 0) ||
                (when == "not zero" && window.value_or(1) > 0) || (when == "64 blocks" && num_layers_ == 64);
    if (windowed_) read_pattern(*rule);
  }

  // A period, or a truth value for every layer; what the loader does not take, llama.cpp ignores.
  void read_pattern(const Json& rule) {
    const std::string key = "attention.sliding_window_pattern";
    const GgufValue* given = keys_.value(key);
    const bool takes_list = rule.value("list", false) || keys_.as_written();
    const bool is_list = given && (given->type() == GgufType::kArray || !rule.contains("period"));
    if (!given && !rule.contains("period")) keys_.fail(key, "be given for this architecture", "nothing");
    if (is_list && takes_list) {
      const std::vector<std::int64_t> flags = list_of(key, *given);
      for (std::size_t i = 0; i < num_layers_; ++i) sliding_[i] = flags[i] != 0;
      return;
    }
    if (is_list)
      keys_.reading().warn(keys_.path_of(key),
                           "llama.cpp takes one number here, not a list: it slides by the default period of " +
                               std::to_string(rule.at("period").get<int>()));
    const auto period = static_cast<std::size_t>(given && !is_list ? keys_.count(key).value_or(0)
                                                                   : rule.at("period").get<std::int64_t>());
    const bool dense_first = rule.value("dense_first", false);
    for (std::size_t i = 0; i < num_layers_; ++i)
      sliding_[i] = period == 0 || (dense_first ? i % period != 0 : i % period < period - 1);
  }

  // Lists are of the layers with or without those at the end.
  std::vector<std::int64_t> list_of(const std::string& key, const GgufValue& given) {
    const bool without = given.type() == GgufType::kArray && given.size() == num_layers_;
    return keys_.counts(key, without ? num_layers_ : num_blocks_).value();
  }

  std::vector<bool> turning() {
    std::vector<bool> out(num_blocks_, true);
    if (row_.value("switch", false) && !keys_.boolean("rope.scaling.finetuned").value_or(true))
      out.assign(num_blocks_, false);
    if (row_.value("rope_pattern", false))
      if (const auto flags = keys_.counts("attention.rope_pattern", num_blocks_))
        for (std::size_t i = 0; i < num_blocks_; ++i) out[i] = (*flags)[i] != 0;
    if (const auto nope = row_.find("nope"); nope != row_.end() && (windowed_ || !nope->value("with_swa", false))) {
      const std::size_t step = nope->at("step").get<std::size_t>();
      for (std::size_t i = 0; i < num_blocks_; ++i)
        if ((nope->value("first", false) ? i : i + 1) % step == 0) out[i] = false;
    }
    const auto swa = row_.find("swa");
    if (!windowed_ || swa->value("rotating", "") != "only") return out;
    const auto leading = row_.value("leading_rotate", false)
                             ? static_cast<std::size_t>(keys_.count("leading_dense_block_count").value_or(0))
                             : 0;
    for (std::size_t i = leading; i < num_blocks_; ++i) out[i] = out[i] && sliding_[i];
    return out;
  }

  GgufKeys& keys_;
  const Json& row_;
  std::size_t num_blocks_ = 0, num_layers_ = 0;
  std::vector<bool> attends_, sliding_;
  bool windowed_ = false;
};

}  // namespace

GgufLayerPlan plan_gguf_layers(GgufKeys& keys, const Json& row) { return LayerPlanner(keys, row).plan(); }

}  // namespace rotary::detail
