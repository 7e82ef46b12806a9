#include "cli/evaluation.h"

#include <algorithm>
#include <bit>
#include <map>

#include "text/baseline.h"

namespace rotary::cli {
namespace {

constexpr std::int64_t kShortest = 64;
constexpr int kNumSpecial = 5;  // [PAD] ... [MASK]: no features of the baseline

std::vector<nn::Tokens> heads_of(const std::vector<nn::Tokens>& documents, std::int64_t length) {
  std::vector<nn::Tokens> out;
  for (const nn::Tokens& tokens : documents)
    out.emplace_back(tokens.begin(), tokens.begin() + std::min(length, static_cast<std::int64_t>(tokens.size())));
  return out;
}

double baseline_accuracy(const TestSet& train, const TestSet& test, std::int64_t length, int classes) {
  text::BaselineOptions options;
  options.features.first_id = kNumSpecial;
  const text::Baseline baseline = text::train_baseline(heads_of(train.tokens, length), train.classes, classes, options);
  return nn::compare(test.classes, text::predict(baseline, heads_of(test.tokens, length)), classes).accuracy();
}

}  // namespace

std::vector<int> predict(const nn::Roformer& model, const std::vector<nn::Tokens>& documents,
                         const nn::ReadingOptions& options) {
  std::vector<int> predictions;
  for (const auto& probabilities : nn::classify(model, documents, options))
    predictions.push_back(nn::most_likely(probabilities));
  return predictions;
}

std::vector<LengthBand> by_document_length(const TestSet& test, const std::vector<int>& predictions) {
  std::map<std::int64_t, LengthBand> bands;
  for (std::size_t i = 0; i < test.tokens.size(); ++i) {
    const auto length = static_cast<std::int64_t>(test.tokens[i].size());
    const bool is_short = length < kShortest;
    const std::int64_t from =
        is_short ? 0 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(length)));
    LengthBand& band = bands[from];
    band.from = from;
    band.to = is_short ? kShortest : 2 * from;
    ++band.documents;
    band.accuracy += predictions[i] == test.classes[i];
  }
  std::vector<LengthBand> out;
  for (auto& [from, band] : bands) {
    band.accuracy /= static_cast<double>(band.documents);
    out.push_back(band);
  }
  return out;
}

std::vector<AtLength> by_reading_length(const nn::Roformer& model, const TestSet& test, const TestSet* train,
                                        const std::vector<std::int64_t>& lengths, nn::ReadingOptions options) {
  const auto classes = static_cast<int>(model.config().labels.size());
  std::vector<AtLength> out;
  for (const std::int64_t length : lengths) {
    options.excerpts.max_length = length;
    options.excerpts.stride = std::max<std::int64_t>(1, length / 2);
    const nn::Confusion confusion = nn::compare(test.classes, predict(model, test.tokens, options), classes);
    AtLength row{length, confusion.accuracy(), confusion.macro_f1(), 0, {}};
    for (const nn::Tokens& tokens : test.tokens) row.documents_cut += static_cast<std::int64_t>(tokens.size()) > length;
    row.documents_cut /= static_cast<double>(std::max<std::size_t>(1, test.tokens.size()));
    if (train) row.baseline = baseline_accuracy(*train, test, length, classes);
    out.push_back(row);
  }
  return out;
}

}  // namespace rotary::cli
