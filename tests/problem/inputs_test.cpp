/// Every shipped input is what its first line says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fem/mesh.hpp"
#include "problem/checks.hpp"
#include "problem/problem.hpp"
#include "sid/sid_hdf5.hpp"
#include "tests/input_error.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using test::input;

Eigen::Index n_elements(const Problem& problem) {
  return fem::Mesh(problem.bodies[0].flexible.mesh).n_elements();
}

TEST(Inputs, AllButFiveAreCompleteOptimizationProblems) {
  // One needs a file that a run writes; four are simulated only.
  const std::set<std::string> others = {"crank_from_sid.toml", "cart_double_pendulum.toml", "n_link.toml",
                                        "spinning_beam.toml", "free_plate.toml"};
  int count = 0;
  for (const fs::path& file : test::inputs()) {
    if (others.contains(file.filename().string())) continue;
    SCOPED_TRACE(file.string());
    EXPECT_NO_THROW(require_optimization_problem(read_problem(file.string())));
    ++count;
  }
  EXPECT_GE(count, 7);
}

TEST(UserProblems, AreCompleteOptimizationProblems) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(std::string(KURBEL_SOURCE_DIR) + "/tests/user_problems")) {
    SCOPED_TRACE(entry.path().string());
    EXPECT_NO_THROW(require_optimization_problem(read_problem(entry.path().string())));
    ++count;
  }
  EXPECT_EQ(count, 11);
}

TEST(Inputs, FilteredDensitiesAreProjectedUnlessTheFileSaysOtherwise) {
  using Type = ProjectionOptions::Type;
  EXPECT_EQ(read_problem(input("four_bar.toml")).projection.type, Type::heaviside);
  EXPECT_EQ(read_problem(input("flexible_crank_plain.toml")).projection.type, Type::none);
  EXPECT_EQ(read_problem(input("flexible_crank.toml"), {"filter.type=\"none\""}).projection.type, Type::none)
      << "it has no filter";
  EXPECT_EQ(read_problem(input("four_bar.toml"), {"filter.type=\"sensitivity\"", "projection.robust=0"})
                .projection.type,
            Type::none);
}

TEST(Inputs, FlagshipIsTheProblemOfThePaper) {
  const Problem problem = read_problem(input("flexible_crank.toml"));
  EXPECT_EQ(n_elements(problem), 8000);
  const fem::FlexibleBodySpec& crank = problem.bodies[0].flexible;
  EXPECT_NEAR(crank.mesh.size[0] * crank.mesh.size[1] * crank.mesh.thickness * crank.material.density, 0.628,
              1e-12);
  EXPECT_EQ(crank.n_normal_modes, 4);
  EXPECT_EQ(crank.simp.c, 1e5);
  EXPECT_EQ(crank.simp.q, 6.0);
  EXPECT_EQ(crank.simp.s, 3.0);
  EXPECT_EQ(crank.simp.p_min, 0.01);
  EXPECT_EQ(problem.integrator.n_steps(), 2000);
  EXPECT_EQ(problem.constraints.volume_fraction, 0.5);
  EXPECT_EQ(problem.optimizer.method, "mma");
  EXPECT_EQ(problem.system.gravity, Vector3d::Zero());
  const Sid& rod = problem.system.bodies[1].sid;
  EXPECT_DOUBLE_EQ(rod.refmod.mass, 0.5);
  EXPECT_NEAR(rod.J.M0(2, 2), 0.5 * 0.5 * 0.5 / 3.0, 1e-16);  // m L^2 / 3 about its end
}

TEST(Inputs, FlagshipHasExactlyTwoAttachmentModes) {
  const auto attachments = read_problem(input("flexible_crank.toml")).bodies[0].flexible.attachments;
  ASSERT_EQ(attachments.size(), 1u);
  EXPECT_EQ(attachments[0].marker, "pin");
  EXPECT_EQ(attachments[0].force, (std::array<bool, 3>{true, true, false}));
  EXPECT_EQ(attachments[0].moment, (std::array<bool, 3>{false, false, false}));
}

TEST(Inputs, FlagshipDriveMeetsTheEndConditions) {
  const Problem problem = read_problem(input("flexible_crank.toml"));
  const TimeFunction& phi = *problem.system.joints[0].drives[0].motion;
  const double full_speed = 12.0 * EIGEN_PI;
  // The polynomial is of degree 7: what is left at the ends is the rounding of its coefficients, of the order
  // of 1e2, and of their sums.
  EXPECT_NEAR(phi.at(0.0).value, 0.0, 1e-12);
  EXPECT_NEAR(phi.at(0.0).rate, 0.0, 1e-12);
  EXPECT_NEAR(phi.at(0.0).acceleration, 0.0, 1e-11);
  EXPECT_NEAR(phi.at(2.0).value, full_speed, 1e-10);
  EXPECT_NEAR(phi.at(2.0).rate, full_speed, 1e-10);
  EXPECT_NEAR(phi.at(2.0).acceleration, 0.0, 1e-9);
  // The jerk vanishes too, at both ends: the acceleration grows with the square of the distance.
  EXPECT_NEAR(phi.at(1e-4).acceleration / phi.at(2e-4).acceleration, 0.25, 1e-3);
  EXPECT_NEAR(phi.at(2.0 - 1e-3).acceleration / phi.at(2.0 - 2e-3).acceleration, 0.25, 1e-2);
}

TEST(Inputs, LargeVariantsHaveAHundredThousandAndAMillionElements) {
  EXPECT_EQ(n_elements(read_problem(input("flexible_crank_100k.toml"))), 100000);
  EXPECT_EQ(n_elements(read_problem(input("flexible_crank_3d_1m.toml"))), 1024512);
}

TEST(Inputs, SpatialVariantIsThreeDimensional) {
  const Problem problem = read_problem(input("flexible_crank_3d.toml"));
  EXPECT_EQ(problem.bodies[0].flexible.mesh.dim, 3);
  const auto& pin = problem.bodies[0].flexible.attachments.at(0);
  EXPECT_EQ(pin.force, (std::array<bool, 3>{true, true, true}));
  EXPECT_EQ(pin.moment, (std::array<bool, 3>{true, true, false}));
}

TEST(Inputs, SmallVariantKeepsTheMechanismOfTheFlagship) {
  const Problem small = read_problem(input("flexible_crank_small.toml"));
  EXPECT_EQ(n_elements(small), 75 * 15);
  EXPECT_EQ(small.integrator.n_steps(), 400);
  EXPECT_EQ(small.system.joints.size(), 3u);
}

TEST(Inputs, CrankFromSidNeedsNoMesh) {
  const TemporaryFolder folder;
  const fs::path sid_file = folder / "sid.h5";
  Sid crank = Sid::zeros({"mode 1"}, {"pin"});
  crank.Me.M0(0, 0) = crank.Ke.M0(0, 0) = 1.0;
  write_sid_file(sid_file, {{"crank", crank}});
  const Problem problem =
      read_problem(input("crank_from_sid.toml"), {"bodies.crank.file=\"" + sid_file.string() + "\""});
  EXPECT_EQ(problem.bodies[0].type, ProblemBody::Type::sid);
  EXPECT_EQ(problem.system.bodies[0].name, "crank");
  EXPECT_EQ(problem.system.bodies[0].sid.n_q(), 1);
  EXPECT_TRUE(problem.design.bodies.empty());
  EXPECT_NO_THROW(require_simulation_problem(problem));
}

// They would end in the middle, or take the memory of others.
TEST(Inputs, WithMoreBeamElementsThanMemoryHoldsAreRefusedByTheBeam) {
  EXPECT_THAT(
      input_error_message([] { read_problem(input("leaf_arm.toml"), {"beams.leaf.elements=20000"}); }),
      testing::HasSubstr("beams.leaf.elements = 20000 makes full matrices, which take at least 1.24e+03 GB"));
  const Problem planar = read_problem(input("flexible_scara.toml"), {"beams.upper_arm.elements=200"});
  EXPECT_NO_THROW(check_size(planar, 1e8));
  EXPECT_THAT(input_error_message([&] { check_size(planar, 2e7); }),
              testing::HasSubstr(
                  "beams.upper_arm.elements = 200 makes full matrices, which take at least 0.0917 GB"));
  // Systems of beams in vectors are sparse.
  EXPECT_NO_THROW(read_problem(input("rigid_spring_beam.toml"), {"beams.beam.elements=20000"}));
}

/// A mesh of hexahedra whose edges along z are inclined.
fem::MeshSpec sheared(fem::MeshSpec box, const std::array<int, 3>& divisions) {
  box.divisions = divisions;
  const fem::Mesh mesh(box);
  fem::Mesh::Points positions = mesh.positions();
  positions.row(0) += 0.2 * positions.row(2);
  return fem::spec_of_given(std::make_shared<const fem::Mesh>(mesh.moved(std::move(positions))));
}

// A million hexahedra: a factor of them takes tens of gigabytes, multigrid some.
TEST(Inputs, TakeTheMemoryOfTheirSolverAndFilter) {
  Problem problem = read_problem(input("flexible_crank_3d.toml"));
  fem::FlexibleBodySpec& body = problem.bodies.front().flexible;
  const auto needed = [&] { return least_memory(problem, body); };
  // The coarsest grid is the finest one. Its factor in single precision was measured to take 24.3 MB.
  body.mesh.divisions = {60, 20, 4};
  const double small_by_factor = needed();
  body.solver = fem::SolverType::multigrid;
  EXPECT_GT(needed(), 0.9 * 24.3e6);
  EXPECT_LT(needed(), 24.3e6 + 3700.0 * 60 * 20 * 4);
  EXPECT_LT(needed(), small_by_factor);
  body.mesh.divisions = {200, 100, 50};
  body.solver = fem::SolverType::automatic;
  constexpr double measured = 3700.0 * 200 * 100 * 50;  // by multigrid
  EXPECT_GT(needed(), 0.3 * measured);
  EXPECT_LT(needed(), measured);
  EXPECT_NO_THROW(check_size(problem, 8e9));
  body.solver = fem::SolverType::petsc;
  EXPECT_GT(needed(), 0.3 * 8000.0 * 201 * 101 * 51);
  EXPECT_LT(needed(), 8000.0 * 201 * 101 * 51) << "which was measured";
  body.solver = fem::SolverType::direct;
  EXPECT_GT(needed(), 3e10);
  EXPECT_THAT(input_error_message([&] { check_size(problem, 8e9); }),
              testing::HasSubstr("makes 1.04e+06 nodes, which with the other bodies take at least 41.9 GB"));

  body.solver = fem::SolverType::automatic;
  const double without = needed();
  problem.filter.type = FilterOptions::Type::density;
  problem.filter.kernel = FilterOptions::Kernel::helmholtz;
  EXPECT_EQ(needed(), without) << "the filter of a box has no matrix";
  body.mesh = sheared(body.mesh, {40, 40, 35});
  const double with_matrix = needed();
  problem.design.bodies.clear();
  EXPECT_GT(with_matrix - needed(), 27.0 * (sizeof(double) + sizeof(int)) * 41 * 41 * 36)
      << "entries of its matrix, for a body with densities alone";
}

TEST(Inputs, WithMoreBodiesThanMemoryHoldsAreRefused) {
  Problem problem = read_problem(input("double_pendulum.toml"));
  problem.bodies.resize(20000, problem.bodies[1]);
  EXPECT_THAT(
      input_error_message([&] { check_size(problem, 1e12); }),
      testing::HasSubstr("bodies: 20000 of them make full matrices, which take at least 1.24e+03 GB"));
}

}  // namespace
}  // namespace kurbel
