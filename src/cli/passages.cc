#include "cli/passages.h"

#include <algorithm>

#include "cli/inspect_text.h"
#include "report/wrap.h"

namespace rotary::cli {
namespace {

constexpr std::size_t kIndent = 2;

std::string marked(const report::Terminal& terminal, const char* code, const std::string& text) {
  return terminal.is_terminal ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

}  // namespace

std::size_t text_width(const report::Terminal& terminal) {
  return static_cast<std::size_t>(terminal.is_terminal ? std::clamp(terminal.columns(), 40, 120) : 100);
}

std::string strong(const report::Terminal& terminal, const std::string& text) { return marked(terminal, "1", text); }
std::string alarming(const report::Terminal& terminal, const std::string& text) { return marked(terminal, "33", text); }

void print(const report::Terminal& terminal, const std::vector<Passage>& passages) {
  for (const Passage& p : passages) {
    *terminal.out << "\n" << strong(terminal, p.heading) << "\n" << report::wrap(p.text, text_width(terminal), kIndent);
    if (!p.block.empty()) *terminal.out << (p.text.empty() ? "" : "\n") << report::indented(p.block, kIndent);
  }
}

nlohmann::ordered_json to_json(const std::vector<Passage>& passages) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Passage& p : passages) {
    out.push_back({{"heading", p.heading}, {"text", p.text}});
    if (!p.block.empty()) out.back()["block"] = p.block;
  }
  return out;
}

std::string one_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string ranges_or_none(const std::vector<int>& values) { return values.empty() ? "none" : ranges(values); }

}  // namespace rotary::cli
