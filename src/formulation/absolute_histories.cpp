#include "formulation/absolute_motion.hpp"
#include "natural_coordinates/absolute_criteria.hpp"

namespace kurbel {

std::vector<HistoryPanel> AbsoluteMotion::histories(const Trajectory<double>& trajectory) const {
  const absolute::Assembly<double>& assembly = model().assembly();
  const AbsoluteSystem<double>& system = *assembly.system;
  const Eigen::Index n = trajectory.n_stored;
  HistoryPanel energy("energy", "J", {"kinetic", "potential", "total"}, n);
  std::vector<std::string> names;
  std::vector<SystemFunction<double>> forces;
  for (std::size_t i = 0; i < assembly.springs.size(); ++i) {
    const absolute::PointSpringSpec& spring = problem_.absolute.springs[i];
    for (const char* axis : {"x", "y", "z"}) names.push_back(spring.name + "." + axis);
    forces.emplace_back(system,
                        std::make_shared<SpringReaction<double>>(spring.law, std::vector<int>{0, 1, 2}),
                        assembly.springs[i]);
  }
  HistoryPanel spring_force("spring_force", "N", std::move(names), n);
  const DaeStateLayout& layout = model().layout();
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto y = trajectory.y.col(k);
    const auto x = y.head(system.n_x());
    const double T = system.kinetic_energy(x), V = system.potential_energy(x);
    energy.values.col(k) << T, V, T + V;
    const auto at = layout.instant<double>(trajectory.t[k], y);
    for (std::size_t i = 0; i < forces.size(); ++i)
      spring_force.values.col(k).segment<3>(3 * static_cast<Eigen::Index>(i)) = forces[i].value(at);
  }
  std::vector<HistoryPanel> panels = {std::move(energy)};
  if (!forces.empty()) panels.push_back(std::move(spring_force));
  return panels;
}

}  // namespace kurbel
