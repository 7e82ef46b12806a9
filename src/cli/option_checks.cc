#include "cli/option_checks.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace rotary::cli {
namespace {

std::string fault(const std::string& must_hold, const std::string& got) { return must_hold + ", got '" + got + "'"; }

template <class T>
bool parse_whole(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

CLI::Validator number(const char* must_hold, bool (*holds)(double)) {
  const auto check = [must_hold, holds](std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_number = !text.empty() && *end == '\0' && std::isfinite(value);
    return is_number && holds(value) ? std::string() : fault(must_hold, text);
  };
  return CLI::Validator(check, "");
}

}  // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [least, most](std::string& text) {
    std::int64_t value = 0;
    if (parse_whole(text, value) && value >= least && value <= most) return std::string();
    return fault("must be a whole number, " + std::to_string(least) + " .. " + std::to_string(most), text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator seed_number() {
  const auto check = [](std::string& text) {
    std::uint64_t value = 0;
    return parse_whole(text, value) ? std::string() : fault("must be a whole number, 0 .. 2^64 - 1", text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator share() {
  return number("must be a number, 0 .. 1", [](double x) { return x >= 0 && x <= 1; });
}

CLI::Validator share_below_one() {
  return number("must be a number, 0 or more and below 1", [](double x) { return x >= 0 && x < 1; });
}

CLI::Validator positive_number() {
  return number("must be a positive number", [](double x) { return x > 0; });
}

CLI::Validator not_negative() {
  return number("must be a number, 0 or more", [](double x) { return x >= 0; });
}

CLI::Validator number_above_one() {
  return number("must be a number above 1", [](double x) { return x > 1; });
}

CLI::Validator number_from_one_on() {
  return number("must be a number, 1 or more", [](double x) { return x >= 1; });
}

CLI::Validator one_of(std::initializer_list<const char*> names) {
  const std::vector<std::string> known(names.begin(), names.end());
  const auto check = [known](std::string& text) {
    std::string list;
    for (const std::string& name : known) {
      if (name == text) return std::string();
      list += (list.empty() ? "" : ", ") + name;
    }
    return fault("must be one of " + list, text);
  };
  return CLI::Validator(check, "");
}

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& text) { return text.empty() ? fault("must be a path", text) : std::string(); },
                        "");
}

void refuse(const std::string& option, const std::string& must_hold, const std::string& got) {
  throw CLI::ValidationError(option, must_hold + ", got " + got);
}

}  // namespace rotary::cli
