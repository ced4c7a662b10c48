#include <algorithm>
#include <array>

#include "formulation/drive_panel.hpp"
#include "formulation/natural_motion.hpp"

namespace kurbel {

namespace {

using Observed = std::vector<std::shared_ptr<const Observable<double>>>;

/// Observables one below the other.
struct ObservedPanel {
  HistoryPanel panel;
  Observed observed;

  ObservedPanel(const char* name, const char* unit, std::vector<std::string> rows, Observed of,
                Eigen::Index n)
      : panel(name, unit, std::move(rows), n), observed(std::move(of)) {}
  void look(const DaeInstant<double>& at, Eigen::Index k) {
    Eigen::Index row = 0;
    for (const auto& one : observed) {
      const Rows<double> z = one->value(at);
      panel.values.col(k).segment(row, z.size()) = z;
      row += z.size();
    }
  }
};

/// Origins of bodies and ends of beams.
ObservedPanel places(const NaturalSystem<double>& system, CarriedPoint<double>::Kind kind, Eigen::Index n) {
  std::vector<std::string> names;
  Observed observed;
  const auto add = [&](const std::string& name, const MarkerRef& ref) {
    names.push_back(name);
    observed.push_back(
        std::make_shared<CarriedPoint<double>>(system, system.frames().at(ref, name).point, kind));
  };
  for (const BodySpec& body : system.spec().bodies) add(body.name, {body.name});
  for (const BeamSpec& beam : system.spec().beams) {
    for (const char* end : {"start", "end"}) add(beam.name + "." + end, {beam.name, end});
  }
  const bool position = kind == CarriedPoint<double>::Kind::position;
  return {position ? "position" : "velocity", position ? "m" : "m/s", by_axis(names), std::move(observed), n};
}

bool is_rod(const NaturalSystem<double>& system, const std::string& joint) {
  return std::ranges::find(system.spec().joints, joint, &JointSpec::name)->length.has_value();
}

/// Forces, or moments, of the joints that hold a displacement, or a rotation.
ObservedPanel reactions(const NaturalSystem<double>& system, bool moment, Eigen::Index n) {
  std::vector<std::string> names;
  Observed observed;
  for (const JointSpec& joint : system.spec().joints) {
    const std::vector<RelativeDof>& dofs = system.joint(joint.name).dofs;
    const auto held = [&](RelativeDof dof) { return (dof >= RelativeDof::rx) == moment; };
    if (is_rod(system, joint.name) || std::ranges::none_of(dofs, held)) continue;
    names.push_back(joint.name);
    observed.push_back(std::make_shared<NaturalReaction<double>>(system, joint.name, moment));
  }
  return {moment ? "reaction_moment" : "reaction_force", moment ? "N m" : "N", by_axis(names),
          std::move(observed), n};
}

DrivePanel drives(const NaturalSystem<double>& system, bool torques, Eigen::Index n) {
  const auto reaction = [&](const std::string& joint) {
    return std::make_shared<NaturalReaction<double>>(system, joint, torques);
  };
  return {system.spec().joints, torques, reaction, n};
}

ObservedPanel rods(const NaturalSystem<double>& system, Eigen::Index n) {
  std::vector<std::string> names;
  Observed observed;
  for (const JointSpec& joint : system.spec().joints) {
    if (!is_rod(system, joint.name)) continue;
    names.push_back(joint.name);
    observed.push_back(std::make_shared<NaturalRodForce<double>>(system, joint.name));
  }
  return {"rod_force", "N", std::move(names), std::move(observed), n};
}

/// Lengths of springs and their forces on the `to` end, along the inertial axes.
struct SpringTimeHistories {
  HistoryPanel lengths, forces;

  static std::vector<std::string> names(const SystemSpec& spec) {
    std::vector<std::string> names;
    for (const SpringSpec& spring : spec.springs) names.push_back(spring.name);
    return names;
  }
  SpringTimeHistories(const NaturalSystem<double>& system, Eigen::Index n)
      : lengths("spring_length", "m", names(system.spec()), n),
        forces("spring_force", "N", by_axis(lengths.rows), n) {
    for (const std::string& name : lengths.rows) {
      CriterionTerm term{.quantity = Quantity::spring_length};
      term.spring = name;
      length_of_.push_back(make_integrand(system, term));
      term.quantity = Quantity::spring_force;
      for (int axis = 0; axis < 3; ++axis) {
        term.component = axis;
        force_of_.push_back(make_integrand(system, term));
      }
    }
  }
  void look(const DaeInstant<double>& at, const DaeInstant<double>& between, Eigen::Index k) {
    for (std::size_t i = 0; i < length_of_.size(); ++i)
      lengths.values(static_cast<Eigen::Index>(i), k) = length_of_[i]->value(at);
    for (std::size_t i = 0; i < force_of_.size(); ++i)
      forces.values(static_cast<Eigen::Index>(i), k) = force_of_[i]->value(between);
  }

 private:
  std::vector<std::shared_ptr<const Integrand<double>>> length_of_, force_of_;
};

}  // namespace

std::vector<HistoryPanel> NaturalMotion::histories(const Trajectory<double>& trajectory) const {
  using Kind = CarriedPoint<double>::Kind;
  const Eigen::Index n = trajectory.n_stored;
  const SystemSpec& spec = system_.spec();
  HistoryPanel energy("energy", "J", {"kinetic", "potential", "total"}, n);
  std::vector<ObservedPanel> ends;
  ends.push_back(places(system_, Kind::position, n));
  ends.push_back(places(system_, Kind::velocity, n));
  std::vector<ObservedPanel> forces = {reactions(system_, false, n), reactions(system_, true, n),
                                       rods(system_, n)};
  std::array driven = {drives(system_, true, n), drives(system_, false, n)};
  SpringTimeHistories springs(system_, n);
  std::vector<std::string> beams;
  std::vector<std::vector<ElementFunction<double>>> stresses;
  for (const BeamSpec& beam : spec.beams) {
    beams.push_back(beam.name);
    CriterionTerm term{.quantity = Quantity::stress};
    term.beam = beam.name;
    stresses.push_back(beam_stresses(system_, term));
  }
  HistoryPanel stress("largest_stress", "Pa", beams, n);
  const auto ws = system_.make_workspace();
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = steps_->layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
    const auto between = middle(trajectory, k);
    const double T = system_.kinetic_energy(at.v), V = system_.potential_energy(at.x, *ws);
    energy.values.col(k) << T, V, T + V;
    for (ObservedPanel& panel : ends) panel.look(at, k);
    for (ObservedPanel& panel : forces) panel.look(between, k);
    for (DrivePanel& panel : driven) panel.look(between, k);
    springs.look(at, between, k);
    for (std::size_t i = 0; i < stresses.size(); ++i) {
      double& largest = stress.values(static_cast<Eigen::Index>(i), k);
      for (const ElementFunction<double>& sigma : stresses[i])
        largest = std::max(largest, std::abs(sigma.value(between)[0]));
    }
  }
  std::vector<HistoryPanel> panels = {std::move(energy)};
  for (DrivePanel& panel : driven) panels.push_back(std::move(panel.panel));
  for (ObservedPanel& panel : ends) panels.push_back(std::move(panel.panel));
  panels.push_back(std::move(stress));
  for (ObservedPanel& panel : forces) panels.push_back(std::move(panel.panel));
  panels.push_back(std::move(springs.lengths));
  panels.push_back(std::move(springs.forces));
  std::erase_if(panels, [](const HistoryPanel& panel) { return panel.rows.empty(); });
  return panels;
}

}  // namespace kurbel
