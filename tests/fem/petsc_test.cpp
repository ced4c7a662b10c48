/// @file
/// The inverse of PETSc against the sparse factor, in one process and, under mpirun, in several.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "compared_inverses.hpp"
#include "fem/complement_solver.hpp"
#include "fem/processes.hpp"
#include "fem/spec_check.hpp"
#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using testing::HasSubstr;

FlexibleBodySpec by(SolverType solver, FlexibleBodySpec spec) {
  spec.solver = solver;
  return spec;
}

Result result_by(SolverType solver, const FlexibleBodySpec& spec, const VectorXd& rho) {
  FlexibleBody body(by(solver, spec));
  return result_of(body, rho);
}

/// Eigenvalues have twice the digits of their vectors, which are solved for to 1e-10.
void expect_the_same(const FlexibleBodySpec& spec, const VectorXd& rho) {
  const Result direct = result_by(SolverType::direct, spec, rho);
  const Result petsc = result_by(SolverType::petsc, spec, rho);
  EXPECT_LT((petsc.lambda - direct.lambda).cwiseQuotient(direct.lambda).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_NEAR(petsc.next_frequency_hz, direct.next_frequency_hz, 1e-7 * direct.next_frequency_hz);
  EXPECT_LT((petsc.gradient - direct.gradient).norm(), 1e-7 * direct.gradient.norm());
  EXPECT_LT(petsc.invariance_defect, 1e-7);
}

TEST(Petsc, SolvesInThePlaneAsTheFactorDoes) {
  const FlexibleBodySpec spec = crank(48, 16, 3, true);
  expect_the_same(spec, random_densities(768, 0.1, 3));
  expect_the_same(spec, lattice(spec.mesh));
}

TEST(Petsc, SolvesInSpaceAsTheFactorDoes) {
  FlexibleBodySpec spec = bar({15, 7, 5}, {0.3, 0.06, 0.05}, 3, true);
  expect_the_same(spec, lattice(spec.mesh));
  spec.mesh.element = ElementType::incompatible;
  expect_the_same(spec, random_densities(15 * 7 * 5, 0.1, 5));
}

/// Elements of six and of ten nodes, every one with a shape of its own.
TEST(Petsc, SolvesOnQuadraticMeshesAsTheFactorDoes) {
  const FlexibleBodySpec plane = on_quadratic_mesh(crank(12, 4, 3, true), Split::all);
  expect_the_same(plane, random_densities(plane.mesh.given->n_elements(), 0.1, 3));
  const FlexibleBodySpec solid = on_quadratic_mesh(bar({6, 2, 2}, {0.3, 0.06, 0.05}, 2, true), Split::all);
  expect_the_same(solid, random_densities(solid.mesh.given->n_elements(), 0.1, 4));
}

/// Springs take the place of a clamp in a body that its frame holds.
TEST(Petsc, SolvesForABodyThatIsFree) {
  const FlexibleBodySpec spec = crank(48, 16, 2, true);
  const VectorXd rho = random_densities(768, 0.3, 7);
  expect_the_same(free_body(spec), rho);
  expect_the_same(on_chord(spec, "pin"), rho);
}

TEST(Petsc, HasTheSameModesBetweenInterfaces) {
  FlexibleBodySpec spec = crank(24, 6, 3, true);
  spec.basis = BasisType::craig_bampton;
  expect_the_same(spec, random_densities(144, 0.3, 3));
}

/// The preconditioner is symmetric and definite, and products and solutions belong together.
/// @param most_iterations  of a solution to 1e-10
void expect_solutions_of_products(const FlexibleBodySpec& spec, const VectorXd& E, int most_iterations) {
  const Mesh mesh = *make_mesh(spec.mesh);
  std::vector<ElementMatrices> matrices;
  for (Index c = 0; c < mesh.n_classes(); ++c)
    matrices.push_back(make_element(mesh.class_kind(c), 0.3, spec.mesh.thickness, spec.mesh.element)
                           ->matrices(mesh.class_corners(c)));
  const Assembly assembly(mesh, mesh.nodes_in(spec.clamp), std::move(matrices));
  const auto petsc = make_petsc_inverse(assembly, mesh), direct = make_direct_inverse(assembly);
  for (const std::vector<Index>& springs : {std::vector<Index>{}, std::vector<Index>{4, 700}}) {
    ASSERT_EQ(petsc->update(E, springs), StiffnessInverse::Outcome::ok);
    ASSERT_EQ(direct->update(E, springs), StiffnessInverse::Outcome::ok);
    const Index n = assembly.n_free_dofs();
    const MatrixXd r = random_matrix(n, 3, 6);
    MatrixXd T_r(n, 3), K_r(n, 3), K_r_direct(n, 3), x = MatrixXd::Zero(n, 3), x_direct(n, 3);
    petsc->precondition(r, T_r);
    const MatrixXd products = r.transpose() * T_r;
    EXPECT_LT((products - products.transpose()).norm(), 1e-12 * products.norm());
    EXPECT_GT(products.diagonal().minCoeff(), 0.0);
    petsc->multiply(r, K_r);
    direct->multiply(r, K_r_direct);
    EXPECT_LT((K_r - K_r_direct).norm(), 1e-13 * K_r.norm());
    EXPECT_LE(petsc->solve(r, x, 1e-10), most_iterations);
    direct->solve(r, x_direct, 0.0);
    for (Index c = 0; c < 3; ++c) {
      const VectorXd error = x.col(c) - x_direct.col(c);
      MatrixXd K_error(n, 1), K_x(n, 1);
      direct->multiply(error, K_error);
      direct->multiply(x_direct.col(c), K_x);
      EXPECT_LT(error.dot(K_error.col(0)), 1e-18 * x_direct.col(c).dot(K_x.col(0)));
    }
    EXPECT_LE(petsc->solve(r, x, 1e-10), 1) << "from the solution";
    EXPECT_FALSE(petsc->status().failed());
    const VectorXd petsc_errors = petsc->energy_errors(r), errors = direct->energy_errors(r);
    for (Index c = 0; c < 3; ++c) EXPECT_GE(petsc_errors[c], 0.9 * errors[c]);
    // At least the matrix: 27 neighbours of most nodes.
    EXPECT_GT(petsc->memory(), 12.0 * 9.0 * 15.0 * static_cast<double>(mesh.n_nodes()));
  }
}

TEST(Petsc, SolvesWhatItMultiplies) {
  const FlexibleBodySpec spec = bar({20, 8, 8}, {0.1, 0.04, 0.04}, 1, false);
  expect_solutions_of_products(spec, 2.1e11 * lattice(spec.mesh).array().cube(), 99);
}

/// Aggregation that begins at the quadratic elements takes 40 iterations.
TEST(Petsc, SolvesOnQuadraticMeshesByLinearElementsAsCoarseGrid) {
  const FlexibleBodySpec solid = on_quadratic_mesh(bar({12, 4, 4}, {0.3, 0.1, 0.1}, 2, false), Split::all);
  expect_solutions_of_products(solid, VectorXd::Constant(solid.mesh.given->n_elements(), 2.1e11), 30);
}

/// A design's results do not depend on the designs before, to the last bit. Three processes and more receive what the
/// others send in any order, and PETSc adds it up so.
TEST(Petsc, GivesTheSameBitsAgain) {
  if (n_processes() > 2) GTEST_SKIP() << "rounding depends on the order of messages";
  for (const FlexibleBodySpec& spec :
       {by(SolverType::petsc, bar({16, 7, 5}, {0.3, 0.06, 0.05}, 2, true)),
        by(SolverType::petsc, on_quadratic_mesh(bar({6, 2, 2}, {0.3, 0.06, 0.05}, 2, true), Split::all))}) {
    FlexibleBody body(spec), other(spec);
    const Index n = body.n_elements();
    const VectorXd rho = random_densities(n, 0.1, 5);
    const Result first = result_of(body, rho);
    result_of(body, VectorXd::LinSpaced(n, 0.05, 1.0));
    for (const Result& again : {result_of(body, rho), result_of(other, rho)}) {
      EXPECT_EQ(again.lambda, first.lambda);
      EXPECT_EQ(again.gradient, first.gradient);
    }
  }
}

/// The matrices of elements follow the size of the mesh.
TEST(Petsc, FollowsTheSizeOfTheMesh) {
  const FlexibleBodySpec spec = crank(24, 6, 2, true);
  FlexibleBody petsc(by(SolverType::petsc, spec)), direct(by(SolverType::direct, spec));
  BodyDesign design = direct.nominal(random_densities(144, 0.3, 3));
  for (const double stretch : {1.0, 1.5}) {
    design.size[0] *= stretch;
    ReducedBody by_petsc, by_factor;
    ASSERT_FALSE(petsc.reduce(design, by_petsc).failed());
    ASSERT_FALSE(direct.reduce(design, by_factor).failed());
    EXPECT_LT((by_petsc.lambda - by_factor.lambda).norm(), 1e-9 * by_factor.lambda.norm());
  }
}

TEST(Petsc, RefusesTies) {
  FlexibleBodySpec spec = by(SolverType::petsc, crank(6, 3, 1, true));
  spec.markers[0].tie = MarkerSpec::Tie::rigid;
  EXPECT_THAT(find_problem(spec).value().message, HasSubstr("\"petsc\" has no rigid ties"));
}

TEST(Petsc, RefusesMoreProcessesThanNodes) {
  if (n_processes() < 2) GTEST_SKIP() << "one process";
  const FlexibleBodySpec spec = crank(1, 1, 1, false);  // four nodes
  const Mesh mesh(spec.mesh);
  const Assembly assembly(mesh, {0, 1, 2}, {box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0))});
  try {
    make_petsc_inverse(assembly, mesh);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("processes are too many for a body of 1 free nodes"));
  }
}

}  // namespace
}  // namespace kurbel::fem::test

int main(int argc, char** argv) {
  if (const auto code = kurbel::fem::join_processes()) return *code;
  testing::InitGoogleTest(&argc, argv);
  const int code = RUN_ALL_TESTS();
  kurbel::fem::leave_processes(code);
  return code;
}
