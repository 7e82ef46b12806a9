// The table of families: no row is there for nothing, no column without documentation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "formats/families_data.h"
#include "formats/family_table.h"
#include "formats/golden_compare.h"

namespace rotary::testing {
namespace {

using detail::FamilyTable;
using detail::ScopedFamilyTable;

const std::string kRowStart = "\n{\"model_type\": \"";

// The table's text without the line of one row.
std::string without_row(const std::string& model_type) {
  std::string text(detail::families_json());
  const std::size_t begin = text.find(kRowStart + model_type + '"');
  if (begin == std::string::npos) throw std::runtime_error("no line for the row " + model_type);
  const std::size_t end = text.find('\n', begin + 1);
  const bool last = text[end - 1] != ',';
  text.erase(begin, end - begin);
  if (last) text.erase(begin - 1, 1);
  return text;
}

bool says_unknown(const ModelConfig& config) {
  return std::any_of(config.warnings.begin(), config.warnings.end(),
                     [](const ConfigWarning& w) { return w.message.find("unknown: '") != std::string::npos; });
}

ModelConfig bare(const std::string& model_type) {
  return parse_model_config(Json{{"model_type", model_type}}.dump(), "config.json");
}

// What shows that the configuration is no longer read as it was recorded.
bool fails(const GoldenGroup& group) {
  try {
    if (says_unknown(parse_model_config(group.config, group.name))) return true;
    for (const GoldenRecord& record : group.records)
      if (!differs(group, record, {}, kExactTolerance).empty()) return true;
    return false;
  } catch (const std::runtime_error&) {
    return true;
  }
}

// Without the row, a record that names the model type fails; where none does, the bare type is called unknown.
bool is_missed(const std::string& model_type, const std::vector<GoldenGroup>& groups) {
  const std::string mention = "\"model_type\":\"" + model_type + '"';
  bool mentioned = false;
  for (const GoldenGroup& group : groups) {
    if (group.config.find(mention) == std::string::npos) continue;
    mentioned = true;
    if (fails(group)) return true;
  }
  if (mentioned) return false;
  try {
    return says_unknown(bare(model_type));
  } catch (const std::runtime_error&) {
    return true;  // the general rules have no sizes to go by
  }
}

TEST(FamilyRows, NoneButTheGeneralOneCanGoUnnoticed) {
  const std::vector<GoldenGroup> groups = golden_groups();
  ASSERT_GT(groups.size(), 400u);
  for (const GoldenGroup& group : groups) ASSERT_FALSE(fails(group)) << group.name;
  std::vector<std::string> unnoticed;
  for (const Json& row : FamilyTable::built_in().rows()) {
    const std::string model_type = row.at("model_type");
    if (model_type == "*") continue;
    const FamilyTable table(without_row(model_type));
    const ScopedFamilyTable scope(table);
    if (!is_missed(model_type, groups)) unnoticed.push_back(model_type);
  }
  EXPECT_THAT(unnoticed, ::testing::IsEmpty());
}

TEST(FamilyRows, TheGeneralOneReadsTheAliasesOfUnknownTypes) {
  const char* config =
      R"({"model_type": "never_heard_of", "n_embd": 512, "n_head": 8, "n_layer": 2, "rotary_pct": 0.25})";
  EXPECT_EQ(rotary_dim(parse_model_config(config, "").rotations.at(0).rotation.query), 16);
  const FamilyTable table(without_row("*"));
  const ScopedFamilyTable scope(table);
  EXPECT_THROW(parse_model_config(config, ""), std::runtime_error);
}

TEST(FamilyRows, AreKnownByTheirNamesAndAliases) {
  std::vector<std::string> unknown;
  for (const Json& row : FamilyTable::built_in().rows()) {
    std::vector<std::string> names = row.value("aliases", std::vector<std::string>{});
    names.push_back(row.at("model_type"));
    for (const std::string& name : names)
      if (name != "*" && says_unknown(bare(name))) unknown.push_back(name);
  }
  EXPECT_THAT(unknown, ::testing::IsEmpty());
}

TEST(FamilyRows, NameOnlyComponentsThatHaveRows) {
  for (const Json& row : FamilyTable::built_in().rows()) {
    const Json components = row.value("components", Json::object());
    for (const auto& [key, rule] : components.items()) {
      const Json& type = rule.is_object() ? rule.at("model_type") : rule;
      EXPECT_TRUE(type.is_null() || FamilyTable::built_in().find(type)) << row.at("model_type") << ": " << key;
    }
  }
}

std::string families_page() {
  std::ifstream in("docs/families.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(FamilyRows, UseDocumentedColumnsOnly) {
  const std::string page = families_page();
  std::set<std::string> undocumented;
  for (const Json& row : FamilyTable::built_in().rows())
    for (const auto& [column, value] : row.items())
      if (column != "model_type" && page.find('`' + column + '`') == std::string::npos &&
          page.find('`' + column + ": ") == std::string::npos)
        undocumented.insert(column);
  EXPECT_THAT(undocumented, ::testing::IsEmpty());
}

TEST(FamilyRows, AreCountedOnTheirPage) {
  // Columns that give sizes, names and places, but no rule of rotation.
  const std::set<std::string> plain{"model_type", "aliases", "defaults",      "keys",          "rotation", "components",
                                    "flat",       "remote",  "part",          "recognised_by", "note",     "rope_keys",
                                    "known_to",   "in_4",    "genai_methods", "gguf_betas"};
  int composite = 0, still = 0, own_rules = 0, total = 0;
  for (const Json& row : FamilyTable::built_in().rows()) {
    ++total;
    const auto is_rule = [&](const auto& item) { return !plain.contains(item.key()); };
    const auto items = row.items();
    if (!row.value("rotation", true))
      ++composite;
    else if (row.contains("never"))
      ++still;
    else
      own_rules += std::any_of(items.begin(), items.end(), is_rule);
  }
  const std::string count = "Of the " + std::to_string(total) + " rows, " + std::to_string(composite) +
                            " only name the parts of a composite, " + std::to_string(still) +
                            " say that nothing rotates, " + std::to_string(own_rules) +
                            " differ from the general rule in more than sizes and key names, and " +
                            std::to_string(total - composite - still - own_rules) + " do not.";
  EXPECT_THAT(families_page(), ::testing::HasSubstr(count));
}

}  // namespace
}  // namespace rotary::testing
