/// @file
/// Objects that threads use one after the other.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kurbel {

/// Objects that threads take and give back, so that there are no more of them than threads that need one at once.
template <class T>
class Pool {
 public:
  std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<T>();
    std::unique_ptr<T> one = std::move(free_.back());
    free_.pop_back();
    return one;
  }
  void give(std::unique_ptr<T> one) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(one));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace kurbel
