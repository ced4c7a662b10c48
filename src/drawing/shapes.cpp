#include "drawing/shapes.hpp"

#include <vtkConeSource.h>
#include <vtkCubeSource.h>
#include <vtkIdList.h>
#include <vtkLineSource.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyLineSource.h>
#include <vtkSphereSource.h>
#include <vtkTriangleFilter.h>
#include <vtkTubeFilter.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace kurbel {

namespace {

using Eigen::Index;

constexpr int sides = 16;

/// The surface that a VTK source makes, as triangles.
UnstructuredGrid triangles(vtkPolyDataAlgorithm& source) {
  vtkNew<vtkTriangleFilter> filter;
  filter->SetInputConnection(source.GetOutputPort());
  filter->PassVertsOff();
  filter->PassLinesOff();
  filter->Update();
  vtkPolyData* surface = filter->GetOutput();
  UnstructuredGrid grid;
  grid.points.resize(3, surface->GetNumberOfPoints());
  for (Index i = 0; i < grid.points.cols(); ++i) surface->GetPoint(i, grid.points.col(i).data());
  CellBlock cells{CellBlock::Kind::triangle, Eigen::MatrixXi(3, surface->GetNumberOfCells())};
  vtkNew<vtkIdList> corners;
  for (Index c = 0; c < cells.corners.cols(); ++c) {
    surface->GetCellPoints(c, corners);
    for (int k = 0; k < 3; ++k) cells.corners(k, c) = static_cast<int>(corners->GetId(k));
  }
  grid.cells.push_back(std::move(cells));
  return grid;
}

UnstructuredGrid tube_along(vtkAlgorithmOutput* line, double radius, int n_sides) {
  vtkNew<vtkTubeFilter> filter;
  filter->SetInputConnection(line);
  filter->SetRadius(radius);
  filter->SetNumberOfSides(n_sides);
  filter->CappingOn();
  filter->SetOutputPointsPrecision(vtkAlgorithm::DOUBLE_PRECISION);
  return triangles(*filter);
}

/// The wire of a spring whose windings have a radius.
UnstructuredGrid wire_through(const MatrixXd& points, double radius) {
  vtkNew<vtkPoints> line;
  line->SetDataTypeToDouble();
  for (const auto& point : points.colwise()) line->InsertNextPoint(point[0], point[1], point[2]);
  vtkNew<vtkPolyLineSource> source;
  source->SetPoints(line);
  return tube_along(source->GetOutputPort(), 0.12 * radius, 6);
}

}  // namespace

UnstructuredGrid tube(const Vector3d& a, const Vector3d& b, double radius) {
  vtkNew<vtkLineSource> line;
  line->SetPoint1(a.data());
  line->SetPoint2(b.data());
  line->SetOutputPointsPrecision(vtkAlgorithm::DOUBLE_PRECISION);
  return tube_along(line->GetOutputPort(), radius, sides);
}

UnstructuredGrid sphere(const Vector3d& centre, double radius) {
  vtkNew<vtkSphereSource> source;
  source->SetCenter(centre.data());
  source->SetRadius(radius);
  source->SetThetaResolution(sides);
  source->SetPhiResolution(sides / 2 + 1);
  source->SetOutputPointsPrecision(vtkAlgorithm::DOUBLE_PRECISION);
  return triangles(*source);
}

UnstructuredGrid cylinder(const Vector3d& centre, const Vector3d& axis, double radius, double height) {
  const Vector3d half = 0.5 * height * axis.normalized();
  return tube(centre - half, centre + half, radius);
}

UnstructuredGrid box(const Vector3d& centre, const Vector3d& edges) {
  vtkNew<vtkCubeSource> source;
  source->SetCenter(centre.data());
  source->SetXLength(edges[0]);
  source->SetYLength(edges[1]);
  source->SetZLength(edges[2]);
  source->SetOutputPointsPrecision(vtkAlgorithm::DOUBLE_PRECISION);
  return triangles(*source);
}

UnstructuredGrid pyramid(const Vector3d& tip, const Vector3d& down, double height) {
  const Vector3d centre = tip + 0.5 * height * down, up = -down;
  vtkNew<vtkConeSource> source;
  source->SetCenter(centre.data());
  source->SetDirection(up.data());
  source->SetHeight(height);
  source->SetRadius(0.7 * height);
  source->SetResolution(4);
  source->SetOutputPointsPrecision(vtkAlgorithm::DOUBLE_PRECISION);
  return triangles(*source);
}

UnstructuredGrid coil(const Vector3d& a, const Vector3d& b, double radius) {
  constexpr int windings = 12, points_per_winding = 16, n = windings * points_per_winding;
  constexpr double straight = 0.1;  // of the length, at either end
  const Vector3d axis = (b - a).norm() > 0.0 ? Vector3d((b - a).normalized()) : Vector3d::UnitX();
  const Vector3d e1 = axis.unitOrthogonal(), e2 = axis.cross(e1);
  MatrixXd points(3, n + 3);
  points.col(0) = a, points.col(n + 2) = b;
  for (int i = 0; i <= n; ++i) {
    const double share = static_cast<double>(i) / n, angle = 2.0 * std::numbers::pi * windings * share;
    points.col(i + 1) = a + (straight + (1.0 - 2.0 * straight) * share) * (b - a) +
                        radius * (std::cos(angle) * e1 + std::sin(angle) * e2);
  }
  return wire_through(points, radius);
}

UnstructuredGrid dashpot(const Vector3d& a, const Vector3d& b, double radius) {
  constexpr double cylinder_end = 0.6, rod_radius = 0.25;  // of the length, and of the radius
  UnstructuredGrid grid = tube(a, a + cylinder_end * (b - a), radius);
  append(grid, tube(a, b, rod_radius * radius));
  return grid;
}

UnstructuredGrid spiral(double radius) {
  constexpr int windings = 3, n = windings * 16;
  MatrixXd points = MatrixXd::Zero(3, n + 1);
  for (int i = 0; i <= n; ++i) {
    const double share = static_cast<double>(i) / n, angle = 2.0 * std::numbers::pi * windings * share;
    points.col(i).head<2>() =
        radius * (0.2 + 0.8 * share) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  }
  return wire_through(points, radius);
}

}  // namespace kurbel
