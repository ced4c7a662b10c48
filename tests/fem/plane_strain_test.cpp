/// @file
/// Plane strain: against solids between rigid walls, Lame's tube, differences.
#include <gtest/gtest.h>

#include <numbers>

#include "exact_gradient.hpp"
#include "fem/faces.hpp"
#include "fem/shape_functions.hpp"
#include "fem/stress.hpp"
#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

constexpr double nu = 0.3;

/// A solid one element thick that does not move across the plane has the stiffness and stress of a plane element.
TEST(PlaneStrain, IsThatOfASolidBetweenRigidWalls) {
  constexpr double t = 0.3;
  const Corners quad =
      (Corners(3, 4) << 0.0, 1.1, 1.3, 0.1, 0.0, 0.1, 0.9, 1.0, 0.0, 0.0, 0.0, 0.0).finished();
  Corners hex(3, 8);
  hex << quad, quad;
  hex.row(2).tail(4).setConstant(t);
  const auto plane = make_element(ElementKind::quad4, nu, t, ElementType::standard, PlaneState::strain);
  const auto solid = make_element(ElementKind::hex8, nu, 1.0, ElementType::standard);
  // Displacements of the solid by those of the plane: the same at both ends of the thickness.
  MatrixXd T = MatrixXd::Zero(24, 8);
  for (Index a = 0; a < 8; ++a) {
    for (Index d = 0; d < 2; ++d) T(3 * a + d, 2 * (a % 4) + d) = 1.0;
  }
  const MatrixXd expected = T.transpose() * solid->matrices(hex).stiffness * T;
  EXPECT_LT((plane->matrices(quad).stiffness - expected).norm(), 1e-13 * expected.norm());
  const MatrixXd stress = plane->centre_stress(quad), of_solid = solid->centre_stress(hex) * T;
  ASSERT_EQ(stress.rows(), 6);
  EXPECT_LT((stress - of_solid).norm(), 1e-13 * of_solid.norm());
  EXPECT_GT(stress.row(2).norm(), 0.1 * stress.row(0).norm());
}

/// The patch test: a linear field on the boundary of a patch of mixed elements goes through it, with one stress.
TEST(PlaneStrain, PassesThePatchTest) {
  for (const auto& mesh : {free_mesh(unit_box(2, 3), Split::every_other, 0.2),
                           quadratic_mesh(*free_mesh(unit_box(2, 3), Split::every_other, 0.2))}) {
    const Index n = 2 * mesh->n_nodes();
    MatrixXd K = MatrixXd::Zero(n, n);
    const MatrixXd F = random_matrix(2, 2, 8);
    const VectorXd expected = (F * mesh->positions().topRows(2)).reshaped();
    const double xx = F(0, 0), yy = F(1, 1), xy = F(0, 1) + F(1, 0),
                 lame = nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), G = 0.5 / (1.0 + nu);
    const VectorXd sigma = (VectorXd(6) << lame * (xx + yy) + 2.0 * G * xx, lame * (xx + yy) + 2.0 * G * yy,
                            lame * (xx + yy), 0.0, 0.0, G * xy)
                               .finished();
    for (Index e = 0; e < mesh->n_elements(); ++e) {
      const auto element = make_element(mesh->kind_of(e), nu, 1.0, ElementType::standard, PlaneState::strain);
      std::vector<Index> dofs;
      for (const int node : mesh->nodes_of(e)) dofs.insert(dofs.end(), {2 * node, 2 * node + 1});
      const Mesh::Points x = mesh->positions()(Eigen::all, mesh->nodes_of(e));
      K(dofs, dofs) += element->matrices(x).stiffness;
      EXPECT_LT((element->centre_stress(x) * expected(dofs) - sigma).norm(), 1e-12 * sigma.norm());
    }
    std::vector<Index> within, boundary;
    for (Index i = 0; i < mesh->n_nodes(); ++i) {
      const auto x = mesh->positions().col(i).head(2).array();
      for (Index d = 0; d < 2; ++d)
        ((x > 1e-9 && x < 1.0 - 1e-9).all() ? within : boundary).push_back(2 * i + d);
    }
    ASSERT_FALSE(within.empty());
    const VectorXd u = MatrixXd(K(within, within)).ldlt().solve(-K(within, boundary) * expected(boundary));
    EXPECT_LT((u - expected(within)).norm(), 1e-12 * expected.norm());
  }
}

/// Lame's tube between the radii a = 1 and b = 2 under inner pressure p, held at its ends:
///
///     u_r(a) = (1 + nu) p a^3 / (E (b^2 - a^2)) (1 - 2 nu + b^2 / a^2),   sigma_zz = 2 nu p a^2 / (b^2 - a^2)
TEST(PlaneStrain, IsThatOfAThickTube) {
  constexpr double p = 1e-3, exact_u = (1.0 + nu) * p / 3.0 * (1.0 - 2.0 * nu + 4.0),
                   exact_zz = 2.0 * nu * p / 3.0;
  struct Errors {
    double displacement, stress;
  };
  const auto errors = [&](int n, Split split) {
    const auto mesh = quadratic_mesh(*free_mesh(unit_box(2, n), split, 0.0), [](const Vector3d& x) {
      const double r = 1.0 + x[0], angle = 0.5 * std::numbers::pi * x[1];
      return Vector3d(r * std::cos(angle), r * std::sin(angle), 0.0);
    });
    const Index n_dofs = 2 * mesh->n_nodes();
    MatrixXd K = MatrixXd::Zero(n_dofs, n_dofs);
    VectorXd f = VectorXd::Zero(n_dofs), u = f;
    const auto element_of = [&](Index e) {
      return make_element(mesh->kind_of(e), nu, 1.0, ElementType::standard, PlaneState::strain);
    };
    const auto dofs_of = [&](Index e) {
      std::vector<Index> dofs;
      for (const int node : mesh->nodes_of(e)) dofs.insert(dofs.end(), {2 * node, 2 * node + 1});
      return dofs;
    };
    for (Index e = 0; e < mesh->n_elements(); ++e) {
      const Mesh::Points x = mesh->positions()(Eigen::all, mesh->nodes_of(e));
      K(dofs_of(e), dofs_of(e)) += element_of(e)->matrices(x).stiffness;
    }
    for (const ElementFace& face :
         faces_of(*mesh, ElementSet(static_cast<std::size_t>(mesh->n_elements()), true))) {
      const std::vector<int> nodes = nodes_of(*mesh, face);
      const MatrixXd x = mesh->positions()(Eigen::seqN(0, 2), nodes);
      if ((x.colwise().norm().array() > 1.0 + 1e-9).any()) continue;
      for (const auto& [xi, weight] : Edge3::mass_rule()) {
        const auto shape = Edge3::shape(xi);
        const Eigen::Vector2d tangent = x * shape.dN.transpose(), place = x * shape.N;
        Eigen::Vector2d normal(tangent[1], -tangent[0]);
        if (normal.dot(place) < 0.0) normal = -normal;
        for (std::size_t a = 0; a < nodes.size(); ++a)
          f.segment<2>(2 * nodes[a]) += p * weight * shape.N[static_cast<Index>(a)] * normal;
      }
    }
    std::vector<Index> free;
    for (Index i = 0; i < mesh->n_nodes(); ++i) {
      for (Index d = 0; d < 2; ++d) {
        if (std::abs(mesh->positions()(d, i)) > 1e-9) free.push_back(2 * i + d);  // symmetry
      }
    }
    u(free) = MatrixXd(K(free, free)).ldlt().solve(VectorXd(f(free))).eval();
    Errors out{0.0, 0.0};
    for (Index i = 0; i < mesh->n_nodes(); ++i) {
      const Eigen::Vector2d x = mesh->positions().col(i).head<2>();
      if (x.norm() > 1.0 + 1e-9) continue;
      out.displacement = std::max(out.displacement, std::abs(u.segment<2>(2 * i).dot(x) / exact_u - 1.0));
    }
    for (Index e = 0; e < mesh->n_elements(); ++e) {
      const Mesh::Points x = mesh->positions()(Eigen::all, mesh->nodes_of(e));
      for (const MatrixXd& stress : element_of(e)->sampled_stress(x)) {
        const VectorXd sigma = stress * u(dofs_of(e));
        out.stress = std::max(out.stress, std::abs(sigma[2] / exact_zz - 1.0));
      }
    }
    return out;
  };
  for (const Split split : {Split::none, Split::all}) {
    const Errors coarse = errors(4, split), fine = errors(8, split);
    EXPECT_LT(fine.displacement, 2e-4);
    EXPECT_LT(fine.displacement, coarse.displacement / 7.0) << "at nodes: h^3, of quadrilaterals h^4";
    EXPECT_LT(fine.stress, 0.02);
    EXPECT_LT(fine.stress, coarse.stress / 3.0) << "h^2";
  }
}

/// Stress modes have all six components.
TEST(PlaneStrain, HasTheStressAcrossThePlane) {
  FlexibleBodySpec spec = crank(8, 3, 2, true);
  spec.mesh.plane = PlaneState::strain;
  FlexibleBody body(spec);
  const VectorXd rho = random_densities(body.n_elements(), 0.3, 5);
  const StressPoints points{stress_elements(spec, body.mesh(), {}), 0.5};
  const ReducedBody r = reduced(body, rho);
  const StressModes modes = body.stress_modes(body.nominal(rho), r, points);
  ASSERT_EQ(modes.n_components, 6);
  const Index n = modes.n_points();
  EXPECT_LT((modes.S.middleRows(2 * n, n) - nu * (modes.S.topRows(n) + modes.S.middleRows(n, n))).norm(),
            1e-13 * modes.S.norm());
  EXPECT_EQ(modes.S.middleRows(3 * n, 2 * n).norm(), 0.0);
}

/// A bar in plane strain that is pulled is stiffer by 1 / (1 - nu^2).
TEST(PlaneStrain, StiffensAStripByItsCylindricalBending) {
  const auto stiffness = [](PlaneState plane) {
    FlexibleBodySpec spec = crank(80, 8, 0, false);
    spec.mesh.element = ElementType::incompatible;
    spec.mesh.plane = plane;
    spec.attachments = {{"pin", {false, true, false}, {}}};
    FlexibleBody body(spec);
    const ReducedBody r = reduced(body, VectorXd::Ones(body.n_elements()));
    const MatrixXd phi = r.markers[0].Phi;
    return 1.0 / (phi.row(1) * r.lambda.cwiseInverse().asDiagonal() * phi.row(1).transpose()).value();
  };
  // Shear and the clamp, which is stiffer with contraction, are a hundredth of it.
  EXPECT_NEAR(stiffness(PlaneState::strain) / stiffness(PlaneState::stress), 1.0 / (1.0 - nu * nu), 0.01);
}

}  // namespace
}  // namespace kurbel::fem::test
