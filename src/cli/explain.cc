// rotary explain: a model's rotation in words, what to set for longer texts, and the ideas behind it all.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/explain_json.h"
#include "cli/inspect_text.h"
#include "cli/option_checks.h"
#include "cli/options.h"
#include "cli/passages.h"
#include "cli/rotation_choice.h"
#include "cli/topics.h"
#include "report/wrap.h"
#include "rotary/formats/files.h"

namespace rotary::cli {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

struct Request {
  std::string path, topic;
  std::int64_t target_length = 0;
  CommonOptions common;
  RotationFilter filter;
  bool json = false;
};

void run_topic(const Request& request, const report::Terminal& terminal) {
  for (const Topic& topic : topics()) {
    if (topic.name != request.topic) continue;
    const std::vector<Passage> passages = topic.explain();
    if (request.json) {
      *terminal.out << one_line({{"topic", topic.name}, {"title", topic.title}, {"passages", to_json(passages)}});
      return;
    }
    *terminal.out << strong(terminal, std::string(topic.title)) << "\n";
    print(terminal, passages);
  }
}

std::vector<Passage> passages_of(const Recommendation& r) {
  std::vector<Passage> out{{"To read " + std::to_string(r.target_length) + " positions", r.summary, ""}};
  for (const EngineSetting& s : r.settings)
    out.push_back({s.engine + " (" + s.place + ")",
                   s.outcome.empty() ? "" : "Read back by this engine's rules: it " + s.outcome + ".", s.text});
  std::string caveats;
  for (const std::string& c : r.caveats) caveats += (caveats.empty() ? "- " : "\n- ") + c;
  if (!caveats.empty()) out.push_back({"Before you do", caveats, ""});
  return out;
}

void print_model(const ModelConfig& config, const ReadOptions& options, const report::Terminal& terminal) {
  *terminal.out << reading(config) << "\n";
  for (const ModelRotation& r : config.rotations) {
    std::string name = title(r);
    name.pop_back();
    *terminal.out << "\n" << strong(terminal, "== " + name) << "\n";
    print(terminal, explain_rotation(r, options));
  }
  if (config.rotations.empty()) *terminal.out << "\nno attention that rotates\n";
  for (const ConfigWarning& w : config.warnings)
    *terminal.out << "\n"
                  << alarming(terminal, "warning") << "\n"
                  << report::wrap(w.key + ": " + w.message, text_width(terminal), 2);
}

void run(const Request& request) {
  const report::Terminal terminal = report::make_terminal(std::cout, STDOUT_FILENO);
  if (!request.topic.empty()) return run_topic(request, terminal);
  const ReadOptions options = request.common.to_read_options();
  ModelConfig config = read_model_config(request.path, options);
  std::optional<Recommendation> recommendation;
  if (request.target_length > 0) {
    const auto& [file, format, role] = config.files.front();
    if (format != "config.json")
      throw std::runtime_error(file + ": --target-length needs a config.json, got " + format);
    recommendation = recommend_setting(read_file(file, kMaxFileBytes), file, request.target_length, options);
  }
  request.filter.apply(config, request.path);
  if (request.json) {
    nlohmann::ordered_json out = explanation_json(config, options);
    if (recommendation) out["recommendation"] = to_json(*recommendation);
    *terminal.out << one_line(out);
    return;
  }
  print_model(config, options, terminal);
  if (recommendation) print(terminal, passages_of(*recommendation));
}

std::vector<std::string> topic_names() {
  std::vector<std::string> out;
  for (const Topic& topic : topics()) out.emplace_back(topic.name);
  return out;
}

}  // namespace

void add_explain(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* explain = app.add_subcommand(
      "explain",
      "A model's rotation in plain words, what to set so that it reads further, or one idea with an example");
  CLI::Option* path =
      explain->add_option("path", request->path, "config.json or another file that describes a model, or its folder");
  explain
      ->add_option("--target-length", request->target_length,
                   "positions that it should read: the setting for transformers, vLLM and llama.cpp")
      ->check(whole_number(1, std::int64_t{1} << 40));
  explain->add_option("--topic", request->topic, "an idea instead of a model")
      ->check(CLI::IsMember(topic_names()))
      ->excludes(path);
  request->common.add_to(*explain);
  request->filter.add_to(*explain);
  explain->add_flag("--json", request->json, "machine-readable");
  explain->footer(
      "Examples:\n  rotary explain config.json --target-length 131072\n  rotary explain --topic relative-property");
  explain->callback([request] {
    if (request->path.empty() && request->topic.empty())
      refuse("path", "must be a file, or --topic an idea", "neither");
    run(*request);
  });
}

}  // namespace rotary::cli
