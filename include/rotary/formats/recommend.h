// What to set so that a model reads further, engine by engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rotary/formats/model_config.h"
#include "rotary/version.h"

namespace rotary {

/// What a longer target asks for.
enum class Advice {
  kNothing,      ///< the target is within reach as it is
  kExtend,       ///< set or enlarge YaRN: factor = target / original length
  kKeepMethod,   ///< the model is scaled by a method of its own: only the limit is raised, no frequency changes
  kNotPossible,  ///< no rotation, no declared limit, or a configuration that takes no setting
};

/// "nothing", "extend", "keep_method", "not_possible".
ROTARY_API std::string_view to_string(Advice advice);

/// What one engine is told.
struct EngineSetting {
  std::string engine;   ///< "transformers 5", "transformers 4", "vLLM", "llama.cpp"
  std::string place;    ///< where the text goes
  std::string text;     ///< to paste
  std::string outcome;  ///< what came of reading it back under that engine's rules; "" if it is as meant
};

struct Recommendation {
  Advice advice = Advice::kNothing;
  std::int64_t target_length = 0;
  double limit = 0;                   ///< positions within reach now: declared, or original length times YaRN's factor
  double original = 0;                ///< trained_length()
  double factor = 1;                  ///< of the setting: target / original
  std::string component, layer_type;  ///< the rotation that is meant
  std::string summary;                ///< one or two sentences
  std::vector<EngineSetting> settings;
  std::vector<std::string> caveats;
  std::optional<RopeSpec> before, after;  ///< that rotation now and under the setting; `after` with kExtend only
};

/// The setting with which the text model of a config.json reads `target_length` positions.
///
/// Unscaled models get YaRN from their declared limit; YaRN keeps its parameters and gets the factor target / original;
/// every other method is kept as it is, since a longer window alone never changes a method. Each block is read back
/// under the rules of the engine that it is for, and what differs from what was meant is said in `outcome`.
/// `text` is that of the file, `name` stands for it in messages.
/// Throws std::invalid_argument unless 1 <= target_length <= 2^40; std::runtime_error as parse_model_config().
ROTARY_API Recommendation recommend_setting(std::string_view text, const std::string& name, std::int64_t target_length,
                                            const ReadOptions& options = {});

/// The rotation that a longer window is about: of the text model, of layers that see all of it if any do; none if
/// nothing rotates by the token's index.
ROTARY_API const ModelRotation* text_rotation(const ModelConfig& config);

/// Whether the layers of a type see a window or a chunk only.
ROTARY_API bool is_local(const ModelRotation& rotation);

}  // namespace rotary
