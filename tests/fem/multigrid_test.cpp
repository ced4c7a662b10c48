/// @file
/// The multigrid inverse against the sparse factor.
#include "fem/multigrid.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "base/parallel.hpp"
#include "compared_inverses.hpp"
#include "fem/inverse_choice.hpp"
#include "fem/rigid_ties.hpp"
#include "fem/spec_check.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using testing::HasSubstr;

/// With coarse grids also of bodies that are small enough for a test.
MakeInverse by_multigrid(const FlexibleBodySpec& spec) {
  return [&](const Assembly& assembly) {
    constexpr Index coarsest = 60;
    return make_multigrid_inverse(assembly, spec.mesh.divisions, coarsest);
  };
}

void expect_the_same(const FlexibleBodySpec& spec, const VectorXd& rho) {
  const Result direct = result_of(spec, make_direct_inverse, rho);
  const Result multigrid = result_of(spec, by_multigrid(spec), rho);
  EXPECT_LT((multigrid.lambda - direct.lambda).cwiseQuotient(direct.lambda).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_NEAR(multigrid.next_frequency_hz, direct.next_frequency_hz, 1e-7 * direct.next_frequency_hz);
  EXPECT_LT((multigrid.gradient - direct.gradient).norm(), 1e-7 * direct.gradient.norm());
}

/// Four grids in the plane.
TEST(Multigrid, SolvesInThePlaneAsTheFactorDoes) {
  const FlexibleBodySpec spec = crank(48, 16, 3, true);
  expect_the_same(spec, random_densities(768, 0.1, 3));
  expect_the_same(spec, lattice(spec.mesh));
}

/// Divisions that cannot be halved, hexahedra with and without incompatible modes.
TEST(Multigrid, SolvesInSpaceAsTheFactorDoes) {
  FlexibleBodySpec spec = bar({15, 7, 5}, {0.3, 0.06, 0.05}, 3, true);
  expect_the_same(spec, lattice(spec.mesh));
  spec.mesh.element = ElementType::incompatible;
  expect_the_same(spec, random_densities(15 * 7 * 5, 0.1, 5));
}

/// Where the frame holds the body, springs take the place of a clamp.
TEST(Multigrid, SolvesForABodyThatIsFree) {
  const FlexibleBodySpec spec = crank(48, 16, 2, true);
  const VectorXd rho = random_densities(768, 0.3, 7);
  expect_the_same(free_body(spec), rho);
  expect_the_same(on_chord(spec, "pin"), rho);
}

/// A body held by the components of some nodes alone: a plane of symmetry, a roller and a line along its side.
FlexibleBodySpec on_supports(FlexibleBodySpec spec) {
  const Vector3d low = spec.mesh.origin, high = low + spec.mesh.size;
  constexpr double near = 1e-9;
  Box left, roller;
  left.upper[0] = low[0] + near;
  roller.lower[0] = high[0] - near, roller.upper[1] = low[1] + near;
  spec.is_clamped = false;
  spec.supports = {{"symmetry", left, {true, false, false}}, {"roller", roller, {false, true, false}}};
  if (spec.mesh.dim == 3) spec.supports.push_back({"side", roller, {false, false, true}});
  return spec;
}

TEST(Multigrid, SolvesOnSupportsAsTheFactorDoes) {
  for (const FlexibleBodySpec& spec :
       {on_supports(crank(48, 16, 3, true)), on_supports(bar({15, 7, 5}, {0.3, 0.06, 0.05}, 3, true))}) {
    const VectorXd rho = lattice(spec.mesh);
    const MakeInverse by_cycles = [&](const Assembly& assembly) {
      return make_multigrid_inverse(assembly, spec.mesh.divisions, 60,
                                    held_dofs(spec, Mesh(spec.mesh), assembly.order()));
    };
    const Result direct = result_of(spec, inverse_of(spec), rho), multigrid = result_of(spec, by_cycles, rho);
    EXPECT_LT((multigrid.lambda - direct.lambda).cwiseQuotient(direct.lambda).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((multigrid.gradient - direct.gradient).norm(), 1e-7 * direct.gradient.norm());
  }
}

/// Springs of the cycle take the place of supports, which cost no iterations so.
TEST(Multigrid, SolvesOnSupportsInAsManyIterationsAsOnAClamp) {
  const FlexibleBodySpec clamped = bar({40, 16, 12}, {0.1, 0.04, 0.03}, 1, false);
  const auto iterations = [](const FlexibleBodySpec& spec) {
    const Mesh mesh(spec.mesh);
    const Assembly assembly(mesh, spec.is_clamped ? mesh.nodes_in(spec.clamp) : std::vector<int>{},
                            {box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0))});
    const auto inverse =
        make_multigrid_inverse(assembly, spec.mesh.divisions, 60, held_dofs(spec, mesh, assembly.order()));
    EXPECT_EQ(inverse->update(2.1e11 * lattice(spec.mesh), {}), StiffnessInverse::Outcome::ok);
    MatrixXd x = MatrixXd::Zero(assembly.n_free_dofs(), 1);
    return inverse->solve(random_matrix(x.rows(), 1, 6), x, 1e-9);
  };
  const int on_a_clamp = iterations(clamped), on_its_supports = iterations(on_supports(clamped));
  EXPECT_LE(on_its_supports, on_a_clamp + 4);
}

TEST(Multigrid, HasTheSameBitsForAnyNumberOfThreads) {
  using Divisions = std::array<int, 3>;
  for (const Divisions& divisions : {Divisions{41, 13, 9}, Divisions{41, 9, 13}}) {  // slabs along y, along z
    const FlexibleBodySpec spec =
        bar(divisions, {0.3, 0.06, 0.05}, 2, true);  // several slabs, several runs of rows
    const VectorXd rho = random_densities(41 * 13 * 9, 0.1, 5);
    const int before = threads();
    set_threads(1);
    const Result one = result_of(spec, by_multigrid(spec), rho);
    set_threads(3);
    const Result three = result_of(spec, by_multigrid(spec), rho);
    set_threads(before);
    EXPECT_EQ(one.lambda, three.lambda);
    EXPECT_EQ(one.gradient, three.gradient);
  }
}

/// A thin plate bends more easily than its stiff end resists rigid motions where elements are rounded to single precision.
TEST(Multigrid, HoldsAThinPlateWithAStiffEnd) {
  FlexibleBodySpec spec = bar({128, 8, 8}, {0.2, 0.04, 0.01}, 1, false);
  spec.mesh.element = ElementType::incompatible;
  const Mesh mesh(spec.mesh);
  VectorXd moduli = VectorXd::Constant(mesh.n_elements(), 0.125 * 2.1e11);
  for (Index e = 0; e < mesh.n_elements(); ++e)
    if (e % 128 >= 122) moduli[e] = 2.1e11;
  const Assembly assembly(mesh, mesh.nodes_in(spec.clamp),
                          {box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0))});
  for (const Index coarsest : {12000, 4000, 1500}) {
    const auto inverse = make_multigrid_inverse(assembly, spec.mesh.divisions, coarsest);
    ASSERT_EQ(inverse->update(moduli, {}), StiffnessInverse::Outcome::ok) << coarsest;
    const MatrixXd r = random_matrix(assembly.n_free_dofs(), 1, 6);
    MatrixXd x = MatrixXd::Zero(r.rows(), 1), K_x = x;
    inverse->solve(r, x, 1e-9);
    inverse->multiply(x, K_x);
    EXPECT_LT((K_x - r).norm(), 1e-5 * r.norm()) << coarsest;
  }
}

/// The cycle is a symmetric positive operator near K^-1: no field is far from K T of it.
TEST(Multigrid, HasACycleNearTheInverse) {
  const FlexibleBodySpec spec = bar({20, 8, 8}, {0.1, 0.04, 0.04}, 1, false);
  const Mesh mesh(spec.mesh);
  const Assembly assembly(mesh, mesh.nodes_in(spec.clamp),
                          {box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0))});
  const auto inverse = make_multigrid_inverse(assembly, spec.mesh.divisions, 60);
  ASSERT_EQ(inverse->update(VectorXd::Constant(mesh.n_elements(), 2.1e11), {}),
            StiffnessInverse::Outcome::ok);
  const Index n = assembly.n_free_dofs();
  const MatrixXd r = random_matrix(n, 11, 6);  // more than the fields of one cycle
  MatrixXd T_r(n, 11), K_T_r(n, 11), x = MatrixXd::Zero(n, 11);
  inverse->precondition(r, T_r);
  const MatrixXd products = r.transpose() * T_r;
  EXPECT_LT((products - products.transpose()).norm(), 1e-5 * products.norm());
  inverse->multiply(T_r, K_T_r);
  for (Index i = 0; i < 11; ++i) EXPECT_LT((K_T_r - r).col(i).norm(), 0.3 * r.col(i).norm());
  EXPECT_LT(inverse->solve(r, x, 1e-9), 15);
  inverse->multiply(x, K_T_r);
  EXPECT_LT((K_T_r - r).norm(), 1e-6 * r.norm());
  EXPECT_FALSE(inverse->status().failed());
}

/// All grids, and the smoothing on them, have the springs that hold a body: one cycle answers the forces of springs in a rigid
/// displacement with a part of it, which is smaller where a grid has them elsewhere or not at all.
TEST(Multigrid, HasSpringsAtTheirPlacesOnAllGrids) {
  const FlexibleBodySpec spec = bar({20, 8, 8}, {0.1, 0.04, 0.04}, 1, false);
  const Mesh mesh(spec.mesh);
  const Assembly assembly(mesh, {}, {box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0))});
  std::vector<Index> springs;
  const auto hold = [&](int i, int j, int k, std::initializer_list<Index> directions) {
    for (const Index d : directions)
      springs.push_back(3 * assembly.order().position_of(i + 21 * (j + 9 * k)) + d);
  };
  hold(2, 2, 2, {0, 1, 2}), hold(18, 2, 2, {1, 2}), hold(2, 6, 2, {2});
  const auto inverse = make_multigrid_inverse(assembly, spec.mesh.divisions, 2);
  ASSERT_EQ(inverse->update(VectorXd::Constant(mesh.n_elements(), 2.1e11), springs),
            StiffnessInverse::Outcome::ok);
  const Index n = assembly.n_free_dofs();
  MatrixXd u = MatrixXd::Zero(n, 3), forces = u, answer = u;
  for (Index i = 0; i < n; ++i) u(i, i % 3) = 1.0;
  for (const Index i : springs) {
    MatrixXd unit = MatrixXd::Zero(n, 1), K_unit = unit;
    unit(i, 0) = 1.0;
    inverse->multiply(unit, K_unit);
    forces.row(i) = K_unit(i, 0) * u.row(i);  // as stiff as the body is there
  }
  inverse->precondition(forces, answer);
  // 0.63; above 0.65 without springs in the smoothing, 0.88 with some at the wrong corner of a coarse element.
  for (Index d = 0; d < 3; ++d) EXPECT_LT((answer - u).col(d).norm(), 0.64 * u.col(d).norm());
  const MatrixXd r = random_matrix(n, 2, 6);
  MatrixXd x = MatrixXd::Zero(n, 2);
  EXPECT_LT(inverse->solve(r, x, 1e-9), 18);
}

template <int dim>
void expect_the_products_of(const FlexibleBodySpec& spec) {
  const Mesh mesh(spec.mesh);
  const MatrixXd k = box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0)).stiffness;
  const BoxStiffness<dim, double> box(k);
  const MatrixXd x = random_matrix(k.rows(), 1, 3);
  std::array<std::array<double, 1 << dim>, dim> local;
  const auto at = [](std::size_t b, std::size_t d) {
    return static_cast<Index>(corner_of_bits<dim>()[b] * dim + d);
  };
  for (std::size_t b = 0; b < 1 << dim; ++b)
    for (std::size_t d = 0; d < dim; ++d) local[d][b] = x(at(b, d), 0);
  box.multiply(local);
  const MatrixXd k_x = k * x;
  for (std::size_t b = 0; b < 1 << dim; ++b)
    for (std::size_t d = 0; d < dim; ++d) EXPECT_NEAR(local[d][b], k_x(at(b, d), 0), 1e-14 * k.norm());
}

TEST(Multigrid, MultipliesElementByElementInPatternsAsTheirMatrixDoes) {
  for (const ElementType element : {ElementType::standard, ElementType::incompatible}) {
    FlexibleBodySpec plane = crank(6, 3, 1, false), solid = bar({4, 3, 2}, {0.3, 0.06, 0.05}, 1, false);
    plane.mesh.element = solid.mesh.element = element;
    expect_the_products_of<2>(plane);
    expect_the_products_of<3>(solid);
  }
}

TEST(Multigrid, IsChosenForLargeBoxesOfHexahedra) {
  FlexibleBodySpec spec = bar({100, 20, 10}, {0.2, 0.04, 0.02}, 1, false);
  EXPECT_TRUE(is_by_multigrid(spec));
  spec.mesh.divisions = {99, 20, 10};
  EXPECT_FALSE(is_by_multigrid(spec));
  spec.solver = SolverType::multigrid;
  EXPECT_TRUE(is_by_multigrid(spec));
  EXPECT_FALSE(is_by_multigrid(crank(1000, 200, 1, false)));
  spec = on_supports(bar({100, 20, 10}, {0.2, 0.04, 0.02}, 1, true));
  EXPECT_TRUE(is_by_multigrid(spec));
  spec.markers.front().tie = MarkerSpec::Tie::rigid;
  EXPECT_FALSE(is_by_multigrid(spec));
}

TEST(Multigrid, RefusesAMeshThatIsNoBox) {
  FlexibleBodySpec spec = crank(6, 3, 1, false);
  spec.mesh = spec_of_given(std::make_shared<const Mesh>(spec.mesh), spec.mesh.thickness);
  spec.solver = SolverType::multigrid;
  EXPECT_THAT(find_problem(spec).value().message, HasSubstr("box of equal elements"));
}

}  // namespace
}  // namespace kurbel::fem::test
