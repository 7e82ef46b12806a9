#include "nn/workers.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "core/executor.h"

namespace rotary::nn {

int default_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

void run_tasks(int num_threads, std::int64_t num_tasks, const std::function<void(std::int64_t)>& task) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(num_tasks));
  std::atomic<std::int64_t> next = 0;
  const auto work = [&](int) {
    at::set_num_threads(1);  // of this thread
    for (std::int64_t i = next++; i < num_tasks; i = next++) {
      try {
        task(i);
      } catch (...) {
        failures[static_cast<std::size_t>(i)] = std::current_exception();
      }
    }
  };
  const auto threads = static_cast<int>(std::clamp<std::int64_t>(num_threads, 1, std::max<std::int64_t>(num_tasks, 1)));
  if (threads == 1)
    work(0);
  else
    detail::own_threads().run(threads, work);
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rotary::nn
