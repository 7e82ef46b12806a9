// Training as a user sees it: a bar, a log, checkpoints, Ctrl-C.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "nn/trainer.h"
#include "report/figure.h"

namespace rotary::cli {

struct Session {
  std::string folder;
  bool resume = false;
  double checkpoint_seconds = 30;
  bool validates = true;                ///< there are documents to validate with
  bool validates_masked_words = false;  ///< what is reported as accuracy
  std::function<void()> keep;           ///< called when the weights are to be kept
};

/// The values of a key of log.jsonl, such as mean_loss, by step; lines that are damaged are skipped.
report::Series read_log(const std::string& folder, const char* key, const std::string& label);

/// A model inside the data's folder would be read as data the next time: throws std::invalid_argument.
void require_outside(const std::string& output, const std::string& data);

/// Before anything is written: makes the folder, and throws std::runtime_error where it has no checkpoint to resume, or
/// one that a new training would destroy.
void open_training_folder(const std::string& folder, bool resume);

/// An earlier training's model, which would not fit the tokenizer and the settings that are written next.
void remove_earlier_model(const std::string& folder);

/// Runs the trainer to its end; true. Where it is interrupted (SIGINT, SIGTERM), saves a checkpoint and says how to go
/// on; false. In the folder: log.jsonl (a line for every epoch and every hundredth step), checkpoint.safetensors (gone
/// at the end).
bool run_session(nn::Trainer& trainer, const Session& session);

}  // namespace rotary::cli
