#include "parts/gmsh_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>

#include "base/errors.hpp"
#include "base/spelling.hpp"
#include "parts/gmsh_library.hpp"
#include "parts/node_indices.hpp"
#include "parts/triangle_surface.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

/// A type of elements by Gmsh's number, with the indices of its nodes in VTK's order.
struct GmshType {
  int number;
  fem::ElementKind kind;
  std::vector<int> order{};  ///< empty: the same
};

const std::vector<GmshType>& known_types() {
  using fem::ElementKind;
  static const std::vector<GmshType> types = {
      {2, ElementKind::tri3},
      {3, ElementKind::quad4},
      {4, ElementKind::tet4},
      {5, ElementKind::hex8},
      {6, ElementKind::wedge6, {0, 2, 1, 3, 5, 4}},
      {7, ElementKind::pyramid5},
      {9, ElementKind::tri6},
      {16, ElementKind::quad8},
      {11, ElementKind::tet10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
      {17, ElementKind::hex20, {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15}}};
  return types;
}

/// Squares or cubes of this size that fill the box around a part are an upper estimate of its elements.
void require_reasonable(const Gmsh& gmsh, int dim, double size) {
  constexpr double most = 1e8;
  const Vector3d n = (gmsh.extent() / size).cwiseMax(1.0);
  const double estimate = dim == 3 ? n.prod() : n[0] * n[1];
  if (estimate > most)
    throw InputError(fmt::format(
        "the part is {:.3g} m long, so that a size of {:.3g} m gives up to {:.1g} elements. State the "
        "unit of the drawing in mesh.unit, such as \"mm\", or a larger mesh.size",
        gmsh.extent().maxCoeff(), size, estimate));
}

/// A group without a name is named by its number.
std::string name_of_group(const Gmsh& gmsh, const Gmsh::Entity& group) {
  std::string name = gmsh.group_name(group);
  return name.empty() ? std::to_string(group.second) : name;
}

/// The surfaces of a model in the order of their numbers, in the plane its curves: the entities that each consists of.
using Surfaces = std::vector<std::vector<int>>;

Surfaces single_surfaces(const Gmsh& gmsh, int dim) {
  Surfaces surfaces;
  for (const Gmsh::Entity& entity : gmsh.entities(dim)) surfaces.push_back({entity.second});
  return surfaces;
}

/// Surfaces of the geometry, in the plane its curves, at a finer place.
std::vector<int> entities_at(const Gmsh& gmsh, const FinerPlace& place, int dim, const Surfaces& surfaces) {
  if (!place.set.empty()) {
    std::vector<std::string> names;
    for (const Gmsh::Entity& group : gmsh.groups()) {
      if (group.first != dim - 1) continue;
      names.push_back(name_of_group(gmsh, group));
      if (names.back() == place.set) return gmsh.entities_of(group);
    }
    throw InputError(fmt::format("near: it has no set \"{}\" of {}{}", place.set,
                                 dim == 3 ? "surfaces" : "curves", spelling_advice(place.set, names, "\"")));
  }
  if (gmsh.entities(dim).size() > 1)
    throw InputError(
        "near: surfaces have numbers in a geometry of one piece alone; this one has several. Name the "
        "surface by a "
        "physical group, and give its `set`");
  if (static_cast<std::size_t>(place.surface) > surfaces.size())
    throw InputError(fmt::format("near: it has no surface {}; they are numbered up to {}", place.surface,
                                 surfaces.size()));
  return surfaces[static_cast<std::size_t>(place.surface) - 1];
}

/// Sizes that grow from the finer places to that of the part.
void refine(const Gmsh& gmsh, const PartFile& part, int dim, const Surfaces& surfaces) {
  if (part.near.empty()) return;
  if (!part.size) throw InputError("`near` needs `size`, to which elements grow from there");
  const double unit = part.unit.value_or(1.0);
  std::vector<int> fields;
  for (const FinerPlace& place : part.near) {
    if (place.size > *part.size)
      throw InputError(
          fmt::format("near: size = {:g} m is above that of the part, {:g} m", place.size, *part.size));
    fields.push_back(gmsh.add_growing_size(dim - 1, entities_at(gmsh, place, dim, surfaces),
                                           {place.size / unit, *part.size / unit, place.distance / unit}));
  }
  gmsh.take_smallest_size(fields);
}

bool is_of_triangles(const PartFile& part) {
  const std::string extension = part.path.extension().string();
  return extension == ".stl" || extension == ".STL";
}

NodeIndices read_nodes(const Gmsh& gmsh, double unit, fem::Mesh::Points& positions,
                       std::vector<std::size_t>& tags) {
  Gmsh::Nodes nodes = gmsh.nodes();
  tags = std::move(nodes.tags);
  positions = unit * Eigen::Map<const fem::Mesh::Points>(nodes.coordinates.data(), 3,
                                                         static_cast<Index>(tags.size()));
  NodeIndices indices;
  for (std::size_t i = 0; i < tags.size(); ++i) indices.add(tags[i], static_cast<int>(i));
  return indices;
}

TriangleSurface read_triangles(const Gmsh& gmsh, double unit) {
  TriangleSurface surface;
  std::vector<std::size_t> tags;
  const NodeIndices indices = read_nodes(gmsh, unit, surface.points, tags);
  std::vector<int> corners;
  for (const Gmsh::Entity& entity : gmsh.entities(2)) {
    for (const Gmsh::Elements& triangles : gmsh.elements(entity)) {
      for (const std::size_t node : triangles.nodes) corners.push_back(indices.find(node));
    }
  }
  surface.corners =
      Eigen::Map<const Eigen::MatrixXi>(corners.data(), 3, static_cast<Index>(corners.size() / 3));
  return surface;
}

/// How the surface of triangles of a file is meshed.
struct Resurfacing {
  double edge_angle;   ///< by which it turns where it has an edge, rad
  bool is_new = true;  ///< false: its triangles stay
};

/// Makes a volume of a surface of triangles.
Surfaces fill(const Gmsh& gmsh, const Resurfacing& way) {
  gmsh.divide_surface(way.edge_angle);
  Surfaces surfaces = single_surfaces(gmsh, 2);
  if (way.is_new) {
    std::map<std::size_t, std::size_t> surface_of;  // triangles
    for (std::size_t s = 0; s < surfaces.size(); ++s) {
      for (const Gmsh::Elements& triangles : gmsh.elements({2, surfaces[s].front()})) {
        for (const std::size_t triangle : triangles.tags) surface_of[triangle] = s;
      }
      surfaces[s].clear();
    }
    gmsh.take_as_geometry(way.edge_angle);
    for (const Gmsh::Entity& piece : gmsh.entities(2)) {
      for (const Gmsh::Elements& triangles : gmsh.elements(piece))
        surfaces[surface_of.at(triangles.tags.front())].push_back(piece.second);
    }
  }
  gmsh.fill_surfaces();
  return surfaces;
}

/// Meshes a geometry; what is meshed already keeps its elements.
/// @param surfaces  of a surface of triangles; none: each is an entity
void generate(const Gmsh& gmsh, const PartFile& part, const SizeAt& size_at, const Surfaces& surfaces) {
  constexpr int default_order = 2;
  gmsh.set("Mesh.SecondOrderIncomplete", 1.0);
  if (part.size) gmsh.set("Mesh.MeshSizeMax", *part.size / part.unit.value_or(1.0));
  if (part.least_per_turn > 0) {
    gmsh.set("Mesh.MeshSizeFromCurvature", part.least_per_turn);
    gmsh.set("Mesh.MinimumElementsPerTwoPi", part.least_per_turn);  // the number, until Gmsh 4.9
  }
  const int dim = gmsh.dimension();
  if (dim < 2) return;
  if (!gmsh.has_elements(dim)) {
    if (part.size) require_reasonable(gmsh, dim, *part.size / part.unit.value_or(1.0));
    refine(gmsh, part, dim, surfaces.empty() ? single_surfaces(gmsh, dim - 1) : surfaces);
    if (size_at) gmsh.set_size_at(size_at);
    gmsh.generate(dim);
    gmsh.set_order(part.order.value_or(default_order));
    return;
  }
  if (part.size) throw InputError("it is meshed already; `size` belongs to a geometry");
  if (!part.near.empty()) throw InputError("it is meshed already; `near` belongs to a geometry");
  if (part.order) gmsh.set_order(*part.order);
}

FileBlock block_of(const Gmsh& gmsh, Gmsh::Elements elements, const NodeIndices& indices) {
  const Gmsh::Type type = gmsh.type(elements.type);
  FileBlock block{.dim = type.dim, .type = type.name, .n_corners = type.n_corners};
  std::vector<int> order;
  const auto known = std::ranges::find(known_types(), elements.type, &GmshType::number);
  if (known != known_types().end()) {
    block.kind = known->kind;
    block.type = fem::topology(known->kind).name;
    order = known->order;
  }
  if (order.empty()) {
    order.resize(static_cast<std::size_t>(type.n_nodes));
    std::iota(order.begin(), order.end(), 0);
  }
  block.tags = std::move(elements.tags);
  block.nodes.resize(type.n_nodes, static_cast<Index>(block.tags.size()));
  for (Index e = 0; e < block.nodes.cols(); ++e) {
    for (Index a = 0; a < type.n_nodes; ++a) {
      const Index at = e * type.n_nodes + order[static_cast<std::size_t>(a)];
      const std::size_t tag = elements.nodes[static_cast<std::size_t>(at)];
      const int index = indices.find(tag);
      if (index == NodeIndices::none)
        throw InputError(fmt::format("element {} has the node {}, which does not exist",
                                     block.tags[static_cast<std::size_t>(e)], tag));
      block.nodes(a, e) = index;
    }
  }
  return block;
}

void read_elements(const Gmsh& gmsh, const NodeIndices& indices, MeshFile& content) {
  for (const Gmsh::Entity& entity : gmsh.entities()) {
    for (Gmsh::Elements& elements : gmsh.elements(entity)) {
      content.blocks.push_back(block_of(gmsh, std::move(elements), indices));
      content.blocks.back().entity = entity.second;
    }
  }
}

void read_groups(const Gmsh& gmsh, const NodeIndices& indices, MeshFile& content) {
  for (const Gmsh::Entity& own : gmsh.groups()) {
    FileGroup group{.name = name_of_group(gmsh, own), .dim = own.first};
    const std::vector<int> entities = gmsh.entities_of(own);
    for (std::size_t b = 0; b < content.blocks.size(); ++b) {
      const FileBlock& block = content.blocks[b];
      if (block.dim == group.dim && std::ranges::find(entities, block.entity) != entities.end())
        group.blocks.push_back(b);
    }
    if (group.dim == 0) {
      for (const std::size_t node : gmsh.nodes_of_group(own)) {
        group.nodes.push_back(indices.find(node));
        if (group.nodes.back() == NodeIndices::none)
          throw InputError(
              fmt::format("the group {} has the node {}, which does not exist", group.name, node));
      }
    }
    content.groups.push_back(std::move(group));
  }
}

}  // namespace

namespace {

std::mutex one_at_a_time;

}  // namespace

double make_step(const std::filesystem::path& geometry, const std::filesystem::path& step, double edge) {
  const std::lock_guard lock(one_at_a_time);
  constexpr const char* unit = "MM";  // OpenCASCADE keeps the unit of an earlier file
  constexpr double millimetres = 1e3, square_metres = 1e-6;
  {
    const Gmsh gmsh;
    gmsh.set("Geometry.OCCTargetUnit", unit);
    gmsh.open(geometry.string());
    gmsh.write(step.string());
  }
  const Gmsh gmsh;
  gmsh.set("Geometry.OCCTargetUnit", unit);
  gmsh.open(step.string());
  return square_metres * gmsh.level_area(millimetres * edge);
}

namespace {

/// Gives the pieces of a surface its number.
void join_pieces(const Surfaces& surfaces, MeshFile& content) {
  std::map<int, int> number_of;
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    for (const int piece : surfaces[s]) number_of[piece] = static_cast<int>(s) + 1;
  }
  for (FileBlock& block : content.blocks) {
    if (block.dim == 2) block.entity = number_of.at(block.entity);
  }
}

double volume_of(const MeshFile& content) {
  double sum = 0.0;
  for (const FileBlock& block : content.blocks) {
    if (block.dim < 3) continue;
    for (const auto& nodes : block.nodes.colwise()) {
      const auto corner = [&](Index a) -> Vector3d { return content.positions.col(nodes[a]); };
      sum += (corner(1) - corner(0)).cross(corner(2) - corner(0)).dot(corner(3) - corner(0)) / 6.0;
    }
  }
  return sum;
}

/// @param way  of a surface of triangles
MeshFile read_once(const PartFile& part, const SizeAt& size_at, const Resurfacing* way) {
  const Gmsh gmsh;
  gmsh.set("Geometry.OCCTargetUnit", "M");  // of STEP files, which say their own
  gmsh.open(part.path.string());
  const double unit = part.unit.value_or(1.0);
  Surfaces surfaces;
  double volume = 0.0;
  if (way) {
    const TriangleSurface surface = read_triangles(gmsh, unit);
    if (!part.edges_may_change) require_fillable(surface);  // others were checked where they were made
    volume = volume_within(surface);
    gmsh.set("Mesh.SecondOrderLinear", 1.0);  // its faces are flat; bent edges would turn elements inside out
    surfaces = fill(gmsh, *way);
  }
  generate(gmsh, part, size_at, surfaces);
  MeshFile content;
  const NodeIndices indices = read_nodes(gmsh, unit, content.positions, content.tags);
  read_elements(gmsh, indices, content);
  read_groups(gmsh, indices, content);
  if (!way) return content;
  join_pieces(surfaces, content);
  constexpr double most_lost = 0.05;
  if (!part.size && std::abs(volume_of(content) - volume) > most_lost * volume)
    throw InputError("elements of the default size do not resolve it; state `size`");
  return content;
}

}  // namespace

MeshFile read_with_gmsh(const PartFile& part, const SizeAt& size_at) {
  constexpr double degree = std::numbers::pi / 180.0, usual = 40.0 * degree, few_edges = 80.0 * degree;
  const std::lock_guard lock(one_at_a_time);
  if (!is_of_triangles(part)) return read_once(part, size_at, nullptr);
  // Uneven triangles turn by more than 40 degrees at many places; edges there make pieces that Gmsh cannot mesh. Where fewer
  // edges do not help, the triangles are the mesh of the surface.
  std::vector<Resurfacing> ways = {{.edge_angle = usual}};
  if (part.edges_may_change) ways.push_back({.edge_angle = few_edges});
  if (part.edges_may_change || !part.size) ways.push_back({.edge_angle = usual, .is_new = false});
  std::exception_ptr first;
  for (const Resurfacing& way : ways) {
    try {
      return read_once(part, size_at, &way);
    } catch (const InputError&) {
      if (!first) first = std::current_exception();
    }
  }
  std::rethrow_exception(first);  // what was wrong at first is told
}

}  // namespace kurbel
