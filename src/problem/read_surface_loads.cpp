/// Loads on surfaces of flexible bodies: [loads.*] of type "pressure" and "bearing".
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "base/spelling.hpp"
#include "fem/faces.hpp"
#include "fem/mesh_source.hpp"
#include "fem/selection.hpp"
#include "mechanism/composed_function.hpp"
#include "mechanism/motion_end.hpp"
#include "problem/named_parts.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

enum class LoadType { marker, pressure, bearing };

LoadType type_of_load(const TomlTable& load) {
  return load.choice_or<LoadType>(
      "type", LoadType::marker,
      {{"marker", LoadType::marker}, {"pressure", LoadType::pressure}, {"bearing", LoadType::bearing}});
}

std::size_t find_flexible(const TomlTable& load, const std::vector<ProblemBody>& bodies) {
  const std::string name = load.text("body");
  std::vector<std::string> flexible;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].type != ProblemBody::Type::flexible) continue;
    if (bodies[i].name == name) return i;
    flexible.push_back(bodies[i].name);
  }
  load.refuse("body", "is no body of type \"flexible\", which has a surface{}",
              spelling_advice(name, flexible, "\""));
}

/// A load without components at a marker, along the axes of its body.
MarkerLoadSpec load_at(const fem::MarkerSpec& marker, const NamedSurfaceLoad& load, const std::string& body) {
  return {.name = load.name,
          .marker = {body, marker.name},
          .frame = MarkerLoadSpec::Frame::body,
          .force = {},
          .torque = {}};
}

/// The shares of a load as forces at markers of the body. A marker of the same mean, as of pressure on a plane surface
/// that is a marker, takes the share; others are added.
class Shares {
 public:
  Shares(ProblemBody& body, const fem::Mesh& mesh) : spec_(body.flexible), mesh_(mesh) {
    for (const fem::MarkerSpec& marker : spec_.markers) sets_.push_back(marker_nodes(marker, mesh));
  }

  void add(const fem::LoadShare& share, const NamedSurfaceLoad& load, std::vector<MarkerLoadSpec>& loads) {
    const auto same =
        std::ranges::find_if(sets_, [&](const auto& set) { return is_same_mean(set, share.set); });
    const auto index = static_cast<std::size_t>(same - sets_.begin());
    if (same == sets_.end()) {
      sets_.push_back(share.set);
      spec_.markers.push_back(
          {.name = fmt::format("{}({}{})", load.name, share.force > 0.0 ? '+' : '-', "xyz"[share.axis]),
           .nodes = load.load.place,
           .set = std::make_shared<const fem::NodeSet>(share.set)});
    }
    const fem::MarkerSpec& marker = spec_.markers[index];
    MarkerLoadSpec force = load_at(marker, load, spec_.name);
    const auto axis = static_cast<std::size_t>(share.axis);
    force.force[axis] = scaled(load.amplitude.function, share.force);
    force.force_over[axis] = load.amplitude.over;
    loads.push_back(std::move(force));
    combined_.push_back({marker.name, share.force * Vector3d::Unit(share.axis)});
    has_own_ = has_own_ || marker.set;
  }

  /// Forces at markers of the user's have attachment modes already, and so has a load that others make up.
  void add_attachment_mode(const std::string& name) {
    const fem::CombinedLoadSpec load{fmt::format("load {}", name), combined_};
    if (has_own_ && !is_combination(load, spec_.combined_loads, spec_.markers, mesh_))
      spec_.combined_loads.push_back(load);
  }

 private:
  fem::FlexibleBodySpec& spec_;
  const fem::Mesh& mesh_;
  std::vector<fem::NodeSet> sets_;
  std::vector<fem::CombinedLoadSpec::Force> combined_;
  bool has_own_ = false;
};

/// The marker with a rigid tie that holds all nodes of a load; none if there is no such marker.
const fem::MarkerSpec* rigid_owner(const fem::NodalForces& forces, const fem::FlexibleBodySpec& spec,
                                   const fem::Mesh& mesh) {
  for (const fem::MarkerSpec& marker : spec.markers) {
    if (marker.tie != fem::MarkerSpec::Tie::rigid) continue;
    std::vector<int> tied = marker_nodes(marker, mesh).nodes;
    std::ranges::sort(tied);
    if (std::ranges::includes(tied, forces.nodes)) return &marker;
  }
  return nullptr;
}

/// On nodes that move as a rigid body, all that a load does is its resultant and its moment about their marker.
MarkerLoadSpec resultant_at(const fem::MarkerSpec& marker, const fem::NodalForces& forces,
                            const fem::Mesh& mesh, const NamedSurfaceLoad& load, const std::string& body) {
  const fem::NodeSet set = marker_nodes(marker, mesh);
  const Eigen::Map<const VectorXd> weights(set.weights.data(), std::ssize(set.weights));
  const Vector3d centre = mesh.positions()(Eigen::all, set.nodes) * weights / weights.sum();
  const Vector3d force = forces.forces.rowwise().sum();
  Vector3d moment = Vector3d::Zero();
  double arm = 0.0;
  for (std::size_t i = 0; i < forces.nodes.size(); ++i) {
    const Vector3d from_centre = mesh.positions().col(forces.nodes[i]) - centre;
    moment += from_centre.cross(forces.forces.col(static_cast<Eigen::Index>(i)));
    arm = std::max(arm, from_centre.norm());
  }
  MarkerLoadSpec at = load_at(marker, load, body);
  const double least = 1e-9 * forces.forces.colwise().norm().sum();
  for (std::size_t d = 0; d < 3; ++d) {
    const auto axis = static_cast<Eigen::Index>(d);
    if (std::abs(force[axis]) > least)
      at.force[d] = scaled(load.amplitude.function, force[axis]), at.force_over[d] = load.amplitude.over;
    if (std::abs(moment[axis]) > least * arm)
      at.torque[d] = scaled(load.amplitude.function, moment[axis]), at.torque_over[d] = load.amplitude.over;
  }
  return at;
}

[[noreturn]] void refuse_place(const NamedSurfaceLoad& load, const fem::NodalForces& forces,
                               const fem::Mesh& mesh, const Problem& problem) {
  const std::string key = "loads." + load.name;
  if (forces.area > 0.0)
    throw problem.error(key + ".direction",
                        "pushes no face of the place, because all faces point in this direction; reverse it");
  const std::string nearest = nearest_to(load.load.place, mesh.positions(), "node");
  throw problem.error(key + ".place", "has no whole {} of the surface{}", mesh.dim() == 2 ? "edge" : "face",
                      nearest.empty() ? nearest : "; " + nearest);
}

/// Nodal forces are those of the mesh in the file.
void refuse_varied_sizes(const NamedSurfaceLoad& load, const Problem& problem) {
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
    if (!quantity || quantity->body != load.body) continue;
    if (quantity->kind == ElementQuantity::Kind::thickness ||
        quantity->kind == ElementQuantity::Kind::mesh_size)
      throw problem.error(path_of(variable) + ".quantity",
                          "changes the surface on which loads.{} acts, whose forces would remain those of "
                          "the file",
                          load.name);
  }
}

/// Keeps loaded nodes at their places where a variable moves the surface.
void keep_loaded_surface(const NamedSurfaceLoad& load, Problem& problem) {
  for (DesignVariable& variable : problem.design.variables) {
    auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
    if (quantity && quantity->body == load.body && quantity->kind == ElementQuantity::Kind::mesh_surface)
      quantity->surface.fixed.push_back(load.load.place);
  }
}

}  // namespace

bool is_load_at_marker(const TomlTable& load) {
  return type_of_load(load) == LoadType::marker;
}

std::vector<NamedSurfaceLoad> read_surface_loads(const TomlTable& root, Problem& problem) {
  const JointAngles angles{problem.system.joints, problem.followed_joints};
  std::vector<NamedSurfaceLoad> loads;
  for (const TomlTable& table : root.table_or_empty("loads").children()) {
    const LoadType type = type_of_load(table);
    if (type == LoadType::marker) continue;
    NamedSurfaceLoad load{
        .name = read_name(table), .body = find_flexible(table, problem.bodies), .load = {}, .amplitude = {}};
    const fem::MeshSpec& mesh = problem.bodies[load.body].flexible.mesh;
    load.load.place = read_place(table.table("place"), mesh);
    const bool is_bearing = type == LoadType::bearing;
    if (is_bearing) {
      load.load.kind = fem::SurfaceLoad::Kind::bearing;
      load.load.direction = read_vector(table, "direction", mesh.dim).normalized();
      if (load.load.direction.isZero(0.0)) table.refuse("direction", "has no length");
    }
    const char* const amplitude = is_bearing ? "force" : "pressure";
    load.amplitude = table.is_table(amplitude) ? read_load_function(table.table(amplitude), angles)
                                               : LoadFunction{constant_rate(table.number(amplitude), 0.0)};
    loads.push_back(std::move(load));
  }
  return loads;
}

void add_surface_loads(const std::vector<NamedSurfaceLoad>& loads,
                       const std::set<std::string>& with_attachment_modes, Problem& problem) {
  for (NamedSurfaceLoad load : loads) {
    follow_motion(problem.system.time, load.amplitude.function);
    refuse_varied_sizes(load, problem);
    keep_loaded_surface(load, problem);
    ProblemBody& body = problem.bodies[load.body];
    const auto mesh = fem::make_mesh(body.flexible.mesh);
    const double thickness = mesh->dim() == 2 ? body.flexible.mesh.thickness : 1.0;
    const fem::NodalForces forces = nodal_forces(load.load, *mesh, thickness);
    if (forces.nodes.empty()) refuse_place(load, forces, *mesh, problem);
    if (const fem::MarkerSpec* owner = rigid_owner(forces, body.flexible, *mesh)) {
      problem.system.loads.push_back(resultant_at(*owner, forces, *mesh, load, body.name));
      continue;
    }
    Shares shares(body, *mesh);
    for (const fem::LoadShare& share : shares_of(forces)) shares.add(share, load, problem.system.loads);
    if (with_attachment_modes.contains(body.name)) shares.add_attachment_mode(load.name);
  }
}

}  // namespace kurbel
