#include "core/executor.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace rotary::detail {
namespace {

class ThreadPool final : public Executor {
 public:
  ThreadPool() {
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    try {
      while (workers_.size() + 1 < threads) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system gives no more threads: go on with those there are.
    }
  }

  ~ThreadPool() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  int concurrency() const override { return static_cast<int>(workers_.size()) + 1; }

  void run(int num_tasks, const std::function<void(int)>& task) override {
    const std::unique_lock only(busy_, std::try_to_lock);
    if (!only || workers_.empty() || num_tasks < 2) {
      for (int i = 0; i < num_tasks; ++i) task(i);
      return;
    }
    std::unique_lock lock(mutex_);
    task_ = &task;
    next_ = 0;
    num_tasks_ = unfinished_ = num_tasks;
    wake_.notify_all();
    take_tasks(lock);
    done_.wait(lock, [this] { return unfinished_ == 0; });
    task_ = nullptr;
  }

 private:
  void take_tasks(std::unique_lock<std::mutex>& lock) {
    while (task_ != nullptr && next_ < num_tasks_) {
      const int i = next_++;
      const auto* task = task_;
      lock.unlock();
      (*task)(i);
      lock.lock();
      if (--unfinished_ == 0) done_.notify_one();
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      take_tasks(lock);
      wake_.wait(lock, [this] { return stop_ || (task_ != nullptr && next_ < num_tasks_); });
    }
  }

  std::mutex busy_;  // held by the caller whose tasks run
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* task_ = nullptr;
  int next_ = 0, num_tasks_ = 0, unfinished_ = 0;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

Executor& own_threads() {
  static ThreadPool pool;
  return pool;
}

}  // namespace rotary::detail
