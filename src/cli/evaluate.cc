// rotary evaluate: how good a classifier is, and on what.
#include <unistd.h>

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
#include "cli/option_checks.h"
#include "report/table.h"
#include "rotary/formats/files.h"
#include "text/order_task.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string model, data, split, text_field, label_field, page;
  ExcerptChoice excerpts;
  RescaleChoice rescale;
  ComputeOptions compute;
  std::vector<std::int64_t> lengths;
  bool baseline = false, json = false;
};

struct Data {
  std::vector<text::Document> documents, train;  // train: of the baseline
  std::string split;
};

text::Corpus load(const std::string& path, const text::CorpusOptions& options, std::int64_t order_words) {
  text::Corpus corpus = text::load_corpus(path, options);
  if (order_words > 0) text::make_order_task(corpus, {order_words});
  return corpus;
}

bool is_same_data(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

std::vector<text::Document> all_documents(const text::Corpus& corpus) {
  std::vector<text::Document> out = corpus.train;
  for (const auto* part : {&corpus.valid, &corpus.test}) out.insert(out.end(), part->begin(), part->end());
  return out;
}

// The data of the training are split as they were then. Other data are all to be asked about, unless they have a test
// part of their own.
Data load_data(const Request& request, const std::string& path, const std::string& training_data) {
  const TrainingFacts facts = read_training_facts(request.model);
  text::CorpusOptions options = facts.corpus;
  if (!request.text_field.empty()) options.text_field = request.text_field;
  if (!request.label_field.empty()) options.label_field = request.label_field;
  const bool is_other = !is_same_data(path, training_data);
  if (request.split == "all" || (request.split.empty() && is_other)) options.valid_fraction = options.test_fraction = 0;
  const text::Corpus corpus = load(path, options, facts.order_words);
  Data data;
  data.split = !request.split.empty() ? request.split : is_other && !corpus.test_given ? "all" : "test";
  data.documents = data.split == "all"     ? all_documents(corpus)
                   : data.split == "train" ? corpus.train
                   : data.split == "valid" ? corpus.valid
                                           : corpus.test;
  if (!request.baseline) return data;
  if (data.split != "all") {
    data.train = corpus.train;
  } else {
    if (training_data.empty())
      throw std::invalid_argument("evaluate: --baseline needs training documents, the model does not name its data");
    data.train = load(training_data, facts.corpus, facts.order_words).train;
  }
  return data;
}

TestSet read_set(const ClassifierFolder& folder, const std::vector<text::Document>& documents, int threads) {
  return {encode_all(*folder.tokenizer, texts_of(documents), threads),
          classes_of(documents, folder.model->config().labels)};
}

// Powers of two from 64, up to what the longest document has; `most` where that is less.
std::vector<std::int64_t> default_lengths(const TestSet& test, std::int64_t most) {
  std::size_t longest = 1;
  for (const nn::Tokens& tokens : test.tokens) longest = std::max(longest, tokens.size());
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = 64; length <= std::min<std::int64_t>(4096, most); length *= 2) {
    lengths.push_back(length);
    if (length >= static_cast<std::int64_t>(longest)) break;
  }
  if (lengths.empty()) lengths.push_back(most);
  return lengths;
}

std::string page_path(const Request& request) {
  return request.page.empty() ? (std::filesystem::path(request.model) / "evaluation.html").string() : request.page;
}

// Before the minutes of work, not after.
void require_writable(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (std::filesystem::is_directory(path) || access(folder.c_str(), W_OK | X_OK) != 0)
    throw std::runtime_error(path + ": must be a file that can be written, got a folder or one where none can be");
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
                             {"confusion", evaluation.confusion.counts},
                             {"by_length", nlohmann::ordered_json::array()},
                             {"by_document_length", nlohmann::ordered_json::array()}};
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
  if (!request.json) require_writable(page_path(request));
  const ClassifierFolder folder = open_classifier(request.model);
  request.rescale.apply(*folder.model, folder.trained_length);
  const std::string path = request.data.empty() ? folder.data : request.data;
  if (path.empty()) throw std::invalid_argument("evaluate: --data must be given, the model does not name its data");
  nn::ReadingOptions reading;
  reading.excerpts = request.excerpts.make(*folder.model, folder.trained_length);
  for (const std::int64_t length : request.lengths) require_readable("--lengths", length, *folder.model);
  const Data data = load_data(request, path, folder.data);
  const int threads = request.compute.num_threads();
  const TestSet test = read_set(folder, data.documents, threads);
  if (test.tokens.empty())
    throw std::runtime_error(path + ": the " + data.split + " split must have documents, got none");

  reading.precision = request.compute.precision();
  reading.num_threads = threads;
  Evaluation evaluation;
  const auto classes = static_cast<int>(folder.model->config().labels.size());
  const std::vector<int> predictions = predict(*folder.model, test.tokens, reading);
  evaluation.confusion = nn::compare(test.classes, predictions, classes);
  evaluation.bands = by_document_length(test, predictions);
  const auto lengths =
      request.lengths.empty() ? default_lengths(test, folder.model->encoding().max_tokens()) : request.lengths;
  const TestSet train = request.baseline ? read_set(folder, data.train, threads) : TestSet{};
  evaluation.by_length = by_reading_length(*folder.model, test, request.baseline ? &train : nullptr, lengths, reading);

  if (request.json) {
    std::cout << to_json(evaluation, folder.model->config().labels).dump() << '\n';
    return;
  }
  const EvaluationText text = describe(evaluation, folder.model->config().labels, reading.excerpts.max_length);
  const std::string page = page_path(request);
  write_file_atomically(page, evaluation_page(request.model, text, evaluation, folder));
  print(text);
  std::printf("\nThe page is %s\n", page.c_str());
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* evaluate = app.add_subcommand("evaluate", "How good a classifier is: accuracy, confusions, by length");
  evaluate->add_option("model", request->model, "folder that rotary train made")->check(not_empty())->required();
  evaluate->add_option("--data", request->data, "default: the data of its training")->check(not_empty());
  evaluate
      ->add_option("--split", request->split,
                   "of the data: train, valid, test or all; default: test, or all of other data that have no test part")
      ->check(one_of({"train", "valid", "test", "all"}));
  evaluate->add_option("--text-field", request->text_field, "column or key of the text; default: as in training");
  evaluate->add_option("--label-field", request->label_field, "column or key of the label; default: as in training");
  evaluate
      ->add_option("--lengths", request->lengths,
                   "tokens read of each document, for the table by length; as 64,256,1024")
      ->delimiter(',')
      ->check(whole_number(1, 1 << 24));
  request->excerpts.add_to(*evaluate);
  request->rescale.add_to(*evaluate);
  request->compute.add_to(*evaluate);
  evaluate->option_defaults()->group("Options");
  evaluate->add_flag("--baseline", request->baseline,
                     "beside it TF-IDF and logistic regression, trained on the same words at each length");
  CLI::Option* page =
      evaluate->add_option("--page", request->page, "HTML page; default: evaluation.html in the model's folder")
          ->check(not_empty());
  evaluate->add_flag("--json", request->json, "machine-readable, no page")->excludes(page);
  evaluate->callback([request] { run(*request); });
}

}  // namespace rotary::cli
