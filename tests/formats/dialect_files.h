// The published files under tests/golden/dialects, and configurations of the same models for transformers.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "formats/reading.h"

namespace rotary::testing {

inline std::string golden_text(const std::string& name) {
  std::ifstream in(std::string(ROTARY_TEST_DATA) + "/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline ModelConfig read_dialect(const std::string& name) {
  return parse_model_config(golden_text("dialects/" + name), name);
}

// A configuration of tests/golden/rope/published.jsonl.
inline Json published(const std::string& name) {
  std::ifstream in(std::string(ROTARY_TEST_DATA) + "/rope/published.jsonl");
  for (std::string line; std::getline(in, line);)
    if (const Json entry = Json::parse(line); entry.value("config", "") == name) return entry.at("json");
  throw std::runtime_error("no published configuration " + name);
}

// The map with its pairs as halves: what two files of one model share, whatever the order of rows in their weights.
inline RotationMap in_halves(const ModelRotation& r) {
  RopeSpec s = r.spec.value();
  s.pairing = s.output_pairing = Pairing::kHalf;
  return make_rotation_map(s);
}

inline std::string text_error(const std::string& text, const std::string& name, const ReadOptions& options = {}) {
  try {
    parse_model_config(text, name, options);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace rotary::testing
