/// @file
/// Stiffness and mass of a body from its elements, on a pattern that is made once.
///
/// Every direction of a node has the same neighbours, and the consistent mass couples equal directions only.
/// So one graph of nodes carries both: the stiffness is graph (x) dim, the mass is a scalar matrix m,
/// M = m (x) E_dim. A clamped node is clamped in all directions. Nodes are reordered so that the free ones
/// come first; what is called `position` below is a node's index in that order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "fem/element.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// One row per node (by position), one column per field.
using NodalFields = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The free nodes in ascending order, then the clamped ones.
class NodeOrder {
 public:
  /// @param clamped  ascending node numbers
  NodeOrder(Eigen::Index n_nodes, const std::vector<int>& clamped);

  Eigen::Index n_nodes() const { return static_cast<Eigen::Index>(node_at_.size()); }
  Eigen::Index n_free() const { return n_free_; }
  int position_of(int node) const { return position_of_[node]; }
  int node_at(Eigen::Index position) const { return node_at_[position]; }

 private:
  std::vector<int> position_of_, node_at_;
  Eigen::Index n_free_;
};

/// Neighbours of every position (itself included), ascending: a symmetric pattern in compressed rows.
struct NodeGraph {
  std::vector<int> row_begin;  ///< n_nodes + 1
  std::vector<int> columns;
  std::vector<int> free_end;  ///< per row: where the clamped neighbours begin in `columns`
};

/// Scalar consistent mass matrix m over all nodes, kg.
class NodalMass {
 public:
  NodalMass(const NodeGraph& graph, Eigen::Index n_free, int dim);

  /// y = m w for nodal fields over all nodes. w, y: n_nodes x n_fields; y is resized.
  void multiply(const NodalFields& w, NodalFields& y) const;
  /// y = M x on the free degrees of freedom (position * dim + direction). x, y: n_free * dim x any.
  void multiply_free(const Eigen::Ref<const MatrixXd>& x, Eigen::Ref<MatrixXd> y) const;

  Eigen::Index n_free_dofs() const { return n_free_ * dim_; }
  std::vector<double>& values() { return values_; }

 private:
  const NodeGraph& graph_;  // owned by the Assembly
  Eigen::Index n_free_;
  int dim_;
  std::vector<double> values_;
};

/// Pattern and element-to-matrix map of one mesh and clamp; owns the graph that its masses refer to.
class Assembly {
 public:
  using Corners = Mesh::Nodes;

  /// @param matrices  by the class of an element's shape (Mesh::class_of)
  Assembly(const Mesh& mesh, const std::vector<int>& clamped, std::vector<ElementMatrices> matrices);
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  const NodeOrder& order() const { return order_; }
  void set_matrices(std::vector<ElementMatrices> matrices) { matrices_ = std::move(matrices); }
  const ElementMatrices& matrices(Eigen::Index element) const {
    return matrices_[static_cast<std::size_t>(class_of_[static_cast<std::size_t>(element)])];
  }
  int dim() const { return dim_; }
  Eigen::Index n_elements() const { return std::ssize(class_of_); }
  Eigen::Index n_free_dofs() const { return order_.n_free() * dim_; }
  /// Positions of the corners of an element.
  Corners corners(Eigen::Index element) const {
    const auto first = corner_begin_[static_cast<std::size_t>(element)];
    return {corners_.data() + first, corner_begin_[static_cast<std::size_t>(element) + 1] - first};
  }
  const Batches& batches() const { return batches_; }

  /// K = sum_e E_e k over the free degrees of freedom, lower triangle. E: n_elements, Pa.
  /// The pattern of K does not depend on E; K is made once with stiffness_pattern().
  SparseMatrix stiffness_pattern() const;
  void assemble_stiffness(const VectorXd& E, SparseMatrix& K) const;

  /// m = sum_e rho_e m_e. rho: n_elements, kg/m^3.
  NodalMass make_mass() const { return NodalMass(graph_, order_.n_free(), dim_); }
  void assemble_mass(const VectorXd& rho, NodalMass& m) const;

 private:
  void build_graph();
  void find_offsets();
  template <int dim>
  void add_stiffness(const VectorXd& E, SparseMatrix& K, Eigen::Index begin, Eigen::Index end) const;
  /// Places of the corners of an element in the rows of its corners, row by row.
  const std::uint16_t* offsets(Eigen::Index element) const {
    return offsets_.data() + offset_begin_[static_cast<std::size_t>(element)];
  }

  int dim_;
  Batches batches_;
  std::vector<int> class_of_;
  std::vector<ElementMatrices> matrices_;
  NodeOrder order_;
  std::vector<Eigen::Index> corner_begin_{0};
  std::vector<int> corners_;
  NodeGraph graph_;
  std::vector<std::size_t> offset_begin_;
  std::vector<std::uint16_t> offsets_;
};

}  // namespace kurbel::fem
