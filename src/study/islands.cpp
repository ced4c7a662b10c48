#include "study/islands.hpp"

#include <algorithm>

#include "evaluation/cut_design.hpp"

namespace kurbel {

namespace {

constexpr double largest_island_share = 0.1;  ///< more is no crumb: the body itself is in pieces

/// The elements whose variables a treatment changes.
std::vector<Eigen::Index> elements_to_change(const fem::FlexibleBody& body, const fem::BodyDesign& cut,
                                             const fem::Pieces& pieces, double radius,
                                             IslandTreatment treatment) {
  const fem::Mesh mesh = body.mesh().moved(body.positions(cut.size));
  std::vector<Vector3d> islands, held;
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    const int piece = pieces.of_element[static_cast<std::size_t>(e)];
    if (piece >= 0)
      (std::ranges::binary_search(pieces.islands, piece) ? islands : held).push_back(mesh.centres().col(e));
  }
  const auto is_near = [&](const std::vector<Vector3d>& centres, const Vector3d& x) {
    return std::ranges::any_of(centres,
                               [&](const Vector3d& c) { return (c - x).squaredNorm() <= radius * radius; });
  };
  std::vector<Eigen::Index> elements;
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    const Vector3d centre = mesh.centres().col(e);
    if (!is_near(islands, centre)) continue;
    const int piece = pieces.of_element[static_cast<std::size_t>(e)];
    const bool is_held = piece >= 0 && !std::ranges::binary_search(pieces.islands, piece);
    if (treatment == IslandTreatment::empty ? !is_held : is_near(held, centre)) elements.push_back(e);
  }
  return elements;
}

}  // namespace

std::optional<WithoutIslands> without_islands(const FlexibleBodies& models, const DesignSpace& space,
                                              const VectorXd& x, IslandTreatment treatment) {
  const CutDesign cut = cut_to_solid_and_void(models, space.at(x));
  BodyFields design = space.design(x);
  const BodyFields target = space.design(treatment == IslandTreatment::empty ? space.lower() : space.upper());
  WithoutIslands result;
  for (const CutBody& of_body : cut.bodies) {
    const fem::Pieces& pieces = of_body.pieces;
    const int n_islands = static_cast<int>(pieces.islands.size());
    if (n_islands == 0 || of_body.island_share > largest_island_share) continue;
    result.n_islands += n_islands;
    result.volume_share = std::max(result.volume_share, of_body.island_share);
    for (const Eigen::Index e : elements_to_change(*models[of_body.body], cut.design.bodies[of_body.body],
                                                   pieces, models.problem().filter.radius, treatment))
      design[of_body.body][e] = target[of_body.body][e];
  }
  if (result.n_islands == 0) return std::nullopt;
  result.x = space.with_design(x, design);
  if (result.x == x) return std::nullopt;
  return result;
}

}  // namespace kurbel
