// rotary train: from labelled documents to a classifier.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/classifier_folder.h"
#include "cli/commands.h"
#include "cli/nn_options.h"
#include "cli/option_checks.h"
#include "cli/run_program.h"
#include "cli/training_session.h"
#include "nn/metrics.h"
#include "text/order_task.h"

namespace rotary::cli {
namespace {

struct Request {
  DataOptions data;
  ModelOptions model;
  ScheduleOptions schedule;
  TokenizerChoice tokenizer;
  ComputeOptions compute;
  std::string output, from;
  bool resume = false;
  std::int64_t order_words = 0;
};

nlohmann::ordered_json facts_of(const Request& request, const text::Corpus& corpus, const nn::RoformerConfig& model) {
  const nn::TrainOptions& train = request.schedule.train;
  return {{"data", std::filesystem::absolute(request.data.path).lexically_normal().string()},
          {"text_field", request.data.corpus.text_field},
          {"label_field", request.data.corpus.label_field},
          {"split_seed", request.data.corpus.seed},
          {"valid_fraction", request.data.corpus.valid_fraction},
          {"test_fraction", request.data.corpus.test_fraction},
          {"order_words", request.order_words},
          {"documents", {corpus.train.size(), corpus.valid.size(), corpus.test.size()}},
          {"max_length", train.max_length},
          {"epochs", train.epochs},
          {"batch_size", train.batch_size},
          {"crop", train.crop_probability},
          {"learning_rate", train.learning_rate},
          {"embedding_rate", train.optimizer.embedding_rate},
          {"seed", train.seed},
          {"dtype", train.precision == MatmulPrecision::kBfloat16 ? "bfloat16" : "float32"},
          {"model", nlohmann::ordered_json::parse(nn::to_json(model))}};
}

void describe(const text::Corpus& corpus) {
  std::printf("%zu training, %zu validation and %zu test documents in %zu classes\n", corpus.train.size(),
              corpus.valid.size(), corpus.test.size(), corpus.labels.size());
  for (const std::string& finding : text::describe_findings(corpus)) std::printf("%s\n", finding.c_str());
  std::fflush(stdout);
}

// What a pretrained folder brings along.
constexpr const char* kOptionsOfEncoder[] = {"--layers",    "--heads",     "--d-model",      "--feed-forward",
                                             "--encoding",  "--pairing",   "--base",         "--scaling",
                                             "--norm",      "--factor",    "--max-position", "--original-max-position",
                                             "--tokenizer", "--vocab-size"};

// The encoder of a pretrained folder, with a fresh classifier on it.
std::shared_ptr<nn::Roformer> start_from(const std::string& folder, const nn::RoformerConfig& wanted,
                                         std::uint64_t seed) {
  const std::shared_ptr<nn::Roformer> pretrained = open_model(folder);
  nn::RoformerConfig config = pretrained->config();
  config.head = nn::Head::kPooledClassifier;
  config.labels = wanted.labels;
  config.pooling = wanted.pooling;
  config.dropout = wanted.dropout;
  auto model = std::make_shared<nn::Roformer>(config, seed);
  const torch::NoGradGuard no_grad;
  const auto given = pretrained->named_parameters();
  for (auto& item : model->named_parameters()) {
    if (item.key().rfind("classifier.", 0) == 0) continue;  // of other classes
    if (const torch::Tensor* from = given.find(item.key())) item.value().copy_(*from);
  }
  // Trained with a stored table, it goes on with it.
  if (const auto* rope = dynamic_cast<const nn::RopeEncoding*>(&pretrained->encoding()); rope && rope->given_table())
    static_cast<nn::RopeEncoding&>(model->encoding()).use(*rope->given_table());
  return model;
}

struct Prepared {
  text::Corpus corpus;
  std::unique_ptr<text::Tokenizer> tokenizer;
  std::shared_ptr<nn::Roformer> model;
};

Prepared prepare(const Request& request) {
  Prepared made;
  made.corpus = text::load_corpus(request.data.path, request.data.corpus);
  if (request.order_words > 0) text::make_order_task(made.corpus, {request.order_words});
  describe(made.corpus);
  made.tokenizer = request.resume          ? text::load_tokenizer(request.output)
                   : !request.from.empty() ? text::load_tokenizer(request.from)
                                           : request.tokenizer.train(texts_of(made.corpus.train));
  nn::RoformerConfig config = request.model.make(request.schedule.train.max_length);
  config.head = nn::Head::kPooledClassifier;
  config.labels = made.corpus.labels;
  config.vocab_size = made.tokenizer->vocab_size();
  made.model = request.from.empty() ? std::make_shared<nn::Roformer>(config, request.schedule.train.seed)
                                    : start_from(request.from, config, request.schedule.train.seed);
  require_readable("--max-length", request.schedule.train.max_length, *made.model);
  return made;
}

std::shared_ptr<nn::Classification> objective(const Prepared& made, const std::vector<text::Document>& documents,
                                              const nn::TrainOptions& options, double token_dropout) {
  return std::make_shared<nn::Classification>(
      encode_all(*made.tokenizer, texts_of(documents), options.num_threads), classes_of(documents, made.corpus.labels),
      nn::TokenDropout{token_dropout, made.tokenizer->special_ids().mask, options.seed});
}

void report_test(const Request& request, const Prepared& made, double seconds) {
  if (made.corpus.test.empty()) {
    std::printf("trained in %.0f s; there are no test documents; the model is in %s\n", seconds,
                request.output.c_str());
    return;
  }
  const nn::LoadedModel best = nn::load_model(request.output);
  nn::ReadingOptions reading;
  reading.excerpts.max_length = request.schedule.train.max_length;
  reading.precision = request.compute.precision();
  reading.num_threads = request.compute.num_threads();
  const auto tokens = encode_all(*made.tokenizer, texts_of(made.corpus.test), reading.num_threads);
  std::vector<int> predictions;
  for (const auto& probabilities : nn::classify(*best.model, tokens, reading))
    predictions.push_back(nn::most_likely(probabilities));
  const nn::Confusion confusion = nn::compare(classes_of(made.corpus.test, made.corpus.labels), predictions,
                                              static_cast<int>(made.corpus.labels.size()));
  std::printf(
      "trained in %.0f s; test accuracy %.1f %% (macro F1 %.3f) on %zu documents, reading %lld tokens of each\n",
      seconds, 100 * confusion.accuracy(), confusion.macro_f1(), made.corpus.test.size(),
      static_cast<long long>(reading.excerpts.max_length));
  std::printf("the model is in %s; rotary evaluate %s reads it at other lengths, rotary classify %s FILE uses it\n",
              request.output.c_str(), request.output.c_str(), request.output.c_str());
}

void train(Request& request) {
  const auto began = std::chrono::steady_clock::now();
  if (request.from.empty()) request.model.make(request.schedule.train.max_length);  // faults before the data is read
  require_outside(request.output, request.data.path);
  open_training_folder(request.output, request.resume);
  nn::TrainOptions& options = request.schedule.train;
  options.num_threads = request.compute.num_threads();
  options.precision = request.compute.precision();
  Prepared made = prepare(request);
  if (!request.resume) {
    remove_earlier_model(request.output);
    made.tokenizer->save(request.output);
  }
  keep_training_facts(request.output, facts_of(request, made.corpus, made.model->config()), request.resume);
  nn::Trainer trainer(made.model, objective(made, made.corpus.train, options, options.token_dropout),
                      objective(made, made.corpus.valid, options, 0), options);
  Session session;
  session.folder = request.output;
  session.resume = request.resume;
  session.validates = !made.corpus.valid.empty();
  session.keep = [&] {
    nn::save_model(request.output, *made.model);
    std::filesystem::remove(std::filesystem::path(request.output) / "evaluation.html");  // of other weights
  };
  if (!run_session(trainer, session)) throw CLI::RuntimeError(kInterrupted);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  report_test(request, made, seconds.count());
}

}  // namespace

void add_train(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* train_verb = app.add_subcommand("train", "Train a RoFormer classifier on your documents");
  request->data.add_to(*train_verb, true);
  train_verb->option_defaults()->group("Options");
  train_verb->add_option("--output", request->output, "folder of the model")->check(not_empty())->required();
  CLI::Option* from =
      train_verb->add_option("--from", request->from, "begin with the encoder and the tokenizer of a pretrained folder")
          ->check(not_empty());
  train_verb->add_flag("--resume", request->resume, "go on where an interrupted training ended");
  request->model.add_to(*train_verb);
  request->schedule.add_to(*train_verb);
  train_verb
      ->add_option(
          "--order-task", request->order_words,
          "another task on the same texts: is a passage of about so many words in its order, or are its halves "
          "swapped? Words alone are at 50 %")
      ->check(whole_number(8, 1 << 20));
  train_verb
      ->add_option("--token-dropout", request->schedule.train.token_dropout,
                   "share of the tokens that are hidden from each reading in training")
      ->check(share_below_one())
      ->capture_default_str();
  request->tokenizer.add_to(*train_verb);
  request->compute.add_to(*train_verb);
  for (const char* option : kOptionsOfEncoder) from->excludes(train_verb->get_option(option));
  train_verb->footer(
      "Example: rotary train --data letters --output model, with letters/complaint/1.txt, letters/order/2.txt ...;\n"
      "then rotary evaluate model, and rotary classify model FILE.");
  train_verb->callback([request] { train(*request); });
}

}  // namespace rotary::cli
