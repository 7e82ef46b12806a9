// rotary show-attention: what the heads of a layer look at, as a picture.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "cli/classifier_folder.h"
#include "cli/commands.h"
#include "cli/nn_options.h"
#include "cli/option_checks.h"
#include "report/attention_figure.h"
#include "rotary/formats/files.h"
#include "text/document_file.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string model, file, output = "attention.svg";
  std::int64_t layer = 0, from = 0, tokens = 40;
};

void run(const Request& request) {
  const ClassifierFolder folder = open_classifier(request.model);
  const std::int64_t layers = folder.model->config().num_layers;
  if (request.layer >= layers)
    refuse("--layer", "must be 0 .. " + std::to_string(layers - 1), std::to_string(request.layer));
  nn::Tokens tokens = folder.tokenizer->encode(text::read_text_file(request.file));
  const auto length = static_cast<std::int64_t>(tokens.size());
  if (length == 0) throw std::runtime_error(request.file + ": must have text, got none");
  if (request.from >= length)
    refuse("--from", "must be below the document's " + std::to_string(length) + " tokens",
           std::to_string(request.from));
  const std::int64_t end = std::min(length, request.from + request.tokens);
  require_readable("--tokens", end - request.from, *folder.model);
  tokens = nn::Tokens(tokens.begin() + request.from, tokens.begin() + end);
  std::vector<std::string> pieces;
  for (const std::int32_t id : tokens) pieces.push_back(folder.tokenizer->piece(id));

  const torch::NoGradGuard no_grad;
  const nn::Input input{
      torch::tensor(std::vector<std::int64_t>(tokens.begin(), tokens.end()), torch::kInt64).unsqueeze(0), {}};
  const torch::Tensor weights = folder.model->attention_weights(input, request.layer).contiguous();
  report::AttentionOptions options;
  options.title = "Layer " + std::to_string(request.layer) + ": who (row) looks at whom (column)";
  const auto figure =
      report::attention_figure(pieces, {weights.data_ptr<float>(), static_cast<std::size_t>(weights.numel())},
                               static_cast<int>(weights.size(1)), options);
  write_file_atomically(request.output, report::to_svg(figure));
  std::printf("%s: tokens %lld to %lld of %s, layer %lld, %lld heads\n", request.output.c_str(),
              static_cast<long long>(request.from), static_cast<long long>(end - 1), request.file.c_str(),
              static_cast<long long>(request.layer), static_cast<long long>(weights.size(1)));
}

}  // namespace

void add_show_attention(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* show = app.add_subcommand("show-attention", "Draw what the heads of a layer look at");
  show->add_option("model", request->model, "folder that rotary train made")->check(not_empty())->required();
  show->add_option("file", request->file, "text file, .gz too; - is the standard input")
      ->check(not_empty())
      ->required();
  show->add_option("--output,-o", request->output, "SVG file")->check(not_empty())->capture_default_str();
  show->add_option("--layer", request->layer, "from 0")->check(whole_number(0, 1 << 20))->capture_default_str();
  show->add_option("--from", request->from, "first token")
      ->check(whole_number(0, std::int64_t{1} << 40))
      ->capture_default_str();
  show->add_option("--tokens", request->tokens, "how many")->check(whole_number(1, 1024))->capture_default_str();
  show->callback([request] { run(*request); });
}

}  // namespace rotary::cli
