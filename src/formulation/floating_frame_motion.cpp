#include "formulation/floating_frame_motion.hpp"

#include <fmt/format.h>

#include <set>

#include "floating_frame/deformation.hpp"
#include "floating_frame/free_lengths.hpp"
#include "floating_frame/given_attitudes.hpp"
#include "floating_frame/make_steps.hpp"
#include "floating_frame/redundant_constraints.hpp"
#include "floating_frame/rigid_twin.hpp"
#include "floating_frame/torsion_range.hpp"
#include "floating_frame/tyre_range.hpp"
#include "floating_frame/tyre_start.hpp"
#include "formulation/momentum_line.hpp"
#include "integration/dependent_constraints.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {

namespace {

/// Varied inertias may leave what a body can have.
Status check_inertia(const std::vector<std::vector<TiedQuantity>>& varied, const SystemSpec& spec) {
  for (const std::vector<TiedQuantity>& tied : varied) {
    for (const auto& [quantity, sign, offset] : tied) {
      if (quantity.kind != SystemQuantity::Kind::inertia) continue;
      const BodySpec& body = spec.bodies[quantity.owner];
      if (rigid_body_of(body.sid).inertia.llt().info() == Eigen::Success) continue;
      return Failure{.what = "the inertia about the centre of mass is not positive definite",
                     .where = "body " + body.name,
                     .advice = "narrow the bounds of the variables that change its inertia"};
    }
  }
  return {};
}

/// An equilibrium in which a body deforms by more than small displacements describe is none of the mechanism.
Status check_equilibrium(const FloatingFrameMotion& motion, const Trajectory<double>& trajectory) {
  const SystemSpec& spec = motion.system().spec();
  if (spec.initial_equilibrium == InitialEquilibrium::none) return {};
  constexpr double meaningless = 0.5;
  for (const Deformation& start :
       largest_deformations(motion.system(), motion.integrator().layout(), trajectory, 0, 1)) {
    if (start.ratio < meaningless) continue;
    return Failure{
        .what = fmt::format("the body deforms by {:.2g} of its size before it is in equilibrium, far "
                            "beyond what linear elasticity describes",
                            start.ratio),
        .where = "body " + spec.bodies[start.body].name,
        .advice =
            "look for a void region that cuts it, a modulus in another unit, or use "
            "initial.state = \"given\"",
        .time = start.time};
  }
  return {};
}

/// The joint that a constraint belongs to.
const JointSpec& joint_of_row(const MultibodySystem<double>& system, Eigen::Index row) {
  const JointSpec* last = nullptr;
  for (const JointSpec& joint : system.spec().joints) {
    if (system.joint_rows(joint.name).first > row) break;
    last = &joint;
  }
  return *last;
}

/// "FILE:LINE: joints.A: contradictory constraint: ...", with the places of the other joints in it.
InputError located(const DependentConstraints& error, const Problem& problem,
                   const MultibodySystem<double>& system) {
  const std::string first = joint_of_row(system, error.rows().rows.front()).name;
  std::set<std::string> mentioned = {first};
  std::string places;
  for (const auto* rows : {&error.rows().rows, &error.rows().others}) {
    for (const Eigen::Index row : *rows) {
      const std::string& name = joint_of_row(system, row).name;
      if (!mentioned.insert(name).second) continue;
      places += fmt::format("{}joints.{} at {}", places.empty() ? "" : ", ", name,
                            problem.document->place_of("joints." + name).text());
    }
  }
  return problem.error("joints." + first,
                       fmt::format(": {}{}", error.what(), places.empty() ? "" : " (" + places + ")"));
}

}  // namespace

FloatingFrameModel::FloatingFrameModel(Shared<const Problem> problem, Shared<const StressSets> stress_sets)
    : MotionModel(std::move(problem)),
      stress_sets_(std::move(stress_sets)),
      system_(problem_.system),
      varied_(problem_),
      has_varied_mass_(system_.bodies.size(), false) {
  for (const std::vector<TiedQuantity>& tied : varied_.quantities()) {
    for (const TiedQuantity& one : tied) {
      make_parameter(one.quantity, system_);
      if (is_of_rigid_body(one.quantity.kind)) has_varied_mass_[one.quantity.owner] = true;
    }
  }
}

void FloatingFrameModel::set(const MechanismValues& values, SystemSpec& spec) const {
  for (std::size_t i = 0; i < values.sids.size(); ++i) {
    if (values.sids[i]) spec.bodies[i].sid = *values.sids[i];
  }
  for (std::size_t i = 0; i < has_varied_mass_.size(); ++i) {
    if (has_varied_mass_[i]) spec.bodies[i].sid = system_.bodies[i].sid;
  }
  for (std::size_t k = 0; k < quantities().size(); ++k) {
    for (const auto& [quantity, sign, offset] : quantities()[k])
      set_value(quantity, sign * values.numbers[static_cast<Eigen::Index>(k)] + offset, spec);
  }
  turn_by_fixed_joints(spec);
  set_free_lengths(spec);
}

Status FloatingFrameModel::check(const SystemSpec& spec) const {
  return check_inertia(quantities(), spec);
}

Status FloatingFrameModel::make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) {
  SystemSpec spec = system_;
  set(values, spec);
  if (Status s = check(spec); s.failed()) return s;
  check_tyres(spec);
  choose_constraints(spec);
  try {
    out = make_motion(spec, values.stress);
  } catch (const IndependentCoordinates& error) {
    throw problem_.error("integrator.independent", fmt::format(": {}", error.what()));
  }
  return {};
}

DesignDirections FloatingFrameModel::directions(const SystemSpec& spec, const ParameterLayout& layout,
                                                const std::vector<bool>& with_sid) const {
  DesignDirections all;
  std::vector<Eigen::Triplet<double>> entries;
  for (const std::vector<TiedQuantity>& tied : quantities()) {
    for (const auto& [quantity, sign, offset] : tied) {
      for (const auto& [place, value] : parameter_derivatives(quantity, spec, layout))
        entries.emplace_back(place, all.n_numbers, sign * value);
    }
    ++all.n_numbers;
  }
  Eigen::Index n = all.n_numbers;
  for (std::size_t i = 0; i < with_sid.size(); ++i) {
    const ParameterBlock& block = layout.body(i).all;
    all.of_sid.push_back({n, with_sid[i] ? block.size() : 0});
    for (Eigen::Index k = 0; k < all.of_sid.back().size; ++k)
      entries.emplace_back(block.offset + k, n++, 1.0);
  }
  all.p_dot.resize(layout.size(), n);
  all.p_dot.setFromTriplets(entries.begin(), entries.end());
  all.p_dot += free_length_derivatives(spec, layout) * all.p_dot;
  return all;
}

template <class Act>
auto FloatingFrameModel::placing_errors(const MultibodySystem<double>& system, const Act& act) const {
  try {
    return act();
  } catch (const DependentConstraints& error) {
    throw located(error, problem_, system);
  } catch (const IndependentCoordinates& error) {
    throw problem_.error("integrator.independent", fmt::format(": {}", error.what()));
  }
}

Status FloatingFrameModel::simulate(StepResidual<double>& steps, const MultibodySystem<double>& system,
                                    Trajectory<double>& trajectory) {
  const Status status = placing_errors(system, [&] { return kurbel::simulate(steps, trajectory); });
  return status.failed() ? status : find_rigid_targets(system.spec());
}

Status FloatingFrameModel::initial_state(StepResidual<double>& steps, const MultibodySystem<double>& system,
                                         Eigen::Ref<VectorXd> y0) const {
  return placing_errors(system, [&] { return steps.initial_state(y0); });
}

std::unique_ptr<Motion> FloatingFrameModel::make_motion(const SystemSpec& spec,
                                                        const StressModesOfSets& stress) {
  return std::make_unique<FloatingFrameMotion>(*this, spec, stress, problem_.integrator);
}

void FloatingFrameModel::choose_constraints(SystemSpec& spec) {
  if (redundant_.empty()) {
    try {
      set_redundant_aside(spec, problem_.integrator.t0, kept_first());
    } catch (const DependentConstraints& error) {
      throw located(error, problem_, MultibodySystem<double>(spec));
    }
    for (const JointSpec& joint : spec.joints) redundant_.push_back(joint.redundant);
  }
  for (std::size_t j = 0; j < spec.joints.size(); ++j) spec.joints[j].redundant = redundant_[j];
}

void FloatingFrameModel::check_tyres(const SystemSpec& spec) {
  if (tyres_checked_) return;
  if (const auto fault = tyre_fault_at_start(spec, problem_.integrator.t0))
    throw problem_.error("tyres." + fault->tyre, fault->what);
  tyres_checked_ = true;
}

Status FloatingFrameModel::find_rigid_targets(const SystemSpec& spec) {
  if (rigid_targets_known_) return {};
  std::vector<CriterionTerm*> terms;
  for (auto* lists : {&objectives_, &constrained_}) {
    for (std::vector<CriterionTerm>& list : *lists) {
      for (CriterionTerm& term : list) terms.push_back(&term);
    }
  }
  try {
    if (Status s = set_rigid_targets(spec, problem_.integrator, terms); s.failed()) return s;
  } catch (const DependentConstraints& error) {
    throw located(error, problem_, MultibodySystem<double>(with_all_constraints(spec)));
  } catch (const InputError& error) {
    throw problem_.error("joints", fmt::format(": {}", error.what()));
  }
  rigid_targets_known_ = true;
  return {};
}

FloatingFrameMotion::FloatingFrameMotion(FloatingFrameModel& model, const SystemSpec& spec,
                                         const StressModesOfSets& stress, const IntegratorOptions& options)
    : Motion(model),
      model_(model),
      options_(options),
      system_(spec),
      integrator_(make_steps<double>(system_, options_)),
      stress_(stress) {}

Status FloatingFrameMotion::set(const MechanismValues& values) {
  system_.change([&](SystemSpec& spec) { model_.set(values, spec); });
  integrator_ = make_steps<double>(system_, options_);  // which remember nothing of other values
  stress_ = values.stress;
  return model_.check(system_.spec());
}

Status FloatingFrameMotion::simulate(Trajectory<double>& trajectory) {
  Status status = model_.simulate(steps_to_take(), system_, trajectory);
  if (Status s = end_with_road(system_, integrator_->layout(), trajectory, trajectory); s.failed()) return s;
  if (Status s = end_at_half_turn(system_, integrator_->layout(), trajectory, trajectory); s.failed())
    return s;
  // A start that means nothing, or a constraint that is missing, is why the steps after it fail.
  if (trajectory.n_stored > 0) {
    if (Status s = check_equilibrium(*this, trajectory); s.failed()) return s;
    if (Status s = check_redundant(system_.spec(), integrator_->layout(), trajectory); s.failed()) return s;
  }
  return status;
}

StartReport FloatingFrameMotion::start_report(const Eigen::Ref<const VectorXd>& y0) const {
  if (y0.size() == 0) return report_redundant(system_.spec());
  return report_start(system_, integrator_->layout().instant<double>(options_.t0, y0));
}

std::vector<double> FloatingFrameMotion::line_lengths(const Eigen::Ref<const VectorXd>& y) const {
  const SystemSpec& spec = system_.spec();
  const auto ws = system_.make_workspace();
  const auto at = integrator_->layout().instant<double>(options_.t0, y);
  std::vector<double> lengths;
  const auto add = [&](std::size_t element) { lengths.push_back(system_.spring_length(element, at, *ws)); };
  for (std::size_t i = 0; i < spec.springs.size(); ++i) add(i);
  for (std::size_t i = 0; i < spec.motors.size(); ++i) {
    if (!spec.motors[i].is_rotary) add(spec.springs.size() + spec.torsion_springs.size() + i);
  }
  return lengths;
}

Criterion<double> FloatingFrameMotion::criterion(const std::vector<CriterionTerm>& terms) const {
  return make_criterion(*integrator_, system_, model_.stress_sets().complete(terms, stress_));
}

DirectionalDerivatives FloatingFrameMotion::gradients(const Trajectory<double>& trajectory,
                                                      const RequestedFunctions& requested,
                                                      SensitivityOptions::Method method,
                                                      const SparseMatrix& p_dot) {
  using Method = SensitivityOptions::Method;
  const auto functions = linearize(trajectory, requested);
  const auto terms = model_.terms(requested);
  std::vector<const Objective<double>*> objectives;
  std::vector<const Integrand<double>*> integrands, finals;
  DirectionalDerivatives derivatives;
  for (std::size_t j = 0; j < functions.size(); ++j) {
    objectives.push_back(functions[j].get());
    integrands.push_back(&functions[j]->integrand());
    finals.push_back(&functions[j]->final_terms());
    derivatives.stress.push_back(model_.stress_sets().collect(*terms[j], functions[j]->time_history_bars()));
  }
  method = resolve(method, trajectory, requested, p_dot.cols());
  if (method == Method::continuous_adjoint) {
    const Problem& problem = model_.problem();
    derivatives.along = p_dot.transpose() * continuous_adjoint_of(problem.integrator.method, system_,
                                                                  *integrator_, trajectory, integrands,
                                                                  problem.sensitivity.substeps, finals);
  } else if (method == Method::direct) {
    derivatives.along = differentiate_directly(trajectory, objectives, p_dot);
  } else {
    derivatives.along = p_dot.transpose() * discrete_adjoint<double>(*integrator_, trajectory, objectives);
  }
  return derivatives;
}

SimulationReport FloatingFrameMotion::report(const Trajectory<double>& trajectory) const {
  SimulationReport report;
  const Eigen::Index n = trajectory.n_stored;
  if (n > 1) report.newton_iterations_per_step = double(integrator_->newton_iterations()) / double(n - 1);
  const auto ws = system_.make_workspace();
  ConstraintDerivatives<double> constraints;
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = integrator_->layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
    system_.constraint_derivatives(at, *ws, constraints);
    if (system_.n_c() == 0) break;
    report.position_defect = std::max(report.position_defect, constraints.c0.cwiseAbs().maxCoeff());
    report.velocity_drift = std::max(report.velocity_drift, constraints.c1.cwiseAbs().maxCoeff());
  }
  return report;
}

MotionSummary FloatingFrameMotion::summarize(const Trajectory<double>& trajectory) const {
  const SimulationReport quality = report(trajectory);
  const auto ws = system_.make_workspace();
  const auto at = [&](Eigen::Index k) {
    return integrator_->layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
  };
  const Eigen::Index last = trajectory.n_stored - 1;
  const auto start = system_.energy(at(0), *ws), end = system_.energy(at(last), *ws);
  MomentumLine momentum;
  for (Eigen::Index k = 0; k <= last; ++k) {
    const auto now = system_.momentum(at(k), *ws);
    momentum.add(now.linear, now.angular);
  }
  return {
      {fmt::format("{:.3g} Newton iterations per step; largest constraint violation {:.2g}, largest drift "
                   "of the constraints' velocity {:.2g}",
                   quality.newton_iterations_per_step, quality.position_defect, quality.velocity_drift),
       fmt::format("energy at the start and at the end, J: kinetic {:.6g}, {:.6g}; elastic {:.6g}, {:.6g}; "
                   "gravitational {:.6g}, {:.6g}",
                   start.kinetic, end.kinetic, start.elastic, end.elastic, start.gravitational,
                   end.gravitational),
       momentum.text()},
      {{"newton_iterations_per_step", quality.newton_iterations_per_step},
       {"position_defect", quality.position_defect},
       {"velocity_drift", quality.velocity_drift}}};
}

std::vector<std::string> FloatingFrameMotion::warnings(const Trajectory<double>& trajectory) const {
  constexpr double large = 0.1;
  std::vector<std::string> warnings = Motion::warnings(trajectory);
  for (const Deformation& of_body :
       largest_deformations(system_, integrator_->layout(), trajectory, 0, trajectory.n_stored)) {
    if (of_body.ratio < large) continue;
    warnings.push_back(
        fmt::format("body {}: its elastic displacements reach {:.0f} % of its size (at {:.4g} s); only "
                    "small ones are described",
                    system_.spec().bodies[of_body.body].name, 100.0 * of_body.ratio, of_body.time));
  }
  return warnings;
}

std::vector<NamedSid> FloatingFrameMotion::sids() const {
  std::vector<NamedSid> sids;
  for (std::size_t i = 0; i < system_.first_node(); ++i)
    sids.push_back({system_.spec().bodies[i].name, system_.spec().bodies[i].sid});
  return sids;
}

}  // namespace kurbel
