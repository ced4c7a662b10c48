/// Derivatives of markers by the places of their nodes.
#include <gtest/gtest.h>

#include "placed_objective.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

/// Psi of random fields, weighted, at nodes moved by h * direction.
class MarkerOnMovedNodes {
 public:
  MarkerOnMovedNodes(const FlexibleBodySpec& spec, const Box& set)
      : mesh_(spec.mesh), order_(mesh_.n_nodes(), mesh_.nodes_in(spec.clamp)), nodes_(mesh_.nodes_in(set)) {}

  void expect_exact(const Mesh::Points& direction) const {
    const int dim = mesh_.dim();
    const NodalFields fields = random_matrix(mesh_.n_nodes(), 3 * dim, 4);
    const MatrixXd Psi_bar = random_matrix(3, 3, 5);
    const Vector3d R_bar = random_matrix(3, 1, 6);
    const auto weighted = [&](double h) {
      const MarkerOperator marker = at(mesh_.positions() + h * direction);
      MatrixXd Phi, Psi;
      marker.apply(fields, 0, dim, Phi, Psi);
      return Psi.cwiseProduct(Psi_bar).sum() + R_bar.dot(marker.position());
    };
    Mesh::Points x_bar = Mesh::Points::Zero(3, mesh_.n_nodes());
    at(mesh_.positions()).add_mean_bar(R_bar, dim, x_bar);
    at(mesh_.positions()).add_position_bar(fields, 0, dim, Psi_bar, x_bar);
    double slope = 0.0;
    for (Index i = 0; i < x_bar.cols(); ++i) slope += x_bar.col(i).dot(direction.col(order_.node_at(i)));
    // Truncation of fourth order for steps of 1e-3 times the set's size, 1e-12; rounding 1e-13 / 1e-3.
    EXPECT_NEAR(slope, difference(weighted, 1e-3), 1e-9 * std::abs(weighted(0.0)) + 1e-9 * std::abs(slope));
    EXPECT_GT(std::abs(slope), 1e-3);
  }

  const Mesh& mesh() const { return mesh_; }

 private:
  MarkerOperator at(const Mesh::Points& x) const { return marker_at("set", nodes_, x, mesh_.dim(), order_); }

  Mesh mesh_;
  NodeOrder order_;
  std::vector<int> nodes_;
};

TEST(MarkerShape, OfASolidSetHasTheDerivativesOfItsDifferences) {
  const MarkerOnMovedNodes tip(bar({4, 3, 2}, {0.4, 0.3, 0.2}, 1, false), plane(0, 0.4));
  tip.expect_exact(0.1 * random_matrix(3, tip.mesh().n_nodes(), 7));
}

TEST(MarkerShape, OfAPlaneSetHasTheDerivativesOfItsDifferences) {
  const MarkerOnMovedNodes pin(crank(4, 4, 1, false), plane(0, 0.2));
  Mesh::Points direction = 0.02 * random_matrix(3, pin.mesh().n_nodes(), 8);
  direction.row(2).setZero();
  pin.expect_exact(direction);
}

TEST(MarkerShape, OnALineHasTheDerivativesOfMotionsThatKeepItOne) {
  Box edge = plane(0, 0.4);
  edge.lower[1] = edge.upper[1] = 0.15;
  const MarkerOnMovedNodes line(bar({4, 3, 5}, {0.4, 0.3, 0.2}, 1, false), edge);
  Mesh::Points along_itself = Mesh::Points::Zero(3, line.mesh().n_nodes());
  along_itself.row(2) = 0.1 * random_matrix(1, line.mesh().n_nodes(), 9);
  line.expect_exact(along_itself);
  Matrix3d F;  // keeps lines straight, turns and stretches them
  F << 0.1, 0.5, -0.4, 0.2, -0.3, 0.6, 0.4, -0.1, 0.2;
  line.expect_exact(F * line.mesh().positions());
}

}  // namespace
}  // namespace kurbel::fem::test
