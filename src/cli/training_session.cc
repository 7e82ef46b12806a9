#include "cli/training_session.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "report/progress.h"

namespace rotary::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int) { interrupted = 1; }

// Notes the first SIGINT or SIGTERM while it lives; a second one ends the program as usual.
class InterruptNote {
 public:
  InterruptNote() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_int_);
    sigaction(SIGTERM, &action, &before_term_);
  }
  ~InterruptNote() {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
  }
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

 private:
  struct sigaction before_int_ {
  }, before_term_{};
};

std::string format(const char* pattern, double a, double b = 0, double c = 0) {
  char text[128];
  std::snprintf(text, sizeof text, pattern, a, b, c);
  return text;
}

std::string checkpoint_of(const std::string& folder) {
  return (std::filesystem::path(folder) / "checkpoint.safetensors").string();
}

class Run {
 public:
  Run(nn::Trainer& trainer, const Session& session)
      : trainer_(trainer),
        session_(session),
        checkpoint_(checkpoint_of(session.folder)),
        log_(std::filesystem::path(session.folder) / "log.jsonl", session.resume ? std::ios::app : std::ios::trunc),
        bar_(report::make_terminal(std::cerr, STDERR_FILENO), {"training", trainer.num_steps(), "tokens"}) {
    if (!log_) throw std::runtime_error(session.folder + ": log.jsonl must be writable");
    if (session.resume) trainer_.load_checkpoint(checkpoint_);
  }

  bool operator()() {
    const InterruptNote note;
    const bool finished =
        trainer_.run({[this](const nn::StepReport& step) { on_step(step); },
                      [this](const nn::EpochReport& epoch) { on_epoch(epoch); }, [] { return interrupted != 0; }});
    bar_.clear();
    if (finished) {
      std::filesystem::remove(checkpoint_);
      return true;
    }
    trainer_.save_checkpoint(checkpoint_);
    std::cerr << "rotary: interrupted at step " << trainer_.progress().step << " of " << trainer_.num_steps()
              << "; the same command with --resume goes on\n";
    return false;
  }

 private:
  void on_step(const nn::StepReport& step) {
    loss_ = loss_ < 0 ? step.loss : 0.95 * loss_ + 0.05 * step.loss;
    bar_.update(step.step, static_cast<double>(step.tokens), format("loss %.3f", loss_));
    if (step.step % 100 == 0 || step.step == step.num_steps) {
      log_ << nlohmann::ordered_json{{"step", step.step},
                                     {"epoch", step.epoch},
                                     {"loss", step.loss},
                                     {"mean_loss", loss_},
                                     {"learning_rate", step.learning_rate},
                                     {"gradient_norm", step.gradient_norm},
                                     {"tokens", step.tokens},
                                     {"seconds", seconds()}}
                  .dump()
           << std::endl;
    }
    if (seconds() - saved_at_ < session_.checkpoint_seconds) return;
    trainer_.save_checkpoint(checkpoint_);
    saved_at_ = seconds();
  }

  void on_epoch(const nn::EpochReport& epoch) {
    if (epoch.is_kept) session_.keep();
    std::string line = "epoch " + std::to_string(epoch.epoch + 1) + format(": loss %.3f", epoch.train_loss);
    nlohmann::ordered_json entry{{"epoch", epoch.epoch}, {"step", epoch.step}, {"train_loss", epoch.train_loss}};
    if (session_.validates) {
      line += format(", validation loss %.3f", epoch.valid_loss) +
              format(session_.validates_masked_words ? ", masked words right %.1f %%" : ", accuracy %.1f %%",
                     100 * epoch.valid_accuracy) +
              (epoch.is_kept ? ", kept" : "");
      entry["valid_loss"] = epoch.valid_loss;
      entry["valid_accuracy"] = epoch.valid_accuracy;
    }
    entry["is_kept"] = epoch.is_kept;
    entry["seconds"] = seconds();
    bar_.print(line);
    log_ << entry.dump() << std::endl;
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

  nn::Trainer& trainer_;
  const Session& session_;
  std::string checkpoint_;
  std::ofstream log_;
  report::Progress bar_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double loss_ = -1, saved_at_ = 0;
};

}  // namespace

void open_training_folder(const std::string& folder, bool resume) {
  const bool has_checkpoint = std::filesystem::exists(checkpoint_of(folder));
  if (resume && !has_checkpoint)
    throw std::runtime_error(folder + ": must have an unfinished training to --resume, got no checkpoint.safetensors");
  if (!resume && has_checkpoint)
    throw std::runtime_error(folder +
                             ": has an unfinished training; give --resume, or another --output, or remove its "
                             "checkpoint.safetensors");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw std::runtime_error(folder + ": must be a folder that can be made, got " + error.message());
}

report::Series read_log(const std::string& folder, const char* key, const std::string& label) {
  report::Series series{label};
  std::ifstream log(std::filesystem::path(folder) / "log.jsonl");
  for (std::string line; std::getline(log, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.value("step", nlohmann::json()).is_number() ||
        !json.value(key, nlohmann::json()).is_number())
      continue;
    series.x.push_back(json["step"].get<double>());
    series.y.push_back(json[key].get<double>());
  }
  return series;
}

void require_outside(const std::string& output, const std::string& data) {
  std::error_code error;  // a path that cannot be followed is its reader's to refuse
  if (!std::filesystem::is_directory(data, error)) return;
  const std::filesystem::path outer = std::filesystem::weakly_canonical(data, error),
                              way = std::filesystem::weakly_canonical(output, error).lexically_relative(outer);
  if (error || way.empty() || *way.begin() == "..") return;
  throw std::invalid_argument("--output: must be outside the folder of --data, got '" + output + "'");
}

void remove_earlier_model(const std::string& folder) {
  for (const char* name : {"model.safetensors", "config.json", "evaluation.html"})
    std::filesystem::remove(std::filesystem::path(folder) / name);
}

bool run_session(nn::Trainer& trainer, const Session& session) { return Run(trainer, session)(); }

}  // namespace rotary::cli
