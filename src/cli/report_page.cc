#include "cli/report_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "cli/command_text.h"
#include "cli/figure_kinds.h"
#include "cli/inspect_text.h"
#include "cli/reader_verdict.h"
#include "cli/report_numbers.h"
#include "cli/rotation_choice.h"
#include "report/number_text.h"
#include "report/page.h"
#include "report/rotation_numbers.h"
#include "rotary/bands.h"

namespace rotary::cli {
namespace {

using report::Page;
using report::short_number;
using report::Table;

// What is on the page: a rotation, its name, and whether it is the one of the figures.
struct Subject {
  const std::string& path;
  const ModelConfig& config;
  const ReadOptions& options;
  const ModelRotation& chosen;
  std::string model;
};

std::string command(const Subject& s, const std::string& verb, const std::string& more = "") {
  return "rotary " + verb + " " + quoted(s.path) + options_text(s.options) + more;
}

std::string reference_text(const ModelConfig& config) {
  if (config.reference == Reference::kOriginal) return "as the file is written";
  return "as " + std::string(to_string(config.reference)) + " " + std::string(release_of(config.reference)) + " does";
}

std::string short_answer(const ModelRotation& r) {
  if (!r.rotation.not_a_rotation.empty()) return "no rotation that can be named: " + r.rotation.not_a_rotation;
  if (!r.unknown.empty()) return r.unknown;
  if (!r.fails.empty()) return "fails: " + r.fails;
  if (!r.spec) return "does not rotate";
  return channels_text(*r.spec, r.rotation.query) + "; base " + short_number(r.spec->base, 10) + "; " +
         method_text(*r.spec);
}

void add_layers(Page& page, const Subject& s) {
  Table table{{{"part of the model"}, {"layers"}, {"rotation"}}, {}};
  for (const ModelRotation& r : s.config.rotations)
    table.rows.push_back({rotation_name(r), layers_text(r), short_answer(r)});
  page.table(table);
}

std::string limits_text(const RopeSpec& spec) {
  const double trained = trained_length(spec);
  if (spec.max_position <= 0 && trained <= 0) return "not declared";
  std::string out = spec.max_position > 0 ? short_number(spec.max_position, 12) + " positions" : "not declared";
  if (trained != spec.max_position) out += ", " + short_number(trained, 12) + " before it was extended";
  return out;
}

std::string fingerprint_text(const RotationMap& map) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(fingerprint(map)));
  return text;
}

void add_facts(Page& page, const Subject& s) {
  const ModelRotation& r = s.chosen;
  const RopeSpec& spec = *r.spec;
  std::vector<std::pair<std::string, std::string>> facts = {{"layers", layers_text(r)},
                                                            {"rotates", channels_text(spec, r.rotation.query)},
                                                            {"applied to", applied_text(r.rotation)}};
  if (r.rotation.query.num_axes > 1) facts.emplace_back("axes", axes_text(r));
  facts.emplace_back("base", short_number(spec.base, 10));
  facts.emplace_back("method", method_text(spec));
  facts.emplace_back("factors", factors_text(r.rotation));
  if (std::string text = temperature_text(r.rotation.query_scale_rule); !text.empty())
    facts.emplace_back("temperature", std::move(text));
  facts.emplace_back("limit", limits_text(spec));
  facts.emplace_back("fingerprint", fingerprint_text(r.rotation.query));
  if (!r.note.empty()) facts.emplace_back("note", r.note);
  page.facts(facts);
}

void add_bands(Page& page, const Subject& s) {
  Table table{{{"pairs"}, {"wavelength, positions"}, {"what the method does"}, {"in the trained length"}}, {}};
  const bool is_known = trained_length(*s.chosen.spec) > 0;
  for (const Band& band : frequency_bands(*s.chosen.spec, s.options.seq_len)) {
    const bool still = band.effect == BandEffect::kStill;
    table.rows.push_back(
        {std::to_string(band.begin) + (band.end - band.begin == 1 ? "" : "–" + std::to_string(band.end - 1)),
         still ? "–" : short_number(band.first_wavelength) + " to " + short_number(band.last_wavelength),
         effect_text(band),
         still || !is_known       ? "–"
         : band.turns_in_training ? "turns at least once"
                                  : "no full turn"});
  }
  page.table(table, "Bands: neighbouring pairs that are treated alike.");
}

void add_warnings(Page& page, const Subject& s) {
  if (s.config.warnings.empty()) return;
  Table table{{{"key"}, {"what happens"}}, {}};
  for (const ConfigWarning& w : s.config.warnings) table.rows.push_back({w.key, w.message});
  page.section("Warnings").table(table);
}

// The rotations that turn, each once: for the figure that takes several.
std::vector<const ModelRotation*> all_turning(const Subject& s) {
  std::vector<const ModelRotation*> out;
  for (const ModelRotation& r : s.config.rotations) {
    const bool met = std::any_of(out.begin(), out.end(),
                                 [&](const ModelRotation* o) { return o->rotation.query == r.rotation.query; });
    if (r.spec && rotary_dim(r.rotation.query) > 0 && !met) out.push_back(&r);
  }
  return out;
}

// What chooses the rotation on a command line; nothing for the first, which is chosen without.
std::string filter_text(const Subject& s, const ModelRotation& r) {
  if (&r == &s.chosen) return "";
  const bool has_layer = !r.all_layers && !r.layers.empty();
  return options_text({r.component, r.component != s.chosen.component, has_layer ? r.layers.front() : -1});
}

report::Size page_size(const report::Figure& figure) {
  constexpr double kWidest = 952;  // of the page's column
  const report::Size natural = report::natural_size(figure);
  const double part = std::min(1.0, kWidest / natural.width);
  return {natural.width * part, natural.height * part};
}

// One command a rotation: each draws one of the file's.
void add_figure(Page& page, const Subject& s, const std::string& heading, const std::string& kind,
                const std::vector<const ModelRotation*>& shown, Table (*numbers)(const report::Figure&)) {
  std::vector<report::NamedRotation> rotations;
  std::string commands;
  for (const ModelRotation* r : shown) {
    rotations.push_back(named(full_name(s.model, s.config, *r), *r, s.options));
    commands +=
        (commands.empty() ? "" : "\n") + command(s, "plot " + kind, filter_text(s, *r) + " -o " + kind + ".svg");
  }
  const FigureKind& what = figure_kind(kind);
  const report::Figure figure = what.draw(rotations);
  page.section(heading).figure(figure, what.caption, page_size(figure)).table(numbers(figure)).command(commands);
}

void add_figures(Page& page, const Subject& s) {
  const std::vector<const ModelRotation*> one = {&s.chosen};
  add_figure(page, s, "Wavelengths", "wavelength", all_turning(s), wavelength_numbers);
  if (report::is_scaled(s.chosen.spec.value()))
    add_figure(page, s, "What the method does", "yarn", one, scaling_numbers);
  add_figure(page, s, "A query meets a key", "mechanism", one, mechanism_numbers);
  add_figure(page, s, "Score against distance", "decay", one, decay_numbers);
  add_figure(page, s, "Angles", "angles", one, angle_numbers);
  add_figure(page, s, "What rounding costs", "precision", one, precision_numbers);
}

// The last of the declared length, or of twice as much for a method that begins beyond it.
double last_position(const RopeSpec& spec) {
  const double length = report::limit_of(spec);
  return (depends_on_length(spec.scaling) ? 2 * length : length) - 1;
}

void add_references(Page& page, const Subject& s) {
  const double position = last_position(s.chosen.spec.value());
  Table table{{{"reader"}, {"release", report::Align::kLeft}, {"rotation"}, {"how", report::Align::kLeft}}, {}};
  std::string commands;
  for (const Reference reference : all_references()) {
    const ReaderVerdict v = reference == s.config.reference ? ReaderVerdict{"this page", ""}
                                                            : ask_reader(s.path, s.options, reference, position);
    const std::string name(to_string(reference)), release(release_of(reference));
    table.rows.push_back({name, release.empty() ? "–" : release, v.answer, v.details.empty() ? "–" : v.details});
    if (v.details.empty()) continue;
    commands += (commands.empty() ? "rotary inspect " : "\nrotary inspect ") + quoted(s.path) + " --as " + name;
  }
  page.section("What others make of the file").table(table);
  if (!commands.empty()) page.command(commands);
}

void add_sources(Page& page, const Subject& s) {
  Table table{{{"value"}, {"is", report::Align::kLeft}, {"from"}}, {}};
  for (const Source& source : s.chosen.sources)
    table.rows.push_back(
        {source.field, source.value, source.assumed ? "assumed: no " + source.key + " in the file" : source.key});
  page.section("Where each value came from").table(table);
  page.command(command(s, "inspect"));
}

}  // namespace

std::string report_page(const std::string& path, const ModelConfig& config, const ReadOptions& options) {
  const Subject s{path, config, options, choose_rotation(config, {}, path), model_name(path)};
  Page page("Rotation of " + s.model);
  page.paragraph((config.model_type.empty() ? "No model_type" : config.model_type) + ", read " +
                 reference_text(config) + ", " + std::string(to_string(options.arithmetic)) + " arithmetic" +
                 (options.seq_len > 0 ? ", for a sequence of " + short_number(double(options.seq_len), 12) : "") + ".");
  page.section("The model");
  add_layers(page, s);
  if (!turns_alike(config))
    page.paragraph("What follows is about " + rotation_name(s.chosen) + ", " + layers_text(s.chosen) +
                   ", but for the wavelengths, which are those of all.");
  add_facts(page, s);
  add_bands(page, s);
  page.command(command(s, "inspect"));
  add_warnings(page, s);
  add_figures(page, s);
  add_references(page, s);
  add_sources(page, s);
  return page.to_html();
}

}  // namespace rotary::cli
