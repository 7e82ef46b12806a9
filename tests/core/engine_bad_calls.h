// Counterparts of the calls with bad or borderline input that other engines were recorded with: a typed error that
// names the argument, a defined result, or nothing, where the library has no words for such a call.
#pragma once

#include <set>

#include "core/bad_calls.h"
#include "core/engine_records.h"

namespace rotary::testing {

constexpr const char* kInvalid = "invalid_argument";
constexpr const char* kRange = "out_of_range";

/// A record whose call has a defined result here, which `check` expects.
struct DefinedResult {
  const char* record;
  std::function<void()> check;

  friend void PrintTo(const DefinedResult& r, std::ostream* out) { *out << r.record; }
};

/// A record whose call cannot be written down with the library, and why.
struct NoWords {
  const char* record;
  const char* reason;
};

inline std::string parameter_name(std::string record) {
  std::replace_if(
      record.begin(), record.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return record;
}

inline std::string record_name(const ::testing::TestParamInfo<BadCall>& info) {
  return parameter_name(info.param.name);
}
inline std::string result_name(const ::testing::TestParamInfo<DefinedResult>& info) {
  return parameter_name(info.param.record);
}

/// The records of bad input of a folder; those of attention are not meant.
inline std::vector<json> bad_records(const std::string& folder) {
  std::ifstream file(engine_path(folder + "/index.json"));
  if (!file) throw std::runtime_error("cannot open the index of " + folder);
  const json index = json::parse(file);
  std::vector<json> out;
  for (const json& record : index["cases"])
    if (record.contains("behaviour") && record["op"] != "com.microsoft.GroupQueryAttention") out.push_back(record);
  return out;
}

/// Every record of bad input of the folder is in one of the tables.
inline void expect_all_in(const std::string& folder, const std::vector<BadCall>& refused,
                          const std::vector<DefinedResult>& defined, const std::vector<NoWords>& no_words) {
  std::set<std::string> known;
  for (const auto& c : refused) known.insert(c.name);
  for (const auto& r : defined) known.insert(r.record);
  for (const auto& r : no_words) known.insert(r.record);
  for (const json& record : bad_records(folder)) {
    const auto id = folder + "/" + record["id"].get<std::string>();
    EXPECT_EQ(known.count(id), 1U) << id << " has no counterpart";
  }
}

/// Ones (or another value) turned in place.
inline Vector turned(const Rotary& rotary, const Positions& positions, std::array<std::int64_t, 4> shape,
                     double value = 1, DType dtype = DType::kFloat32) {
  Heads x = zero_heads(dtype, shape);
  for (std::size_t i = 0; i < x.memory.size(); ++i) x.memory.set(i, value);
  apply_rotary_inplace(rotary, x.view(), positions);
  Vector out;
  for (std::size_t i = 0; i < x.memory.size(); ++i) out.push_back(x.memory[i]);
  return out;
}

}  // namespace rotary::testing
