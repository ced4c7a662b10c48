#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "optimizers/backends.hpp"
#include "optimizers/optimization_run.hpp"

namespace kurbel {
namespace {

using Eigen::Index;
using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Handle = std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)>;

constexpr int max_fruitless = 25;        // evaluations without improvement, after which a run ends
constexpr double slack_fraction = 1e-2;  // slack of the inequalities, in units of the feasibility tolerance
constexpr double inner_tolerance =
    1e-9;                               // relative, at which the augmented Lagrangian updates its multipliers
constexpr int inner_evaluations = 500;  // at most, between two such updates
constexpr unsigned bfgs_memory = 1000;  // steps: more than a run takes
constexpr unsigned lbfgs_memory = 20;

/// By which rule NLopt's CCSA methods take a new design [K. Svanberg, SIAM J. Optim. 12 (2002) 555, as in
/// NLopt].
class Merit {
 public:
  Merit(Index n_equalities, double slack) : n_equalities_(n_equalities), slack_(slack) {}

  bool improved_by(const Evaluation& e) {
    const double violation = std::max(0.0, infeasibility(e, n_equalities_) - slack_);
    const bool lower = e.objective < objective_ && (violation <= slack_ || !feasible_);
    if (!first_ && !lower && (feasible_ || violation >= violation_)) return false;
    first_ = false;
    objective_ = e.objective;
    violation_ = violation;
    feasible_ = feasible_ || violation == 0.0;
    return true;
  }

 private:
  Index n_equalities_;
  double slack_;
  bool first_ = true, feasible_ = false;
  double objective_ = 0.0, violation_ = 0.0;
};

/// One minimization: what the callbacks of NLopt work on.
class NloptRun {
 public:
  NloptRun(const OptimizerOptions& options, Nlp& nlp, const VectorXd& start,
           const IterationCallback& callback)
      : run_(options, nlp, start, callback, 2),
        nlp_(nlp),
        merit_(nlp.n_equalities(), slack_fraction * options.feasibility),
        slack_(slack_fraction * options.feasibility),
        tolerance_(options.feasibility),
        is_auglag_(options.method == "auglag"),
        is_ccsa_(options.method == "nlopt-mma" || options.method == "ccsa"),
        opt_(nlopt_create(algorithm(options.method), static_cast<unsigned>(nlp.n_variables())),
             nlopt_destroy) {
    if (options.method == "bfgs") nlopt_set_vector_storage(opt_.get(), bfgs_memory);
    if (options.method == "lbfgs") nlopt_set_vector_storage(opt_.get(), lbfgs_memory);
  }

  OptimizerResult minimize() {
    const Evaluation* e = run_.begin();
    if (run_.stopped()) return run_.result();
    merit_.improved_by(*e);
    last_ = run_.start();
    set_up(*e);
    VectorXd x = run_.start();
    double value = 0.0;
    const nlopt_result code = nlopt_optimize(opt_.get(), x.data(), &value);
    if (thrown_) std::rethrow_exception(thrown_);
    if (in_the_way_.failed()) run_.stop_by_failure(in_the_way_);
    run_.stop(StopReason::solver, in_words(code));
    return run_.result();
  }

 private:
  static nlopt_algorithm algorithm(const std::string& method) {
    if (method == "nlopt-mma") return NLOPT_LD_MMA;
    if (method == "ccsa") return NLOPT_LD_CCSAQ;
    if (method == "bfgs" || method == "lbfgs") return NLOPT_LD_LBFGS;
    return NLOPT_AUGLAG;
  }

  static const char* in_words(nlopt_result code) {
    switch (code) {
      case NLOPT_FAILURE:
        return "NLopt can not improve the design any further";
      case NLOPT_INVALID_ARGS:
        return "NLopt does not accept the problem";
      case NLOPT_OUT_OF_MEMORY:
        return "NLopt ran out of memory";
      case NLOPT_ROUNDOFF_LIMITED:
        return "NLopt can not improve the design any further because of rounding errors";
      case NLOPT_SUCCESS:
      case NLOPT_STOPVAL_REACHED:
      case NLOPT_FTOL_REACHED:
      case NLOPT_XTOL_REACHED:
      case NLOPT_MAXEVAL_REACHED:
      case NLOPT_MAXTIME_REACHED:
      case NLOPT_FORCED_STOP:
      case NLOPT_NUM_FAILURES:
      case NLOPT_NUM_RESULTS:
        break;
    }
    return "NLopt has converged";
  }

  void set_up(const Evaluation& first) {
    const double n = static_cast<double>(nlp_.n_variables());
    constraint_factor_ = is_ccsa_ ? n : 1.0;
    objective_factor_ = constraint_factor_ / run_.objective_scale();
    accepted_value_ = objective_factor_ * first.objective;
    accepted_constraints_ = first.constraints;
    nlopt_set_min_objective(opt_.get(), objective, this);
    nlopt_set_lower_bounds(opt_.get(), nlp_.lower().data());
    nlopt_set_upper_bounds(opt_.get(), nlp_.upper().data());
    const Index n_equalities = nlp_.n_equalities(), n_inequalities = nlp_.n_constraints() - n_equalities;
    const std::vector<double> tolerances(nlp_.n_constraints(), is_auglag_ ? tolerance_ : 0.0);
    if (n_equalities > 0) {
      nlopt_add_equality_mconstraint(opt_.get(), static_cast<unsigned>(n_equalities), equalities, this,
                                     tolerances.data());
    }
    if (n_inequalities > 0) {
      nlopt_add_inequality_mconstraint(opt_.get(), static_cast<unsigned>(n_inequalities), inequalities, this,
                                       tolerances.data());
    }
    if (!is_auglag_) return;
    const Handle inner(nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(nlp_.n_variables())),
                       nlopt_destroy);
    nlopt_set_ftol_rel(inner.get(), inner_tolerance);
    nlopt_set_maxeval(inner.get(), inner_evaluations);
    nlopt_set_local_optimizer(opt_.get(), inner.get());
    nlopt_set_ftol_rel(opt_.get(), inner_tolerance);
  }

  bool has_ended() const { return thrown_ || run_.stopped(); }

  /// The evaluation at NLopt's x, or nullptr where it fails or the run has to end.
  const Evaluation* at(const double* x) {
    if (has_ended()) return nullptr;  // the line search of L-BFGS may ask on after the stop
    try {
      return run_.evaluate(Eigen::Map<const VectorXd>(x, nlp_.n_variables()));
    } catch (...) {
      thrown_ = std::current_exception();
      return nullptr;
    }
  }

  /// Counts and reports a design at which NLopt asks for the objective.
  void visit(const double* x, const Evaluation& e) {
    const VectorXd design = Eigen::Map<const VectorXd>(x, nlp_.n_variables());
    const bool is_new = design != last_;
    last_ = design;
    if (is_new && (is_auglag_ || merit_.improved_by(e))) {
      fruitless_ = 0;
      try {
        keep_for_wall(e);
        run_.accept(design, e, !is_auglag_);
      } catch (...) {
        thrown_ = std::current_exception();
      }
    } else if (++fruitless_ > max_fruitless) {
      if (in_the_way_.failed()) run_.stop_by_failure(in_the_way_);
      run_.stop(StopReason::solver,
                fmt::format("NLopt has tried {} designs in a row that are no better", fruitless_));
    }
  }

  /// Keeps the design that a wall is raised from: the one accepted last; of the augmented Lagrangian, whose line
  /// searches do not say what they accept, the worst that was seen.
  void keep_for_wall(const Evaluation& e) {
    const double value = objective_factor_ * e.objective;
    if (!is_auglag_ || accepted_constraints_.size() == 0) {
      accepted_value_ = value, accepted_constraints_ = e.constraints;
      return;
    }
    accepted_value_ = std::max(accepted_value_, value);
    for (Index i = 0; i < e.constraints.size(); ++i) {
      const bool is_worse = i < nlp_.n_equalities()
                                ? std::abs(e.constraints[i]) > std::abs(accepted_constraints_[i])
                                : e.constraints[i] > accepted_constraints_[i];
      if (is_worse) accepted_constraints_[i] = e.constraints[i];
    }
  }

  /// Values in place of those of a failed evaluation, seen from x_k, too high to be accepted:
  ///     f_k + c |x - x_k|^2 / |d|^2,  c = 10 max(1, |f_k|), with its gradient at x = x_k + d,
  /// beside the constraints of x_k. A line search interpolates a shorter step from it; the CCSA methods make their
  /// approximations more convex by up to ten times.
  double wall(const double* x, double* gradient) {
    in_the_way_ = run_.status();
    const VectorXd d = Eigen::Map<const VectorXd>(x, nlp_.n_variables()) - run_.accepted();
    const double c = 10.0 * std::max(1.0, std::abs(accepted_value_));
    if (gradient != nullptr) Eigen::Map<VectorXd>(gradient, d.size()) = (2.0 * c / d.squaredNorm()) * d;
    return accepted_value_ + c;
  }

  static double objective(unsigned n, const double* x, double* gradient, void* data) {
    NloptRun& self = *static_cast<NloptRun*>(data);
    const Evaluation* e = self.at(x);
    if (e == nullptr && !self.has_ended()) return self.wall(x, gradient);
    if (self.run_.accepted() != Eigen::Map<const VectorXd>(x, n)) self.in_the_way_ = {};
    if (e != nullptr) self.visit(x, *e);
    if (e == nullptr || self.has_ended()) {
      nlopt_force_stop(self.opt_.get());
      if (gradient != nullptr) std::fill_n(gradient, n, 0.0);
      return HUGE_VAL;
    }
    if (gradient != nullptr) Eigen::Map<VectorXd>(gradient, n) = self.objective_factor_ * e->gradient;
    return self.objective_factor_ * e->objective;
  }

  void constraints(Index first, double slack, unsigned m, double* values, unsigned n, const double* x,
                   double* gradients) {
    Eigen::Map<VectorXd> g(values, m);
    Eigen::Map<RowMajorMatrix> dg(gradients, gradients != nullptr ? m : 0, gradients != nullptr ? n : 0);
    const Evaluation* e = at(x);
    const VectorXd& values_seen = e != nullptr ? e->constraints : accepted_constraints_;
    g = constraint_factor_ * (values_seen.segment(first, m).array() - slack);
    if (e != nullptr) {
      if (gradients != nullptr) dg = constraint_factor_ * e->constraint_gradients.middleRows(first, m);
      return;
    }
    dg.setZero();
    if (has_ended()) nlopt_force_stop(opt_.get());
  }

  static void equalities(unsigned m, double* values, unsigned n, const double* x, double* gradients,
                         void* data) {
    static_cast<NloptRun*>(data)->constraints(0, 0.0, m, values, n, x, gradients);
  }

  static void inequalities(unsigned m, double* values, unsigned n, const double* x, double* gradients,
                           void* data) {
    NloptRun& self = *static_cast<NloptRun*>(data);
    self.constraints(self.nlp_.n_equalities(), self.slack_, m, values, n, x, gradients);
  }

  OptimizationRun run_;
  Nlp& nlp_;
  Merit merit_;
  double slack_, tolerance_;
  bool is_auglag_, is_ccsa_;
  Handle opt_;
  double objective_factor_ = 1.0, constraint_factor_ = 1.0;
  double accepted_value_ = 0.0;  ///< of the objective, as NLopt sees it, at the last iteration
  VectorXd accepted_constraints_;
  Status in_the_way_;  ///< a failure, if all evaluations since the last iteration failed
  VectorXd last_;      ///< the design that NLopt evaluated last
  int fruitless_ = 0;
  std::exception_ptr thrown_;
};

class NloptOptimizer : public Optimizer {
 public:
  explicit NloptOptimizer(const OptimizerOptions& options) : options_(options) {}

  OptimizerResult minimize(Nlp& nlp, const VectorXd& start, const IterationCallback& callback) override {
    return NloptRun(options_, nlp, start, callback).minimize();
  }

 private:
  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_nlopt_optimizer(const OptimizerOptions& options) {
  return std::make_unique<NloptOptimizer>(options);
}

}  // namespace kurbel
