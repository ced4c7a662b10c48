#include "fem/spec_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fem/markers.hpp"

namespace kurbel::fem {

namespace {

std::optional<SpecProblem> clamp_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  const std::size_t clamped = mesh.nodes_in(spec.clamp).size();
  if (clamped == 0) return SpecProblem{"clamp", "no node of the mesh lies there; the body would not be held"};
  if (clamped == static_cast<std::size_t>(mesh.n_nodes())) {
    return SpecProblem{"clamp", "all nodes of the mesh lie there; nothing could deform"};
  }
  const auto clamped_nodes = mesh.nodes_in(spec.clamp);
  const auto extent = [&](int d) {
    const auto row = mesh.positions()(d, clamped_nodes);
    return row.maxCoeff() - row.minCoeff();
  };
  int extended = 0;
  for (int d = 0; d < mesh.dim(); ++d) extended += extent(d) > 0.0;
  if (extended < mesh.dim() - 1) {
    return SpecProblem{"clamp", mesh.dim() == 2 ? "a single node does not hold the body"
                                                : "nodes on one line do not hold the body"};
  }
  return {};
}

std::optional<SpecProblem> region_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  for (const Region& region : spec.regions) {
    if (mesh.elements_in(region.box).empty()) {
      return SpecProblem{"regions." + region.name, "no element of the mesh has its centre there"};
    }
  }
  return {};
}

std::optional<SpecProblem> marker_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  std::set<std::string> names;
  for (const MarkerSpec& marker : spec.markers) {
    if (!names.insert(marker.name).second) return SpecProblem{"markers." + marker.name, "is defined twice"};
    if (mesh.nodes_in(marker.nodes).empty()) {
      return SpecProblem{"markers." + marker.name, "no node of the mesh lies there"};
    }
  }
  return {};
}

std::optional<SpecProblem> attachment_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  for (const AttachmentSpec& attachment : spec.attachments) {
    const bool known = std::any_of(spec.markers.begin(), spec.markers.end(),
                                   [&](const MarkerSpec& m) { return m.name == attachment.marker; });
    if (!known) {
      return SpecProblem{"modes.attachment", fmt::format("unknown marker \"{}\"", attachment.marker)};
    }
  }
  const NodeOrder order(mesh.n_nodes(), mesh.nodes_in(spec.clamp));
  std::vector<MarkerOperator> markers;
  for (const MarkerSpec& m : spec.markers) markers.emplace_back(m.name, mesh.nodes_in(m.nodes), mesh, order);
  const std::vector<UnitLoad> loads = unit_loads(spec);
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

std::optional<SpecProblem> mode_count_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  const Eigen::Index n_attachments = static_cast<Eigen::Index>(unit_loads(spec).size());
  const Eigen::Index n_free = mesh.n_nodes() - static_cast<Eigen::Index>(mesh.nodes_in(spec.clamp).size());
  if (spec.n_normal_modes < 0 || spec.n_normal_modes + n_attachments < 1) {
    return SpecProblem{"modes.normal",
                       fmt::format("{} normal modes and no attachment mode leave nothing that deforms",
                                   spec.n_normal_modes)};
  }
  if (spec.n_normal_modes + n_attachments > n_free * mesh.dim()) {
    return SpecProblem{
        "modes.normal",
        fmt::format("{} normal and {} attachment modes are more than the {} unknowns of the mesh",
                    spec.n_normal_modes, n_attachments, n_free * mesh.dim())};
  }
  return {};
}

}  // namespace

std::optional<SpecProblem> find_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  for (const auto check :
       {clamp_problem, region_problem, marker_problem, attachment_problem, mode_count_problem}) {
    if (auto problem = check(spec, mesh)) return problem;
  }
  return {};
}

std::optional<SpecProblem> find_problem(const FlexibleBodySpec& spec) {
  return find_problem(spec, Mesh(spec.mesh));
}

}  // namespace kurbel::fem
