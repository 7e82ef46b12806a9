// The table of model families: one row of rules per model type (families.json; docs/families.md explains the columns).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json_reader.h"

namespace rotary::detail {

class FamilyTable {
 public:
  /// Parses a table. Throws std::runtime_error for a row without model_type or a model type named twice.
  explicit FamilyTable(std::string_view text);

  /// The table built into the library.
  static const FamilyTable& built_in();

  /// The rows of the other dialects (dialects.json): "meta", "mistral", "megatron", "gpt_neox".
  static const FamilyTable& dialects();

  /// The row of a model type or of one of its aliases; null if there is none.
  const Json* find(const std::string& model_type) const;

  /// The row of a configuration that names no type but has all keys of the row's "recognised_by"; null if there is
  /// none.
  const Json* recognise(const Json& configuration) const;

  /// The rules for a model type without a row: the row "*".
  const Json& general() const;

  const std::vector<Json>& rows() const { return rows_; }

 private:
  std::vector<Json> rows_;
  std::map<std::string, std::size_t> index_;
};

/// Replaces the built-in table while it lives (tests only: what happens without a row).
class ScopedFamilyTable {
 public:
  explicit ScopedFamilyTable(const FamilyTable& table);
  ~ScopedFamilyTable();
  ScopedFamilyTable(const ScopedFamilyTable&) = delete;
  ScopedFamilyTable& operator=(const ScopedFamilyTable&) = delete;
};

}  // namespace rotary::detail
