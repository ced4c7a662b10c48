#include "fem/pullback.hpp"

#include "fem/complement_solver.hpp"
#include "fem/parallel.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

MatrixXd symmetric_sum(const MatrixXd& A) {
  return A + A.transpose();
}

/// Row by position, columns d n_q + k -> degrees of freedom by row, column k.
template <class Fields>
void gather_shapes(const Fields& fields, Index n_free, int dim, MatrixXd& U) {
  const Index n_q = fields.cols() / dim;
  U.resize(n_free * dim, n_q);
  for (Index i = 0; i < n_free; ++i) {
    for (int d = 0; d < dim; ++d) U.row(i * dim + d) = fields.row(i).segment(d * n_q, n_q);
  }
}

/// Without what a change of the basis within its span would do to psi, where that is nothing but rounding
/// errors, which the answers of a soft part of the body would amplify: U_bar - M U (U^T U_bar).
/// @return false where it is more, the error of an inexact gradient such as the continuous adjoint's
bool take_out_span(const Assembly& assembly, const ReducedBody& reduced, MatrixXd& U_bar) {
  const int dim = assembly.dim();
  const Index n_free = assembly.order().n_free(), n_shapes = dim * U_bar.cols();
  MatrixXd U, M_U;
  gather_shapes(reduced.W.topRightCorner(n_free, n_shapes), n_free, dim, U);
  gather_shapes(reduced.m_W.topRightCorner(n_free, n_shapes), n_free, dim, M_U);
  constexpr double rounding = 1e-6;
  const MatrixXd span = U.transpose() * U_bar, terms = U.cwiseAbs().transpose() * U_bar.cwiseAbs();
  if (span.cwiseAbs().maxCoeff() > rounding * terms.maxCoeff()) return false;
  U_bar -= M_U * span;
  return true;
}

/// - X_j^T dM R (R^T B^T T)_j, on the fields 1, X, Y, Z that rigid-body motions consist of.
void add_inertia_relief(const ReferenceFrame& frame, const ModeAdjoint& adjoint, int dim, NodalFields& Y) {
  for (Index j = 0; j < adjoint.X.cols(); ++j) {
    const MatrixXd A = frame.affine_field(adjoint.relief.col(j));
    for (Index i = 0; i < Y.rows(); ++i)
      Y.row(i).head(1 + dim) -= adjoint.X.col(j).segment(i * dim, dim).transpose() * A;
  }
}

}  // namespace

std::vector<Index> compact_fields(int dim, const GramIndex& at) {
  std::vector<Index> place = {at.one()};
  for (int d = 0; d < dim; ++d) place.push_back(at.position(d));
  for (int d = 0; d < dim; ++d) {
    for (Index k = 0; k < at.n_q; ++k) place.push_back(at.shape(d, k));
  }
  return place;
}

void scatter_shapes(const MatrixXd& U, int dim, Index n_q, Index first, NodalFields& fields) {
  for (Index i = 0; i < U.rows() / dim; ++i) {
    for (int d = 0; d < dim; ++d) fields.row(i).segment(first + d * n_q, U.cols()) += U.row(i * dim + d);
  }
}

MatrixXd compact_gram_bar(const GramBar& bar, int dim, Index n_q) {
  const std::vector<Index> place = compact_fields(dim, GramIndex{n_q});
  return symmetric_sum(bar.G(place, place));
}

void fill_fields(const Mesh::Points& positions, const NodeOrder& order, int dim, const MatrixXd& Phi,
                 const MatrixXd& Psi, NodalFields& W) {
  const Index n_q = Phi.cols() + Psi.cols();
  W.setZero(order.n_nodes(), 1 + dim + dim * n_q);
  W.col(0).setOnes();
  for (Index i = 0; i < order.n_nodes(); ++i) {
    W.row(i).segment(1, dim) = positions.col(order.node_at(i)).head(dim);
  }
  scatter_shapes(Phi, dim, n_q, 1 + dim, W);
  scatter_shapes(Psi, dim, n_q, 1 + dim + Phi.cols(), W);
}

BasisBar pull_back_basis(const Assembly& assembly, const std::vector<MarkerOperator>& markers,
                         const ReducedBody& reduced, const GramBar& bar) {
  const int dim = assembly.dim();
  const Index n_q = reduced.lambda.size();
  const Index n_free = assembly.order().n_free();
  BasisBar out{{}, VectorXd::Zero(n_q)};
  const MatrixXd G_bar = compact_gram_bar(bar, dim, n_q).rightCols(dim * n_q);
  const NodalFields W_bar = reduced.m_W.topRows(n_free) * G_bar;
  gather_shapes(W_bar, n_free, dim, out.U);
  const VectorXd of_fields = G_bar.cwiseAbs().transpose() * reduced.m_W.colwise().norm().transpose();
  for (int d = 0; d < dim; ++d) out.size += of_fields.segment(d * n_q, n_q);
  const MatrixXd Ke_bar = symmetric_sum(bar.Ke);
  const auto add_stiffness = [&](const MatrixXd& K_U, Index first) {
    const auto rows = Ke_bar.middleRows(first, K_U.cols());
    out.U.noalias() += K_U * rows;
    out.size += rows.cwiseAbs().transpose() * K_U.colwise().norm().transpose();
  };
  if (reduced.craig_bampton.K_U.size() > 0) {
    add_stiffness(reduced.craig_bampton.K_U, 0);
  } else {
    add_stiffness(reduced.normal.M_Phi * reduced.normal.lambda.asDiagonal(), 0);
    add_stiffness(reduced.attachment.K_Psi, reduced.normal.lambda.size());
  }
  MatrixXd of_markers = MatrixXd::Zero(out.U.rows(), n_q);
  for (std::size_t i = 0; i < markers.size(); ++i)
    markers[i].add_transpose(bar.marker_Phi[i], bar.marker_Psi[i], assembly.order(), dim, of_markers);
  out.add(of_markers);
  return out;
}

Status solve_mode_adjoint(const Flexibility& K, const Flexibility& K_modes, const NodalMass& m,
                          const ReferenceFrame& frame, const MatrixXd& B_T, const Assembly& assembly,
                          const ReducedBody& reduced, BasisBar bar, ModeAdjoint& out) {
  MatrixXd& U_bar = bar.U;
  const Index n = reduced.normal.lambda.size(), n_a = U_bar.cols() - n;
  const bool is_craig_bampton = reduced.craig_bampton.K_U.size() > 0;
  const bool is_exact = take_out_span(assembly, reduced, U_bar);
  if (is_craig_bampton) {
    U_bar = U_bar * reduced.combination.Y.transpose();
    bar.size = reduced.combination.Y.cwiseAbs() * bar.size;
  }
  const MatrixXd Psi_bar = U_bar.rightCols(n_a);
  K.solve(Psi_bar, out.X);
  U_bar.conservativeResize(Eigen::NoChange, n);
  const MatrixXd& D = reduced.attachment.D;
  VectorXd size = bar.size.head(n);
  if (!is_craig_bampton) {
    MatrixXd M_X(out.X.rows(), n_a);
    m.multiply_free(out.X, M_X);
    U_bar -= M_X * D.transpose();
    for (Index j = 0; j < n_a; ++j) {  // M X_j has the digits that U_bar_j has
      const double norm = Psi_bar.col(j).norm();
      if (norm > 0.0) size += bar.size[n + j] / norm * M_X.col(j).norm() * D.col(j).cwiseAbs();
    }
  }
  if (Status failure = solve_in_complement(K_modes, m, reduced.normal, reduced.normal.lambda, size, U_bar,
                                           out.v, out.cg_iterations)) {
    return failure;
  }
  if (!is_exact && !is_craig_bampton) {
    // Psi' = (K^-1 B^T - Phi C) T changes with C and T held, not D = Lambda C T, and so within the span by
    // - Phi Lambda^-1 E C T more, E_ij = phi_i^T (dK - lambda_j dM) phi_j. An exact gradient does not feel
    // it; a continuous adjoint errs less with it.
    const MatrixXd& Phi = reduced.normal.Phi;
    const VectorXd flexibility = reduced.normal.lambda.cwiseInverse();
    out.v.noalias() += Phi * (flexibility.asDiagonal() * (Phi.transpose() * Psi_bar) * D.transpose() *
                              flexibility.asDiagonal());
  }
  out.beside_mass = MatrixXd::Zero(out.v.rows(), n + n_a);
  out.beside_mass.leftCols(n) = out.v * reduced.normal.lambda.asDiagonal();
  if (!is_craig_bampton) out.beside_mass.leftCols(n) -= out.X * D.transpose();
  if (frame.is_buckens()) {
    const MatrixXd& R = frame.projection()->R;
    out.relief = R.transpose() * B_T * reduced.attachment.T;
    out.beside_mass.rightCols(n_a) = -R * (R.transpose() * Psi_bar);
  }
  return {};
}

ElementFields element_fields(const Assembly& assembly, const ReferenceFrame& frame,
                             const ReducedBody& reduced, const GramBar& bar, const ModeAdjoint& adjoint) {
  const int dim = assembly.dim();
  const Index n_q = reduced.lambda.size(), first = 1 + dim;
  const NodalFields& W = reduced.W;

  MatrixXd beside_mass = adjoint.beside_mass, beside_stiffness(adjoint.v.rows(), n_q);
  beside_stiffness << -adjoint.v, -adjoint.X;
  if (reduced.craig_bampton.K_U.size() > 0) {  // [Phi, Psi] = U Y^-1
    const MatrixXd to_basis = reduced.combination.inverse.transpose();
    beside_mass = beside_mass * to_basis;
    beside_stiffness = beside_stiffness * to_basis;
  }
  NodalFields Y = W * (0.5 * compact_gram_bar(bar, dim, n_q));
  scatter_shapes(beside_mass, dim, n_q, first, Y);
  if (frame.is_buckens()) add_inertia_relief(frame, adjoint, dim, Y);
  NodalFields L = NodalFields::Zero(W.rows(), dim * n_q);
  const MatrixXd Ke_bar = 0.5 * symmetric_sum(bar.Ke);
  for (int d = 0; d < dim; ++d) {
    L.middleCols(d * n_q, n_q).noalias() += W.middleCols(first + d * n_q, n_q) * Ke_bar;
  }
  scatter_shapes(beside_stiffness, dim, n_q, 0, L);
  return {W, std::move(Y), std::move(L)};
}

LocalFields::LocalFields(const Assembly& assembly, const ElementFields& fields)
    : W(assembly.corners().rows(), fields.W.cols()),
      Y(assembly.corners().rows(), fields.W.cols()),
      U(assembly.corners().rows() * assembly.dim(), fields.L.cols() / assembly.dim()),
      L(U.rows(), U.cols()),
      assembly_(assembly),
      fields_(fields) {}

void LocalFields::gather(Index e) {
  const Index dim = assembly_.dim(), n_q = U.cols();
  for (Index a = 0; a < W.rows(); ++a) {
    const int node = assembly_.corners()(a, e);
    W.row(a) = fields_.W.row(node);
    Y.row(a) = fields_.Y.row(node);
    for (Index d = 0; d < dim; ++d) {
      U.row(a * dim + d) = fields_.W.row(node).segment(1 + dim + d * n_q, n_q);
      L.row(a * dim + d) = fields_.L.row(node).segment(d * n_q, n_q);
    }
  }
}

ElementFactors sum_over_elements(const Assembly& assembly, const ElementFields& fields) {
  const Index n_elements = assembly.corners().cols();
  ElementFactors sums{VectorXd(n_elements), VectorXd(n_elements)};
  const MatrixXd &k = assembly.reference().stiffness, &m = assembly.reference().mass;
  parallel_for(n_elements, 1024, [&](Index begin, Index end) {
    LocalFields local(assembly, fields);
    NodalFields k_U(local.U.rows(), local.U.cols());
    for (Index e = begin; e < end; ++e) {
      local.gather(e);
      sums.mass[e] = m.cwiseProduct(local.W.lazyProduct(local.Y.transpose())).sum();
      k_U.noalias() = k * local.U;
      sums.stiffness[e] = local.L.cwiseProduct(k_U).sum();
    }
  });
  return sums;
}

}  // namespace kurbel::fem
