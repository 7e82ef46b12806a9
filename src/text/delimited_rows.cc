#include "text/delimited_rows.h"

namespace rotary::text {

bool DelimitedRows::next() {
  do {
    if (!lines_.next()) return false;
  } while (without_line_end(lines_.line()).empty());
  fields_.clear();
  place_ = lines_.place();
  at_ = 0;
  for (;;) {
    const bool quoted = quotes_ && at_ < lines_.line().size() && lines_.line()[at_] == '"';
    if (!(quoted ? read_quoted() : read_plain())) return true;
  }
}

std::string& DelimitedRows::new_field() {
  constexpr std::size_t kMaxFields = 65536;
  if (fields_.size() == kMaxFields) fail(place_, "must have at most 65536 fields", "more");
  return fields_.emplace_back();
}

// Both return whether a delimiter, so another field, follows.
bool DelimitedRows::read_plain() {
  const std::string_view rest = lines_.line().substr(at_);
  const std::size_t end = rest.find(delimiter_);
  if (end == std::string_view::npos) {
    new_field() = without_line_end(rest);
    return false;
  }
  new_field() = rest.substr(0, end);
  at_ += end + 1;
  return true;
}

bool DelimitedRows::read_quoted() {
  const Place begin = lines_.place(at_);
  std::string& field = new_field();
  ++at_;
  for (;;) {
    const std::string_view rest = lines_.line().substr(at_);
    const std::size_t quote = rest.find('"');
    field.append(rest.substr(0, quote));
    if (field.size() > lines_.max_bytes())
      fail(begin, "must be at most " + std::to_string(lines_.max_bytes()) + " bytes a field", "more");
    if (quote == std::string_view::npos) {
      if (!lines_.next()) fail(begin, "must have an end to the quoted field that begins here", "the end of the file");
      at_ = 0;
      continue;
    }
    at_ += quote + 1;
    if (!lines_.line().substr(at_).starts_with('"')) break;
    field += '"';
    ++at_;
  }
  const std::string_view rest = lines_.line().substr(at_);
  if (without_line_end(rest).empty()) return false;
  if (rest[0] != delimiter_)
    fail(lines_.place(at_), "must have a delimiter or the line's end behind a closing quote",
         quote(without_line_end(rest), 20));
  ++at_;
  return true;
}

}  // namespace rotary::text
