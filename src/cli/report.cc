// rotary report: a page about a model's rotation.
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/report_page.h"
#include "rotary/formats/files.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string path, output;
  CommonOptions common;
};

void run(const Request& request) {
  const ReadOptions options = request.common.to_read_options();
  const ModelConfig config = read_model_config(request.path, options);
  write_file_atomically(request.output, report_page(request.path, config, options));
  std::cout << request.output << ": " << request.path << '\n';
}

}  // namespace

void add_report(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* report = app.add_subcommand(
      "report", "One page about a model's rotation: facts, figures, numbers, what engines make of it");
  report->add_option("path", request->path, "model file or folder")->required();
  const auto is_page = [](std::string& path) {
    return path.ends_with(".html") ? std::string() : "must end in .html, got '" + path + "'";
  };
  report->add_option("--output,-o", request->output, "the page, .html")->check(CLI::Validator(is_page, ""))->required();
  request->common.add_to(*report);
  report->footer(
      "Examples:\n  rotary report config.json -o report.html\n  rotary report config.json --as vllm -o vllm.html");
  report->callback([request] { run(*request); });
}

}  // namespace rotary::cli
