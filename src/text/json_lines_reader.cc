#include <nlohmann/json.hpp>
#include <optional>

#include "text/line_reader.h"
#include "text/readers.h"

namespace rotary::text {
namespace {

using Json = nlohmann::json;

// Takes three fields out of an object and checks the rest on its way, without building anything.
class FieldReader : public nlohmann::json_sax<Json> {
 public:
  FieldReader(const LineReader& lines, const CorpusOptions& options) : lines_(lines), options_(options) {}

  std::optional<std::string> text, label, id;

  bool null() override { return scalar("null"); }
  bool boolean(bool value) override {
    if (field_ == &label) return take(value ? "true" : "false");
    return scalar("a boolean");
  }
  bool number_integer(number_integer_t value) override { return integer(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return integer(std::to_string(value)); }
  bool number_float(number_float_t, const string_t&) override { return scalar("a number"); }
  bool string(string_t& value) override {
    if (field_ == nullptr) return scalar("a string");
    if (value.find('\0') != std::string::npos) refuse("hold no NUL", "one");
    return take(std::move(value));
  }
  bool binary(binary_t&) override { return false; }  // not in JSON text
  bool start_object(std::size_t) override { return open("an object"); }
  bool start_array(std::size_t) override { return open("a list"); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& value) override {
    if (depth_ != 1) return true;
    key_ = value;
    field_ = nullptr;
    if (value == options_.text_field)
      field_ = &text;
    else if (!options_.label_field.empty() && value == options_.label_field)
      field_ = &label;
    else if (value == options_.id_field)
      field_ = &id;
    if (field_ != nullptr && field_->has_value()) refuse("stand once in the object", "it twice");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    std::string_view what = error.what();  // "[json.exception...] parse error at line 1, column 2: what"
    if (const auto end = what.find(": "); end != std::string_view::npos) what.remove_prefix(end + 2);
    what = what.substr(0, what.find("; last read: "));  // it may end inside a character
    constexpr std::size_t kMaxShown = 160;
    fail(lines_.place(position == 0 ? 0 : position - 1), "must be a line of JSON", quote(what, kMaxShown));
  }

 private:
  bool take(std::string value) {
    *field_ = std::move(value);
    field_ = nullptr;
    return true;
  }

  bool integer(std::string value) {
    if (field_ != nullptr && field_ != &text) return take(std::move(value));
    return scalar("an integer");
  }

  bool scalar(const char* kind) {
    require_object(kind);
    if (field_ == &text) refuse("be a string", kind);
    if (field_ == &label) refuse("be a string, an integer or a boolean", kind);
    field_ = nullptr;  // an id of another kind is none
    return true;
  }

  bool open(const char* kind) {
    constexpr int kMaxDepth = 128;
    if (depth_ != 0 || kind != std::string_view("an object")) scalar(kind);
    if (++depth_ > kMaxDepth) fail(lines_.place(), "must be nested at most 128 levels deep", "more");
    return true;
  }

  bool close() {
    --depth_;
    return true;
  }

  void require_object(const char* kind) const {
    if (depth_ == 0) fail(lines_.place(), "must be a JSON object on each line", kind);
  }

  [[noreturn]] void refuse(const char* must, const char* got) const {
    fail(lines_.place(), "the field " + quote(key_) + " must " + must, got);
  }

  const LineReader& lines_;
  const CorpusOptions& options_;
  std::string key_;
  std::optional<std::string>* field_ = nullptr;  // that the next value is for
  int depth_ = 0;
};

void require_field(const std::optional<std::string>& field, const std::string& name, const LineReader& lines) {
  if (!field) fail(lines.place(), "must have a field " + quote(name), "an object without");
}

Document read_document(const LineReader& lines, const std::string& prefix, const CorpusOptions& options) {
  FieldReader fields(lines, options);
  Json::sax_parse(lines.line(), &fields);
  require_field(fields.text, options.text_field, lines);
  Document document;
  document.text = std::move(*fields.text);
  if (!options.label_field.empty()) {
    require_field(fields.label, options.label_field, lines);
    document.label = std::move(*fields.label);
    validate_label(document.label, lines.place());
  }
  document.id = fields.id.value_or("");
  if (document.id.empty()) document.id = prefix + ":" + std::to_string(lines.place().line);
  return document;
}

}  // namespace

void read_json_lines(ByteSource& source, const std::string& prefix, const CorpusOptions& options, DocumentList& out) {
  LineReader lines(source, options.max_bytes);
  while (lines.next())
    if (!is_blank(lines.line())) add_document(read_document(lines, prefix, options), out);
}

}  // namespace rotary::text
