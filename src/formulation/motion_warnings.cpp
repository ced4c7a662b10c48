/// @file
/// Findings on the steps of a motion: jumps within them, joints that they leave, and what alternates from one to the next.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "formulation/branch_warnings.hpp"
#include "formulation/motion_model.hpp"
#include "problem/damping.hpp"

namespace kurbel {
namespace {

/// An observable by the key that asks for it.
struct Requested {
  std::string key;
  CriterionTerm term;
};

/// Accelerations, reactions and drive torques, each of them once.
std::vector<Requested> requested_highest_derivatives(const Problem& problem) {
  std::vector<Requested> requested;
  const auto add = [&](const std::string& key, const CriterionTerm& term) {
    const bool known = std::ranges::any_of(
        requested, [&](const Requested& other) { return is_same_observable(other.term, term); });
    if (reads_highest_derivatives(term) && !known) requested.push_back({key, term});
  };
  for (const Output& output : problem.outputs) add("outputs." + output.name, output.observable);
  for (const CriterionTerm& term : problem.objective) add("objective", term);
  for (const Stage& stage : problem.first_stages) {
    for (const CriterionTerm& term : stage.objective) add("stages." + stage.name, term);
  }
  for (const CriterionConstraint& constraint : problem.constraints.criteria) {
    for (const CriterionTerm& term : constraint.terms) add(constraint.label(), term);
  }
  return requested;
}

/// Root mean square of the part that changes sign from step to step, over that of the whole, in the second half of the
/// run. It is 1 for (-1)^k, and (omega h)^2 / 4 for sin(omega t). It is 0 where the part is rounding: that of positions,
/// which accelerations divide by h^2, or that of earlier values.
/// @param z  (axes x instants) a time history
double alternating_share(const MatrixXd& z, double h) {
  const double rounding = std::max(1e-13 / (h * h), 1e-6 * z.lpNorm<Eigen::Infinity>());
  double alternating = 0.0, all = 0.0, least = 0.0;
  for (Eigen::Index k = z.cols() / 2; k + 1 < z.cols(); ++k) {
    if (k == 0) continue;
    alternating += (0.25 * (z.col(k + 1) - 2.0 * z.col(k) + z.col(k - 1))).squaredNorm();
    all += z.col(k).squaredNorm();
    least += rounding * rounding;
  }
  return alternating > least ? std::sqrt(alternating / all) : 0.0;
}

/// Warns of controls and loads that jump within steps. Explicit steps for momenta are divided at jumps.
std::vector<std::string> warnings_of_jumps(const Problem& problem) {
  const IntegratorOptions& integrator = problem.integrator;
  std::vector<std::string> warnings;
  if (takes_momenta(integrator.method) && has_momenta(problem.formulation)) return warnings;
  constexpr std::size_t most_named = 5;
  constexpr double rounding = 1e-6;  // of a step
  std::map<std::string, std::vector<std::string>> within;
  for (const NamedJump& jump : jumps_of(problem.system, integrator.t0, integrator.t1)) {
    const double steps = (jump.t - integrator.t0) / integrator.step;
    if (std::abs(steps - std::round(steps)) > rounding)
      within[jump.key].push_back(fmt::format("{:.6g}", jump.t));
  }
  for (auto& [key, times] : within) {
    if (times.size() > most_named) times.resize(most_named), times.back() = "...";
    warnings.push_back(
        fmt::format("{} jumps within steps, at t = {} s, where the error of a step is of first order. Choose "
                    "integrator.step so that steps end at the jumps",
                    key, fmt::join(times, ", ")));
  }
  return warnings;
}

/// Warns of the joint that explicit steps have left most: positions are integrated, and nothing brings constraints back. A row is
/// judged by what its terms, C_ij v_j over time, have moved to and fro: by so much it would have changed, had they not balanced.
std::vector<std::string> warnings_of_torn_joints(const SecondOrderDae<double>& system,
                                                 const Trajectory<double>& trajectory) {
  constexpr double much = 0.01, rounding = 1e-9;
  const Eigen::Index n_x = system.n_x(), n_v = system.n_v(), n_c = system.n_c();
  if (n_c == 0) return {};
  const auto ws = system.make_workspace();
  const VectorXd no_v_dot = VectorXd::Zero(n_v), no_lambda = VectorXd::Zero(n_c);
  ConstraintDerivatives<double> constraints;
  constraints.resize(n_v, n_c);
  MatrixXd moved = MatrixXd::Zero(n_c, n_v), low = moved, high = moved;
  VectorXd largest = VectorXd::Zero(n_c), time = VectorXd::Zero(n_c);
  for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) {
    const VectorXd x = trajectory.y.col(k).head(n_x), v = trajectory.y.col(k).segment(n_x, n_v);
    system.constraint_derivatives({trajectory.t[k], x, v, no_v_dot, no_lambda}, *ws, constraints);
    if (k > 0) moved += (trajectory.t[k] - trajectory.t[k - 1]) * constraints.C * v.asDiagonal();
    low = low.cwiseMin(moved), high = high.cwiseMax(moved);
    for (Eigen::Index i = 0; i < n_c; ++i) {
      const double off = std::abs(constraints.c0[i]);
      if (off > largest[i]) largest[i] = off, time[i] = trajectory.t[k];
    }
  }
  const VectorXd tolerated = (much * (high - low).rowwise().sum()).cwiseMax(rounding);
  Eigen::Index worst = 0;
  if (largest.cwiseQuotient(tolerated).maxCoeff(&worst) <= 1.0) return {};
  return {fmt::format(
      "explicit steps leave {}, most at {:.4g} s. Where the mechanism locks there is no motion to be found; "
      "elsewhere take a smaller integrator.step or an implicit integrator.method",
      system.constraint_name(worst), time[worst])};
}

/// Finds the joint whose velocity implicit steps have left most. Their iteration holds positions, and a velocity that no
/// longer belongs to the change of positions grows where steps are far too long, as close to a dead centre. A row is judged
/// over the motion: by the mean of |C v + c_t| over that of the sum of its terms, |C_ij v_j|, of which each step has at least
/// the tolerance of positions. A jump of a drive's rate, which steps meet late, hardly counts in it.
class LostVelocities {
 public:
  explicit LostVelocities(Eigen::Index n_c)
      : lost_(VectorXd::Zero(n_c)), terms_(lost_), largest_(lost_), time_(lost_) {}

  /// @param h  length of the step that ends at t
  void add(double t, double h, const VectorXd& v, const ConstraintDerivatives<double>& constraints) {
    constexpr double tolerance_of_positions = 1e-8;
    const VectorXd off = constraints.c1.cwiseAbs();
    lost_ += h * off;
    terms_ +=
        (h * (constraints.C * v.asDiagonal()).cwiseAbs().rowwise().sum()).cwiseMax(tolerance_of_positions);
    for (Eigen::Index i = 0; i < off.size(); ++i) {
      if (off[i] > largest_[i]) largest_[i] = off[i], time_[i] = t;
    }
  }
  std::vector<std::string> warnings(const SecondOrderDae<double>& system) const {
    constexpr double much = 0.1;
    Eigen::Index worst = 0;
    const double share = lost_.cwiseQuotient(terms_).maxCoeff(&worst);
    if (!(share > much)) return {};
    return {fmt::format(
        "the steps hold the positions of {}, but not its velocity: it is wrong by {:.3g} (m/s or rad/s) at "
        "{:.4g} s, and so are energies and reactions. Reduce integrator.step; close to a dead centre it "
        "has to be much smaller than elsewhere",
        system.constraint_name(worst), largest_[worst], time_[worst])};
  }

 private:
  VectorXd lost_, terms_, largest_, time_;  ///< n_c
};

/// Warns of joints whose constraints implicit steps do not hold: their velocities, or the branch of a loop.
std::vector<std::string> warnings_of_implicit_steps(const SecondOrderDae<double>& system,
                                                    const Trajectory<double>& trajectory) {
  constexpr Eigen::Index most_instants = 1000;  // which take some per cent of a simulation
  const Eigen::Index n_x = system.n_x(), n_v = system.n_v(), n_c = system.n_c();
  if (n_c == 0 || trajectory.n_stored < 2) return {};
  const Eigen::Index stride = 1 + trajectory.n_stored / most_instants;
  const auto ws = system.make_workspace();
  const VectorXd no_v_dot = VectorXd::Zero(n_v), no_lambda = VectorXd::Zero(n_c);
  ConstraintDerivatives<double> constraints;
  constraints.resize(n_v, n_c);
  LostVelocities velocities(n_c);
  BranchWarnings branches(system, trajectory);
  for (Eigen::Index k = 1; k < trajectory.n_stored; k += stride) {
    const VectorXd x = trajectory.y.col(k).head(n_x), v = trajectory.y.col(k).segment(n_x, n_v);
    const double t = trajectory.t[k];
    system.constraint_derivatives({t, x, v, no_v_dot, no_lambda}, *ws, constraints);
    velocities.add(t, t - trajectory.t[k - 1], v, constraints);
    branches.add(k, constraints.C);
  }
  std::vector<std::string> warnings = velocities.warnings(system);
  return warnings.empty() ? branches.warnings() : warnings;
}

/// The remedy against vibrations that steps do not resolve.
std::string remedy_of_alternation(const IntegratorOptions& integrator) {
  const std::string damping = "Add damping to bodies, beams or springs, ";
  if (integrator.method != IntegratorMethod::generalized_alpha || integrator.rho_inf == 1.0)
    return damping + "reduce integrator.step, or use generalized-alpha with rho_inf < 1";
  if (integrator.rho_inf == 0.0) return damping + "or reduce integrator.step";
  return fmt::format("{}or reduce integrator.step or rho_inf, which is {:g}", damping, integrator.rho_inf);
}

}  // namespace

std::vector<std::string> Motion::warnings(const Trajectory<double>& trajectory) const {
  constexpr double much = 0.1;  // of ten steps in a period
  std::vector<std::string> warnings = warnings_of_jumps(model_.problem());
  for (std::string& of_steps : steps().warnings()) warnings.push_back(std::move(of_steps));
  const IntegratorMethod method = model_.problem().integrator.method;
  const bool is_explicit = method == IntegratorMethod::runge_kutta_4 ||
                           method == IntegratorMethod::dormand_prince ||
                           method == IntegratorMethod::explicit_euler;  // resolves what moves, or diverges
  if (equations()) {
    for (std::string& left : is_explicit ? warnings_of_torn_joints(*equations(), trajectory)
                                         : warnings_of_implicit_steps(*equations(), trajectory))
      warnings.push_back(std::move(left));
  }
  if (is_explicit || warning_of_oscillation(model_.problem())) return warnings;  // which says more
  for (const auto& [key, requested] : requested_highest_derivatives(model_.problem())) {
    CriterionTerm term = requested;
    term.time = TimeFunctional::final_value;  // of a time history, not of an integral
    term.weight = 1.0, term.target = {}, term.relative_to_rigid_twin = false, term.axes.clear();
    term.form = CriterionForm::signed_value;
    const int n_rows = is_vector(term.quantity) ? 3 : 1;
    MatrixXd time_histories(n_rows, trajectory.n_stored);
    for (int i = 0; i < n_rows; ++i) {
      if (n_rows > 1) term.component = i;
      time_histories.row(i) = criterion({term}).time_history(trajectory).transpose();
    }
    const double share = alternating_share(time_histories, model_.problem().integrator.step);
    if (share < much) continue;
    warnings.push_back(
        fmt::format("{}: {:.0f} % of it alternates from step to step in the second half of the run, because "
                    "a vibration is neither resolved by the steps nor damped in time. {}",
                    key, 100.0 * share, remedy_of_alternation(model_.problem().integrator)));
  }
  return warnings;
}

}  // namespace kurbel
