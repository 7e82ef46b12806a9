// rotary bench-model: tokens per second of training and reading, on random tokens.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/commands.h"
#include "cli/nn_options.h"
#include "cli/option_checks.h"
#include "nn/objective.h"
#include "nn/trainer.h"
#include "nn/workers.h"

namespace rotary::cli {
namespace {

struct Request {
  ModelOptions model;
  ComputeOptions compute;
  std::string mode = "train";
  std::int64_t seq_len = 256, batch = 32, vocab = 16000, classes = 8, steps = 4;
  int rounds = 5;
  bool serve = false, json = false;
};

// A batch of random documents, all of full length.
std::vector<nn::Tokens> random_documents(const Request& request) {
  std::vector<nn::Tokens> documents(static_cast<std::size_t>(request.batch));
  std::uint64_t state = 1;
  for (nn::Tokens& tokens : documents)
    for (std::int64_t t = 0; t < request.seq_len; ++t)
      tokens.push_back(
          static_cast<std::int32_t>(5 + nn::mix_seed(1, state++) % static_cast<std::uint64_t>(request.vocab - 5)));
  return documents;
}

class Bench {
 public:
  explicit Bench(const Request& request) : request_(request), documents_(random_documents(request)) {
    nn::RoformerConfig config = request.model.make(request.seq_len);
    config.vocab_size = request.vocab;
    config.head = nn::Head::kPooledClassifier;
    for (std::int64_t c = 0; c < request.classes; ++c) config.labels.push_back(std::to_string(c));
    model_ = std::make_shared<nn::Roformer>(config);
    options_.max_length = request.seq_len;
    options_.batch_size = request.batch;
    options_.num_threads = request.compute.num_threads();
    options_.precision = request.compute.precision();
    std::vector<int> classes(documents_.size());
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<int>(i % config.labels.size());
    trainer_ = std::make_unique<nn::Trainer>(model_, std::make_shared<nn::Classification>(documents_, classes), nullptr,
                                             options_);
    for (std::int64_t i = 0; i < request.batch; ++i) batch_.push_back({i, 0, request.seq_len});
  }

  std::int64_t tokens() const { return request_.steps * request_.batch * request_.seq_len; }

  /// Of the last step; 0 without training.
  double loss() const { return loss_; }

  /// Seconds of one round.
  double round() {
    const auto began = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < request_.steps; ++i) {
      if (request_.mode == "train") {
        loss_ = trainer_->step(batch_, 0, 1e-3).loss;
      } else {
        nn::ReadingOptions reading;
        reading.excerpts.max_length = request_.seq_len;
        reading.precision = options_.precision;
        reading.num_threads = options_.num_threads;
        nn::classify(*model_, documents_, reading);
      }
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

 private:
  const Request& request_;
  std::vector<nn::Tokens> documents_;
  nn::TrainOptions options_;
  std::shared_ptr<nn::Roformer> model_;
  std::unique_ptr<nn::Trainer> trainer_;
  text::Batch batch_;
  double loss_ = 0;
};

// A round for each line of the standard input, so that another program can take turns with others.
void serve(Bench& bench) {
  for (std::string line; std::getline(std::cin, line) && line == "round";) {
    const std::clock_t before = std::clock();
    const double seconds = bench.round(), cpu_seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    std::cout << nlohmann::ordered_json{{"seconds", seconds},
                                        {"cpu_seconds", cpu_seconds},
                                        {"tokens", bench.tokens()},
                                        {"loss", bench.loss()}}
                     .dump()
              << std::endl;
  }
}

void run(const Request& request) {
  Bench bench(request);
  bench.round();
  if (request.serve) return serve(bench);
  std::vector<double> seconds;
  for (int i = 0; i < request.rounds; ++i) seconds.push_back(bench.round());
  std::ranges::sort(seconds);
  const double rate = static_cast<double>(bench.tokens()) / seconds[seconds.size() / 2];
  if (request.json)
    std::cout
        << nlohmann::ordered_json{{"tokens_per_second", rate}, {"tokens", bench.tokens()}, {"seconds", seconds}}.dump()
        << '\n';
  else
    std::printf("%s: %.0f tokens/s\n", request.mode.c_str(), rate);
}

}  // namespace

void add_bench_model(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* bench = app.add_subcommand("bench-model", "Tokens per second of training and reading, on random tokens");
  request->model.add_to(*bench);
  request->compute.add_to(*bench);
  bench->option_defaults()->group("Options");
  bench->add_option("--mode", request->mode, "train: forward, backward, AdamW; infer: forward")
      ->check(one_of({"train", "infer"}))
      ->capture_default_str();
  bench->add_option("--seq-len", request->seq_len, "tokens of a document")
      ->check(whole_number(1, 1 << 20))
      ->capture_default_str();
  bench->add_option("--batch", request->batch, "documents of a step")
      ->check(whole_number(1, 1 << 16))
      ->capture_default_str();
  bench->add_option("--vocab-size", request->vocab, "pieces")->check(whole_number(8, 1 << 20))->capture_default_str();
  bench->add_option("--classes", request->classes, "labels")->check(whole_number(2, 1 << 20))->capture_default_str();
  bench->add_option("--steps", request->steps, "of a round")->check(whole_number(1, 1 << 20))->capture_default_str();
  bench->add_option("--rounds", request->rounds, "the median counts")
      ->check(whole_number(1, 1 << 20))
      ->capture_default_str();
  bench->add_flag("--serve", request->serve, "a round for each line 'round' on the standard input");
  bench->add_flag("--json", request->json, "machine-readable");
  bench->callback([request] { run(*request); });
}

}  // namespace rotary::cli
