#include "report/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace rotary::report {
namespace {

std::string formatted(double value, std::chars_format format, int precision) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, format, precision).ptr;
  return {text, end};
}

std::string fixed(double value, int decimals) {
  std::string out = formatted(value, std::chars_format::fixed, decimals);
  return out.find_first_not_of("-0.") == out.npos && out[0] == '-' ? out.substr(1) : out;  // no minus zero
}

// A true minus sign, and commas between the thousands.
std::string typeset(std::string number) {
  const std::size_t first = number[0] == '-' ? 1 : 0;
  const std::size_t whole = std::min(number.find('.'), number.size());
  if (whole - first >= 4)
    for (std::size_t i = whole; i > first + 3;) number.insert(i -= 3, ",");
  return first == 1 ? "−" + number.substr(1) : number;
}

std::string superscript(int value) {
  static constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char c : std::to_string(value)) out += c == '-' ? "⁻" : kDigits[c - '0'];
  return out;
}

// digits: after the point of the mantissa.
std::string scientific(double value, int digits) {
  const std::string text = formatted(value, std::chars_format::scientific, digits);
  const std::size_t e = text.find('e');
  return typeset(text.substr(0, e)) + "×10" + superscript(std::stoi(text.substr(e + 1)));
}

std::string without_zeros(std::string number) {
  if (number.find('.') == number.npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

double largest(const std::vector<double>& values) {
  double out = 0;
  for (const double v : values) out = std::max(out, std::abs(v));
  return out;
}

}  // namespace

std::string trimmed(double value, int decimals) { return without_zeros(fixed(value, decimals)); }

std::string with_commas(std::int64_t value) { return typeset(std::to_string(value)); }

std::string short_number(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e9)) return scientific(value, 2);
  const int exponent = size == 0 ? 0 : static_cast<int>(std::floor(std::log10(size)));
  return typeset(trimmed(value, std::max(0, digits - 1 - exponent)));
}

std::vector<std::string> value_labels(const std::vector<double>& values, int digits) {
  std::vector<std::string> out;
  std::size_t decimals = 0;
  for (const double v : values) {
    out.push_back(std::isfinite(v) ? short_number(v, digits) : "–");
    if (const std::size_t point = out.back().find('.'); point != std::string::npos)
      decimals = std::max(decimals, out.back().size() - point - 1);
  }
  if (decimals > 3) return out;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i]) && out[i].find("×") == std::string::npos)
      out[i] = typeset(fixed(values[i], static_cast<int>(decimals)));
  return out;
}

std::vector<std::string> step_labels(const std::vector<double>& ticks, int step_exponent) {
  const double most = largest(ticks);
  const bool plain = most == 0 || (most >= 1e-3 && most < 1e7);
  std::vector<std::string> out;
  const int exponent = plain ? 0 : static_cast<int>(std::floor(std::log10(most) + 1e-9));
  const int decimals = std::clamp(exponent - step_exponent, 0, 15);
  for (const double v : ticks) {
    const std::string digits = typeset(fixed(v / std::pow(10.0, exponent), decimals));
    out.push_back(plain ? digits : v == 0 ? "0" : digits + "×10" + superscript(exponent));
  }
  return out;
}

std::vector<std::string> decade_labels(const std::vector<double>& ticks) {
  const auto readable = [](double v) { return v >= 0.99e-3 && v <= 1.01e5; };
  const bool plain = std::all_of(ticks.begin(), ticks.end(), readable);
  std::vector<std::string> out;
  for (const double v : ticks) {
    const std::string text = scientific(v, 0);
    out.push_back(plain                    ? typeset(trimmed(v, 3))
                  : text.starts_with("1×") ? text.substr(std::string("1×").size())
                                           : text);
  }
  return out;
}

}  // namespace rotary::report
