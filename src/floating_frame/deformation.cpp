#include "floating_frame/deformation.hpp"

#include <cmath>

namespace kurbel {

std::vector<Deformation> largest_deformations(const MultibodySystem<double>& system,
                                              const DaeStateLayout& layout,
                                              const Trajectory<double>& trajectory, Eigen::Index first,
                                              Eigen::Index end) {
  std::vector<Deformation> found;
  for (std::size_t i = 0; i < system.n_bodies(); ++i) {
    const Sid& sid = system.spec().bodies[i].sid;
    const double size = 0.5 * sid.J.M0.trace();
    if (system.n_q(i) == 0 || !(size > 0.0)) continue;
    Deformation largest{.body = i};
    for (Eigen::Index k = first; k < end; ++k) {
      const auto at = layout.instant<double>(trajectory.t[k], trajectory.y.col(k));
      const VectorXd q = at.x.segment(system.x_offset(i) + 7, system.n_q(i));
      const double ratio = std::sqrt(std::max(0.0, q.dot(sid.Me.M0 * q)) / size);
      if (ratio > largest.ratio) largest.ratio = ratio, largest.time = at.t;
    }
    found.push_back(largest);
  }
  return found;
}

}  // namespace kurbel
