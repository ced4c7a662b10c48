/// @file
/// Groups of things that are joined two by two.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace kurbel {

class JoinedGroups {
 public:
  explicit JoinedGroups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  /// One number for all that are joined to each other.
  std::size_t group_of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) { parent_[group_of(i)] = group_of(j); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace kurbel
