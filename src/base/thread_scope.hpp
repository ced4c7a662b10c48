/// @file
#pragma once

#include "base/parallel.hpp"

namespace kurbel {

/// While it lives, loops that the calling thread begins have so many threads.
class ThreadScope {
 public:
  /// @param n  0: as before
  explicit ThreadScope(int n) : before_(threads()) {
    if (n > 0) set_threads(n);
  }
  ~ThreadScope() { set_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

}  // namespace kurbel
