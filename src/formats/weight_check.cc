#include "formats/weight_check.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "formats/stored_frequencies.h"

namespace rotary::detail {
namespace {

class WeightCheck {
 public:
  WeightCheck(const Json& root, ModelConfig& config) : config_(config), file_(config.files.at(0).path) {
    for (const ModelRotation& r : config.rotations)
      if (is_text(r)) component_ = r.component;
    const Json* node = &root;
    for (std::size_t begin = 0; node && begin < component_.size();) {
      const std::size_t end = std::min(component_.find('.', begin), component_.size());
      const auto inner = node->find(component_.substr(begin, end - begin));
      node = inner != node->end() && inner->is_object() ? &*inner : nullptr;
      begin = end + 1;
    }
    if (node == nullptr) node = &root;  // a flat file holds the component's keys at the top
    heads_ = size_of(*node, {"num_attention_heads", "n_heads", "n_head", "num_heads"});
    key_heads_ = size_of(*node, {"num_key_value_heads", "n_kv_heads", "num_kv_heads"});
  }

  void check(const ModelTensors& tensors) {
    for (const SafetensorsFile& file : tensors.files())
      for (const StoredTensor& tensor : file.tensors()) check_projection(tensor);
    for (const StoredFrequencies& stored : stored_frequencies(tensors)) check_frequencies(stored);
    for (const auto& [kind, found] : found_) {
      const std::string more =
          found.count > 1 ? " (and " + std::to_string(found.count - 1) + " more such tensors)" : "";
      config_.warnings.push_back({found.tensor, found.message + more});
    }
  }

 private:
  struct Found {
    std::string tensor, message;
    int count = 0;
  };

  static bool is_text(const ModelRotation& r) {
    return r.part.empty() && r.component.find("vision") == std::string::npos &&
           r.component.find("audio") == std::string::npos;
  }

  static std::int64_t size_of(const Json& node, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (const auto value = node.find(key); value != node.end() && value->is_number_integer()) {
        const auto size = value->get<std::int64_t>();
        if (size > 0 && size < (1 << 20)) return size;
      }
    return 0;
  }

  // The rotation of the layer; null for other parts of the model.
  const ModelRotation* rotation_of(const std::string& tensor, int layer) const {
    for (const char* other : {"vision", "visual", "audio", "mtp"})
      if (tensor.find(other) != std::string::npos) return nullptr;
    for (const ModelRotation& r : config_.rotations) {
      if (r.component != component_ || !is_text(r) || r.head_dim == 0) continue;
      if (r.all_layers || layer < 0 || std::find(r.layers.begin(), r.layers.end(), layer) != r.layers.end()) return &r;
    }
    return nullptr;
  }

  void report(const std::string& kind, const std::string& tensor, const std::string& message) {
    Found& found = found_[kind];
    if (found.count++ == 0) found.tensor = tensor, found.message = message;
  }

  void check_projection(const StoredTensor& tensor) {
    const std::string part = projection_of_tensor(tensor.name);
    const int layer = layer_of_tensor(tensor.name);
    if (part.empty() || layer < 0 || tensor.shape.size() != 2 || bits_of(tensor.dtype) < 16) return;
    const std::int64_t heads = part == "q" ? heads_ : key_heads_;
    const ModelRotation* r = rotation_of(tensor.name, layer);
    if (!r || heads == 0) return;
    const std::int64_t rows = heads * r->head_dim;
    if (tensor.shape[0] == rows || (part == "q" && tensor.shape[0] == 2 * rows)) return;
    report(part, tensor.name,
           "has the shape " + shape_text(tensor) + ", but " + file_ + " says " + std::to_string(heads) + " " +
               (part == "q" ? "heads" : "key heads") + " of " + std::to_string(r->head_dim) + " channels, " +
               std::to_string(rows) + " rows");
  }

  static bool near(const std::vector<double>& stored, const RotationMap& map, double tolerance) {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const double want = std::abs(map.at(0, static_cast<int>(i), 0).hi);
      if (!(std::abs(stored[i] - want) <= tolerance * want + 3e-8)) return false;
    }
    return true;
  }

  void check_frequencies(const StoredFrequencies& stored) {
    const ModelRotation* r = rotation_of(stored.tensor, stored.layer);
    if (!r || !r->spec || r->rotation.query.num_axes != 1) return;
    const int pairs = r->spec->rotary_dim / 2, count = static_cast<int>(stored.values.size());
    if (count != pairs) {
      const std::string width = std::to_string(stored.is_table ? 2 * count : count);
      return report("width", stored.tensor,
                    (stored.is_table ? "has rows of " + width : "has " + width + " frequencies") + ", but " + file_ +
                        " says that " + std::to_string(2 * pairs) + " channels rotate" +
                        (stored.is_table ? "" : ", " + std::to_string(pairs) + " pairs"));
    }
    RopeSpec plain = *r->spec;
    plain.scaling = DefaultScaling{};
    const double tolerance = rounding_of(stored.dtype);
    if (near(stored.values, r->rotation.query, tolerance) || near(stored.values, make_rotation_map(plain), tolerance))
      return;
    std::size_t worst = 0;
    const auto off = [&](std::size_t i) {
      const double want = std::abs(r->rotation.query.at(0, static_cast<int>(i), 0).hi);
      return std::abs(stored.values[i] - want) / want;
    };
    for (std::size_t i = 1; i < stored.values.size(); ++i)
      if (off(i) > off(worst)) worst = i;
    report("frequencies", stored.tensor,
           "is not what " + file_ + " says, beyond the rounding of " + std::string(to_string(stored.dtype)) +
               ": pair " + std::to_string(worst) + " has " + show(Json(stored.values[worst])) + " for " +
               show(Json(std::abs(r->rotation.query.at(0, static_cast<int>(worst), 0).hi))));
  }

  ModelConfig& config_;
  std::string file_, component_;
  std::int64_t heads_ = 0, key_heads_ = 0;
  std::map<std::string, Found> found_;
};

}  // namespace

void check_weights(const ModelTensors& tensors, const Json& root, ModelConfig& config) {
  WeightCheck(root, config).check(tensors);
}

}  // namespace rotary::detail
