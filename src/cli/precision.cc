// rotary precision: what narrow formats and engines' arithmetics do to the angles of a model.
#include "rotary/precision.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/inspect_text.h"
#include "cli/options.h"
#include "cli/passages.h"
#include "cli/rotation_choice.h"
#include "report/table.h"
#include "report/wrap.h"

namespace rotary::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr NumberFormat kFormats[] = {NumberFormat::kFloat16, NumberFormat::kBfloat16, NumberFormat::kTfloat32,
                                     NumberFormat::kFloat32};
constexpr RoundedPart kParts[] = {RoundedPart::kPositions, RoundedPart::kFrequencies, RoundedPart::kTables};
constexpr Arithmetic kArithmetics[] = {Arithmetic::kExact, Arithmetic::kTransformersFloat32,
                                       Arithmetic::kTransformersBfloat16, Arithmetic::kGgml};

struct Request {
  std::string path;
  CommonOptions common;
  RotationFilter filter;
  bool json = false;
};

// One line of the tables.
struct Row {
  std::string part, kept_as;
  PrecisionLoss loss;
  std::string fails;  // why there is no loss to tell
};

std::vector<Row> rounded_rows(const ModelRotation& r) {
  std::vector<Row> out;
  for (RoundedPart part : kParts)
    for (NumberFormat format : kFormats)
      out.push_back({std::string(to_string(part)), std::string(to_string(format)),
                     rounding_loss(r.rotation.query, part, format), ""});
  return out;
}

// Whether an engine computes other frequencies, not only rounded ones: that is no loss of digits.
bool turns_otherwise(const ModelRotation& r, Arithmetic arithmetic, std::int64_t seq_len) {
  const RotationMap exact = make_rotation_map(*r.spec, seq_len), own = make_rotation_map(*r.spec, seq_len, arithmetic);
  for (std::size_t i = 0; i < exact.frequency.size() && i < own.frequency.size(); ++i)
    if (std::abs(own.frequency[i].hi - exact.frequency[i].hi) > 0.01 * std::abs(exact.frequency[i].hi)) return true;
  return false;
}

std::vector<Row> arithmetic_rows(const ModelRotation& r, std::int64_t seq_len) {
  std::vector<Row> out;
  for (Arithmetic arithmetic : kArithmetics) {
    Row row{"arithmetic", std::string(to_string(arithmetic)), {}, ""};
    try {
      if (turns_otherwise(r, arithmetic, seq_len))
        row.fails = "it computes other frequencies from this specification, not only rounded ones";
      else
        row.loss = arithmetic_loss(*r.spec, arithmetic, seq_len);
    } catch (const std::invalid_argument& error) {
      row.fails = error.what();  // ggml has not every method
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::string brief(double x) {
  if (std::isinf(x)) return "overflow";
  char text[32];
  std::snprintf(text, sizeof text, x != 0 && x < 0.01 ? "%.1e" : "%.2g", x);
  return text;
}

std::string first_pair(const Row& row) {
  if (!row.loss.first_equal_pair) return "-";
  return std::to_string(row.loss.first_equal_pair->position) + " (pair " +
         std::to_string(row.loss.first_equal_pair->pair) + ")";
}

std::string neighbours_table(const std::vector<Row>& rows) {
  report::Table table{{{"kept"}, {"as"}, {"first pair", report::Align::kLeft}, {"all pairs"}, {"pairs that ever do"}},
                      {}};
  for (const Row& row : rows) {
    if (!row.fails.empty()) continue;
    table.rows.push_back({row.part, row.kept_as, first_pair(row),
                          row.loss.first_equal_row ? std::to_string(*row.loss.first_equal_row) : "-",
                          ranges_or_none(row.loss.equal_pairs)});
  }
  return report::to_text(table);
}

std::string angles_table(const std::vector<Row>& rows) {
  report::Table table{{{"kept"}, {"as"}}, {}};
  for (std::int64_t m : PrecisionRange{}.positions) table.columns.push_back({std::to_string(m), report::Align::kRight});
  for (const Row& row : rows) {
    if (!row.fails.empty()) continue;
    table.rows.push_back({row.part, row.kept_as});
    for (const AngleLoss& at : row.loss.at) table.rows.back().push_back(brief(at.error));
  }
  return report::to_text(table);
}

std::string lost_table(const std::vector<Row>& rows) {
  report::Table table{{{"kept"}, {"as"}, {"at"}, {"pairs off by more than 0.1"}}, {}};
  for (const Row& row : rows)
    for (const AngleLoss& at : row.loss.at)
      if (!at.lost_pairs.empty())
        table.rows.push_back({row.part, row.kept_as, std::to_string(at.position), ranges(at.lost_pairs)});
  return table.rows.empty() ? "" : report::to_text(table);
}

std::string positions_text() {
  std::string out = "Whole numbers are first the same in ";
  for (NumberFormat format : kFormats) {
    const std::int64_t m = first_equal_positions(format);
    out += std::string(format == kFormats[0] ? "" : ", ") + std::string(to_string(format)) + " at " +
           std::to_string(m) + " and " + std::to_string(m + 1);
  }
  return out + ".";
}

std::vector<Passage> passages_of(const std::vector<Row>& rows) {
  std::vector<Passage> out{
      {"Neighbours with the same cos and sin, below position " + std::to_string(PrecisionRange{}.search_below),
       positions_text() + " What is kept in fewer bits, all else exact; \"arithmetic\" is what an engine does.",
       neighbours_table(rows)},
      {"Largest error of an angle, in radians as a turn (3.14 is the worst)", "", angles_table(rows)}};
  if (const std::string lost = lost_table(rows); !lost.empty()) out.push_back({"Pairs that are lost first", "", lost});
  for (const Row& row : rows)
    if (!row.fails.empty()) out.back().text += row.kept_as + ": " + row.fails + "\n";
  return out;
}

// Six digits: the last ones are those of the machine's atan2.
Json error_json(double x) {
  if (std::isinf(x)) return "overflow";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return std::strtod(text, nullptr);
}

Json row_json(const Row& row) {
  Json out{{"part", row.part}, {"format", row.kept_as}};
  if (!row.fails.empty()) {
    out["fails"] = row.fails;
    return out;
  }
  const PrecisionLoss& loss = row.loss;
  out["first_equal_pair"] = nullptr;
  if (loss.first_equal_pair)
    out["first_equal_pair"] = {{"position", loss.first_equal_pair->position}, {"pair", loss.first_equal_pair->pair}};
  out["first_equal_row"] = loss.first_equal_row ? Json(*loss.first_equal_row) : Json();
  out["equal_pairs"] = loss.equal_pairs;
  out["at"] = Json::array();
  for (const AngleLoss& at : loss.at)
    out["at"].push_back({{"position", at.position},
                         {"error", error_json(at.error)},
                         {"pair", at.pair < 0 ? Json() : Json(at.pair)},
                         {"lost_pairs", at.lost_pairs}});
  return out;
}

Json rotation_json(const ModelRotation& r, const std::vector<Row>& rows) {
  Json out{{"component", r.component}, {"part", r.part}};
  out["layers"] = r.all_layers ? Json("all") : Json(r.layers);
  out["layer_type"] = r.layer_type.empty() ? Json() : Json(r.layer_type);
  out["losses"] = Json::array();
  for (const Row& row : rows) out["losses"].push_back(row_json(row));
  return out;
}

void run(const Request& request) {
  const report::Terminal terminal = report::make_terminal(std::cout, STDOUT_FILENO);
  const ReadOptions options = request.common.to_read_options();
  ModelConfig config = read_model_config(request.path, options);
  request.filter.apply(config, request.path);
  Json out{{"first_equal_positions", Json::object()}, {"rotations", Json::array()}};
  for (NumberFormat format : kFormats)
    out["first_equal_positions"][std::string(to_string(format))] = first_equal_positions(format);
  bool any = false;
  for (const ModelRotation& r : config.rotations) {
    if (!r.spec) continue;
    std::vector<Row> rows = rounded_rows(r);
    for (Row& row : arithmetic_rows(r, options.seq_len)) rows.push_back(std::move(row));
    if (request.json) {
      out["rotations"].push_back(rotation_json(r, rows));
      continue;
    }
    std::string name = title(r);
    name.pop_back();
    *terminal.out << (any ? "\n" : "") << strong(terminal, "== " + name) << "\n";
    any = true;
    print(terminal, passages_of(rows));
  }
  if (request.json)
    *terminal.out << one_line(out);
  else if (!any)
    *terminal.out << "no rotation that is known\n";
}

}  // namespace

void add_precision(CLI::App& app) {
  auto request = std::make_shared<Request>();
  CLI::App* precision = app.add_subcommand(
      "precision", "Where float16, bfloat16, TF32, float32 and engines' arithmetics lose positions of a model");
  precision->add_option("path", request->path, "config.json or another file that describes a model, or its folder")
      ->required();
  request->common.add_to(*precision);
  request->filter.add_to(*precision);
  precision->add_flag("--json", request->json, "machine-readable");
  precision->footer("Examples:\n  rotary precision config.json\n  rotary precision config.json --layer 0 --json");
  precision->callback([request] { run(*request); });
}

}  // namespace rotary::cli
