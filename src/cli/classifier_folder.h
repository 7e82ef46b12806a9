// A trained model with all that belongs to it, as `rotary train` leaves it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "nn/model_folder.h"
#include "nn/objective.h"
#include "text/corpus.h"
#include "text/corpus_options.h"
#include "text/tokenizer.h"

namespace rotary::cli {

struct ClassifierFolder {
  std::shared_ptr<nn::Roformer> model;
  std::unique_ptr<text::Tokenizer> tokenizer;
  std::int64_t trained_length = 0;  ///< tokens that training read of a document
  std::string data;                 ///< the path that training was given; "" if unknown
};

/// load_model() whose warnings go to stderr.
std::shared_ptr<nn::Roformer> open_model(const std::string& folder, const nn::LoadOptions& options = {});

/// Throws std::runtime_error naming the file. Warnings go to stderr.
ClassifierFolder open_classifier(const std::string& folder);

/// training.json beside the model: what the training was given.
struct TrainingFacts {
  text::CorpusOptions corpus;
  std::string data;             ///< "" if unknown
  std::int64_t max_length = 0;  ///< 0 if unknown
  std::int64_t order_words = 0;
};

/// Defaults where there is no file. Throws std::runtime_error naming the file.
TrainingFacts read_training_facts(const std::string& folder);

/// Writes training.json, or on resuming compares: throws std::runtime_error naming the first value that is another.
void keep_training_facts(const std::string& folder, const nlohmann::ordered_json& facts, bool resume);

/// Token ids of every text, on several threads. A text without tokens is one [UNK].
std::vector<nn::Tokens> encode_all(const text::Tokenizer& tokenizer, std::span<const std::string> texts,
                                   int num_threads);

std::vector<std::string> texts_of(const std::vector<text::Document>& documents);

/// Numbers of the documents' labels. Throws std::runtime_error for a label that the model does not have.
std::vector<int> classes_of(const std::vector<text::Document>& documents, const std::vector<std::string>& labels);

}  // namespace rotary::cli
