// The records of tests/golden/rope (its README.md describes the lines), expanded.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rotary::testing {

using Json = nlohmann::json;

struct GoldenPair {
  int a = 0, b = 0, c = 0, d = 0;
  std::vector<double> frequency;  // one per axis that turns it
  std::vector<int> axis;
};

struct GoldenLength {
  std::int64_t seq_len = 0;
  double attention_factor = 1;
  std::vector<double> frequency;  // one per pair
};

struct GoldenRecord {
  std::string id;
  std::optional<std::string> component;  // none: any component will do
  std::optional<std::vector<int>> layers;
  bool no_rotation = false, not_a_rotation = false, moved = false;
  std::optional<int> head_dim, rotary_dim;
  std::vector<GoldenPair> pairs;
  double attention_factor = 1, input_scale = 1;
  std::optional<double> softmax_factor;
  bool measured = false;  // frequencies from angles, not from the model's buffer
  std::vector<GoldenLength> lengths;
};

// One configuration and what was recorded of it.
struct GoldenGroup {
  std::string kind, name, config;
  std::vector<GoldenRecord> records;
};

// `steps` float32 numbers further from zero: '0' none, 'a' one up, 'A' one down, ...
inline double stepped(double rule, char steps) {
  const int count = steps == '0' ? 0 : steps >= 'a' ? steps - 'a' + 1 : -(steps - 'A' + 1);
  const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(std::abs(rule)));
  return std::copysign(std::bit_cast<float>(bits + count), rule);
}

inline double ruled(double base, double exponent, double times, const std::string& steps, std::size_t i) {
  return stepped(times * std::pow(base, exponent), steps.empty() ? '0' : steps.at(i));
}

inline void add_block(const Json& block, std::vector<GoldenPair>& pairs) {
  const int step = block.value("step", 1), count = block.at("count");
  const Json out = block.value("out", Json::array());
  const std::string steps = block.value("ulps", "");
  for (int i = 0; i < count; ++i) {
    GoldenPair p{
        block.at("a").get<int>() + i * step, block.at("b").get<int>() + i * step, 0, 0, {}, {block.at("axis")}};
    p.c = out.empty() ? p.a : out[0].get<int>() + i * out[2].get<int>();
    p.d = out.empty() ? p.b : out[1].get<int>() + i * out[2].get<int>();
    const auto n = static_cast<std::size_t>(i);
    if (block.contains("values")) {
      p.frequency = {block.at("values").at(n)};
    } else {
      const double k = block.value("k", 0.0) + block.value("k_step", 1.0) * i;
      p.frequency = {
          ruled(block.at("base"), -2 * k / block.at("width").get<double>(), block.value("times", 1.0), steps, n)};
    }
    pairs.push_back(p);
  }
}

template <class T>
std::vector<T> list_of(const Json& value) {
  return value.is_array() ? value.get<std::vector<T>>() : std::vector<T>{value.get<T>()};
}

inline std::vector<GoldenPair> golden_pairs(const Json& line) {
  std::vector<GoldenPair> pairs;
  for (const Json& block : line.value("blocks", Json::array())) add_block(block, pairs);
  for (const Json& p : line.value("pairs", Json::array()))
    pairs.push_back({p[0], p[1], p[0], p[1], list_of<double>(p[2]), list_of<int>(p[3])});
  const Json moved = line.value("out_pairs", Json::array());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    pairs.at(i).c = moved[i][0];
    pairs.at(i).d = moved[i][1];
  }
  std::sort(pairs.begin(), pairs.end(), [](const GoldenPair& x, const GoldenPair& y) { return x.a < y.a; });
  return pairs;
}

inline GoldenLength golden_length(const Json& entry, const std::vector<GoldenPair>& pairs) {
  GoldenLength out{entry.at("seq_len"), entry.at("attention_factor"), {}};
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (entry.contains("base"))
      out.frequency.push_back(
          ruled(entry.at("base"), -static_cast<double>(i) / static_cast<double>(pairs.size()), 1, entry.at("ulps"), i));
    else
      out.frequency.push_back(entry.contains("values") ? entry.at("values").at(i).get<double>()
                                                       : pairs[i].frequency[0]);
  return out;
}

inline std::vector<int> golden_layers(const Json& runs) {
  std::vector<int> out;
  for (const Json& run : runs)
    for (int i = run[0]; i <= run[1]; i += run[2].get<int>()) out.push_back(i);
  return out;
}

inline GoldenRecord golden_record(const Json& line) {
  GoldenRecord out;
  out.id = line.at("record");
  if (line.contains("component")) out.component = line.at("component");
  if (line.contains("layers")) out.layers = golden_layers(line.at("layers"));
  out.no_rotation = line.value("no_rotation", false);
  out.not_a_rotation = line.contains("pairs") && line.at("pairs").is_null();
  if (line.contains("head_dim")) out.head_dim = line.at("head_dim");
  if (line.contains("rotary_dim")) out.rotary_dim = line.at("rotary_dim");
  if (!out.not_a_rotation) out.pairs = golden_pairs(line);
  for (const GoldenPair& p : out.pairs) out.moved |= p.a != p.c || p.b != p.d;
  out.attention_factor = line.value("attention_factor", 1.0);
  out.input_scale = line.value("input_scale", 1.0);
  if (line.contains("softmax_factor")) out.softmax_factor = line.at("softmax_factor");
  out.measured = line.value("measured", false);
  for (const Json& entry : line.value("at_seq_len", Json::array()))
    out.lengths.push_back(golden_length(entry, out.pairs));
  return out;
}

// Where a record is: its file, the line of its configuration, its place among that configuration's records.
struct GoldenPlace {
  std::string kind, id;
  std::streamoff config = 0;
  std::size_t index = 0;
};

inline std::ifstream golden_lines(const std::string& kind) {
  std::ifstream in(std::string(ROTARY_TEST_DATA) + "/rope/" + kind + ".jsonl", std::ios::binary);
  if (!in) throw std::runtime_error("cannot open the golden records " + kind);
  return in;
}

inline const std::string kRecordStart = R"({"record": ")", kConfigStart = R"({"config": ")";

// All records, found without parsing.
inline std::vector<GoldenPlace> golden_places() {
  std::vector<GoldenPlace> out;
  for (const char* kind : {"models", "published", "scaling"}) {
    std::ifstream in = golden_lines(kind);
    GoldenPlace place{kind, "", 0, 0};
    std::string line;
    for (std::streamoff at = in.tellg(); std::getline(in, line); at = in.tellg()) {
      if (line.starts_with(kConfigStart)) {
        place.config = at;
        place.index = 0;
      } else {
        place.id = line.substr(kRecordStart.size(), line.find('"', kRecordStart.size()) - kRecordStart.size());
        out.push_back(place);
        ++place.index;
      }
    }
  }
  return out;
}

// The group whose configuration line `in` comes to next; none at the end.
inline std::optional<GoldenGroup> next_group(std::ifstream& in, const std::string& kind) {
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  const Json head = Json::parse(line);
  GoldenGroup out{kind, head.at("config"), head.at("json").dump(), {}};
  for (std::streamoff at = in.tellg(); std::getline(in, line); at = in.tellg()) {
    if (line.starts_with(kConfigStart)) {
      in.seekg(at);
      break;
    }
    out.records.push_back(golden_record(Json::parse(line)));
  }
  return out;
}

inline GoldenGroup golden_group(const GoldenPlace& place) {
  std::ifstream in = golden_lines(place.kind);
  in.seekg(place.config);
  return next_group(in, place.kind).value();
}

inline std::vector<GoldenGroup> golden_groups() {
  std::vector<GoldenGroup> out;
  for (const char* kind : {"models", "published", "scaling"}) {
    std::ifstream in = golden_lines(kind);
    while (auto group = next_group(in, kind)) out.push_back(*std::move(group));
  }
  return out;
}

}  // namespace rotary::testing
