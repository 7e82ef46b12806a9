// Typed look-ups in one (sub-)configuration: the file first, by the family's own key names, then the family's defaults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json_reader.h"
#include "rotary/formats/model_config.h"

namespace rotary::detail {

/// What reading one file accumulates.
struct Reading {
  std::string name;  ///< of the file, for messages
  ReadOptions options;
  std::vector<ConfigWarning> warnings;
  std::vector<ConfigWarning> unsettled;  ///< departures of transformers 5, where what `reference` does is not known
  std::size_t num_bytes = 0;             ///< of the file
  std::size_t budget = std::size_t{1} << 28;  ///< of bytes to copy or make

  bool as(Reference reference) const { return options.reference == reference; }
  /// By the rules of transformers 5, which the engines' own rules start from.
  bool as_transformers() const { return !as(Reference::kOriginal); }
  void warn(const std::string& key, const std::string& message);
  /// transformers 5 departs here from what the file says; so do the engines of `also`. Under them it is a warning,
  /// under all others unsettled.
  void depart(const std::string& key, const std::string& message, std::span<const Reference> also = {});
  /// Bounds what one file can cost; throws std::runtime_error like fail().
  void spend(std::size_t bytes, const std::string& path);
  void spend_on(const RopeSpec& spec, const std::string& path);
};

/// Engines that let transformers 5 read the configuration and compute from what it makes of it.
inline constexpr std::array kThroughTransformers{Reference::kVllm, Reference::kSglang, Reference::kOnnxruntimeGenai};

/// "vllm 0.28.0".
std::string name_and_release(Reference reference);

/// A value with its origin. Converts to `false` when neither the file nor the family has it.
struct Value {
  const Json* json = nullptr;
  std::string path;      ///< dotted, from the root of the file
  bool assumed = false;  ///< the family's default

  explicit operator bool() const { return json != nullptr; }
  Source source(std::string field) const;
};

/// Throws std::runtime_error "file: path must hold, got value".
[[noreturn]] void fail(const Reading& reading, const std::string& path, std::string_view must_hold,
                       const std::string& got);

/// Conversions, each failing by file and key path. A boolean is no number; an integer may be written as 1024.0.
double to_number(const Reading& reading, const Value& value);
std::int64_t to_integer(const Reading& reading, const Value& value);
bool to_boolean(const Reading& reading, const Value& value);
std::string to_text(const Reading& reading, const Value& value);
std::vector<double> to_numbers(const Reading& reading, const Value& value);
std::vector<int> to_integers(const Reading& reading, const Value& value);
std::vector<std::string> to_texts(const Reading& reading, const Value& value);

/// Looks up in a JSON object that sits at `path`; null counts as absent.
Value member(const Json& object, const std::string& path, const std::string& key, bool assumed = false);

class ConfigView {
 public:
  /// `component`: the dotted path that the component is reported under; other than `path` where a flat file holds its
  /// keys.
  ConfigView(const Json& node, std::string path, const Json& row, Reading& reading, std::string component)
      : node_(&node), path_(std::move(path)), row_(&row), reading_(&reading), component_(std::move(component)) {}

  /// The value of a key by our canonical name (transformers' usual one), else the family's default, else nothing. A
  /// family's key may be a path into objects ("yarn.factor").
  Value get(const std::string& name) const;
  /// The value in the file only.
  Value in_file(const std::string& name) const;

  /// Like get(), converted. `require_` forms fail when there is none.
  std::optional<double> number(const std::string& name) const;
  std::optional<std::int64_t> integer(const std::string& name) const;
  int require_size(const std::string& name) const;

  const Json& node() const { return *node_; }
  const Json& row() const { return *row_; }
  const std::string& path() const { return path_; }
  const std::string& component() const { return component_; }
  /// The same place read by other rules, or other contents read by the same rules.
  ConfigView with_row(const Json& row) const { return {*node_, path_, row, *reading_, component_}; }
  ConfigView with_node(const Json& node) const { return {node, path_, *row_, *reading_, component_}; }
  Reading& reading() const { return *reading_; }
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

 private:
  std::vector<std::string> names_of(const std::string& name) const;
  std::vector<std::string> spellings_of(const std::string& key) const;

  const Json* node_;
  std::string path_;
  const Json* row_;
  Reading* reading_;
  std::string component_;
};

}  // namespace rotary::detail
