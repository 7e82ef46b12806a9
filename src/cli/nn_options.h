// Options that the verbs of rotary-nn share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "nn/reading.h"
#include "nn/roformer_config.h"
#include "nn/trainer.h"
#include "text/corpus_options.h"
#include "text/tokenizer.h"

namespace rotary::cli {

/// --threads, --dtype
struct ComputeOptions {
  int threads = 0;  ///< 0: all
  std::string dtype = "auto";

  void add_to(CLI::App& app);
  int num_threads() const;
  MatmulPrecision precision() const;
};

/// --text-field, --label-field, --seed ...
struct DataOptions {
  std::string path;
  text::CorpusOptions corpus;

  void add_to(CLI::App& app, bool labelled);
};

/// --layers, --d-model, --pairing ...
struct ModelOptions {
  nn::RoformerConfig config;
  std::string encoding = "rope", pairing = "interleaved", pooling = "mean", norm = "post";

  void add_to(CLI::App& app);
  /// Checked for sequences of max_length tokens, without vocabulary and labels.
  nn::RoformerConfig make(std::int64_t max_length) const;
};

/// --epochs, --max-length, --learning-rate ...
struct ScheduleOptions {
  nn::TrainOptions train;

  void add_to(CLI::App& app);
};

/// --tokenizer, --vocab-size
struct TokenizerChoice {
  std::string kind = "words";
  text::TokenizerOptions options;

  void add_to(CLI::App& app);
  std::unique_ptr<text::Tokenizer> train(std::span<const std::string> texts) const;
};

/// --max-length, --truncation, --stride; for reading with a finished model
struct ExcerptChoice {
  std::string truncation = "head";
  std::int64_t max_length = 0, stride = 0;  ///< 0: what training read; half of max_length

  void add_to(CLI::App& app);
  text::ExcerptOptions make(const nn::Roformer& model, std::int64_t trained_length) const;
};

/// Ends the program where the model has fewer positions: its encoding is a table.
void require_readable(const std::string& option, std::int64_t length, const nn::Roformer& model);

/// --scaling, --factor: another scaling of a finished model's rotation.
struct RescaleChoice {
  nn::ScalingChoice choice;

  void add_to(CLI::App& app);
  void apply(nn::Roformer& model, std::int64_t trained_length) const;
};

}  // namespace rotary::cli
