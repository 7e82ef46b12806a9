#include "cli/measured.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/rotation_choice.h"

namespace rotary::cli {
namespace {

std::string bits_text(int bits) { return bits == 8 ? "bfloat16" : bits == 11 ? "float16" : "float32"; }

std::string contents_of(const MeasuredRotation& m, std::int64_t count, const char* unit) {
  return std::to_string(count) + " " + unit + ", " + std::to_string(m.map.pairs.size()) + " pairs, " +
         bits_text(m.value_bits) + " values";
}

Measured measure(const CosSinFile& table, const std::string& path) {
  try {
    MeasuredRotation m = measure_table(table.cos, table.sin, table.num_rows);
    return {"table", m, contents_of(m, table.num_rows, "rows"), 0};
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

Measured measure(const RotatedVectors& v, const std::string& path) {
  try {
    MeasuredRotation m = measure_rotation(v.before, v.after, v.positions);
    return {v.name, m, contents_of(m, static_cast<std::int64_t>(v.positions.size()), "vectors"),
            *std::max_element(v.positions.begin(), v.positions.end()) + 1};
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(path + ": " + v.name + ": " + error.what());
  }
}

void find_largest(const std::vector<float>& x, const std::vector<float>& y, std::size_t width, Finding& out) {
  const std::size_t size = std::min(x.size(), y.size());
  for (std::size_t i = 0; i < size; ++i) {
    const double d = std::abs(double{x[i]} - double{y[i]});
    if (out.max_value && d <= *out.max_value) continue;
    out.max_value = d;
    out.row = static_cast<std::int64_t>(i / width);
    out.column = static_cast<std::int64_t>(i % width);
  }
}

// A table in fewer digits is another table, though the rotation is the same.
void add_width(const MeasuredRotation& x, const MeasuredRotation& y, MapDifference& d) {
  if (x.value_bits == y.value_bits) return;
  d.same = false;
  d.cause += (d.cause.empty() ? "" : ", ") + bits_text(std::min(x.value_bits, y.value_bits)) + " values in the " +
             (x.value_bits < y.value_bits ? "first" : "second");
}

Finding compare_tables(const std::string& first, const std::string& second, double position) {
  const CosSinFile x = read_cos_sin(first), y = read_cos_sin(second);
  const Measured mx = measure(x, first), my = measure(y, second);
  Finding out{"table", mx.contents + " / " + my.contents, compare(mx.rotation, my.rotation, position), {}, -1, -1, {},
              {}};
  add_width(mx.rotation, my.rotation, out.difference);
  const std::size_t width = x.cos.size() / static_cast<std::size_t>(x.num_rows);
  if (width != y.cos.size() / static_cast<std::size_t>(y.num_rows)) return out;
  find_largest(x.cos, y.cos, width, out);
  find_largest(x.sin, y.sin, width, out);
  return out;
}

// The first vector at each position: one head.
std::map<std::int64_t, std::size_t> one_head(const RotatedVectors& v) {
  std::map<std::int64_t, std::size_t> out;
  for (std::size_t n = 0; n < v.positions.size(); ++n) out.emplace(v.positions[n], n);
  return out;
}

double logit(const RotatedVectors& q, std::size_t i, const RotatedVectors& k, std::size_t j) {
  const auto width = static_cast<std::size_t>(q.channels);
  double sum = 0;
  for (std::size_t c = 0; c < width; ++c) sum += double{q.after[i * width + c]} * double{k.after[j * width + c]};
  return sum / std::sqrt(static_cast<double>(width));
}

using Dump = std::vector<RotatedVectors>;

const RotatedVectors* find(const Dump& dump, const std::string& name) {
  for (const RotatedVectors& v : dump)
    if (v.name == name) return &v;
  return nullptr;
}

// "layer0_q" has its keys in "layer0_k".
std::optional<double> largest_logit(const std::string& name, const Dump& x, const Dump& y) {
  if (!name.ends_with('q')) return std::nullopt;
  const std::string keys = name.substr(0, name.size() - 1) + "k";
  const RotatedVectors *qx = find(x, name), *kx = find(x, keys), *qy = find(y, name), *ky = find(y, keys);
  if (!kx || !qy || !ky || kx->channels != qx->channels || qy->channels != qx->channels || ky->channels != qx->channels)
    return std::nullopt;
  const auto q_heads = one_head(*qx), k_heads = one_head(*kx);
  double out = 0;
  if (qy->positions != qx->positions || ky->positions != kx->positions) return std::nullopt;
  for (const auto& [m, i] : q_heads)
    for (const auto& [n, j] : k_heads) out = std::max(out, std::abs(logit(*qx, i, *kx, j) - logit(*qy, i, *ky, j)));
  return out;
}

std::vector<Finding> compare_dumps(const std::string& first, const std::string& second, DumpLayout layout,
                                   double position) {
  const Dump x = read_rotated_vectors(first, layout), y = read_rotated_vectors(second, layout);
  std::vector<Finding> out;
  for (const RotatedVectors& v : x) {
    const RotatedVectors* other = find(y, v.name);
    if (other == nullptr) continue;
    const Measured mx = measure(v, first), my = measure(*other, second);
    Finding f{v.name, mx.contents + " / " + my.contents, compare(mx.rotation, my.rotation, position), {}, -1, -1, {},
              {}};
    if (v.channels == other->channels) find_largest(v.after, other->after, static_cast<std::size_t>(v.channels), f);
    f.max_logit = largest_logit(v.name, x, y);
    out.push_back(std::move(f));
  }
  if (out.empty()) throw std::runtime_error(second + ": must hold vectors of the names in " + first + ", got others");
  return out;
}

// A table that has not the model's pairs says nothing more.
std::string width_fault(const RotationMap& map, const MeasuredRotation& m) {
  const std::size_t found = m.map.pairs.size(), wanted = map.pairs.size();
  return found == wanted ? "" : std::to_string(found) + " pairs, the model has " + std::to_string(wanted);
}

MapDifference judge(const ModelRotation& r, const MeasuredRotation& m, double position, std::int64_t seq_len) {
  MapDifference d = compare(
      seq_len > 0 && depends_on_length(r.spec->scaling) ? make_rotation_map(*r.spec, seq_len) : r.rotation.query, m,
      position);
  if (d.same) return d;
  std::string fault = likely_fault(*r.spec, m, seq_len);
  if (fault.empty()) fault = width_fault(r.rotation.query, m);
  const std::string positions = position_faults(m);
  if (!fault.empty()) d.cause = fault + (positions.empty() ? "" : ", " + positions);
  return d;
}

}  // namespace

std::vector<Measured> measure_file(const std::string& path, DumpLayout layout) {
  if (kind_of_rotation_file(path) != RotationFile::kVectors) return {measure(read_cos_sin(path), path)};
  std::vector<Measured> out;
  for (const RotatedVectors& v : read_rotated_vectors(path, layout)) out.push_back(measure(v, path));
  return out;
}

std::vector<Finding> compare_files(const std::string& first, const std::string& second, DumpLayout layout,
                                   double position) {
  if (kind_of_rotation_file(first) == RotationFile::kVectors) return compare_dumps(first, second, layout, position);
  return {compare_tables(first, second, position)};
}

std::vector<Finding> compare_with(const std::vector<ModelRotation>& rotations, const std::string& path,
                                  DumpLayout layout, double position, std::int64_t seq_len) {
  std::vector<Finding> out;
  for (const Measured& m : measure_file(path, layout)) {
    Finding finding{m.name, m.contents, {}, {}, -1, -1, {}, {}};
    bool first = true;
    for (const ModelRotation& r : rotations) {
      const MapDifference d = judge(r, m.rotation, position, seq_len > 0 ? seq_len : m.seq_len);
      if (first || d.same) {
        finding.difference = d;
        if (rotations.size() > 1) finding.rotation = rotation_name(r) + ", " + layers_text(r);
      }
      first = false;
      if (d.same) break;
    }
    out.push_back(std::move(finding));
  }
  return out;
}

bool same(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.difference.same; });
}

std::string to_text(const std::vector<Finding>& findings, double position) {
  std::string out;
  for (const Finding& f : findings) {
    const MapDifference& d = f.difference;
    char text[200];
    const std::string whose = f.rotation.empty() ? "" : " as " + f.rotation;
    out += f.name + " (" + f.contents + "): " + (d.same ? "same rotation" + whose : "differ: " + d.cause);
    if (!d.same && d.max_angle > 0) {
      std::snprintf(text, sizeof text, "; up to %.6g rad apart at position %.17g (pair %d), factor ratio %.9g",
                    d.max_angle, position, d.pair, d.factor_ratio);
      out += text;
    }
    if (f.max_value && *f.max_value > 0) {
      std::snprintf(text, sizeof text, "; values up to %.3g apart (row %lld, column %lld)", *f.max_value,
                    static_cast<long long>(f.row), static_cast<long long>(f.column));
      out += text;
    }
    if (f.max_logit && *f.max_logit > 0) {
      std::snprintf(text, sizeof text, "; logits up to %.3g apart", *f.max_logit);
      out += text;
    }
    out += "\n";
  }
  return out;
}

std::string to_json(const std::vector<Finding>& findings, double position) {
  using Json = nlohmann::ordered_json;
  Json out{{"same", same(findings)}, {"position", position}, {"findings", Json::array()}};
  for (const Finding& f : findings) {
    const MapDifference& d = f.difference;
    Json one{{"name", f.name},
             {"contents", f.contents},
             {"same", d.same},
             {"cause", d.cause},
             {"max_angle", d.max_angle},
             {"pair", d.pair},
             {"factor_ratio", d.factor_ratio}};
    if (!f.rotation.empty()) one["rotation"] = f.rotation;
    if (f.max_value) one["max_value"] = *f.max_value, one["row"] = f.row, one["column"] = f.column;
    if (f.max_logit) one["max_logit"] = *f.max_logit;
    out["findings"].push_back(std::move(one));
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rotary::cli
