// A task on real text in which words alone are worth nothing: is a passage in its original order, or with its halves
// swapped?
//
//     first half. Second half.   ->  "original"
//     Second half. first half.   ->  "swapped"
//
// Every passage is there in both classes, and both forms hold the same words, so a model without positions stays at
// 50 %.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/corpus.h"

namespace rotary::text {

constexpr std::string_view kOriginalOrder = "original";
constexpr std::string_view kSwappedOrder = "swapped";

struct OrderOptions {
  std::int64_t words = 200;  ///< of a passage, at least: it ends with the sentence that reaches them
  double least_half =
      0.25;  ///< of a passage's words: where the sentence end nearest the middle leaves less, it is left out
};

struct OrderExample {
  std::string text;          ///< single spaces between the words, no line ends
  std::string_view label;    ///< kOriginalOrder or kSwappedOrder
  std::int64_t passage = 0;  ///< the number of the passage in the text; both its forms belong into the same split
};

/// The sentences of a text, its white space made single spaces. A sentence ends behind `.`, `!` or `?` (and closing
/// quotes or brackets) before a space and a capital letter (behind opening ones), unless the word is an initial or a
/// usual abbreviation; a rule for English that may miss ends.
std::vector<std::string> split_sentences(std::string_view text);

/// Cuts a text, from its beginning, into passages of whole sentences and makes both forms of each, the original first.
/// A rest of fewer words is left out. Throws std::invalid_argument.
std::vector<OrderExample> make_order_examples(std::string_view text, const OrderOptions& options = {});

/// Replaces every document of a corpus by the examples of its passages: each split keeps its own documents, labels
/// become the two orders.
void make_order_task(Corpus& corpus, const OrderOptions& options = {});

}  // namespace rotary::text
