#include "output/shown_surface.hpp"

#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataNormals.h>

namespace kurbel {

using Eigen::Index;

ShownSurface with_normals(const Surface& surface) {
  constexpr double sharp = 50.0;  // degrees
  vtkObject::GlobalWarningDisplayOff();
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (const auto& point : surface.points.colwise()) points->InsertNextPoint(point.data());
  vtkNew<vtkCellArray> triangles;
  for (const auto& corners : surface.triangles.colwise()) {
    const vtkIdType ids[] = {corners[0], corners[1], corners[2]};
    triangles->InsertNextCell(3, ids);
  }
  vtkNew<vtkPolyData> all;
  all->SetPoints(points), all->SetPolys(triangles);
  vtkNew<vtkPolyDataNormals> normals_of;
  normals_of->SetInputData(all);
  normals_of->SetFeatureAngle(sharp);
  normals_of->ConsistencyOff();
  normals_of->Update();
  vtkPolyData& found = *normals_of->GetOutput();

  ShownSurface out;
  const vtkIdType n = found.GetNumberOfPoints();
  out.points.resize(3, n), out.normals.resize(3, n);
  vtkDataArray* normals = found.GetPointData()->GetNormals();
  for (vtkIdType i = 0; i < n; ++i)
    found.GetPoint(i, out.points.col(i).data()), normals->GetTuple(i, out.normals.col(i).data());
  out.triangles.resize(3, found.GetNumberOfPolys());
  for (vtkIdType t = 0; t < out.triangles.cols(); ++t) {
    vtkIdType n_corners = 0;
    const vtkIdType* corners = nullptr;
    found.GetPolys()->GetCellAtId(t, n_corners, corners);
    for (Index k = 0; k < 3; ++k) out.triangles(k, t) = static_cast<int>(corners[k]);
  }
  return out;
}

}  // namespace kurbel
