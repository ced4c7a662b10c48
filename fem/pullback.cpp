#include "fem/pullback.hpp"

#include "fem/complement_solver.hpp"
#include "fem/parallel.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

MatrixXd symmetric_sum(const MatrixXd& A) {
  return A + A.transpose();
}

MatrixXd compact_gram_bar(const GramBar& bar, int dim, Index n_q) {
  const std::vector<Index> place = compact_fields(dim, GramIndex{n_q});
  return symmetric_sum(bar.G(place, place));
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

/// Adds U (n_free_dofs x k) to columns first + d n_q .. + k of the fields.
void scatter_shapes(const MatrixXd& U, int dim, Index n_q, Index first, NodalFields& fields) {
  for (Index i = 0; i < U.rows() / dim; ++i) {
    for (int d = 0; d < dim; ++d) fields.row(i).segment(first + d * n_q, U.cols()) += U.row(i * dim + d);
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

void fill_fields(const Mesh& mesh, const NodeOrder& order, const MatrixXd& Phi, const MatrixXd& Psi,
                 NodalFields& W) {
  const int dim = mesh.dim();
  const Index n_q = Phi.cols() + Psi.cols();
  W.setZero(mesh.n_nodes(), 1 + dim + dim * n_q);
  W.col(0).setOnes();
  for (Index i = 0; i < mesh.n_nodes(); ++i) {
    W.row(i).segment(1, dim) = mesh.positions().col(order.node_at(i)).head(dim);
  }
  scatter_shapes(Phi, dim, n_q, 1 + dim, W);
  scatter_shapes(Psi, dim, n_q, 1 + dim + Phi.cols(), W);
}

BasisBar pull_back_basis(const Assembly& assembly, const std::vector<MarkerOperator>& markers,
                         const ReducedBody& reduced, const GramBar& bar) {
  const int dim = assembly.dim();
  const Index n = reduced.normal.lambda.size(), n_a = reduced.attachment.lambda.size(), n_q = n + n_a;
  const Index n_free = assembly.order().n_free();
  const MatrixXd G_bar = compact_gram_bar(bar, dim, n_q);
  const NodalFields W_bar = reduced.m_W.topRows(n_free) * G_bar.rightCols(dim * n_q);
  MatrixXd U_bar;
  gather_shapes(W_bar, n_free, dim, U_bar);
  const MatrixXd Ke_bar = symmetric_sum(bar.Ke);
  U_bar.noalias() += reduced.normal.M_Phi * (reduced.normal.lambda.asDiagonal() * Ke_bar.topRows(n));
  U_bar.noalias() += reduced.attachment.K_Psi * Ke_bar.bottomRows(n_a);
  for (std::size_t i = 0; i < markers.size(); ++i) {
    markers[i].add_transpose(bar.marker_Phi[i], bar.marker_Psi[i], assembly.order(), dim, U_bar);
  }
  return {U_bar.leftCols(n), U_bar.rightCols(n_a)};
}

Status solve_mode_adjoint(Cholesky& K, const NodalMass& m, const ReducedBody& reduced, BasisBar& bar,
                          ModeAdjoint& out) {
  const AttachmentModes& attachment = reduced.attachment;
  bar.Psi = bar.Psi * attachment.T.transpose();
  bar.Phi.noalias() -= bar.Psi * attachment.C.transpose();
  K.solve(bar.Psi, out.X);
  return solve_in_complement(K, m, reduced.normal, reduced.normal.lambda, bar.Phi, out.v, out.cg_iterations);
}

ElementFactors sum_over_elements(const Assembly& assembly, const ReducedBody& reduced, const GramBar& bar,
                                 const ModeAdjoint& adjoint) {
  const int dim = assembly.dim();
  const NormalModes& normal = reduced.normal;
  const AttachmentModes& attachment = reduced.attachment;
  const Index n = normal.lambda.size(), n_a = attachment.lambda.size(), n_q = n + n_a, first = 1 + dim;
  const NodalFields& W = reduced.W;

  // Mass: sum_ab m_ab W_a . Y_b; stiffness: sum_k L_k^T k U_k with U the shapes in W. X^T dK Psi is rewritten
  // on the basis by Psi = Phi C + Psi' T^-1.
  NodalFields Y = W * (0.5 * compact_gram_bar(bar, dim, n_q));
  scatter_shapes(adjoint.v * normal.lambda.asDiagonal(), dim, n_q, first, Y);
  NodalFields L = NodalFields::Zero(W.rows(), dim * n_q);
  const MatrixXd Ke_bar = 0.5 * symmetric_sum(bar.Ke);
  for (int d = 0; d < dim; ++d) {
    L.middleCols(d * n_q, n_q).noalias() += W.middleCols(first + d * n_q, n_q) * Ke_bar;
  }
  scatter_shapes(-adjoint.v - adjoint.X * attachment.C.transpose(), dim, n_q, 0, L);
  scatter_shapes(-adjoint.X * attachment.T.inverse().transpose(), dim, n_q, n, L);

  ElementFactors sums{VectorXd(assembly.corners().cols()), VectorXd(assembly.corners().cols())};
  const MatrixXd &k = assembly.reference().stiffness, &m = assembly.reference().mass;
  const Index n_corners = assembly.corners().rows();
  parallel_for(assembly.corners().cols(), 1024, [&](Index begin, Index end) {
    NodalFields W_e(n_corners, W.cols()), Y_e(n_corners, W.cols());
    NodalFields U_e(n_corners * dim, n_q), L_e(n_corners * dim, n_q), k_U(n_corners * dim, n_q);
    for (Index e = begin; e < end; ++e) {
      for (Index a = 0; a < n_corners; ++a) {
        const int node = assembly.corners()(a, e);
        W_e.row(a) = W.row(node);
        Y_e.row(a) = Y.row(node);
        for (int d = 0; d < dim; ++d) {
          U_e.row(a * dim + d) = W.row(node).segment(first + d * n_q, n_q);
          L_e.row(a * dim + d) = L.row(node).segment(d * n_q, n_q);
        }
      }
      sums.mass[e] = m.cwiseProduct(W_e.lazyProduct(Y_e.transpose())).sum();
      k_U.noalias() = k * U_e;
      sums.stiffness[e] = L_e.cwiseProduct(k_U).sum();
    }
  });
  return sums;
}

}  // namespace kurbel::fem
