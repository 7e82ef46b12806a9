#include "cli/classifier_folder.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "nn/workers.h"
#include "rotary/formats/files.h"

namespace rotary::cli {

nlohmann::json read_training_facts(const std::string& folder) {
  const auto path = std::filesystem::path(folder) / "training.json";
  if (!std::filesystem::exists(path)) return nlohmann::json::object();
  try {
    return nlohmann::json::parse(read_file(path.string(), std::size_t{1} << 24));
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(path.string() + ": the file must be JSON, got " + error.what());
  }
}

ClassifierFolder open_classifier(const std::string& folder) {
  ClassifierFolder opened;
  nn::LoadedModel loaded = nn::load_model(folder);
  for (const std::string& warning : loaded.warnings) std::cerr << "rotary: warning: " << warning << '\n';
  opened.model = std::move(loaded.model);
  if (opened.model->config().labels.empty())
    throw std::runtime_error(folder + ": the model must be a classifier, got one without labels");
  opened.tokenizer = text::load_tokenizer(folder);
  if (opened.tokenizer->vocab_size() > opened.model->config().vocab_size)
    throw std::runtime_error(folder + ": the tokenizer must have at most the model's " +
                             std::to_string(opened.model->config().vocab_size) + " pieces, got " +
                             std::to_string(opened.tokenizer->vocab_size()));
  const nlohmann::json facts = read_training_facts(folder);
  opened.trained_length = facts.value("max_length", std::min<std::int64_t>(opened.model->config().max_position, 512));
  opened.data = facts.value("data", std::string());
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
