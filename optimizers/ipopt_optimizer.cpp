#include <fmt/format.h>

#include <IpIpoptApplication.hpp>
#include <IpIpoptCalculatedQuantities.hpp>
#include <IpIpoptData.hpp>
#include <IpOrigIpoptNLP.hpp>
#include <IpTNLP.hpp>
#include <IpTNLPAdapter.hpp>
#include <algorithm>
#include <cmath>

#include "optimizers/backends.hpp"
#include "optimizers/optimization_run.hpp"

namespace kurbel {
namespace {

constexpr int memory = 8;    // evaluations kept: the watchdog may return to an earlier iterate
constexpr int history = 20;  // steps in the Hessian; with 6, topologies needed twice the iterations
constexpr int quasi_dense_ordering = 6;    // QAMD: with others, MUMPS can fill in from a volume's dense row
constexpr double tolerance = 1e-7;         // of Ipopt, with gradients of order one per variable
constexpr double infinite = 2e19;          // beyond 1e19 Ipopt takes a bound as absent
constexpr double weak_barrier_gap = 1e-3;  // complementarity below which the design change counts
constexpr double near_gap = 1e-4;          // complementarity to begin with near an optimum
constexpr double near_push = 1e-5;         // and how far the start is kept from bounds, in units of them
constexpr double nearly_full_step = 0.9;   // shorter ones are small for another reason than convergence
constexpr double first_move = 0.1;  // longest first step along the objective, in ranges, under equalities
constexpr double least_allowance = 1.5;  // sum of violations that steps may have then

/// Leaves Ipopt from within an evaluation.
struct EndOfRun {};

double as_bound(double value) {
  return std::isfinite(value) ? value : std::copysign(infinite, value);
}

/// Ipopt's view of the problem.
class Adapter : public Ipopt::TNLP {
 public:
  using Index = Ipopt::Index;
  using Number = Ipopt::Number;

  Adapter(OptimizationRun& run, Nlp& nlp)
      : run_(run),
        nlp_(nlp),
        factor_(static_cast<double>(nlp.n_variables())),
        sparsity_(nlp.constraint_sparsity()) {
    if (sparsity_.empty()) {
      for (int i = 0; i < nlp.n_constraints(); ++i)
        for (int j = 0; j < nlp.n_variables(); ++j) sparsity_.emplace_back(i, j);
    }
    n_barriers_ = static_cast<double>(nlp.n_constraints() - nlp.n_equalities());
    for (Eigen::Index i = 0; i < nlp.n_variables(); ++i) {
      if (nlp.lower()[i] == nlp.upper()[i]) continue;
      n_barriers_ += std::isfinite(nlp.lower()[i]) + std::isfinite(nlp.upper()[i]);
    }
  }

  bool has_equalities() const { return nlp_.n_equalities() > 0; }
  /// Common factor of objective and constraints.
  double factor() const { return factor_; }
  /// The barrier parameter at which complementarity, summed over bounds and constraints, is that part of the
  /// scaled objective.
  double barrier(double gap) const { return factor_ * gap / std::max(1.0, n_barriers_); }

  /// The Hessian before there are steps to take it from. With it, the objective alone moves no variable by more than
  /// first_move of its range. With Ipopt's own, 1, a duration goes to its bound at once, and far from equalities, whose
  /// curvature the step does not know.
  double first_hessian(const Evaluation& start) const {
    const VectorXd range = nlp_.upper() - nlp_.lower();
    double steepest = 0.0;
    for (Eigen::Index i = 0; i < range.size(); ++i)
      if (range[i] > 0.0 && std::isfinite(range[i]))
        steepest = std::max(steepest, std::abs(start.gradient[i]) / range[i]);
    return std::max(1.0, factor_ * steepest / (run_.objective_scale() * first_move));
  }

  double violation(const Evaluation& at) const {
    const Eigen::Index n = nlp_.n_equalities();
    return at.constraints.head(n).lpNorm<1>() +
           at.constraints.tail(nlp_.n_constraints() - n).cwiseMax(0.0).sum();
  }

  /// Ipopt accepts steps up to this many times the start's violation. Its own factor is 1e4, with which a motion that
  /// nearly arrives at its target tumbles.
  double growth(const Evaluation& start) const {
    return std::max(1.0, factor_ * least_allowance / std::max(1.0, factor_ * violation(start)));
  }

  bool get_nlp_info(Index& n, Index& m, Index& nnz_jac_g, Index& nnz_h_lag, IndexStyleEnum& style) override {
    n = static_cast<Index>(nlp_.n_variables());
    m = static_cast<Index>(nlp_.n_constraints());
    nnz_jac_g = static_cast<Index>(sparsity_.size());
    nnz_h_lag = 0;
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* x_l, Number* x_u, Index m, Number* g_l, Number* g_u) override {
    for (Index i = 0; i < n; ++i) {
      x_l[i] = as_bound(nlp_.lower()[i]);
      x_u[i] = as_bound(nlp_.upper()[i]);
    }
    for (Index i = 0; i < m; ++i) {
      g_l[i] = i < nlp_.n_equalities() ? 0.0 : -infinite;
      g_u[i] = 0.0;
    }
    return true;
  }

  bool get_starting_point(Index n, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    Eigen::Map<VectorXd>(x, n) = run_.start();
    return true;
  }

  bool eval_f(Index n, const Number* x, bool, Number& value) override {
    const Evaluation* e = at(n, x);
    if (e == nullptr) return false;
    value = factor_ * e->objective / run_.objective_scale();
    return true;
  }

  bool eval_grad_f(Index n, const Number* x, bool, Number* gradient) override {
    const Evaluation* e = at(n, x);
    if (e == nullptr) return false;
    Eigen::Map<VectorXd>(gradient, n) = factor_ * e->gradient / run_.objective_scale();
    return true;
  }

  bool eval_g(Index n, const Number* x, bool, Index m, Number* g) override {
    const Evaluation* e = at(n, x);
    if (e == nullptr) return false;
    Eigen::Map<VectorXd>(g, m) = factor_ * e->constraints;
    return true;
  }

  bool eval_jac_g(Index n, const Number* x, bool, Index, Index, Index* rows, Index* columns,
                  Number* values) override {
    if (values == nullptr) {
      for (std::size_t k = 0; k < sparsity_.size(); ++k) {
        rows[k] = sparsity_[k].first;
        columns[k] = sparsity_[k].second;
      }
      return true;
    }
    const Evaluation* e = at(n, x);
    if (e == nullptr) return false;
    for (std::size_t k = 0; k < sparsity_.size(); ++k) {
      values[k] = factor_ * e->constraint_gradients(sparsity_[k].first, sparsity_[k].second);
    }
    return true;
  }

  bool intermediate_callback(Ipopt::AlgorithmMode, Index, Number, Number, Number, Number mu, Number, Number,
                             Number, Number alpha_primal, Index, const Ipopt::IpoptData* data,
                             Ipopt::IpoptCalculatedQuantities* quantities) override {
    const auto* problem = dynamic_cast<Ipopt::OrigIpoptNLP*>(GetRawPtr(quantities->GetIpoptNLP()));
    if (problem == nullptr) return !run_.stopped();  // restoration phase: not a design of this problem
    auto* variables =
        dynamic_cast<Ipopt::TNLPAdapter*>(GetRawPtr(const_cast<Ipopt::OrigIpoptNLP*>(problem)->nlp()));
    VectorXd x(nlp_.n_variables());
    variables->ResortX(*data->curr()->x(), x.data());
    if (x == run_.accepted()) return !run_.stopped();
    const Evaluation* e = at(static_cast<Index>(x.size()), x.data());
    return e == nullptr ? !run_.stopped()
                        : run_.accept(x, *e,
                                      alpha_primal > nearly_full_step &&
                                          n_barriers_ * mu <= factor_ * weak_barrier_gap);
  }

  void finalize_solution(Ipopt::SolverReturn, Index, const Number*, const Number*, const Number*, Index,
                         const Number*, const Number*, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {}

 private:
  const Evaluation* at(Index n, const Number* x) {
    const Evaluation* e = run_.evaluate(Eigen::Map<const VectorXd>(x, n));
    if (run_.stopped()) throw EndOfRun{};
    return e;
  }

  OptimizationRun& run_;
  Nlp& nlp_;
  double factor_;
  std::vector<std::pair<int, int>> sparsity_;
  double n_barriers_ = 0.0;
};

const char* in_words(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Solve_Succeeded:
      return "Ipopt has converged to an optimum";
    case Ipopt::Solved_To_Acceptable_Level:
      return "Ipopt has converged to its acceptable tolerance";
    case Ipopt::Infeasible_Problem_Detected:
      return "Ipopt finds no feasible design near where it came to";
    case Ipopt::Search_Direction_Becomes_Too_Small:
      return "Ipopt can not improve the design any further: its steps became too small";
    case Ipopt::Diverging_Iterates:
      return "Ipopt's iterates diverge: the problem seems to be unbounded";
    case Ipopt::User_Requested_Stop:
      return "stopped";
    case Ipopt::Feasible_Point_Found:
      return "Ipopt found a feasible design";
    case Ipopt::Maximum_Iterations_Exceeded:
      return "Ipopt's own limit of iterations is reached";
    case Ipopt::Restoration_Failed:
      return "Ipopt could not find its way back to feasible designs";
    case Ipopt::Error_In_Step_Computation:
      return "Ipopt could not compute a step";
    case Ipopt::Maximum_CpuTime_Exceeded:
      return "Ipopt's time limit is reached";
    case Ipopt::Not_Enough_Degrees_Of_Freedom:
      return "there are more equalities than free variables";
    case Ipopt::Invalid_Problem_Definition:
      return "Ipopt does not accept the problem";
    case Ipopt::Invalid_Option:
      return "Ipopt does not accept an option";
    case Ipopt::Invalid_Number_Detected:
      return "an evaluation failed where Ipopt could not step back";
    case Ipopt::Unrecoverable_Exception:
      return "Ipopt met an error from which it could not recover";
    case Ipopt::NonIpopt_Exception_Thrown:
      return "an error outside Ipopt ended the run";
    case Ipopt::Insufficient_Memory:
      return "Ipopt ran out of memory";
    case Ipopt::Internal_Error:
      return "Ipopt met an internal error";
  }
  return "Ipopt ended for a reason of its own";
}

class IpoptOptimizer : public Optimizer {
 public:
  explicit IpoptOptimizer(const OptimizerOptions& options) : options_(options) {}

  OptimizerResult minimize(Nlp& nlp, const VectorXd& start, const IterationCallback& callback) override {
    OptimizationRun run(options_, nlp, start, callback, memory);
    const Evaluation* start_values = run.begin();
    if (run.stopped()) return run.result();

    Ipopt::SmartPtr<Ipopt::IpoptApplication> application = new Ipopt::IpoptApplication(false);
    Ipopt::SmartPtr<Adapter> adapter = new Adapter(run, nlp);
    configure(*application, *adapter, *start_values);
    try {
      const Ipopt::ApplicationReturnStatus status = application->OptimizeTNLP(adapter);
      const bool failed = status == Ipopt::Invalid_Number_Detected && run.status().failed();
      const bool too_many = status == Ipopt::Maximum_Iterations_Exceeded;
      if (failed) run.stop_by_failure();
      if (too_many) run.stop(StopReason::iterations, ending_by_own_limit());
      run.stop(StopReason::solver, in_words(status));
    } catch (const EndOfRun&) {
    }
    return run.result();
  }

 private:
  int own_limit() const { return std::max(1, options_.max_iterations); }
  std::string ending_by_own_limit() const {
    return fmt::format("Ipopt's own limit of {} iterations, with those of its restoration phase, is reached",
                       own_limit());
  }

  /// Keeps the first steps short, and violations small, where the objective is one variable, as a duration is. Others
  /// have curvature, and may need steps away from the start: cart_least_energy.toml finds no optimum with it.
  void stay_near(Ipopt::OptionsList& options, const Adapter& adapter, const Evaluation& start) const {
    const double hessian = adapter.first_hessian(start);
    const bool is_one_variable = (start.gradient.array() != 0.0).count() == 1;
    if (!is_one_variable || !adapter.has_equalities() || hessian <= 1.0) return;
    options.SetNumericValue("limited_memory_init_val", hessian);
    options.SetNumericValue("theta_max_fact", adapter.growth(start));
  }

  void configure(Ipopt::IpoptApplication& application, const Adapter& adapter,
                 const Evaluation& start) const {
    application.RethrowNonIpoptException(true);
    auto options = application.Options();
    options->SetStringValue("sb", "yes");
    options->SetIntegerValue("print_level", 0);
    options->SetStringValue("hessian_approximation", "limited-memory");
    options->SetNumericValue("bound_relax_factor", 0.0);
    options->SetIntegerValue("limited_memory_max_history", history);
    options->SetNumericValue("tol", tolerance);
    options->SetIntegerValue("acceptable_iter", 0);
    options->SetNumericValue("constr_viol_tol", adapter.factor() * options_.feasibility);
    options->SetIntegerValue("mumps_pivot_order", quasi_dense_ordering);
    options->SetIntegerValue("max_iter", own_limit());
    stay_near(*options, adapter, start);
    if (options_.near_optimum) {
      options->SetNumericValue("mu_init", adapter.barrier(near_gap));
      options->SetStringValue("bound_mult_init_method", "mu-based");
      for (const char* push : {"bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac"})
        options->SetNumericValue(push, near_push);
    }
    application.Initialize("");
  }

  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_ipopt_optimizer(const OptimizerOptions& options) {
  return std::make_unique<IpoptOptimizer>(options);
}

}  // namespace kurbel
