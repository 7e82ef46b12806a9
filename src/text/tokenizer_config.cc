#include "text/tokenizer_config.h"

#include <stdexcept>

#include "formats/json_reader.h"
#include "rotary/formats/files.h"

namespace rotary::text {
namespace {

constexpr const char* kFileName = "tokenizer_config.json";

}  // namespace

TokenizerConfig make_tokenizer_config(const Tokenizer& tokenizer, std::string_view kind,
                                      std::string_view hugging_face) {
  TokenizerConfig config = {{"rotary_tokenizer", kind}, {"tokenizer_class", hugging_face}};
  const SpecialIds ids = tokenizer.special_ids();
  const auto put = [&](const char* key, std::int32_t id) {
    if (id >= 0) config[key] = tokenizer.piece(id);
  };
  put("pad_token", ids.pad);
  put("unk_token", ids.unk);
  put("cls_token", ids.cls);
  put("sep_token", ids.sep);
  put("mask_token", ids.mask);
  config["clean_up_tokenization_spaces"] = false;
  return config;
}

void write_tokenizer_config(const std::filesystem::path& folder, const TokenizerConfig& config) {
  write_file_atomically((folder / kFileName).string(), config.dump(2) + "\n");
}

TokenizerConfig read_tokenizer_config(const std::filesystem::path& folder) {
  const std::string name = (folder / kFileName).string();
  if (!std::filesystem::exists(name)) return TokenizerConfig::object();
  const detail::Json root = detail::parse_json(read_file(name, detail::kMaxFileBytes), name).root;
  if (!root.is_object()) throw std::runtime_error(name + ": must hold an object, got " + detail::show(root));
  return root;
}

bool read_switch(const TokenizerConfig& config, const std::string& key, bool otherwise,
                 const std::filesystem::path& folder) {
  const auto found = config.find(key);
  if (found == config.end() || found->is_null()) return otherwise;
  if (!found->is_boolean())
    throw std::runtime_error((folder / kFileName).string() + ": " + key + " must be true or false, got " +
                             detail::show(detail::Json(*found)));
  return found->get<bool>();
}

}  // namespace rotary::text
