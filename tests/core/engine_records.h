// Recorded calls of other engines' rotary operators: golden/engines/README.md.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/apply_cases.h"
#include "core/golden.h"
#include "core/token_positions.h"

namespace rotary::testing {

using nlohmann::json;

/// A recorded array, contiguous; the numbers of any type.
struct EngineTensor {
  std::string type;  // F64 F32 F16 BF16 I64 I32
  std::vector<std::int64_t> shape;
  std::vector<char> bytes;

  bool is(const char* name) const { return type == name; }
  std::size_t size() const {
    std::size_t n = 1;
    for (auto s : shape) n *= static_cast<std::size_t>(s);
    return n;
  }
  DType dtype() const {
    if (is("F16")) return DType::kFloat16;
    if (is("BF16")) return DType::kBfloat16;
    return is("F64") ? DType::kFloat64 : DType::kFloat32;
  }
  template <class T>
  T get(std::size_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  double operator[](std::size_t i) const {
    if (is("F64")) return get<double>(i);
    if (is("F32")) return get<float>(i);
    if (is("F16")) return detail::from_float16(get<std::uint16_t>(i));
    if (is("BF16")) return detail::from_bfloat16(get<std::uint16_t>(i));
    return is("I64") ? static_cast<double>(get<std::int64_t>(i)) : get<std::int32_t>(i);
  }
  template <class T>
  std::vector<T> as() const {
    std::vector<T> out;
    for (std::size_t i = 0; i < size(); ++i) out.push_back(static_cast<T>((*this)[i]));
    return out;
  }
};

inline EngineTensor tensor_of(const std::vector<float>& values) {
  const char* bytes = reinterpret_cast<const char*>(values.data());
  return {"F32", {static_cast<std::int64_t>(values.size())}, {bytes, bytes + values.size() * sizeof(float)}};
}

using EngineTensors = std::map<std::string, EngineTensor>;

/// The complete records, where someone has them; else the part of them that is kept here.
inline std::string engine_path(const std::string& name) {
  const char* all = std::getenv("ROTARY_ENGINE_RECORDS");
  return (all != nullptr ? std::string(all) : std::string(ROTARY_TEST_DATA) + "/engines") + "/" + name;
}

/// A safetensors file: the size of the header in 8 bytes, the header in JSON, the arrays.
inline EngineTensors read_engine_tensors(const std::string& name) {
  std::ifstream file(engine_path(name), std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + engine_path(name));
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  const char* data = bytes.data() + 8 + size;
  EngineTensors out;
  const json header = json::parse(bytes.begin() + 8, bytes.begin() + 8 + static_cast<long>(size));
  for (const auto& [key, value] : header.items()) {
    if (key == "__metadata__") continue;
    const auto at = value["data_offsets"].get<std::array<std::int64_t, 2>>();
    out[key] = {value["dtype"], value["shape"], {data + at[0], data + at[1]}};
  }
  return out;
}

struct EngineRecord {
  std::string id, op;
  json attributes;
  EngineTensors in, out;

  template <class T>
  T attribute(const char* name, T absent) const {
    const auto it = attributes.find(name);
    return it == attributes.end() || it->is_null() ? absent : it->get<T>();
  }
};

/// The records of a folder whose operator is one of `ops`, but those of bad input and those without an output.
inline std::vector<EngineRecord> engine_records(const std::string& folder, const std::vector<std::string>& ops) {
  std::ifstream file(engine_path(folder + "/index.json"));
  if (!file) throw std::runtime_error("cannot open the index of " + folder);
  std::map<std::string, EngineTensors> files;
  std::vector<EngineRecord> records;
  const json index = json::parse(file);
  for (const json& c : index["cases"]) {
    if (c.contains("behaviour") || c["outputs"].empty()) continue;
    if (std::find(ops.begin(), ops.end(), c["op"]) == ops.end()) continue;
    EngineRecord record{c["id"], c["op"], c["attributes"], {}, {}};
    auto [tensors, is_new] = files.try_emplace(c["file"]);
    if (is_new) tensors->second = read_engine_tensors(folder + "/" + c["file"].get<std::string>());
    for (const auto& [name, value] : c["inputs"].items()) record.in[name] = tensors->second.at(value["tensor"]);
    for (const auto& [name, value] : c["outputs"].items()) record.out[name] = tensors->second.at(value["tensor"]);
    records.push_back(std::move(record));
  }
  return records;
}

/// How head vectors lie in a recorded array.
enum class EngineOrder { kBatchTokensHeads, kBatchHeadsTokens };

/// Channels of a head are the last dimension, or the last one over `heads` where that is given (3-D of ONNX).
inline ConstTensorView view_of(const EngineTensor& x, EngineOrder order, std::int64_t heads = 0) {
  std::vector<std::int64_t> s = x.shape;
  if (heads > 0) s.back() /= heads, s.insert(s.end() - 1, heads);
  while (s.size() < 4) s.insert(s.begin(), 1);
  if (order == EngineOrder::kBatchTokensHeads)
    return bshd<const void>(x.bytes.data(), x.dtype(), s[0], s[1], s[2], s[3]);
  return bhsd<const void>(x.bytes.data(), x.dtype(), s[0], s[1], s[2], s[3]);
}

/// What is turned, how and where to.
struct EngineTurn {
  const Rotary& rotary;
  ConstTensorView x;
  Positions positions;
  bool back = false;

  EngineTensor result(const EngineTensor& like) const {
    EngineTensor out{like.type, like.shape, std::vector<char>(like.bytes.size())};
    const TensorView to{out.bytes.data(), x.dtype, x.shape, x.strides};
    if (back)
      apply_rotary_backward(rotary, x, to, positions);
    else
      apply_rotary(rotary, x, to, positions);
    return out;
  }
};

/// |got - want| may be (|x_a| + |x_b|) f (roundings u + angle roundings 2^-24 |angle|), u the unit roundoff of the
/// dtype, f the largest factor of cos and sin; channels that pass must be the same.
struct EngineTolerance {
  double roundings = 0;
  double angle_roundings = 0;
  double factor = 1;
};

/// Counts of a folder, or of a part of it.
struct EngineCount {
  std::string what;
  std::int64_t records = 0, agree = 0, values = 0, equal = 0;
  double worst = 0;

  explicit EngineCount(std::string name) : what(std::move(name)) {}
  EngineCount(const EngineCount&) = delete;
  EngineCount& operator=(const EngineCount&) = delete;
  ~EngineCount() {
    std::cout << what << ": " << agree << " of " << records << " records, " << equal << " of " << values
              << " values bit-equal, the others within " << worst << " of what they may be off by\n";
    EXPECT_GT(records, 0) << what;
    EXPECT_EQ(agree, records) << what;
  }

  /// bound(i): what value i may be off by.
  template <class Bound>
  void add(const std::string& id, const EngineTensor& got, const EngineTensor& want, const Bound& bound) {
    ASSERT_EQ(got.size(), want.size()) << id;
    double largest = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      const double gap = std::abs(got[i] - want[i]);
      ++values;
      if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])))
        ++equal;
      else
        largest = std::max(largest, gap / std::max(bound(i), 1e-300));
    }
    ++records;
    agree += largest <= 1;
    worst = std::max(worst, largest);
    EXPECT_LE(largest, 1) << id << ": the largest difference over what it may be";
  }

  void add_equal(const std::string& id, const EngineTensor& got, const EngineTensor& want) {
    add(id, got, want, [](std::size_t) { return 0.0; });
  }

  void add_turn(const std::string& id, const EngineTurn& turn, const EngineTensor& like, const EngineTensor& want,
                const EngineTolerance& tolerance);
};

/// (|x_a| + |x_b|) (roundings u + angle roundings 2^-24 |angle|) at every element of the array.
inline std::vector<double> engine_bounds(const EngineTurn& turn, const EngineTensor& x, const EngineTolerance& t) {
  const RotationMap& map = turn.rotary.map();
  const auto& [batch, tokens, heads, channels] = turn.x.shape;
  const detail::TokenPositions source(turn.positions, {batch, tokens, map.num_axes, {}}, "engine_bounds");
  std::vector<double> bounds(x.size()), at(static_cast<std::size_t>(map.num_axes));
  const double u = unit_roundoff(turn.x.dtype), least = turn.x.dtype == DType::kFloat16 ? 0x1p-25 : 0;
  for (std::int64_t i = 0; i < batch * tokens * heads; ++i) {
    const std::int64_t h = i % heads, token = i / heads % tokens, b = i / heads / tokens;
    source.read(b, token, 1, at.data(), map.num_axes);
    const std::int64_t start = b * turn.x.strides[0] + token * turn.x.strides[1] + h * turn.x.strides[2];
    for (int pair = 0; pair < static_cast<int>(map.pairs.size()); ++pair) {
      const ChannelPair& p = map.pairs[static_cast<std::size_t>(pair)];
      double angle = 0;
      for (int axis = 0; axis < map.num_axes; ++axis)
        angle += std::abs(at[static_cast<std::size_t>(axis)] *
                          map.at(map.num_sets > 1 ? static_cast<int>(h) : 0, pair, axis).hi);
      const auto a = static_cast<std::size_t>(start + p.a), c = static_cast<std::size_t>(start + p.b);
      const double size = (std::abs(x[a]) + std::abs(x[c])) * t.factor * std::abs(map.attention_factor);
      bounds[a] = bounds[c] = size * (t.roundings * u + t.angle_roundings * 0x1p-24 * angle) + t.roundings * least;
    }
  }
  return bounds;
}

inline void EngineCount::add_turn(const std::string& id, const EngineTurn& turn, const EngineTensor& like,
                                  const EngineTensor& want, const EngineTolerance& tolerance) {
  const std::vector<double> bounds = engine_bounds(turn, like, tolerance);
  add(id, turn.result(like), want, [&](std::size_t i) { return bounds[i]; });
}

}  // namespace rotary::testing
