#include "text/wordpiece_tokenizer.h"

#include <stdexcept>

#include "core/require.h"
#include "rotary/formats/files.h"
#include "text/tokenizer_config.h"
#include "text/unicode.h"

namespace rotary::text {

WordPieceTokenizer::WordPieceTokenizer(std::vector<std::string> pieces, const WordPieceOptions& options)
    : pieces_(std::move(pieces)), options_(options) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) ids_.emplace(pieces_[i], static_cast<std::int32_t>(i));
  special_ids_ = find_special_ids([&](std::string_view piece) { return find(piece); });
  for (const std::int32_t id :
       {special_ids_.pad, special_ids_.unk, special_ids_.cls, special_ids_.sep, special_ids_.mask})
    if (id >= 0) finder_.add(piece(id), id);
}

std::int32_t WordPieceTokenizer::find(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? -1 : found->second;
}

std::vector<std::int32_t> WordPieceTokenizer::encode(std::string_view utf8) const {
  std::vector<std::int32_t> ids;
  split_at_specials(
      finder_, utf8, [&](std::string_view text) { encode_text(text, ids); },
      [&](std::int32_t id) { ids.push_back(id); });
  return ids;
}

std::u32string WordPieceTokenizer::normalize(std::string_view text) const {
  const Unicode& unicode = Unicode::get();
  std::u32string bare, out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = read_code_point(text, at);
    const auto classes = unicode.classes(c);
    if ((classes & kControl) != 0) continue;
    const bool apart = options_.tokenize_chinese_chars && (classes & kIdeograph) != 0;
    if (apart) out += U' ';
    bare.clear();
    if (options_.strip_accents)
      unicode.append_without_accents(bare, c);
    else
      bare += c;
    for (const char32_t b : bare) {
      if (options_.do_lower_case)
        unicode.append_lower(out, b);
      else
        out += b;
    }
    if (apart) out += U' ';
  }
  return out;
}

void WordPieceTokenizer::encode_text(std::string_view text, std::vector<std::int32_t>& ids) const {
  const Unicode& unicode = Unicode::get();
  const std::u32string normal = normalize(text);
  const std::u32string_view view(normal);
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= view.size(); ++at) {
    const auto classes = at < view.size() ? unicode.classes(view[at]) : std::uint8_t{kSpace};
    if ((classes & (kSpace | kPunctuation)) == 0) continue;
    encode_word(view.substr(begin, at - begin), ids);
    if ((classes & kPunctuation) != 0) encode_word(view.substr(at, 1), ids);
    begin = at + 1;
  }
}

void WordPieceTokenizer::encode_word(std::u32string_view word, std::vector<std::int32_t>& ids) const {
  constexpr std::size_t kMaxCharacters = 100;
  if (word.empty()) return;
  const std::size_t before = ids.size();
  std::string candidate;
  std::vector<std::size_t> ends;  // of the candidate, one for each of its characters
  for (std::size_t begin = 0; begin < word.size() && word.size() <= kMaxCharacters;) {
    candidate = begin == 0 ? "" : "##";
    ends.clear();
    for (const char32_t c : word.substr(begin)) {
      append_utf8(candidate, c);
      ends.push_back(candidate.size());
    }
    std::size_t length = ends.size();
    std::int32_t id = -1;
    for (; length > 0 && id < 0; --length) id = find(std::string_view(candidate).substr(0, ends[length - 1]));
    if (id < 0) break;
    ids.push_back(id);
    begin += length + 1;
    if (begin == word.size()) return;
  }
  ids.resize(before);
  ids.push_back(special_ids_.unk);
}

std::string WordPieceTokenizer::piece(std::int32_t id) const {
  detail::require<std::out_of_range>(id >= 0 && id < vocab_size(), "piece", "id must be below vocab_size", id);
  return pieces_[static_cast<std::size_t>(id)];
}

void WordPieceTokenizer::save(const std::filesystem::path& folder) const {
  std::string text;
  for (const std::string& piece : pieces_) text += piece + '\n';
  write_file_atomically((folder / "vocab.txt").string(), text);
  TokenizerConfig config = make_tokenizer_config(*this, "wordpiece", "BertTokenizer");
  config["do_lower_case"] = options_.do_lower_case;
  config["strip_accents"] = options_.strip_accents;
  config["tokenize_chinese_chars"] = options_.tokenize_chinese_chars;
  write_tokenizer_config(folder, config);
}

std::vector<std::string> parse_vocab_txt(std::string_view text, const std::string& name) {
  std::vector<std::string> pieces;
  PieceMap<std::size_t> lines;
  const auto fail = [&](std::size_t line, const std::string& what) {
    throw std::runtime_error(name + ": line " + std::to_string(line) + " must hold " + what);
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string piece(text.substr(at, end - at));
    if (piece.ends_with('\r')) piece.pop_back();
    at = end + 1;
    const std::size_t line = pieces.size() + 1;
    if (to_valid_utf8(piece) != piece) fail(line, "UTF-8, got other bytes");
    if (const auto [first, is_new] = lines.emplace(piece, line); !is_new)
      fail(line, "a piece of its own, got '" + piece + "' of line " + std::to_string(first->second) + " again");
    pieces.push_back(std::move(piece));
  }
  if (!lines.contains("[UNK]"))
    throw std::runtime_error(name + ": must hold the piece [UNK], got " + std::to_string(pieces.size()) +
                             " pieces without it");
  return pieces;
}

}  // namespace rotary::text
