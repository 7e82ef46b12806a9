// rotary diff: two models, two engines on one model, two tables or two dumps: the same rotation or not, how far apart,
// and why.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/diff_models.h"
#include "cli/measured.h"
#include "cli/option_checks.h"
#include "cli/options.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string first, second;
  CommonOptions common;
  double position = 131071;
  bool all_references = false, json = false, bshd = false;
};

template <class Rows>
int answer(const Rows& rows, const Request& request) {
  std::cout << (request.json ? to_json(rows, request.position) + "\n" : to_text(rows, request.position));
  return same(rows) ? 0 : 1;
}

int show_references(const Request& request) {
  const auto answers = compare_references(request.first, request.common.to_read_options(), request.position);
  std::cout << (request.json ? to_json(answers, request.position) + "\n" : to_text(answers, request.position));
  return std::all_of(answers.begin(), answers.end(),
                     [](const ReferenceAnswer& a) { return a.error.empty() && same(a.differences); })
             ? 0
             : 1;
}

// What one engine's reading loses and the other's does not: why they differ.
std::string losses(const Request& request, const std::string& second) {
  std::string out;
  std::vector<ModelConfig> configs;
  for (std::size_t i = 0; i < 2; ++i)
    configs.push_back(read_model_config(i == 0 ? request.first : second, request.common.to_read_options(i)));
  for (std::size_t i = 0; i < 2; ++i)
    for (const ConfigWarning& w : configs[i].warnings) {
      const auto same_warning = [&](const ConfigWarning& o) { return o.key == w.key && o.message == w.message; };
      const auto& others = configs[1 - i].warnings;
      if (std::none_of(others.begin(), others.end(), same_warning))
        out += "as " + request.common.references[i] + ": " + w.key + ": " + w.message + "\n";
    }
  return out;
}

bool is_measured(const std::string& path) {
  return !path.empty() && kind_of_rotation_file(path) != RotationFile::kOther;
}

int run(const Request& request) {
  const std::size_t references = request.common.references.size();
  if (request.all_references) {
    if (!request.second.empty()) refuse("--all-references", "must come with one model", "two");
    return show_references(request);
  }
  if (request.second.empty() && references < 2)
    refuse("second", "must be given, or a second --as, or --all-references", "nothing");
  const std::string& second = request.second.empty() ? request.first : request.second;
  const bool measured = is_measured(request.first);
  if (measured != is_measured(second))
    refuse("second", "must be a table or dump like the first (rotary check compares one with a model)", second);
  if (measured)
    return answer(
        compare_files(request.first, second, request.bshd ? DumpLayout::kBshd : DumpLayout::kBhsd, request.position),
        request);
  const int status = answer(compare_models(request.first, request.common.to_read_options(), second,
                                           request.common.to_read_options(references == 2 ? 1 : 0), request.position),
                            request);
  if (references == 2 && !request.json) std::cout << losses(request, second);
  return status;
}

}  // namespace

void add_diff(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* diff = app.add_subcommand(
      "diff",
      "Two models, engines, tables or dumps: the same rotation or not, the largest difference, the likely cause (exit "
      "0: same, 1: differ, 2: trouble)");
  diff->add_option("first", request->first, "model file or folder; or cosines and sines, or vectors before and after")
      ->required()
      ->check(not_empty());
  diff->add_option("second", request->second, "the same; left out with two --as or --all-references")
      ->check(not_empty());
  request->common.add_to(*diff, 2);
  diff->add_flag("--all-references", request->all_references,
                 "what every engine makes of the model, compared with its own format's");
  diff->add_option("--position", request->position, "where the angles are compared")
      ->check(CLI::Range(0.0, 0x1p40).description("0 to 2^40"))
      ->capture_default_str();
  diff->add_flag("--bshd", request->bshd, "dumps are [batch][token][head][channel], not [batch][head][token][channel]");
  diff->add_flag("--json", request->json, "machine-readable");
  diff->footer(
      "Examples:\n  rotary diff llama-3/config.json llama-3.1/config.json\n  rotary diff config.json --as vllm --as "
      "llama.cpp\n  rotary diff config.json --all-references\n  rotary diff theirs.safetensors ours.safetensors "
      "--json");
  diff->callback([request] {
    if (const int status = run(*request)) throw CLI::RuntimeError(status);
  });
}

}  // namespace rotary::cli
