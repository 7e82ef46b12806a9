// rotary plot: a model's rotation as a picture.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/figure_kinds.h"
#include "cli/option_checks.h"
#include "cli/options.h"
#include "cli/rotation_choice.h"
#include "report/page.h"
#include "rotary/formats/files.h"

namespace rotary::cli {
namespace {

struct Request {
  std::string kind;
  std::vector<std::string> paths;
  std::string output;
  CommonOptions common;
  RotationFilter filter;
};

struct Chosen {
  std::string path, layers;
  report::NamedRotation rotation;
};

std::vector<Chosen> choose(const Request& request) {
  const ReadOptions options = request.common.to_read_options();
  std::vector<Chosen> out;
  for (const std::string& path : request.paths) {
    const ModelConfig config = read_model_config(path, options);
    const ModelRotation& r = choose_rotation(config, request.filter, path);
    std::string name = full_name(model_name(path), config, r);
    const auto same = [&](const Chosen& c) { return c.rotation.name == name; };
    if (std::any_of(out.begin(), out.end(), same)) name = full_name(path, config, r);
    out.push_back({path, layers_text(r), named(std::move(name), r, options)});
  }
  return out;
}

std::string page_of(const FigureKind& kind, const report::Figure& figure, const Request& request,
                    const std::string& shown) {
  report::Page page("rotary plot " + request.kind);
  page.paragraph(shown).figure(figure, kind.caption);
  std::string command = "rotary plot " + request.kind;
  for (const std::string& path : request.paths) command += " " + quoted(path);
  page.command(command + options_text(request.common.to_read_options()) + options_text(request.filter) + " -o " +
               quoted(request.output));
  return page.to_html();
}

void run(const Request& request) {
  const FigureKind& kind = figure_kind(request.kind);
  if (request.paths.size() > 1 && !kind.takes_several)
    refuse("path", "must be one file for " + request.kind, std::to_string(request.paths.size()));
  std::vector<report::NamedRotation> rotations;
  std::string shown;
  for (Chosen& c : choose(request)) {
    shown += (shown.empty() ? "" : "; ") + c.rotation.name + " (" + c.layers + ")";
    rotations.push_back(std::move(c.rotation));
  }
  const report::Figure figure = kind.draw(rotations);
  const bool is_page = request.output.ends_with(".html");
  write_file_atomically(request.output, is_page ? page_of(kind, figure, request, shown) : report::to_svg(figure));
  std::cout << request.output << ": " << request.kind << " of " << shown << '\n';
}

CLI::Validator picture_file() {
  return CLI::Validator(
      [](std::string& path) {
        const bool known = path.ends_with(".svg") || path.ends_with(".html");
        return known ? std::string() : "must end in .svg or .html, got '" + path + "'";
      },
      "");
}

CLI::Validator known_kind() {
  return CLI::Validator(
      [](std::string& name) {
        std::string list;
        for (const FigureKind& kind : figure_kinds()) {
          if (name == kind.name) return std::string();
          list += (list.empty() ? "" : ", ") + std::string(kind.name);
        }
        return "must be one of " + list + ", got '" + name + "'";
      },
      "");
}

std::string kinds_help() {
  std::string out = "what to draw:";
  for (const FigureKind& kind : figure_kinds())
    out += std::string(out.back() == ':' ? "\n" : ";\n") + kind.name + ": " + kind.shows;
  return out;
}

}  // namespace

void add_plot(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* plot =
      app.add_subcommand("plot", "Draw a model's rotation: wavelengths, decay, angles, what rounding costs");
  plot->add_option("kind", request->kind, kinds_help())->check(known_kind())->required();
  plot->add_option("path", request->paths, "model file or folder; several share an axis")->required();
  plot->add_option("--output,-o", request->output, "the picture, .svg, or a page with it, .html")
      ->check(picture_file())
      ->required();
  request->common.add_to(*plot);
  request->filter.add_to(*plot);
  plot->footer(
      "Examples:\n  rotary plot wavelength llama-3/config.json llama-3.1/config.json -o wavelength.svg\n"
      "  rotary plot precision config.json --layer 3 -o precision.html");
  plot->callback([request] { run(*request); });
}

}  // namespace rotary::cli
