/// @file
/// Every kind of element alone: its functions, mass, energy and derivatives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "base/errors.hpp"
#include "fem/shape_classes.hpp"
#include "fem/shape_functions.hpp"
#include "quadratic_meshes.hpp"
#include "reference_nodes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using ::testing::HasSubstr;

constexpr double poisson = 0.3, t = 0.02;

/// An affine image of the element of reference, of determinant det(A).
MatrixXd affine_map(int dim) {
  const MatrixXd A = MatrixXd::Identity(dim, dim) + 0.3 * random_matrix(dim, dim, 4);
  return A;
}
Corners affine_element(ElementKind kind) {
  const int dim = topology(kind).dim;
  Corners x = Corners::Zero(3, topology(kind).n_nodes);
  x.topRows(dim) = affine_map(dim) * reference_nodes(kind);
  return x;
}

/// All nodes moved, so that edges and faces of quadratic elements are curved.
Corners curved_element(ElementKind kind) {
  Corners x = affine_element(kind);
  x.topRows(topology(kind).dim) += 0.05 * random_matrix(topology(kind).dim, x.cols(), 6);
  return x;
}

VectorXd linear_field(const Corners& x, const MatrixXd& F) {
  return (F * x.topRows(F.rows())).reshaped();
}

class ElementOfKind : public testing::TestWithParam<ElementKind> {
 protected:
  const ElementKind kind = GetParam();
  const ElementTopology& shape = topology(kind);
  const int dim = shape.dim;
  const std::unique_ptr<const Element> element = make_element(kind, poisson, t, ElementType::standard);
};
std::vector<ElementKind> all_kinds() {
  std::vector<ElementKind> kinds;
  for (const ElementTopology& one : element_kinds()) kinds.push_back(one.kind);
  return kinds;
}

class EveryKind : public ElementOfKind {};
INSTANTIATE_TEST_SUITE_P(Of, EveryKind, testing::ValuesIn(all_kinds()),
                         [](const auto& info) { return std::string(topology(info.param).name); });

TEST_P(EveryKind, IsFoundByItsNumberInVtk) {
  EXPECT_EQ(kind_of_vtk(shape.vtk_type), kind);
  EXPECT_FALSE(kind_of_vtk(3));  // a line
}

TEST_P(EveryKind, HasTheCornersOfAKindWithoutOtherNodes) {
  const ElementTopology& linear = topology(with_corners_alone(kind));
  EXPECT_EQ(linear.n_nodes, shape.n_corners);
  for (std::size_t f = 0; f < shape.faces.size(); ++f) {
    const auto n = static_cast<std::ptrdiff_t>(shape.n_face_corners(f));
    EXPECT_EQ(linear.faces[f], std::vector<int>(shape.faces[f].begin(), shape.faces[f].begin() + n));
  }
}

TEST_P(EveryKind, HasFunctionsThatAreOneAtTheirNodesAndSumToOne) {
  with_kind(kind, [&]<class Kind>(Kind) {
    const MatrixXd nodes = reference_nodes(kind);
    for (int a = 0; a < Kind::n; ++a) {
      const auto N = Kind::shape(nodes.col(a)).N;
      EXPECT_LT((N - VectorXd::Unit(Kind::n, a)).norm(), 1e-15) << "node " << a;
    }
    for (const auto& rule : {Kind::stiffness_rule(), Kind::mass_rule()}) {
      for (const auto& [xi, weight] : rule) {
        EXPECT_GT(weight, 0.0);
        EXPECT_NEAR(Kind::shape(xi).N.sum(), 1.0, 1e-15);
        EXPECT_LT(Kind::shape(xi).dN.rowwise().sum().norm(), 1e-14);
      }
    }
  });
}

/// Along one coordinate the functions are parabolas, for which a central difference is exact.
TEST_P(EveryKind, HasFunctionsWithTheDerivativesOfDifferences) {
  with_kind(kind, [&]<class Kind>(Kind) {
    for (const auto& [xi, weight] : Kind::mass_rule()) {
      const auto dN = Kind::shape(xi).dN;
      for (int d = 0; d < Kind::dim; ++d) {
        auto above = xi, below = xi;
        above[d] += 0.5, below[d] -= 0.5;
        EXPECT_LT((Kind::shape(above).N - Kind::shape(below).N - dN.row(d).transpose()).norm(), 1e-14);
      }
    }
  });
}

TEST_P(EveryKind, HasFacesWhoseNodesLieOnThem) {
  const MatrixXd x = affine_element(kind).topRows(dim);
  for (const std::vector<int>& face : shape.faces) {
    // All nodes of a face lie in one plane, in 2D on one line, which no other node touches.
    MatrixXd spread = x(Eigen::all, face);
    const VectorXd first = spread.col(0);
    spread.colwise() -= first;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(spread * spread.transpose());
    const VectorXd normal = eigen.eigenvectors().col(0);
    EXPECT_LT((normal.transpose() * spread).norm(), 1e-14);
    Index on_face = 0;
    for (Index a = 0; a < x.cols(); ++a) on_face += std::abs(normal.dot(x.col(a) - first)) < 1e-9;
    EXPECT_EQ(on_face, std::ssize(face));
  }
}

TEST_P(EveryKind, StoresNoEnergyInRigidMotionsAndInNothingElse) {
  for (const Corners& x : {affine_element(kind), curved_element(kind)}) {
    const MatrixXd k = element->matrices(x).stiffness;
    const VectorXd values = Eigen::SelfAdjointEigenSolver<MatrixXd>(k).eigenvalues();
    const Index n_rigid = dim == 2 ? 3 : 6;
    EXPECT_LT(values.head(n_rigid).cwiseAbs().maxCoeff(), 1e-14 * values.maxCoeff());
    EXPECT_GT(values[n_rigid], 1e-3 * values.maxCoeff());
    MatrixXd spin = random_matrix(dim, dim, 2);
    spin -= spin.transpose().eval();
    const VectorXd u = linear_field(x, spin);
    EXPECT_LT((k * u).norm(), 1e-14 * k.norm() * u.norm());
  }
}

/// int f over the element of reference of f = x^i y^j z^k, divided by (1 - z)^m on a pyramid of height 1 with the base
/// [-1, 1]^2.
double integral(ElementKind kind, std::array<int, 3> i, int m = 0) {
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  const auto along = [](int n) { return n % 2 == 0 ? 2.0 / (n + 1) : 0.0; };
  const auto simplex = [&](std::array<int, 3> n, int dim) {
    return factorial(n[0]) * factorial(n[1]) * factorial(n[2]) / factorial(n[0] + n[1] + n[2] + dim);
  };
  switch (kind) {
    case ElementKind::tri3:
    case ElementKind::tri6:
      return simplex({i[0], i[1], 0}, 2);
    case ElementKind::tet4:
    case ElementKind::tet10:
      return simplex(i, 3);
    case ElementKind::quad4:
    case ElementKind::quad8:
      return along(i[0]) * along(i[1]);
    case ElementKind::hex8:
    case ElementKind::hex20:
      return along(i[0]) * along(i[1]) * along(i[2]);
    case ElementKind::wedge6:
      return simplex({i[0], i[1], 0}, 2) * along(i[2]);
    case ElementKind::pyramid5:
      return along(i[0]) * along(i[1]) * std::beta(i[2] + 1.0, i[0] + i[1] + 3.0 - m);
  }
  return 0.0;
}

/// Exponents of monomials that span the functions of a kind.
std::vector<std::array<int, 3>> monomials(ElementKind kind) {
  const int dim = topology(kind).dim;
  std::vector<std::array<int, 3>> all;
  for (int i = 0; i <= 2; ++i) {
    for (int j = 0; j <= 2; ++j) {
      for (int k = 0; k <= (dim == 3 ? 2 : 0); ++k) {
        const int degree = i + j + k, most = std::max({i, j, k});
        const int n_quadratic = (i == 2) + (j == 2) + (k == 2);
        const bool is_in = [&] {
          switch (kind) {
            case ElementKind::tri3:
            case ElementKind::tet4:
              return degree <= 1;
            case ElementKind::quad4:
            case ElementKind::hex8:
              return most <= 1;
            case ElementKind::tri6:
            case ElementKind::tet10:
              return degree <= 2;
            case ElementKind::quad8:
            case ElementKind::hex20:
              return n_quadratic <= 1;
            case ElementKind::wedge6:
              return i + j <= 1 && k <= 1;
            case ElementKind::pyramid5:
              return degree <= 1 || (i == 1 && j == 1 && k == 0);  // x y stands for x y / (1 - z)
          }
          return false;
        }();
        if (is_in) all.push_back({i, j, k});
      }
    }
  }
  return all;
}

/// With the values V of functions f_a at the nodes, V^T m V is int f_a f_b.
TEST_P(EveryKind, HasTheExactMassWhereItMapsAffinely) {
  const std::vector<std::array<int, 3>> f = monomials(kind);
  const Index n = shape.n_nodes;
  ASSERT_EQ(std::ssize(f), n);
  const bool is_pyramid = kind == ElementKind::pyramid5;
  MatrixXd x = MatrixXd::Zero(3, n);
  x.topRows(dim) = reference_nodes(kind);
  if (is_pyramid) x.row(2) << 0.0, 0.0, 0.0, 0.0, 1.0;
  MatrixXd V(n, n), expected(n, n);
  for (Index a = 0; a < n; ++a) {
    const auto& p = f[static_cast<std::size_t>(a)];
    const bool is_rational_a = is_pyramid && p[0] == 1 && p[1] == 1;
    for (Index i = 0; i < n; ++i)
      V(i, a) = std::pow(x(0, i), p[0]) * std::pow(x(1, i), p[1]) * std::pow(x(2, i), p[2]);
    for (Index b = 0; b < n; ++b) {
      const auto& q = f[static_cast<std::size_t>(b)];
      const bool is_rational_b = is_pyramid && q[0] == 1 && q[1] == 1;
      expected(a, b) =
          integral(kind, {p[0] + q[0], p[1] + q[1], p[2] + q[2]}, int{is_rational_a} + int{is_rational_b});
    }
  }
  Corners places = Corners::Zero(3, n);
  const MatrixXd A = affine_map(dim);
  places.topRows(dim) = A * x.topRows(dim);
  const double factor = A.determinant() * (dim == 2 ? t : 1.0);
  const MatrixXd m = element->matrices(places).mass;
  EXPECT_LT((V.transpose() * m * V - factor * expected).norm(), 1e-14 * factor * expected.norm());
  EXPECT_NEAR(element_measure(kind, places), A.determinant() * integral(kind, {0, 0, 0}), 1e-14);
}

TEST_P(EveryKind, HasTheStressOfALinearField) {
  const Corners x = curved_element(kind);
  const MatrixXd F = random_matrix(dim, dim, 3);
  const MatrixXd strain = 0.5 * (F + F.transpose());
  const double lambda =
      dim == 3 ? poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) : poisson / (1.0 - poisson * poisson);
  const MatrixXd sigma = lambda * strain.trace() * MatrixXd::Identity(dim, dim) + strain / (1.0 + poisson);
  VectorXd expected(3 * (dim - 1));
  if (dim == 2) {
    expected << sigma(0, 0), sigma(1, 1), sigma(0, 1);
  } else {
    expected << sigma(0, 0), sigma(1, 1), sigma(2, 2), sigma(1, 2), sigma(2, 0), sigma(0, 1);
  }
  const VectorXd u = linear_field(x, F);
  EXPECT_LT((element->centre_stress(x) * u - expected).norm(), 1e-13 * expected.norm());
  double volume = 0.0;
  for (const StressPoint& point : element->stress_points(x)) {
    EXPECT_LT((point.stress * u - expected).norm(), 1e-13 * expected.norm());
    volume += point.weight;
  }
  const double energy = (u.transpose() * element->matrices(x).stiffness * u).value();
  EXPECT_NEAR(energy, volume * sigma.cwiseProduct(strain).sum(), 1e-13 * energy);
}

/// Rigid motions and stretching change k and m in a way that is known.
TEST_P(EveryKind, HasDerivativesThatFollowFromTranslationRotationAndScale) {
  const Corners corners = curved_element(kind);
  const MatrixXd x = corners.topRows(dim);
  const ElementMatrices at = element->matrices(corners);
  const ElementDerivatives derivatives = differentiate_element(*element, corners, dim);
  const auto along = [](const std::vector<MatrixXd>& by_coordinate, const MatrixXd& direction) {
    MatrixXd sum = MatrixXd::Zero(by_coordinate[0].rows(), by_coordinate[0].cols());
    for (std::size_t c = 0; c < by_coordinate.size(); ++c)
      sum += direction.reshaped()[static_cast<Index>(c)] * by_coordinate[c];
    return sum;
  };
  const double k = at.stiffness.norm(), m = at.mass.norm();
  const MatrixXd shift = VectorXd::LinSpaced(dim, 1.0, 2.0).replicate(1, x.cols());
  EXPECT_LT(along(derivatives.stiffness, shift).norm(), 1e-12 * k);
  EXPECT_LT(along(derivatives.mass, shift).norm(), 1e-12 * m);
  EXPECT_LT((along(derivatives.stiffness, x) - (dim - 2) * at.stiffness).norm(), 1e-12 * k);
  EXPECT_LT((along(derivatives.mass, x) - dim * at.mass).norm(), 1e-12 * m);
  MatrixXd spin = random_matrix(dim, dim, 2);
  spin -= spin.transpose().eval();
  MatrixXd turn = MatrixXd::Zero(x.size(), x.size());
  for (Index a = 0; a < x.cols(); ++a) turn.block(a * dim, a * dim, dim, dim) = spin;
  const MatrixXd turned = turn * at.stiffness - at.stiffness * turn;
  EXPECT_LT((along(derivatives.stiffness, spin * x) - turned).norm(), 1e-12 * k);
  EXPECT_LT(along(derivatives.mass, spin * x).norm(), 1e-12 * m);
}

TEST_P(EveryKind, HasIncompatibleModesOnlyAsALinearQuadrilateralOrHexahedron) {
  const auto incompatible = make_element(kind, poisson, t, ElementType::incompatible);
  const Corners x = affine_element(kind);
  const double change = (incompatible->matrices(x).stiffness - element->matrices(x).stiffness).norm();
  EXPECT_EQ(change > 0.0, kind == ElementKind::quad4 || kind == ElementKind::hex8);
}

TEST_P(EveryKind, IsRefusedWithItsNumberWhenInverted) {
  Corners x = affine_element(kind);
  x.row(dim - 1) *= -1.0;
  const Corners good = affine_element(kind);
  Corners both(3, 2 * x.cols());
  both << good, x;
  Eigen::MatrixXi nodes(x.cols(), 2);
  nodes.reshaped() = Eigen::VectorXi::LinSpaced(both.cols(), 0, static_cast<int>(both.cols()) - 1);
  try {
    Mesh(dim, both, {{kind, nodes}});
    FAIL() << "an inverted element was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("element 1 (" + std::string(shape.name) + ") is inverted"));
  }
}

class QuadraticKind : public ElementOfKind {};
INSTANTIATE_TEST_SUITE_P(Of, QuadraticKind,
                         testing::Values(ElementKind::tri6, ElementKind::quad8, ElementKind::tet10,
                                         ElementKind::hex20),
                         [](const auto& info) { return std::string(topology(info.param).name); });

/// The corners are in order, but an edge is folded near one of its ends.
TEST_P(QuadraticKind, IsRefusedIfOneMiddleNodeFoldsIt) {
  Corners x = affine_element(kind);
  EXPECT_GT(element_measure(kind, x), 0.0);
  const auto [from, to] = shape.edges[0];
  x.col(shape.n_corners) = 0.02 * x.col(from) + 0.98 * x.col(to);
  EXPECT_TRUE(std::isnan(element_measure(kind, x)));
}

/// The patch test: with a linear field on the boundary of a patch, the nodes within take it, too.
void expect_linear_field_within(const Mesh& mesh) {
  const int dim = mesh.dim();
  const Index n = mesh.n_nodes() * dim;
  MatrixXd K = MatrixXd::Zero(n, n);
  std::vector<VectorXd> stresses;
  const MatrixXd F = random_matrix(dim, dim, 8);
  const VectorXd expected = linear_field(mesh.positions(), F);
  std::vector<std::unique_ptr<const Element>> elements;
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    const auto element = make_element(mesh.kind_of(e), poisson, t, ElementType::standard);
    std::vector<Index> dofs;
    for (const int node : mesh.nodes_of(e)) {
      for (int d = 0; d < dim; ++d) dofs.push_back(node * dim + d);
    }
    const Mesh::Points x = mesh.positions()(Eigen::all, mesh.nodes_of(e));
    K(dofs, dofs) += element->matrices(x).stiffness;
    stresses.push_back(element->centre_stress(x) * expected(dofs));
  }
  for (const VectorXd& stress : stresses)
    EXPECT_LT((stress - stresses[0]).norm(), 1e-12 * stresses[0].norm());
  std::vector<Index> within, boundary;
  for (Index i = 0; i < mesh.n_nodes(); ++i) {
    const auto x = mesh.positions().col(i).head(dim).array();
    const bool is_within = (x > 1e-9 && x < 1.0 - 1e-9).all();
    for (int d = 0; d < dim; ++d) (is_within ? within : boundary).push_back(i * dim + d);
  }
  ASSERT_FALSE(within.empty());
  const VectorXd u = MatrixXd(K(within, within)).ldlt().solve(-K(within, boundary) * expected(boundary));
  EXPECT_LT((u - expected(within)).norm(), 1e-12 * expected.norm());
}

TEST(PatchTest, IsPassedByDistortedElementsOfEveryKindAndMixture) {
  for (const int dim : {2, 3}) {
    for (const Split split : {Split::none, Split::every_other, Split::all}) {
      if (dim == 3 && split == Split::every_other) continue;  // faces would not match
      SCOPED_TRACE(testing::Message() << dim << "D, split " << static_cast<int>(split));
      const auto linear = free_mesh(unit_box(dim, dim == 2 ? 3 : 2), split, 0.2);
      expect_linear_field_within(*linear);
      expect_linear_field_within(*quadratic_mesh(*linear));
    }
  }
}

TEST(PatchTest, IsPassedByHexahedraWedgesPyramidsAndTetrahedraTogether) {
  const auto mesh = mesh_of_all_linear_solids();
  EXPECT_EQ(mesh->blocks().size(), 4u);
  EXPECT_NEAR(mesh->volumes().sum(), 1.0, 1e-14);
  expect_linear_field_within(*mesh);
}

}  // namespace
}  // namespace kurbel::fem::test
