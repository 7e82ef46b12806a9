// Arguments of a call, from C to C++. Nothing here allocates unless it fails.
#pragma once

#include <atomic>
#include <optional>
#include <string_view>

#include "rotary/apply.h"
#include "rotary/rotary_c.h"

namespace rotary::c_api {

TensorView to_view(const rotary_tensor* tensor, std::string_view function, std::string_view name);

Positions to_positions(const rotary_positions* positions, std::string_view function, std::string_view name);

/// The caller's threads.
class HostExecutor final : public Executor {
 public:
  explicit HostExecutor(const rotary_executor& host) : host_(host) {}
  int concurrency() const override { return host_.concurrency(host_.context); }
  void run(int num_tasks, const std::function<void(int)>& task) override;
  /// Throws std::logic_error if some run did not do every task.
  void require_done() const;

 private:
  rotary_executor host_;
  bool done_ = true;
};

/// rotary_options in C++, for the duration of a call.
class CallOptions {
 public:
  CallOptions(const rotary_options* options, std::string_view function);
  CallOptions(const CallOptions&) = delete;
  CallOptions& operator=(const CallOptions&) = delete;

  const ApplyOptions& get() const { return options_; }
  /// After the work.
  void finish() const {
    if (executor_) executor_->require_done();
  }

 private:
  ApplyOptions options_;
  std::optional<HostExecutor> executor_;
};

}  // namespace rotary::c_api
