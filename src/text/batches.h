// Batches of documents of similar length: pure functions of the lengths, the same on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rotary::text {

/// The part of a document that is read: tokens begin … begin+length−1.
struct Crop {
  std::int64_t document = 0;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  friend bool operator==(const Crop&, const Crop&) = default;
};

/// Padded to the longest crop of the batch: [crops, longest] tokens.
using Batch = std::vector<Crop>;

struct EpochOptions {
  std::int64_t max_length = 256;  ///< tokens that are read of a document
  std::int64_t batch_size = 32;   ///< documents
  double crop_probability = 0;    ///< a longer document is read from a random token on, otherwise from its head
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::int64_t pool = 20;  ///< batches that are sorted by length together: more pads less, fewer mixes better
};

/// One epoch: every document once, shuffled, sorted by length within pools, cut into batches, the batches shuffled. All
/// batches but one are full. A document's crop depends on seed, epoch and its number alone. `lengths`: [documents], in
/// tokens, each positive. Throws std::invalid_argument.
std::vector<Batch> make_epoch(std::span<const std::int64_t> lengths, const EpochOptions& options = {});

/// Batches for reading without training: the documents' heads sorted by length, longest first, so that the first batch
/// needs the most memory. Arguments as of make_epoch(); crop_probability, seed, epoch and pool are not used.
std::vector<Batch> make_reading_batches(std::span<const std::int64_t> lengths, const EpochOptions& options = {});

/// Cuts a batch into the fewest micro-batches of similar length (longest first) that each have at most `max_tokens`
/// tokens with padding. Throws std::invalid_argument where a single crop is longer.
std::vector<Batch> split_batch(const Batch& batch, std::int64_t max_tokens);

/// The share of padding among all tokens, padding included: 0 where all of a batch are equally long.
double padding_share(std::span<const Batch> batches);

}  // namespace rotary::text
