#include "nn/model_folder.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <regex>
#include <span>
#include <stdexcept>

#include "core/require.h"
#include "formats/json_reader.h"
#include "rotary/formats/files.h"
#include "rotary/formats/model_tensors.h"

namespace rotary::nn {
namespace {

using torch::Tensor;

constexpr const char* kTable = "encoder.embed_positions.weight";

// Our path of a parameter -> the checkpoint's, without prefix. The projections to queries, keys and values are one
// here.
std::string checkpoint_name(std::string name, Head head) {
  static const std::array<std::pair<std::regex, const char*>, 14> rules{{
      {std::regex("^embeddings\\.words$"), "embeddings.word_embeddings.weight"},
      {std::regex("^embeddings\\.types$"), "embeddings.token_type_embeddings.weight"},
      {std::regex("^embeddings\\.norm\\."), "embeddings.LayerNorm."},
      {std::regex("^encoding\\.weight$"), "embeddings.position_embeddings.weight"},
      {std::regex("^layer(\\d+)\\."), "encoder.layer.$1."},
      {std::regex("\\.attention\\.qkv\\."), ".attention.self.qkv."},
      {std::regex("\\.attention\\.output\\."), ".attention.output.dense."},
      {std::regex("\\.attention_norm\\."), ".attention.output.LayerNorm."},
      {std::regex("\\.feed_forward\\.in\\."), ".intermediate.dense."},
      {std::regex("\\.feed_forward\\.out\\."), ".output.dense."},
      {std::regex("\\.feed_forward_norm\\."), ".output.LayerNorm."},
      {std::regex("^final_norm\\."), "encoder.final_norm."},
      {std::regex("^head_norm\\."), "cls.predictions.transform.LayerNorm."},
      {std::regex("^head_bias$"), "cls.predictions.bias"},
  }};
  for (const auto& [pattern, replacement] : rules) name = std::regex_replace(name, pattern, replacement);
  const bool is_classifier = head == Head::kFirstTokenClassifier;
  if (name.rfind("head_dense.", 0) == 0)
    name.replace(0, 10, is_classifier ? "classifier.dense" : "cls.predictions.transform.dense");
  if (is_classifier && name.rfind("classifier.", 0) == 0 && name.rfind("classifier.dense.", 0) != 0)
    name.replace(0, 10, "classifier.out_proj");
  return name;
}

bool belongs_to_head(const std::string& name) {
  return name.rfind("cls.", 0) == 0 || name.rfind("classifier.", 0) == 0;
}

// The same tensor by the names that have been in use; the first is what transformers writes now.
std::vector<std::string> spellings(const std::string& name) {
  std::vector<std::string> out = {"roformer." + name, name};
  if (belongs_to_head(name)) out = {name};
  // Checkpoints converted from TensorFlow.
  for (std::size_t i = 0, n = out.size(); i < n; ++i) {
    const std::size_t at = out[i].find("LayerNorm.");
    if (at == std::string::npos) continue;
    const bool is_weight = out[i].compare(at + 10, std::string::npos, "weight") == 0;
    out.push_back(out[i].substr(0, at + 10) + (is_weight ? "gamma" : "beta"));
  }
  return out;
}

const StoredTensor* find(const ModelTensors& file, const std::string& name) {
  for (const std::string& spelling : spellings(name))
    if (const StoredTensor* tensor = file.find(spelling)) return tensor;
  return nullptr;
}

std::string show(torch::IntArrayRef shape) {
  std::string out = "[";
  for (const std::int64_t n : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(n);
  return out + "]";
}

void copy_into(const ModelTensors& file, const std::string& folder, const NamedTensor& to) {
  const StoredTensor* stored = find(file, to.name);
  if (!stored) throw std::runtime_error(folder + ": tensor " + spellings(to.name)[0] + " must be there, got none");
  if (torch::IntArrayRef(stored->shape) != to.tensor.sizes())
    throw std::runtime_error(folder + ": tensor " + stored->name + " must have shape " + show(to.tensor.sizes()) +
                             ", got " + show(stored->shape));
  const std::vector<float> values = file.read_float(stored->name);
  if (!std::ranges::all_of(values, [](float x) { return std::isfinite(x); }))
    throw std::runtime_error(folder + ": tensor " + stored->name + " must be finite");
  to.tensor.copy_(torch::from_blob(const_cast<float*>(values.data()), to.tensor.sizes(), torch::kFloat32));
}

// [max_position, head_dim]: sines in the first half of a row, cosines in the second.
struct StoredTable {
  std::vector<float> cos, sin;
  std::int64_t rows = 0;
};

StoredTable read_table(const ModelTensors& file, const StoredTensor& stored, const std::string& folder,
                       std::int64_t head_dim) {
  if (stored.shape.size() != 2 || stored.shape[1] != head_dim || stored.shape[0] < 1)
    throw std::runtime_error(folder + ": tensor " + stored.name + " must have rows of " + std::to_string(head_dim) +
                             ", got " + show(stored.shape));
  const std::vector<float> values = file.read_float(stored.name);
  StoredTable table;
  table.rows = stored.shape[0];
  const std::int64_t half = head_dim / 2;
  for (std::int64_t m = 0; m < table.rows; ++m) {
    const auto row = values.begin() + m * head_dim;
    table.sin.insert(table.sin.end(), row, row + half);
    table.cos.insert(table.cos.end(), row + half, row + head_dim);
  }
  return table;
}

// The largest difference from the formula.
double error_of(const StoredTable& table, const CosSinTable& exact) {
  double worst = 0;
  const std::int64_t pairs = exact.num_pairs();
  for (std::int64_t m = 0; m < table.rows; ++m)
    for (std::int64_t i = 0; i < pairs; ++i) {
      const auto at = static_cast<std::size_t>(m * pairs + i), pair = static_cast<std::size_t>(i);
      for (const double d : {table.cos[at] - exact.cos(m)[pair], table.sin[at] - exact.sin(m)[pair]})
        worst = std::isnan(d) ? d : std::max(worst, std::abs(d));
    }
  return worst;
}

// A table that is the formula's to the last place is the formula's, which has no end; another is used as it is.
void use_stored_table(const ModelTensors& file, const std::string& folder, const LoadOptions& options,
                      LoadedModel& loaded) {
  auto* rope = dynamic_cast<RopeEncoding*>(&loaded.model->encoding());
  const StoredTensor* stored = find(file, kTable);
  if (!rope || !stored || options.recompute_table) return;
  const StoredTable table = read_table(file, *stored, folder, loaded.model->config().head_dim());
  const double error = error_of(table, rope->formula(table.rows));
  if (error <= 0x1p-23) return;
  if (!std::isfinite(error)) throw std::runtime_error(folder + ": tensor " + stored->name + " must be finite");
  rope->use(CosSinTable::from_values(table.cos, table.sin, loaded.model->config().head_dim() / 2));
  loaded.warnings.push_back(stored->name + " (" + std::string(to_string(stored->dtype)) + ") is up to " +
                            std::to_string(error) +
                            " off the sines and cosines that it stands for, and is used as it "
                            "is; --recompute-table takes exact ones");
}

// Rows of half pairing, of one head [i, i + n/2], to rows of interleaved pairing [2i, 2i + 1].
Tensor interleaved_rows(const Tensor& rows, std::int64_t heads) {
  const std::int64_t half = rows.size(0) / heads / 2;
  std::vector<std::int64_t> shape = {heads, 2, half};
  const std::vector<std::int64_t> all = rows.sizes().vec();
  shape.insert(shape.end(), all.begin() + 1, all.end());
  return rows.reshape(shape).transpose(1, 2).reshape(all);
}

bool is_query_or_key(const std::string& name) {
  return name.find(".attention.self.query.") != std::string::npos ||
         name.find(".attention.self.key.") != std::string::npos;
}

Tensor table_of(const RopeEncoding& rope, const RoformerConfig& config) {
  const std::int64_t half = config.head_dim() / 2;
  const CosSinTable table = rope.given_table() ? *rope.given_table() : rope.formula(config.max_position);
  Tensor out = torch::empty({table.num_rows(), 2 * half});
  for (std::int64_t m = 0; m < table.num_rows(); ++m) {
    float* row = out.data_ptr<float>() + m * 2 * half;
    std::copy_n(table.sin(m).data(), half, row);
    std::copy_n(table.cos(m).data(), half, row + half);
  }
  return out;
}

}  // namespace

std::vector<NamedTensor> checkpoint_tensors(const Roformer& model) {
  static constexpr const char* kParts[] = {"query", "key", "value"};
  std::vector<NamedTensor> out;
  for (const auto& item : model.named_parameters()) {
    const std::string name = checkpoint_name(item.key(), model.config().head);
    const Tensor tensor = item.value().detach();
    const std::size_t at = name.find(".qkv.");
    if (at == std::string::npos) {
      out.push_back({name, tensor});
      continue;
    }
    const std::int64_t d = model.config().d_model;
    for (int part = 0; part < 3; ++part)
      out.push_back({name.substr(0, at + 1) + kParts[part] + name.substr(at + 4), tensor.narrow(0, part * d, d)});
  }
  return out;
}

namespace {

// Before memory is taken for what config.json says: a damaged number would take all there is.
void require_size(const ModelTensors& file, const std::string& folder, const RoformerConfig& config) {
  const auto require = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    const StoredTensor* stored = find(file, name);
    if (!stored || stored->shape != shape)
      throw std::runtime_error(folder + ": tensor " + spellings(name)[0] + " must have shape " + show(shape) +
                               ", as config.json has it, got " + (stored ? show(stored->shape) : "none"));
  };
  require("embeddings.word_embeddings.weight", {config.vocab_size, config.embedding_size});
  const std::string last = "encoder.layer." + std::to_string(config.num_layers - 1) + ".";
  require(last + "attention.self.query.weight", {config.d_model, config.d_model});
  require(last + "intermediate.dense.weight", {config.d_feed_forward, config.d_model});
}

}  // namespace

LoadedModel load_model(const std::string& folder, const LoadOptions& options) {
  const std::string config_path = (std::filesystem::path(folder) / "config.json").string();
  const RoformerConfig config = parse_config(read_file(config_path, detail::kMaxFileBytes), config_path);
  const ModelTensors file(folder);
  require_size(file, folder, completed(config));
  LoadedModel loaded{std::make_shared<Roformer>(config), {}};
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& tensor : checkpoint_tensors(*loaded.model)) copy_into(file, folder, tensor);
  use_stored_table(file, folder, options, loaded);
  return loaded;
}

void save_model(const std::string& folder, const Roformer& model) {
  RoformerConfig config = model.config();
  const bool permutes = config.encoding == Encoding::kRope && config.pairing == Pairing::kHalf;
  detail::require(!(permutes && config.rotates_values), "save_model",
                  "rotated values must be paired as RoFormer pairs them, interleaved", "half");
  std::vector<NamedTensor> tensors;
  const bool has_prefix = config.head != Head::kNone;
  for (NamedTensor tensor : checkpoint_tensors(model)) {
    if (permutes && is_query_or_key(tensor.name)) tensor.tensor = interleaved_rows(tensor.tensor, config.num_heads);
    if (has_prefix && !belongs_to_head(tensor.name)) tensor.name = "roformer." + tensor.name;
    tensors.push_back({tensor.name, tensor.tensor.contiguous()});
  }
  if (const auto* rope = dynamic_cast<const RopeEncoding*>(&model.encoding()))
    tensors.push_back({(has_prefix ? "roformer." : "") + std::string(kTable), table_of(*rope, config)});
  std::vector<StoredTensor> stored;
  for (const NamedTensor& tensor : tensors)
    stored.push_back(
        {tensor.name, StoredDType::kFloat32, tensor.tensor.sizes().vec(),
         std::as_bytes(std::span(tensor.tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.tensor.numel())))});
  if (permutes) config.pairing = Pairing::kInterleaved;
  const std::filesystem::path path(folder);
  write_safetensors((path / "model.safetensors").string(), stored, {{"format", "pt"}});
  write_file_atomically((path / "config.json").string(), to_json(config));
}

}  // namespace rotary::nn
