#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "floating_frame/beam_quantities.hpp"
#include "floating_frame/vector_quantities.hpp"
#include "floating_frame/vehicle_quantities.hpp"
#include "formulation/drive_panel.hpp"
#include "formulation/floating_frame_motion.hpp"

namespace kurbel {

namespace {

using Vectors = std::vector<std::shared_ptr<const Observable<double>>>;

/// Vectors of a panel, one below the other.
struct VectorPanel {
  HistoryPanel panel;
  Vectors vectors;

  VectorPanel(const char* name, const char* unit, const std::vector<std::string>& names, Vectors of,
              Eigen::Index n)
      : panel(name, unit, by_axis(names), n), vectors(std::move(of)) {}
  void look(const DaeInstant<double>& at, Eigen::Index k) {
    for (std::size_t i = 0; i < vectors.size(); ++i)
      panel.values.col(k).segment<3>(3 * static_cast<Eigen::Index>(i)) = vectors[i]->value(at);
  }
};

/// Whether a joint holds a displacement, or a rotation.
bool holds(const JointSpec& joint, bool rotation) {
  for (std::size_t i = rotation ? 3 : 0; i < (rotation ? 6u : 3u); ++i) {
    if (joint.locked[i]) return true;
  }
  return std::ranges::any_of(
      joint.drives, [&](const DriveSpec& drive) { return (drive.dof >= RelativeDof::rx) == rotation; });
}

VectorPanel reactions(const MultibodySystem<double>& system, ReactionKind kind, Eigen::Index n) {
  const bool moment = kind == ReactionKind::moment;
  std::vector<std::string> names;
  Vectors vectors;
  for (const JointSpec& joint : system.spec().joints) {
    if (!holds(joint, moment)) continue;
    names.push_back(joint.name);
    vectors.push_back(std::make_shared<JointReaction<double>>(system, joint.name, kind));
  }
  return {moment ? "reaction_moment" : "reaction_force", moment ? "N m" : "N", names, std::move(vectors), n};
}

DrivePanel drives(const MultibodySystem<double>& system, ReactionKind kind, Eigen::Index n) {
  const auto reaction = [&](const std::string& joint) {
    return std::make_shared<JointReaction<double>>(system, joint, kind);
  };
  return {system.spec().joints, kind == ReactionKind::moment, reaction, n};
}

/// The rods, each by its force.
struct RodPanel {
  HistoryPanel panel;
  std::vector<RodForce<double>> rods;

  static std::vector<std::string> names(const SystemSpec& spec) {
    std::vector<std::string> names;
    for (const JointSpec& joint : spec.joints) {
      if (joint.length) names.push_back(joint.name);
    }
    return names;
  }
  RodPanel(const MultibodySystem<double>& system, Eigen::Index n)
      : panel("rod_force", "N", names(system.spec()), n) {
    for (const std::string& name : panel.rows) rods.emplace_back(system, name);
  }
  void look(const DaeInstant<double>& at, Eigen::Index k) {
    for (std::size_t i = 0; i < rods.size(); ++i)
      panel.values(static_cast<Eigen::Index>(i), k) = rods[i].value(at)[0];
  }
};

VectorPanel tyre_forces(const MultibodySystem<double>& system, Eigen::Index n) {
  std::vector<std::string> names;
  Vectors vectors;
  for (const TyreSpec& tyre : system.spec().tyres) {
    names.push_back(tyre.name);
    vectors.push_back(std::make_shared<TyreForce<double>>(system, tyre.name));
  }
  return {"tyre_force", "N", names, std::move(vectors), n};
}

HistoryPanel penetrations(const SystemSpec& spec, Eigen::Index n) {
  std::vector<std::string> names;
  for (const TyreSpec& tyre : spec.tyres) names.push_back(tyre.name);
  return {"tyre_penetration", "m", std::move(names), n};
}

/// Largest stress of each beam.
struct StressPanel {
  HistoryPanel panel;
  std::vector<Vectors> stresses{};

  static std::vector<std::string> names(const std::vector<BeamSpec>& beams) {
    std::vector<std::string> names;
    for (const BeamSpec& beam : beams) names.push_back(beam.name);
    return names;
  }
  StressPanel(const MultibodySystem<double>& system, Eigen::Index n)
      : panel("largest_stress", "Pa", names(system.spec().beams), n) {
    for (const std::string& name : panel.rows) {
      CriterionTerm term{.quantity = Quantity::stress};
      term.beam = name;
      stresses.push_back(beam_stresses(system, term));
    }
  }
  void look(const DaeInstant<double>& at, Eigen::Index k) {
    for (std::size_t i = 0; i < stresses.size(); ++i) {
      double& largest = panel.values(static_cast<Eigen::Index>(i), k);
      for (const auto& stress : stresses[i]) largest = std::max(largest, stress->value(at)[0]);
    }
  }
};

/// Positions or velocities of bodies, and of the ends of beams.
VectorPanel origins(const MultibodySystem<double>& system, MarkerQuantityKind kind, Eigen::Index n) {
  std::vector<std::string> names;
  Vectors vectors;
  const auto add = [&](const std::string& name, const MarkerRef& marker) {
    names.push_back(name);
    vectors.push_back(std::make_shared<MarkerQuantity<double>>(system, marker, kind));
  };
  const SystemSpec& spec = system.spec();
  for (std::size_t i = 0; i < system.first_node(); ++i)
    add(spec.bodies[i].name, {spec.bodies[i].name, "origin"});
  for (const BeamSpec& beam : spec.beams) {
    for (const char* end : {"start", "end"}) add(beam.name + "." + end, {beam.name, end});
  }
  const bool position = kind == MarkerQuantityKind::position;
  return {position ? "position" : "velocity", position ? "m" : "m/s", names, std::move(vectors), n};
}

/// Springs in one panel, torsion springs in the other; motors do what their controls say.
struct SpringPanels {
  HistoryPanel forces, torques;

  template <class Spring>
  static std::vector<std::string> names(const std::vector<Spring>& springs) {
    std::vector<std::string> names;
    for (const Spring& spring : springs) names.push_back(spring.name);
    return names;
  }

  SpringPanels(const SystemSpec& spec, Eigen::Index n)
      : forces("spring_force", "N", names(spec.springs), n),
        torques("spring_torque", "N m", names(spec.torsion_springs), n) {}
  void take(const VectorXd& of_elements, Eigen::Index k) {
    forces.values.col(k) = of_elements.head(forces.values.rows());
    torques.values.col(k) = of_elements.segment(forces.values.rows(), torques.values.rows());
  }
};

/// Largest von Mises stress of each body whose stress a criterion sees, over the elements that are seen with the
/// relaxation of the first one.
HistoryPanel stresses_of_bodies(const MultibodySystem<double>& system, const StressSets& sets,
                                const StressModesOfSets& modes, const Trajectory<double>& trajectory) {
  std::map<std::size_t, std::vector<std::size_t>> of_body;
  std::vector<std::string> names;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    std::vector<std::size_t>& own = of_body[sets.body(set)];
    if (own.empty() || sets.points(set).relaxation == sets.points(own.front()).relaxation) own.push_back(set);
  }
  for (const auto& [body, own] : of_body) names.push_back(system.spec().bodies[body].name);
  HistoryPanel panel("von_mises", "Pa", std::move(names), trajectory.n_stored);
  Eigen::Index row = 0;
  for (const auto& [body, own] : of_body) {
    for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) {
      const auto q = trajectory.y.col(k).segment(system.x_offset(body) + 7, system.n_q(body));
      for (const std::size_t set : own)
        panel.values(row, k) = std::max(panel.values(row, k), von_mises(*modes[set], q).maxCoeff());
    }
    ++row;
  }
  return panel;
}

HistoryPanel elastic_coordinates(const MultibodySystem<double>& system,
                                 const Trajectory<double>& trajectory) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < system.n_bodies(); ++i) {
    for (Eigen::Index j = 0; j < system.n_q(i); ++j)
      names.push_back(fmt::format("{}.q{}", system.spec().bodies[i].name, j + 1));
  }
  HistoryPanel panel("elastic_coordinate", "", std::move(names), trajectory.n_stored);
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < system.n_bodies(); ++i) {
    const Eigen::Index n_q = system.n_q(i);
    panel.values.middleRows(row, n_q) =
        trajectory.y.block(system.x_offset(i) + 7, 0, n_q, trajectory.n_stored);
    row += n_q;
  }
  return panel;
}

}  // namespace

std::vector<HistoryPanel> FloatingFrameMotion::histories(const Trajectory<double>& trajectory) const {
  const Eigen::Index n = trajectory.n_stored;
  HistoryPanel energy("energy", "J", {"kinetic", "elastic", "gravitational", "total"}, n);
  std::vector<VectorPanel> vectors;
  for (const auto kind : {MarkerQuantityKind::position, MarkerQuantityKind::velocity})
    vectors.push_back(origins(system_, kind, n));
  for (const auto kind : {ReactionKind::force, ReactionKind::moment})
    vectors.push_back(reactions(system_, kind, n));
  vectors.push_back(tyre_forces(system_, n));
  std::array driven = {drives(system_, ReactionKind::moment, n), drives(system_, ReactionKind::force, n)};
  SpringPanels springs(system_.spec(), n);
  RodPanel rods(system_, n);
  StressPanel stress(system_, n);
  HistoryPanel penetration = penetrations(system_.spec(), n);
  const auto ws = system_.make_workspace();
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = integrator_->layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
    const auto e = system_.energy(at, *ws);
    energy.values.col(k) << e.kinetic, e.elastic, e.gravitational, e.kinetic + e.elastic + e.gravitational;
    for (VectorPanel& panel : vectors) panel.look(at, k);
    for (DrivePanel& panel : driven) panel.look(at, k);
    rods.look(at, k);
    stress.look(at, k);
    for (Eigen::Index i = 0; i < penetration.values.rows(); ++i)
      penetration.values(i, k) = system_.tyre_forces(static_cast<std::size_t>(i), at, *ws).penetration;
    springs.take(system_.element_forces(at, *ws), k);
  }
  std::vector<HistoryPanel> panels = {std::move(energy)};
  for (DrivePanel& panel : driven) panels.push_back(std::move(panel.panel));
  for (VectorPanel& panel : vectors) panels.push_back(std::move(panel.panel));
  for (HistoryPanel* panel : {&penetration, &rods.panel, &springs.forces, &springs.torques})
    panels.push_back(std::move(*panel));
  panels.push_back(std::move(stress.panel));
  panels.push_back(stresses_of_bodies(system_, model_.stress_sets(), stress_, trajectory));
  panels.push_back(elastic_coordinates(system_, trajectory));
  std::erase_if(panels, [](const HistoryPanel& panel) { return panel.rows.empty(); });
  return panels;
}

}  // namespace kurbel
