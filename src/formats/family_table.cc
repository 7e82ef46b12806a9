#include "formats/family_table.h"

#include <algorithm>
#include <stdexcept>

#include "formats/families_data.h"

namespace rotary::detail {
namespace {

thread_local const FamilyTable* replacement = nullptr;

}  // namespace

FamilyTable::FamilyTable(std::string_view text) {
  Json document = parse_json(text, "families.json").root;
  for (Json& row : document.at("rows")) rows_.push_back(std::move(row));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::vector<std::string> names{rows_[i].at("model_type").get<std::string>()};
    for (const Json& alias : rows_[i].value("aliases", Json::array())) names.push_back(alias.get<std::string>());
    for (const std::string& name : names)
      if (!index_.emplace(name, i).second)
        throw std::runtime_error("families.json: model types must be named once, got " + name + " twice");
  }
}

const FamilyTable& FamilyTable::built_in() {
  static const FamilyTable table(families_json());
  return replacement ? *replacement : table;
}

const FamilyTable& FamilyTable::dialects() {
  static const FamilyTable table(dialects_json());
  return table;
}

const Json* FamilyTable::find(const std::string& model_type) const {
  const auto found = index_.find(model_type);
  return found == index_.end() ? nullptr : &rows_[found->second];
}

const Json* FamilyTable::recognise(const Json& configuration) const {
  for (const Json& row : rows_) {
    const auto keys = row.find("recognised_by");
    if (keys == row.end()) continue;
    if (std::all_of(keys->begin(), keys->end(),
                    [&](const Json& key) { return configuration.contains(key.get<std::string>()); }))
      return &row;
  }
  return nullptr;
}

const Json& FamilyTable::general() const {
  static const Json none = Json::object();
  const Json* row = find("*");
  return row ? *row : none;
}

ScopedFamilyTable::ScopedFamilyTable(const FamilyTable& table) { replacement = &table; }
ScopedFamilyTable::~ScopedFamilyTable() { replacement = nullptr; }

}  // namespace rotary::detail
