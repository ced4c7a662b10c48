#include "output/density_surface.hpp"

#include <vtkCellArray.h>
#include <vtkDoubleArray.h>
#include <vtkGeometryFilter.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataNormals.h>
#include <vtkSmartPointer.h>
#include <vtkTableBasedClipDataSet.h>
#include <vtkTriangleFilter.h>
#include <vtkUnstructuredGrid.h>

#include <vector>

namespace kurbel {

namespace {

using Eigen::Index;

/// Calls act(block, corners, value) for every cell.
template <class Act>
void for_each_cell(const MeshField& field, const Act& act) {
  Index cell = 0;
  for (const CellBlock& block : field.grid.cells) {
    for (Index c = 0; c < block.corners.cols(); ++c) act(block, block.corners.col(c), field.values[cell++]);
  }
}

VectorXd means_around_points(const MeshField& density) {
  VectorXd sum = VectorXd::Zero(density.grid.points.cols()), n = sum;
  for_each_cell(density, [&](const CellBlock&, const auto& corners, double value) {
    for (const int node : corners) sum[node] += value, n[node] += 1.0;
  });
  return sum.cwiseQuotient(n.cwiseMax(1.0));
}

/// The cells of which a point has the level, with the means.
vtkSmartPointer<vtkUnstructuredGrid> cells_with(const MeshField& density, double level) {
  const VectorXd means = means_around_points(density);
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  vtkNew<vtkDoubleArray> mean;
  mean->SetName("density");
  for (Index i = 0; i < means.size(); ++i)
    points->InsertNextPoint(density.grid.points.col(i).data()), mean->InsertNextValue(means[i]);
  grid->SetPoints(points);
  grid->GetPointData()->SetScalars(mean);
  for_each_cell(density, [&](const CellBlock& block, const auto& corners, double) {
    if (means(corners.array()).maxCoeff() < level) return;
    const std::vector<vtkIdType> ids(corners.begin(), corners.end());
    grid->InsertNextCell(static_cast<int>(block.kind), static_cast<vtkIdType>(ids.size()), ids.data());
  });
  return grid;
}

}  // namespace

DensitySurface surface_of(const MeshField& density, double level) {
  constexpr double sharp = 50.0;  // degrees
  vtkObject::GlobalWarningDisplayOff();
  vtkNew<vtkTableBasedClipDataSet> clip;
  clip->SetInputData(cells_with(density, level));
  clip->SetValue(level);
  vtkNew<vtkGeometryFilter> skin;
  skin->SetInputConnection(clip->GetOutputPort());
  vtkNew<vtkTriangleFilter> triangles;
  triangles->SetInputConnection(skin->GetOutputPort());
  vtkNew<vtkPolyDataNormals> with_normals;
  with_normals->SetInputConnection(triangles->GetOutputPort());
  with_normals->SetFeatureAngle(sharp);
  with_normals->AutoOrientNormalsOn();
  with_normals->Update();
  vtkPolyData& found = *with_normals->GetOutput();

  DensitySurface out;
  const vtkIdType n = found.GetNumberOfPoints();
  out.points.resize(3, n), out.normals.resize(3, n);
  vtkDataArray* normals = found.GetPointData()->GetNormals();
  for (vtkIdType i = 0; i < n; ++i)
    found.GetPoint(i, out.points.col(i).data()), normals->GetTuple(i, out.normals.col(i).data());
  out.triangles.resize(3, found.GetNumberOfPolys());
  vtkCellArray& polygons = *found.GetPolys();
  for (vtkIdType t = 0; t < out.triangles.cols(); ++t) {
    vtkIdType n_corners = 0;
    const vtkIdType* corners = nullptr;
    polygons.GetCellAtId(t, n_corners, corners);
    for (Index k = 0; k < 3; ++k) out.triangles(k, t) = static_cast<int>(corners[k]);
  }
  return out;
}

}  // namespace kurbel
