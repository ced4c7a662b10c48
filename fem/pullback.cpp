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

/// What stands beside dM [Phi, Psi] in d psi.
MatrixXd beside_mass(const ReferenceFrame& frame, const VectorXd& lambda, const ModeAdjoint& adjoint) {
  MatrixXd out = MatrixXd::Zero(adjoint.v.rows(), adjoint.v.cols() + adjoint.X.cols());
  out.leftCols(adjoint.v.cols()) = adjoint.v * lambda.asDiagonal();
  if (frame.is_buckens()) out.rightCols(adjoint.X.cols()) = -frame.projection()->R * adjoint.xi;
  return out;
}

/// - X_j^T dM R (R^T B^T)_j, on the fields 1, X, Y, Z that rigid-body motions consist of.
void add_inertia_relief(const ReferenceFrame& frame, const ModeAdjoint& adjoint, int dim, NodalFields& Y) {
  for (Index j = 0; j < adjoint.X.cols(); ++j) {
    const MatrixXd A = frame.affine_field(adjoint.xi_load.col(j));
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

MatrixXd pull_back_basis(const Assembly& assembly, const std::vector<MarkerOperator>& markers,
                         const ReducedBody& reduced, const GramBar& bar) {
  const int dim = assembly.dim();
  const Index n_q = reduced.lambda.size();
  const Index n_free = assembly.order().n_free();
  const MatrixXd G_bar = compact_gram_bar(bar, dim, n_q);
  const NodalFields W_bar = reduced.m_W.topRows(n_free) * G_bar.rightCols(dim * n_q);
  MatrixXd U_bar;
  gather_shapes(W_bar, n_free, dim, U_bar);
  const MatrixXd Ke_bar = symmetric_sum(bar.Ke);
  if (const MatrixXd& K_U = reduced.craig_bampton.K_U; K_U.size() > 0) {
    U_bar.noalias() += K_U * Ke_bar;
  } else {
    const Index n = reduced.normal.lambda.size(), n_a = reduced.attachment.lambda.size();
    U_bar.noalias() += reduced.normal.M_Phi * (reduced.normal.lambda.asDiagonal() * Ke_bar.topRows(n));
    U_bar.noalias() += reduced.attachment.K_Psi * Ke_bar.bottomRows(n_a);
  }
  for (std::size_t i = 0; i < markers.size(); ++i) {
    markers[i].add_transpose(bar.marker_Phi[i], bar.marker_Psi[i], assembly.order(), dim, U_bar);
  }
  return U_bar;
}

Status solve_mode_adjoint(const Flexibility& K, const Flexibility& K_modes, const NodalMass& m,
                          const ReferenceFrame& frame, const MatrixXd& B_T, const ReducedBody& reduced,
                          MatrixXd& U_bar, ModeAdjoint& out) {
  const Index n = reduced.normal.lambda.size();
  U_bar = U_bar * reduced.combination.Y.transpose();
  const MatrixXd Psi_bar = U_bar.rightCols(U_bar.cols() - n);
  K.solve(Psi_bar, out.X);
  if (frame.is_buckens()) {
    out.xi = frame.projection()->R.transpose() * Psi_bar;
    out.xi_load = frame.projection()->R.transpose() * B_T;
  }
  U_bar.conservativeResize(Eigen::NoChange, n);
  return solve_in_complement(K_modes, m, reduced.normal, reduced.normal.lambda, U_bar, out.v,
                             out.cg_iterations);
}

ElementFields element_fields(const Assembly& assembly, const ReferenceFrame& frame,
                             const ReducedBody& reduced, const GramBar& bar, const ModeAdjoint& adjoint) {
  const int dim = assembly.dim();
  const Index n_q = reduced.lambda.size(), first = 1 + dim;
  const NodalFields& W = reduced.W;

  // What stands beside Phi and Psi is rewritten on the basis by [Phi, Psi] = U Y^-1.
  const MatrixXd to_basis = reduced.combination.inverse.transpose();
  NodalFields Y = W * (0.5 * compact_gram_bar(bar, dim, n_q));
  scatter_shapes(beside_mass(frame, reduced.normal.lambda, adjoint) * to_basis, dim, n_q, first, Y);
  if (frame.is_buckens()) add_inertia_relief(frame, adjoint, dim, Y);
  NodalFields L = NodalFields::Zero(W.rows(), dim * n_q);
  const MatrixXd Ke_bar = 0.5 * symmetric_sum(bar.Ke);
  for (int d = 0; d < dim; ++d) {
    L.middleCols(d * n_q, n_q).noalias() += W.middleCols(first + d * n_q, n_q) * Ke_bar;
  }
  MatrixXd beside_stiffness(adjoint.v.rows(), n_q);
  beside_stiffness << -adjoint.v, -adjoint.X;
  scatter_shapes(beside_stiffness * to_basis, dim, n_q, 0, L);
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
