#include "fem/spec_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/symmetric_eigen.hpp"
#include "fem/design_map.hpp"
#include "fem/faces.hpp"
#include "fem/frame.hpp"
#include "fem/pieces.hpp"
#include "fem/processes.hpp"
#include "fem/rigid_ties.hpp"
#include "fem/selection.hpp"
#include "fem/stiffness_inverse.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// "; the nearest node is at ..."
std::string nearest(const Place& place, const Mesh& mesh) {
  const std::string text = nearest_to(place, mesh.positions(), "node");
  return text.empty() ? text : "; " + text;
}

std::optional<SpecProblem> frame_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  if (spec.frame.type == FrameSpec::Type::buckens || !spec.is_clamped) return {};
  if (spec.frame.type == FrameSpec::Type::chord) {
    const std::string fault = chord_problem(spec, mesh);
    return fault.empty() ? std::optional<SpecProblem>{} : SpecProblem{"frame", fault};
  }
  if (const std::string missing = missing_name(mesh, spec.clamp); !missing.empty())
    return SpecProblem{"clamp", missing};
  const std::size_t clamped = mesh.nodes_in(spec.clamp).size();
  if (clamped == 0) {
    return SpecProblem{
        "clamp", "no node of the mesh lies there; the body would not be held" + nearest(spec.clamp, mesh)};
  }
  if (clamped == static_cast<std::size_t>(mesh.n_nodes())) {
    return SpecProblem{"clamp", "all nodes of the mesh lie there; nothing could deform"};
  }
  const auto clamped_nodes = mesh.nodes_in(spec.clamp);
  const auto extent = [&](int d) {
    const auto row = mesh.positions()(d, clamped_nodes);
    return row.maxCoeff() - row.minCoeff();
  };
  if (!spec.supports.empty()) return {};  // support_problem() looks at both
  int extended = 0;
  for (int d = 0; d < mesh.dim(); ++d) extended += extent(d) > 0.0;
  if (extended < mesh.dim() - 1) {
    return SpecProblem{"clamp", mesh.dim() == 2 ? "a single node does not hold the body"
                                                : "nodes on one line do not hold the body"};
  }
  return {};
}

/// Whether clamp and supports together leave a rigid motion of the body.
bool leaves_rigid_motion(const FlexibleBodySpec& spec, const Mesh& mesh) {
  constexpr double determinate = 1e-6;
  const Index dim = mesh.dim();
  std::vector<Index> held = supported_dofs(spec, mesh);
  for (const int node : clamped_nodes(spec, mesh)) {
    for (Index d = 0; d < dim; ++d) held.push_back(node * dim + d);
  }
  const Vector3d centre = mesh.positions().rowwise().mean();
  const double length = (mesh.positions().colwise() - centre).colwise().norm().maxCoeff();
  MatrixXd motions(std::ssize(held), dim == 2 ? 3 : 6);
  for (Index i = 0; i < motions.rows(); ++i) {
    const Index d = held[static_cast<std::size_t>(i)] % dim;
    const Vector3d x = (mesh.positions().col(held[static_cast<std::size_t>(i)] / dim) - centre) / length;
    motions.row(i).head(dim) = VectorXd::Unit(dim, d).transpose();
    for (Index a = 0; a < motions.cols() - dim; ++a)
      motions(i, dim + a) = Vector3d::Unit(dim == 2 ? 2 : a).cross(x)[d];
  }
  const VectorXd squares = symmetric_eigenvalues(motions.transpose() * motions);  // of singular values
  return !(squares[0] > determinate * determinate * squares.tail<1>()[0]);
}

std::optional<SpecProblem> support_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  for (const SupportSpec& support : spec.supports) {
    const std::string key = "supports." + support.name;
    if (const std::string missing = missing_name(mesh, support.place); !missing.empty())
      return SpecProblem{key, missing};
    if (mesh.nodes_in(support.place).empty())
      return SpecProblem{key, "no node of the mesh lies there" + nearest(support.place, mesh)};
  }
  if (spec.supports.empty() || !leaves_rigid_motion(spec, mesh)) return {};
  return SpecProblem{"supports",
                     fmt::format("leave the body free to move as a rigid body{}; fix more of its nodes",
                                 spec.is_clamped ? " together with the clamp" : "")};
}

/// Finds elements of a given mesh that nothing joins to the clamp, or in a free body to the others. A part that is joined
/// by a node or an edge alone turns about it without stiffness.
std::optional<SpecProblem> connection_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  if (!spec.mesh.given) return {};
  const ElementSet all(static_cast<std::size_t>(mesh.n_elements()), true);
  const bool is_clamped = spec.frame.type == FrameSpec::Type::tangent && spec.is_clamped;
  const Pieces pieces = find_pieces(mesh, all, {{"clamp", clamped_nodes(spec, mesh), true}});
  int loose = -1;
  if (is_clamped && !pieces.islands.empty()) loose = pieces.islands.front();
  if (!is_clamped && pieces.n > 1) loose = 1;
  if (loose < 0) return {};
  Index n = 0;
  Vector3d centre = Vector3d::Zero();
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    if (pieces.of_element[static_cast<std::size_t>(e)] != loose) continue;
    ++n;
    centre += mesh.centres().col(e);
  }
  centre /= static_cast<double>(n);
  return SpecProblem{
      "mesh",
      fmt::format("{} of {} elements around ({:g}, {:g}, {:g}) form a part that is not joined to the {} by "
                  "common {}",
                  n, mesh.n_elements(), centre[0], centre[1], centre[2], is_clamped ? "clamp" : "others",
                  mesh.dim() == 2 ? "edges" : "faces")};
}

std::optional<SpecProblem> stiffening_problem(const FlexibleBodySpec& spec, const Mesh&) {
  if (!spec.geometric_stiffening) return {};
  if (spec.frame.type == FrameSpec::Type::tangent && spec.basis == BasisType::normal) return {};
  return SpecProblem{"geometric_stiffening", "needs a tangent frame and the normal basis"};
}

std::optional<SpecProblem> solver_problem(const FlexibleBodySpec& spec, const Mesh&) {
  if (spec.solver == SolverType::petsc && !has_petsc())
    return SpecProblem{"solver",
                       fmt::format("\"petsc\" is not available: {}, or take another solver", without_petsc)};
  if (spec.solver != SolverType::multigrid || !spec.mesh.given) return {};
  return SpecProblem{"solver", "\"multigrid\" needs a box of equal elements; take \"direct\""};
}

/// Tells whether a place, or one that it combines, is a surface or a set without elements.
bool has_no_elements(const Place& place, const Mesh& mesh) {
  const auto any = [&](const std::vector<Place>& places) {
    return std::ranges::any_of(places, [&](const Place& one) { return has_no_elements(one, mesh); });
  };
  if (const auto* all = std::get_if<AllOf>(&place.shape)) return any(all->places);
  if (const auto* one_of = std::get_if<AnyOf>(&place.shape)) return any(one_of->places);
  return std::holds_alternative<SurfaceNumber>(place.shape) ||
         (std::holds_alternative<SetName>(place.shape) && mesh.elements_in(place).empty());
}

std::optional<SpecProblem> region_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  for (const Region& region : spec.regions) {
    const std::string key = "regions." + region.name;
    if (const std::string missing = missing_name(mesh, region.place); !missing.empty())
      return SpecProblem{key, missing};
    if (mesh.elements_in(region.place).empty()) {
      const std::string nearest = nearest_to(region.place, mesh.centres(), "centre");
      if (has_no_elements(region.place, mesh))
        return SpecProblem{
            key,
            "has no elements: a surface, or a set of faces or nodes, has none. Give the region a "
            "shape, such as cylinder, or a set of elements"};
      return SpecProblem{
          key, "no element of the mesh has its centre there" + (nearest.empty() ? nearest : "; " + nearest)};
    }
  }
  return {};
}

/// Finds two regions of different kinds that have elements in common: each element has one density.
std::optional<SpecProblem> overlap_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  const auto is = [](const Region& region) {
    switch (region.kind) {
      case Region::Kind::solid:
        return "solid";
      case Region::Kind::voided:
        return "void";
      case Region::Kind::frozen:
        break;
    }
    return "frozen";
  };
  std::vector<std::vector<int>> elements;
  for (const Region& region : spec.regions) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Region& other = spec.regions[i];
      if (other.kind == region.kind) continue;
      std::vector<int> common;
      std::ranges::set_intersection(mesh.elements_in(region.place), elements[i], std::back_inserter(common));
      if (common.empty()) continue;
      const std::size_t n = common.size();
      return SpecProblem{
          "regions." + region.name,
          fmt::format("is {} and has {} element{} in common with regions.{}, which is {}. Take {} out of one "
                      "of the two, with `all_of` and `not`, or with a ring, radius = [inner, outer]",
                      is(region), n, n == 1 ? "" : "s", other.name, is(other), n == 1 ? "it" : "them")};
    }
    elements.push_back(mesh.elements_in(region.place));
  }
  return {};
}

std::optional<SpecProblem> marker_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  std::set<std::string> names;
  for (const MarkerSpec& marker : spec.markers) {
    if (!names.insert(marker.name).second) return SpecProblem{"markers." + marker.name, "is defined twice"};
    const std::string missing = missing_name(mesh, marker.nodes);
    if (!missing.empty()) return SpecProblem{"markers." + marker.name, missing};
    if (mesh.nodes_in(marker.nodes).empty()) {
      return SpecProblem{"markers." + marker.name,
                         "no node of the mesh lies there" + nearest(marker.nodes, mesh)};
    }
  }
  return {};
}

std::optional<SpecProblem> tie_problem_of(const FlexibleBodySpec& spec, const Mesh& mesh) {
  if (!has_ties(spec)) return {};
  const char* ties = has_rigid_ties(spec) ? "rigid ties of markers" : "supports";
  if (spec.geometric_stiffening)
    return SpecProblem{"geometric_stiffening", fmt::format("does not go with {}", ties)};
  if (spec.solver == SolverType::petsc || (spec.solver == SolverType::multigrid && has_rigid_ties(spec))) {
    const char* solver = spec.solver == SolverType::petsc ? "petsc" : "multigrid";
    return SpecProblem{"solver", fmt::format("\"{}\" has no {}; take \"direct\"", solver, ties)};
  }
  const auto problem = tie_problem(spec, mesh);
  return problem ? SpecProblem{fmt::format("markers.{}.tie", problem->marker), problem->message}
                 : std::optional<SpecProblem>{};
}

std::optional<SpecProblem> attachment_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  for (const AttachmentSpec& attachment : spec.attachments) {
    const bool known = std::any_of(spec.markers.begin(), spec.markers.end(),
                                   [&](const MarkerSpec& m) { return m.name == attachment.marker; });
    if (!known) {
      return SpecProblem{"modes.attachment", fmt::format("unknown marker \"{}\"", attachment.marker)};
    }
  }
  const NodeOrder order(mesh.n_nodes(), clamped_nodes(spec, mesh));
  std::vector<MarkerOperator> markers;
  for (const MarkerSpec& m : spec.markers)
    markers.emplace_back(m.name, marker_nodes(m, mesh), mesh.positions(), mesh.dim(), order);
  const std::vector<UnitLoad> loads = elastic_loads(spec, mesh);
  const MatrixXd B_T = load_matrix(loads, markers, order, mesh.dim());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if ((B_T.col(static_cast<Eigen::Index>(i)).array() != 0.0).any()) continue;
    const std::string why = loads[i].component < 3
                                ? "all its nodes are clamped"
                                : "its free nodes cannot take up that moment (a point, or a "
                                  "line along the axis)";
    return SpecProblem{"markers." + spec.markers[loads[i].marker].name,
                       fmt::format("no attachment mode for a unit {}: {}", loads[i].name, why)};
  }
  return {};
}

Eigen::Index n_elastic_unknowns(const FlexibleBodySpec& spec, const Mesh& mesh) {
  const auto clamped = static_cast<Eigen::Index>(clamped_nodes(spec, mesh).size());
  const Eigen::Index n_rigid = spec.frame.type == FrameSpec::Type::tangent ? 0 : mesh.dim() == 2 ? 3 : 6;
  Eigen::Index n_tied = 0;
  for (const MarkerSpec& marker : spec.markers) {
    if (marker.tie != MarkerSpec::Tie::rigid) continue;
    n_tied += std::ssize(marker_nodes(marker, mesh).nodes) * mesh.dim() - (mesh.dim() == 2 ? 3 : 6);
  }
  return (mesh.n_nodes() - clamped) * mesh.dim() - n_rigid - n_tied;
}

std::optional<SpecProblem> mode_count_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  const Eigen::Index n_attachments = static_cast<Eigen::Index>(elastic_loads(spec, mesh).size());
  const Eigen::Index n_unknowns = n_elastic_unknowns(spec, mesh);
  if (spec.modes_up_to || !spec.is_reduced) return {};  // counted later, or never
  if (!spec.mode_list.empty() && spec.mode_list.back() + n_attachments > n_unknowns) {
    return SpecProblem{"modes.list", fmt::format("the mesh has {} unknowns for modes up to {} and {} "
                                                 "attachment modes",
                                                 n_unknowns, spec.mode_list.back(), n_attachments)};
  }
  if (spec.n_normal_modes < 0 || spec.n_normal_modes + n_attachments < 1) {
    return SpecProblem{"modes.normal",
                       fmt::format("{} normal modes and no attachment mode leave nothing that deforms",
                                   spec.n_normal_modes)};
  }
  if (spec.n_normal_modes + n_attachments > n_unknowns) {
    return SpecProblem{
        "modes.normal",
        fmt::format("{} normal and {} attachment modes are more than the {} unknowns of the mesh",
                    spec.n_normal_modes, n_attachments, n_unknowns)};
  }
  return {};
}

std::optional<SpecProblem> basis_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  if (spec.basis == BasisType::normal) return {};
  if (spec.frame.type == FrameSpec::Type::buckens) {
    return SpecProblem{"modes.basis",
                       "= \"craig-bampton\" holds the body at its interfaces, which a Buckens frame does not "
                       "know; take a tangent or chord frame"};
  }
  if (!elastic_loads(spec, mesh).empty()) return {};
  return SpecProblem{"modes.basis",
                     "= \"craig-bampton\" needs interfaces: markers, other than those of the frame, where a "
                     "joint, spring or load acts, and modes.attachment"};
}

std::optional<SpecProblem> damping_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  const std::size_t n_q = static_cast<std::size_t>(spec.n_normal_modes) + elastic_loads(spec, mesh).size();
  const std::size_t n = spec.damping_modal.size();
  if (n <= 1 || n == n_q) return {};
  return SpecProblem{"damping.modal",
                     fmt::format("has {} ratios; the body has {} elastic coordinates", n, n_q)};
}

}  // namespace

std::optional<SpecProblem> find_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  for (const auto check : {region_problem, overlap_problem, marker_problem, frame_problem, support_problem,
                           connection_problem, tie_problem_of, attachment_problem, basis_problem,
                           mode_count_problem, damping_problem, stiffening_problem, solver_problem}) {
    if (auto problem = check(spec, mesh)) return problem;
  }
  return {};
}

bool is_by_multigrid(const FlexibleBodySpec& spec) {
  if (spec.mesh.given || has_rigid_ties(spec)) return false;
  if (spec.solver != SolverType::automatic) return spec.solver == SolverType::multigrid;
  const auto& [x, y, z] = spec.mesh.divisions;
  return spec.mesh.dim == 3 && static_cast<double>(x) * y * z >= many_elements;
}

std::optional<SpecProblem> find_problem(const FlexibleBodySpec& spec) {
  return find_problem(spec, *make_mesh(spec.mesh));
}

}  // namespace kurbel::fem
