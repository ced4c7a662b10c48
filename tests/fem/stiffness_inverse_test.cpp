/// @file
/// The seam of the stiffness's inverse: the direct one, and one that is not exact, by conjugate gradients.
#include "fem/stiffness_inverse.hpp"

#include <fmt/format.h>
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

  Outcome update(const VectorXd& E, const std::vector<Index>& springs) override {
    assembly_.assemble_stiffness(E, K_);
    springs_ = VectorXd::Zero(K_.rows());
    for (const Index i : springs) springs_[i] = K_.diagonal()[i];
    return Outcome::ok;
  }
  void multiply(ConstBlock x, Block K_x) const override { K_x = K_.selfadjointView<Eigen::Lower>() * x; }
  int solve(ConstBlock b, Block x, double tolerance) override {
    int most = 0;
    for (Index i = 0; i < b.cols(); ++i) {
      VectorXd r = b.col(i) - on_springs(x.col(i)), z(r.size()), z_b(r.size());
      precondition(r, z);
      precondition(b.col(i), z_b);
      VectorXd p = z;
      const double target = tolerance * tolerance * b.col(i).dot(z_b);
      int n = 0;
      for (double rz = r.dot(z); rz > target && n < 5000; ++n) {
        const VectorXd K_p = on_springs(p);
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
  void precondition(ConstBlock r, Block z) override {
    z = (K_.diagonal() + springs_).cwiseInverse().asDiagonal() * r;
  }
  bool is_exact() const override { return false; }
  double accuracy() const override { return 1e-13; }
  VectorXd energy_errors(ConstBlock u) const override { return VectorXd::Zero(u.cols()); }
  double memory() const override { return 0.0; }

 private:
  VectorXd on_springs(const VectorXd& x) const {
    return K_.selfadjointView<Eigen::Lower>() * x + springs_.cwiseProduct(x);
  }

  const Assembly& assembly_;
  SparseMatrix K_;
  VectorXd springs_;
};

std::unique_ptr<StiffnessInverse> make_iterative_inverse(const Assembly& assembly) {
  return std::make_unique<IterativeInverse>(assembly);
}

/// A body with both inverses.
struct TwoInverses {
  const Mesh mesh;
  const Assembly assembly;
  const VectorXd E;
  std::unique_ptr<StiffnessInverse> direct = make_direct_inverse(assembly);
  IterativeInverse iterative{assembly};
  NodalMass m = assembly.make_mass();
  TwoInverses(const FlexibleBodySpec& spec, const VectorXd& stiffness, const VectorXd& mass)
      : mesh(spec.mesh),
        assembly(mesh, mesh.nodes_in(spec.clamp),
                 {box_element(spec.mesh, 0.3)->matrices(mesh.class_corners(0))}),
        E(2e11 * stiffness) {
    EXPECT_EQ(direct->update(E, {}), StiffnessInverse::Outcome::ok);
    iterative.update(E, {});
    assembly.assemble_mass(7850.0 * mass, m);
  }
};

/// A bar of 48 elements, all of other stiffness and mass.
TwoInverses uneven_bar() {
  return {bar({8, 3, 2}, {0.2, 0.05, 0.03}, 3, true), random_densities(48, 0.3, 4),
          random_densities(48, 0.3, 5)};
}

/// A uniform bar of square section: its modes of bending come in pairs of equal frequency.
TwoInverses square_bar() {
  return {bar({10, 2, 2}, {0.3, 0.03, 0.03}, 4, false), VectorXd::Ones(40), VectorXd::Ones(40)};
}

TEST(StiffnessInverse, SolvesWhatItMultiplies) {
  TwoInverses body = uneven_bar();
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
  TwoInverses body = uneven_bar();
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
  TwoInverses body = uneven_bar();
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

void expect_equal_modes(TwoInverses body, int n) {
  NormalModes exact, block;
  ASSERT_FALSE(find_normal_modes({*body.direct, body.m}, n, exact).failed());
  const Status failure = find_normal_modes({body.iterative, body.m}, n, block);
  ASSERT_FALSE(failure.failed()) << failure.message();
  EXPECT_LT((block.lambda - exact.lambda).cwiseQuotient(exact.lambda).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_NEAR(block.lambda_next, exact.lambda_next, 1e-8 * exact.lambda_next);
  const MatrixXd beside = block.Phi - exact.Phi * (exact.M_Phi.transpose() * block.Phi);
  EXPECT_LT(beside.norm(), 1e-8 * exact.Phi.norm()) << "out of the span of the same modes";
}

/// The block iteration needs products and a preconditioner alone.
TEST(StiffnessInverse, ThatIsNotExactHasTheSameModes) {
  expect_equal_modes(uneven_bar(), 3);
}

TEST(StiffnessInverse, ThatIsNotExactFindsBothModesOfAPair) {
  for (const int n : {2, 4}) expect_equal_modes(square_bar(), n);
}

void expect_equal_gradients(const FlexibleBodySpec& spec) {
  const VectorXd rho = random_densities(spec.mesh.divisions[0] * spec.mesh.divisions[1], 0.3, 3);
  const auto gradient_by = [&](const MakeInverse& make, VectorXd& lambda) {
    FlexibleBody body(spec, make);
    const ReducedBody r = reduced(body, rho);
    lambda = r.lambda;
    const Sid bar =
        complex_step_bar(r.sid, [](const SidOf<Complex>& sid) { return invariant_objective(sid); });
    VectorXd rho_bar;
    EXPECT_FALSE(body.pullback(rho, r, bar, rho_bar).failed());
    return rho_bar;
  };
  VectorXd lambda, lambda_block;
  const VectorXd exact = gradient_by(make_direct_inverse, lambda);
  const VectorXd block = gradient_by(make_iterative_inverse, lambda_block);
  EXPECT_LT((lambda_block - lambda).cwiseQuotient(lambda).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((block - exact).norm(), 1e-8 * exact.norm());
}

/// In every frame and basis: the eigenvalues of the reduced model, and a gradient by the densities.
TEST(StiffnessInverse, ThatIsNotExactReducesAndDifferentiatesTheSame) {
  for (const BasisType basis : {BasisType::normal, BasisType::craig_bampton}) {
    FlexibleBodySpec spec = crank(24, 6, 3, true);
    spec.basis = basis;
    for (const FlexibleBodySpec& held : {spec, free_body(spec), on_chord(spec, "pin")}) {
      if (held.frame.type == FrameSpec::Type::buckens && basis == BasisType::craig_bampton) continue;
      SCOPED_TRACE(
          fmt::format("frame {}, basis {}", static_cast<int>(held.frame.type), static_cast<int>(basis)));
      expect_equal_gradients(held);
    }
  }
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

/// Functions of one block see stresses of their own, or none.
TEST(StiffnessInverse, AnswersTheStressesOfEachFunctionInOneBlock) {
  FlexibleBody body(crank(12, 4, 3, true));
  const VectorXd rho = random_densities(body.n_elements(), 0.3, 3);
  const BodyDesign design = body.nominal(rho);
  const ReducedBody r = reduced(body, rho);
  const StressPoints points{stress_elements(body.spec(), body.mesh(), {}), 0.5};
  const StressModes modes = body.stress_modes(design, r, points);
  const MatrixXd first = random_matrix(modes.S.rows(), modes.S.cols(), 4),
                 last = random_matrix(modes.S.rows(), modes.S.cols(), 5);
  const Sid none = complex_step_bar(
      r.sid, [](const SidOf<Complex>& sid) { return Complex(0.0) * invariant_objective(sid); });
  const std::vector<FunctionBar> functions = {
      {none, {{points, modes, first}}}, {none}, {none, {{points, modes, first}, {points, modes, last}}}};
  std::vector<BodyDesign> bars;
  std::vector<PullbackReport> reports;
  ASSERT_FALSE(body.pullback(design, r, functions, FlexibleBody::Wanted::all, bars, reports).failed());
  EXPECT_EQ(bars[1].density.norm(), 0.0);
  for (const std::size_t f : {0, 2}) {
    BodyDesign alone;
    ASSERT_FALSE(body.pullback(design, r, none, alone, nullptr, functions[f].stress).failed());
    EXPECT_LT((bars[f].density - alone.density).norm(), 1e-11 * alone.density.norm()) << "function " << f;
  }
}

/// So many functions that they do not go together: the last piece has others' work behind it and one function.
TEST(StiffnessInverse, AnswersManyFunctionsInPieces) {
  FlexibleBody body(crank(150, 50, 1, false));
  const VectorXd rho = random_densities(body.n_elements(), 0.3, 3);
  const ReducedBody r = reduced(body, rho);
  const Sid bar = complex_step_bar(r.sid, [](const SidOf<Complex>& sid) { return invariant_objective(sid); });
  const std::size_t n = 3 + 5'000'000 / static_cast<std::size_t>(2 * 51 * 150 * body.n_q());  // two pieces
  std::vector<FunctionBar> functions(n, FunctionBar{bar});
  const auto times = [&](double factor) {
    return complex_step_bar(
        r.sid, [&](const SidOf<Complex>& sid) { return Complex(factor) * invariant_objective(sid); });
  };
  functions[0].sid = times(2.0), functions[n - 1].sid = times(3.0);
  std::vector<BodyDesign> bars;
  std::vector<PullbackReport> reports;
  ASSERT_FALSE(
      body.pullback(body.nominal(rho), r, functions, FlexibleBody::Wanted::all, bars, reports).failed());
  ASSERT_EQ(bars.size(), n);
  ASSERT_EQ(reports.size(), n);
  BodyDesign alone;
  ASSERT_FALSE(body.pullback(body.nominal(rho), r, bar, alone).failed());
  for (std::size_t f = 0; f < n; ++f) {
    const double factor = f == 0 ? 2.0 : f == n - 1 ? 3.0 : 1.0;
    EXPECT_LT((bars[f].density - factor * alone.density).norm(), 1e-10 * factor * alone.density.norm())
        << "function " << f;
    // Sums over all nodes, which cancel.
    EXPECT_LT((bars[f].size - factor * alone.size).norm(), 1e-8 * factor * alone.size.norm())
        << "function " << f;
  }
}

/// Each piece finds the part of the gradient that is wanted of the whole.
TEST(StiffnessInverse, AnswersManyFunctionsByDensitiesAloneInPieces) {
  FlexibleBody body(crank(150, 50, 3, false));
  const VectorXd rho = random_densities(body.n_elements(), 0.3, 3);
  const ReducedBody r = reduced(body, rho);
  const Sid bar = complex_step_bar(r.sid, [](const SidOf<Complex>& sid) { return invariant_objective(sid); });
  const std::vector<FunctionBar> functions(
      1 + 5'000'000 / static_cast<std::size_t>(2 * 51 * 150 * body.n_q()), FunctionBar{bar});
  std::vector<BodyDesign> bars;
  std::vector<PullbackReport> reports;
  ASSERT_FALSE(body.pullback(body.nominal(rho), r, functions, FlexibleBody::Wanted::densities, bars, reports)
                   .failed());
  ASSERT_EQ(reports.size(), functions.size());
  VectorXd alone;
  ASSERT_FALSE(body.pullback(rho, r, bar, alone).failed());
  for (std::size_t f = 0; f < functions.size(); ++f) {
    EXPECT_LT((bars[f].density - alone).norm(), 1e-10 * alone.norm()) << "function " << f;
    EXPECT_EQ(reports[f].x_bar.size(), 0) << "positions of nodes are not asked for";
  }
}

}  // namespace
}  // namespace kurbel::fem::test
