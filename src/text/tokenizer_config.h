// tokenizer_config.json: what Hugging Face's loaders and ours need to know beside the vocabulary.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace rotary::text {

using TokenizerConfig = nlohmann::ordered_json;

/// The special pieces, our own key `rotary_tokenizer` with the kind, and the class that Hugging Face opens it with.
TokenizerConfig make_tokenizer_config(const Tokenizer& tokenizer, std::string_view kind, std::string_view hugging_face);

void write_tokenizer_config(const std::filesystem::path& folder, const TokenizerConfig& config);

/// The folder's configuration; an empty object where it has none. Throws std::runtime_error for one that is no object.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder);

/// A boolean of the configuration; `otherwise` where it is absent or null. Throws std::runtime_error by file and key.
bool read_switch(const TokenizerConfig& config, const std::string& key, bool otherwise,
                 const std::filesystem::path& folder);

}  // namespace rotary::text
