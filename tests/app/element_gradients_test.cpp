/// @file
/// Gradients of a running mechanism whose body has a mesh from a file, on elements of each kind, with each tie of its marker.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <tuple>
#include <vector>

#include "base/files.hpp"
#include "design_functions.hpp"
#include "parts/abaqus_writer.hpp"
#include "quadratic_meshes.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using Eigen::Index;
using fem::ElementKind;
using fem::Mesh;
using fem::test::Split;

/// Each hexahedron of a mesh as two wedges.
std::shared_ptr<const Mesh> wedges_of(const Mesh& hexahedra) {
  Eigen::MatrixXi nodes(6, 2 * hexahedra.n_elements());
  for (Index e = 0; e < hexahedra.n_elements(); ++e) {
    const Mesh::Nodes of = hexahedra.nodes_of(e);
    nodes.col(2 * e) = of(std::vector{0, 2, 1, 4, 6, 5});
    nodes.col(2 * e + 1) = of(std::vector{0, 3, 2, 4, 7, 6});
  }
  return std::make_shared<const Mesh>(3, hexahedra.positions(),
                                      std::vector<fem::ElementBlock>{{ElementKind::wedge6, nodes}});
}

/// Each hexahedron of a mesh as six pyramids around its centre.
std::shared_ptr<const Mesh> pyramids_of(const Mesh& hexahedra) {
  const std::vector<std::vector<int>> bases = {{0, 1, 2, 3}, {0, 4, 5, 1}, {1, 5, 6, 2},
                                               {3, 2, 6, 7}, {0, 3, 7, 4}, {4, 7, 6, 5}};
  const Index n = hexahedra.positions().cols();
  Mesh::Points x(3, n + hexahedra.n_elements());
  x << hexahedra.positions(), hexahedra.centres();
  Eigen::MatrixXi nodes(5, 6 * hexahedra.n_elements());
  for (Index i = 0; i < nodes.cols(); ++i) {
    nodes.col(i).head<4>() = hexahedra.nodes_of(i / 6)(bases[static_cast<std::size_t>(i % 6)]);
    nodes(4, i) = static_cast<int>(n + i / 6);
  }
  return std::make_shared<const Mesh>(3, x, std::vector<fem::ElementBlock>{{ElementKind::pyramid5, nodes}});
}

/// An arm of 0.2 x 0.05 (x 0.03) m with its inner nodes moved.
std::shared_ptr<const Mesh> arm_of(ElementKind kind) {
  const int dim = fem::topology(kind).dim;
  fem::MeshSpec box;
  box.dim = dim;
  box.size = {0.2, 0.05, dim == 3 ? 0.03 : 0.01};
  box.divisions = {3, 2, dim == 3 ? 2 : 1};
  const auto linear = [&](Split split) { return fem::test::free_mesh(box, split, 0.2); };
  switch (kind) {
    case ElementKind::tri3:
    case ElementKind::tet4:
      return linear(Split::all);
    case ElementKind::quad4:
    case ElementKind::hex8:
      return linear(Split::none);
    case ElementKind::tri6:
    case ElementKind::tet10:
      return fem::test::quadratic_mesh(*linear(Split::all));
    case ElementKind::quad8:
    case ElementKind::hex20:
      return fem::test::quadratic_mesh(*linear(Split::none));
    case ElementKind::wedge6:
      return wedges_of(*linear(Split::none));
    case ElementKind::pyramid5:
      return pyramids_of(*linear(Split::none));
  }
  throw std::invalid_argument("there is no arm of such elements");
}

/// The arm turns about its clamped end; its other end is pushed and twisted. Functions are of stiffness, inertia and stress.
const char* const problem = R"([bodies.arm]
type = "flexible"
mesh = {{ file = "{file}"{thickness} }}
material = {{ youngs_modulus = 1e9, poisson_ratio = 0.3, density = 1000.0 }}
clamp = {{ x = 0.0 }}
markers = {{ pin = {{ x = 0.2, tie = "{tie}" }} }}
modes = {{ normal = 3 }}
[joints.hub]
type = "revolute"
from = "ground"
to = "arm"
drive = {{ dof = "rz", type = "constant-rate", rate = "600 rpm" }}
[loads.push]
marker = "arm.pin"
force = [1.0, 2.0, 0.0]
torque = [0.0, 0.0, 0.1]
[integrator]
t1 = 0.004
step = 5e-4
[objective]
type = "integral-compliance"
body = "arm"
[constraints.criteria.energy]
type = "kinetic-energy"
body = "arm"
time = "mean"
lower = 1e-3
[constraints.criteria.sag]
type = "displacement"
marker = "arm.pin"
component = "y"
time = "final"
upper = 1e-3
[constraints.criteria.stress]
type = "von-mises"
body = "arm"
time = "p-norm"
exponent = 8
upper = 1e6
[design]
start = 0.6
)";

class ElementGradients : public testing::TestWithParam<std::tuple<ElementKind, std::string>> {};

TEST_P(ElementGradients, EqualDifferencesAndLeaveARemainderOfSecondOrder) {
  const auto& [kind, tie] = GetParam();
  const auto mesh = arm_of(kind);
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "arm.inp";
  write_abaqus(file, *mesh, "arm", 1.0);
  test::ProgramOfText program(
      fmt::format(fmt::runtime(problem), fmt::arg("file", file.string()), fmt::arg("tie", tie),
                  fmt::arg("thickness", mesh->dim() == 2 ? ", thickness = 0.01" : "")));
  ASSERT_EQ(program.x.size(), mesh->n_elements());
  const VectorXd x = fem::test::random_densities(program.x.size(), 0.4, 7);
  const test::Functions at = test::functions_at(program.nlp, x);
  ASSERT_EQ(at.values.size(), 4);
  for (const int seed : {11, 12}) {
    const VectorXd d = fem::test::random_densities(x.size(), 0.0, seed) - VectorXd::Constant(x.size(), 0.5);
    const VectorXd slope = at.gradients * d;
    const auto remainder = [&](double h) -> VectorXd {
      return (test::functions_at(program.nlp, x + h * d).values - at.values - h * slope).cwiseAbs();
    };
    const VectorXd expected = test::differences(program.nlp, x, d, 0.04);
    const VectorXd coarse = remainder(0.005), fine = remainder(0.0025);
    for (Index i = 0; i < slope.size(); ++i) {
      SCOPED_TRACE(fmt::format("function {}, direction {}", i, seed));
      EXPECT_NEAR(slope[i], expected[i], 1e-8 * at.gradients.row(i).norm() * d.norm());
      EXPECT_NEAR(coarse[i] / fine[i], 4.0, 0.3) << "the term of third order is some h of the second";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachKindAndTie, ElementGradients,
                         testing::Combine(testing::Values(ElementKind::tri3, ElementKind::tri6,
                                                          ElementKind::quad4, ElementKind::quad8,
                                                          ElementKind::tet4, ElementKind::tet10,
                                                          ElementKind::hex8, ElementKind::hex20,
                                                          ElementKind::wedge6, ElementKind::pyramid5),
                                          testing::Values("distributing", "rigid")),
                         [](const auto& info) {
                           return fmt::format("{}_{}", fem::topology(std::get<0>(info.param)).name,
                                              std::get<1>(info.param));
                         });

}  // namespace
}  // namespace kurbel
