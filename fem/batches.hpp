/// @file
/// Sums over elements in threads, in an order that does not depend on their number.
#pragma once

#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace kurbel::fem {

/// Runs of elements with successive numbers. Those of one colour share no node, so that they may be summed
/// into the nodes concurrently; an entry receives its terms colour by colour, in every colour from one run.
struct Batches {
  std::vector<Eigen::Index> begin;  ///< first element of every run, then the number of elements
  std::vector<std::vector<Eigen::Index>> colours;  ///< numbers of the runs of every colour, ascending

  Eigen::Index size() const { return static_cast<Eigen::Index>(begin.size()) - 1; }

  /// Calls act(run, first element, end) on every run.
  /// @param elements_per_thread  below which a thread does not pay
  template <class Act>
  void for_each(Eigen::Index elements_per_thread, const Act& act) const {
    const Eigen::Index per_run = begin.back() / size();
    for (const std::vector<Eigen::Index>& runs : colours) {
      parallel_for(std::ssize(runs), 1 + elements_per_thread / per_run,
                   [&](Eigen::Index i, Eigen::Index end) {
                     for (; i < end; ++i) {
                       const auto run = static_cast<std::size_t>(runs[static_cast<std::size_t>(i)]);
                       act(static_cast<Eigen::Index>(run), begin[run], begin[run + 1]);
                     }
                   });
    }
  }
};

}  // namespace kurbel::fem
