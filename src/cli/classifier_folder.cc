#include "cli/classifier_folder.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <type_traits>

#include "nn/workers.h"
#include "rotary/formats/files.h"

namespace rotary::cli {

namespace {

std::string facts_path(const std::string& folder) { return (std::filesystem::path(folder) / "training.json").string(); }

// An empty object where there is no file.
nlohmann::json read_facts(const std::string& path) {
  if (!std::filesystem::exists(path)) return nlohmann::json::object();
  const nlohmann::json facts = nlohmann::json::parse(read_file(path, std::size_t{1} << 24), nullptr, false);
  if (!facts.is_object()) throw std::runtime_error(path + ": must be a JSON object, got something else");
  return facts;
}

// A value of the type that `to` has; a missing one leaves it.
template <class T>
void read_fact(const nlohmann::json& facts, const std::string& path, const char* key, T& to) {
  const auto found = facts.find(key);
  if (found == facts.end()) return;
  const bool fits = std::is_same_v<T, std::string> ? found->is_string()
                    : std::is_floating_point_v<T>  ? found->is_number()
                                                   : found->is_number_unsigned();
  if (!fits)
    throw std::runtime_error(path + ": " + key + " must be as the training wrote it, got " +
                             found->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  to = found->template get<T>();
}

}  // namespace

TrainingFacts read_training_facts(const std::string& folder) {
  const std::string path = facts_path(folder);
  const nlohmann::json json = read_facts(path);
  TrainingFacts facts;
  read_fact(json, path, "data", facts.data);
  read_fact(json, path, "text_field", facts.corpus.text_field);
  read_fact(json, path, "label_field", facts.corpus.label_field);
  read_fact(json, path, "split_seed", facts.corpus.seed);
  read_fact(json, path, "valid_fraction", facts.corpus.valid_fraction);
  read_fact(json, path, "test_fraction", facts.corpus.test_fraction);
  read_fact(json, path, "max_length", facts.max_length);
  if (json.contains("max_length") && facts.max_length < 1)
    throw std::runtime_error(path + ": max_length must be positive, got " + std::to_string(facts.max_length));
  read_fact(json, path, "order_words", facts.order_words);
  return facts;
}

void keep_training_facts(const std::string& folder, const nlohmann::ordered_json& facts, bool resume) {
  const std::string path = facts_path(folder);
  if (!resume) return write_file_atomically(path, facts.dump(2) + "\n");
  const nlohmann::json before = read_facts(path).flatten(), now = nlohmann::json(facts).flatten();
  for (const auto& [key, value] : now.items()) {
    const nlohmann::json then = before.value(key, nlohmann::json());
    if (then != value)
      throw std::runtime_error(path + ": " + key.substr(1) + " must be " +
                               then.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + " as before, got " +
                               value.dump());
  }
}

std::shared_ptr<nn::Roformer> open_model(const std::string& folder, const nn::LoadOptions& options) {
  const nn::LoadedModel loaded = nn::load_model(folder, options);
  for (const std::string& warning : loaded.warnings) std::cerr << "rotary: warning: " << warning << '\n';
  return loaded.model;
}

ClassifierFolder open_classifier(const std::string& folder) {
  ClassifierFolder opened;
  opened.model = open_model(folder);
  if (opened.model->config().labels.empty())
    throw std::runtime_error(folder + ": the model must be a classifier, got one without labels");
  opened.tokenizer = text::load_tokenizer(folder);
  if (opened.tokenizer->vocab_size() > opened.model->config().vocab_size)
    throw std::runtime_error(folder + ": the tokenizer must have at most the model's " +
                             std::to_string(opened.model->config().vocab_size) + " pieces, got " +
                             std::to_string(opened.tokenizer->vocab_size()));
  const TrainingFacts facts = read_training_facts(folder);
  opened.trained_length =
      facts.max_length > 0 ? facts.max_length : std::min<std::int64_t>(opened.model->config().max_position, 512);
  opened.data = facts.data;
  return opened;
}

std::vector<nn::Tokens> encode_all(const text::Tokenizer& tokenizer, std::span<const std::string> texts,
                                   int num_threads) {
  std::vector<nn::Tokens> out(texts.size());
  nn::run_tasks(num_threads, static_cast<std::int64_t>(texts.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    out[i] = tokenizer.encode(texts[i]);
    if (out[i].empty()) out[i].push_back(std::max(0, tokenizer.special_ids().unk));
  });
  return out;
}

std::vector<std::string> texts_of(const std::vector<text::Document>& documents) {
  std::vector<std::string> texts;
  for (const text::Document& document : documents) texts.push_back(document.text);
  return texts;
}

std::vector<int> classes_of(const std::vector<text::Document>& documents, const std::vector<std::string>& labels) {
  std::vector<int> classes;
  for (const text::Document& document : documents) {
    const auto found = std::ranges::find(labels, document.label);
    if (found == labels.end())
      throw std::runtime_error(document.id + ": the label must be one of the model's, got '" + document.label + "'");
    classes.push_back(static_cast<int>(found - labels.begin()));
  }
  return classes;
}

}  // namespace rotary::cli
