#include "text/baseline.h"

#include <linear.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "core/require.h"

namespace rotary::text {
namespace {

struct DestroyModel {
  void operator()(::model* trained) const { free_and_destroy_model(&trained); }
};
using Model = std::unique_ptr<::model, DestroyModel>;

// liblinear's rows: (feature counted from 1, weight) ..., the bias, and an end mark of index -1.
struct Rows {
  std::vector<std::vector<feature_node>> nodes;
  std::vector<feature_node*> pointers;
};

Rows make_rows(const TfIdf& features, std::span<const std::vector<std::int32_t>> documents) {
  Rows rows;
  for (const auto& document : documents) {
    auto& row = rows.nodes.emplace_back();
    for (const FeatureWeight& f : features(document)) row.push_back({f.feature + 1, f.weight});
    row.push_back({static_cast<int>(features.num_features()) + 1, 1.0});
    row.push_back({-1, 0.0});
  }
  for (auto& row : rows.nodes) rows.pointers.push_back(row.data());
  return rows;
}

Model fit(Rows& rows, std::span<const int> labels, std::size_t num_features, double cost) {
  static const bool silenced = [] {
    set_print_string_function([](const char*) {});
    return true;
  }();
  static_cast<void>(silenced);
  std::vector<double> targets(labels.begin(), labels.end());
  ::problem problem{};
  problem.l = static_cast<int>(labels.size());
  problem.n = static_cast<int>(num_features) + 1;
  problem.y = targets.data();
  problem.x = rows.pointers.data();
  problem.bias = 1;
  ::parameter parameter{};
  parameter.solver_type = L2R_LR;
  parameter.C = cost;
  parameter.eps = 0.001;
  const char* complaint = check_parameter(&problem, &parameter);
  detail::require(complaint == nullptr, "train_baseline", "the options must suit liblinear",
                  complaint ? complaint : "");
  return Model(::train(&problem, &parameter));
}

// liblinear numbers the classes as they come in the data, and of two keeps one score.
void copy_weights(const ::model& trained, Baseline& out) {
  const auto num_classes = static_cast<std::size_t>(out.num_classes);
  const std::size_t num_features = out.features.num_features();
  const bool is_binary = trained.nr_class == 2;
  const int num_scores = is_binary ? 1 : trained.nr_class;
  out.weights.assign(num_features * num_classes, 0.0);
  out.bias.assign(num_classes, -std::numeric_limits<double>::infinity());
  for (int c = 0; c < trained.nr_class; ++c) {
    const int score = is_binary ? 0 : c;
    const double sign = is_binary && c == 1 ? -1 : 1;
    const auto label = static_cast<std::size_t>(trained.label[c]);
    const auto weight = [&](std::size_t feature) {
      return sign * trained.w[feature * static_cast<std::size_t>(num_scores) + static_cast<std::size_t>(score)];
    };
    for (std::size_t f = 0; f < num_features; ++f) out.weights[f * num_classes + label] = weight(f);
    out.bias[label] = weight(num_features);
  }
}

void validate(std::span<const std::vector<std::int32_t>> documents, std::span<const int> labels, int num_classes,
              const BaselineOptions& options) {
  using detail::require;
  constexpr const char* kFunction = "train_baseline";
  require(documents.size() == labels.size(), kFunction, "there must be one label a document",
          std::to_string(labels.size()) + " for " + std::to_string(documents.size()));
  for (const int label : labels)
    require(label >= 0 && label < num_classes, kFunction,
            "labels must be in [0, num_classes = " + std::to_string(num_classes) + ")", label);
  const bool several = std::any_of(labels.begin(), labels.end(), [&](int label) { return label != labels[0]; });
  require(several, kFunction, "labels must show two classes or more", labels.empty() ? "none" : "one");
  require(options.features.first_id >= 0, kFunction, "first_id must not be negative", options.features.first_id);
  require(options.cost > 0 && options.cost < std::numeric_limits<double>::infinity(), kFunction,
          "cost must be positive and finite", options.cost);
}

}  // namespace

Baseline train_baseline(std::span<const std::vector<std::int32_t>> documents, std::span<const int> labels,
                        int num_classes, const BaselineOptions& options) {
  validate(documents, labels, num_classes, options);
  Baseline out{TfIdf(documents, options.features), num_classes, {}, {}};
  Rows rows = make_rows(out.features, documents);
  const Model trained = fit(rows, labels, out.features.num_features(), options.cost);
  copy_weights(*trained, out);
  return out;
}

std::vector<int> predict(const Baseline& baseline, std::span<const std::vector<std::int32_t>> documents) {
  const auto num_classes = static_cast<std::size_t>(baseline.num_classes);
  std::vector<int> out;
  for (const auto& document : documents) {
    std::vector<double> scores = baseline.bias;
    for (const FeatureWeight& f : baseline.features(document))
      for (std::size_t c = 0; c < num_classes; ++c)
        scores[c] += f.weight * baseline.weights[static_cast<std::size_t>(f.feature) * num_classes + c];
    out.push_back(static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin()));
  }
  return out;
}

}  // namespace rotary::text
