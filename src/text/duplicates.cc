#include "text/duplicates.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "text/min_hash.h"
#include "text/word_hashes.h"

namespace rotary::text {
namespace {

constexpr double kNear = 0.5;
constexpr std::size_t kMaxPairs = 5;

// A document among those of all parts; what lies before `part_begin` is in an earlier part.
struct Entry {
  const Document* document;
  std::size_t part_begin;
};

std::vector<Entry> number_documents(const std::vector<const std::vector<Document>*>& parts) {
  std::vector<Entry> out;
  for (const auto* part : parts) {
    const std::size_t begin = out.size();
    for (const Document& document : *part) out.push_back({&document, begin});
  }
  return out;
}

void report(const Entry& entry, const Entry& twin, double similarity, std::size_t& count,
            std::vector<DuplicatePair>& pairs) {
  if (++count <= kMaxPairs) pairs.push_back({entry.document->id, twin.document->id, similarity});
}

// Reports exact duplicates; returns for each document whether it is one.
std::vector<bool> find_exact(const std::vector<Entry>& entries, DuplicateReport& out) {
  std::vector<bool> is_exact(entries.size(), false);
  std::unordered_map<std::uint64_t, std::size_t> first;  // text -> the first document that has it
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [found, is_new] = first.try_emplace(text_hash(entries[i].document->text), i);
    if (is_new) continue;
    const Entry &entry = entries[i], &twin = entries[found->second];
    if (entry.document->label != twin.document->label) report(entry, twin, 1, out.num_conflicting, out.conflicting);
    if (found->second >= entry.part_begin) continue;
    is_exact[i] = true;
    report(entry, twin, 1, out.num_exact, out.exact);
  }
  return is_exact;
}

// For each document of a later part, documents of earlier parts that share a band with it.
std::vector<std::vector<std::size_t>> find_candidates(const std::vector<Entry>& entries,
                                                      const std::vector<MinHash>& sketches) {
  constexpr std::ptrdiff_t kMaxPerBand = 8;  // of a template that many documents follow, some are enough
  std::vector<std::vector<std::size_t>> candidates(entries.size());
  std::vector<std::pair<std::uint64_t, std::size_t>> index(entries.size());
  for (std::size_t band = 0; band < kNumBands; ++band) {
    for (std::size_t i = 0; i < entries.size(); ++i) index[i] = {band_key(sketches[i], band), i};
    std::sort(index.begin(), index.end());
    for (auto run = index.begin(); run != index.end();) {
      const auto end = std::find_if(run, index.end(), [run](const auto& other) { return other.first != run->first; });
      for (auto it = run; it != end; ++it)
        for (auto other = run; other < it && other - run < kMaxPerBand; ++other)
          if (other->second < entries[it->second].part_begin) candidates[it->second].push_back(other->second);
      run = end;
    }
  }
  return candidates;
}

// The best of a document's candidates by their sketches.
std::vector<std::size_t> most_alike(std::size_t document, std::vector<std::size_t> candidates,
                                    const std::vector<MinHash>& sketches) {
  constexpr std::size_t kMaxCompared = 4;
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    return agreement(sketches[document], sketches[a]) > agreement(sketches[document], sketches[b]);
  });
  if (candidates.size() > kMaxCompared) candidates.resize(kMaxCompared);
  return candidates;
}

void find_near(const std::vector<Entry>& entries, const std::vector<bool>& is_exact, DuplicateReport& out) {
  std::vector<MinHash> sketches;
  sketches.reserve(entries.size());
  for (const Entry& entry : entries) sketches.push_back(min_hash(shingles(entry.document->text)));
  auto candidates = find_candidates(entries, sketches);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (is_exact[i] || candidates[i].empty()) continue;
    const auto runs = shingles(entries[i].document->text);
    for (const std::size_t other : most_alike(i, std::move(candidates[i]), sketches)) {
      const double similarity = jaccard(runs, shingles(entries[other].document->text));
      if (similarity < kNear) continue;
      report(entries[i], entries[other], similarity, out.num_near, out.near);
      break;
    }
  }
}

}  // namespace

DuplicateReport find_duplicates(const std::vector<const std::vector<Document>*>& parts) {
  const std::vector<Entry> entries = number_documents(parts);
  DuplicateReport out;
  const std::vector<bool> is_exact = find_exact(entries, out);
  find_near(entries, is_exact, out);
  return out;
}

}  // namespace rotary::text
