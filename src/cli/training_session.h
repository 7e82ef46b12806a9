// Training as a user sees it: a bar, a log, checkpoints, Ctrl-C.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "nn/trainer.h"

namespace rotary::cli {

struct Session {
  std::string folder;
  bool resume = false;
  double checkpoint_seconds = 30;
  bool validates_masked_words = false;  ///< what is reported as accuracy
  std::function<void()> keep;           ///< called when the weights are the best so far
};

/// Runs the trainer to its end; true. Where it is interrupted (SIGINT, SIGTERM), saves a checkpoint and says how to go
/// on; false. In the folder: log.jsonl (a line for every epoch and every hundredth step), checkpoint.safetensors (gone
/// at the end).
bool run_session(nn::Trainer& trainer, const Session& session);

}  // namespace rotary::cli
