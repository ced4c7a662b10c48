#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "optimizers/backends.hpp"
#include "optimizers/optimization_run.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr int max_halvings = 6;        // of a step that leads to a failed evaluation
constexpr int max_newton_steps = 200;  // far more than the piecewise linear equation needs

/// A design with what the update needs to know about it.
struct Point {
  VectorXd x, df, dg;
  double g = 0.0;

  void set(const VectorXd& design, const Evaluation& e) {
    x = design;
    df = e.gradient;
    dg = e.constraint_gradients.row(0).transpose();
    g = e.constraints[0];
  }
};

/// Interval that the move limit and the bounds leave for each variable.
struct Box {
  VectorXd low, high;
};

/// L of the reciprocal approximation: 0, or slightly below a lower bound that is zero or negative.
VectorXd asymptotes(const VectorXd& lower, const VectorXd& upper) {
  VectorXd L(lower.size());
  for (Index i = 0; i < L.size(); ++i) {
    const double range = std::isfinite(upper[i]) ? upper[i] - lower[i] : std::max(1.0, std::abs(lower[i]));
    L[i] = std::min(0.0, lower[i] - 0.01 * std::max(range, 1e-3));
  }
  return L;
}

void require_growing_constraint(const VectorXd& dg) {
  Index i = 0;
  if (dg.minCoeff(&i) >= -1e-12 * dg.lpNorm<Eigen::Infinity>()) return;
  throw InputError(fmt::format(
      "optimality criteria (\"oc\") need a constraint that grows with every variable, such as the "
      "volume; it falls with variable {}; use \"mma\" or \"ipopt\"",
      i));
}

/// max df/dg over the variables that can go down, and 0.
double shift_for_positive_sensitivities(const Point& now, const VectorXd& lower) {
  double shift = 0.0;
  for (Index i = 0; i < now.x.size(); ++i)
    if (now.x[i] > lower[i] && now.dg[i] > 0.0) shift = std::max(shift, now.df[i] / now.dg[i]);
  return shift;
}

/// The shift with which the approximation has the measured curvature s^T y along the last step s:
/// sum 2 (nu dg_i - df_i) s_i^2 / (x_i - L_i) = s^T y. Zero when the step says nothing.
double shift_for_curvature(const Point& before, const Point& now, const VectorXd& L) {
  double numerator = 0.0, denominator = 0.0;
  for (Index i = 0; i < now.x.size(); ++i) {
    const double s = now.x[i] - before.x[i];
    const double weight = s * s / (now.x[i] - L[i]);
    numerator += 0.5 * s * (now.df[i] - before.df[i]) + now.df[i] * weight;
    denominator += now.dg[i] * weight;
  }
  return denominator > 0.0 ? std::max(0.0, numerator / denominator) : 0.0;
}

/// x_i(t) = clip(L_i + slope_i t), t = (mu + nu)^-eta; variables without cost or without slope stay or go
/// straight to the end of their interval.
class Update {
 public:
  Update(const Point& now, const VectorXd& L, const Box& box, double shift, double damping)
      : now_(now), L_(L), box_(box), slope_(now.x.size()), x_(now.x) {
    t_free_ = shift > 0.0 ? std::pow(shift, -damping) : std::numeric_limits<double>::infinity();
    for (Index i = 0; i < x_.size(); ++i) {
      slope_[i] = 0.0;
      if (now.dg[i] > 0.0) {
        slope_[i] = (now.x[i] - L[i]) * std::pow(std::max(0.0, shift - now.df[i] / now.dg[i]), damping);
      } else if (now.df[i] != 0.0) {
        x_[i] = now.df[i] < 0.0 ? box.high[i] : box.low[i];
      }
    }
  }

  /// The design at which the linearised constraint vanishes, or the closest to it.
  const VectorXd& solve() {
    double high = std::min(t_free_, t_beyond_which_nothing_moves());
    if (move(high) <= 0.0) return x_;
    if (move(0.0) >= 0.0) return x_;
    double low = 0.0, t = high;
    double g = move(t);
    for (int step = 0; step < max_newton_steps && g != 0.0; ++step) {
      (g < 0.0 ? low : high) = t;
      const double newton = t - g / derivative_;
      t = newton > low && newton < high ? newton : 0.5 * (low + high);
      if (t <= low || t >= high) break;
      g = move(t);
    }
    if (g > 0.0) move(low);
    return x_;
  }

 private:
  double t_beyond_which_nothing_moves() const {
    double t = 0.0;
    for (Index i = 0; i < x_.size(); ++i)
      if (slope_[i] > 0.0) t = std::max(t, (box_.high[i] - L_[i]) / slope_[i]);
    return t;
  }

  /// Sets x and the derivative of the linearised constraint, and returns its value.
  double move(double t) {
    double g = now_.g;
    derivative_ = 0.0;
    for (Index i = 0; i < x_.size(); ++i) {
      if (now_.dg[i] > 0.0) {
        const double wanted = L_[i] + slope_[i] * t;
        if (wanted > box_.low[i] && wanted < box_.high[i]) derivative_ += now_.dg[i] * slope_[i];
        x_[i] = std::clamp(wanted, box_.low[i], box_.high[i]);
      }
      g += now_.dg[i] * (x_[i] - now_.x[i]);
    }
    return g;
  }

  const Point& now_;
  const VectorXd& L_;
  const Box& box_;
  VectorXd slope_, x_;
  double t_free_ = 0.0, derivative_ = 0.0;
};

class OptimalityCriteria : public Optimizer {
 public:
  explicit OptimalityCriteria(const OptimizerOptions& options) : options_(options) {}

  OptimizerResult minimize(Nlp& nlp, const VectorXd& start, const IterationCallback& callback) override {
    OptimizationRun run(options_, nlp, start, callback, 2);
    const VectorXd &lower = nlp.lower(), &upper = nlp.upper();
    if (!lower.allFinite()) throw InputError("optimality criteria (\"oc\") need finite lower bounds");
    const VectorXd L = options_.oc_curvature ? asymptotes(lower, upper) : lower.cwiseMin(0.0);
    Point now, before;
    if (const Evaluation* e = run.begin()) now.set(run.start(), *e);

    while (!run.stopped()) {
      require_growing_constraint(now.dg);
      double shift = shift_for_positive_sensitivities(now, lower);
      if (options_.oc_curvature && before.x.size() > 0)
        shift = std::max(shift, shift_for_curvature(before, now, L));
      const Box box{(now.x.array() - options_.move_limit).matrix().cwiseMax(lower),
                    (now.x.array() + options_.move_limit).matrix().cwiseMin(upper)};
      VectorXd x = Update(now, L, box, shift, options_.oc_damping).solve();
      if (x == now.x) {
        run.stop(StopReason::solver, "the design no longer changes");
        break;
      }
      const Evaluation* e = evaluate_or_step_back(run, now.x, x);
      if (e == nullptr) break;
      run.accept(x, *e);
      std::swap(before, now);
      now.set(x, *e);
    }
    return run.result();
  }

 private:
  static const Evaluation* evaluate_or_step_back(OptimizationRun& run, const VectorXd& from, VectorXd& x) {
    for (int halving = 0;; ++halving) {
      const Evaluation* e = run.evaluate(x);
      if (e != nullptr || run.stopped()) return e;
      if (halving == max_halvings) {
        run.stop_by_failure();
        return nullptr;
      }
      x = 0.5 * (from + x);
    }
  }

  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_optimality_criteria(const OptimizerOptions& options) {
  return std::make_unique<OptimalityCriteria>(options);
}

}  // namespace kurbel
