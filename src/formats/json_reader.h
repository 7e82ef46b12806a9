// JSON as configuration files hold it: bounded, duplicates reported, Python's bare NaN and Infinity accepted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rotary::detail {

using Json = nlohmann::json;

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;
constexpr int kMaxDepth = 128;
constexpr int kMaxValues = 1 << 22;  ///< of a document, scalars and containers together

/// A bare NaN, Infinity or -Infinity arrives as a string that starts with this character (JSON text cannot hold it
/// unescaped).
constexpr char kNonFiniteMark = '\x01';

struct JsonDocument {
  Json root;
  std::vector<std::string> duplicate_keys;  ///< dotted paths
};

/// What the kind of a document allows.
struct JsonRules {
  std::size_t max_bytes = kMaxFileBytes;
  bool python_numbers = true;  ///< bare NaN, Infinity and -Infinity, marked as above
};

/// Throws std::runtime_error "name: ..." for text that is too large, too deep or not JSON.
JsonDocument parse_json(std::string_view text, const std::string& name, const JsonRules& rules = {});

/// A value as a message shows it, cut to a readable length.
std::string show(const Json& value);

}  // namespace rotary::detail
