#include "rotary/scaling.h"

namespace rotary {
namespace {

struct Name {
  std::string_view operator()(const DefaultScaling&) const { return "default"; }
  std::string_view operator()(const LinearScaling&) const { return "linear"; }
  std::string_view operator()(const NtkScaling&) const { return "ntk"; }
  std::string_view operator()(const NtkScaledBaseScaling&) const { return "ntk_scaled_base"; }
  std::string_view operator()(const NtkMixedScaling&) const { return "ntk_mixed"; }
  std::string_view operator()(const DynamicNtkScaling&) const { return "dynamic"; }
  std::string_view operator()(const NtkByPartsScaling&) const { return "ntk_by_parts"; }
  std::string_view operator()(const NtkByPartsPaperScaling& s) const {
    return s.temperature ? "yarn_paper" : "ntk_by_parts_paper";
  }
  std::string_view operator()(const YarnScaling&) const { return "yarn"; }
  std::string_view operator()(const LongRopeScaling&) const { return "longrope"; }
  std::string_view operator()(const Llama3Scaling&) const { return "llama3"; }
  std::string_view operator()(const ProportionalScaling&) const { return "proportional"; }
  std::string_view operator()(const GivenFrequencies&) const { return "given"; }
};

}  // namespace

std::string_view scaling_name(const Scaling& scaling) { return std::visit(Name{}, scaling); }

bool depends_on_length(const Scaling& scaling) {
  return std::holds_alternative<DynamicNtkScaling>(scaling) || std::holds_alternative<LongRopeScaling>(scaling);
}

}  // namespace rotary
