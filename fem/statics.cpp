#include "fem/statics.hpp"

#include "fem/pullback.hpp"
#include "fem/shape_pullback.hpp"

namespace kurbel::fem {

using Eigen::Index;

VectorXd weight_of_body(const HeldBody& body, const Vector3d& gravity) {
  const Index dim = body.assembly.dim(), n_free = body.assembly.order().n_free();
  NodalFields m_one;
  body.m.multiply(NodalFields::Ones(body.assembly.order().n_nodes(), 1), m_one);
  VectorXd weight(n_free * dim);
  for (Index i = 0; i < n_free; ++i) weight.segment(i * dim, dim) = m_one(i, 0) * gravity.head(dim);
  return weight;
}

namespace {

/// 1, places, which no function here sees, and shapes U, as in fem/pullback.hpp.
NodalFields with_shapes(const Assembly& assembly, const MatrixXd& U) {
  const int dim = assembly.dim();
  NodalFields W = NodalFields::Zero(assembly.order().n_nodes(), 1 + dim + dim * U.cols());
  W.col(0).setOnes();
  scatter_shapes(U, dim, U.cols(), 1 + dim, W);
  return W;
}

NodalFields shapes_alone(const Assembly& assembly, const MatrixXd& U) {
  NodalFields L = NodalFields::Zero(assembly.order().n_nodes(), assembly.dim() * U.cols());
  scatter_shapes(U, assembly.dim(), U.cols(), 0, L);
  return L;
}

MatricesBar to_elements(const HeldBody& body, const ElementFields& fields, const HeldElements* elements) {
  MatricesBar bar{sum_over_elements(body.assembly, fields)};
  if (elements)
    bar.positions =
        pull_back_positions_of_elements(body.assembly, fields, elements->factors, *elements->shapes);
  return bar;
}

}  // namespace

MatricesBar pull_back_static(const HeldBody& body, const StaticBars& bars, const HeldElements* elements) {
  const Index dim = body.assembly.dim();
  const NodalFields W = with_shapes(body.assembly, bars.u);
  NodalFields Y = NodalFields::Zero(W.rows(), W.cols());
  for (Index i = 0; i < body.assembly.order().n_free(); ++i) {
    for (Index c = 0; c < bars.u.cols(); ++c)
      Y(i, 0) += bars.of_weight.col(c).segment(i * dim, dim).dot(bars.gravity.col(c).head(dim));
  }
  return to_elements(body, {W, std::move(Y), shapes_alone(body.assembly, -bars.of_stiffness)}, elements);
}

MatricesBar pull_back_eigenvalues(const HeldBody& body, const NormalModes& modes, const VectorXd& lambda_bar,
                                  const HeldElements* elements) {
  const MatrixXd of_stiffness = modes.Phi * lambda_bar.asDiagonal();
  const NodalFields W = with_shapes(body.assembly, modes.Phi);
  NodalFields Y = NodalFields::Zero(W.rows(), W.cols());
  const MatrixXd of_mass = -of_stiffness * modes.lambda.asDiagonal();
  scatter_shapes(of_mass, body.assembly.dim(), of_mass.cols(), 1 + body.assembly.dim(), Y);
  return to_elements(body, {W, std::move(Y), shapes_alone(body.assembly, of_stiffness)}, elements);
}

}  // namespace kurbel::fem
