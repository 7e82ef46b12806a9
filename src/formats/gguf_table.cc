#include "formats/gguf_table.h"

#include <map>

#include "formats/gguf_data.h"

namespace rotary::detail {

const Json* gguf_architecture(const std::string& name) {
  static const Json table = parse_json(gguf_architectures_json(), "gguf_architectures.json").root;
  static const std::map<std::string, const Json*> rows = [] {
    std::map<std::string, const Json*> out;
    for (const Json& row : table.at("rows")) out.emplace(row.at("name").get<std::string>(), &row);
    return out;
  }();
  const auto found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

}  // namespace rotary::detail
