// Builds a document event by event, refusing depth and size and reporting duplicate keys as it goes: what the parsers
// of JSON and YAML share.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "formats/json_reader.h"

namespace rotary::detail {

class DocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit DocumentBuilder(std::string name) : name_(std::move(name)) {}

  JsonDocument take() { return std::move(document_); }

  bool put(Json value) {
    place(std::move(value));
    return true;
  }

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

}  // namespace rotary::detail
