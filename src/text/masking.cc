#include "text/masking.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/require.h"
#include "text/random.h"

namespace rotary::text {
namespace {

bool has_regular_id(const MaskOptions& options) {
  std::int32_t id = 0;
  while (id < options.vocab_size && options.special_ids.contains(id)) ++id;
  return id < options.vocab_size;
}

void validate(const MaskOptions& options) {
  using detail::require;
  const auto is_share = [](double x) { return x >= 0 && x <= 1; };
  require(is_share(options.probability), "mask_tokens", "probability must be between 0 and 1", options.probability);
  require(is_share(options.mask_share), "mask_tokens", "mask_share must be between 0 and 1", options.mask_share);
  require(is_share(options.random_share) && options.mask_share + options.random_share <= 1 + 1e-9, "mask_tokens",
          "random_share must be between 0 and 1 - mask_share", options.random_share);
  require(options.special_ids.mask >= 0 && options.special_ids.mask < options.vocab_size, "mask_tokens",
          "special_ids.mask must be below vocab_size", options.special_ids.mask);
  require(has_regular_id(options), "mask_tokens", "vocab_size must be more than the special pieces",
          options.vocab_size);
}

std::int32_t draw_regular(Random& random, const MaskOptions& options) {
  for (;;) {
    const auto id = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(options.vocab_size)));
    if (!options.special_ids.contains(id)) return id;
  }
}

}  // namespace

MaskedTokens mask_tokens(std::span<const std::int32_t> tokens, std::uint64_t epoch, std::uint64_t document,
                         const MaskOptions& options) {
  validate(options);
  MaskedTokens masked{{tokens.begin(), tokens.end()}, std::vector<std::int64_t>(tokens.size(), kNoLabel)};
  std::vector<std::size_t> positions;
  for (std::size_t t = 0; t < tokens.size(); ++t)
    if (!options.special_ids.contains(tokens[t])) positions.push_back(t);
  if (positions.empty()) return masked;

  Random random(options.seed, {kDrawMasks, epoch, document});
  const auto share = std::llround(options.probability * static_cast<double>(positions.size()));
  const auto num_masked = static_cast<std::size_t>(std::max(share, 1LL));
  for (std::size_t i = 0; i < num_masked; ++i) {
    std::swap(positions[i], positions[i + random.below(positions.size() - i)]);
    const std::size_t t = positions[i];
    masked.labels[t] = tokens[t];
    const double fate = random.uniform();
    if (fate < options.mask_share)
      masked.tokens[t] = options.special_ids.mask;
    else if (fate < options.mask_share + options.random_share)
      masked.tokens[t] = draw_regular(random, options);
  }
  return masked;
}

}  // namespace rotary::text
