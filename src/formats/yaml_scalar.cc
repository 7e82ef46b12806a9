#include "formats/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace rotary::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string without_underscores(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

// Digits of a base, the first one given; underscores may stand between them.
bool are_digits(std::string_view text, int base) {
  const auto in_base = [&](char c) {
    if (c == '_') return true;
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    return digit < base;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), in_base) && text != std::string(text.size(), '_');
}

Json non_finite(std::string_view word) { return std::string(1, kNonFiniteMark) + std::string(word); }

Json floating(bool negative, std::string_view digits) {
  const std::string text = without_underscores(digits);
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec == std::errc::result_out_of_range && text.find('-') == text.npos)
    return non_finite(negative ? "-Infinity" : "Infinity");
  return negative ? -value : value;
}

// An integer beyond 64 bits is the nearest double.
Json integer(bool negative, std::string_view digits, int base) {
  const std::string text = (negative ? "-" : "") + without_underscores(digits);
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (end.ec == std::errc{}) return value;
  if (base == 10) return floating(negative, digits);
  double wide = 0;
  for (char c : text)
    if (c != '-') wide = wide * base + (is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  return negative ? -wide : wide;
}

// [+-] 0b.. | 0.. (octal) | 0x.. | decimal
Json integer_or_null(bool negative, std::string_view text) {
  if (text.starts_with("0b") && are_digits(text.substr(2), 2)) return integer(negative, text.substr(2), 2);
  if (text.starts_with("0x") && are_digits(text.substr(2), 16)) return integer(negative, text.substr(2), 16);
  if (text == "0") return 0;
  if (!text.empty() && text[0] == '0')
    return are_digits(text.substr(1), 8) ? integer(negative, text.substr(1), 8) : Json();
  return !text.empty() && is_digit(text[0]) && are_digits(text, 10) ? integer(negative, text, 10) : Json();
}

// Digits with a point, then perhaps an exponent, whose sign must be written: YAML 1.1 takes 1e5 and 1.0e5 for text.
bool is_float(std::string_view text) {
  const auto point = text.find('.');
  if (point == text.npos) return false;
  const std::string_view whole = text.substr(0, point);
  std::string_view rest = text.substr(point + 1);
  if (!whole.empty() && !(is_digit(whole[0]) && are_digits(whole, 10))) return false;
  if (whole.empty() && (rest.empty() || !is_digit(rest[0]))) return false;
  const auto e = rest.find_first_of("eE");
  const std::string_view fraction = rest.substr(0, e);
  if (!std::all_of(fraction.begin(), fraction.end(), [](char c) { return is_digit(c) || c == '_'; })) return false;
  if (e == rest.npos) return true;
  rest.remove_prefix(e + 1);
  return rest.size() >= 2 && (rest[0] == '+' || rest[0] == '-') && std::all_of(rest.begin() + 1, rest.end(), is_digit);
}

}  // namespace

Json yaml_scalar(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (is_one_of(text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) return true;
  if (is_one_of(text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) return false;
  const bool negative = text[0] == '-';
  const std::string_view unsigned_text = negative || text[0] == '+' ? text.substr(1) : text;
  if (const Json value = integer_or_null(negative, unsigned_text); !value.is_null()) return value;
  if (is_float(unsigned_text)) return floating(negative, unsigned_text);
  if (is_one_of(unsigned_text, {".inf", ".Inf", ".INF"})) return non_finite(negative ? "-Infinity" : "Infinity");
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return non_finite("NaN");
  return std::string(text);
}

}  // namespace rotary::detail
