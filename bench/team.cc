#include "bench/team.h"

#include "bench/timing.h"

namespace rotary::bench {
namespace {

// A waiting thread gives its core away, should there be fewer cores than threads.
template <class Condition>
void wait_until(const Condition& condition) {
  for (int i = 0; !condition(); ++i)
    if (i % 1024 == 1023) std::this_thread::yield();
}

}  // namespace

Team::Team(int size) {
  for (int i = 1; i < size; ++i) threads_.emplace_back([this, i] { serve(i); });
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  called_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

double Team::run(const std::function<void(int)>& work) {
  const int others = size() - 1;
  ready_ = 0;
  done_ = 0;
  work_ = &work;
  int call = 0;
  {
    const std::lock_guard lock(mutex_);
    call = ++calls_;
  }
  called_.notify_all();
  wait_until([&] { return ready_.load(std::memory_order_acquire) == others; });
  const Clock clock;
  started_.store(call, std::memory_order_release);
  work(0);
  wait_until([&] { return done_.load(std::memory_order_acquire) == others; });
  return clock.seconds();
}

void Team::serve(int index) {
  for (int call = 1;; ++call) {
    {
      std::unique_lock lock(mutex_);
      called_.wait(lock, [&] { return stop_ || calls_ >= call; });
      if (stop_) return;
    }
    ready_.fetch_add(1, std::memory_order_acq_rel);
    wait_until([&] { return started_.load(std::memory_order_acquire) >= call; });
    (*work_)(index);
    done_.fetch_add(1, std::memory_order_acq_rel);
  }
}

}  // namespace rotary::bench
