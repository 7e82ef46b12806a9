// A scanner that accepts well-formed XML only, and helpers to look into pictures.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace rotary::testing {

/// What is wrong with the document, or "": tags nest and close, attributes are quoted and unique, < and & stand for
/// themselves nowhere, there is one root.
inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> open;
  int roots = 0;
  const auto entity_ends = [&](std::size_t i) { return text.substr(i, 7).find(';') != text.npos; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&' && !entity_ends(i)) return "bare & at " + std::to_string(i);
    if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n') return "control character";
    if (text[i] != '<') {
      if (open.empty() && text[i] != '\n') return "text outside the root";
      continue;
    }
    const bool closing = text[i + 1] == '/';
    std::string name;
    for (i += closing ? 2 : 1; i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])); ++i)
      name += text[i];
    std::vector<std::string> attributes;
    while (i < text.size() && text[i] == ' ') {
      const std::size_t equals = text.find('=', i), quote = text.find('"', equals + 2);
      if (equals == text.npos || quote == text.npos || text[equals + 1] != '"') return "attribute of " + name;
      const std::string_view value = text.substr(equals + 2, quote - equals - 2);
      if (value.find('<') != value.npos) return "< in an attribute of " + name;
      for (const std::string& other : attributes)
        if (other == text.substr(i, equals - i)) return "attribute twice in " + name;
      attributes.emplace_back(text.substr(i, equals - i));
      i = quote + 1;
    }
    const bool empty = i < text.size() && text[i] == '/';
    if (empty) ++i;
    if (name.empty() || i >= text.size() || text[i] != '>') return "tag <" + name;
    if (closing && (open.empty() || open.back() != name)) return "</" + name + "> closes nothing";
    if (!closing && open.empty() && ++roots > 1) return "two roots";
    if (closing) open.pop_back();
    if (!closing && !empty) open.push_back(name);
  }
  return open.empty() ? roots == 1 ? "" : "no root" : "<" + open.back() + "> is open";
}

inline int count(std::string_view text, std::string_view part) {
  int out = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++out;
  return out;
}

/// The texts of all <text> elements, escaped as they stand.
inline std::vector<std::string> texts_in(const std::string& svg) {
  std::vector<std::string> out;
  for (std::size_t at = svg.find("<text"); at != svg.npos; at = svg.find("<text", at + 1)) {
    const std::size_t begin = svg.find('>', at) + 1;
    out.push_back(svg.substr(begin, svg.find("</text>", begin) - begin));
  }
  return out;
}

/// The data of every path of the class (its first name), in order.
inline std::vector<std::string> paths_of(const std::string& svg, const std::string& css_class) {
  std::vector<std::string> out;
  for (std::size_t at = svg.find("<path d=\""); at != svg.npos; at = svg.find("<path d=\"", at + 1)) {
    const std::size_t begin = at + 9, end = svg.find('"', begin);
    if (svg.compare(end, 9 + css_class.size(), "\" class=\"" + css_class) == 0)
      out.push_back(svg.substr(begin, end - begin));
  }
  return out;
}

}  // namespace rotary::testing
