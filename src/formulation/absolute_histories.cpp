#include <algorithm>
#include <array>

#include "formulation/absolute_motion.hpp"
#include "natural_coordinates/ancf_beam.hpp"
#include "natural_coordinates/point_elements.hpp"
#include "natural_coordinates/system_function.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

/// Functions of the state one below the other.
struct FunctionPanel {
  HistoryPanel panel;
  std::vector<SystemFunction<double>> functions;

  void look(const DaeInstant<double>& at, Index k) {
    Index row = 0;
    for (const SystemFunction<double>& function : functions) {
      const Rows<double> z = function.value(at);
      panel.values.col(k).segment(row, z.size()) = z;
      row += z.size();
    }
  }
};

using Assembly = absolute::Assembly<double>;
using Kind = PointState<double>::Kind;

/// Of points in space, and of the ends of beams in their plane.
FunctionPanel places(const SystemSpec& spec, const Assembly& assembly, Kind kind, Index n) {
  std::vector<std::string> names;
  std::vector<SystemFunction<double>> functions;
  const auto add = [&](const std::string& name, const std::vector<int>& axes, Binding binding) {
    for (const int axis : axes) names.push_back(name + "." + axis_name(axis));
    functions.emplace_back(*assembly.system, std::make_shared<PointState<double>>(kind, axes),
                           std::move(binding));
  };
  for (std::size_t i = 0; i < spec.point_masses.size(); ++i)
    add(spec.point_masses[i].name, {0, 1, 2}, assembly.points[i]);
  for (const absolute::BeamElement& element : assembly.beam_elements) {
    const PlanarBeamSpec& beam = spec.planar_beams[element.beam];
    const auto end = [&](const char* name, std::size_t first) {
      const int x = element.binding.coordinates[first], y = element.binding.coordinates[first + 1];
      add(beam.name + "." + name, {0, 1}, {{x, y, y}, {}, {}});  // the third is not looked at
    };
    if (element.element == 0) end("start", 0);
    if (element.element + 1 == beam.n_elements) end("end", 6);
  }
  const bool position = kind == Kind::position;
  return {{position ? "position" : "velocity", position ? "m" : "m/s", std::move(names), n},
          std::move(functions)};
}

FunctionPanel spring_forces(const SystemSpec& spec, const Assembly& assembly, Index n) {
  std::vector<std::string> names;
  std::vector<SystemFunction<double>> functions;
  for (std::size_t i = 0; i < spec.springs.size(); ++i) {
    names.push_back(spec.springs[i].name);
    functions.emplace_back(
        *assembly.system,
        std::make_shared<SpringReaction<double>>(spec.springs[i].law, std::vector<int>{0, 1, 2}),
        assembly.springs[i]);
  }
  return {{"spring_force", "N", by_axis(names), n}, std::move(functions)};
}

/// Largest stress of each beam: at the ends and in the middle of its elements, on the axis and at both edges.
struct BeamStressPanel {
  HistoryPanel panel;
  std::vector<std::vector<SystemFunction<double>>> stresses;

  static std::vector<std::string> names(const SystemSpec& spec) {
    std::vector<std::string> names;
    for (const PlanarBeamSpec& beam : spec.planar_beams) names.push_back(beam.name);
    return names;
  }
  BeamStressPanel(const SystemSpec& spec, const Assembly& assembly, Index n)
      : panel("largest_stress", "Pa", names(spec), n), stresses(spec.planar_beams.size()) {
    for (const absolute::BeamElement& element : assembly.beam_elements) {
      for (const double along : {0.0, 0.5, 1.0}) {
        for (const double across : {-0.5, 0.0, 0.5})
          stresses[element.beam].emplace_back(
              *assembly.system,
              std::make_shared<AncfStress<double>>(along, across, spec.planar_beams[element.beam].coupling),
              element.binding);
      }
    }
  }
  void look(const DaeInstant<double>& at, Index k) {
    for (std::size_t i = 0; i < stresses.size(); ++i) {
      double& largest = panel.values(static_cast<Index>(i), k);
      for (const SystemFunction<double>& stress : stresses[i])
        largest = std::max(largest, stress.value(at)[0]);
    }
  }
};

}  // namespace

std::vector<HistoryPanel> AbsoluteMotion::histories(const Trajectory<double>& trajectory) const {
  const Assembly& assembly = model().assembly();
  const AbsoluteSystem<double>& system = *assembly.system;
  const SystemSpec& spec = problem_.system;
  const Index n = trajectory.n_stored;
  HistoryPanel energy("energy", "J", {"kinetic", "potential", "total"}, n);
  std::array functions = {places(spec, assembly, Kind::position, n),
                          places(spec, assembly, Kind::velocity, n), spring_forces(spec, assembly, n)};
  BeamStressPanel stress(spec, assembly, n);
  const DaeStateLayout& layout = model().layout();
  for (Index k = 0; k < n; ++k) {
    const auto y = trajectory.y.col(k);
    const auto x = y.head(system.n_x());
    const double T = system.kinetic_energy(x), V = system.potential_energy(x);
    energy.values.col(k) << T, V, T + V;
    const auto at = layout.instant<double>(trajectory.t[k], y);
    for (FunctionPanel& panel : functions) panel.look(at, k);
    stress.look(at, k);
  }
  std::vector<HistoryPanel> panels = {std::move(energy)};
  for (FunctionPanel& panel : functions) panels.push_back(std::move(panel.panel));
  panels.push_back(std::move(stress.panel));
  std::erase_if(panels, [](const HistoryPanel& panel) { return panel.rows.empty(); });
  return panels;
}

}  // namespace kurbel
