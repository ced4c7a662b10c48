#include "formulation/natural_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "floating_frame/redundant_constraints.hpp"
#include "floating_frame/torsion_range.hpp"
#include "formulation/effect_steps.hpp"
#include "formulation/kinked_weld.hpp"
#include "formulation/momentum_line.hpp"
#include "integration/constant_mass_start.hpp"

namespace kurbel {

namespace {

/// "joints.hinge: is ..." with its place in the input.
InputError located(const InputError& error, const Problem& problem) {
  const std::string what = error.what();
  const std::size_t colon = what.find(": ");
  if (colon == std::string::npos || what.find(' ') < colon) return problem.error("joints", ": " + what);
  return problem.error(what.substr(0, colon), what.substr(colon));
}

/// Name of the variable that is a number of the mechanism.
const std::string& name_of_number(const Problem& problem, Eigen::Index number) {
  const auto is_it = [&](const DesignVariable& variable) {
    return std::holds_alternative<SystemQuantity>(variable.quantity) && number-- == 0;
  };
  return std::ranges::find_if(problem.design.variables, is_it)->name;
}

/// True if the mechanism consists of planar beams and masses in points alone, which have no constraints.
bool is_of_places(const SystemSpec& spec) {
  return spec.bodies.empty() && spec.beams.empty();
}

bool has_control_energy(const std::vector<CriterionTerm>& terms) {
  return std::ranges::any_of(
      terms, [](const CriterionTerm& term) { return term.quantity == Quantity::control_energy; });
}

/// True if the state at t_0 changes with a number.
bool moves_start(const TiedQuantity& tied) {
  return tied.quantity.kind == SystemQuantity::Kind::planar_beam_number &&
         tied.quantity.component == PlanarBeamSpec::length;
}

}  // namespace

NaturalModel::NaturalModel(Shared<const Problem> problem, Shared<const StressSets> stress_sets)
    : FloatingFrameModel(std::move(problem), std::move(stress_sets)) {
  if (!is_of_places(problem_.system)) return;
  const NaturalSystem<double> system(problem_.system);
  const auto steps = make_dae_steps<double>(system, problem_.integrator);
  const VectorXd of_parameters = first_steps_of_effect(system, *steps, problem_.integrator.alpha);
  for (const std::vector<TiedQuantity>& tied : quantities()) {
    double first = std::numeric_limits<double>::infinity();
    for (const TiedQuantity& one : tied) {
      if (one.quantity.kind == SystemQuantity::Kind::end_of_motion) {
        first = -1.0;
        continue;
      }
      for (const auto& [place, value] : parameter_derivatives(one.quantity, problem_.system, system.layout()))
        first = std::min(first, of_parameters[place]);
    }
    first_effect_.push_back(first);
  }
}

bool NaturalModel::depends(std::size_t function, Eigen::Index number) const {
  if (first_effect_.empty()) return true;
  const std::vector<CriterionTerm>& terms = functions()[function].terms;
  const int last = last_step_that_counts(terms, problem().integrator.n_steps());
  const double effect = first_effect_[static_cast<std::size_t>(number)];
  return effect < 0.0 || has_control_energy(terms) || (last > 0 && effect <= last);
}

void NaturalModel::require_possible_start(const VectorXd& numbers, const RequestedFunctions& requested) {
  if (!is_of_places(problem().system)) return;
  for (const std::vector<TiedQuantity>& tied : quantities()) {
    if (std::ranges::any_of(tied, moves_start)) return;
  }
  RequestedFunctions of_start{requested.stage, {}};
  for (const std::size_t i : requested.functions) {
    if (last_step_that_counts(functions()[i].terms, problem().integrator.n_steps()) == 0)
      of_start.functions.push_back(i);
  }
  std::unique_ptr<Motion> motion;
  if (of_start.functions.empty() || make({numbers, {}, {}}, motion).failed()) return;
  Trajectory<double> start;
  start.y = MatrixXd::Zero(motion->steps().n_state(), motion->steps().n_steps() + 1);
  start.t = VectorXd::Constant(start.y.cols(), problem().integrator.t0);
  if (motion->initial_state(start.y.col(0)).failed()) return;
  const std::vector<CriterionValues> values = motion->values(start, of_start);
  const auto objectives = motion->objectives(start, of_start);
  for (std::size_t j = 0; j < of_start.functions.size(); ++j) {
    const CriterionConstraint& c = functions()[of_start.functions[j]];
    VectorXd y_bar = VectorXd::Zero(motion->steps().n_tangent()),
             p_bar = VectorXd::Zero(motion->steps().n_parameters());
    objectives[j + 1]->add_partials(0, start, y_bar, p_bar);
    const double h = values[j + 1].value;
    if (!p_bar.isZero(0.0) || c.equals || excess(c, h) <= 0.0) continue;
    throw problem().error(
        "constraints.criteria." + c.name,
        fmt::format("is violated by the initial state, where {} = {:.8g}; nothing changes that",
                    c.time_history_name(), h));
  }
}

std::unique_ptr<Motion> NaturalModel::make_motion(const SystemSpec& spec, const StressModesOfSets&) {
  try {
    return std::make_unique<NaturalMotion>(*this, spec);
  } catch (const IndependentCoordinates&) {
    throw;
  } catch (const InputError& error) {
    throw located(error, problem());
  }
}

void NaturalModel::choose_constraints(SystemSpec& spec) {
  const bool bodies_alone = spec.beams.empty() && spec.planar_beams.empty() && spec.point_masses.empty();
  if (bodies_alone) FloatingFrameModel::choose_constraints(spec);
}

NaturalMotion::NaturalMotion(NaturalModel& model, const SystemSpec& spec)
    : Motion(model),
      model_(model),
      system_(spec),
      steps_(make_dae_steps<double>(system_, model.problem().integrator)) {}

Status NaturalMotion::set(const MechanismValues& values) {
  system_.change([&](SystemSpec& spec) { model_.set(values, spec); });
  steps_ = make_dae_steps<double>(system_, model_.problem().integrator);
  return model_.check(system_.spec());
}

Trajectory<double> NaturalMotion::of_bodies(const Trajectory<double>& trajectory) const {
  BodiesOfVectors<double> bodies(system_);
  const DaeStateLayout& layout = bodies.layout();
  Trajectory<double> out{MatrixXd::Zero(layout.n_state(), trajectory.y.cols()), trajectory.t,
                         trajectory.n_stored};
  for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) {
    const auto at = bodies.at(steps_->layout().instant<double>(trajectory.t[k], trajectory.y.col(k)));
    layout.x(out.y.col(k)) = at.x;
    layout.v(out.y.col(k)) = at.v;
  }
  return out;
}

/// Simulates as in the floating frame, whose start it has.
Status NaturalMotion::simulate_bodies(Trajectory<double>& trajectory) {
  Status status = model_.simulate(steps_to_take(), system_.bodies(), trajectory);
  const SystemSpec& spec = system_.spec();
  if (trajectory.n_stored > 0 && (has_torsion_range(spec) || !redundant_names(spec).empty())) {
    const DaeStateLayout layout = BodiesOfVectors<double>(system_).layout();
    const Trajectory<double> motion = of_bodies(trajectory);
    if (Status s = end_at_half_turn(system_.bodies(), layout, motion, trajectory); s.failed()) return s;
    if (Status s = check_redundant(spec, layout, motion); s.failed()) return s;
  }
  return status;
}

template <class Act>
auto NaturalMotion::located(const Act& act) const {
  const auto at_joint = [this](Eigen::Index row, const InputError& error) {
    const NaturalJoint* joint = system_.joint_of_row(row);
    return model_.problem().error(joint ? "joints." + joint->name : "joints",
                                  fmt::format(": {}", error.what()));
  };
  try {
    return act();
  } catch (const FaultyConstraint& error) {
    throw at_joint(error.row(), error);
  } catch (const IndependentCoordinates& error) {
    throw model_.problem().error("integrator.independent", fmt::format(": {}", error.what()));
  }
}

Status NaturalMotion::initial_state(Eigen::Ref<VectorXd> y0) const {
  return located([&] {
    return system_.has_bodies_alone() ? model_.initial_state(*steps_, system_.bodies(), y0)
                                      : steps_->initial_state(y0);
  });
}

StartReport NaturalMotion::start_report(const Eigen::Ref<const VectorXd>& y0) const {
  if (!system_.has_bodies_alone()) return {};
  if (y0.size() == 0) return report_redundant(system_.spec());
  BodiesOfVectors<double> bodies(system_);
  const double t0 = model_.problem().integrator.t0;
  return report_start(system_.bodies(), bodies.at(steps_->layout().instant<double>(t0, y0)));
}

DesignDirections NaturalMotion::directions(const std::vector<bool>& /*with_sid*/) const {
  DesignDirections all = model_.directions(system_.spec(), system_.layout(), {});
  if (const auto kinked = find_kinked_weld(system_.spec(), system_.layout(), all.p_dot)) {
    const std::string& variable = name_of_number(model_.problem(), kinked->direction);
    throw model_.problem().error(
        "joints." + kinked->joint,
        kinked->kind == BeamSpec::Kind::cable
            ? fmt::format(
                  ": welds two cables in line, which variable {} bends, so that there are no "
                  "derivatives. Begin with an angle between the cables, or let the variable move both "
                  "alike",
                  variable)
            : fmt::format(": welds two beams, whose axes variable {} turns against each other. Let the "
                          "variable move both alike, or take a joint that turns",
                          variable));
  }
  return all;
}

Status NaturalMotion::simulate(Trajectory<double>& trajectory) {
  return located([&] {
    return system_.has_bodies_alone() ? simulate_bodies(trajectory)
                                      : kurbel::simulate(steps_to_take(), trajectory);
  });
}

Status NaturalMotion::simulate_along(const SparseMatrix& p_dot, Trajectory<double>& trajectory) {
  system_.differentiate_by(p_dot);
  return Motion::simulate_along(p_dot, trajectory);
}

DirectionalDerivatives NaturalMotion::gradients(const Trajectory<double>& trajectory,
                                                const RequestedFunctions& requested,
                                                SensitivityOptions::Method method,
                                                const SparseMatrix& p_dot) {
  system_.differentiate_by(p_dot);
  if (method != SensitivityOptions::Method::continuous_adjoint)
    return Motion::gradients(trajectory, requested, method, p_dot);
  return continuous_gradients(system_, *steps_, trajectory, requested, p_dot);
}

std::vector<double> NaturalMotion::line_lengths(const Eigen::Ref<const VectorXd>& y) const {
  const SystemSpec& spec = system_.spec();
  const VectorXd x = steps_->layout().x(y);
  std::vector<double> lengths;
  const auto add = [&](const auto& line, const std::string& owner) {
    const VectorForm d =
        system_.frames().at(line.to, owner).point - system_.frames().at(line.from, owner).point;
    lengths.push_back(d.at<double>(system_.extended_parameters().data(), x).norm());
  };
  for (const SpringSpec& spring : spec.springs) add(spring, "springs." + spring.name);
  for (const MotorSpec& motor : spec.motors) {
    if (!motor.is_rotary) add(motor, "controls." + motor.name);
  }
  return lengths;
}

DaeInstant<double> NaturalMotion::middle(const Trajectory<double>& trajectory, Eigen::Index k) const {
  const double h = k > 0 ? trajectory.t[k] - trajectory.t[k - 1] : 0.0;
  return steps_->layout().middle<double>(trajectory.t[k], trajectory.y.col(k), h);
}

std::vector<std::string> NaturalMotion::state_names() const {
  if (!is_of_places(system_.spec())) return {};
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < system_.n_x(); ++i) names.push_back(system_.coordinate_label(i));
  for (Eigen::Index i = 0; i < system_.n_x(); ++i)
    names.push_back(fmt::format("d({})/dt", names[static_cast<std::size_t>(i)]));
  return names;
}

std::vector<std::string> NaturalMotion::state_units() const {
  if (!is_of_places(system_.spec())) return {};
  const auto is_point = [&](Eigen::Index i) {
    return system_.frames().is_point(system_.frames().map().vector_of(i));
  };
  std::vector<std::string> units;
  for (Eigen::Index i = 0; i < system_.n_x(); ++i) units.emplace_back(is_point(i) ? "m" : "");
  for (Eigen::Index i = 0; i < system_.n_x(); ++i) units.emplace_back(is_point(i) ? "m/s" : "1/s");
  return units;
}

MotionSummary NaturalMotion::summarize(const Trajectory<double>& trajectory) const {
  const auto ws = system_.make_workspace();
  const DaeStateLayout& layout = steps_->layout();
  BlockMatrix<double> C = system_.make_jacobians().C;
  VectorXd c(system_.n_c()), c_t(system_.n_c());
  double defect = 0.0, drift = 0.0;
  for (Eigen::Index k = 0; k < trajectory.n_stored && system_.n_c() > 0; ++k) {
    const auto at = layout.instant<double>(trajectory.t[k], trajectory.y.col(k));
    system_.constraints(at.t, at.x, *ws, c, C);
    system_.constraint_rate(at.t, *ws, c_t);
    C.add_product(1.0, at.v, c_t);
    defect = std::max(defect, c.cwiseAbs().maxCoeff()), drift = std::max(drift, c_t.cwiseAbs().maxCoeff());
  }
  const auto at = [&](Eigen::Index k) {
    return layout.instant<double>(trajectory.t[k], trajectory.y.col(k));
  };
  const Eigen::Index last = trajectory.n_stored - 1;
  const double per_step =
      static_cast<double>(steps_->newton_iterations()) / std::max(1.0, static_cast<double>(last));
  MomentumLine momentum;
  for (Eigen::Index k = 0; k <= last; ++k) {
    const auto now = system_.momentum(at(k).x, at(k).v);
    momentum.add(now.linear, now.angular);
  }
  return {
      {fmt::format(
           "{} coordinates, {} constraints; {:.3g} Newton iterations per step; largest constraint violation "
           "{:.2g}, largest drift of the constraints' velocity {:.2g}",
           system_.n_x(), system_.n_c(), per_step, defect, drift),
       fmt::format("energy at the start and at the end, J: kinetic {:.6g}, {:.6g}; potential {:.6g}, {:.6g}",
                   system_.kinetic_energy(at(0).v), system_.kinetic_energy(at(last).v),
                   system_.potential_energy(at(0).x, *ws), system_.potential_energy(at(last).x, *ws)),
       momentum.text()},
      {{"newton_iterations_per_step", per_step},
       {"position_defect", defect},
       {"velocity_drift", drift},
       {"kinetic_energy", system_.kinetic_energy(at(last).v)},
       {"potential_energy", system_.potential_energy(at(last).x, *ws)}}};
}

}  // namespace kurbel
