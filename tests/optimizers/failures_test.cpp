// Bad input, failing evaluations, exceptions.
#include <gtest/gtest.h>

#include "optimizers/best_design.hpp"
#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

OptimizerOptions options_for(const std::string& method) {
  OptimizerOptions options;
  options.method = method;
  options.max_iterations = 100;
  return options;
}

ToyProblem problem_for(const std::string& method) {
  return is_for_bounds_only(method) ? rosenbrock() : with_positive_sensitivities();
}

template <class Action>
std::string input_error(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MakeOptimizer, SuggestsTheNearestMethod) {
  EXPECT_EQ(input_error([] { make_optimizer(options_for("ipotp")); }),
            "unknown optimization method \"ipotp\"; did you mean \"ipopt\"?");
  EXPECT_EQ(
      input_error([] { make_optimizer(options_for("simplex")); }),
      "unknown optimization method \"simplex\"; allowed: \"oc\", \"mma\", \"gcmma\", \"mma-bfgs\", \"ccsa\", "
      "\"nlopt-mma\", "
      "\"bfgs\", \"lbfgs\", \"auglag\", \"ipopt\"");
  EXPECT_NE(input_error([] { make_optimizer(options_for("MMA")); }).find("did you mean \"mma\""),
            std::string::npos);
}

TEST(MakeOptimizer, RefusesOptionsOutOfRange) {
  const auto message = [](auto change) {
    OptimizerOptions options;
    change(options);
    return input_error([&] { make_optimizer(options); });
  };
  EXPECT_EQ(message([](auto& o) { o.max_iterations = -1; }),
            "optimizer option max_iterations = -1 is outside [0, inf)");
  EXPECT_EQ(message([](auto& o) { o.design_change = -0.5; }),
            "optimizer option design_change = -0.5 is outside [0, inf)");
  EXPECT_EQ(message([](auto& o) { o.design_change_iterations = 0; }),
            "optimizer option design_change_iterations = 0 is outside [1, inf)");
  EXPECT_EQ(message([](auto& o) { o.kkt_residual = std::nan(""); }),
            "optimizer option kkt_residual = nan is outside [0, inf)");
  EXPECT_EQ(message([](auto& o) { o.wall_time = -1.0; }),
            "optimizer option wall_time = -1 is outside [0, inf)");
  EXPECT_EQ(message([](auto& o) { o.feasibility = 0.0; }),
            "optimizer option feasibility = 0 is outside (0, inf)");
  EXPECT_EQ(message([](auto& o) { o.move_limit = 0.0; }),
            "optimizer option move_limit = 0 is outside (0, inf)");
  EXPECT_EQ(message([](auto& o) { o.oc_damping = 1.5; }),
            "optimizer option oc_damping = 1.5 is outside (0, 1]");
}

TEST(Optimizers, RefuseProblemClassesTheyCanNotTreat) {
  ToyProblem equality = hock_schittkowski_71(), one = reciprocal(), none = rosenbrock();
  const auto message = [](const char* method, ToyProblem& p) {
    return input_error([&] { make_optimizer(options_for(method))->minimize(p, p.start, {}); });
  };
  EXPECT_EQ(message("oc", equality),
            "optimality criteria (\"oc\") need exactly one constraint, an inequality such as the volume; "
            "this problem "
            "has 1 equalities and 1 inequalities; \"mma\" or \"ipopt\" can treat more");
  EXPECT_NE(message("oc", none).find("0 equalities and 0 inequalities"), std::string::npos);
  EXPECT_NE(message("nlopt-mma", equality).find("\"nlopt-mma\" treats inequalities"), std::string::npos);
  EXPECT_NE(message("ccsa", equality).find("\"ccsa\" treats inequalities only"), std::string::npos);
  EXPECT_NE(message("lbfgs", one).find("\"lbfgs\" treats bounds only"), std::string::npos);
  EXPECT_NE(message("bfgs", one).find("\"bfgs\" treats bounds only"), std::string::npos);
  EXPECT_EQ(equality.n_evaluated + one.n_evaluated + none.n_evaluated, 0);
  EXPECT_FALSE(why_unsuitable("ipopt", 7, 3));
  EXPECT_FALSE(why_unsuitable("auglag", 7, 3));
  EXPECT_FALSE(why_unsuitable("mma", 7, 3));
  EXPECT_FALSE(why_unsuitable("oc", 1, 0));
  EXPECT_TRUE(why_unsuitable("oc", 1, 1));
}

TEST(Optimizers, RefuseUnusableBoundsAndStarts) {
  for (const std::string& method : optimizer_methods) {
    ToyProblem p = problem_for(method);
    const auto minimize = [&](Nlp& nlp, const VectorXd& start) {
      return input_error([&] { make_optimizer(options_for(method))->minimize(nlp, start, {}); });
    };
    EXPECT_NE(minimize(p, VectorXd::Ones(7)).find("one per variable"), std::string::npos);
    VectorXd start = p.start;
    start[1] = std::nan("");
    EXPECT_NE(minimize(p, start).find("not finite"), std::string::npos);
    VectorXd lower = p.lower();
    lower[1] = 3.0;
    ToyProblem crossed(lower, p.upper(), p.n_constraints(), 0, {});
    EXPECT_NE(minimize(crossed, p.start).find("bounds of variable 1 contradict"), std::string::npos);
    ToyProblem empty(VectorXd(), VectorXd(), p.n_constraints(), 0, {});
    EXPECT_NE(minimize(empty, VectorXd()).find("nothing to optimize"), std::string::npos);
  }
}

TEST(Optimizers, MoveAStartIntoTheBounds) {
  for (const std::string& method : optimizer_methods) {
    ToyProblem p = problem_for(method);
    make_optimizer(options_for(method))->minimize(p, p.start + 10.0 * p.upper(), [](const auto& r) {
      return r.iteration < 2;
    });
    EXPECT_EQ(p.requested.front(), p.upper()) << method;
  }
}

TEST(Optimizers, ReportAStartThatCanNotBeEvaluated) {
  for (const std::string& method : optimizer_methods) {
    ToyProblem p = problem_for(method);
    p.fail_at = 1;
    int reports = 0;
    const OptimizerResult result =
        make_optimizer(options_for(method))->minimize(p, p.start, [&](const auto&) {
          ++reports;
          return true;
        });
    EXPECT_EQ(result.reason, StopReason::failure) << method;
    EXPECT_EQ(result.x, p.start);
    EXPECT_EQ(result.evaluation.gradient.size(), 0);
    ASSERT_TRUE(result.status.failed());
    EXPECT_EQ(result.status.failure().what, "the toy broke");
    EXPECT_EQ(result.message, "the toy broke, in toy; mend it");
    EXPECT_EQ(reports, 0);
    EXPECT_EQ(p.n_evaluated, 1);
  }
}

TEST(Optimizers, TakeAShorterStepWhereAnEvaluationFails) {
  for (const std::string& method : optimizer_methods) {
    for (const int fail_at : {2, 3, 5}) {
      ToyProblem p = problem_for(method);
      p.fail_at = fail_at;
      OptimizerOptions options = options_for(method);
      options.design_change = 0.0;
      options.kkt_residual = 1e-6;
      options.feasibility = 1e-8;  // lets f be so much lower; f grows with the square of the distance
      const OptimizerResult result = make_optimizer(options)->minimize(p, p.start, {});
      EXPECT_NE(result.reason, StopReason::failure) << method << " " << result.message;
      EXPECT_FALSE(result.status.failed());
      EXPECT_LT((result.x - p.optimum).lpNorm<Eigen::Infinity>(), 1e-4) << method << " " << result.message;
      EXPECT_NE(p.requested[fail_at], p.requested[fail_at - 1]);
    }
  }
}

/// Nothing can be evaluated beyond a wall between the start and the optimum.
TEST(Optimizers, StayOnThisSideOfDesignsThatFail) {
  for (const std::string& method : optimizer_methods) {
    ToyProblem p = problem_for(method);
    const double wall = 0.5 * (p.start[0] + p.optimum[0]);
    const auto is_beyond = [&](const VectorXd& x) { return (x[0] - wall) * (p.start[0] - wall) < 0.0; };
    ToyProblem walled(p.lower(), p.upper(), p.n_constraints(), 0, [&](const VectorXd& x, Evaluation& e) {
      if (is_beyond(x)) return Status{Failure{"too far", "", ""}};
      return p.evaluate(x, e);
    });
    double best = infinity, lowest = infinity, start = infinity;
    const OptimizerResult result =
        make_optimizer(options_for(method))->minimize(walled, p.start, [&](const IterationReport& r) {
          if (r.iteration == 0) start = r.evaluation->objective;
          lowest = std::min(lowest, r.evaluation->objective);
          if (infeasibility(*r.evaluation, 0) <= 1e-6) best = std::min(best, r.evaluation->objective);
          return true;
        });
    EXPECT_FALSE(is_beyond(result.x)) << method;
    EXPECT_TRUE(result.feasible) << method;
    EXPECT_LE(result.evaluation.objective, best) << method;
    EXPECT_GT(walled.n_evaluated, p.n_evaluated) << method;
    EXPECT_LT(lowest, start) << method;
  }
}

TEST(Optimizers, GiveUpWhereEveryStepFails) {
  for (const std::string& method : optimizer_methods) {
    ToyProblem p = problem_for(method);
    ToyProblem broken(p.lower(), p.upper(), p.n_constraints(), 0, [&](const VectorXd& x, Evaluation& e) {
      if (x != p.start) return Status{Failure{"too far", "", ""}};
      return p.evaluate(x, e);
    });
    const OptimizerResult result = make_optimizer(options_for(method))->minimize(broken, p.start, {});
    EXPECT_EQ(result.reason, StopReason::failure) << method;
    EXPECT_TRUE(result.message.ends_with("too far")) << result.message;
    EXPECT_EQ(
        broken.n_evaluated == 31,
        result.message == "the evaluation of 30 designs in a row failed, that of the last one by: too far")
        << method;
    EXPECT_EQ(result.x, p.start);
    EXPECT_LE(broken.n_evaluated, 31) << method;
  }
}

/// Its restoration phase takes iterations that are none of ours.
TEST(Optimizers, NameTheOwnLimitOfIpopt) {
  ToyProblem p = infeasible();
  OptimizerOptions options = options_for("ipopt");
  options.max_iterations = 4;
  options.name_of_iterations = "optimizer.stop.iterations = 40";
  options.design_change = 0.0;
  const OptimizerResult result = make_optimizer(options)->minimize(p, p.start, {});
  EXPECT_EQ(result.reason, StopReason::iterations);
  EXPECT_LT(result.iterations, 4);
  EXPECT_EQ(result.ending,
            "Ipopt's own limit of 4 iterations, with those of its restoration phase, is reached");
}

TEST(Optimizers, TakeAValueThatIsNotFiniteForAFailure) {
  for (const std::string& method : optimizer_methods) {
    ToyProblem p = problem_for(method);
    ToyProblem broken(p.lower(), p.upper(), p.n_constraints(), 0, [&](const VectorXd& x, Evaluation& e) {
      const Status status = p.evaluate(x, e);
      e.gradient[1] = std::nan("");
      return status;
    });
    const OptimizerResult result = make_optimizer(options_for(method))->minimize(broken, p.start, {});
    EXPECT_EQ(result.reason, StopReason::failure);
    EXPECT_EQ(result.message, "the gradient of the objective is not a finite number");
  }
}

TEST(Optimizers, PassExceptionsThrough) {
  struct DiskFull {};
  for (const std::string& method : optimizer_methods) {
    ToyProblem p = problem_for(method);
    EXPECT_THROW(make_optimizer(options_for(method))
                     ->minimize(p, p.start,
                                [](const IterationReport& r) -> bool {
                                  if (r.iteration == 2) throw DiskFull{};
                                  return true;
                                }),
                 DiskFull)
        << method;
    int n = 0;
    ToyProblem throwing(p.lower(), p.upper(), p.n_constraints(), 0, [&](const VectorXd& x, Evaluation& e) {
      if (++n == 3) throw DiskFull{};
      return p.evaluate(x, e);
    });
    EXPECT_THROW(make_optimizer(options_for(method))->minimize(throwing, p.start, {}), DiskFull) << method;
    EXPECT_EQ(n, 3);
  }
}

TEST(Optimizers, WriteNothingToTheConsole) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  for (const std::string& method : optimizer_methods) {
    ToyProblem p = problem_for(method);
    make_optimizer(options_for(method))->minimize(p, p.start, {});
    if (is_for_bounds_only(method)) continue;
    ToyProblem q = infeasible();
    make_optimizer(options_for(method))->minimize(q, q.start, {});
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Optimizers, CanBeUsedAgain) {
  for (const std::string& method : optimizer_methods) {
    const auto optimizer = make_optimizer(options_for(method));
    ToyProblem p = problem_for(method), q = problem_for(method);
    const OptimizerResult first = optimizer->minimize(p, p.start, {}),
                          second = optimizer->minimize(q, q.start, {});
    EXPECT_EQ(first.x, second.x) << method;
    EXPECT_EQ(first.evaluations, second.evaluations);
  }
}

}  // namespace
}  // namespace kurbel
