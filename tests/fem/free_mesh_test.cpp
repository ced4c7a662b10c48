/// @file
/// Bodies on meshes that are no boxes: triangles, tetrahedra, mixtures, elements of any shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <random>
#include <set>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "fem/faces.hpp"
#include "free_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using ::testing::HasSubstr;

constexpr double poisson = 0.3, t = 0.02;

/// A triangle or tetrahedron of no special shape.
Corners simplex(int dim) {
  Corners x = Corners::Zero(3, dim + 1);
  if (dim == 2) {
    x.topRows(2) << 0.1, 1.2, 0.4, 0.2, 0.1, 0.9;
  } else {
    x << 0.1, 1.2, 0.4, 0.3, 0.2, 0.1, 0.9, 0.3, -0.1, 0.2, 0.1, 1.1;
  }
  return x;
}

class SimplexElement : public testing::TestWithParam<int> {
 protected:
  const int dim = GetParam();
  const Corners x = simplex(dim);
  const ElementKind kind = dim == 2 ? ElementKind::tri3 : ElementKind::tet4;
  const std::unique_ptr<const Element> element = make_element(kind, poisson, t, ElementType::standard);
};
INSTANTIATE_TEST_SUITE_P(InTheDimension, SimplexElement, testing::Values(2, 3));

TEST_P(SimplexElement, StoresNoEnergyInRigidMotionsAndInNothingElse) {
  const VectorXd values =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(element->matrices(x).stiffness).eigenvalues();
  const Index n_rigid = dim == 2 ? 3 : 6;
  EXPECT_LT(values.head(n_rigid).cwiseAbs().maxCoeff(), 1e-14 * values.maxCoeff());
  EXPECT_GT(values[n_rigid], 1e-3 * values.maxCoeff());
}

/// V (1 + delta_ab) / ((dim + 1) (dim + 2)).
TEST_P(SimplexElement, HasTheExactMassMatrix) {
  MatrixXd edges = x.topRows(dim).rightCols(dim);
  edges.colwise() -= x.topRows(dim).col(0);
  const double volume = edges.determinant() / (dim == 2 ? 2.0 / t : 6.0);
  const Index n = dim + 1;
  const MatrixXd expected =
      volume / static_cast<double>(n * (n + 1)) * (MatrixXd::Ones(n, n) + MatrixXd::Identity(n, n));
  EXPECT_LT((element->matrices(x).mass - expected).norm(), 1e-14 * expected.norm());
  EXPECT_NEAR(element_measure(kind, x) * (dim == 2 ? t : 1.0), volume, 1e-15);
}

TEST_P(SimplexElement, HasTheStressOfALinearField) {
  const MatrixXd F = random_matrix(dim, dim, 3);
  const VectorXd u = (F * x.topRows(dim)).reshaped();
  const VectorXd stress = element->centre_stress(x) * u;
  const VectorXd energy = u.transpose() * element->matrices(x).stiffness * u;
  VectorXd strain(3 * (dim - 1));
  if (dim == 2) {
    strain << F(0, 0), F(1, 1), F(0, 1) + F(1, 0);
  } else {
    strain << F(0, 0), F(1, 1), F(2, 2), F(1, 2) + F(2, 1), F(2, 0) + F(0, 2), F(0, 1) + F(1, 0);
  }
  const double volume = element->matrices(x).mass.sum();
  EXPECT_NEAR(energy[0], volume * stress.dot(strain), 1e-13 * std::abs(energy[0]));
}

/// Boxes of the crank and of a bar, whole and split.
class FreeMesh : public testing::TestWithParam<std::tuple<int, Split>> {
 protected:
  const int dim = std::get<0>(GetParam());
  const Split split = std::get<1>(GetParam());
  const FlexibleBodySpec box = dim == 2 ? crank(10, 4, 3, true) : bar({5, 3, 2}, {0.2, 0.05, 0.03}, 3, true);
};
INSTANTIATE_TEST_SUITE_P(Of, FreeMesh,
                         testing::Values(std::tuple(2, Split::none), std::tuple(2, Split::every_other),
                                         std::tuple(2, Split::all), std::tuple(3, Split::none),
                                         std::tuple(3, Split::all)));

/// A linear field is in every finite-element space: what the moments of mass of rigid motions are made of.
TEST_P(FreeMesh, HasMassCentreAndInertiaOfTheBox) {
  FlexibleBody free(on_free_mesh(box, split)), boxed(box);
  const Sid sid = reduced(free, VectorXd::Ones(free.n_elements())).sid;
  const Sid expected = reduced(boxed, VectorXd::Ones(boxed.n_elements())).sid;
  EXPECT_NEAR(sid.refmod.mass, expected.refmod.mass, 1e-12 * expected.refmod.mass);
  // Two points along an axis are exact for the square of a linear field on anything but warped hexahedra.
  const double accuracy = dim == 3 && split == Split::none ? 1e-6 : 1e-12;
  EXPECT_LT((sid.mdCM.M0 - expected.mdCM.M0).norm(), 1e-12 * expected.mdCM.M0.norm());
  EXPECT_LT((sid.J.M0 - expected.J.M0).norm(), accuracy * expected.J.M0.norm());
}

/// A patch test on the whole body: a stretched bar without lateral contraction has one stress.
TEST_P(FreeMesh, StretchesWithTheStressOfABar) {
  FlexibleBodySpec spec = on_free_mesh(box, split);
  spec.n_normal_modes = 0;
  spec.material.poisson_ratio = 0.0;
  spec.attachments = {{spec.markers[0].name, {true, false, false}, {}}};
  spec.markers[0].weights = MarkerSpec::Weights::area;
  FlexibleBody body(spec);
  const ReducedBody r = reduced(body, VectorXd::Ones(body.n_elements()));
  const Vector3d size = box.mesh.size;
  const double area = dim == 2 ? size[1] * box.mesh.thickness : size[1] * size[2];
  const double stiffness = box.material.youngs_modulus * area / size[0];
  const double phi = r.markers[0].Phi(0, 0);
  EXPECT_NEAR(phi * phi / r.lambda[0], 1.0 / stiffness, 1e-12 / stiffness);
}

/// The same quadrilaterals and hexahedra, every one with a shape of its own.
TEST(FreeMeshes, OfABoxesElementsIsTheBox) {
  for (const FlexibleBodySpec& box : {crank(10, 4, 3, true), bar({5, 3, 2}, {0.2, 0.05, 0.03}, 3, true)}) {
    FlexibleBody free(on_free_mesh(box, Split::none, 0.0)), boxed(box);
    const VectorXd rho = random_densities(free.n_elements(), 0.2, 5);
    const ReducedBody a = reduced(free, rho), b = reduced(boxed, rho);
    EXPECT_LT((a.lambda - b.lambda).cwiseQuotient(b.lambda).norm(), 1e-10);
    EXPECT_NEAR(free.mass(rho), boxed.mass(rho), 1e-13 * boxed.mass(rho));
    EXPECT_LT((free.mesh().centres() - boxed.mesh().centres()).norm(), 1e-15);
  }
}

TEST_P(FreeMesh, HasBitsThatDoNotDependOnThreads) {
  FlexibleBodySpec spec =
      on_free_mesh(dim == 2 ? crank(60, 20, 3, true) : bar({12, 8, 6}, {0.2, 0.05, 0.03}, 3, true), split);
  spec.geometric_stiffening = true;
  const int before = threads();
  std::vector<Sid> sids;
  for (const int n : {1, 3}) {
    set_threads(n);
    FlexibleBody body(spec);
    sids.push_back(reduced(body, random_densities(body.n_elements(), 0.2, 5)).sid);
  }
  set_threads(before);
  EXPECT_EQ(sids[0].Ke.M0, sids[1].Ke.M0);
  EXPECT_EQ(sids[0].Ct.M1, sids[1].Ct.M1);
}

/// Linear triangles converge from above; their error falls with the square of their size.
TEST(FreeMeshes, FrequenciesOfTrianglesConvergeToThoseOfFineQuadrilaterals) {
  const auto frequency = [](const FlexibleBodySpec& spec) {
    FlexibleBody body(spec);
    return reduced(body, VectorXd::Ones(body.n_elements())).frequencies_hz[0];
  };
  FlexibleBodySpec fine = crank(160, 32, 1, false);
  fine.mesh.element = ElementType::incompatible;
  const double expected = frequency(fine);
  const auto error = [&](int n) {
    return frequency(on_free_mesh(crank(5 * n, n, 1, false), Split::all, 0.0)) / expected - 1.0;
  };
  EXPECT_GT(error(8), 0.0);
  EXPECT_LT(error(16), 0.35 * error(8));
}

TEST(MeshColours, ShareNoNodeAndHaveEveryRunOnce) {
  const auto mesh = free_mesh(crank(80, 30, 1, false).mesh, Split::all, 0.2);
  // Elements in any order, as mesh generators number them.
  std::vector<int> order(static_cast<std::size_t>(mesh->n_elements()));
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<int>(e);
  std::ranges::shuffle(order, std::mt19937(3));
  Eigen::MatrixXi nodes(3, mesh->n_elements());
  for (Index e = 0; e < nodes.cols(); ++e) nodes.col(e) = mesh->nodes_of(order[static_cast<std::size_t>(e)]);
  const Mesh shuffled(2, mesh->positions(), {{ElementKind::tri3, nodes}});
  for (const Mesh* tried : {mesh.get(), &shuffled}) {
    const Batches& batches = tried->batches();
    std::set<Index> all;
    for (const auto& colour : batches.colours) {
      std::set<int> of_colour;
      for (const Index run : colour) {
        EXPECT_TRUE(all.insert(run).second);
        std::set<int> own;
        const auto r = static_cast<std::size_t>(run);
        for (Index e = batches.begin[r]; e < batches.begin[r + 1]; ++e) {
          for (const int node : tried->nodes_of(e)) own.insert(node);
        }
        for (const int node : own) EXPECT_TRUE(of_colour.insert(node).second) << "run " << run;
      }
    }
    EXPECT_EQ(std::ssize(all), batches.size());
  }
}

TEST(MarkerWeights, ByAreaAreThoseOfTheTrapezoidalRule) {
  MeshSpec box = bar({3, 2, 2}, {0.3, 0.2, 0.4}, 1, false).mesh;
  const Mesh mesh(box);
  const NodeSet end = marker_nodes({"end", plane(0, 0.3), MarkerSpec::Weights::area}, mesh);
  ASSERT_EQ(end.nodes.size(), 9u);
  const double quarter = 0.1 * 0.2 / 4.0;
  for (std::size_t i = 0; i < 9; ++i) {
    const double expected = quarter * (i % 3 == 1 ? 2.0 : 1.0) * (i / 3 == 1 ? 2.0 : 1.0);
    EXPECT_NEAR(end.weights[i], expected, 1e-15);
  }
}

/// The mean of a linear field over a surface is its value in the centroid, wherever the nodes are.
TEST(MarkerWeights, ByAreaMeasureTheSurfaceAndNotItsNodes) {
  for (const Split split : {Split::none, Split::all}) {
    const auto mesh = free_mesh(bar({3, 4, 4}, {0.3, 0.2, 0.4}, 1, false).mesh, split, 0.3);
    const NodeOrder order(mesh->n_nodes(), {});
    const auto mean = [&](MarkerSpec::Weights weights) {
      const NodeSet set = marker_nodes({"end", plane(0, 0.3), weights}, *mesh);
      return MarkerOperator("end", set, mesh->positions(), 3, order).position();
    };
    EXPECT_LT((mean(MarkerSpec::Weights::area) - Vector3d(0.3, 0.0, 0.0)).norm(), 1e-15);
    EXPECT_GT((mean(MarkerSpec::Weights::equal) - Vector3d(0.3, 0.0, 0.0)).norm(), 5e-4);
  }
}

/// A rigid motion of the nodes is read off as it is, for any weights.
TEST(MarkerWeights, LeaveRigidMotionsExact) {
  const auto mesh = free_mesh(bar({3, 4, 4}, {0.3, 0.2, 0.4}, 1, false).mesh, Split::all, 0.3);
  const NodeOrder order(mesh->n_nodes(), {});
  const MarkerOperator end("end", marker_nodes({"end", plane(0, 0.3), MarkerSpec::Weights::area}, *mesh),
                           mesh->positions(), 3, order);
  const Vector3d u(0.1, -0.2, 0.3), theta(0.4, 0.5, -0.6);
  NodalFields fields(mesh->n_nodes(), 3);
  for (Index i = 0; i < mesh->n_nodes(); ++i) {
    const Vector3d r = mesh->positions().col(order.node_at(i)) - end.position();
    fields.row(i) = (u + theta.cross(r)).transpose();
  }
  MatrixXd Phi, Psi;
  end.apply(fields, 0, 3, Phi, Psi);
  EXPECT_LT((Phi - u).norm(), 1e-15);
  EXPECT_LT((Psi - theta).norm(), 1e-14);
}

TEST(MarkerWeights, WithinTheBodyAreVolumes) {
  const Mesh mesh(bar({4, 2, 2}, {0.4, 0.2, 0.2}, 1, false).mesh);
  Box middle = plane(0, 0.2);
  middle.lower[1] = middle.upper[1] = 0.0;
  const NodeSet set = marker_nodes({"middle", middle, MarkerSpec::Weights::area}, mesh);
  ASSERT_EQ(set.nodes.size(), 3u);
  EXPECT_NEAR(set.weights[1], 2.0 * set.weights[0], 1e-15);
}

std::string error_of(int dim, const Mesh::Points& x, const std::vector<ElementBlock>& blocks) {
  try {
    Mesh(dim, x, blocks);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(UnusableMeshes, AreRefusedWithTheElementsNumber) {
  Mesh::Points x = Mesh::Points::Zero(3, 5);
  x.topRows(2) << 0.0, 1.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 1.0, 0.0;
  const auto triangles = [](std::initializer_list<int> nodes) {
    return std::vector<ElementBlock>{
        {ElementKind::tri3, Eigen::Map<const Eigen::MatrixXi>(std::data(nodes), 3, std::ssize(nodes) / 3)}};
  };
  EXPECT_EQ(error_of(2, x, triangles({0, 1, 2, 0, 2, 3, 1, 4, 2})), "");
  EXPECT_THAT(error_of(2, x, triangles({0, 1, 2, 0, 3, 2, 1, 4, 2})),
              HasSubstr("element 1 (tri3) is inverted"));
  EXPECT_THAT(error_of(2, x, triangles({0, 1, 2, 0, 1, 4})),
              HasSubstr("element 1 (tri3) is inverted or degenerate"));
  EXPECT_THAT(error_of(2, x, triangles({0, 1, 2, 0, 2, 7})),
              HasSubstr("element 1 has a node that does not exist"));
  EXPECT_THAT(error_of(2, x, triangles({0, 1, 2, 0, 2, 3})), HasSubstr("node 4 belongs to no element"));
  EXPECT_THAT(error_of(3, x, triangles({0, 1, 2})), HasSubstr("tri3 belong to 2 dimensions"));
  EXPECT_THAT(error_of(2, x, {}), HasSubstr("no element"));
}

/// Two plates that share a corner alone: the one away from the clamp turns about it without stiffness.
TEST(UnusableMeshes, NameTheRegionThatIsLoose) {
  Mesh::Points x = Mesh::Points::Zero(3, 7);
  x.topRows(2) << 0.0, 1.0, 1.0, 0.0, 2.0, 2.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0;
  Eigen::MatrixXi nodes(4, 2);
  nodes << 0, 2, 1, 4, 2, 5, 3, 6;
  FlexibleBodySpec spec = crank(1, 1, 1, false);
  spec.mesh = spec_of_given(
      std::make_shared<const Mesh>(2, x, std::vector<ElementBlock>{{ElementKind::quad4, nodes}}));
  spec.markers = {marker("pin", plane(0, 1.0))};
  try {
    FlexibleBody body(spec);
    FAIL() << "a loose element was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bodies.crank.mesh: 1 of 2 elements around (1.5, 1.5, 0)"));
    EXPECT_THAT(error.what(), HasSubstr("is not joined to the clamp by common edges"));
  }
}

}  // namespace
}  // namespace kurbel::fem::test
