#include "output/surface_writer.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSTLWriter.h>

#include "base/files.hpp"

namespace kurbel {

void write_stl(const std::filesystem::path& path, const Surface& surface, double per_metre) {
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  for (const auto& point : surface.points.colwise()) {
    const Vector3d scaled = per_metre * point;
    points->InsertNextPoint(scaled.data());
  }
  vtkNew<vtkCellArray> triangles;
  for (const auto& triangle : surface.triangles.colwise()) {
    triangles->InsertNextCell(3);
    for (const int corner : triangle) triangles->InsertCellPoint(corner);
  }
  vtkNew<vtkPolyData> mesh;
  mesh->SetPoints(points);
  mesh->SetPolys(triangles);
  AtomicFile file(path);
  vtkNew<vtkSTLWriter> writer;
  writer->SetFileName(file.temporary().c_str());
  writer->SetFileTypeToBinary();
  writer->SetInputData(mesh);
  if (writer->Write() == 0) throw WriteError(fmt::format("cannot write {}", path.string()));
  file.commit();
}

}  // namespace kurbel
