#include <vtkCellData.h>
#include <vtkDataSetTriangleFilter.h>
#include <vtkIdTypeArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkUnstructuredGrid.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "fem/element_kind.hpp"
#include "shape/boundary.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

const fem::ElementTopology& topology_of(const CellBlock& block) {
  return fem::topology(fem::kind_of_vtk(static_cast<int>(block.kind)).value());
}

/// The corners of all cells, cell after cell.
template <class Action>
void for_each_cell(const UnstructuredGrid& mesh, const Action& act) {
  Index cell = 0;
  for (const CellBlock& block : mesh.cells) {
    const fem::ElementTopology& linear = fem::topology(fem::with_corners_alone(topology_of(block).kind));
    for (Index c = 0; c < block.corners.cols(); ++c, ++cell)
      act(cell, linear.vtk_type, block.corners.col(c).head(linear.n_nodes));
  }
}

/// Densities of points, 1 where no varied cell touches them.
VectorXd densities_of_points(const DensityField& field) {
  VectorXd sum = VectorXd::Zero(field.mesh.points.cols()), volume = sum;
  for_each_cell(field.mesh, [&](Index cell, int, const auto& corners) {
    if (field.role[static_cast<std::size_t>(cell)] != CellRole::varied) return;
    for (const int point : corners)
      sum[point] += field.volume[cell] * field.density[cell], volume[point] += field.volume[cell];
  });
  return (volume.array() > 0.0).select(sum.cwiseQuotient(volume), 1.0);
}

/// A face as one simplex has it.
struct Side {
  std::array<int, 3> corners{-1, -1, -1};  ///< in ascending order
  Index simplex = 0;
  int opposite = 0;
};

std::vector<Side> sides_of(const Simplices& simplices) {
  std::vector<Side> sides;
  for (Index s = 0; s < simplices.corners.cols(); ++s) {
    for (Index k = 0; k < simplices.corners.rows(); ++k) {
      Side side{.simplex = s, .opposite = static_cast<int>(k)};
      std::size_t i = 0;
      for (Index j = 0; j < simplices.corners.rows(); ++j) {
        if (j != k) side.corners[i++] = simplices.corners(j, s);
      }
      std::ranges::sort(side.corners);
      sides.push_back(side);
    }
  }
  std::ranges::sort(sides, [](const Side& a, const Side& b) {
    return std::tie(a.corners, a.simplex) < std::tie(b.corners, b.simplex);
  });
  return sides;
}

void find_faces(Simplices& simplices) {
  simplices.faces.clear();
  const std::vector<Side> sides = sides_of(simplices);
  const auto role = [&](const Side& side) { return simplices.role[static_cast<std::size_t>(side.simplex)]; };
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const bool is_outer = i + 1 == sides.size() || sides[i + 1].corners != sides[i].corners;
    const Side& a = sides[i];
    const Side& b = is_outer ? a : sides[++i];
    if (!is_outer && role(a) == role(b)) continue;
    const Side& bounded = role(a) == CellRole::solid ? a : b;
    simplices.faces.push_back({bounded.simplex, bounded.opposite, is_outer});
  }
}

/// The corners at the ends of the edges of a quadratic cell, in the order of the points in their middles. Cells in space that
/// are divided have edges without such points.
std::span<const std::array<int, 2>> quadratic_edges(const fem::ElementTopology& cell) {
  const bool is_divided = cell.dim == 3 && cell.n_corners > 4;
  if (!cell.has_middle_nodes() || is_divided) return {};
  return cell.edges;
}

void leave_out_empty(Simplices& simplices) {
  std::vector<Index> left;
  for (Index s = 0; s < simplices.corners.cols(); ++s) {
    if (simplices.role[static_cast<std::size_t>(s)] != CellRole::empty) left.push_back(s);
  }
  simplices.corners = Eigen::MatrixXi(simplices.corners(Eigen::all, left));
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto from = static_cast<std::size_t>(left[i]);
    simplices.role[i] = simplices.role[from], simplices.cell[i] = simplices.cell[from];
  }
  simplices.role.resize(left.size()), simplices.cell.resize(left.size());
}

/// Corners of solid simplices stay.
void hold_solid_points(Simplices& simplices) {
  for (Index s = 0; s < simplices.corners.cols(); ++s) {
    if (simplices.role[static_cast<std::size_t>(s)] != CellRole::solid) continue;
    for (const int corner : simplices.corners.col(s))
      simplices.is_held[static_cast<std::size_t>(corner)] = true;
  }
}

/// Curved edges whose ends are held and have not moved, and whose middle is held or belongs to a solid cell.
std::map<std::pair<int, int>, int> curved_edges(const DensityField& field, const Simplices& simplices) {
  constexpr double straight = 1e-6;  // of an edge
  std::map<std::pair<int, int>, int> middles;
  const auto is_held = [&](int point) { return simplices.is_held[static_cast<std::size_t>(point)]; };
  const auto has_moved = [&](int point) {
    return simplices.points.col(point) != field.mesh.points.col(point);
  };
  const auto at = [&](int point) { return Vector3d(field.mesh.points.col(point)); };
  std::size_t number = 0;
  for (const CellBlock& block : field.mesh.cells) {
    const fem::ElementTopology& topology = topology_of(block);
    const std::span edges = quadratic_edges(topology);
    for (const auto& cell : block.corners.colwise()) {
      const bool is_solid = field.role[number++] == CellRole::solid;
      for (std::size_t k = 0; k < edges.size(); ++k) {
        const int a = cell[edges[k][0]], b = cell[edges[k][1]];
        const int m = cell[topology.n_corners + static_cast<Index>(k)];
        if (!is_held(a) || !is_held(b) || !(is_solid || is_held(m))) continue;
        if (has_moved(a) || has_moved(b)) continue;
        if ((at(m) - 0.5 * (at(a) + at(b))).norm() > straight * (at(b) - at(a)).norm())
          middles[std::minmax(a, b)] = m;
      }
    }
  }
  return middles;
}

}  // namespace

Simplices divide(const DensityField& field) {
  vtkNew<vtkUnstructuredGrid> grid;
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (const auto& point : field.mesh.points.colwise()) points->InsertNextPoint(point.data());
  grid->SetPoints(points);
  vtkNew<vtkIdTypeArray> origin;
  origin->SetName("cell");
  for_each_cell(field.mesh, [&](Index cell, int type, const auto& corners) {
    if (field.role[static_cast<std::size_t>(cell)] == CellRole::empty && !field.is_in_void_place) return;
    std::vector<vtkIdType> ids(corners.begin(), corners.end());
    grid->InsertNextCell(type, static_cast<vtkIdType>(ids.size()), ids.data());
    origin->InsertNextValue(cell);
  });
  grid->GetCellData()->AddArray(origin);
  vtkNew<vtkDataSetTriangleFilter> filter;
  filter->SetInputData(grid);
  filter->Update();
  vtkUnstructuredGrid& divided = *filter->GetOutput();
  auto& cells = *vtkIdTypeArray::SafeDownCast(divided.GetCellData()->GetArray("cell"));

  Simplices simplices;
  simplices.points = field.mesh.points;
  simplices.density = densities_of_points(field), simplices.is_held = field.is_held;
  simplices.is_blended.assign(simplices.is_held.size(), false);
  simplices.is_walled.assign(simplices.is_held.size(), false);
  const Index n = divided.GetNumberOfCells();
  simplices.corners.resize(n > 0 ? divided.GetCell(0)->GetNumberOfPoints() : 4, n);
  for (Index s = 0; s < n; ++s) {
    vtkCell& cell = *divided.GetCell(s);
    for (Index k = 0; k < simplices.corners.rows(); ++k)
      simplices.corners(k, s) = static_cast<int>(cell.GetPointId(static_cast<int>(k)));
    simplices.cell.push_back(cells.GetValue(s));
    simplices.role.push_back(field.role[static_cast<std::size_t>(cells.GetValue(s))]);
  }
  find_faces(simplices);
  if (field.is_in_void_place) {
    follow_place(simplices, field.is_in_void_place, CellRole::empty);
    leave_out_empty(simplices);
    find_faces(simplices);
  }
  if (field.is_in_solid_place) {
    follow_place(simplices, field.is_in_solid_place, CellRole::solid);
    find_faces(simplices);
  }
  hold_solid_points(simplices);
  simplices.middles = curved_edges(field, simplices);
  return simplices;
}

}  // namespace kurbel
