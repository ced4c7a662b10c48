#include "evaluation/cut_design.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "evaluation/design_space.hpp"
#include "fem/design_map.hpp"
#include "fem/frame.hpp"
#include "fem/largest_members.hpp"
#include "fem/opening.hpp"
#include "fem/simp.hpp"

namespace kurbel {

namespace {

constexpr double same_density = 1e-9;  ///< symmetric elements differ by rounding
constexpr double solid_from = 0.5;     ///< elements of regions that the optimizer does not vary

std::vector<fem::Support> supports_of(const fem::FlexibleBody& body) {
  std::vector<fem::Support> supports;
  std::vector<int> on_ground = fem::clamped_nodes(body.spec(), body.mesh());
  for (const fem::SupportSpec& support : body.spec().supports) {
    std::vector<int> nodes = body.mesh().nodes_in(support.place);
    if (std::ranges::all_of(support.fixed.begin(), support.fixed.begin() + body.mesh().dim(),
                            std::identity()))
      on_ground.insert(on_ground.end(), nodes.begin(), nodes.end());
    else
      supports.push_back({support.name, std::move(nodes)});
  }
  if (!on_ground.empty()) supports.insert(supports.begin(), {"clamp", std::move(on_ground), true});
  for (const fem::MarkerSpec& marker : body.spec().markers)
    supports.push_back({marker.name, marker_nodes(marker, body.mesh()).nodes});
  return supports;
}

/// Volume of those for which `counts` is true, relative to that of all solid elements.
template <class Counts>
double share_of_solid(const VectorXd& volume, const fem::ElementSet& solid, const Counts& counts) {
  double all = 0.0, counted = 0.0;
  for (std::size_t e = 0; e < solid.size(); ++e) {
    const double V = volume[static_cast<Eigen::Index>(e)];
    if (solid[e]) all += V;
    if (solid[e] && counts(e)) counted += V;
  }
  return all > 0.0 ? counted / all : 0.0;
}

/// Finds on the mesh what is to be told of the solid elements.
void judge(const fem::FlexibleBody& body, const Problem& problem, const fem::BodyDesign& cut, CutBody& out) {
  const FilterOptions& filter = problem.filter;
  const fem::Mesh mesh = body.mesh().moved(body.positions(cut.shape()));
  const VectorXd volume = element_volumes(body.spec(), cut);
  fem::ElementSet solid;
  for (const double p : cut.density) solid.push_back(p >= solid_from);

  out.pieces = find_pieces(mesh, solid, supports_of(body));
  out.island_share = share_of_solid(volume, solid, [&](std::size_t e) {
    return std::ranges::binary_search(out.pieces.islands, out.pieces.of_element[e]);
  });
  const auto add_thin = [&](const char* than, double diameter) {
    const fem::ElementSet thick = opening(mesh, solid, diameter);
    out.thin.push_back(
        {than, diameter, share_of_solid(volume, solid, [&](std::size_t e) { return !thick[e]; })});
  };
  add_thin("two elements", 2.0 * shortest_edge(mesh));
  if (filter.type != FilterOptions::Type::none) add_thin("filter.radius", filter.radius);
  if (const double robust = problem.projection.robust; robust > 0.0) {
    fem::ElementSet empty = solid;
    empty.flip();
    out.least_sizes = {fem::length_scale(filter_spec(filter), mesh.dim(), problem.projection.eta, robust),
                       {smallest_width(mesh, solid, fem::MeshSurface::bounds),
                        smallest_width(mesh, empty, fem::MeshSurface::is_open)}};
  }
  if (body.spec().manufacturing.has_map()) {
    const fem::PassiveElements elements(mesh, body.spec().regions, body.spec().simp.p_min, cut.density);
    out.unmakeable = unmakeable(mesh, body.spec().manufacturing, elements.active(), solid);
  }
  if (const auto& width = body.spec().manufacturing.maximum_member) {
    const fem::LargestMembers members(mesh, body.spec().regions, *width);
    const fem::ElementSet wide = opening(mesh, solid, *width + 0.5 * shortest_edge(mesh));
    out.too_wide = share_of_solid(volume, solid, [&](std::size_t e) {
      return wide[e] && members.counts(static_cast<Eigen::Index>(e));
    });
  }
  const VectorXd mass = volume.cwiseProduct(cut.solid_density);
  out.largest_element = volume.maxCoeff(), out.mass_of_largest_element = mass.maxCoeff();
}

bool bounds_mass(const ConstraintOptions& constraints) {
  const auto is_mass = [](const CriterionTerm& term) { return term.quantity == Quantity::mass; };
  return constraints.mass.has_value() ||
         std::ranges::any_of(constraints.criteria, [&](const CriterionConstraint& criterion) {
           return std::ranges::any_of(criterion.terms, is_mass);
         });
}

}  // namespace

double threshold_of_same_volume(const VectorXd& volume, const VectorXd& density, double void_density,
                                VolumeSide side) {
  constexpr double little = 0.01;  // of the volume
  std::vector<Eigen::Index> order(static_cast<std::size_t>(density.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::sort(order, std::greater(), [&](Eigen::Index e) { return density[e]; });
  // Nothing is solid at first; then one density after the other is.
  double excess = void_density * volume.sum() - volume.dot(density);
  // The other side counts more than all that is little, so that it is taken only where nothing is near on this one.
  const auto distance = [&] {
    const bool is_other_side = side == VolumeSide::below ? excess > 0.0 : excess < 0.0;
    return std::abs(excess) + (is_other_side ? little * volume.sum() : 0.0);
  };
  double nearest = distance(), threshold = 0.5 * (density.maxCoeff() + 1.0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    excess += (1.0 - void_density) * volume[order[i]];
    const double here = density[order[i]];
    const double next = i + 1 < order.size() ? density[order[i + 1]] : 0.0;
    if (here - next <= same_density || distance() >= nearest) continue;
    nearest = distance(), threshold = 0.5 * (here + next);
  }
  return threshold;
}

CutDesign cut_to_solid_and_void(const FlexibleBodies& models, const Design& grey) {
  const Problem& problem = models.problem();
  const bool is_mass_bounded = bounds_mass(problem.constraints);
  const VolumeSide side =
      is_mass_bounded || problem.constraints.volume_fraction ? VolumeSide::below : VolumeSide::above;
  CutDesign cut{grey, {}};
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (std::ranges::find(problem.design.bodies, problem.bodies[i].name) == problem.design.bodies.end())
      continue;
    const fem::FlexibleBody& body = *models[i];
    VectorXd& density = cut.design.bodies[i].density;
    const fem::Simp& simp = body.spec().simp;
    const fem::PassiveElements elements(body.mesh(), body.spec().regions, simp.p_min, density);
    const VectorXd volume = element_volumes(body.spec(), grey.bodies[i]);
    // Penalized elements have less mass than volume. Both grow with the density, so they order the elements alike.
    const auto amount_of = [&](double p) { return is_mass_bounded ? fem::mass_factor(simp, p).value : p; };
    const VectorXd amount = density.unaryExpr(amount_of);
    CutBody& of_body = cut.bodies.emplace_back();
    of_body.body = i;
    of_body.threshold = threshold_of_same_volume(elements.gather(volume), elements.gather(amount),
                                                 amount_of(simp.p_min), side);
    for (const Eigen::Index e : elements.active())
      density[e] = amount[e] >= of_body.threshold ? 1.0 : simp.p_min;
    judge(body, problem, cut.design.bodies[i], of_body);
  }
  return cut;
}

}  // namespace kurbel
