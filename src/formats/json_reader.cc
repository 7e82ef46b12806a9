#include "formats/json_reader.h"

#include <stdexcept>

namespace rotary::detail {
namespace {

// Rewrites bare NaN, Infinity and -Infinity outside strings, which Python writes and JSON does not know.
std::string mark_non_finite(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      if (c == '"') in_string = false;
      continue;
    }
    in_string = c == '"';
    std::string_view word;
    for (std::string_view candidate : {"-Infinity", "Infinity", "NaN"})
      if (text.substr(i).starts_with(candidate)) {
        word = candidate;
        break;
      }
    if (word.empty()) {
      out += c;
    } else {
      out += std::string("\"\\u0001") + std::string(word) + '"';
      i += word.size() - 1;
    }
  }
  return out;
}

// Builds the document event by event, refusing depth and reporting duplicate keys as it goes.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::string name) : name_(std::move(name)) {}

  JsonDocument take() { return std::move(document_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    Level& level = levels_.back();
    level.key = value;
    constexpr std::size_t kMaxReported = 1000;
    if (level.node->contains(value) && document_.duplicate_keys.size() < kMaxReported)
      document_.duplicate_keys.push_back(path());
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    std::string what = error.what();
    if (const auto end = what.find("] "); end != std::string::npos) what = what.substr(end + 2);
    const std::string place = path();
    throw std::runtime_error(name_ + ": must be JSON, got an error at byte " + std::to_string(position) +
                             (place.empty() ? "" : " (after the key " + place + ")") + ": " + what.substr(0, 200));
  }

 private:
  struct Level {
    Json* node;
    std::string key;
  };

  std::string path() const {
    std::string out;
    for (const Level& level : levels_) {
      if (level.key.empty()) continue;
      if (!out.empty()) out += '.';
      out += level.key;
    }
    return out;
  }

  Json* place(Json value) {
    if (++num_values_ > kMaxValues)
      throw std::runtime_error(name_ + ": must hold at most " + std::to_string(kMaxValues) + " values, got more");
    if (levels_.empty()) return &(document_.root = std::move(value));
    Level& level = levels_.back();
    if (level.node->is_object()) return &((*level.node)[level.key] = std::move(value));
    level.node->push_back(std::move(value));
    return &level.node->back();
  }

  bool put(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json value) {
    if (static_cast<int>(levels_.size()) >= kMaxDepth)
      throw std::runtime_error(name_ + ": must be nested at most " + std::to_string(kMaxDepth) +
                               " levels deep, got more at " + path());
    levels_.push_back({place(std::move(value)), ""});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string name_;
  JsonDocument document_;
  std::vector<Level> levels_;
  int num_values_ = 0;
};

}  // namespace

JsonDocument parse_json(std::string_view text, const std::string& name, const JsonRules& rules) {
  if (text.size() > rules.max_bytes)
    throw std::runtime_error(name + ": must be at most " + std::to_string(rules.max_bytes >> 20) + " MiB, got " +
                             std::to_string(text.size()) + " bytes");
  // The JSON library takes a NUL for the end.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    throw std::runtime_error(name + ": must be JSON, got a NUL at byte " + std::to_string(nul));
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Builder builder(name);
  if (rules.python_numbers)
    Json::sax_parse(mark_non_finite(text), &builder);
  else
    Json::sax_parse(text, &builder);
  return builder.take();
}

std::string show(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!text.empty() && text[0] == kNonFiniteMark) return text.substr(1);
  }
  constexpr std::size_t kMaxShown = 1000;
  if (value.size() > kMaxShown)
    return (value.is_array() ? "a list of " : "an object of ") + std::to_string(value.size());
  std::string out = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (out.size() > 80) out = out.substr(0, 77) + "...";
  return out;
}

}  // namespace rotary::detail
