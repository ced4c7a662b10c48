#include "fem/supernodes.hpp"

#include <algorithm>
#include <numeric>

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double largest_share = 1.0 / 32.0;  // of the work that a subtree may have

}  // namespace

SupernodeTree::SupernodeTree(const Supernodes& supernodes)
    : supernodes_(supernodes), of_column_(static_cast<std::size_t>(supernodes.n_columns)) {
  const std::size_t count = static_cast<std::size_t>(supernodes.count);
  std::vector<int> parent(count, -1), first(count);
  std::vector<double> work(count, 0.0);
  std::iota(first.begin(), first.end(), 0);
  for (int s = 0; s < supernodes.count; ++s)
    std::fill(of_column_.begin() + supernodes.first_column[s],
              of_column_.begin() + supernodes.first_column[s + 1], s);
  for (std::size_t i = 0; i < count; ++i) {
    const int s = static_cast<int>(i);
    const Index n_rows = supernodes.n_rows_of(s), n_columns = supernodes.n_columns_of(s);
    const double height = static_cast<double>(n_rows), width = static_cast<double>(n_columns);
    work[i] += width * (height * (height - width) + width * width / 3.0);
    if (n_rows == n_columns) continue;
    parent[i] = of_column(supernodes.rows_of(s)[n_columns]);
    const std::size_t above = static_cast<std::size_t>(parent[i]);
    work[above] += work[i];
    first[above] = std::min(first[above], first[i]);
  }

  double total = 0.0;
  for (std::size_t i = 0; i < count; ++i) total += parent[i] < 0 ? work[i] : 0.0;
  const auto is_small = [&](int s) { return work[static_cast<std::size_t>(s)] <= largest_share * total; };
  for (int s = 0; s < supernodes.count; ++s) {
    const std::size_t i = static_cast<std::size_t>(s);
    if (!is_small(s)) {
      top_.push_back(s);
    } else if (parent[i] < 0 || !is_small(parent[i])) {
      subtrees_.push_back({first[i], s});
    }
  }
  std::stable_sort(subtrees_.begin(), subtrees_.end(), [&](const Subtree& a, const Subtree& b) {
    return work[static_cast<std::size_t>(a.root)] > work[static_cast<std::size_t>(b.root)];
  });
}

}  // namespace kurbel::fem
