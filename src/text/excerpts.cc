#include "text/excerpts.h"

#include "core/require.h"

namespace rotary::text {
namespace {

// Sets the weights by sweeping over the windows' ends: between two of them the same windows read every token.
void weigh(std::vector<Excerpt>& windows, std::int64_t num_tokens) {
  for (Excerpt& window : windows) window.weight = 0;
  std::size_t first = 0, last = 0;  // the windows that read the token `at`: first … last−1
  for (std::int64_t at = 0; at < num_tokens;) {
    while (windows[first].head.begin + windows[first].head.length <= at) ++first;
    while (last < windows.size() && windows[last].head.begin <= at) ++last;
    std::int64_t next = windows[first].head.begin + windows[first].head.length;
    if (last < windows.size()) next = std::min(next, windows[last].head.begin);
    const double share = static_cast<double>(next - at) / static_cast<double>(num_tokens);
    for (std::size_t i = first; i < last; ++i) windows[i].weight += share / static_cast<double>(last - first);
    at = next;
  }
}

std::vector<Excerpt> make_windows(std::int64_t num_tokens, const ExcerptOptions& options) {
  std::vector<Excerpt> windows;
  const std::int64_t last = num_tokens - options.max_length;
  for (std::int64_t begin = 0; begin < last; begin += options.stride)
    windows.push_back({.head = {begin, options.max_length}, .tail = {}});
  windows.push_back({.head = {last, options.max_length}, .tail = {}});
  weigh(windows, num_tokens);
  return windows;
}

}  // namespace

std::vector<Excerpt> make_excerpts(std::int64_t num_tokens, const ExcerptOptions& options) {
  using detail::require;
  const std::int64_t n = options.max_length;
  require(num_tokens >= 0, "make_excerpts", "num_tokens must not be negative", num_tokens);
  require(n > 0, "make_excerpts", "max_length must be positive", n);
  require(options.truncation != Truncation::kWindows || (options.stride > 0 && options.stride <= n), "make_excerpts",
          "stride must be between 1 and max_length", options.stride);
  if (num_tokens <= n) return {{.head = {0, num_tokens}, .tail = {}}};
  switch (options.truncation) {
    case Truncation::kHead: return {{.head = {0, n}, .tail = {}}};
    case Truncation::kTail: return {{.head = {num_tokens - n, n}, .tail = {}}};
    case Truncation::kHeadTail: return {{.head = {0, n - n / 2}, .tail = {num_tokens - n / 2, n / 2}}};
    case Truncation::kWindows: return make_windows(num_tokens, options);
  }
  throw std::invalid_argument("make_excerpts: truncation must be head, tail, head and tail or windows, got " +
                              std::to_string(static_cast<int>(options.truncation)));
}

std::vector<std::int32_t> take_excerpt(std::span<const std::int32_t> tokens, const Excerpt& excerpt) {
  const auto size = static_cast<std::int64_t>(tokens.size());
  std::vector<std::int32_t> out;
  out.reserve(static_cast<std::size_t>(excerpt.length()));
  for (const Span& part : {excerpt.head, excerpt.tail}) {
    detail::require(part.begin >= 0 && part.length >= 0 && part.begin <= size - part.length, "take_excerpt",
                    "excerpt must lie within the tokens", part.begin);
    const auto begin = tokens.begin() + part.begin;
    out.insert(out.end(), begin, begin + part.length);
  }
  return out;
}

}  // namespace rotary::text
