#include "study/thicker_members.hpp"

#include <vector>

#include "fem/cell_grid.hpp"

namespace kurbel {

VectorXd with_thicker_members(const FlexibleBodies& models, const DesignSpace& space, const VectorXd& x,
                              double raise) {
  constexpr double least_density = 0.1, rounding = 1e-6;
  const double radius = (1.0 + rounding) * models.problem().filter.radius;
  const Design projected = space.at(x);
  BodyFields design = space.design(x);
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!models[i] || design[i].size() == 0) continue;
    const fem::Mesh::Points& centres = models[i]->mesh().centres();
    std::vector<Eigen::Index> members;
    for (Eigen::Index e = 0; e < centres.cols(); ++e) {
      if (projected.bodies[i].density[e] >= least_density) members.push_back(e);
    }
    if (members.empty()) continue;
    const fem::Mesh::Points places = centres(Eigen::all, members);
    const fem::CellGrid grid(places, radius);
    for (Eigen::Index e = 0; e < centres.cols(); ++e) {
      if (grid.has_within(centres.col(e), radius)) design[i][e] += raise;
    }
  }
  return space.with_design(x, design).cwiseMin(space.upper());
}

}  // namespace kurbel
