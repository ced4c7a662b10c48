#include "fem/shape_pullback.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr Index batch = 64;                 // elements contracted together, as columns of one product
constexpr Index elements_per_thread = 256;  // below which a thread does not pay

/// Derivatives of k and m, a row per coordinate. They are symmetric, so half of a row is enough: sum(dk .* S)
/// is its lower triangle times the folded S.
class FoldedDerivatives {
 public:
  explicit FoldedDerivatives(const ElementDerivatives& derivatives)
      : n_k_(length(derivatives.stiffness[0].rows())),
        n_m_(length(derivatives.mass[0].rows())),
        rows_(static_cast<Index>(derivatives.mass.size()), n_k_ + n_m_) {
    for (Index c = 0; c < rows_.rows(); ++c) {
      copy_lower(derivatives.stiffness[c], rows_.row(c).head(n_k_));
      copy_lower(derivatives.mass[c], rows_.row(c).tail(n_m_));
    }
  }

  const MatrixXd& rows() const { return rows_; }

  /// [E S_k; rho S_m], folded; rows().cols() entries.
  template <class Column>
  void fold(double E, const MatrixXd& S_k, double rho, const MatrixXd& S_m, Column&& column) const {
    fold_lower(E, S_k, column.head(n_k_));
    fold_lower(rho, S_m, column.tail(n_m_));
  }

 private:
  static Index length(Index n) { return n * (n + 1) / 2; }

  template <class Row>
  static void copy_lower(const MatrixXd& A, Row&& row) {
    Index at = 0;
    for (Index j = 0; j < A.cols(); ++j) {
      for (Index i = j; i < A.rows(); ++i) row[at++] = A(i, j);
    }
  }

  template <class Column>
  static void fold_lower(double factor, const MatrixXd& S, Column&& column) {
    Index at = 0;
    for (Index j = 0; j < S.cols(); ++j) {
      column[at++] = factor * S(j, j);
      for (Index i = j + 1; i < S.rows(); ++i) column[at++] = factor * (S(i, j) + S(j, i));
    }
  }

  Index n_k_, n_m_;
  MatrixXd rows_;
};

/// From the matrices of the elements, for the corners of every element; x_bar by position of the nodes. Elements of one shape
/// share their derivatives, and others are differentiated one by one.
void add_elements(const Assembly& assembly, const ElementFields& fields, const ElementFactors& factors,
                  const ShapeClasses& shapes, Mesh::Points& x_bar) {
  const Index n_elements = assembly.n_elements();
  const int dim = assembly.dim();
  Index most_corners = 0;
  for (Index e = 0; e < n_elements; ++e) most_corners = std::max(most_corners, assembly.corners(e).size());
  MatrixXd corner_bar(most_corners * dim, n_elements);
  parallel_for(n_elements, elements_per_thread, [&](Index begin, Index end) {
    LocalFields local(assembly, fields);
    OfShape<FoldedDerivatives> of_shape;
    MatrixXd S_k, S_m, S;
    for (Index first = begin, width = 1; first < end; first += width) {
      const int shape = shapes.of(first);
      width = 1;
      while (width < batch && first + width < end && shapes.of(first + width) == shape) ++width;
      if (width == 1 && shapes.element(shape).is_compatible()) {
        local.gather(first);
        const MatrixXd bar = shapes.element(shape).differentiate_products(
            shapes.corners(shape),
            {factors.stiffness[first], local.L, local.U, factors.mass[first], local.W, local.Y});
        corner_bar.col(first).head(bar.size()) = bar.reshaped();
        continue;
      }
      const FoldedDerivatives& folded = of_shape.at(shape, [&](int c) {
        return FoldedDerivatives(differentiate_element(shapes.element(c), shapes.corners(c), dim));
      });
      S.resize(folded.rows().cols(), width);
      for (Index i = 0; i < width; ++i) {
        const Index e = first + i;
        local.gather(e);
        S_k.noalias() = local.L * local.U.transpose();
        S_m.noalias() = local.W * local.Y.transpose();
        folded.fold(factors.stiffness[e], S_k, factors.mass[e], S_m, S.col(i));
      }
      corner_bar.block(0, first, folded.rows().rows(), width).noalias() = folded.rows() * S;
    }
  });
  for (Index e = 0; e < n_elements; ++e) {
    const Assembly::Corners corners = assembly.corners(e);
    for (Index a = 0; a < corners.size(); ++a)
      x_bar.col(corners[a]).head(dim) += corner_bar.col(e).segment(a * dim, dim);
  }
}

/// From the unit moments of the attachment modes: X_j^T dB_j^T is the rotation of X_j about the axis.
void add_loads(const HeldBody& body, const MatrixXd& X, Mesh::Points& x_bar) {
  const int dim = body.assembly.dim();
  const Index n_a = X.cols();
  NodalFields fields = NodalFields::Zero(x_bar.cols(), dim * n_a);
  scatter_shapes(X, dim, n_a, 0, fields);
  for (std::size_t m = 0; m < body.markers.size(); ++m) {
    MatrixXd axes = MatrixXd::Zero(3, n_a);
    for (Index j = 0; j < n_a; ++j) {
      const UnitLoad& load = body.loads[j];
      if (load.marker == m && load.component >= 3) axes(load.component - 3, j) = 1.0;
    }
    if (!axes.isZero(0.0)) body.markers[m].add_position_bar(fields, 0, dim, axes, x_bar);
  }
}

Mesh::Points by_number(const NodeOrder& order, const Mesh::Points& by_position) {
  Mesh::Points out(3, order.n_nodes());
  for (Index i = 0; i < order.n_nodes(); ++i) out.col(order.node_at(i)) = by_position.col(i);
  return out;
}

}  // namespace

Mesh::Points pull_back_positions_of_elements(const Assembly& assembly, const ElementFields& fields,
                                             const ElementFactors& factors, const ShapeClasses& shapes) {
  Mesh::Points by_position = Mesh::Points::Zero(3, assembly.order().n_nodes());
  add_elements(assembly, fields, factors, shapes, by_position);
  return by_number(assembly.order(), by_position);
}

Mesh::Points pull_back_positions(const HeldBody& body, const ReducedBody& reduced,
                                 const MatrixPullback& found, const ElementFactors& factors,
                                 const ShapeClasses& shapes) {
  const int dim = body.assembly.dim();
  const NodeOrder& order = body.assembly.order();
  Mesh::Points by_position = Mesh::Points::Zero(3, order.n_nodes());
  const MatrixXd G_bar = compact_gram_bar(found.gram, dim, reduced.lambda.size());
  by_position.topRows(dim) = (reduced.m_W * G_bar.middleCols(1, dim)).transpose();
  add_elements(body.assembly, found.fields, factors, shapes, by_position);
  for (std::size_t m = 0; m < body.markers.size(); ++m) {
    body.markers[m].add_mean_bar(found.gram.marker_R[m], dim, by_position);
    body.markers[m].add_position_bar(reduced.W, 1 + dim, dim, found.gram.marker_Psi[m], by_position);
  }
  add_loads(body, found.modes.loads, by_position);
  return by_number(order, by_position);
}

}  // namespace kurbel::fem
