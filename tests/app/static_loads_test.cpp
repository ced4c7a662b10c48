/// Equivalent static loads beside exact gradients.
#include "study/static_loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>

#include "crank.hpp"
#include "optimizers/verdict.hpp"
#include "study/study.hpp"
#include "tests/input_error.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

/// The small crank on a mesh of 20 x 4 elements.
std::vector<std::string> tiny(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"bodies.crank.mesh.divisions=[20,4]", "filter.radius=0.012",
                           "integrator.step=1e-2", "output.picture=false", "output.motion=false"});
  return more;
}

Problem read(std::vector<std::string> overrides) {
  return read_problem(test::input("flexible_crank_small.toml"), overrides);
}

/// Keeps what an optimization tells.
struct Told final : StudyEvents {
  void info(const std::string& text) override { texts.push_back(text); }
  void iterated(const StudyIteration& at) override {
    objectives.push_back(at.report.evaluation->objective);
    iterations.push_back(at.iteration);
  }
  std::vector<std::string> texts;
  std::vector<double> objectives;
  std::vector<int> iterations;
};

/// A motion at a design that is not uniform, and its loads.
struct Moved {
  explicit Moved(Study& study) : x(study.start()) {
    for (Index i = 0; i < x.size(); ++i) x[i] *= 0.8 + 0.2 * std::sin(1.0 + static_cast<double>(i));
    EXPECT_FALSE(study.simulate(x, at).failed());
    EXPECT_FALSE(find_equivalent_loads(study.chain(), at, loads).failed());
  }
  VectorXd x;
  ChainResult at;
  LoadsOfBodies loads;
};

TEST(EquivalentStaticLoads, ChangeByTheLargestDifferenceOverTheLargestLoad) {
  const auto wave = [](Index rows, Index columns, double phase) {
    return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&](Index i, Index j) {
      return std::sin(phase + static_cast<double>(1 + 3 * i + 5 * j + i * j));
    }));
  };
  const EquivalentLoads now{wave(7, 2, 0.0), wave(2, 5, 1.0), {}},
      before{wave(7, 2, 2.0), wave(2, 5, 4.0), {}};
  const auto largest = [](const MatrixXd& f) { return f.colwise().norm().maxCoeff(); };
  const MatrixXd f = now.B * now.q, f_before = before.B * before.q;
  EXPECT_NEAR(change_of_loads(now, before), largest(f - f_before) / largest(f), 1e-12);
}

TEST(EquivalentStaticLoads, ReproduceTheDisplacementsOfTheMotionAtItsInstants) {
  Study study(read(tiny()));
  const Moved moved(study);
  const EquivalentLoads& loads = *moved.loads[0];
  fem::FlexibleBody& crank = *study.chain().body(0);
  ASSERT_FALSE(crank.hold(moved.at.design.bodies[0]).failed());
  for (const Index k : {Index{20}, Index{100}, Index{200}}) {
    MatrixXd u;
    crank.held().pencil().K.solve(loads.at(k), u);
    const VectorXd wanted = moved.at.reduced[0].basis->shapes() * loads.q.col(k);
    EXPECT_LT((u.col(0) - wanted).norm(), 1e-10 * wanted.norm());
  }
}

/// Also with the functionals over time that are no integral.
TEST(EquivalentStaticLoads, HaveTheComplianceOfTheMotionAtItsDesign) {
  for (const std::vector<std::string>& objective :
       {std::vector<std::string>{},
        {"objective={type=\"compliance\",body=\"crank\",time=\"mean\"}"},
        {"objective={type=\"compliance\",body=\"crank\",time=\"final\"}"},
        {"objective={type=\"compliance\",body=\"crank\",time=\"instants\",at=[0.5,1.9]}"}}) {
    Study study(read(tiny(objective)));
    const Moved moved(study);
    StaticLoadsNlp statics(study.program(), study.chain(), study.space(), study.program(), moved.loads);
    Evaluation e;
    ASSERT_FALSE(statics.evaluate(moved.x, e).failed());
    EXPECT_NEAR(e.objective, moved.at.psi, 1e-9 * moved.at.psi);
  }
}

TEST(EquivalentStaticLoads, HaveTheGradientOfTheirCompliance) {
  Study study(read(tiny()));
  const Moved moved(study);
  StaticLoadsNlp statics(study.program(), study.chain(), study.space(), study.program(), moved.loads);
  VectorXd x = moved.x;
  for (Index i = 0; i < x.size(); ++i) x[i] *= 0.9 + 0.1 * std::cos(3.0 * static_cast<double>(i));
  Evaluation e;
  ASSERT_FALSE(statics.evaluate(x, e).failed());
  const VectorXd direction = VectorXd::NullaryExpr(x.size(), [](Index i) { return std::sin(2.0 + 5.0 * i); });
  const auto psi = [&](double s) {
    Evaluation at;
    EXPECT_FALSE(statics.evaluate(x + s * direction, at).failed());
    return at.objective;
  };
  const double h =
      5e-4;  // with 1e-4 the rounding of the factors reaches 1e-7 of the slope on some processors
  const double slope = (8.0 * (psi(h) - psi(-h)) - (psi(2.0 * h) - psi(-2.0 * h))) / (12.0 * h);
  ASSERT_NE(slope, 0.0);
  EXPECT_NEAR(slope, e.gradient.dot(direction), 1e-7 * std::abs(slope));
}

/// A crank without mass whose rod has hardly any: the forces at its pin follow from the motion alone, and dF / d design, which
/// the method neglects, is as small as the rod beside the stiffness.
std::vector<std::string> light(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"bodies.crank.material.density=1e-3", "bodies.rod.mass=1e-3",
                           "bodies.rod.inertia=[1e-7,1e-5,1e-5]"});
  return tiny(std::move(more));
}

/// The distance of the gradient under static loads from the exact one, relative.
double neglected(std::vector<std::string> overrides) {
  Study study(read(std::move(overrides)));
  const Moved moved(study);
  StaticLoadsNlp statics(study.program(), study.chain(), study.space(), study.program(), moved.loads);
  Evaluation of_statics, exact;
  EXPECT_FALSE(statics.evaluate(moved.x, of_statics).failed());
  EXPECT_FALSE(study.evaluate(moved.x, exact).failed());
  return (of_statics.gradient - exact.gradient).norm() / exact.gradient.norm();
}

TEST(EquivalentStaticLoads, HaveTheExactGradientWhereTheLoadsDoNotDependOnTheDesign) {
  EXPECT_LT(neglected(light()), 2e-4);
  EXPECT_GT(neglected(tiny()), 0.02) << "the crank as it is: its rod moves with its deformation";
}

/// A stiffness that is linear in the densities has one optimum.
TEST(EquivalentStaticLoads, FindTheOptimumOfExactGradientsWhereTheLoadsDoNotDependOnTheDesign) {
  const auto optimum = [](const std::string& strategy) {
    Study study(read(light(
        {"bodies.crank.simp.s=1.0", "projection.type=\"none\"", "optimizer.strategy=\"" + strategy + "\""})));
    Told told;
    return study.optimize(told).optimum;
  };
  const OptimizerResult exact = optimum("exact-gradient"), found = optimum("equivalent-static-loads");
  EXPECT_NEAR(found.evaluation.objective, exact.evaluation.objective, 1e-3 * exact.evaluation.objective);
  EXPECT_LE(found.kkt_residual, converged_kkt_residual);
}

TEST(EquivalentStaticLoads, EndWithADesignThatIsJudgedInTheMotion) {
  for (const std::string strategy : {"equivalent-static-loads", "first-static-loads"}) {
    Study study(read(tiny({"projection.beta_max=4", "optimizer.stop.iterations=60",
                           "optimizer.strategy=\"" + strategy + "\""})));
    Told told;
    const StudyResult result = study.optimize(told);
    ASSERT_EQ(result.stages.size(), 1u);
    EXPECT_TRUE(result.optimum.feasible);
    EXPECT_THAT(told.texts,
                testing::Contains(testing::HasSubstr("static loads, loop 1: psi of the motion is")));
    EXPECT_TRUE(std::ranges::is_sorted(told.iterations));
    EXPECT_GT(result.optimum.evaluations, static_cast<int>(told.objectives.size()));
    Evaluation in_motion;
    ASSERT_FALSE(study.evaluate(result.optimum.x, in_motion).failed());
    EXPECT_NEAR(in_motion.objective, result.optimum.evaluation.objective, 1e-9 * in_motion.objective);
    EXPECT_LT(in_motion.objective, told.objectives.front());
  }
}

/// The optimization of the crank by the loads of its first design. Evaluations may be recorded, or fail, or be worse.
struct FirstLoads final : ForwardingNlp {
  explicit FirstLoads(Study& study)
      : ForwardingNlp(study.program()), recorded(*this, {}, [this](int index) { return record(index); }) {
    options = study.problem().optimizer;
    options.max_iterations = 20;
    study.space().set_beta(1.0);
  }
  Status evaluate(const VectorXd& x, Evaluation& out) override {
    if (fails(x)) return Failure{.what = "it falls to pieces"};
    const Status status = nlp_.evaluate(x, out);
    out.objective += added(x);
    return status;
  }
  OptimizerResult minimize(Study& study, const VectorXd& start) {
    const auto keep = [&](const IterationReport& report) {
      objectives.push_back(report.evaluation->objective);
      return true;
    };
    StaticLoads loads(study.chain(), study.space(), study.program(), recorded);
    return loads.minimize(options, start, keep, [](const std::string&) {});
  }
  std::function<bool(const VectorXd&)> fails = [](const VectorXd&) { return false; };
  std::function<double(const VectorXd&)> added = [](const VectorXd&) { return 0.0; };
  std::function<std::optional<RecordedEvaluation>(int)> record = [](int) {
    return std::optional<RecordedEvaluation>();
  };
  RecordedNlp recorded;
  OptimizerOptions options;
  std::vector<double> objectives;
};

std::vector<std::string> by_first_loads() {
  return tiny({"optimizer.strategy=\"first-static-loads\"", "projection.type=\"none\""});
}

/// An evaluation that a record answers leaves no motion: the last one is that of another design.
TEST(EquivalentStaticLoads, AreThoseOfTheirDesignWhereARecordAnswers) {
  Study study(read(by_first_loads()));
  const VectorXd start = study.start();
  const OptimizerResult wanted = FirstLoads(study).minimize(study, start);

  RecordedEvaluation of_start{start, {}, {}};
  Evaluation of_other;
  ASSERT_FALSE(study.evaluate(start, of_start.evaluation).failed());
  const VectorXd other =
      start.cwiseProduct(VectorXd::LinSpaced(start.size(), 0.2, 1.0));  // soft where the crank is held
  ASSERT_FALSE(study.evaluate(other, of_other).failed());
  FirstLoads again(study);
  again.record = [&](int index) {
    return index == 0 ? std::optional<RecordedEvaluation>(of_start) : std::nullopt;
  };
  const OptimizerResult found = again.minimize(study, start);
  EXPECT_EQ(again.recorded.n_replayed(), 1);
  EXPECT_LT((found.x - wanted.x).cwiseAbs().maxCoeff(), 1e-9);
}

/// Each design that fails is halfway between the one before it and the start.
TEST(EquivalentStaticLoads, GoBackHalfTheWayFromADesignThatFails) {
  Study study(read(by_first_loads()));
  const VectorXd start = study.start();
  const OptimizerResult whole = FirstLoads(study).minimize(study, start);
  const double far = (whole.x - start).norm();
  ASSERT_GT(far, 0.1);
  FirstLoads failing(study);
  failing.fails = [&](const VectorXd& x) { return (x - start).norm() > 0.2 * far; };
  const OptimizerResult found = failing.minimize(study, start);
  EXPECT_LT((found.x - (start + (whole.x - start) / 8.0)).norm(), 1e-9 * far);
  FirstLoads hopeless(study);
  hopeless.fails = [&](const VectorXd& x) { return x != start; };
  EXPECT_EQ(hopeless.minimize(study, start).reason, StopReason::failure);
}

/// The last design of one static optimization is the result, also where the motion makes it worse than the start.
TEST(EquivalentStaticLoads, OfTheFirstDesignEndWithTheLastDesignBetterOrNot) {
  Study study(read(by_first_loads()));
  const VectorXd start = study.start();
  const OptimizerResult better = FirstLoads(study).minimize(study, start);
  ASSERT_GT((better.x - start).norm(), 0.1);
  FirstLoads worse(study);
  worse.added = [&](const VectorXd& x) { return x == start ? 0.0 : 1e3; };
  const OptimizerResult found = worse.minimize(study, start);
  EXPECT_EQ(found.x, better.x);
  EXPECT_EQ(found.evaluation.objective, worse.objectives.back());
  EXPECT_GT(found.evaluation.objective, worse.objectives.front());
}

/// Static iterations count as the others do.
TEST(EquivalentStaticLoads, EndWithTheirLimitOfIterations) {
  constexpr int most = 12;
  Study study(read(tiny({"optimizer.strategy=\"equivalent-static-loads\"", "projection.type=\"none\"",
                         "optimizer.stop.iterations=" + std::to_string(most)})));
  Told told;
  const StudyResult result = study.optimize(told);
  EXPECT_EQ(result.optimum.reason, StopReason::iterations);
  EXPECT_EQ(result.optimum.iterations, most);
  EXPECT_LE(told.iterations.back(), most);
}

/// Terms of the objective add their weights over time.
TEST(EquivalentStaticLoads, HaveTheSumOfTheTermsOfAnObjective) {
  Study study(
      read(tiny({"objective=[{type=\"compliance\",body=\"crank\",time=\"mean\"},{type=\"compliance\","
                 "body=\"crank\",time=\"final\",weight=3.0}]"})));
  const Moved moved(study);
  StaticLoadsNlp statics(study.program(), study.chain(), study.space(), study.program(), moved.loads);
  Evaluation e;
  ASSERT_FALSE(statics.evaluate(moved.x, e).failed());
  EXPECT_NEAR(e.objective, moved.at.psi, 1e-9 * moved.at.psi);
}

/// The measure that ends the outer loops: sqrt(max |f_k - f'_k|^2 / max |f_k|^2).
TEST(EquivalentStaticLoads, TellByHowMuchTheyChange) {
  Study study(read(tiny()));
  const Moved moved(study);
  const EquivalentLoads& before = *moved.loads[0];
  EquivalentLoads now = before;
  EXPECT_LT(change_of_loads(now, before), 1e-7);
  now.q *= 1.25;
  EXPECT_NEAR(change_of_loads(now, before), 0.2, 1e-9);
  now.q = before.q, now.B *= -1.0;
  EXPECT_NEAR(change_of_loads(now, before), 2.0, 1e-9);
}

TEST(EquivalentStaticLoads, RefuseByNameWhatTheyCannotServe) {
  const auto message = [](const std::string& file, std::vector<std::string> overrides) {
    overrides.emplace_back("optimizer.strategy=\"equivalent-static-loads\"");
    return input_error_message(
        [&] { require_optimization_problem(read_problem(test::input(file), overrides)); });
  };
  using testing::AllOf;
  using testing::HasSubstr;
  const auto says = [](const char* text) {
    return AllOf(HasSubstr("optimizer.strategy = \"equivalent-static-loads\" does not fit"), HasSubstr(text));
  };
  EXPECT_THAT(message("mbb_beam.toml", {}), says("analysis = \"motion\""));
  EXPECT_THAT(message("crank_two_speeds.toml", {}), says("remove [cases]"));
  EXPECT_THAT(message("cart_swing_up.toml", {}), says("needs a flexible body"));
  EXPECT_THAT(message("arm_codesign.toml", {}), says("varies densities alone"));
  EXPECT_THAT(message("flexible_crank_small.toml", {"projection.robust=0.1"}), says("projection.robust"));
  EXPECT_THAT(message("flexible_crank_small.toml",
                      {"objective={type=\"compliance\",body=\"crank\",time=\"p-norm\",exponent=8}"}),
              says("has to be compliance"));
  EXPECT_THAT(message("flexible_crank_small.toml", {"constraints.criteria.tip={type=\"displacement\",marker="
                                                    "\"crank.pin\",time=\"mean\",upper=1.0}"}),
              says("remove [constraints.criteria]"));
  EXPECT_THAT(input_error_message([] { read(tiny({"optimizer.strategy=\"static\""})); }),
              HasSubstr("optimizer.strategy"));
}

}  // namespace
}  // namespace kurbel
