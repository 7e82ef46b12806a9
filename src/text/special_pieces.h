// The pieces that stand for no text: their names, and how they are found in text that spells them out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace rotary::text {

/// The special pieces of a vocabulary that is made here, by id.
constexpr std::array<std::string_view, 5> kSpecialPieces = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

/// The ids of the usual names ([CLS], <cls>, <s> …) in a vocabulary; `find` gives a piece's id, or -1.
SpecialIds find_special_ids(const std::function<std::int32_t(std::string_view)>& find);

/// Finds pieces in text as it stands: the leftmost occurrence, of several there the longest.
class SpecialFinder {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t length = 0;  ///< 0: none, and `begin` is the text's end
    std::int32_t id = -1;
  };

  void add(std::string piece, std::int32_t id);
  Match find(std::string_view text, std::size_t from) const;

 private:
  struct Special {
    std::string piece;
    std::int32_t id;
  };

  std::vector<Special> specials_;
  std::array<bool, 256> starts_{};  ///< [byte]: some piece starts with it
};

/// Calls `on_special(id)` for every special piece in the text and `on_text(view)` for what is between, in order.
template <class OnText, class OnSpecial>
void split_at_specials(const SpecialFinder& finder, std::string_view text, OnText&& on_text, OnSpecial&& on_special) {
  for (std::size_t at = 0; at < text.size();) {
    const SpecialFinder::Match match = finder.find(text, at);
    if (match.begin > at) on_text(text.substr(at, match.begin - at));
    if (match.length > 0) on_special(match.id);
    at = match.begin + match.length;
  }
}

}  // namespace rotary::text
