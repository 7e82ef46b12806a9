#include "text/line_reader.h"

#include <cstdio>

#include "text/utf8_check.h"

namespace rotary::text {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string show_byte(std::string_view line, std::size_t at) {
  char text[40];
  std::snprintf(text, sizeof text, "the byte 0x%02x", static_cast<unsigned>(static_cast<unsigned char>(line[at])));
  const std::string_view start = line.substr(at, 2);
  if (at == 0 && (start == "\xFF\xFE" || start == "\xFE\xFF")) return std::string(text) + " (it looks like UTF-16)";
  return text;
}

}  // namespace

LineReader::LineReader(ByteSource& source, std::size_t max_bytes)
    : source_(source), max_bytes_(max_bytes), block_(std::size_t{1} << 16) {}

bool LineReader::next() {
  line_.clear();
  mark_bytes_ = 0;
  ++number_;
  append_line();
  if (line_.empty()) return false;
  if (number_ == 1 && line_.starts_with(kByteOrderMark)) {
    mark_bytes_ = kByteOrderMark.size();
    line_.erase(0, mark_bytes_);
    if (line_.empty()) return false;  // nothing but the mark
  }
  check_line();
  return true;
}

void LineReader::append_line() {
  for (;;) {
    if (rest_.empty()) {
      rest_ = {block_.data(), source_.read(block_.data(), block_.size())};
      if (rest_.empty()) return;
    }
    const std::size_t end = rest_.find('\n');
    const std::size_t count = end == std::string_view::npos ? rest_.size() : end + 1;
    line_.append(rest_.substr(0, count));
    rest_.remove_prefix(count);
    if (line_.size() > max_bytes_)
      fail(place(), "must be at most " + std::to_string(max_bytes_) + " bytes a line", "more");
    if (end != std::string_view::npos) return;
  }
}

void LineReader::check_line() {
  const std::size_t bad = find_bad_utf8(line_);
  if (bad == line_.size()) return;
  if (line_[bad] == '\0') fail(place(bad), "must be text", "a NUL byte");
  fail(place(bad), "must be UTF-8", show_byte(line_, bad));
}

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace rotary::text
