#include "app/part_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "fem/faces.hpp"
#include "fem/selection.hpp"
#include "fem/surface_shape.hpp"
#include "output/surface_picture.hpp"
#include "output/vtk_writer.hpp"
#include "parts/read_part.hpp"
#include "plausibility/implausible_values.hpp"

namespace kurbel {

namespace {

using Eigen::VectorXi;

constexpr std::ptrdiff_t most = 60;  ///< surfaces that are described: of a rough scan there may be thousands

std::string plural(std::ptrdiff_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// A multiple of a grain below which there is rounding alone.
double rounded(double value, double grain) {
  const double unit = std::pow(10.0, std::floor(std::log10(grain)));
  return unit * std::round(value / unit) + 0.0;
}

std::string point(const Vector3d& x, int dim, double grain) {
  const auto at = [&](Eigen::Index d) { return rounded(x[d], grain); };
  return dim == 2 ? fmt::format("({:.6g}, {:.6g})", at(0), at(1))
                  : fmt::format("({:.6g}, {:.6g}, {:.6g})", at(0), at(1), at(2));
}

std::string direction(const Vector3d& x, int dim) {
  return point(x, dim, 1e-4);
}

std::string describe(const fem::SurfaceShape& shape, int dim, double length) {
  using Kind = fem::SurfaceShape::Kind;
  const std::string kind = fem::name_of(shape.kind, dim), centre = point(shape.centre, dim, 1e-5 * length);
  const std::string size =
      dim == 2 ? fmt::format("length {:.4g} m", shape.area) : fmt::format("area {:.4g} m^2", shape.area);
  switch (shape.kind) {
    case Kind::plane:
      return fmt::format("{} around {}, normal {}, {}", kind, centre, direction(shape.axis, dim), size);
    case Kind::cylinder:
      if (dim == 3)
        return fmt::format("{} of radius {:.6g} m around {}, axis {}, {}", kind, shape.radius, centre,
                           direction(shape.axis, dim), size);
      [[fallthrough]];
    case Kind::sphere:
      return fmt::format("{} of radius {:.6g} m around {}, {}", kind, shape.radius, centre, size);
    case Kind::cone:
      return fmt::format(
          "{} of radius {:.6g} to {:.6g} m around {}, axis {}, half angle {:.4g} deg, apex {}, {}", kind,
          rounded(shape.radii[0], 1e-6 * length), rounded(shape.radii[1], 1e-6 * length), centre,
          direction(shape.axis, dim), shape.half_angle * 180.0 / std::numbers::pi,
          point(shape.apex, dim, 1e-5 * length), size);
    case Kind::torus:
      return fmt::format("{} of tube radius {:.6g} m and ring radius {:.6g} m around {}, axis {}, {}", kind,
                         rounded(shape.radius, 1e-6 * length), rounded(shape.ring_radius, 1e-6 * length),
                         centre, direction(shape.axis, dim), size);
    case Kind::free:
      break;
  }
  return fmt::format("{} around {}, {}", kind, centre, size);
}

double extent_of(const fem::Mesh& mesh) {
  return (mesh.positions().rowwise().maxCoeff() - mesh.positions().rowwise().minCoeff()).maxCoeff();
}

/// The sets that have a face of a surface.
std::vector<std::string> sets_with(const fem::Mesh& mesh, const std::vector<fem::FacePlace>& faces) {
  std::vector<std::string> names;
  for (const fem::MeshSet& set : mesh.parts().sets) {
    const auto has = [&](const fem::FacePlace& face) { return std::ranges::binary_search(set.faces, face); };
    if (std::ranges::any_of(faces, has)) names.push_back(set.name);
  }
  return names;
}

void report_sets(const fem::Mesh& mesh, Report& report) {
  for (const fem::MeshSet& set : mesh.parts().sets) {
    report["sets"][set.name] = {
        {"nodes", set.nodes.size()}, {"elements", set.elements.size()}, {"faces", set.faces.size()}};
    std::string what = plural(std::ssize(set.nodes), "node");
    if (!set.elements.empty()) what = plural(std::ssize(set.elements), "element") + ", " + what;
    if (!set.faces.empty())
      what = plural(std::ssize(set.faces), mesh.dim() == 2 ? "edge" : "face") + ", " + what;
    report.line(fmt::format("  set \"{}\": {}", set.name, what));
  }
}

CellBlock::Kind kind_of_face(std::size_t n_nodes, std::size_t n_corners) {
  using Kind = CellBlock::Kind;
  const bool is_quadratic = n_nodes > n_corners;
  if (n_corners == 2) return is_quadratic ? Kind::polyline : Kind::line;
  if (n_corners == 3) return is_quadratic ? Kind::quadratic_triangle : Kind::triangle;
  return is_quadratic ? Kind::quadratic_quadrilateral : Kind::quadrilateral;
}

/// The faces of all surfaces, with the nodes that they have.
NumberedSurfaces numbered_surfaces(const fem::Mesh& mesh) {
  struct Cells {
    std::vector<int> nodes, numbers;
    Eigen::Index n_nodes = 0;
  };
  std::map<int, int> index_of;
  std::map<CellBlock::Kind, Cells> by_kind;
  const auto all = fem::surfaces(mesh);
  for (std::size_t s = 0; s < all.size(); ++s) {
    for (const fem::FacePlace& place : all[s]) {
      const fem::ElementFace face = fem::face_at(mesh, place);
      const auto n_corners =
          static_cast<std::size_t>(std::ranges::count_if(face.corners, [](int c) { return c >= 0; }));
      std::vector<int> nodes = fem::nodes_of(mesh, face);
      Cells& cells = by_kind[kind_of_face(nodes.size(), n_corners)];
      if (n_corners == 2 && nodes.size() == 3) std::swap(nodes[1], nodes[2]);  // in order along the line
      for (const int node : nodes)
        cells.nodes.push_back(index_of.try_emplace(node, static_cast<int>(index_of.size())).first->second);
      cells.n_nodes = std::ssize(nodes);
      cells.numbers.push_back(static_cast<int>(s) + 1);
    }
  }
  NumberedSurfaces out;
  out.grid.points.resize(3, std::ssize(index_of));
  for (const auto& [node, index] : index_of) out.grid.points.col(index) = mesh.positions().col(node);
  for (auto& [kind, cells] : by_kind) {
    out.grid.cells.push_back(
        {kind, Eigen::Map<Eigen::MatrixXi>(cells.nodes.data(), cells.n_nodes, std::ssize(cells.numbers))});
    out.numbers.insert(out.numbers.end(), cells.numbers.begin(), cells.numbers.end());
  }
  return out;
}

using Kind = fem::SurfaceShape::Kind;

std::vector<Kind> kinds_of(const fem::Mesh& mesh) {
  std::vector<Kind> kinds;
  for (const auto& faces : fem::surfaces(mesh)) kinds.push_back(fem::shape_of(mesh, faces).kind);
  return kinds;
}

/// The numbers of kinds in files, as docs/own_parts.md tells them.
double code_of(Kind kind) {
  switch (kind) {
    case Kind::plane:
      return 1.0;
    case Kind::cylinder:
      return 2.0;
    case Kind::sphere:
      return 3.0;
    case Kind::cone:
      return 4.0;
    case Kind::torus:
      return 5.0;
    case Kind::free:
      break;
  }
  return 0.0;
}

/// "cylinder: 2, 5", one text for each kind that there is.
std::vector<std::string> legend_of(const std::vector<Kind>& kinds, int dim) {
  std::vector<std::string> legend;
  for (const Kind kind : {Kind::plane, Kind::cylinder, Kind::sphere, Kind::cone, Kind::torus, Kind::free}) {
    std::vector<std::string> numbers;
    for (std::ptrdiff_t s = 0; s < std::min(most, std::ssize(kinds)); ++s) {
      if (kinds[static_cast<std::size_t>(s)] == kind) numbers.push_back(std::to_string(s + 1));
    }
    if (!numbers.empty())
      legend.push_back(fmt::format("{}: {}", fem::name_of(kind, dim), fmt::join(numbers, ", ")));
  }
  return legend;
}

}  // namespace

std::string size_of_mesh(const fem::Mesh& mesh) {
  std::map<std::string, Eigen::Index> by_kind;
  for (const fem::Mesh::Block& block : mesh.blocks())
    by_kind[fem::topology(block.kind).name] += block.n_elements;
  std::vector<std::string> kinds;
  for (const auto& [kind, n] : by_kind) kinds.push_back(fmt::format("{} {}", n, kind));
  return fmt::format("{} elements, {} nodes", fmt::join(kinds, " and "), mesh.n_nodes());
}

void report_part(const fem::Mesh& mesh, Report report) {
  report_sets(mesh, report);
  const auto all = fem::surfaces(mesh);
  const double length = extent_of(mesh);
  for (std::ptrdiff_t s = 0; s < std::ssize(all); ++s) {
    const auto& faces = all[static_cast<std::size_t>(s)];
    const fem::SurfaceShape shape = fem::shape_of(mesh, faces);
    const std::vector<std::string> sets = sets_with(mesh, faces);
    report["surfaces"].push_back({{"number", s + 1},
                                  {"kind", fem::name_of(shape.kind, mesh.dim())},
                                  {"centre", {shape.centre[0], shape.centre[1], shape.centre[2]}},
                                  {"axis", {shape.axis[0], shape.axis[1], shape.axis[2]}},
                                  {"radius", shape.radius},
                                  {"area", shape.area},
                                  {"sets", sets}});
    if (shape.kind == fem::SurfaceShape::Kind::cone)
      report["surfaces"].back().update({{"apex", {shape.apex[0], shape.apex[1], shape.apex[2]}},
                                        {"half_angle", shape.half_angle},
                                        {"radii", shape.radii}});
    if (shape.kind == fem::SurfaceShape::Kind::torus)
      report["surfaces"].back()["ring_radius"] = shape.ring_radius;
    if (s >= most) continue;
    report.line(fmt::format("  surface {}: {}{}", s + 1, describe(shape, mesh.dim(), length),
                            sets.empty() ? "" : fmt::format("; of \"{}\"", fmt::join(sets, "\", \""))));
  }
  if (std::ssize(all) > most) report.line(fmt::format("  and {} more surfaces", std::ssize(all) - most));
}

void write_surfaces(const fem::Mesh& mesh, const std::filesystem::path& folder, const std::string& name,
                    Report& report) {
  NumberedSurfaces surfaces = numbered_surfaces(mesh);
  const std::vector<Kind> kinds = kinds_of(mesh);
  surfaces.legend = legend_of(kinds, mesh.dim());
  const VectorXi numbers = Eigen::Map<const VectorXi>(surfaces.numbers.data(), std::ssize(surfaces.numbers));
  const auto code = [&](int number) { return code_of(kinds[static_cast<std::size_t>(number) - 1]); };
  const std::filesystem::path grid = folder / (name + ".vtp"), picture = folder / (name + ".png");
  write_vtp(grid, surfaces.grid,
            {{"surface", numbers.cast<double>().transpose()}, {"kind", numbers.unaryExpr(code).transpose()}});
  write_surfaces_png(picture, surfaces);
  report.line(fmt::format("  wrote {} and {}", picture.string(), grid.filename().string()));
}

void report_part_file(const std::filesystem::path& path, const std::filesystem::path& pictures,
                      Report& report) {
  const auto mesh = read_part({.path = path}, 1.0);
  const Vector3d low = mesh->positions().rowwise().minCoeff(), high = mesh->positions().rowwise().maxCoeff();
  const double grain = 1e-6 * extent_of(*mesh);
  report.add({{"file", path.string()}, {"elements", mesh->n_elements()}, {"nodes", mesh->n_nodes()}});
  report.line(fmt::format("part {}: {}", path.string(), size_of_mesh(*mesh)));
  report.line(fmt::format("  from {} to {} m, {} {:.6g} m^{}", point(low, mesh->dim(), grain),
                          point(high, mesh->dim(), grain), mesh->dim() == 2 ? "area" : "volume",
                          mesh->measures().sum(), mesh->dim()));
  report_part(*mesh, report);
  if (is_unlikely_length(extent_of(*mesh)))
    report.line(fmt::format(
        "warning: {} is {:.4g} m long. In which unit was it drawn? State bodies.*.mesh.unit, such as "
        "\"mm\"",
        path.string(), extent_of(*mesh)));
  if (!pictures.empty()) write_surfaces(*mesh, pictures, "surfaces", report);
}

}  // namespace kurbel
