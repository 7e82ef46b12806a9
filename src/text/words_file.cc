// tokenizer.json of the words tokenizer: the form of the `tokenizers` library, for exactly the pipeline that
// for_each_word() computes.
#include <limits>
#include <stdexcept>

#include "formats/json_reader.h"
#include "text/unicode.h"
#include "text/words_scan.h"
#include "text/words_tokenizer.h"

namespace rotary::text {
namespace {

using detail::Json;

class Reader {
 public:
  Reader(std::string_view json, std::string name) : name_(std::move(name)) {
    detail::JsonDocument document = detail::parse_json(json, name_);
    if (!document.duplicate_keys.empty()) fail(document.duplicate_keys[0], "must stand there once", "it again");
    root_ = std::move(document.root);
  }

  WordsVocabulary read() {
    check(root_, "", "must be an object", root_.is_object());
    check_pipeline();
    WordsVocabulary vocabulary;
    vocabulary.lowercase = reads_lowercase();
    read_pieces(vocabulary);
    read_added(vocabulary);
    check_dense(vocabulary);
    return vocabulary;
  }

 private:
  [[noreturn]] void fail(const std::string& key, std::string_view must, const std::string& got) const {
    throw std::runtime_error(name_ + ": " + (key.empty() ? "the file" : key) + " " + std::string(must) + ", got " +
                             got);
  }

  void check(const Json& value, const std::string& key, std::string_view must, bool ok) const {
    if (!ok) fail(key, must, detail::show(value));
  }

  // A member; null where there is none.
  static const Json& member(const Json& object, const char* key) {
    static const Json absent;
    const auto found = object.find(key);
    return found == object.end() ? absent : *found;
  }

  void check_pipeline() const {
    const Json& model = member(root_, "model");
    check(model, "model", "must be an object", model.is_object());
    const Json& type = member(model, "type");
    check(type, "model.type", "must be \"WordLevel\" (other kinds are read from vocab.txt or spiece.model)",
          type == "WordLevel");
    const Json split = {
        {"type", "Split"}, {"pattern", {{"Regex", kWordsPattern}}}, {"behavior", "Removed"}, {"invert", true}};
    const Json& pre_tokenizer = member(root_, "pre_tokenizer");
    check(pre_tokenizer, "pre_tokenizer", "must be " + split.dump(), pre_tokenizer == split);
    const Json& post_processor = member(root_, "post_processor");
    check(post_processor, "post_processor", "must be null", post_processor.is_null());
  }

  bool reads_lowercase() const {
    const Json& normalizer = member(root_, "normalizer");
    const bool lowercase =
        normalizer.is_object() && normalizer.size() == 1 && member(normalizer, "type") == "Lowercase";
    check(normalizer, "normalizer", "must be null or {\"type\":\"Lowercase\"}", normalizer.is_null() || lowercase);
    return lowercase;
  }

  // An id, as an index.
  std::size_t to_index(const Json& id, const std::string& key) const {
    constexpr auto kMax = static_cast<std::uint64_t>(detail::kMaxValues);
    check(id, key, "must be an id, counted from 0", id.is_number_unsigned() && id.get<std::uint64_t>() < kMax);
    return static_cast<std::size_t>(id.get<std::uint64_t>());
  }

  void put(WordsVocabulary& vocabulary, std::size_t id, const std::string& piece, const std::string& key) {
    if (vocabulary.pieces.size() <= id) {
      vocabulary.pieces.resize(id + 1);
      is_taken_.resize(id + 1);
    }
    std::string& place = vocabulary.pieces[id];
    if (is_taken_[id] && place != piece) fail(key, "must have an id of its own", std::to_string(id) + " of " + place);
    is_taken_[id] = true;
    place = piece;
  }

  void read_pieces(WordsVocabulary& vocabulary) {
    const Json& model = root_["model"];
    const Json& vocab = member(model, "vocab");
    check(vocab, "model.vocab", "must be an object with a piece", vocab.is_object() && !vocab.empty());
    for (const auto& [piece, id] : vocab.items()) {
      const std::string key = "model.vocab." + piece;
      const std::size_t index = to_index(id, key);
      // A wild id must not cost memory.
      if (index > vocab.size() + member(root_, "added_tokens").size())
        fail(key, "must be below the number of pieces", std::to_string(index));
      put(vocabulary, index, piece, key);
    }
    const Json& unk = member(model, "unk_token");
    check(unk, "model.unk_token", "must be a piece of model.vocab", unk.is_string() && vocab.contains(unk));
    vocabulary.unk = vocab[unk.get<std::string>()].get<std::int32_t>();
  }

  void read_added(WordsVocabulary& vocabulary) {
    const Json& added = member(root_, "added_tokens");
    check(added, "added_tokens", "must be a list", added.is_null() || added.is_array());
    const Json& vocab = root_["model"]["vocab"];
    for (std::size_t i = 0; i < added.size(); ++i) {
      const std::string key = "added_tokens." + std::to_string(i);
      const Json& token = added[i];
      check(token, key, "must be an object", token.is_object());
      const Json& content = member(token, "content");
      check(content, key + ".content", "must be a piece",
            content.is_string() && !content.get_ref<const std::string&>().empty());
      for (const char* option : {"single_word", "lstrip", "rstrip", "normalized"}) {
        const Json& value = member(token, option);
        check(value, key + "." + option, "must be false", value.is_null() || value == false);
      }
      const std::size_t id = to_index(member(token, "id"), key + ".id");
      const auto& piece = content.get_ref<const std::string&>();
      if (const auto known = vocab.find(piece); known != vocab.end() ? *known != id : id >= vocab.size() + added.size())
        fail(key + ".id", "must be the piece's id in model.vocab or the next one", std::to_string(id));
      put(vocabulary, id, piece, key);
      vocabulary.added.push_back(static_cast<std::int32_t>(id));
    }
  }

  void check_dense(const WordsVocabulary& vocabulary) const {
    PieceMap<std::size_t> ids;
    for (std::size_t id = 0; id < is_taken_.size(); ++id) {
      if (!is_taken_[id]) fail("model.vocab", "must use every id up to the last", "none at " + std::to_string(id));
      if (!ids.emplace(vocabulary.pieces[id], id).second)
        fail("added_tokens", "must be different pieces", vocabulary.pieces[id] + " again");
    }
  }

  std::string name_;
  Json root_;
  std::vector<bool> is_taken_;  ///< [id]
};

}  // namespace

WordsVocabulary parse_words_vocabulary(std::string_view json, const std::string& name) {
  return Reader(json, name).read();
}

std::string to_tokenizer_json(const WordsVocabulary& vocabulary) {
  nlohmann::ordered_json added = nlohmann::ordered_json::array();
  for (const std::int32_t id : vocabulary.added)
    added.push_back({{"id", id},
                     {"content", vocabulary.pieces[static_cast<std::size_t>(id)]},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  nlohmann::ordered_json split = {
      {"type", "Split"}, {"pattern", {{"Regex", kWordsPattern}}}, {"behavior", "Removed"}, {"invert", true}};
  nlohmann::ordered_json root = {{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
  root["added_tokens"] = std::move(added);
  root["normalizer"] = vocabulary.lowercase ? nlohmann::ordered_json{{"type", "Lowercase"}} : nullptr;
  root["pre_tokenizer"] = std::move(split);
  root["post_processor"] = nullptr;
  root["decoder"] = nullptr;
  std::string out = root.dump(2);
  // The pieces by hand: an ordered object would search all it holds at every piece.
  out.resize(out.rfind('\n'));
  out += ",\n  \"model\": {\n    \"type\": \"WordLevel\",\n    \"vocab\": {";
  for (std::size_t id = 0; id < vocabulary.pieces.size(); ++id)
    out += (id == 0 ? "\n      " : ",\n      ") + Json(vocabulary.pieces[id]).dump() + ": " + std::to_string(id);
  out += "\n    },\n    \"unk_token\": " + Json(vocabulary.pieces[static_cast<std::size_t>(vocabulary.unk)]).dump() +
         "\n  }\n}\n";
  return out;
}

}  // namespace rotary::text
