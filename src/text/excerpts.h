// What is read of a document that is longer than a model reads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rotary::text {

enum class Truncation {
  kHead,      ///< the first tokens
  kTail,      ///< the last ones
  kHeadTail,  ///< both, half of each (the head has the odd one), joined
  kWindows,   ///< everything, in windows that are read by themselves
};

struct Span {
  std::int64_t begin = 0;
  std::int64_t length = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

/// One sequence to read: the tokens of `head`, then those of `tail` (empty but with kHeadTail).
struct Excerpt {
  Span head;
  Span tail;
  double weight = 1;  ///< of this excerpt's logits in the document's; the weights of a document add up to 1

  std::int64_t length() const { return head.length + tail.length; }
};

struct ExcerptOptions {
  Truncation truncation = Truncation::kHead;
  std::int64_t max_length = 256;  ///< tokens of an excerpt, at most
  std::int64_t stride = 128;      ///< kWindows: from one window's first token to the next one's; at most max_length
};

/// What is read of a document of `num_tokens` tokens; one excerpt, the whole document, where it fits. Windows cover
/// every token; the last one ends with the document. A window's weight is its share of the tokens, a token that several
/// windows read counting in equal parts for each, so that overlap favours no part of the document. Throws
/// std::invalid_argument.
std::vector<Excerpt> make_excerpts(std::int64_t num_tokens, const ExcerptOptions& options = {});

/// The excerpt's tokens. `tokens`: those of the whole document.
std::vector<std::int32_t> take_excerpt(std::span<const std::int32_t> tokens, const Excerpt& excerpt);

}  // namespace rotary::text
