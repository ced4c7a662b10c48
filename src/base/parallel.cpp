#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

namespace kurbel {

namespace {

/// Number of threads of the calling thread, so that two that work side by side do not disturb one another.
int& thread_count() {
  thread_local int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return count;
}

/// The chunks of one loop, taken one after the other by whichever thread is free.
class Loop {
 public:
  using Body = std::function<void(Eigen::Index begin, Eigen::Index end)>;
  Loop(Eigen::Index n, Eigen::Index n_chunks, const Body& body) : n_(n), n_chunks_(n_chunks), body_(body) {}

  void work() {
    for (Eigen::Index i = next_++; i < n_chunks_; i = next_++) {
      try {
        body_(n_ * i / n_chunks_, n_ * (i + 1) / n_chunks_);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = n_chunks_;
      }
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  Eigen::Index n_, n_chunks_;
  const Body& body_;
  std::atomic<Eigen::Index> next_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// Threads that wait for loops; started when first needed, for the rest of the program.
class Helpers {
 public:
  static Helpers& instance() {
    static Helpers* const helpers = new Helpers;  // the threads may outlive what main() owns
    return *helpers;
  }

  /// Runs the loop on the calling thread and at most n helpers. A loop within a loop has no helpers.
  void run(Loop& loop, int n) {
    if (n < 1 || is_busy_.exchange(true)) return loop.work();
    {
      const std::lock_guard lock(mutex_);
      start(n);
      loop_ = &loop;
      wanted_ = n;
    }
    has_work_.notify_all();
    loop.work();
    std::unique_lock lock(mutex_);
    wanted_ = 0;
    is_done_.wait(lock, [this] { return working_ == 0; });
    is_busy_ = false;
  }

 private:
  void start(int n) {
    try {
      for (; n_started_ < std::min(n, most_); ++n_started_) std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {  // std::system_error or std::bad_alloc
      most_ = n_started_;
    }
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      has_work_.wait(lock, [this] { return wanted_ > 0; });
      --wanted_, ++working_;
      Loop& loop = *loop_;
      lock.unlock();
      loop.work();
      lock.lock();
      if (--working_ == 0) is_done_.notify_all();
    }
  }

  std::atomic<bool> is_busy_{false};
  std::mutex mutex_;  // of all that follows
  std::condition_variable has_work_, is_done_;
  Loop* loop_ = nullptr;
  int n_started_ = 0, wanted_ = 0, working_ = 0;
  int most_ = std::numeric_limits<int>::max();  // that the system allows
};

}  // namespace

void set_threads(int n) {
  thread_count() = std::max(1, n);
}

int threads() {
  return thread_count();
}

void parallel_for(Eigen::Index n, Eigen::Index grain,
                  const std::function<void(Eigen::Index begin, Eigen::Index end)>& body) {
  const Eigen::Index n_chunks = std::max<Eigen::Index>(n / grain, 1);
  Loop loop(n, n_chunks, body);
  Helpers::instance().run(loop, static_cast<int>(std::min<Eigen::Index>(threads(), n_chunks)) - 1);
  loop.rethrow();
}

}  // namespace kurbel
