#include "cli/inspect_text.h"
namespace rotary::cli {
std::string to_text(const ModelConfig& config, const ReadOptions&) { return config.model_type + "\n"; }
}  // namespace rotary::cli
