#include "cli/command_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace rotary::cli {
namespace {

bool is_plain(char c) {
  constexpr std::string_view kPlain = "/._-+,=";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos;
}

}  // namespace

std::string quoted(const std::string& text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string options_text(const ReadOptions& options) {
  std::string out;
  if (options.reference) out += " --as " + std::string(to_string(*options.reference));
  if (options.arithmetic != Arithmetic::kExact) out += " --arithmetic " + std::string(to_string(options.arithmetic));
  if (options.seq_len > 0) out += " --seq-len " + std::to_string(options.seq_len);
  return out;
}

std::string options_text(const RotationFilter& filter) {
  std::string out;
  if (filter.has_component) out += " --component " + quoted(filter.component);
  if (filter.layer >= 0) out += " --layer " + std::to_string(filter.layer);
  return out;
}

}  // namespace rotary::cli
