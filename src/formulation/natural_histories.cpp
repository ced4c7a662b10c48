#include <algorithm>

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

std::vector<std::string> by_axis(const std::vector<std::string>& names) {
  std::vector<std::string> rows;
  for (const std::string& name : names) {
    for (const char* axis : {"x", "y", "z"}) rows.push_back(name + "." + axis);
  }
  return rows;
}

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

ObservedPanel reactions(const NaturalSystem<double>& system, Eigen::Index n) {
  std::vector<std::string> names;
  Observed observed;
  for (const JointSpec& joint : system.spec().joints) {
    const std::vector<RelativeDof>& dofs = system.joint(joint.name).dofs;
    if (std::ranges::none_of(dofs, [](RelativeDof dof) { return dof <= RelativeDof::tz; })) continue;
    names.push_back(joint.name);
    observed.push_back(std::make_shared<NaturalReaction<double>>(system, joint.name, false));
  }
  return {"reaction_force", "N", by_axis(names), std::move(observed), n};
}

}  // namespace

std::vector<HistoryPanel> NaturalMotion::histories(const Trajectory<double>& trajectory) const {
  using Kind = CarriedPoint<double>::Kind;
  const Eigen::Index n = trajectory.n_stored;
  const SystemSpec& spec = system_.spec();
  HistoryPanel energy("energy", "J", {"kinetic", "potential", "total"}, n);
  std::vector<ObservedPanel> ends;
  ends.push_back(places(system_, Kind::position, n));
  ends.push_back(places(system_, Kind::velocity, n));
  ObservedPanel reaction = reactions(system_, n);
  std::vector<std::string> beams, springs;
  std::vector<std::vector<ElementFunction<double>>> stresses;
  for (const BeamSpec& beam : spec.beams) {
    beams.push_back(beam.name);
    CriterionTerm term{.quantity = Quantity::stress};
    term.beam = beam.name;
    stresses.push_back(beam_stresses(system_, term));
  }
  for (const SpringSpec& spring : spec.springs) springs.push_back(spring.name);
  HistoryPanel stress("largest_stress", "Pa", beams, n), length("spring_length", "m", springs, n);
  std::vector<std::shared_ptr<const Integrand<double>>> lengths;
  for (const std::string& spring : springs) {
    CriterionTerm term{.quantity = Quantity::spring_length};
    term.spring = spring;
    lengths.push_back(make_integrand(system_, term));
  }
  const auto ws = system_.make_workspace();
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = steps_->layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
    const auto between = middle(trajectory, k);
    const double T = system_.kinetic_energy(at.v), V = system_.potential_energy(at.x, *ws);
    energy.values.col(k) << T, V, T + V;
    for (ObservedPanel& panel : ends) panel.look(at, k);
    reaction.look(between, k);
    for (std::size_t i = 0; i < stresses.size(); ++i) {
      double& largest = stress.values(static_cast<Eigen::Index>(i), k);
      for (const ElementFunction<double>& sigma : stresses[i])
        largest = std::max(largest, std::abs(sigma.value(between)[0]));
    }
    for (std::size_t i = 0; i < lengths.size(); ++i)
      length.values(static_cast<Eigen::Index>(i), k) = lengths[i]->value(at);
  }
  std::vector<HistoryPanel> panels = {std::move(energy)};
  for (ObservedPanel& panel : ends) panels.push_back(std::move(panel.panel));
  panels.push_back(std::move(stress));
  panels.push_back(std::move(reaction.panel));
  panels.push_back(std::move(length));
  std::erase_if(panels, [](const HistoryPanel& panel) { return panel.rows.empty(); });
  return panels;
}

}  // namespace kurbel
