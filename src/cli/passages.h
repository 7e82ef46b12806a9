// Explanations on a terminal, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/terminal.h"
#include "rotary/formats/explanation.h"

namespace rotary::cli {

/// Columns to write in: the terminal's, 100 where it is none; 40 .. 120.
std::size_t text_width(const report::Terminal& terminal);

/// What a terminal shows bold, or as a warning; the text alone where it is none.
std::string strong(const report::Terminal& terminal, const std::string& text);
std::string alarming(const report::Terminal& terminal, const std::string& text);

/// Heading, wrapped text, block; an empty line before each passage.
void print(const report::Terminal& terminal, const std::vector<Passage>& passages);

nlohmann::ordered_json to_json(const std::vector<Passage>& passages);

/// As all JSON of the program is written: one line, bytes that are no UTF-8 replaced.
std::string one_line(const nlohmann::ordered_json& json);

/// "0-28, 30", or "none".
std::string ranges_or_none(const std::vector<int>& values);

}  // namespace rotary::cli
