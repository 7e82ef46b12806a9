// An evaluation as text, and as a page to show to somebody.
#pragma once

#include <string>
#include <vector>

#include "cli/evaluation.h"
#include "report/table.h"

namespace rotary::cli {

struct EvaluationText {
  std::string summary, remark;
  report::Table confusion, by_length, bands;
};

/// `length`: the tokens read of each document for the summary.
EvaluationText describe(const Evaluation& evaluation, const std::vector<std::string>& labels, std::int64_t length);

/// HTML: the tables, accuracy by length as a figure, and the loss curves of the folder's log.
std::string evaluation_page(const std::string& model, const EvaluationText& text, const Evaluation& evaluation,
                            const ClassifierFolder& folder);

}  // namespace rotary::cli
