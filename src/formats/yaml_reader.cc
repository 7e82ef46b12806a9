#include "formats/yaml_reader.h"

#include <stdexcept>

#include "formats/document_builder.h"
#include "formats/yaml_scalar.h"

#ifdef ROTARY_HAS_YAML

#include <yaml.h>

namespace rotary::detail {
namespace {

class YamlParser {
 public:
  YamlParser(std::string_view text, const std::string& name) : name_(name), builder_(name) {
    if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  YamlParser(const YamlParser&) = delete;
  YamlParser& operator=(const YamlParser&) = delete;
  ~YamlParser() { yaml_parser_delete(&parser_); }

  JsonDocument parse() {
    int documents = 0;
    for (;;) {
      const Event event(parser_);
      if (!event.ok) fail(parser_.problem_mark.line, parser_.problem ? parser_.problem : "an error");
      const auto line = event.value.start_mark.line;
      if (event.value.type == YAML_DOCUMENT_START_EVENT && ++documents > 1) fail(line, "a second document");
      if (event.value.type == YAML_STREAM_END_EVENT) break;
      add(event.value);
    }
    return builder_.take();
  }

 private:
  struct Event {
    explicit Event(yaml_parser_t& parser) : ok(yaml_parser_parse(&parser, &value) != 0) {}
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() {
      if (ok) yaml_event_delete(&value);
    }
    yaml_event_t value;
    bool ok;
  };

  // A container that is open: a mapping takes a key and a value in turn.
  struct Open {
    bool mapping = false;
    bool key_next = false;
  };

  [[noreturn]] void fail(std::size_t line, const std::string& got) const {
    throw std::runtime_error(name_ + ": must be YAML, got an error at line " + std::to_string(line + 1) + ": " + got);
  }

  void refuse(const yaml_char_t* anchor, const yaml_char_t* tag, std::size_t line) const {
    if (anchor) fail(line, "an anchor, which is not read");
    if (tag) fail(line, "a tag, which is not read");
  }

  void add(const yaml_event_t& event) {
    const auto line = event.start_mark.line;
    switch (event.type) {
      case YAML_ALIAS_EVENT: fail(line, "an alias, which is not read");
      case YAML_SCALAR_EVENT: refuse(event.data.scalar.anchor, event.data.scalar.tag, line); return add_scalar(event);
      case YAML_MAPPING_START_EVENT:
        refuse(event.data.mapping_start.anchor, event.data.mapping_start.tag, line);
        start_value(line);
        builder_.start_object(0);
        return open_.push_back({true, true});
      case YAML_SEQUENCE_START_EVENT:
        refuse(event.data.sequence_start.anchor, event.data.sequence_start.tag, line);
        start_value(line);
        builder_.start_array(0);
        return open_.push_back({});
      case YAML_MAPPING_END_EVENT: builder_.end_object(); return open_.pop_back();
      case YAML_SEQUENCE_END_EVENT: builder_.end_array(); return open_.pop_back();
      default: return;
    }
  }

  // The next thing is a value, not a key: what holds a container must be text.
  void start_value(std::size_t line) {
    if (open_.empty() || !open_.back().mapping) return;
    if (open_.back().key_next) fail(line, "a key that is no scalar");
    open_.back().key_next = true;
  }

  void add_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (!open_.empty() && open_.back().key_next) {
      if (plain && text == "<<") fail(event.start_mark.line, "a merge key, which is not read");
      open_.back().key_next = false;
      builder_.key(text);
      return;
    }
    start_value(event.start_mark.line);
    builder_.put(plain ? yaml_scalar(text) : Json(std::move(text)));
  }

  const std::string& name_;
  DocumentBuilder builder_;
  yaml_parser_t parser_;
  std::vector<Open> open_;
};

}  // namespace

JsonDocument parse_yaml(std::string_view text, const std::string& name) {
  if (text.size() > kMaxYamlBytes)
    throw std::runtime_error(name + ": must be at most 4 MiB of YAML, got " + std::to_string(text.size()) + " bytes");
  return YamlParser(text, name).parse();
}

}  // namespace rotary::detail

#else

namespace rotary::detail {

JsonDocument parse_yaml(std::string_view, const std::string& name) {
  throw std::runtime_error(name + ": must be JSON (rotary was built without libyaml), got YAML");
}

}  // namespace rotary::detail

#endif
