// rotary pretrain: a RoFormer that fills in masked words, from text without labels.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/classifier_folder.h"
#include "cli/commands.h"
#include "cli/nn_options.h"
#include "cli/option_checks.h"
#include "cli/run_program.h"
#include "cli/training_session.h"
#include "report/figure.h"
#include "report/table.h"
#include "rotary/formats/files.h"

namespace rotary::cli {
namespace {

struct Request {
  DataOptions data;
  ModelOptions model;
  ScheduleOptions schedule;
  TokenizerChoice tokenizer;
  ComputeOptions compute;
  std::string output;
  std::vector<std::string> compare;
  bool resume = false;
};

nn::RoformerConfig config_of(const Request& request, const std::string& encoding) {
  ModelOptions options = request.model;
  options.encoding = encoding;
  return options.make(request.schedule.train.max_length);
}

// With --compare a folder for each encoding.
std::string folder_of(const Request& request, const std::string& encoding) {
  if (request.compare.empty()) return request.output;
  return (std::filesystem::path(request.output) / encoding).string();
}

struct Texts {
  std::size_t num_train = 0, num_valid = 0;
  std::unique_ptr<text::Tokenizer> tokenizer;
  std::shared_ptr<nn::MaskedLanguageModelling> train, valid;
};

Texts read_texts(const Request& request) {
  const text::Corpus corpus = text::load_texts(request.data.path, request.data.corpus);
  std::printf("%zu training and %zu validation texts\n", corpus.train.size(), corpus.valid.size());
  for (const std::string& finding : text::describe_findings(corpus)) std::printf("%s\n", finding.c_str());
  std::fflush(stdout);
  Texts texts;
  texts.num_train = corpus.train.size();
  texts.num_valid = corpus.valid.size();
  texts.tokenizer =
      request.resume ? text::load_tokenizer(request.output) : request.tokenizer.train(texts_of(corpus.train));
  text::MaskOptions masks;
  masks.vocab_size = texts.tokenizer->vocab_size();
  masks.special_ids = texts.tokenizer->special_ids();
  masks.seed = request.schedule.train.seed;
  const int threads = request.compute.num_threads();
  const auto objective = [&](const std::vector<text::Document>& documents) {
    return std::make_shared<nn::MaskedLanguageModelling>(encode_all(*texts.tokenizer, texts_of(documents), threads),
                                                         masks);
  };
  texts.train = objective(corpus.train);
  texts.valid = objective(corpus.valid);
  return texts;
}

nlohmann::ordered_json facts_of(const Request& request, const Texts& texts, const nn::RoformerConfig& model) {
  const nn::TrainOptions& train = request.schedule.train;
  return {{"data", std::filesystem::absolute(request.data.path).lexically_normal().string()},
          {"text_field", request.data.corpus.text_field},
          {"split_seed", request.data.corpus.seed},
          {"valid_fraction", request.data.corpus.valid_fraction},
          {"documents", {texts.num_train, texts.num_valid}},
          {"max_length", train.max_length},
          {"seed", train.seed},
          {"model", nlohmann::ordered_json::parse(nn::to_json(model))}};
}

// One encoding, in a folder of its own. Returns what its log ended with.
nn::EpochReport pretrain_one(const Request& request, const Texts& texts, const std::string& encoding,
                             const std::string& folder) {
  nn::RoformerConfig config = config_of(request, encoding);
  config.head = nn::Head::kMaskedLanguageModel;
  config.vocab_size = texts.tokenizer->vocab_size();
  const auto model = std::make_shared<nn::Roformer>(config, request.schedule.train.seed);
  if (!request.resume) {
    remove_earlier_model(folder);
    texts.tokenizer->save(folder);
  }
  keep_training_facts(folder, facts_of(request, texts, model->config()), request.resume);
  nn::Trainer trainer(model, texts.train, texts.valid, request.schedule.train);
  Session session;
  session.folder = folder;
  session.resume = request.resume;
  session.validates = texts.num_valid > 0;
  session.validates_masked_words = true;
  session.keep = [&] { nn::save_model(folder, *model); };
  if (!run_session(trainer, session)) throw CLI::RuntimeError(kInterrupted);
  return trainer.progress().history.back();
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

void compare(const Request& request, const Texts& texts) {
  report::LineChart chart;
  chart.title = "Masked words: loss in training";
  chart.x = {"step"};
  chart.y = {"cross entropy, nats"};
  report::Table table{{{"encoding"}, {"training loss"}, {"validation loss"}, {"masked words right, %"}}, {}};
  for (const std::string& encoding : request.compare) {
    const std::string folder = folder_of(request, encoding);
    std::printf("%s\n", encoding.c_str());
    std::fflush(stdout);
    const nn::EpochReport last = pretrain_one(request, texts, encoding, folder);
    chart.series.push_back(read_log(folder, "mean_loss", encoding));
    const double train_loss = chart.series.back().y.empty() ? last.train_loss : chart.series.back().y.back();
    const bool validates = texts.num_valid > 0;
    table.rows.push_back({encoding, number(train_loss), validates ? number(last.valid_loss) : "-",
                          validates ? number(100 * last.valid_accuracy) : "-"});
  }
  const std::string figure = (std::filesystem::path(request.output) / "compare.svg").string();
  write_file_atomically(figure, report::to_svg(chart));
  std::printf("\n%s\nThe curves are %s\n", report::to_text(table).c_str(), figure.c_str());
}

void pretrain(Request& request) {
  const std::vector<std::string> encodings =
      request.compare.empty() ? std::vector{request.model.encoding} : request.compare;
  for (const std::string& encoding : encodings) config_of(request, encoding);  // faults before the data is read
  require_outside(request.output, request.data.path);
  for (const std::string& encoding : encodings) open_training_folder(folder_of(request, encoding), request.resume);
  request.schedule.train.num_threads = request.compute.num_threads();
  request.schedule.train.precision = request.compute.precision();
  const Texts texts = read_texts(request);
  if (!request.compare.empty()) return compare(request, texts);
  const nn::EpochReport last = pretrain_one(request, texts, request.model.encoding, request.output);
  if (texts.num_valid > 0)
    std::printf("validation loss %.3f, masked words right %.1f %%; ", last.valid_loss, 100 * last.valid_accuracy);
  std::printf("the model is in %s; rotary train --from %s makes a classifier of it\n", request.output.c_str(),
              request.output.c_str());
}

}  // namespace

void add_pretrain(CLI::App& app) {
  auto request = std::make_shared<Request>();
  request->schedule.train.max_length = 128;
  request->schedule.train.crop_probability = 1;
  request->schedule.train.learning_rate = 2e-3;
  request->model.config.d_model = 128;
  request->model.config.num_heads = 4;
  CLI::App* verb = app.add_subcommand("pretrain", "Train a RoFormer to fill in masked words (15 %, of them 80/10/10)");
  request->data.add_to(*verb, false);
  verb->option_defaults()->group("Options");
  verb->add_option("--output", request->output, "folder of the model")->check(not_empty())->required();
  CLI::Option* compare = verb->add_option("--compare", request->compare,
                                          "one model for each of these encodings, as rope,none, each in a folder of "
                                          "its own, and their curves in one figure")
                             ->check(one_of({"rope", "sinusoidal", "learned", "none"}))
                             ->delimiter(',');
  verb->add_flag("--resume", request->resume, "go on where an interrupted training ended")->excludes(compare);
  request->model.add_to(*verb);
  request->schedule.add_to(*verb);
  request->tokenizer.add_to(*verb);
  request->compute.add_to(*verb);
  verb->footer(
      "Example: rotary pretrain --data texts --output words; then\n"
      "rotary train --data letters --from words --output model.");
  verb->callback([request] { pretrain(*request); });
}

}  // namespace rotary::cli
