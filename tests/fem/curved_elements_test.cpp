/// @file
/// Order of convergence of the quadratic elements: curved solids, frequencies, and problems of known solution.
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <numbers>

#include "fem/faces.hpp"
#include "fem/shape_functions.hpp"
#include "quadratic_meshes.hpp"
#include "reference_nodes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using std::numbers::pi;

/// int of the products of 1, x, y (2D) or 1, x, y, z over the body.
MatrixXd moments(const Mesh& mesh) {
  MatrixXd sum = MatrixXd::Zero(1 + mesh.dim(), 1 + mesh.dim());
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    const Mesh::Points x = mesh.positions()(Eigen::all, mesh.nodes_of(e));
    MatrixXd W(x.cols(), sum.cols());
    W << VectorXd::Ones(x.cols()), x.topRows(mesh.dim()).transpose();
    const auto element = make_element(mesh.kind_of(e), 0.3, 1.0, ElementType::standard);
    sum += W.transpose() * element->matrices(x).mass * W;
  }
  return sum;
}

/// A quarter of a ring between the radii 1 and 2.
std::shared_ptr<const Mesh> quarter_ring(int n, Split split) {
  return quadratic_mesh(*free_mesh(unit_box(2, n), split, 0.0), [](const Vector3d& x) {
    const double r = 1.0 + x[0], angle = 0.5 * pi * x[1];
    return Vector3d(r * std::cos(angle), r * std::sin(angle), 0.0);
  });
}

MatrixXd moments_of_quarter_ring() {
  MatrixXd M(3, 3);
  M << 3.0 * pi / 4.0, 7.0 / 3.0, 7.0 / 3.0,    //
      7.0 / 3.0, 15.0 / 16.0 * pi, 15.0 / 8.0,  //
      7.0 / 3.0, 15.0 / 8.0, 15.0 / 16.0 * pi;
  return M;
}

/// A quarter of a spherical shell between the radii 1 and 2, from 45 degrees off the pole to the equator.
std::shared_ptr<const Mesh> shell(int n, Split split) {
  return quadratic_mesh(*free_mesh(unit_box(3, n), split, 0.0), [](const Vector3d& x) {
    const double r = 1.0 + x[0], polar = 0.25 * pi * (1.0 + x[1]), angle = 0.5 * pi * x[2];
    return Vector3d(r * std::sin(polar) * std::cos(angle), r * std::sin(polar) * std::sin(angle),
                    r * std::cos(polar));
  });
}

MatrixXd moments_of_shell() {
  const double c = std::sqrt(0.5), r2 = 7.0 / 3.0, r3 = 15.0 / 4.0, r4 = 31.0 / 5.0;
  // int sin^i cos^j of the polar angle.
  const double s1 = c, s2 = pi / 8.0 + 0.25, s1c1 = 0.25, s3 = c - c * c * c / 3.0,
               s2c1 = (1.0 - c * c * c) / 3.0, s1c2 = c * c * c / 3.0;
  MatrixXd M(4, 4);
  M << r2 * s1 * pi / 2.0, r3 * s2, r3 * s2, r3 * s1c1 * pi / 2.0,  //
      0.0, r4 * s3 * pi / 4.0, r4 * s3 / 2.0, r4 * s2c1,            //
      0.0, 0.0, r4 * s3 * pi / 4.0, r4 * s2c1,                      //
      0.0, 0.0, 0.0, r4 * s1c2 * pi / 2.0;
  return M.selfadjointView<Eigen::Upper>();
}

double relative_error(const MatrixXd& found, const MatrixXd& expected) {
  return (found - expected).norm() / expected.norm();
}

/// At least h^3; on these bodies it is h^4.
TEST(CurvedElements, ConvergeInMassCentreAndInertia) {
  for (const Split split : {Split::none, Split::all}) {
    const auto plane_error = [&](int n) {
      return relative_error(moments(*quarter_ring(n, split)), moments_of_quarter_ring());
    };
    EXPECT_LT(plane_error(4), plane_error(2) / 10.0);
    EXPECT_LT(plane_error(4), 2e-4);
    const auto solid_error = [&](int n) {
      return relative_error(moments(*shell(n, split)), moments_of_shell());
    };
    EXPECT_LT(solid_error(4), solid_error(2) / 10.0);
    EXPECT_LT(solid_error(4), 3e-4);
  }
}

double lowest_frequency(const FlexibleBodySpec& spec) {
  FlexibleBody body(free_body(spec));
  return reduced(body, VectorXd::Ones(body.n_elements())).frequencies_hz[0];
}

/// The error is h^(2p) = h^4 on a free body, which has no singular corner; a much finer mesh tells the value.
TEST(QuadraticElements, ConvergeInFrequencyWithTheFourthPower) {
  const auto plane_body = [](int n) { return crank(5 * n, n, 1, false); };
  const auto solid_body = [](int n) { return bar({4 * n, n, n}, {0.2, 0.05, 0.03}, 1, false); };
  const double plane_value = lowest_frequency(on_quadratic_mesh(plane_body(8), Split::none, 0.0));
  const double solid_value = lowest_frequency(on_quadratic_mesh(solid_body(5), Split::none, 0.0));
  for (const Split split : {Split::none, Split::all}) {
    const auto plane_error = [&](int n) {
      return lowest_frequency(on_quadratic_mesh(plane_body(n), split, 0.0)) / plane_value - 1.0;
    };
    EXPECT_GT(plane_error(2), 0.0) << "from above";
    EXPECT_LT(plane_error(2), plane_error(1) / 10.0);
    const auto solid_error = [&](int n) {
      return lowest_frequency(on_quadratic_mesh(solid_body(n), split, 0.0)) / solid_value - 1.0;
    };
    EXPECT_GT(solid_error(3), 0.0) << "from above";
    // Of tetrahedra, the order is 3.1 from one to two elements across the section and 3.5 from two to three.
    EXPECT_LT(solid_error(3), solid_error(2) / std::pow(1.5, 3.3));
  }
}

/// The lowest bending frequency of a free beam of length L and height h, with shear and rotary inertia [Huang 1961]: the
/// lowest root b > 0 of
///
///     2 - 2 cosh(b alpha) cos(b beta) + b / sqrt(1 - b^2 r^2 s^2) (b^2 r^2 (r^2 - s^2)^2 + 3 r^2 - s^2) sinh(b alpha) sin(b beta)
///
/// with b^2 = rho A L^4 omega^2 / (E I), r^2 = I / (A L^2), s^2 = E I / (k A G L^2), k = 10 (1 + nu) / (12 + 11 nu), and
/// alpha^2, beta^2 = (-+ (r^2 + s^2) + sqrt((r^2 - s^2)^2 + 4 / b^2)) / 2.
double frequency_of_free_beam(double L, double h, const Material& material) {
  const double nu = material.poisson_ratio, k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
  const double r2 = h * h / (12.0 * L * L), s2 = r2 * 2.0 * (1.0 + nu) / k;
  const auto determinant = [&](double b) {
    const double root = std::hypot(r2 - s2, 2.0 / b);
    const double alpha = std::sqrt(0.5 * (root - r2 - s2)), beta = std::sqrt(0.5 * (root + r2 + s2));
    return 2.0 - 2.0 * std::cosh(b * alpha) * std::cos(b * beta) +
           b / std::sqrt(1.0 - b * b * r2 * s2) * (b * b * r2 * (r2 - s2) * (r2 - s2) + 3.0 * r2 - s2) *
               std::sinh(b * alpha) * std::sin(b * beta);
  };
  double below = 8.0, above = 22.4;  // 22.3733 of a slender beam
  while (above - below > 1e-10) {
    const double middle = 0.5 * (below + above);
    (determinant(middle) * determinant(below) > 0.0 ? below : above) = middle;
  }
  return below * h / (L * L) * std::sqrt(material.youngs_modulus / (12.0 * material.density)) / (2.0 * pi);
}

// The theory of beams itself is good to some (h / L)^4 and to what the width restrains.
TEST(QuadraticElements, OfAFreeBeamHaveTimoshenkosFrequency) {
  for (const double height : {0.01, 0.02}) {
    const FlexibleBodySpec beam = bar({16, 2, 2}, {0.2, 1.2 * height, height}, 1, false);
    const double expected = frequency_of_free_beam(0.2, height, beam.material);
    for (const Split split : {Split::none, Split::all})
      EXPECT_NEAR(lowest_frequency(on_quadratic_mesh(beam, split, 0.0)) / expected, 1.0, 2e-3) << height;
  }
}

/// Cook's membrane, 48 x (44 + 16): clamped at x = 0, sheared at x = 48.
TEST(QuadraticElements, BendCooksMembrane) {
  for (const Split split : {Split::none, Split::all}) {
    const auto mesh = quadratic_mesh(*free_mesh(unit_box(2, 16), split, 0.0), [](const Vector3d& x) {
      return Vector3d(48.0 * x[0], 44.0 * x[0] + x[1] * (44.0 - 28.0 * x[0]), 0.0);
    });
    std::vector<ElementMatrices> matrices;
    const auto element = make_element(mesh->kind_of(0), 1.0 / 3.0, 1.0, ElementType::standard);
    for (Index c = 0; c < mesh->n_classes(); ++c)
      matrices.push_back(element->matrices(mesh->class_corners(c)));
    const Assembly assembly(*mesh, mesh->nodes_in(plane(0, 0.0)), std::move(matrices));
    SparseMatrix K = assembly.stiffness_pattern();
    assembly.assemble_stiffness(VectorXd::Ones(mesh->n_elements()), K);
    VectorXd f = VectorXd::Zero(assembly.n_free_dofs());
    const NodeSet end = marker_nodes({"end", plane(0, 48.0), MarkerSpec::Weights::area}, *mesh);
    double length = 0.0, tip = 0.0;
    const auto place = [&](int node) { return Index{assembly.order().position_of(node)} * 2 + 1; };
    for (std::size_t i = 0; i < end.nodes.size(); ++i) {
      f[place(end.nodes[i])] = end.weights[i] / 16.0;
      length += end.weights[i];
    }
    EXPECT_NEAR(length, 16.0, 1e-12);
    const VectorXd u = Eigen::SimplicialLDLT<SparseMatrix>(K).solve(f);
    for (const int node : end.nodes) {
      if (std::abs(mesh->positions()(1, node) - 52.0) < 1e-9) tip = u[place(node)];
    }
    EXPECT_NEAR(tip, 23.96, 0.005 * 23.96);
  }
}

/// Nodal forces of a pressure on the edges at radius 1, outwards.
VectorXd pressure_forces(const Mesh& mesh, double pressure) {
  VectorXd f = VectorXd::Zero(2 * mesh.n_nodes());
  for (const ElementFace& face :
       faces_of(mesh, ElementSet(static_cast<std::size_t>(mesh.n_elements()), true))) {
    const std::vector<int> nodes = nodes_of(mesh, face);
    const MatrixXd x = mesh.positions()(Eigen::seqN(0, 2), nodes);
    if ((x.colwise().norm().array() > 1.0 + 1e-9).any()) continue;
    for (const auto& [xi, weight] : Edge3::mass_rule()) {
      const auto shape = Edge3::shape(xi);
      const Eigen::Vector2d tangent = x * shape.dN.transpose(), place = x * shape.N;
      Eigen::Vector2d normal(tangent[1], -tangent[0]);
      if (normal.dot(place) < 0.0) normal = -normal;
      for (std::size_t a = 0; a < nodes.size(); ++a)
        f.segment<2>(2 * nodes[a]) += pressure * weight * shape.N[static_cast<Index>(a)] * normal;
    }
  }
  return f;
}

/// Stresses xx, yy, xy in plane stress at a node of an element.
Vector3d stress_at(ElementKind kind, const MatrixXd& x, const MatrixXd& u, double E, double nu, Index node) {
  return with_kind(kind, [&]<class Kind>(Kind) -> Vector3d {
    if constexpr (Kind::dim == 2) {
      const auto dN = Kind::shape(reference_nodes(kind).col(node)).dN;
      const Eigen::Matrix2d J = dN * x.transpose(), G = u * (J.inverse() * dN).transpose();
      const double xx = G(0, 0), yy = G(1, 1);
      return E / (1.0 - nu * nu) *
             Vector3d(xx + nu * yy, yy + nu * xx, 0.5 * (1.0 - nu) * (G(0, 1) + G(1, 0)));
    }
    return Vector3d::Zero();
  });
}

/// Lame's thick tube a = 1, b = 2 under inner pressure p: the hoop stress at a is p (b^2 + a^2) / (b^2 - a^2) = 5/3 p.
TEST(QuadraticElements, GiveTheHoopStressOfAThickTube) {
  constexpr double E = 1.0, nu = 0.3, pressure = 1e-3;
  for (const Split split : {Split::none, Split::all}) {
    const auto error = [&](int n) {
      const auto mesh = quarter_ring(n, split);
      const Index n_dofs = 2 * mesh->n_nodes();
      MatrixXd K = MatrixXd::Zero(n_dofs, n_dofs);
      for (Index e = 0; e < mesh->n_elements(); ++e) {
        std::vector<Index> dofs;
        for (const int node : mesh->nodes_of(e)) dofs.insert(dofs.end(), {2 * node, 2 * node + 1});
        const Mesh::Points x = mesh->positions()(Eigen::all, mesh->nodes_of(e));
        K(dofs, dofs) +=
            E * make_element(mesh->kind_of(e), nu, 1.0, ElementType::standard)->matrices(x).stiffness;
      }
      std::vector<Index> free;
      for (Index i = 0; i < mesh->n_nodes(); ++i) {
        for (int d = 0; d < 2; ++d) {
          if (std::abs(mesh->positions()(d, i)) > 1e-9) free.push_back(2 * i + d);  // symmetry
        }
      }
      VectorXd u = VectorXd::Zero(n_dofs);
      const VectorXd f = pressure_forces(*mesh, pressure)(free);
      u(free) = MatrixXd(K(free, free)).ldlt().solve(f).eval();
      const MatrixXd by_node = u.reshaped(2, mesh->n_nodes());
      double largest = 0.0;
      for (Index e = 0; e < mesh->n_elements(); ++e) {
        const Mesh::Nodes nodes = mesh->nodes_of(e);
        for (Index a = 0; a < nodes.size(); ++a) {
          const Eigen::Vector2d x = mesh->positions().col(nodes[a]).head<2>();
          if (x.norm() > 1.0 + 1e-9) continue;
          const Vector3d s = stress_at(mesh->kind_of(e), mesh->positions()(Eigen::seqN(0, 2), nodes),
                                       by_node(Eigen::all, nodes), E, nu, a);
          const Eigen::Vector2d hoop(-x[1], x[0]);
          const double value =
              s[0] * hoop[0] * hoop[0] + s[1] * hoop[1] * hoop[1] + 2.0 * s[2] * hoop[0] * hoop[1];
          largest = std::max(largest, std::abs(value / (5.0 / 3.0 * pressure) - 1.0));
        }
      }
      return largest;
    };
    EXPECT_LT(error(8), 0.01);
    EXPECT_LT(error(8), error(4) / 3.0) << "stresses at nodes: h^2";
  }
}

}  // namespace
}  // namespace kurbel::fem::test
