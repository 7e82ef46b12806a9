// Work on several threads, each running its share alone.
#pragma once

#include <cstdint>
#include <functional>

namespace rotary::nn {

/// How many threads there are by default: the machine's.
int default_threads();

/// Calls task(0) ... task(num_tasks - 1) on at most `num_threads` threads and returns when all are done. libtorch's own
/// threads stay out of it. The first exception (of the lowest task) is thrown again here.
void run_tasks(int num_threads, std::int64_t num_tasks, const std::function<void(std::int64_t)>& task);

}  // namespace rotary::nn
