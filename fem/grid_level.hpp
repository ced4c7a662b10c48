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
#include "fem/box_stiffness.hpp"
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

  /// y += sign K x of elements that have a matrix each.
  /// @param matrices  dofs x dofs of every element, row by row
  template <class Scalar, int W>
  void add_product(Scalar sign, const std::vector<Scalar>& matrices, const Fields<Scalar, W>& x,
                   Fields<Scalar, W>& y) const;
  /// The same of elements that differ by a factor alone.
  template <class Scalar, int W>
  void add_product(Scalar sign, const std::vector<Scalar>& factors, const BoxStiffness<dim, Scalar>& k,
                   const Fields<Scalar, W>& x, Fields<Scalar, W>& y) const;

  /// Calls act(element, its first node) for all elements, slab by slab concurrently: first for all layers of every slab
  /// but its last, then for the last ones. No two elements that run at the same time share a node, and an entry receives
  /// its terms in one order.
  template <class Act>
  void for_each_element(const Act& act) const;

 private:
  static constexpr Eigen::Index slab = 4;  // layers of a slab at least, two or more; few enough for a cache

  template <class Act>
  void for_each_in_layers(int low, int high, const Act& act) const;
  template <class Scalar, int W>
  void clear_held(Fields<Scalar, W>& y) const;

  std::array<int, 3> n_;
  std::size_t cut_;  // the axis along which slabs follow each other
  Eigen::Index row_, layer_;
  std::array<Eigen::Index, corners> offset_;
  std::vector<GridNode> nodes_;
};

template <int dim>
GridLevel<dim>::GridLevel(std::array<int, 3> divisions, std::vector<GridNode> nodes)
    : n_(divisions),
      cut_(dim == 3 && divisions[2] > divisions[1] ? 2 : 1),
      row_(divisions[0] + 1),
      layer_(row_ * (divisions[1] + 1)),
      nodes_(std::move(nodes)) {
  for (std::size_t a = 0; a < corners; ++a) {
    const auto& [x, y, z] = corner_ends[a];
    offset_[a] = x + row_ * y + layer_ * z;
  }
}

template <int dim>
template <class Act>
void GridLevel<dim>::for_each_element(const Act& act) const {
  const Eigen::Index n_layers = n_[cut_], n_slabs = std::max<Eigen::Index>(1, n_layers / slab);
  for (const bool is_last : {false, true}) {
    parallel_for(n_slabs, 1 + 512 * n_slabs / n_elements(), [&](Eigen::Index begin, Eigen::Index end) {
      for (Eigen::Index s = begin; s < end; ++s) {
        const auto low = static_cast<int>(n_layers * s / n_slabs);
        const auto last = static_cast<int>(n_layers * (s + 1) / n_slabs) - 1;
        is_last ? for_each_in_layers(last, last + 1, act) : for_each_in_layers(low, last, act);
      }
    });
  }
}

template <int dim>
template <class Act>
void GridLevel<dim>::for_each_in_layers(int low, int high, const Act& act) const {
  std::array<int, 3> begin{}, end = n_;
  begin[cut_] = low, end[cut_] = high;
  for (int k = begin[2]; k < end[2]; ++k) {
    for (int j = begin[1]; j < end[1]; ++j) {
      Eigen::Index e = n_[0] * (j + static_cast<Eigen::Index>(n_[1]) * k), node = node_at(0, j, k);
      for (int i = 0; i < n_[0]; ++i) act(e++, node++);
    }
  }
}

/// Fields vanish at nodes that are not free.
template <int dim>
template <class Scalar, int W>
void GridLevel<dim>::clear_held(Fields<Scalar, W>& y) const {
  parallel_for(n_nodes(), 8192, [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index i = begin; i < end; ++i) {
      if (!is_free(i)) std::fill_n(y.begin() + dim * i, dim, Lanes<Scalar, W>::Zero());
    }
  });
}

template <int dim>
template <class Scalar, int W>
void GridLevel<dim>::add_product(Scalar sign, const std::vector<Scalar>& matrices, const Fields<Scalar, W>& x,
                                 Fields<Scalar, W>& y) const {
  using Lane = Lanes<Scalar, W>;
  for_each_element([&](Eigen::Index e, Eigen::Index first) {
    std::array<Lane, dofs> x_e;
    for (int a = 0; a < corners; ++a) {
      const Lane* source = x.data() + dim * (first + offset(a));
      for (int d = 0; d < dim; ++d) x_e[static_cast<std::size_t>(dim * a + d)] = sign * source[d];
    }
    constexpr int rows = 4;  // registers for sums
    for (int i = 0; i < dofs; i += rows) {
      std::array<Lane, rows> sum;
      sum.fill(Lane::Zero());
      const Scalar* k_i = matrices.data() + (e * dofs + i) * dofs;
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
  clear_held<Scalar, W>(y);
}

template <int dim>
template <class Scalar, int W>
void GridLevel<dim>::add_product(Scalar sign, const std::vector<Scalar>& factors,
                                 const BoxStiffness<dim, Scalar>& k, const Fields<Scalar, W>& x,
                                 Fields<Scalar, W>& y) const {
  using Lane = Lanes<Scalar, W>;
  std::array<Eigen::Index, corners> at{};
  for (std::size_t b = 0; b < corners; ++b) at[b] = dim * offset_[corner_of_bits<dim>()[b]];
  for_each_element([&](Eigen::Index e, Eigen::Index first) {
    const Scalar factor = sign * factors[static_cast<std::size_t>(e)];
    if (factor == Scalar(0)) return;
    const Lane* source = x.data() + dim * first;
    Lane* target = y.data() + dim * first;
    std::array<std::array<Lane, corners>, dim> local;
    for (std::size_t b = 0; b < corners; ++b) {
      for (std::size_t d = 0; d < dim; ++d)
        local[d][b] = factor * source[at[b] + static_cast<Eigen::Index>(d)];
    }
    k.multiply(local);
    for (std::size_t b = 0; b < corners; ++b) {
      for (std::size_t d = 0; d < dim; ++d) target[at[b] + static_cast<Eigen::Index>(d)] += local[d][b];
    }
  });
  clear_held<Scalar, W>(y);
}

}  // namespace kurbel::fem
