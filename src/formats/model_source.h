// Which file describes a model: told by content, then by name; and what counts in a folder that holds several.
#pragma once

#include <string>
#include <string_view>

#include "formats/dialect.h"

namespace rotary::detail {

enum class FileKind { kDocument, kSafetensors, kSafetensorsIndex, kGguf };

/// By the first bytes, else by the name's ending. What is no regular file (a pipe) is a document.
FileKind kind_of_file(const std::string& path);

/// The reading of a parsed document, whichever dialect it is. `num_bytes`: of its text, which bounds what it may cost.
ModelConfig read_document(const JsonDocument& document, std::size_t num_bytes, const std::string& name,
                          const ReadOptions& options);

/// Parses by the name's ending: YAML for .yml and .yaml, else JSON.
JsonDocument parse_document(std::string_view text, const std::string& name);

/// Throws std::runtime_error unless `options` leaves the reading open or asks for the file itself.
void require_original(const ReadOptions& options, const std::string& name, std::string_view format);

}  // namespace rotary::detail
