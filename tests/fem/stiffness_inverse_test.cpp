/// @file
/// The seam of the stiffness's inverse: the direct one, and one that is not exact, by conjugate gradients.
#include "fem/stiffness_inverse.hpp"

#include <gtest/gtest.h>

#include "fem/complement_solver.hpp"
#include "invariant_objective.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

/// K, its solution by conjugate gradients, preconditioned by the diagonal.
class IterativeInverse final : public StiffnessInverse {
 public:
  explicit IterativeInverse(const Assembly& assembly)
      : assembly_(assembly), K_(assembly.stiffness_pattern()) {}

  Outcome update(const VectorXd& E, const std::vector<Index>&) override {
    assembly_.assemble_stiffness(E, K_);
    return Outcome::ok;
  }
  void multiply(ConstBlock x, Block K_x) const override { K_x = K_.selfadjointView<Eigen::Lower>() * x; }
  int solve(ConstBlock b, Block x, double tolerance) override {
    int most = 0;
    for (Index i = 0; i < b.cols(); ++i) {
      VectorXd r = b.col(i) - K_.selfadjointView<Eigen::Lower>() * x.col(i), z(r.size());
      precondition(r, z);
      VectorXd p = z;
      const double target = tolerance * tolerance * r.dot(z);
      int n = 0;
      for (double rz = r.dot(z); rz > target && n < 5000; ++n) {
        const VectorXd K_p = K_.selfadjointView<Eigen::Lower>() * p;
        const double alpha = rz / p.dot(K_p);
        x.col(i) += alpha * p, r -= alpha * K_p;
        precondition(r, z);
        const double next = r.dot(z);
        p = z + next / rz * p, rz = next;
      }
      most = std::max(most, n);
    }
    return most;
  }
  void precondition(ConstBlock r, Block z) override { z = K_.diagonal().cwiseInverse().asDiagonal() * r; }
  bool is_exact() const override { return false; }
  double accuracy() const override { return 1e-13; }
  VectorXd energy_errors(ConstBlock u) const override { return VectorXd::Zero(u.cols()); }
  double memory() const override { return 0.0; }

 private:
  const Assembly& assembly_;
  SparseMatrix K_;
};

struct TwoInverses {
  const FlexibleBodySpec spec = bar({8, 3, 2}, {0.2, 0.05, 0.03}, 3, true);
  const Mesh mesh{spec.mesh};
  const Assembly assembly{
      mesh, mesh.nodes_in(spec.clamp), {box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0))}};
  const VectorXd E = 2e11 * random_densities(mesh.n_elements(), 0.3, 4);
  std::unique_ptr<StiffnessInverse> direct = make_direct_inverse(assembly);
  IterativeInverse iterative{assembly};
  NodalMass m = assembly.make_mass();
  TwoInverses() {
    EXPECT_EQ(direct->update(E, {}), StiffnessInverse::Outcome::ok);
    iterative.update(E, {});
    assembly.assemble_mass(7850.0 * random_densities(mesh.n_elements(), 0.3, 5), m);
  }
};

TEST(StiffnessInverse, SolvesWhatItMultiplies) {
  TwoInverses body;
  const MatrixXd x = random_matrix(body.assembly.n_free_dofs(), 3, 6);
  MatrixXd K_x(x.rows(), x.cols()), again(x.rows(), x.cols());
  body.direct->multiply(x, K_x);
  body.direct->solve(K_x, again, 0.0);
  EXPECT_LT((again - x).norm(), 1e-11 * x.norm());
  again.setZero();
  EXPECT_GT(body.iterative.solve(K_x, again, 1e-12), 10);
  EXPECT_LT((again - x).norm(), 1e-8 * x.norm());
}

/// Springs are seen by the solution and not by the product.
TEST(StiffnessInverse, HasSpringsInItsSolutionAlone) {
  TwoInverses body;
  const MatrixXd x = random_matrix(body.assembly.n_free_dofs(), 1, 6);
  MatrixXd without(x.rows(), 1), with(x.rows(), 1), solved(x.rows(), 1);
  body.direct->multiply(x, without);
  ASSERT_EQ(body.direct->update(body.E, {4, 7}), StiffnessInverse::Outcome::ok);
  body.direct->multiply(x, with);
  EXPECT_LT((with - without).norm(), 1e-12 * without.norm());
  body.direct->solve(without, solved, 0.0);
  EXPECT_GT((solved - x).norm(), 1e-6 * x.norm());
}

/// The conjugate gradients of the modes' adjoint need K Z, which only an exact inverse gives without a product.
TEST(StiffnessInverse, ThatIsNotExactSolvesTheSameInTheComplementOfTheModes) {
  TwoInverses body;
  NormalModes modes;
  ASSERT_FALSE(find_normal_modes({*body.direct, body.m}, 3, modes).failed());
  const MatrixXd loads = random_matrix(body.assembly.n_free_dofs(), 3, 8);
  const auto solved = [&](StiffnessInverse& inverse) {
    ShiftedSystems systems{modes.lambda, loads.colwise().norm(), loads};
    EXPECT_FALSE(solve_in_complement({inverse, body.m}, modes, systems).failed());
    return systems;
  };
  const ShiftedSystems exact = solved(*body.direct), iterative = solved(body.iterative);
  EXPECT_LT((exact.v - iterative.v).norm(), 1e-8 * exact.v.norm());
  EXPECT_GT(iterative.iterations, 3 * exact.iterations) << "its preconditioner is weaker";
}

/// Several functions at once are what each is alone.
TEST(StiffnessInverse, AnswersAllFunctionsInOneBlock) {
  FlexibleBodySpec spec = crank(12, 4, 3, true);
  spec.geometric_stiffening = true;
  FlexibleBody body(spec);
  const VectorXd rho = random_densities(body.n_elements(), 0.3, 3);
  const BodyDesign design = body.nominal(rho);
  const ReducedBody r = reduced(body, rho);
  std::vector<FunctionBar> functions;
  for (const double factor : {1.0, -3.0, 0.0}) {
    functions.push_back({complex_step_bar(
        r.sid, [&](const SidOf<Complex>& sid) { return factor * invariant_objective(sid); })});
  }
  std::vector<BodyDesign> bars;
  std::vector<PullbackReport> reports;
  ASSERT_FALSE(body.pullback(design, r, functions, FlexibleBody::Wanted::all, bars, reports).failed());
  for (std::size_t f = 0; f < functions.size(); ++f) {
    BodyDesign alone;
    ASSERT_FALSE(body.pullback(design, r, functions[f].sid, alone).failed());
    EXPECT_LT((bars[f].density - alone.density).norm(), 1e-11 * bars[0].density.norm()) << "function " << f;
  }
  EXPECT_LT((bars[1].density + 3.0 * bars[0].density).norm(), 1e-10 * bars[0].density.norm());
  EXPECT_EQ(bars[2].density.norm(), 0.0);
}

}  // namespace
}  // namespace kurbel::fem::test
