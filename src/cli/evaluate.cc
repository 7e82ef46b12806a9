// rotary evaluate: how good a classifier is, and on what.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/evaluation.h"
#include "cli/evaluation_page.h"
#include "cli/nn_options.h"
#include "report/table.h"
#include "rotary/formats/files.h"
#include "text/order_task.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string model, data, split = "test", page;
  ExcerptChoice excerpts;
  RescaleChoice rescale;
  ComputeOptions compute;
  std::vector<std::int64_t> lengths;
  bool baseline = false, json = false;
};

text::Corpus load_data(const Request& request, const std::string& path) {
  const nlohmann::json facts = read_training_facts(request.model);
  text::CorpusOptions options;
  options.text_field = facts.value("text_field", options.text_field);
  options.label_field = facts.value("label_field", options.label_field);
  options.seed = facts.value("split_seed", options.seed);
  options.valid_fraction = facts.value("valid_fraction", options.valid_fraction);
  options.test_fraction = facts.value("test_fraction", options.test_fraction);
  text::Corpus corpus = text::load_corpus(path, options);
  const std::int64_t order_words = facts.value("order_words", std::int64_t{0});
  if (order_words > 0) text::make_order_task(corpus, {order_words});
  return corpus;
}

const std::vector<text::Document>& split_of(const text::Corpus& corpus, const std::string& name) {
  return name == "train" ? corpus.train : name == "valid" ? corpus.valid : corpus.test;
}

TestSet read_set(const ClassifierFolder& folder, const std::vector<text::Document>& documents, int threads) {
  return {encode_all(*folder.tokenizer, texts_of(documents), threads),
          classes_of(documents, folder.model->config().labels)};
}

// Powers of two from 64, up to what the longest document has.
std::vector<std::int64_t> default_lengths(const TestSet& test, std::int64_t most) {
  std::size_t longest = 1;
  for (const nn::Tokens& tokens : test.tokens) longest = std::max(longest, tokens.size());
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = 64; length <= std::min<std::int64_t>(4096, most); length *= 2) {
    lengths.push_back(length);
    if (length >= static_cast<std::int64_t>(longest)) break;
  }
  return lengths;
}

void print(const EvaluationText& text) {
  std::printf("%s\n\n%s\n%s\n%s", text.summary.c_str(), report::to_text(text.confusion).c_str(),
              report::to_text(text.by_length).c_str(), report::to_text(text.bands).c_str());
  if (!text.remark.empty()) std::printf("\n%s\n", text.remark.c_str());
}

nlohmann::ordered_json to_json(const Evaluation& evaluation, const std::vector<std::string>& labels) {
  nlohmann::ordered_json out{{"documents", evaluation.confusion.total()},
                             {"accuracy", evaluation.confusion.accuracy()},
                             {"macro_f1", evaluation.confusion.macro_f1()},
                             {"labels", labels},
                             {"confusion", evaluation.confusion.counts}};
  for (const AtLength& row : evaluation.by_length) {
    nlohmann::ordered_json item{{"length", row.length}, {"accuracy", row.accuracy}, {"macro_f1", row.macro_f1}};
    if (row.baseline) item["baseline_accuracy"] = *row.baseline;
    out["by_length"].push_back(item);
  }
  for (const LengthBand& band : evaluation.bands)
    out["by_document_length"].push_back(
        {{"from", band.from}, {"to", band.to}, {"documents", band.documents}, {"accuracy", band.accuracy}});
  return out;
}

void run(const Request& request) {
  const ClassifierFolder folder = open_classifier(request.model);
  request.rescale.apply(*folder.model, folder.trained_length);
  const std::string path = request.data.empty() ? folder.data : request.data;
  if (path.empty()) throw std::invalid_argument("evaluate: --data must be given, the model does not name its data");
  const text::Corpus corpus = load_data(request, path);
  const int threads = request.compute.num_threads();
  const TestSet test = read_set(folder, split_of(corpus, request.split), threads);
  if (test.tokens.empty())
    throw std::runtime_error(path + ": the " + request.split + " split must have documents, got none");

  nn::ReadingOptions reading;
  reading.excerpts = request.excerpts.make(folder.trained_length);
  reading.precision = request.compute.precision();
  reading.num_threads = threads;
  Evaluation evaluation;
  const auto classes = static_cast<int>(folder.model->config().labels.size());
  const std::vector<int> predictions = predict(*folder.model, test.tokens, reading);
  evaluation.confusion = nn::compare(test.classes, predictions, classes);
  evaluation.bands = by_document_length(test, predictions);
  const auto lengths =
      request.lengths.empty() ? default_lengths(test, folder.model->encoding().max_tokens()) : request.lengths;
  const TestSet train = request.baseline ? read_set(folder, corpus.train, threads) : TestSet{};
  evaluation.by_length = by_reading_length(*folder.model, test, request.baseline ? &train : nullptr, lengths, reading);

  if (request.json) {
    std::cout << to_json(evaluation, folder.model->config().labels).dump() << '\n';
    return;
  }
  const EvaluationText text = describe(evaluation, folder.model->config().labels, reading.excerpts.max_length);
  print(text);
  const std::string page =
      request.page.empty() ? (std::filesystem::path(request.model) / "evaluation.html").string() : request.page;
  write_file_atomically(page, evaluation_page(request.model, text, evaluation, folder));
  std::printf("\nThe page is %s\n", page.c_str());
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* evaluate = app.add_subcommand("evaluate", "How good a classifier is: accuracy, confusions, by length");
  evaluate->add_option("model", request->model, "folder that rotary train made")->required();
  evaluate->add_option("--data", request->data, "default: the data of its training");
  evaluate->add_option("--split", request->split, "of the data")
      ->check(CLI::IsMember({"train", "valid", "test"}))
      ->capture_default_str();
  evaluate->add_option("--lengths", request->lengths, "tokens read of each document, for the table by length")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24));
  request->excerpts.add_to(*evaluate);
  request->rescale.add_to(*evaluate);
  request->compute.add_to(*evaluate);
  evaluate->add_flag("--baseline", request->baseline,
                     "beside it TF-IDF and logistic regression, trained on the same words at each length");
  evaluate->add_option("--page", request->page, "HTML page; default: evaluation.html in the model's folder");
  evaluate->add_flag("--json", request->json, "machine-readable, no page");
  evaluate->callback([request] { run(*request); });
}

}  // namespace rotary::cli
