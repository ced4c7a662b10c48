/// @file
/// Finds nodes by the numbers that a file gives them.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace kurbel {

/// Indices of nodes by their numbers. Files number millions of nodes from one on: a vector finds these many times faster than a hash
/// table, which holds the larger numbers only.
class NodeIndices {
 public:
  /// Returns false if the number has an index already.
  bool add(std::size_t number, int index) {
    if (number >= n_dense) return others_.emplace(number, index).second;
    if (number >= dense_.size()) dense_.resize(number + 1 + number / 2, none);
    if (dense_[number] != none) return false;
    dense_[number] = index;
    return true;
  }

  /// The index of a number, or `none`.
  int find(std::size_t number) const {
    if (number < dense_.size()) return dense_[number];
    const auto found = others_.find(number);
    return found == others_.end() ? none : found->second;
  }

  static constexpr int none = -1;

 private:
  static constexpr std::size_t n_dense = 20'000'000;  ///< numbers below are in the vector

  std::vector<int> dense_{};
  std::unordered_map<std::size_t, int> others_{};
};

}  // namespace kurbel
