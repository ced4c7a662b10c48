#include "fem/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

extern "C" void openblas_set_num_threads(int n);

namespace kurbel::fem {

namespace {

std::atomic<int>& thread_count() {
  static std::atomic<int> count{std::max(1, static_cast<int>(std::thread::hardware_concurrency()))};
  return count;
}

}  // namespace

void set_threads(int n) {
  thread_count() = std::max(1, n);
}

int threads() {
  return thread_count();
}

void leave_one_blas_thread() {
  openblas_set_num_threads(1);
}

void parallel_for(Eigen::Index n, Eigen::Index grain,
                  const std::function<void(Eigen::Index begin, Eigen::Index end)>& body) {
  const Eigen::Index n_chunks = std::clamp<Eigen::Index>(n / grain, 1, threads());
  std::vector<std::thread> helpers;
  helpers.reserve(n_chunks - 1);
  for (Eigen::Index i = 1; i < n_chunks; ++i) {
    helpers.emplace_back(body, n * i / n_chunks, n * (i + 1) / n_chunks);
  }
  body(0, n / n_chunks);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace kurbel::fem
