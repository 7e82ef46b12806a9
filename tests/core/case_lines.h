// Golden text files with one case a line: "case kind key=value ... : key=value ...".
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/golden.h"
#include "core/rotation_cases.h"

namespace rotary::testing {

struct CaseLine {
  std::string id, kind, text;
  std::map<std::string, std::string> keys;
  std::vector<std::pair<std::string, std::string>> want;

  double number(const std::string& key, double absent) const {
    return keys.count(key) ? std::stod(keys.at(key)) : absent;
  }
  Vector list(const std::string& key) const;
};

inline Vector numbers(const std::string& text) {
  Vector out;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) out.push_back(std::stod(word));
  return out;
}

inline Vector CaseLine::list(const std::string& key) const { return numbers(keys.count(key) ? keys.at(key) : ""); }

inline CaseLine parse_case(const std::string& text) {
  CaseLine line;
  line.text = text;
  std::istringstream words(text);
  words >> line.id >> line.kind;
  bool wanted = false;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (word == ":")
      wanted = true;
    else if (wanted)
      line.want.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    else
      line.keys[word.substr(0, equals)] = word.substr(equals + 1);
  }
  if (line.want.empty()) throw std::runtime_error("a case without values: " + text);
  return line;
}

/// The lines of a golden file by case, in the order of the file.
struct CaseGroup {
  std::string id;
  std::vector<CaseLine> lines;
  friend void PrintTo(const CaseGroup& group, std::ostream* out) { *out << group.id; }
};

inline std::vector<CaseGroup> read_cases(const std::string& name) {
  std::vector<CaseGroup> out;
  std::ifstream file = open_golden(name);
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text[0] == '#') continue;
    const CaseLine line = parse_case(text);
    auto group = std::find_if(out.begin(), out.end(), [&](const CaseGroup& g) { return g.id == line.id; });
    if (group == out.end()) group = out.insert(out.end(), CaseGroup{line.id, {}});
    group->lines.push_back(line);
  }
  return out;
}

inline std::string group_name(const ::testing::TestParamInfo<CaseGroup>& info) {
  std::string name = info.param.id;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

/// Half a unit of the last digit that is written in `text`.
inline double half_unit(const std::string& text) {
  const std::size_t e = text.find_first_of("eE"), point = text.find('.');
  const double exponent = e == std::string::npos ? 0 : std::stod(text.substr(e + 1));
  const std::size_t end = std::min(e, text.size());
  const double decimals = point == std::string::npos ? 0 : static_cast<double>(end - point - 1);
  const bool exact = point == std::string::npos && e == std::string::npos && std::stod(text) < 1000;
  return exact ? 0 : 0.5 * std::pow(10.0, exponent - decimals);
}

// --- Specs

inline void read(const CaseLine&, DefaultScaling&) {}
inline void read(const CaseLine& line, LinearScaling& s) { s.factor = line.number("s", 1); }
inline void read(const CaseLine& line, NtkScaling& s) { s.alpha = line.number("s", 1); }
inline void read(const CaseLine& line, NtkScaledBaseScaling& s) { s.factor = line.number("s", 1); }

inline void read(const CaseLine& line, NtkMixedScaling& s) {
  s.factor = line.number("s", 1);
  s.mixed_b = line.number("b", s.mixed_b);
}

inline void read(const CaseLine& line, DynamicNtkScaling& s) {
  s = {line.number("s", 1), line.number("L0", 0), line.kind == "dynamic_paper"};
}

inline void read(const CaseLine& line, NtkByPartsScaling& s) {
  s.factor = line.number("s", 1);
  s.original_max_position = line.number("L0", 0);
}

inline void read(const CaseLine& line, NtkByPartsPaperScaling& s) {
  s.factor = line.number("s", 1);
  s.original_max_position = line.number("L0", 0);
  s.temperature = line.kind == "yarn_paper";
}

inline void read(const CaseLine& line, YarnScaling& s) {
  s = yarn_of(line.number("s", 1), line.number("L0", 0));
  s.beta_fast = line.number("fast", 32);
  s.beta_slow = line.number("slow", 1);
  s.truncate = line.number("truncate", 1) != 0;
  s.mscale_coefficient = line.number("coefficient", 0.1);
  if (line.keys.count("attention_factor")) s.attention_factor = line.number("attention_factor", 0);
  if (line.keys.count("mscale")) s.mscale = line.number("mscale", 0);
  if (line.keys.count("mscale_all_dim")) s.mscale_all_dim = line.number("mscale_all_dim", 0);
}

inline void read(const CaseLine& line, LongRopeScaling& s) {
  s = longrope_of(line.number("s", 1), line.number("L0", 0), line.list("short"), line.list("long"));
  s.dynamic_blend = line.keys.count("blend") > 0;
}

inline void read(const CaseLine& line, Llama3Scaling& s) {
  s = {line.number("s", 8), line.number("low", 1), line.number("high", 4), line.number("L0", 8192)};
}

inline void read(const CaseLine& line, ProportionalScaling& s) {
  s = {line.number("proportion", 1), line.number("s", 1)};
}
inline void read(const CaseLine&, GivenFrequencies&) {}

template <std::size_t kKind = 0>
Scaling scaling_of(const CaseLine& line) {
  if constexpr (kKind == std::variant_size_v<Scaling>) {
    throw std::runtime_error("no such method: " + line.text);
  } else {
    std::variant_alternative_t<kKind, Scaling> scaling;
    read(line, scaling);
    const std::string name = line.kind == "dynamic_paper" ? "dynamic" : line.kind;
    return scaling_name(scaling) == name ? Scaling{scaling} : scaling_of<kKind + 1>(line);
  }
}

inline RopeSpec spec_of(const CaseLine& line) {
  RopeSpec spec = spec_of(static_cast<int>(line.number("d", 0)), line.number("base", 10000), scaling_of(line));
  spec.head_dim = static_cast<int>(line.number("head", spec.rotary_dim));
  if (!line.keys.count("sections")) return spec;
  spec.axes = {AxisRule::kSections, 3, {}, {}};
  for (double s : line.list("sections")) spec.axes.sections.push_back(static_cast<int>(s));
  return spec;
}

inline std::int64_t length_of(const CaseLine& line) { return static_cast<std::int64_t>(line.number("len", 0)); }

// --- Vectors

inline Pairing pairing_of(const CaseLine& line, const std::string& key) {
  return line.keys.at(key) == "half" ? Pairing::kHalf : Pairing::kInterleaved;
}

/// The map of a line of vectors.txt.
inline RotationMap vector_map(const CaseLine& line) {
  RopeSpec spec = spec_of(static_cast<int>(line.number("d", 0)), 10000);
  spec.head_dim = static_cast<int>(line.number("head", spec.rotary_dim));
  spec.rotary_offset = static_cast<int>(line.number("offset", 0));
  spec.pairing = pairing_of(line, "in");
  spec.output_pairing = pairing_of(line, "out");
  RotationMap map = make_rotation_map(spec);
  map.attention_factor = line.number("factor", 1);
  return map;
}

}  // namespace rotary::testing
