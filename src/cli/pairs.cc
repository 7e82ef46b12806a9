// rotary pairs: which channel meets which, of a model or of a layout given by numbers.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/inspect_text.h"
#include "cli/option_checks.h"
#include "cli/options.h"
#include "cli/pairs_drawing.h"
#include "cli/passages.h"
#include "cli/rotation_choice.h"
#include "report/wrap.h"

namespace rotary::cli {
namespace {

using Json = nlohmann::ordered_json;

// A layout in numbers.
struct GivenLayout {
  int head_dim = 0, rotary_dim = 0, rotary_offset = 0;
  std::string pairing;
  std::vector<int> sections;
  bool interleaved_sections = false;
};

struct Request {
  std::string path;
  GivenLayout given;
  CommonOptions common;
  RotationFilter filter;
  bool json = false;
};

AxisLayout axes_of(const GivenLayout& given) {
  AxisLayout out;
  if (given.sections.empty()) return out;
  out.rule = given.interleaved_sections ? AxisRule::kInterleavedSections : AxisRule::kSections;
  out.num_axes = static_cast<int>(given.sections.size());
  out.sections = given.sections;
  return out;
}

RopeSpec spec_of(const GivenLayout& given) {
  RopeSpec spec;
  spec.head_dim = given.head_dim;
  spec.rotary_dim = given.rotary_dim > 0 ? given.rotary_dim : given.head_dim - given.rotary_offset;
  spec.rotary_offset = given.rotary_offset;
  spec.pairing = given.pairing == "half" ? Pairing::kHalf : Pairing::kInterleaved;
  spec.output_pairing = given.pairing == "interleaved" ? Pairing::kInterleaved : Pairing::kHalf;
  spec.axes = axes_of(given);
  return spec;
}

void check(const GivenLayout& given, const RopeSpec& spec) {
  if (given.pairing.empty()) refuse("--pairing", "must be half, interleaved or interleaved-to-half", "none");
  if (spec.rotary_dim % 2 != 0)
    refuse(given.rotary_dim > 0 ? "--rotary-dim" : "--head-dim", "channels that turn must be even in number",
           std::to_string(spec.rotary_dim));
  if (given.sections.empty() && given.interleaved_sections)
    refuse("--mrope-interleaved", "must come with --sections", "none");
  const int sum = std::accumulate(given.sections.begin(), given.sections.end(), 0);
  if (!given.sections.empty() && sum != spec.rotary_dim / 2)
    refuse("--sections", "must sum to the " + std::to_string(spec.rotary_dim / 2) + " pairs", std::to_string(sum));
}

// As a model of one kind of layer.
ModelConfig config_of(const GivenLayout& given) {
  ModelRotation r;
  r.spec = spec_of(given);
  check(given, *r.spec);
  try {
    r.rotation.query = make_rotation_map(*r.spec);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError(error.what(), CLI::ExitCodes::ValidationError);
  }
  static const char* const kNames[] = {"time", "height", "width"};
  const auto count = static_cast<std::size_t>(r.spec->axes.num_axes);
  for (std::size_t axis = 0; axis < count; ++axis)
    r.rotation.axes.push_back({count == 1   ? "token"
                               : count <= 3 ? kNames[axis]
                                            : "axis " + std::to_string(axis),
                               0, 1});
  r.all_layers = true;
  r.head_dim = given.head_dim;
  ModelConfig config;
  config.rotations.push_back(std::move(r));
  return config;
}

Json pairs_json(const RotationMap& map) {
  Json out = Json::array();
  for (int i = 0; i < static_cast<int>(map.pairs.size()); ++i) {
    const ChannelPair& p = map.pairs[static_cast<std::size_t>(i)];
    const int axis = axis_of(map, i);
    Json one{{"a", p.a}, {"b", p.b}, {"axis", axis == -1 ? Json() : axis == -2 ? Json("several") : Json(axis)}};
    if (p.c != p.a || p.d != p.b) one["written_to"] = {p.c, p.d};
    out.push_back(std::move(one));
  }
  return out;
}

Json rotation_json(const ModelRotation& r) {
  Json out{{"component", r.component}, {"part", r.part}};
  out["layers"] = r.all_layers ? Json("all") : Json(r.layers);
  out["layer_type"] = r.layer_type.empty() ? Json() : Json(r.layer_type);
  if (!r.spec) {
    out["pairs"] = nullptr;
    return out;
  }
  const RotationMap& map = r.rotation.query;
  out["channels"] = map.channels;
  out["rotary_dim"] = rotary_dim(map);
  out["layout"] = to_string(layout_class(map).layout);
  out["axes"] = Json::array();
  for (const PositionAxis& axis : r.rotation.axes) out["axes"].push_back(axis.name);
  out["pairs"] = pairs_json(map);
  return out;
}

void print_rotation(const ModelRotation& r, bool is_given, const report::Terminal& terminal) {
  if (!is_given) {
    std::string name = title(r);
    name.pop_back();
    *terminal.out << strong(terminal, name) << "\n";
  }
  if (!r.spec) {
    *terminal.out << "  nothing is known to turn here\n";
    return;
  }
  const std::size_t width = text_width(terminal) - 2;
  *terminal.out << report::indented(pairs_drawing(r.rotation.query, r.rotation.axes, width), 2) << "\n"
                << report::wrap(pairs_in_words(r.rotation.query, r.rotation.axes), width + 2, 2);
}

void run(const Request& request) {
  const report::Terminal terminal = report::make_terminal(std::cout, STDOUT_FILENO);
  const bool is_given = request.path.empty();
  ModelConfig config =
      is_given ? config_of(request.given) : read_model_config(request.path, request.common.to_read_options());
  request.filter.apply(config, request.path);
  if (request.json) {
    Json out = Json::array();
    for (const ModelRotation& r : config.rotations) out.push_back(rotation_json(r));
    *terminal.out << one_line({{"rotations", out}});
    return;
  }
  for (std::size_t i = 0; i < config.rotations.size(); ++i) {
    if (i > 0) *terminal.out << "\n";
    print_rotation(config.rotations[i], is_given, terminal);
  }
  if (config.rotations.empty()) *terminal.out << "no attention that rotates\n";
}

void add_layout_options(CLI::App& pairs, Request& request, CLI::Option* path) {
  constexpr std::int64_t kMost = 4096;
  GivenLayout& given = request.given;
  CLI::Option* head_dim = pairs.add_option("--head-dim", given.head_dim, "channels of a head, instead of a file")
                              ->check(whole_number(2, kMost))
                              ->excludes(path);
  const auto add = [&](CLI::Option* option) { option->needs(head_dim); };
  add(pairs.add_option("--pairing", given.pairing, "half (i, i + r/2), interleaved (2i, 2i + 1), interleaved-to-half")
          ->check(one_of({"half", "interleaved", "interleaved-to-half"})));
  add(pairs.add_option("--rotary-dim", given.rotary_dim, "channels that turn; all if not given")
          ->check(whole_number(2, kMost)));
  add(pairs.add_option("--rotary-offset", given.rotary_offset, "the first of them")->check(whole_number(0, kMost)));
  add(pairs.add_option("--sections", given.sections, "pairs per axis, as mrope_section: 16,24,24")
          ->delimiter(',')
          ->check(whole_number(0, kMost)));
  add(pairs.add_flag("--mrope-interleaved", given.interleaved_sections, "axes take turns pair by pair"));
}

}  // namespace

void add_pairs(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* pairs = app.add_subcommand("pairs", "Which channel meets which, drawn: of a model, or of a layout");
  CLI::Option* path =
      pairs->add_option("path", request->path, "config.json or another file that describes a model, or its folder");
  add_layout_options(*pairs, *request, path);
  request->common.add_to(*pairs);
  request->filter.add_to(*pairs);
  pairs->add_flag("--json", request->json, "machine-readable");
  pairs->footer(
      "Examples:\n  rotary pairs config.json\n  rotary pairs --head-dim 128 --pairing half --sections 16,24,24");
  pairs->callback([request] {
    if (request->path.empty() && request->given.head_dim == 0)
      refuse("path", "must be a file, or --head-dim a number of channels", "neither");
    run(*request);
  });
}

}  // namespace rotary::cli
