#include "fem/pullback.hpp"

#include "base/parallel.hpp"
#include "fem/row_sums.hpp"

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

void fill_fields(const Mesh::Points& positions, const NodeOrder& order, int dim, const MatrixXd& U,
                 NodalFields& W) {
  W.setZero(order.n_nodes(), 1 + dim + dim * U.cols());
  W.col(0).setOnes();
  for (Index i = 0; i < order.n_nodes(); ++i) {
    W.row(i).segment(1, dim) = positions.col(order.node_at(i)).head(dim);
  }
  scatter_shapes(U, dim, U.cols(), 1 + dim, W);
}

BasisBar pull_back_basis(const HeldBody& body, const ReducedBody& reduced, const GramBar& bar) {
  const int dim = body.assembly.dim();
  const NodeOrder& order = body.assembly.order();
  const Index n_q = reduced.lambda.size();
  BasisBar out{{}, VectorXd::Zero(n_q)};
  const MatrixXd G_bar = compact_gram_bar(bar, dim, n_q).rightCols(dim * n_q);
  const NodalFields W_bar = reduced.m_W.topRows(order.n_free()) * G_bar;
  gather_shapes(W_bar, order.n_free(), dim, out.U);
  const VectorXd of_fields = G_bar.cwiseAbs().transpose() * norms(reduced.m_W);
  for (int d = 0; d < dim; ++d) out.size += of_fields.segment(d * n_q, n_q);
  reduced.basis->add_stiffness_bar(symmetric_sum(bar.Ke), out);
  MatrixXd of_markers = MatrixXd::Zero(out.U.rows(), n_q);
  for (std::size_t i = 0; i < body.markers.size(); ++i)
    body.markers[i].add_transpose(bar.marker_Phi[i], bar.marker_Psi[i], order, dim, of_markers);
  out.add(of_markers);
  return out;
}

void take_out_span(const Assembly& assembly, const ReducedBody& reduced, BasisBar& bar) {
  const int dim = assembly.dim();
  const Index n_free = assembly.order().n_free(), n_shapes = dim * bar.U.cols();
  MatrixXd U, M_U;
  gather_shapes(reduced.W.topRightCorner(n_free, n_shapes), n_free, dim, U);
  gather_shapes(reduced.m_W.topRightCorner(n_free, n_shapes), n_free, dim, M_U);
  constexpr double rounding = 1e-6;
  const MatrixXd span = gram(U, bar.U), terms = gram(U.cwiseAbs(), bar.U.cwiseAbs());
  // More than rounding is the error of an inexact gradient such as the continuous adjoint's.
  bar.is_exact = span.cwiseAbs().maxCoeff() <= rounding * terms.maxCoeff();
  if (bar.is_exact) bar.U -= M_U * span;
}

ElementFields element_fields(const HeldBody& body, const ReducedBody& reduced, const GramBar& bar,
                             const ModeAdjoint& adjoint) {
  const int dim = body.assembly.dim();
  const Index n_q = reduced.lambda.size(), first = 1 + dim;
  const NodalFields& W = reduced.W;
  NodalFields Y = W * (0.5 * compact_gram_bar(bar, dim, n_q));
  scatter_shapes(adjoint.mass, dim, n_q, first, Y);
  if (body.frame.is_buckens()) add_inertia_relief(body.frame, adjoint, dim, Y);
  NodalFields L = NodalFields::Zero(W.rows(), dim * n_q);
  const MatrixXd Ke_bar = 0.5 * symmetric_sum(bar.Ke);
  for (int d = 0; d < dim; ++d) {
    L.middleCols(d * n_q, n_q).noalias() += W.middleCols(first + d * n_q, n_q) * Ke_bar;
  }
  scatter_shapes(adjoint.stiffness, dim, n_q, 0, L);
  return {W, std::move(Y), std::move(L)};
}

LocalFields::LocalFields(const Assembly& assembly, const ElementFields& fields)
    : assembly_(assembly), fields_(fields) {}

void LocalFields::gather(Index e) {
  const Assembly::Corners corners = assembly_.corners(e);
  const Index dim = assembly_.dim(), n_q = fields_.L.cols() / dim;
  for (NodalFields* of_nodes : {&W, &Y}) of_nodes->resize(corners.size(), fields_.W.cols());
  for (NodalFields* of_shapes : {&U, &L}) of_shapes->resize(corners.size() * dim, n_q);
  for (Index a = 0; a < corners.size(); ++a) {
    const int node = corners[a];
    W.row(a) = fields_.W.row(node);
    Y.row(a) = fields_.Y.row(node);
    for (Index d = 0; d < dim; ++d) {
      U.row(a * dim + d) = fields_.W.row(node).segment(1 + dim + d * n_q, n_q);
      L.row(a * dim + d) = fields_.L.row(node).segment(d * n_q, n_q);
    }
  }
}

ElementFactors sum_over_elements(const Assembly& assembly, const ElementFields& fields) {
  const Index n_elements = assembly.n_elements();
  ElementFactors sums{VectorXd(n_elements), VectorXd(n_elements)};
  parallel_for(n_elements, 1024, [&](Index begin, Index end) {
    LocalFields local(assembly, fields);
    NodalFields k_U;
    for (Index e = begin; e < end; ++e) {
      local.gather(e);
      const auto& [k, m] = assembly.matrices(e);
      sums.mass[e] = m.cwiseProduct(local.W.lazyProduct(local.Y.transpose())).sum();
      k_U.noalias() = k * local.U;
      sums.stiffness[e] = local.L.cwiseProduct(k_U).sum();
    }
  });
  return sums;
}

}  // namespace kurbel::fem
