#include "formulation/motion_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "formulation/cases_model.hpp"
#include "formulation/floating_frame_motion.hpp"
#include "formulation/joint_coordinates_motion.hpp"
#include "formulation/natural_motion.hpp"
#include "integration/forwarded_steps.hpp"
#include "mechanism/spring_law.hpp"
#include "problem/damping.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {

namespace {

std::vector<const Objective<double>*> pointers(
    const std::vector<std::shared_ptr<const Objective<double>>>& objectives) {
  std::vector<const Objective<double>*> all;
  for (const auto& objective : objectives) all.push_back(objective.get());
  return all;
}

}  // namespace

std::vector<std::string> by_axis(const std::vector<std::string>& names) {
  std::vector<std::string> rows;
  for (const std::string& name : names) {
    for (const char* axis : {"x", "y", "z"}) rows.push_back(name + "." + axis);
  }
  return rows;
}

Motion::Motion(const MotionModel& model) : owned_(model.shared_from_this()), model_(*owned_) {}

MotionModel::MotionModel(Shared<const Problem> problem) : shared_(std::move(problem)), problem_(*shared_) {
  for (const Stage& stage : problem_.stages()) objectives_.push_back(stage.objective);
  for (const CriterionConstraint& c : problem_.constraints.criteria) constrained_.push_back(c.terms);
}

Status MotionModel::make(const MechanismValues& values, std::unique_ptr<Motion>& out) {
  const bool goes_on = out && &out->model() == this && out->is_of_every_design();
  if (goes_on) out->forget_directions();
  const Status status = goes_on ? out->set(values) : make_new(values, out);
  if (status.failed()) out.reset();
  return status;
}

std::vector<const std::vector<CriterionTerm>*> MotionModel::terms(const RequestedFunctions& requested) const {
  std::vector<const std::vector<CriterionTerm>*> all = {requested.objective ? requested.objective
                                                                            : &objectives_[requested.stage]};
  for (const std::size_t i : requested.functions) all.push_back(&constrained_[i]);
  return all;
}

Criterion<double> Motion::kept(const std::vector<CriterionTerm>& terms) const {
  const auto is_stress = [](const CriterionTerm& term) { return term.quantity == Quantity::von_mises; };
  // Grids of controls, of which criteria have copies, stretch with the end of the motion.
  if (std::ranges::any_of(terms, is_stress) || steps().end_parameter() >= 0) return criterion(terms);
  auto found = kept_.find(&terms);
  if (found == kept_.end()) found = kept_.emplace(&terms, criterion(terms)).first;
  found->second.move_to(steps());  // which set() may have made anew
  return found->second;
}

void Motion::check_lines(const Eigen::Ref<const VectorXd>& y0) const {
  constexpr double of_free_length = 1e-10, without_direction = 1e-12;  // m
  const SystemSpec& spec = model_.problem().system;
  std::vector<std::string> keys;
  std::vector<double> least;
  for (const SpringSpec& spring : spec.springs) {
    const bool pulls = acts_along_line(spring.law) && spring.stiffness != 0.0 &&
                       (spring.preload ? *spring.preload != 0.0 : spring.free_length != 0.0);
    keys.push_back("springs." + spring.name);
    least.push_back(!pulls           ? -1.0
                    : spring.preload ? without_direction
                                     : of_free_length * std::abs(spring.free_length));
  }
  for (const MotorSpec& motor : spec.motors) {
    if (motor.is_rotary) continue;
    keys.push_back("controls." + motor.name);
    least.push_back(without_direction);
  }
  if (std::ranges::all_of(least, [](double length) { return length < 0.0; })) return;
  const std::vector<double> lengths = line_lengths(y0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (lengths[i] > least[i]) continue;
    const bool is_force = i >= spec.springs.size();
    throw model_.problem().error(
        keys[i],
        fmt::format(
            ": its ends coincide at the start, so that its force has no direction; place them apart{}",
            is_force ? "" : ", or give free_length = 0"));
  }
}

namespace {

/// Steps that note, backwards, the first instant after which sensitivities are no longer finite.
class WatchedSteps final : public ForwardedSteps<double> {
 public:
  using ForwardedSteps::ForwardedSteps;

  double instant() const { return instant_; }  ///< s; NaN: all are finite

  void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                     Columns p_bar) override {
    look(k, y_bar, p_bar);
    ForwardedSteps::pullback_step(k, y_prev, y, y_bar, p_bar);
    look(k, y_bar, p_bar);
  }
  void pullback_initial(const Segment& y0, const ConstColumns& y_bar, Columns p_bar) override {
    look(0, y_bar, p_bar);
    ForwardedSteps::pullback_initial(y0, y_bar, p_bar);
    look(0, y_bar, p_bar);
  }

 private:
  void look(Eigen::Index k, const ConstColumns& y_bar, const ConstColumns& p_bar) {
    if (std::isnan(instant_) && !(y_bar.allFinite() && p_bar.allFinite())) instant_ = time(k);
  }

  double instant_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

double Motion::adjoint_not_finite(const Trajectory<double>& trajectory, const RequestedFunctions& requested) {
  const auto functions = objectives(trajectory, requested);
  WatchedSteps watched(steps());
  discrete_adjoint<double>(watched, trajectory, pointers(functions));
  return watched.instant();
}

std::vector<std::shared_ptr<const LinearizedCriterion>> Motion::linearize(
    const Trajectory<double>& trajectory, const RequestedFunctions& requested) const {
  std::vector<std::shared_ptr<const LinearizedCriterion>> functions;
  for (const auto* terms : model_.terms(requested)) {
    const bool is_of_model = terms != requested.objective;
    functions.push_back(
        std::make_shared<LinearizedCriterion>(is_of_model ? kept(*terms) : criterion(*terms), trajectory));
  }
  return functions;
}

std::vector<std::shared_ptr<const Objective<double>>> Motion::objectives(
    const Trajectory<double>& trajectory, const RequestedFunctions& requested) const {
  const auto functions = linearize(trajectory, requested);
  return {functions.begin(), functions.end()};
}

StepResidual<double>& Motion::steps_to_take() const {
  return takes_directions_ ? static_cast<StepResidual<double>&>(*directions_) : steps();
}

Status Motion::simulate_along(const SparseMatrix& p_dot, Trajectory<double>& trajectory) {
  constexpr double most_bytes = 500e6;
  const StepResidual<double>& own = steps();
  directions_.reset();
  if (sizeof(double) * double(own.n_tangent()) * double(p_dot.cols()) * double(own.n_steps() + 1) >
      most_bytes)
    return simulate(trajectory);
  directions_ = std::make_unique<DifferentiatedSteps<double>>(steps(), p_dot);
  const struct Taking {
    explicit Taking(bool& takes) : takes_(takes) { takes_ = true; }
    ~Taking() { takes_ = false; }
    bool& takes_;
  } taking(takes_directions_);
  return simulate(trajectory);
}

MatrixXd Motion::differentiate_directly(const Trajectory<double>& trajectory,
                                        const std::vector<const Objective<double>*>& objectives,
                                        const SparseMatrix& p_dot) const {
  const MatrixXd along = p_dot;
  if (directions_ && directions_->has(trajectory, along))
    return directions_->gradients(objectives, trajectory);
  return direct_differentiation<double>(steps(), trajectory, objectives, along);
}

DirectionalDerivatives Motion::gradients(const Trajectory<double>& trajectory,
                                         const RequestedFunctions& requested,
                                         SensitivityOptions::Method method, const SparseMatrix& p_dot) {
  const auto functions = objectives(trajectory, requested);
  if (resolve(method, trajectory, requested, p_dot.cols()) == SensitivityOptions::Method::direct)
    return {differentiate_directly(trajectory, pointers(functions), p_dot), {}};
  return {p_dot.transpose() * discrete_adjoint<double>(steps(), trajectory, pointers(functions)), {}};
}

namespace {

/// The rows of an output, each as a term.
std::vector<CriterionTerm> rows_of(const Output& output) {
  CriterionTerm term = output.observable;
  term.time = TimeFunctional::final_value;  // of a time history, not of an integral
  std::vector<CriterionTerm> rows;
  for (const int axis : axes_of(term)) {
    rows.push_back(term);
    rows.back().component = axis;
  }
  return rows.empty() ? std::vector{term} : rows;
}

/// sum_k w_k F(t_k)
CriterionTerm seeded(CriterionTerm term, const VectorXd& weights) {
  term.time = TimeFunctional::instants;
  term.steps.resize(static_cast<std::size_t>(weights.size()));
  std::iota(term.steps.begin(), term.steps.end(), 0);
  term.step_weights.assign(weights.begin(), weights.end());
  return term;
}

}  // namespace

DirectionalDerivatives Motion::output_gradients(const Trajectory<double>& trajectory,
                                                const OutputSeeds& seeds, const SparseMatrix& p_dot) {
  const std::vector<Output>& outputs = model_.problem().outputs;
  if (seeds.size() != outputs.size())
    throw InputError(fmt::format("there are {} seeds for {} outputs", seeds.size(), outputs.size()));
  std::vector<CriterionTerm> terms;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (seeds[i].size() == 0) continue;
    const std::vector<CriterionTerm> rows = rows_of(outputs[i]);
    if (seeds[i].rows() != std::ssize(rows) || seeds[i].cols() != trajectory.n_stored) {
      throw InputError(fmt::format("output {} has {} x {} values, its seed has {} x {}", outputs[i].name,
                                   rows.size(), trajectory.n_stored, seeds[i].rows(), seeds[i].cols()));
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const VectorXd weights = seeds[i].row(static_cast<Eigen::Index>(row));
      if (!weights.isZero(0.0)) terms.push_back(seeded(rows[row], weights));
    }
  }
  return gradients(trajectory, {0, {}, &terms}, SensitivityOptions::Method::discrete_adjoint, p_dot);
}

DirectionalDerivatives Motion::continuous_gradients(const SecondOrderDae<double>& equations,
                                                    DaeSteps<double>& steps,
                                                    const Trajectory<double>& trajectory,
                                                    const RequestedFunctions& requested,
                                                    const SparseMatrix& p_dot) const {
  std::vector<const Integrand<double>*> integrands, finals;
  const auto functions = linearize(trajectory, requested);
  for (const auto& function : functions) {
    integrands.push_back(&function->integrand());
    finals.push_back(&function->final_terms());
  }
  const Problem& problem = model_.problem();
  MatrixXd p_bar = continuous_adjoint_of(problem.integrator.method, equations, steps, trajectory, integrands,
                                         problem.sensitivity.substeps, finals);
  for (std::size_t j = 0; j < functions.size(); ++j)
    functions[j]->add_constant_partials(p_bar.col(static_cast<Eigen::Index>(j)));
  return {p_dot.transpose() * p_bar, {}};
}

SensitivityOptions::Method Motion::resolve(SensitivityOptions::Method method,
                                           const Trajectory<double>& trajectory,
                                           const RequestedFunctions& requested, Eigen::Index n_directions) {
  using Method = SensitivityOptions::Method;
  if (method != Method::automatic) return method;
  const double n_steps = static_cast<double>(steps().n_steps());
  double columns = 0.0;
  for (const auto& function : objectives(trajectory, requested))
    columns += std::min(1.0, static_cast<double>(function->last_step()) / n_steps);
  return columns < static_cast<double>(n_directions) ? Method::discrete_adjoint : Method::direct;
}

namespace {

/// True if a bound on the functional bounds the time history as well.
bool bounds_time_history(const CriterionTerm& term) {
  return is_constant(term.quantity) ||
         (term.time != TimeFunctional::integral && term.time != TimeFunctional::mean &&
          term.time != TimeFunctional::change);
}

/// Adds the bounds that constraints set to an output, or to a row of it, on either side.
/// @param lowest  value of the row: a magnitude that is never negative has no limit below
void add_limits(const std::vector<CriterionConstraint>& constraints, const CriterionTerm& row, double lowest,
                std::vector<double>& limits) {
  const auto add = [&](double limit) {
    if (std::ranges::find(limits, limit) == limits.end()) limits.push_back(limit);
  };
  for (const CriterionConstraint& c : constraints) {
    const CriterionTerm& term = c.terms.front();
    const bool is_of_row = c.terms.size() == 1 && term.weight == 1.0 && is_same_observable(term, row) &&
                           term.component == row.component && !has_target(term) &&
                           form_of(term) != CriterionForm::half_square;
    if (!is_of_row || !bounds_time_history(term)) continue;
    for (const std::optional<double>& limit : {c.lower, c.upper, c.equals}) {
      if (limit) add(*limit);
    }
    if (is_never_negative(term) && c.upper && lowest < 0.0) add(-*c.upper);  // of the magnitude
  }
}

}  // namespace

std::vector<OutputHistory> Motion::outputs(const Trajectory<double>& trajectory) const {
  std::vector<OutputHistory> outputs;
  for (const Output& output : model_.problem().outputs) {
    OutputHistory history{output.name, unit_of(output.observable.quantity), {}, {}, {}};
    for (const int axis : axes_of(output.observable)) history.rows.push_back(axis_name(axis));
    const std::vector<CriterionTerm> rows = rows_of(output);
    history.values.resize(std::ssize(rows), trajectory.n_stored);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto time_history = history.values.row(static_cast<Eigen::Index>(i));
      time_history = criterion({rows[i]}).time_history(trajectory).transpose();
      add_limits(model_.functions(), rows[i], time_history.minCoeff(), history.limits);
    }
    outputs.push_back(std::move(history));
  }
  return outputs;
}

std::vector<MotionPose> Motion::start_poses(const Trajectory<double>& trajectory) const {
  const auto start = body_trajectories({trajectory.y.leftCols(1), trajectory.t.head(1), 1});
  std::vector<MotionPose> poses;
  if (!start) return poses;
  for (const BodyTrajectories::Body& body : start->bodies) {
    const auto x = body.pose.col(0);
    poses.push_back({x.head<3>(), Eigen::Quaterniond(x[3], x[4], x[5], x[6]).toRotationMatrix()});
  }
  return poses;
}

std::shared_ptr<MotionModel> make_motion_model(Shared<const Problem> problem,
                                               Shared<const StressSets> stress_sets) {
  if (!problem->cases.empty()) return std::make_shared<CasesModel>(problem, stress_sets);
  switch (problem->formulation) {
    case Formulation::floating_frame:
    case Formulation::hamiltonian:
      return std::make_shared<FloatingFrameModel>(problem, stress_sets);
    case Formulation::semi_recursive:
    case Formulation::joint_hamiltonian:
      return std::make_shared<JointCoordinatesModel>(problem, stress_sets);
    case Formulation::natural_coordinates:
      break;
  }
  return std::make_shared<NaturalModel>(problem, stress_sets);
}

}  // namespace kurbel
