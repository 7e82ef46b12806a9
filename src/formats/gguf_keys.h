// Typed look-ups of the keys of one architecture in a GGUF file: "llama.rope.freq_base" by "rope.freq_base".
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/config_view.h"
#include "rotary/formats/gguf.h"

namespace rotary::detail {

class GgufKeys {
 public:
  GgufKeys(const GgufFile& file, std::string architecture, Reading& reading)
      : file_(file), architecture_(std::move(architecture)), reading_(reading) {}

  /// None if the key is absent. Fail by file and key if it is of another type; a number must be finite, a count in
  /// 0 .. 2^31 - 1.
  std::optional<double> number(const std::string& suffix);
  std::optional<std::int64_t> count(const std::string& suffix);
  std::optional<bool> boolean(const std::string& suffix);
  std::optional<std::string> text(const std::string& suffix);
  /// One for every layer: an array of so many, or one value that holds for all. Truth values are 0 and 1.
  std::optional<std::vector<std::int64_t>> counts(const std::string& suffix, std::size_t num_layers);

  /// The value whatever its type; null if absent. Counts as read, like the others.
  const GgufValue* value(const std::string& suffix);

  std::string path_of(const std::string& suffix) const { return architecture_ + "." + suffix; }
  /// Where a value came from; without `given` it is the default.
  Source source(std::string field, const std::string& suffix, const std::string& otherwise);
  [[noreturn]] void fail(const std::string& suffix, const std::string& must_hold, const std::string& got) const;

  bool was_read(std::string_view key) const { return read_.contains(key); }
  const GgufFile& file() const { return file_; }
  const std::string& architecture() const { return architecture_; }
  Reading& reading() { return reading_; }
  bool as_written() const { return reading_.options.reference == Reference::kOriginal; }

 private:
  const GgufFile& file_;
  std::string architecture_;
  Reading& reading_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace rotary::detail
