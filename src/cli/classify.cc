// rotary classify: labels and probabilities of documents.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/classifier_folder.h"
#include "cli/commands.h"
#include "cli/nn_options.h"
#include "cli/option_checks.h"
#include "nn/reading.h"
#include "text/document_file.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string model;
  std::vector<std::string> files;
  ExcerptChoice excerpts;
  RescaleChoice rescale;
  ComputeOptions compute;
  int top = 3;
  bool json = false, lines = false;
};

struct Named {
  std::string name, text;
};

// Whole files, or with --lines each of their lines.
std::vector<Named> read_documents(const Request& request) {
  std::vector<Named> documents;
  for (const std::string& file : request.files) {
    std::string text = text::read_text_file(file);
    if (!request.lines) {
      documents.push_back({file, std::move(text)});
      continue;
    }
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      documents.push_back({file + ":" + std::to_string(++number), text.substr(begin, end - begin)});
      begin = end + 1;
    }
  }
  return documents;
}

// The labels, most likely first.
std::vector<std::size_t> ranking(const std::vector<float>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return probabilities[i]; });
  return order;
}

void print_json(const Named& document, const std::vector<float>& probabilities,
                const std::vector<std::string>& labels) {
  nlohmann::ordered_json all;
  for (const std::size_t i : ranking(probabilities)) all[labels[i]] = probabilities[i];
  const nlohmann::ordered_json line{{"id", document.name}, {"label", all.begin().key()}, {"probabilities", all}};
  std::cout << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void print_text(const Named& document, const std::vector<float>& probabilities, const std::vector<std::string>& labels,
                int top) {
  std::cout << document.name << ": ";
  const auto order = ranking(probabilities);
  for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(top)); ++i) {
    char text[32];
    std::snprintf(text, sizeof text, " %.1f %%", 100 * static_cast<double>(probabilities[order[i]]));
    std::cout << (i > 0 ? ", " : "") << labels[order[i]] << text;
  }
  std::cout << '\n';
}

// The answer to nothing is a label too, which nobody should take for one.
void warn_of_empty(const std::vector<Named>& documents) {
  std::size_t count = 0;
  const Named* first = nullptr;
  for (const Named& document : documents) {
    if (document.text.find_first_not_of(" \t\r\n\f\v") != std::string::npos) continue;
    if (++count == 1) first = &document;
  }
  if (count > 0)
    std::cerr << "rotary: warning: " << first->name
              << " has no text" + (count > 1 ? ", nor have " + std::to_string(count - 1) + " others" : std::string()) +
                     "\n";
}

void run(const Request& request) {
  const ClassifierFolder folder = open_classifier(request.model);
  request.rescale.apply(*folder.model, folder.trained_length);
  nn::ReadingOptions reading;
  reading.excerpts = request.excerpts.make(*folder.model, folder.trained_length);
  const std::vector<Named> documents = read_documents(request);
  warn_of_empty(documents);
  std::vector<std::string> texts;
  for (const Named& document : documents) texts.push_back(document.text);
  reading.precision = request.compute.precision();
  reading.num_threads = request.compute.num_threads();
  const auto probabilities =
      nn::classify(*folder.model, encode_all(*folder.tokenizer, texts, reading.num_threads), reading);
  const std::vector<std::string>& labels = folder.model->config().labels;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (request.json)
      print_json(documents[i], probabilities[i], labels);
    else
      print_text(documents[i], probabilities[i], labels, request.top);
  }
}

}  // namespace

void add_classify(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* classify = app.add_subcommand("classify", "Labels and probabilities of documents");
  classify->add_option("model", request->model, "folder that rotary train made")->check(not_empty())->required();
  classify->add_option("files", request->files, "text files, .gz too; - is the standard input")
      ->check(not_empty())
      ->required();
  classify->add_flag("--lines", request->lines, "each line is a document");
  classify->add_flag("--json", request->json, "a JSON object a document");
  classify->add_option("--top", request->top, "labels that are printed of each")
      ->check(whole_number(1, 1 << 20))
      ->capture_default_str();
  request->excerpts.add_to(*classify);
  request->rescale.add_to(*classify);
  request->compute.add_to(*classify);
  classify->callback([request] { run(*request); });
}

}  // namespace rotary::cli
