#include "cli/evaluation_page.h"

#include <cstdio>
#include <filesystem>

#include "cli/training_session.h"
#include "report/page.h"

namespace rotary::cli {
namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

report::Table confusion_table(const Evaluation& evaluation, const std::vector<std::string>& labels) {
  report::Table table;
  table.columns.push_back({"truth \\ said"});
  for (const std::string& label : labels) table.columns.push_back({label});
  table.columns.push_back({"found"});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::vector<std::string> row = {labels[i]};
    std::int64_t all = 0;
    for (const std::int64_t n : evaluation.confusion.counts[i]) {
      row.push_back(n == 0 ? "." : std::to_string(n));
      all += n;
    }
    row.push_back(
        all == 0 ? "-" : percent(static_cast<double>(evaluation.confusion.counts[i][i]) / static_cast<double>(all)));
    table.rows.push_back(row);
  }
  for (std::size_t c = 1; c < table.columns.size(); ++c) table.columns[c].align = report::Align::kRight;
  return table;
}

report::Table length_table(const Evaluation& evaluation) {
  const bool has_baseline = !evaluation.by_length.empty() && evaluation.by_length[0].baseline;
  report::Table table{{{"tokens read"}, {"accuracy"}, {"macro F1"}, {"documents cut"}}, {}};
  if (has_baseline) table.columns.emplace_back().name = "TF-IDF + logistic regression";
  for (const AtLength& at : evaluation.by_length) {
    char f1[16];
    std::snprintf(f1, sizeof f1, "%.3f", at.macro_f1);
    std::vector<std::string> row = {std::to_string(at.length), percent(at.accuracy), f1, percent(at.documents_cut)};
    if (has_baseline) row.push_back(percent(*at.baseline));
    table.rows.push_back(row);
  }
  return table;
}

report::Table band_table(const Evaluation& evaluation) {
  report::Table table{{{"document's tokens"}, {"documents"}, {"accuracy"}}, {}};
  for (const LengthBand& band : evaluation.bands)
    table.rows.push_back({std::to_string(band.from) + " to " + std::to_string(band.to - 1),
                          std::to_string(band.documents), percent(band.accuracy)});
  return table;
}

report::LineChart length_chart(const Evaluation& evaluation) {
  report::LineChart chart;
  chart.title = "Accuracy by the tokens read of each document";
  chart.x = {"tokens read", report::Scale::kLog2};
  chart.y = {"accuracy, %"};
  report::Series model{"RoFormer"}, baseline{"TF-IDF + logistic regression"};
  for (const AtLength& at : evaluation.by_length) {
    model.x.push_back(static_cast<double>(at.length));
    model.y.push_back(100 * at.accuracy);
    if (!at.baseline) continue;
    baseline.x.push_back(static_cast<double>(at.length));
    baseline.y.push_back(100 * *at.baseline);
  }
  chart.series.push_back(model);
  if (!baseline.x.empty()) chart.series.push_back(baseline);
  return chart;
}

report::LineChart loss_chart(const std::string& folder) {
  report::LineChart chart;
  chart.title = "Loss in training";
  chart.x = {"step"};
  chart.y = {"cross entropy, nats"};
  for (const report::Series& series :
       {read_log(folder, "mean_loss", "training"), read_log(folder, "valid_loss", "validation")})
    if (!series.x.empty()) chart.series.push_back(series);
  return chart;
}

}  // namespace

EvaluationText describe(const Evaluation& evaluation, const std::vector<std::string>& labels, std::int64_t length) {
  EvaluationText text;
  const std::int64_t total = evaluation.confusion.total();
  const double accuracy = evaluation.confusion.accuracy();
  char summary[200];
  std::snprintf(summary, sizeof summary,
                "accuracy %.1f %% (standard error %.1f), macro F1 %.3f on %lld documents, reading %lld tokens of each",
                100 * accuracy, 100 * nn::standard_error(accuracy, total), evaluation.confusion.macro_f1(),
                static_cast<long long>(total), static_cast<long long>(length));
  text.summary = summary;
  text.confusion = confusion_table(evaluation, labels);
  text.by_length = length_table(evaluation);
  text.bands = band_table(evaluation);
  for (const AtLength& at : evaluation.by_length)
    if (at.baseline && *at.baseline > at.accuracy + nn::standard_error(*at.baseline, total))
      text.remark =
          "Where TF-IDF with logistic regression is ahead by more than the standard error, words alone decide: take "
          "it, or give the model more "
          "data or time.";
  return text;
}

std::string evaluation_page(const std::string& model, const EvaluationText& text, const Evaluation& evaluation,
                            const ClassifierFolder& folder) {
  const nn::RoformerConfig& config = folder.model->config();
  report::Page page("Evaluation of " + std::filesystem::path(model).lexically_normal().filename().string());
  page.paragraph(text.summary + ".");
  page.facts(
      {{"model", std::to_string(config.num_layers) + " layers, d " + std::to_string(config.d_model) + ", " +
                     std::to_string(config.num_heads) + " heads, " + std::string(nn::to_string(config.encoding))},
       {"vocabulary", std::to_string(config.vocab_size)},
       {"trained on", std::to_string(folder.trained_length) + " tokens of a document"},
       {"data", folder.data}});
  page.section("How much it reads").figure(length_chart(evaluation)).table(text.by_length);
  if (!text.remark.empty()) page.paragraph(text.remark);
  page.section("What it confuses").table(text.confusion, "Rows are the truth, columns what the model said.");
  page.section("Long and short documents").table(text.bands);
  const report::LineChart losses = loss_chart(model);
  if (!losses.series.empty()) page.section("Training").figure(losses);
  page.section("Again").command("rotary evaluate " + model);
  return page.to_html();
}

}  // namespace rotary::cli
