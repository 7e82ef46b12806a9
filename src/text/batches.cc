#include "text/batches.h"

#include <algorithm>
#include <numeric>

#include "core/require.h"
#include "text/random.h"

namespace rotary::text {
namespace {

void validate(std::span<const std::int64_t> lengths, const EpochOptions& options, std::string_view function) {
  using detail::require;
  require(options.max_length > 0, function, "max_length must be positive", options.max_length);
  require(options.batch_size > 0, function, "batch_size must be positive", options.batch_size);
  require(options.pool > 0, function, "pool must be positive", options.pool);
  require(options.crop_probability >= 0 && options.crop_probability <= 1, function,
          "crop_probability must be between 0 and 1", options.crop_probability);
  for (const std::int64_t length : lengths) require(length > 0, function, "lengths must be positive", length);
}

Crop crop_of(std::int64_t document, std::int64_t length, const EpochOptions& options) {
  Crop crop{document, 0, std::min(length, options.max_length)};
  if (length <= options.max_length) return crop;
  Random random(options.seed, {kDrawCrop, options.epoch, static_cast<std::uint64_t>(document)});
  if (random.uniform() < options.crop_probability)
    crop.begin = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length - crop.length + 1)));
  return crop;
}

bool is_longer(const Crop& a, const Crop& b) { return a.length > b.length; }

std::vector<Batch> cut(const std::vector<Crop>& crops, std::int64_t batch_size) {
  std::vector<Batch> batches;
  const auto size = static_cast<std::size_t>(std::min(batch_size, static_cast<std::int64_t>(crops.size())));
  for (std::size_t at = 0; at < crops.size(); at += size) {
    const auto begin = crops.begin() + static_cast<std::ptrdiff_t>(at);
    batches.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, crops.size() - at)));
  }
  return batches;
}

// The longest crop is the first one.
std::int64_t num_padded(const Batch& batch, std::size_t begin, std::size_t end) {
  return batch[begin].length * static_cast<std::int64_t>(end - begin);
}

}  // namespace

std::vector<Batch> make_epoch(std::span<const std::int64_t> lengths, const EpochOptions& options) {
  validate(lengths, options, "make_epoch");
  std::vector<Crop> crops;
  crops.reserve(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i)
    crops.push_back(crop_of(static_cast<std::int64_t>(i), lengths[i], options));
  Random(options.seed, {kShuffleDocuments, options.epoch}).shuffle(crops);
  const auto num = static_cast<std::int64_t>(crops.size());
  // In batches, so that the product cannot overflow.
  const std::int64_t per_pool =
      options.pool >= num / options.batch_size + 1 ? std::max<std::int64_t>(num, 1) : options.pool * options.batch_size;
  for (std::int64_t at = 0; at < num; at += per_pool)
    std::stable_sort(crops.begin() + at, crops.begin() + std::min(at + per_pool, num), is_longer);
  std::vector<Batch> batches = cut(crops, options.batch_size);
  Random(options.seed, {kShuffleBatches, options.epoch}).shuffle(batches);
  return batches;
}

std::vector<Batch> make_reading_batches(std::span<const std::int64_t> lengths, const EpochOptions& options) {
  validate(lengths, options, "make_reading_batches");
  std::vector<Crop> crops;
  crops.reserve(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i)
    crops.push_back({static_cast<std::int64_t>(i), 0, std::min(lengths[i], options.max_length)});
  std::stable_sort(crops.begin(), crops.end(), is_longer);
  return cut(crops, options.batch_size);
}

std::vector<Batch> split_batch(const Batch& batch, std::int64_t max_tokens) {
  Batch sorted = batch;
  std::stable_sort(sorted.begin(), sorted.end(), is_longer);
  if (!sorted.empty())
    detail::require(sorted[0].length <= max_tokens, "split_batch", "max_tokens must hold the longest crop", max_tokens);
  std::vector<Batch> micro;
  // Longest first, each as full as it can be: no division has fewer parts.
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && num_padded(sorted, begin, end + 1) <= max_tokens) ++end;
    micro.emplace_back(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                       sorted.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  return micro;
}

double padding_share(std::span<const Batch> batches) {
  double read = 0, padded = 0;
  for (const Batch& batch : batches) {
    std::int64_t longest = 0;
    for (const Crop& crop : batch) {
      longest = std::max(longest, crop.length);
      read += static_cast<double>(crop.length);
    }
    padded += static_cast<double>(longest) * static_cast<double>(batch.size());
  }
  return padded > 0 ? 1 - read / padded : 0;
}

}  // namespace rotary::text
