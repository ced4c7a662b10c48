#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

Mesh solid_mesh() {
  return Mesh(bar({4, 3, 2}, {0.4, 0.3, 0.2}, 1, false).mesh);
}

/// Nodal fields of n shapes: displacement d of shape k in column d n + k, rows by position.
NodalFields fields_of(const Mesh& mesh, const NodeOrder& order, const std::vector<Matrix3d>& gradients,
                      const std::vector<Vector3d>& shifts) {
  const Eigen::Index n = static_cast<Eigen::Index>(shifts.size());
  NodalFields fields(mesh.n_nodes(), mesh.dim() * n);
  for (Eigen::Index i = 0; i < mesh.n_nodes(); ++i) {
    for (Eigen::Index k = 0; k < n; ++k) {
      const Vector3d u = shifts[k] + gradients[k] * mesh.positions().col(order.node_at(i));
      for (int d = 0; d < mesh.dim(); ++d) fields(i, d * n + k) = u[d];
    }
  }
  return fields;
}

Matrix3d spin(const Vector3d& theta) {
  Matrix3d S;
  S << 0, -theta[2], theta[1], theta[2], 0, -theta[0], -theta[1], theta[0], 0;
  return S;
}

TEST(Marker, RecoversARigidMotionOfItsNodes) {
  const Mesh mesh = solid_mesh();
  const NodeOrder order(mesh.n_nodes(), mesh.nodes_in(plane(0, 0.0)));
  const MarkerOperator tip = marker_at("tip", mesh.nodes_in(plane(0, 0.4)), mesh, order);
  const Vector3d theta(0.1, -0.2, 0.3), shift(1.0, 2.0, 3.0);
  MatrixXd Phi, Psi;
  tip.apply(fields_of(mesh, order, {spin(theta)}, {shift}), 0, 3, Phi, Psi);
  EXPECT_LT((tip.position() - Vector3d(0.4, 0.0, 0.0)).norm(), 1e-15);
  EXPECT_LT((Phi.col(0) - shift - theta.cross(tip.position())).norm(), 1e-14);
  EXPECT_LT((Psi.col(0) - theta).norm(), 1e-13);  // rounding of the shift, 3 m, over the set's size, 0.1 m
}

TEST(Marker, RotationIsTheLeastSquaresFitOfAnyField) {
  const Mesh mesh = solid_mesh();
  const NodeOrder order(mesh.n_nodes(), {});
  const std::vector<int> nodes = mesh.nodes_in(plane(0, 0.4));
  const MarkerOperator tip = marker_at("tip", nodes, mesh, order);
  const NodalFields fields = random_matrix(mesh.n_nodes(), 3, 4);
  MatrixXd Phi, Psi;
  tip.apply(fields, 0, 3, Phi, Psi);
  const auto misfit = [&](const Vector3d& theta) {
    double sum = 0.0;
    for (const int a : nodes) {
      const Vector3d x = mesh.positions().col(a) - tip.position();
      sum += (fields.row(a).transpose() - Phi.col(0) - theta.cross(x)).squaredNorm();
    }
    return sum;
  };
  for (int d = 0; d < 3; ++d) {  // the misfit is quadratic: central differences are exact up to rounding
    const Vector3d h = 1e-2 * Vector3d::Unit(d);
    EXPECT_NEAR(misfit(Psi.col(0) + h), misfit(Psi.col(0) - h), 1e-13 * misfit(Psi.col(0)));
  }
}

TEST(Marker, OnALineLeavesOutTheRotationAboutIt) {
  const Mesh mesh = solid_mesh();
  const NodeOrder order(mesh.n_nodes(), {});
  Box edge = plane(0, 0.4);
  edge.lower[1] = edge.upper[1] = 0.15;
  const MarkerOperator line = marker_at("line", mesh.nodes_in(edge), mesh, order);
  const Vector3d theta(0.1, -0.2, 0.3);
  MatrixXd Phi, Psi;
  line.apply(fields_of(mesh, order, {spin(theta)}, {Vector3d::Zero()}), 0, 3, Phi, Psi);
  EXPECT_LT((Psi.col(0) - Vector3d(0.1, -0.2, 0.0)).norm(), 1e-14);
}

TEST(Marker, OnASingleNodeHasNoRotation) {
  const Mesh mesh = solid_mesh();
  const NodeOrder order(mesh.n_nodes(), {});
  const MarkerOperator point = marker_at("point", {7}, mesh, order);
  MatrixXd Phi, Psi;
  point.apply(random_matrix(mesh.n_nodes(), 6, 5), 0, 3, Phi, Psi);
  EXPECT_EQ(Psi, MatrixXd::Zero(3, 2));
}

TEST(Marker, InThePlaneRotatesAboutZOnly) {
  const Mesh mesh(crank(4, 2, 1, false).mesh);
  const NodeOrder order(mesh.n_nodes(), mesh.nodes_in(plane(0, 0.0)));
  const MarkerOperator pin = marker_at("pin", mesh.nodes_in(plane(0, 0.2)), mesh, order);
  MatrixXd Phi, Psi;
  pin.apply(fields_of(mesh, order, {spin({0.0, 0.0, 0.3})}, {Vector3d(1.0, 2.0, 0.0)}), 0, 2, Phi, Psi);
  EXPECT_LT((Phi.col(0) - Vector3d(1.0, 2.06, 0.0)).norm(), 1e-15);
  EXPECT_LT((Psi.col(0) - Vector3d(0.0, 0.0, 0.3)).norm(), 1e-13);
}

TEST(Marker, TransposeMatchesTheOperatorOnFreeNodes) {
  const Mesh mesh = solid_mesh();
  const NodeOrder order(mesh.n_nodes(), mesh.nodes_in(plane(0, 0.0)));
  Box half;  // some of its nodes are clamped
  half.upper[0] = 0.25;
  const MarkerOperator marker_operator = marker_at("half", mesh.nodes_in(half), mesh, order);
  const MatrixXd U = random_matrix(order.n_free() * 3, 2, 6);
  NodalFields fields = NodalFields::Zero(mesh.n_nodes(), 6);
  for (Eigen::Index i = 0; i < order.n_free(); ++i) {
    for (int d = 0; d < 3; ++d) fields.row(i).segment(2 * d, 2) = U.row(3 * i + d);
  }
  MatrixXd Phi, Psi, U_bar = MatrixXd::Zero(U.rows(), 2);
  marker_operator.apply(fields, 0, 3, Phi, Psi);
  const MatrixXd Phi_bar = random_matrix(3, 2, 7), Psi_bar = random_matrix(3, 2, 8);
  marker_operator.add_transpose(Phi_bar, Psi_bar, order, 3, U_bar);
  const double forward = Phi.cwiseProduct(Phi_bar).sum() + Psi.cwiseProduct(Psi_bar).sum();
  EXPECT_NEAR(U.cwiseProduct(U_bar).sum(), forward, 1e-12);
}

TEST(UnitLoads, KeepWhatHasAMeaningInThePlane) {
  FlexibleBodySpec spec = crank(4, 2, 1, false);
  spec.attachments = {{"pin", {true, true, true}, {true, true, true}}};
  const std::vector<UnitLoad> loads = unit_loads(spec);
  ASSERT_EQ(loads.size(), 3u);
  EXPECT_EQ(loads[0].name, "force x at pin");
  EXPECT_EQ(loads[1].name, "force y at pin");
  EXPECT_EQ(loads[2].name, "moment z at pin");
}

TEST(UnitLoads, AreEquilibratedWithUnitResultants) {
  const FlexibleBodySpec spec = bar({4, 3, 2}, {0.4, 0.3, 0.2}, 1, true);
  const Mesh mesh(spec.mesh);
  const NodeOrder order(mesh.n_nodes(), mesh.nodes_in(spec.clamp));
  const std::vector<MarkerOperator> markers = {
      marker_at("tip", mesh.nodes_in(spec.markers[0].nodes), mesh, order)};
  const MatrixXd B_T = load_matrix(unit_loads(spec), markers, order, 3);
  MatrixXd resultants = MatrixXd::Zero(6, 6);
  for (Eigen::Index i = 0; i < order.n_free(); ++i) {
    const Vector3d x = mesh.positions().col(order.node_at(i)) - markers[0].position();
    for (Eigen::Index load = 0; load < 6; ++load) {
      const Vector3d f = B_T.block<3, 1>(3 * i, load);
      resultants.col(load).head<3>() += f;
      resultants.col(load).tail<3>() += x.cross(f);
    }
  }
  EXPECT_LT((resultants - MatrixXd::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-13);
}

}  // namespace
}  // namespace kurbel::fem::test
