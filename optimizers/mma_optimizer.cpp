#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <vector>

#include "optimizers/backends.hpp"
#include "optimizers/mma_approximation.hpp"
#include "optimizers/optimization_run.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr double scaled_objective = 10.0;  // the scaled objective at the start ...
constexpr double smallest_part = 0.1;  // ... which is scaled anew below this part of it, or above its inverse
constexpr double smallest_weight = 10.0;      // of a violation in the merit function
constexpr double weight_of_multiplier = 2.0;  // the merit function is exact above the multiplier
constexpr double small_violation = 0.1;       // a violation below this may grow from one design to the next
constexpr std::size_t merit_memory = 3;       // designs whose merit a step may return to
constexpr int patience = 6;          // designs without a better merit, before the run returns to the best one
constexpr int most_returns = 2;      // to the same design
constexpr double part_of_rho = 0.5;  // with which the next iteration begins
constexpr double least_gain = 1e-6;  // of the merit, relative, below which a design is no better
constexpr double shorter_after_return = 0.25;  // of the steps
constexpr int max_trials = 15;                 // from one design, before its steps are shortened
constexpr double first_distance = 0.5;         // of the asymptotes, in ranges
constexpr double first_distance_near = 0.25;   // the same, near an optimum
constexpr double largest_move = 0.5;           // in ranges
constexpr double smallest_move = 1e-7;
constexpr double move_growth = 2.0;

/// One minimization by MMA with the conservatism of GCMMA.
class MmaRun {
 public:
  MmaRun(const OptimizerOptions& options, Nlp& nlp, const VectorXd& start, const IterationCallback& callback)
      : run_(options, nlp, start, callback, 2),
        nlp_(nlp),
        is_always_conservative_(options.method == "gcmma"),
        takes_curvature_(options.method == "mma-bfgs" || (options.near_optimum && options.patience > 1)),
        curvature_after_(is_always_conservative_ || takes_curvature_ ? std::nullopt
                                                                     : options.curvature_after),
        asymptotes_(options.near_optimum ? distance_near(options.first_move) : first_distance),
        move_(options.near_optimum ? options.first_move : largest_move),
        weights_(VectorXd::Constant(nlp.n_constraints(), smallest_weight)) {
    const VectorXd range = nlp.upper() - nlp.lower();
    for (Index i = 0; i < range.size(); ++i)
      if (range[i] > 0.0) free_.push_back(i);
    unit_.resize(n());
    for (Index j = 0; j < n(); ++j) {
      const double r = range[free_[j]];
      unit_[j] = std::isfinite(r) ? r : std::max(1.0, std::abs(run_.start()[free_[j]]));
    }
    lower_ = scaled(nlp.lower()), upper_ = scaled(nlp.upper());
    groups_ = VariableGroups(groups_of_free(options.method == "mma-bfgs"));
  }

  OptimizerResult minimize() {
    const Evaluation* start = run_.begin();
    if (!run_.stopped() && n() == 0) run_.stop(StopReason::solver, "no variable is free to change");
    if (run_.stopped()) return run_.result();
    x_ = run_.start();
    evaluation_ = *start;
    settle();
    scale_objective();
    remember();
    while (!run_.stopped()) iterate();
    return run_.result();
  }

 private:
  /// A design that was accepted, for the merit function.
  struct Visited {
    double objective;
    VectorXd violation;
  };

  /// Distance of the asymptotes where steps begin anew, as long as `move` at most.
  static double distance_near(double move) { return std::min(first_distance_near, 2.0 * move); }

  /// Groups of the free variables, numbered from 0 without gaps.
  /// @param is_one  whether there is one group whatever the problem says: mma-bfgs learns by B which variables are stiff
  std::vector<int> groups_of_free(bool is_one) const {
    const std::vector<int> all = nlp_.variable_groups();
    std::vector<int> groups(free_.size(), 0);
    if (is_one || all.empty()) return groups;
    std::map<int, int> numbers;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const int group = all[static_cast<std::size_t>(free_[j])];
      groups[j] = numbers.try_emplace(group, static_cast<int>(numbers.size())).first->second;
    }
    return groups;
  }

  Index n() const { return static_cast<Index>(free_.size()); }

  VectorXd scaled(const VectorXd& x) const { return x(free_).cwiseQuotient(unit_); }

  VectorXd values(const Evaluation& e) const {
    VectorXd values(1 + e.constraints.size());
    values << scale_ * e.objective, e.constraints;
    return values;
  }

  MmaFunctions functions(const Evaluation& e) const {
    MatrixXd gradients(1 + e.constraints.size(), n());
    gradients.row(0) = scale_ * e.gradient(free_).transpose();
    gradients.bottomRows(e.constraints.size()) = e.constraint_gradients(Eigen::all, free_);
    return {values(e), gradients * unit_.asDiagonal(), nlp_.n_equalities()};
  }

  double merit(const Visited& v) const { return scale_ * v.objective + weights_.dot(v.violation); }
  Visited visited(const Evaluation& e) const {
    const Index n = nlp_.n_equalities();
    VectorXd violation = e.constraints.cwiseMax(0.0);
    violation.head(n) = e.constraints.head(n).cwiseAbs();
    return {e.objective, std::move(violation)};
  }

  /// Keeps the scaled objective between a tenth of its value at the start and ten times that.
  void scale_objective() {
    const double value = std::abs(evaluation_.objective), part = scale_ * value / scaled_objective;
    if (value > 0.0 && (part < smallest_part || part > 1.0 / smallest_part)) {
      scale_ = scaled_objective / value;
      curvature_.clear();
    }
    if (scale_ == 0.0) scale_ = 1.0;
  }

  void remember() {
    visited_.push_back(visited(evaluation_));
    if (visited_.size() > memory_) visited_.pop_front();
    const bool is_first = best_.x.size() == 0;
    const double best = is_first ? 0.0 : merit(visited(best_.evaluation)), present = merit(visited_.back());
    since_best_ = is_first || present < best - least_gain * std::abs(best) ? 0 : since_best_ + 1;
    if (is_first || present < best) best_ = {x_, evaluation_}, returns_ = 0;
    if (since_best_ >= patience) return_to_best();
  }

  /// Tells the problem that the run is at x_. If its functions are others from here on, former designs are no measure.
  void settle() {
    const VectorXd before = evaluation_.constraints;
    nlp_.moved_to(x_, evaluation_);
    if (evaluation_.constraints == before) return;
    visited_.clear();
    best_ = {}, since_best_ = 0;
    run_.functions_changed();
  }

  /// Goes on from the best design with short steps that all improve it, for longer ones have led to no better design.
  void return_to_best() {
    if (++returns_ > most_returns) return give_up();
    x_ = best_.x, evaluation_ = best_.evaluation;
    settle();
    best_ = {x_, evaluation_};  // also of other functions, which have no best design yet
    visited_ = {visited(evaluation_)};
    memory_ = 1;
    since_best_ = 0;
    move_ *= shorter_after_return;
    asymptotes_ = MmaAsymptotes(distance_near(move_));
    rho_.resize(0, 0);
  }

  /// Ends the run, unless it has taken the curvature of few variables, which may hold steps back where active constraints bend:
  /// then it goes on from the best design without.
  void give_up() {
    if (!curvature_after_ || !takes_curvature_)
      return run_.stop(StopReason::solver, "no step improves the design any further");
    curvature_after_.reset();
    takes_curvature_ = false;
    returns_ = 0;
    move_ = largest_move;
    return_to_best();
  }

  /// Finds the next design and moves there.
  void iterate() {
    // B has all of the curvature if it keeps as many pairs as there are variables. Of more variables it would know a part, and be
    // stiffer than the functions in the rest.
    if (curvature_after_ && n() <= LagrangianCurvature::memory && n_iterations_++ >= *curvature_after_)
      takes_curvature_ = true;
    scale_objective();
    const VectorXd x = scaled(x_);
    const MmaFunctions here = functions(evaluation_);
    asymptotes_.update(x);
    MmaApproximation approximation(x, here, groups_, is_always_conservative_, rho_,
                                   takes_curvature_ ? &curvature_ : nullptr);
    for (int trials = 1; !run_.stopped(); ++trials) {
      const MmaTrial trial = approximation.minimize({lower_, upper_, asymptotes_, move_});
      VectorXd candidate = x_;
      candidate(free_) =
          trial.x.cwiseProduct(unit_).cwiseMax(nlp_.lower()(free_)).cwiseMin(nlp_.upper()(free_));
      const double length = (trial.x - x).lpNorm<Eigen::Infinity>();
      if (candidate == x_ || length < smallest_move * move_) return give_up();
      const Evaluation* found = run_.evaluate(candidate);
      if (run_.stopped()) return;
      if (found == nullptr) {
        if (!shorten(0.5 * length)) run_.stop_by_failure();
        continue;
      }
      update_weights(trial.lambda);
      const MmaFunctions there = functions(*found);
      if (takes_curvature_) curvature_.add(trial.x - x, approximation.gradient_difference(trial, there));
      const bool is_conservative = approximation.is_conservative(there.values);
      if (is_acceptable(*found, is_conservative)) {
        rho_ = part_of_rho * approximation.rho();
        return move(candidate, *found, length, trials, approximation.is_free());
      }
      // Shorter steps mend what the tangent planes of equalities leave out, and what more conservatism did not mend.
      if ((is_conservative || trials >= max_trials) && !shorten(0.25 * length)) return give_up();
      approximation.become_more_conservative(trial, there);
    }
  }

  /// @return whether steps can be as short
  bool shorten(double length) {
    move_ = std::min(move_, length);
    return move_ >= smallest_move;
  }

  /// The weights of inequalities grow with their multipliers. With equalities, all constraints have one weight, as they
  /// have one price in the subproblem, and it falls again by halves [Powell 1978]: after an infeasible start the steps
  /// need not follow the curves h = 0 closely.
  void update_weights(const VectorXd& lambda) {
    const VectorXd wanted = weight_of_multiplier * lambda.cwiseAbs();
    if (nlp_.n_equalities() == 0) {
      weights_ = weights_.cwiseMax(wanted);
      return;
    }
    const double largest = wanted.maxCoeff();
    weights_.setConstant(std::max({smallest_weight, largest, 0.5 * (weights_[0] + largest)}));
  }

  /// Conservative approximations of all functions suffice for the paper's proof; tangent planes of equalities are none.
  bool is_acceptable(const Evaluation& e, bool is_conservative) const {
    if (nlp_.n_equalities() > 0) return is_no_worse(e) && (is_conservative || !is_always_conservative_);
    return is_conservative || (!is_always_conservative_ && is_no_worse(e));
  }

  /// True if the merit is below that of one of the last designs and no violation has grown beyond what is small.
  bool is_no_worse(const Evaluation& e) const {
    double highest_merit = -HUGE_VAL;
    for (const Visited& v : visited_) highest_merit = std::max(highest_merit, merit(v));
    const Visited there = visited(e), here = visited(evaluation_);
    if (merit(there) > highest_merit) return false;
    return e.constraints.size() == 0 ||
           (nlp_.n_equalities() > 0 && here.violation.maxCoeff() > small_violation) ||
           there.violation.maxCoeff() <= std::max(small_violation, here.violation.maxCoeff());
  }

  void move(const VectorXd& x, const Evaluation& evaluation, double length, int trials, bool is_step_free) {
    x_ = x;
    evaluation_ = evaluation;
    settle();
    const bool is_cut = length > 0.99 * move_ && move_ < largest_move;
    if (trials <= 2) move_ = std::min(largest_move, move_growth * move_);
    run_.accept(x_, evaluation_, !is_cut && trials == 1 && is_step_free, takes_curvature_);
    remember();
  }

  OptimizationRun run_;
  Nlp& nlp_;
  bool is_always_conservative_;
  bool takes_curvature_;                ///< from the start, near an optimum, or after some iterations
  std::optional<int> curvature_after_;  ///< iterations; none: takes_curvature_ stays as it is
  int n_iterations_ = 0;
  std::vector<Index> free_;    ///< variables whose bounds differ
  VectorXd unit_;              ///< range of each, or the size of its start where that is infinite
  VectorXd lower_, upper_;     ///< in units
  VariableGroups groups_{{}};  ///< of the free variables
  MmaAsymptotes asymptotes_;
  double move_;
  VectorXd weights_;  ///< of the violations in the merit function
  VectorXd x_;
  Evaluation evaluation_;
  double scale_ = 0.0;
  std::deque<Visited> visited_;  ///< the last designs
  std::size_t memory_ = merit_memory;
  struct Best {
    VectorXd x;
    Evaluation evaluation;
  };
  Best best_;                      ///< the design of the least merit
  int since_best_ = 0;             ///< iterations
  int returns_ = 0;                ///< to it
  MatrixXd rho_;                   ///< (1 + m) x groups, with which the next iteration begins
  LagrangianCurvature curvature_;  ///< along the last trials, for the present scale
};

class MmaOptimizer : public Optimizer {
 public:
  explicit MmaOptimizer(const OptimizerOptions& options) : options_(options) {}

  OptimizerResult minimize(Nlp& nlp, const VectorXd& start, const IterationCallback& callback) override {
    return MmaRun(options_, nlp, start, callback).minimize();
  }

 private:
  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_mma_optimizer(const OptimizerOptions& options) {
  return std::make_unique<MmaOptimizer>(options);
}

}  // namespace kurbel
