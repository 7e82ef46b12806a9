#include "formats/gguf_config.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "core/require.h"
#include "formats/gguf_bytes.h"
#include "formats/gguf_rotation_reader.h"
#include "formats/gguf_table.h"

namespace rotary::detail {
namespace {

// Keys of llama.cpp that only some of its loaders read, and the value that changes nothing.
struct SpecialKey {
  const char* name;
  double harmless;
};
constexpr std::array kSpecial{
    SpecialKey{"rope.scaling.yarn_beta_fast", 32},     SpecialKey{"rope.scaling.yarn_beta_slow", 1},
    SpecialKey{"rope.scaling.yarn_ext_factor", 1},     SpecialKey{"rope.scaling.yarn_attn_factor", 1},
    SpecialKey{"rope.scaling.yarn_log_multiplier", 0}, SpecialKey{"rope.scaling.alpha", 0},
};
// And those that all of them know, or that say nothing about the rotation by themselves.
constexpr std::array kCommon{"rope.dimension_count",
                             "rope.dimension_count_swa",
                             "rope.dimension_sections",
                             "rope.freq_base",
                             "rope.freq_base_swa",
                             "rope.scale_linear",
                             "rope.scaling.type",
                             "rope.scaling.factor",
                             "rope.scaling.attn_factor",
                             "rope.scaling.finetuned",
                             "rope.scaling.original_context_length"};
constexpr std::array kHarmless{"rope.scaling.finetuned", "rope.scale_linear", "rope.dimension_count_swa"};

bool contains(auto& list, std::string_view name) { return std::ranges::find(list, name) != std::ranges::end(list); }

// What a key that was not read would have said.
void warn_of_key(GgufKeys& keys, const GgufKey& key, bool rotates) {
  const std::string prefix = keys.architecture() + ".";
  const std::string suffix(key.name.starts_with(prefix) ? key.name.substr(prefix.size()) : std::string_view());
  const auto special = std::ranges::find_if(kSpecial, [&](const SpecialKey& s) { return s.name == suffix; });
  const std::string name(key.name), value = show(key.value);
  if (special == kSpecial.end() && !contains(kCommon, suffix))
    return keys.reading().warn(name, "unknown key, ignored: " + value);
  if (!rotates || contains(kHarmless, suffix)) return;
  if (special == kSpecial.end()) return keys.reading().warn(name, "not used for this architecture; lost: " + value);
  if (key.value.floating() != special->harmless)
    keys.reading().warn(
        name, "llama.cpp does not read it here and takes " + show(Json(special->harmless)) + "; lost: " + value);
}

void warn_of_unread(GgufKeys& keys, const ModelConfig& config) {
  const bool rotates = std::ranges::any_of(config.rotations, [](const ModelRotation& r) { return r.spec.has_value(); });
  for (const GgufKey& key : keys.file().metadata())
    if (key.name.find(".rope.") != std::string_view::npos && !keys.was_read(key.name)) warn_of_key(keys, key, rotates);
  const auto used = [&](std::string_view name) {
    for (const ModelRotation& r : config.rotations)
      for (const Source& source : r.sources)
        if (source.key == name) return true;
    return false;
  };
  for (const char* name : {"rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"})
    if (keys.file().find(name) && !used(name))
      keys.reading().warn(name, "a tensor that llama.cpp does not use here: its factors are lost");
}

}  // namespace

bool begins_as_gguf(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // a pipe can be read once
  std::array<char, 4> magic{};
  std::ifstream in(path, std::ios::binary);
  return in.read(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) == kGgufMagic;
}

ModelConfig read_gguf_config(const GgufFile& file, const ReadOptions& options) {
  require(options.seq_len >= 0, "read_gguf_config", "seq_len must not be negative", options.seq_len);
  Reading reading{file.path(), options, {}, {}, 0};
  ModelConfig out;
  out.reference = reading.options.reference.emplace(options.reference.value_or(Reference::kLlamaCpp));
  if (out.reference != Reference::kLlamaCpp && out.reference != Reference::kOriginal)
    fail(reading, "--as", "be llama.cpp or original for a GGUF file", std::string(to_string(out.reference)));
  for (const std::string& part : file.parts()) out.files.push_back({part, "GGUF", "read"});
  const GgufValue* architecture = file.value("general.architecture");
  if (architecture == nullptr || !architecture->text())
    fail(reading, "general.architecture", "be a string", architecture ? show(*architecture) : "nothing");
  out.model_type = *architecture->text();
  const Json* row = gguf_architecture(out.model_type);
  if (row == nullptr) {
    ModelRotation unknown;
    unknown.model_type = out.model_type;
    unknown.all_layers = true;
    unknown.unknown =
        "the architecture is not in the table of llama.cpp's: how it pairs channels cannot be read from the file";
    out.rotations.push_back(std::move(unknown));
    return out;
  }
  GgufKeys keys(file, out.model_type, reading);
  out.rotations = read_gguf_rotations(keys, *row);
  warn_of_unread(keys, out);
  out.warnings = std::move(reading.warnings);
  return out;
}

ModelConfig read_gguf_config(const std::string& path, const ReadOptions& options) {
  return read_gguf_config(GgufFile(path), options);
}

}  // namespace rotary::detail
