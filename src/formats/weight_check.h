// Whether a model's weights can be of its configuration.
#pragma once

#include "formats/json_reader.h"
#include "rotary/formats/model_config.h"
#include "rotary/formats/model_tensors.h"

namespace rotary::detail {

/// Compares the shapes of the query and key projections and of stored tables, and stored frequencies, with what
/// `config`, read from `root`, says of the same layer; differences become warnings of `config` by tensor. Packed and
/// quantised projections are passed over, a query projection of twice the rows is taken for one with a gate, and
/// stored frequencies may also be those before scaling, as older programs stored them.
void check_weights(const ModelTensors& tensors, const Json& root, ModelConfig& config);

}  // namespace rotary::detail
