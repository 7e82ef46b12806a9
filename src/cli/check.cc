// rotary check: whether this machine rotates right, and whether another program's table or vectors are a model's.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/measured.h"
#include "cli/option_checks.h"
#include "cli/options.h"
#include "rotary/apply.h"
#include "rotary/self_test.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string model, table, dump, component;
  CommonOptions common;
  double position = 131071;
  int layer = -1;
  bool json = false, bshd = false, has_component = false;
};

std::string self_test_text(const std::vector<SelfTestResult>& results) {
  std::string out, target;
  int checks = 0, failed = 0;
  const auto end_target = [&] {
    if (!target.empty())
      out += target + ": " + std::to_string(checks) + " checks, " + std::to_string(failed) + " failed\n";
    checks = failed = 0;
  };
  for (const SelfTestResult& r : results) {
    if (r.target != target) end_target();
    target = r.target;
    ++checks;
    if (r.passed) continue;
    ++failed;
    out += "FAILED: " + r.target + " " + r.name + ": " + r.detail + "\n";
  }
  end_target();
  return out;
}

int run_self_test(bool json) {
  const std::vector<SelfTestResult> results = self_test();
  const bool passed = std::all_of(results.begin(), results.end(), [](const SelfTestResult& r) { return r.passed; });
  if (json) {
    nlohmann::ordered_json out{{"passed", passed}, {"checks", nlohmann::ordered_json::array()}};
    for (const SelfTestResult& r : results)
      out["checks"].push_back({{"target", r.target}, {"name", r.name}, {"passed", r.passed}, {"detail", r.detail}});
    std::cout << out.dump() << '\n';
  } else {
    std::cout << self_test_text(results) << (passed ? "this machine rotates right, on every target it has\n" : "");
  }
  return passed ? 0 : 1;
}

// What the file could be of.
std::vector<ModelRotation> candidates(const Request& request, const ModelConfig& config) {
  std::vector<ModelRotation> out;
  std::string others;
  for (const ModelRotation& r : config.rotations) {
    if (request.has_component && r.component != request.component) continue;
    if (request.layer >= 0 && !r.all_layers &&
        std::find(r.layers.begin(), r.layers.end(), request.layer) == r.layers.end())
      continue;
    if (r.spec && r.rotation.rotates)
      out.push_back(r);
    else
      others += r.unknown + r.fails + r.rotation.not_a_rotation;
  }
  if (out.empty())
    throw std::runtime_error(request.model + ": must have a rotation to compare with, got " +
                             (others.empty() ? "none (--component and --layer choose)" : others));
  return out;
}

int run(const Request& request) {
  const bool files = !request.table.empty() || !request.dump.empty();
  if (request.model.empty()) {
    if (files) refuse("model", "must be given with --table and --dump", "nothing");
    return run_self_test(request.json);
  }
  if (!files) refuse("--table or --dump", "must be given with a model", "neither");
  const ReadOptions options = request.common.to_read_options();
  const auto rotations = candidates(request, read_model_config(request.model, options));
  const DumpLayout layout = request.bshd ? DumpLayout::kBshd : DumpLayout::kBhsd;
  std::vector<Finding> findings;
  for (const std::string& file : {request.table, request.dump})
    if (!file.empty())
      for (Finding& f : compare_with(rotations, file, layout, request.position, options.seq_len))
        findings.push_back(std::move(f));
  std::cout << (request.json ? to_json(findings, request.position) + "\n" : to_text(findings, request.position));
  return same(findings) ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* check = app.add_subcommand(
      "check",
      "Whether this machine rotates right; or whether another program's table or vectors are those of a model "
      "(exit 0: yes, 1: no, 2: trouble)");
  check->add_option("model", request->model, "model file or folder; without it, this machine is checked")
      ->check(not_empty());
  check->add_option("--table", request->table, "cosines and sines: .safetensors or .npy")->check(not_empty());
  check->add_option("--dump", request->dump, "vectors before and after: .safetensors with NAME_in and NAME_rot")
      ->check(not_empty());
  check->add_flag("--bshd", request->bshd,
                  "dumps are [batch][token][head][channel], not [batch][head][token][channel]");
  request->common.add_to(*check);
  CLI::Option* component = check->add_option("--component", request->component, "only this sub-configuration");
  check->add_option("--layer", request->layer, "only this layer (from 0)")->check(CLI::Range(0, 1 << 24));
  check->add_option("--position", request->position, "where the angles are compared")
      ->check(CLI::Range(0.0, 0x1p40).description("0 to 2^40"))
      ->capture_default_str();
  check->add_flag("--json", request->json, "machine-readable");
  check->footer(
      "Examples:\n  rotary check\n  rotary check config.json --table cos_sin_cache.npy\n  rotary check config.json "
      "--dump "
      "layer0.safetensors --json");
  check->callback([request, component] {
    request->has_component = component->count() > 0;
    if (const int status = run(*request)) throw CLI::RuntimeError(status);
  });
}

}  // namespace rotary::cli
