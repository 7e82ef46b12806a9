// Threads that start together: the clock runs from the first one's start to the last one's end, without waking them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rotary::bench {

class Team {
 public:
  explicit Team(int size);  ///< the caller's thread included
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Runs work(0) ... work(size - 1) at the same time. Returns seconds.
  double run(const std::function<void(int)>& work);

 private:
  void serve(int index);

  std::mutex mutex_;
  std::condition_variable called_;
  int calls_ = 0;  // guarded by mutex_
  bool stop_ = false;
  std::atomic<int> ready_{0}, started_{0}, done_{0};
  const std::function<void(int)>* work_ = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace rotary::bench
