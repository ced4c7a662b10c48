/// @file
/// One level of a grid of quadrilaterals or hexahedra: its stiffness as a sum over elements that is never assembled,
/// for several fields at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "fem/element_kind.hpp"

namespace kurbel::fem {

/// A node has displacements, is clamped, or belongs to no element that has a stiffness (where a grid was widened to a
/// number of divisions that can be halved).
enum class GridNode : std::uint8_t { free, clamped, absent };

/// Fields are arrays over all nodes, x fastest, then y, then z, of dim x W numbers each: for every direction those of W
/// fields side by side, which are computed in one vector register. They vanish at nodes that are not free.
template <int dim>
class GridLevel {
 public:
  static constexpr int corners = 1 << dim, dofs = corners * dim;
  template <class Scalar, int W>
  using Lanes = Eigen::Array<Scalar, W, 1>;
  template <class Scalar, int W>
  using Fields = std::vector<Lanes<Scalar, W>>;

  /// @param divisions  in 2D the third is 1
  /// @param nodes      what every node is
  GridLevel(std::array<int, 3> divisions, std::vector<GridNode> nodes);

  const std::array<int, 3>& divisions() const { return n_; }
  Eigen::Index n_elements() const { return static_cast<Eigen::Index>(n_[0]) * n_[1] * n_[2]; }
  Eigen::Index n_nodes() const { return std::ssize(nodes_); }
  GridNode node(Eigen::Index i) const { return nodes_[static_cast<std::size_t>(i)]; }
  bool is_free(Eigen::Index i) const { return node(i) == GridNode::free; }
  /// The first node of an element; its corner a is offset(a) behind.
  Eigen::Index first_node(Eigen::Index element) const {
    const Eigen::Index i = element % n_[0], j = element / n_[0] % n_[1], k = element / n_[0] / n_[1];
    return i + row_ * j + layer_ * k;
  }
  Eigen::Index offset(int a) const { return offset_[static_cast<std::size_t>(a)]; }
  std::array<int, 3> place(Eigen::Index node) const {
    return {static_cast<int>(node % row_), static_cast<int>(node / row_ % (n_[1] + 1)),
            static_cast<int>(node / layer_)};
  }
  bool has_free_nodes_only(Eigen::Index element) const {
    for (int a = 0; a < corners; ++a)
      if (!is_free(first_node(element) + offset(a))) return false;
    return true;
  }
  Eigen::Index node_at(int i, int j, int k) const { return i + row_ * j + layer_ * k; }

  /// y = K x, K = sum over the elements of what `matrix` gives.
  /// @param matrix  (element) -> pair of a factor and of a pointer to dofs x dofs numbers, row by row
  template <class Scalar, int W, class Matrix>
  void multiply(const Matrix& matrix, const Fields<Scalar, W>& x, Fields<Scalar, W>& y) const;

  /// Calls act(element) for the elements of every second layer concurrently, then for those of the others: no two
  /// elements that run at the same time share a node, and an entry receives its terms in one order.
  template <class Act>
  void for_each_element(const Act& act) const;

 private:
  std::array<int, 3> n_;
  Eigen::Index row_, layer_;
  std::array<Eigen::Index, corners> offset_;
  std::vector<GridNode> nodes_;
};

template <int dim>
GridLevel<dim>::GridLevel(std::array<int, 3> divisions, std::vector<GridNode> nodes)
    : n_(divisions), row_(divisions[0] + 1), layer_(row_ * (divisions[1] + 1)), nodes_(std::move(nodes)) {
  for (std::size_t a = 0; a < corners; ++a) {
    const auto& [x, y, z] = corner_ends[a];
    offset_[a] = x + row_ * y + layer_ * z;
  }
}

template <int dim>
template <class Act>
void GridLevel<dim>::for_each_element(const Act& act) const {
  const Eigen::Index n_layers = n_[dim - 1], per_layer = n_elements() / n_layers;
  for (Eigen::Index parity = 0; parity < 2; ++parity) {
    const Eigen::Index n_own = (n_layers + 1 - parity) / 2;
    parallel_for(n_own, 1 + 512 / per_layer, [&](Eigen::Index begin, Eigen::Index end) {
      for (Eigen::Index l = begin; l < end; ++l) {
        const Eigen::Index first = (2 * l + parity) * per_layer;
        for (Eigen::Index e = first; e < first + per_layer; ++e) act(e);
      }
    });
  }
}

template <int dim>
template <class Scalar, int W, class Matrix>
void GridLevel<dim>::multiply(const Matrix& matrix, const Fields<Scalar, W>& x, Fields<Scalar, W>& y) const {
  using Lane = Lanes<Scalar, W>;
  std::fill(y.begin(), y.end(), Lane::Zero());
  for_each_element([&](Eigen::Index e) {
    const auto [factor, k] = matrix(e);
    if (factor == Scalar(0)) return;
    const Eigen::Index first = first_node(e);
    std::array<Lane, dofs> x_e;
    for (int a = 0; a < corners; ++a) {
      const Lane* source = x.data() + dim * (first + offset(a));
      for (int d = 0; d < dim; ++d) x_e[static_cast<std::size_t>(dim * a + d)] = factor * source[d];
    }
    constexpr int rows = 4;  // registers for sums
    for (int i = 0; i < dofs; i += rows) {
      std::array<Lane, rows> sum;
      sum.fill(Lane::Zero());
      const Scalar* k_i = k + i * dofs;
      for (int j = 0; j < dofs; ++j) {
        for (int r = 0; r < rows; ++r)
          sum[static_cast<std::size_t>(r)] += k_i[r * dofs + j] * x_e[static_cast<std::size_t>(j)];
      }
      for (int r = 0; r < rows; ++r) {
        const int a = (i + r) / dim, d = (i + r) % dim;
        y[static_cast<std::size_t>(dim * (first + offset(a)) + d)] += sum[static_cast<std::size_t>(r)];
      }
    }
  });
  parallel_for(n_nodes(), 8192, [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index i = begin; i < end; ++i) {
      if (!is_free(i)) std::fill_n(y.begin() + dim * i, dim, Lane::Zero());
    }
  });
}

}  // namespace kurbel::fem
