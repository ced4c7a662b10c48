#include "formulation/joint_coordinates_motion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "floating_frame/redundant_constraints.hpp"
#include "floating_frame/torsion_range.hpp"
#include "floating_frame/tyre_range.hpp"
#include "joint_coordinates/make_joint_steps.hpp"
#include "mechanism/motion_end.hpp"

namespace kurbel {

namespace {

/// Whether an observable depends on multipliers.
bool is_reaction(Quantity quantity) {
  const ObservedPlace place = traits_of(quantity).place;
  return place == ObservedPlace::joint || place == ObservedPlace::rod;
}

}  // namespace

JointCoordinatesModel::JointCoordinatesModel(Shared<const Problem> problem,
                                             Shared<const StressSets> stress_sets)
    : FloatingFrameModel(std::move(problem), std::move(stress_sets)) {}

std::unique_ptr<Motion> JointCoordinatesModel::make_motion(const SystemSpec& spec,
                                                           const StressModesOfSets& stress) {
  return std::make_unique<JointCoordinatesMotion>(*this, spec, stress);
}

std::vector<std::string> JointCoordinatesModel::kept_first() const {
  std::vector<std::string> names;
  for (const TreeLink& link : choose_spanning_tree(problem().system)) {
    if (link.joint >= 0) names.push_back(problem().system.joints[static_cast<std::size_t>(link.joint)].name);
  }
  return names;
}

JointCoordinatesMotion::JointCoordinatesMotion(JointCoordinatesModel& model, const SystemSpec& spec,
                                               const StressModesOfSets& stress)
    : Motion(model),
      model_(model),
      bodies_(model, spec, stress, IntegratorOptions{.t1 = 1.0, .step = 1.0}),
      system_(bodies_.system(), model.problem().recursion),
      steps_(make_steps<double>(system_, model.problem().integrator)) {}

Status JointCoordinatesMotion::set(const MechanismValues& values) {
  if (Status s = bodies_.set(values); s.failed()) return s;
  system_.change([&](SystemSpec& spec) { model_.set(values, spec); });
  steps_ = make_steps<double>(system_, model_.problem().integrator);
  return {};
}

Status JointCoordinatesMotion::initial_state(Eigen::Ref<VectorXd> y0) const {
  return model_.initial_state(*steps_, bodies_.system(), y0);
}

StartReport JointCoordinatesMotion::start_report(const Eigen::Ref<const VectorXd>& y0) const {
  if (y0.size() == 0) return bodies_.start_report(y0);
  return bodies_.start_report(
      of_bodies({y0, VectorXd::Constant(1, model_.problem().integrator.t0), 1}).y.col(0));
}

Status JointCoordinatesMotion::simulate(Trajectory<double>& trajectory) {
  Status status = model_.simulate(steps_to_take(), bodies_.system(), trajectory);
  const SystemSpec& spec = bodies_.system().spec();
  if (trajectory.n_stored > 0 &&
      (has_end_of_road(spec) || has_torsion_range(spec) || !redundant_names(spec).empty())) {
    const Trajectory<double> motion = of_bodies(trajectory);
    const DaeStateLayout& layout = bodies_.integrator().layout();
    if (Status s = end_with_road(bodies_.system(), layout, motion, trajectory); s.failed()) return s;
    if (Status s = end_at_half_turn(bodies_.system(), layout, motion, trajectory); s.failed()) return s;
    if (Status s = check_redundant(spec, layout, motion); s.failed()) return s;
  }
  return status;
}

std::vector<double> JointCoordinatesMotion::line_lengths(const Eigen::Ref<const VectorXd>& y) const {
  const Trajectory<double> start{y, VectorXd::Constant(1, model_.problem().integrator.t0), 1};
  return bodies_.line_lengths(of_bodies(start).y.col(0));
}

Criterion<double> JointCoordinatesMotion::criterion(const std::vector<CriterionTerm>& terms) const {
  Criterion<double> criterion(*steps_, steps_->layout());
  for (const CriterionTerm& term : terms) {
    if (term.quantity == Quantity::duration) {
      criterion.add(term, duration_of(bodies_.system()));
      continue;
    }
    auto of_bodies = make_integrand(bodies_.system(), in_motion(term, bodies_.system().spec().time));
    auto integrand =
        std::make_shared<JointIntegrand<double>>(system_, std::move(of_bodies), is_reaction(term.quantity));
    criterion.add(term, std::move(integrand));
  }
  return criterion;
}

DirectionalDerivatives JointCoordinatesMotion::gradients(const Trajectory<double>& trajectory,
                                                         const RequestedFunctions& requested,
                                                         SensitivityOptions::Method method,
                                                         const SparseMatrix& p_dot) {
  if (method != SensitivityOptions::Method::continuous_adjoint)
    return Motion::gradients(trajectory, requested, method, p_dot);
  return continuous_gradients(system_, *steps_, trajectory, requested, p_dot);
}

Trajectory<double> JointCoordinatesMotion::of_bodies(const Trajectory<double>& trajectory) const {
  const DaeStateLayout& layout = bodies_.integrator().layout();
  Trajectory<double> out{MatrixXd(layout.n_state(), trajectory.y.cols()), trajectory.t, trajectory.n_stored};
  BodiesOfJoints<double> bodies(system_);
  for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) {
    const auto at = bodies.at(steps_->layout().instant<double>(trajectory.t[k], trajectory.y.col(k)), true);
    auto y = out.y.col(k);
    y.head(layout.n_x) = at.x;
    y.segment(layout.n_x, layout.n_v) = at.v;
    for (int i = 0; i < layout.n_accelerations; ++i)
      y.segment(layout.n_x + (1 + i) * layout.n_v, layout.n_v) = at.v_dot;
    y.tail(layout.n_c) = at.lambda;
  }
  return out;
}

namespace {

/// Angles, or displacements, of joints.
HistoryPanel joint_coordinates(const JointCoordinateSystem<double>& system, TreeStage::Kind kind,
                               const Trajectory<double>& trajectory) {
  const bool angles = kind == TreeStage::Kind::revolute;
  std::vector<const TreeStage*> stages;
  std::vector<std::string> names;
  for (const TreeStage& stage : system.tree().stages()) {
    if (stage.kind != kind) continue;
    stages.push_back(&stage);
    names.push_back(system.coordinate_label(stage.v));
  }
  HistoryPanel panel(angles ? "joint_angle" : "joint_displacement", angles ? "rad" : "m", std::move(names),
                     trajectory.n_stored);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    panel.values.row(static_cast<Eigen::Index>(i)) = trajectory.y.row(stages[i]->x).head(trajectory.n_stored);
  }
  return panel;
}

/// p = M v of joints, against which forces (sliding) or torques (turning) work.               [P3, eq. 8]
HistoryPanel joint_momenta(const JointCoordinateSystem<double>& system, bool turning,
                           const DaeStateLayout& layout, const Trajectory<double>& trajectory) {
  std::vector<Eigen::Index> indices;
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < system.n_v(); ++i) {
    if (system.is_turning(i) != turning) continue;
    indices.push_back(i);
    names.push_back(system.coordinate_label(i));
  }
  HistoryPanel panel(turning ? "angular_momentum" : "momentum", turning ? "N m s" : "N s", std::move(names),
                     trajectory.n_stored);
  const auto ws = system.make_canonical_workspace();
  VectorXd p(system.n_v()), g(system.n_v());
  for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) {
    const auto at = layout.instant<double>(trajectory.t[k], trajectory.y.col(k));
    system.set_position(at.t, at.x, *ws);
    system.momenta(at.v, *ws, p, g);
    panel.values.col(k) = p(indices);
  }
  return panel;
}

}  // namespace

std::vector<HistoryPanel> JointCoordinatesMotion::histories(const Trajectory<double>& trajectory) const {
  std::vector<HistoryPanel> panels = bodies_.histories(of_bodies(trajectory));
  for (const auto kind : {TreeStage::Kind::revolute, TreeStage::Kind::prismatic}) {
    HistoryPanel panel = joint_coordinates(system_, kind, trajectory);
    if (!panel.rows.empty()) panels.push_back(std::move(panel));
  }
  if (!has_momenta(model_.problem().formulation)) return panels;
  for (const bool turning : {true, false}) {
    HistoryPanel panel = joint_momenta(system_, turning, steps_->layout(), trajectory);
    if (!panel.rows.empty()) panels.push_back(std::move(panel));
  }
  return panels;
}

MotionSummary JointCoordinatesMotion::summarize(const Trajectory<double>& trajectory) const {
  MotionSummary summary = bodies_.summarize(of_bodies(trajectory));
  const double per_step = trajectory.n_stored > 1 ? static_cast<double>(steps_->newton_iterations()) /
                                                        static_cast<double>(trajectory.n_stored - 1)
                                                  : 0.0;
  for (auto& [name, value] : summary.numbers) {
    if (name == "newton_iterations_per_step") value = per_step;
  }
  const auto number = [&](const char* name) {
    return std::ranges::find(summary.numbers, name, &std::pair<std::string, double>::first)->second;
  };
  const std::string iterations = takes_momenta(model_.problem().integrator.method)
                                     ? ""
                                     : fmt::format("{:.3g} Newton iterations per step; ", per_step);
  summary.lines.front() = fmt::format(
      "{} joint coordinates, {} constraints close loops and drive joints; {}largest constraint violation "
      "{:.2g}, largest "
      "drift of the constraints' velocity {:.2g}",
      system_.n_v(), system_.n_c(), iterations, number("position_defect"), number("velocity_drift"));
  return summary;
}

std::optional<BodyTrajectories> JointCoordinatesMotion::body_trajectories(
    const Trajectory<double>& trajectory) const {
  return bodies_.body_trajectories(of_bodies(trajectory));
}

void JointCoordinatesMotion::draw(const Trajectory<double>& trajectory,
                                  std::vector<std::optional<MotionBody>> meshes,
                                  const FramesReceiver& show) const {
  bodies_.draw(of_bodies(trajectory), std::move(meshes), show);
}

}  // namespace kurbel
