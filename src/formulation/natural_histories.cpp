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
  Eigen::Index in_plane = 0;  ///< how many of the last ones have a row for x and one for y alone

  ObservedPanel(const char* name, const char* unit, std::vector<std::string> rows, Observed of,
                Eigen::Index n)
      : panel(name, unit, std::move(rows), n), observed(std::move(of)) {}
  void look(const DaeInstant<double>& at, Eigen::Index k) {
    Eigen::Index row = 0, left = std::ssize(observed);
    for (const auto& one : observed) {
      const Rows<double> z = one->value(at);
      const Eigen::Index size = left-- <= in_plane ? 2 : z.size();
      panel.values.col(k).segment(row, size) = z.head(size);
      row += size;
    }
  }
};

/// Origins of bodies, masses in points and ends of beams, of planar ones in their plane.
ObservedPanel places(const NaturalSystem<double>& system, CarriedPoint<double>::Kind kind, Eigen::Index n) {
  std::vector<std::string> names;
  Observed observed;
  const auto add = [&](const std::string& name, const MarkerRef& ref) {
    names.push_back(name);
    observed.push_back(
        std::make_shared<CarriedPoint<double>>(system, system.frames().at(ref, name).point, kind));
  };
  for (const BodySpec& body : system.spec().bodies) add(body.name, {body.name});
  for (const PointMassSpec& point : system.spec().point_masses) add(point.name, {point.name});
  for (const BeamSpec& beam : system.spec().beams) {
    for (const char* end : {"start", "end"}) add(beam.name + "." + end, {beam.name, end});
  }
  std::vector<std::string> rows = by_axis(names);
  for (const PlanarBeamSpec& beam : system.spec().planar_beams) {
    for (const char* end : {"start", "end"}) {
      add(beam.name + "." + end, {beam.name, end});
      for (const char* axis : {".x", ".y"}) rows.push_back(names.back() + axis);
    }
  }
  const bool position = kind == CarriedPoint<double>::Kind::position;
  ObservedPanel panel{position ? "position" : "velocity", position ? "m" : "m/s", std::move(rows),
                      std::move(observed), n};
  panel.in_plane = 2 * std::ssize(system.spec().planar_beams);
  return panel;
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
    const auto locked = [&](RelativeDof dof) { return (dof >= RelativeDof::rx) == moment; };
    if (is_rod(system, joint.name) || std::ranges::none_of(dofs, locked)) continue;
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
  const auto add_stress = [&](const std::string& beam) {
    beams.push_back(beam);
    CriterionTerm term{.quantity = Quantity::stress};
    term.beam = beam;
    stresses.push_back(beam_stresses(system_, term));
  };
  for (const BeamSpec& beam : spec.beams) add_stress(beam.name);
  for (const PlanarBeamSpec& beam : spec.planar_beams) add_stress(beam.name);
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
