/// @file
/// Markers that hold their nodes as a rigid body.
#include "fem/rigid_ties.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "exact_gradient.hpp"
#include "fem/faces.hpp"
#include "fem/spec_check.hpp"
#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using ::testing::HasSubstr;

FlexibleBodySpec tied(FlexibleBodySpec spec, std::size_t marker = 0) {
  spec.markers[marker].tie = MarkerSpec::Tie::rigid;
  return spec;
}

/// Matrices of a body with ties as dense ones, by their definition.
struct Dense {
  explicit Dense(const FlexibleBodySpec& spec, const VectorXd& rho)
      : mesh(make_mesh(spec.mesh)),
        assembly(*mesh, mesh->nodes_in(spec.clamp), ShapeClasses(spec, mesh, spec.mesh.size).matrices()) {
    const ElementFactors factors = element_factors(spec, nominal_design(spec, rho));
    SparseMatrix lower = assembly.stiffness_pattern();
    assembly.assemble_stiffness(factors.stiffness, lower);
    T = MatrixXd(rigid_ties(spec, *mesh, assembly.order()).T);
    K = T.transpose() * MatrixXd(SparseMatrix(lower.selfadjointView<Eigen::Lower>())) * T;
    NodalMass m = assembly.make_mass();
    assembly.assemble_mass(factors.mass, m);
    MatrixXd M_T(T.rows(), T.cols());
    m.multiply_free(T, M_T);
    M = T.transpose() * M_T;
  }
  std::shared_ptr<const Mesh> mesh;
  Assembly assembly;
  MatrixXd T, K, M;
};

/// In the plane and in space, on boxes and on quadratic triangles and tetrahedra.
class RigidTie : public testing::TestWithParam<int> {
 protected:
  static FlexibleBodySpec spec_of(int which) {
    switch (which) {
      case 0:
        return tied(crank(6, 3, 3, true));
      case 1:
        return tied(bar({4, 2, 2}, {0.2, 0.05, 0.03}, 3, true));
      case 2: {
        FlexibleBodySpec spec = tied(on_quadratic_mesh(crank(4, 2, 3, true), Split::all));
        spec.attachments[0].moment[2] = true;
        return spec;
      }
      default:
        return tied(on_quadratic_mesh(bar({3, 1, 1}, {0.2, 0.05, 0.03}, 3, true), Split::all));
    }
  }
  const FlexibleBodySpec spec = spec_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Of, RigidTie, testing::Range(0, 4));

TEST_P(RigidTie, MovesItsNodesAsARigidBody) {
  FlexibleBody body(spec);
  const ReducedBody r = reduced(body, random_densities(body.n_elements(), 0.2, 3));
  const MarkerShapes& marker = r.markers[0];
  const double largest = r.shapes.cwiseAbs().maxCoeff();
  for (const int node : marker_nodes(spec.markers[0], body.mesh()).nodes) {
    const Vector3d arm = body.mesh().positions().col(node) - marker.R;
    for (Index k = 0; k < r.lambda.size(); ++k) {
      const Vector3d expected = marker.Phi.col(k) + Vector3d(marker.Psi.col(k)).cross(arm);
      EXPECT_LT((r.shapes.col(k).segment<3>(3 * node) - expected).norm(), 1e-10 * largest);
    }
  }
}

TEST_P(RigidTie, HasTheFrequenciesOfTheReducedMatrices) {
  FlexibleBodySpec own = spec;
  own.attachments.clear();
  FlexibleBody body(own);
  const VectorXd rho = random_densities(body.n_elements(), 0.2, 3);
  const Dense dense(own, rho);
  const VectorXd expected =
      Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(dense.K, dense.M, Eigen::EigenvaluesOnly)
          .eigenvalues();
  const ReducedBody r = reduced(body, rho);
  for (Index k = 0; k < 3; ++k) EXPECT_NEAR(r.lambda[k], expected[k], 1e-9 * expected[k]);
}

TEST_P(RigidTie, HasTheStaticAnswersOfTheReducedMatrices) {
  FlexibleBody body(spec);
  const VectorXd rho = random_densities(body.n_elements(), 0.2, 3);
  const Dense dense(spec, rho);
  const ReducedBody r = reduced(body, rho);
  const std::vector<UnitLoad> loads = unit_loads(spec);
  const std::vector<MarkerOperator> markers = {
      MarkerOperator("end", marker_nodes(spec.markers[0], *dense.mesh), dense.mesh->positions(),
                     dense.mesh->dim(), dense.assembly.order())};
  const MatrixXd B_T =
      dense.T.transpose() * load_matrix(loads, markers, dense.assembly.order(), dense.mesh->dim());
  const MatrixXd expected = B_T.transpose() * dense.K.ldlt().solve(B_T);
  MatrixXd P(std::ssize(loads), r.lambda.size());
  for (Index i = 0; i < P.rows(); ++i) {
    const int component = loads[static_cast<std::size_t>(i)].component;
    P.row(i) = component < 3 ? r.markers[0].Phi.row(component) : r.markers[0].Psi.row(component - 3);
  }
  const MatrixXd flexibility = P * r.lambda.cwiseInverse().asDiagonal() * P.transpose();
  EXPECT_LT((flexibility - expected).norm(), 1e-10 * expected.norm());
}

TEST_P(RigidTie, HasGradientsThatEqualDifferences) {
  const Index n = make_mesh(spec.mesh)->n_elements();
  expect_exact_gradient(spec, random_densities(n, 0.1, 7), 3);
}

/// Bodies without a clamp, and interfaces held: what other conditions make of the inverse.
TEST(RigidTies, HaveGradientsThatEqualDifferencesInOtherFramesAndBases) {
  expect_exact_gradient(tied(on_chord(crank(8, 3, 3, true), "pin"), 1), random_densities(24, 0.1, 8), 3);
  expect_exact_gradient(tied(free_body(crank(8, 3, 3, true))), random_densities(24, 0.1, 9), 3);
  FlexibleBodySpec interfaces = tied(crank(8, 3, 3, true));
  interfaces.basis = BasisType::craig_bampton;
  expect_exact_gradient(interfaces, random_densities(24, 0.1, 10), 3);
}

/// A section that stays plane by itself knows no difference; warping and lateral contraction are what a tie forbids.
TEST(RigidTies, AreAsStiffAsMeansWhereSectionsStayRigidAndStifferElsewhere) {
  const auto flexibility = [](FlexibleBodySpec spec, int component) {
    spec.markers[0].weights = MarkerSpec::Weights::area;
    FlexibleBody body(spec);
    const ReducedBody r = reduced(body, VectorXd::Ones(body.n_elements()));
    const VectorXd phi = component < 3 ? r.markers[0].Phi.row(component).transpose()
                                       : r.markers[0].Psi.row(component - 3).transpose();
    return phi.dot(r.lambda.cwiseInverse().cwiseProduct(phi));
  };
  FlexibleBodySpec spec = bar({6, 3, 3}, {0.2, 0.05, 0.03}, 0, true);
  EXPECT_LT(flexibility(tied(spec), 0), (1.0 - 1e-5) * flexibility(spec, 0));
  EXPECT_LT(flexibility(tied(spec), 3), (1.0 - 1e-3) * flexibility(spec, 3));
  spec.material.poisson_ratio = 0.0;
  EXPECT_NEAR(flexibility(tied(spec), 0), flexibility(spec, 0), 1e-12 * flexibility(spec, 0));
}

/// The order of elimination is that of whole blocks.
TEST(RigidTies, HaveColumnsInWholeBlocks) {
  FlexibleBodySpec spec = tied(bar({4, 2, 2}, {0.2, 0.05, 0.03}, 3, true));
  const auto ties_of = [&] {
    const Dense body(spec, VectorXd::Ones(Mesh(spec.mesh).n_elements()));
    return rigid_ties(spec, *body.mesh, body.assembly.order());
  };
  EXPECT_EQ(ties_of().block, 3);
  EXPECT_EQ(ties_of().T.cols() % 3, 0);
  Box corner;  // of the section in the middle of the bar: one node
  for (std::size_t d = 0; d < 3; ++d) {
    const double middle = spec.mesh.origin[static_cast<Index>(d)] + (d == 0 ? 0.1 : 0.0);
    corner.lower[d] = middle - 1e-3, corner.upper[d] = middle + 1e-3;
  }
  spec.supports = {{"slider", corner, {false, true, false}}};
  const RigidTies supported = ties_of();
  EXPECT_NE(supported.T.cols() % 3, 0);
  EXPECT_EQ(supported.T.cols() % supported.block, 0);
}

TEST(RigidTies, ThatOverlapOrDoNotTurnAreRefused) {
  const auto message = [](const FlexibleBodySpec& spec) {
    const auto problem = find_problem(spec);
    return problem ? problem->key + " " + problem->message : "";
  };
  FlexibleBodySpec spec = tied(crank(6, 3, 3, true));
  EXPECT_EQ(message(spec), "");
  spec.clamp = AnyOf{{plane(0, 0.0), plane(1, 0.02)}};
  EXPECT_THAT(message(spec), HasSubstr("markers.pin.tie has 1 node of the clamp"));
  spec = tied(crank(6, 3, 3, true));
  spec.markers.push_back({"top", AllOf{{plane(1, 0.02), HalfSpace{{0.1, 0.0, 0.0}, {1.0, 0.0, 0.0}}}}});
  spec.markers.back().tie = MarkerSpec::Tie::rigid;
  EXPECT_THAT(message(spec), HasSubstr("markers.top.tie has 1 node of the rigid tie of marker pin"));
  spec = tied(crank(6, 3, 3, false));
  spec.markers[0].nodes = AllOf{{plane(0, 0.2), plane(1, 0.02)}};
  EXPECT_THAT(message(spec), HasSubstr("markers.pin.tie has a single node"));
  spec = tied(bar({4, 2, 2}, {0.2, 0.05, 0.03}, 3, false));
  spec.markers[0].nodes = AllOf{{plane(0, 0.2), plane(1, 0.025)}};
  EXPECT_THAT(message(spec), HasSubstr("markers.tip.tie has nodes on one line"));
  spec = tied(crank(6, 3, 3, true));
  spec.geometric_stiffening = true;
  EXPECT_THAT(message(spec), HasSubstr("geometric_stiffening does not go with rigid ties"));
}

}  // namespace
}  // namespace kurbel::fem::test
