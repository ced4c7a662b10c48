#include "output/vtk_writer.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataSetSurfaceFilter.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkFloatArray.h>
#include <vtkIdTypeArray.h>
#include <vtkInformation.h>
#include <vtkInformationStringKey.h>
#include <vtkIntArray.h>
#include <vtkLZ4DataCompressor.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkStringArray.h>
#include <vtkTriangleFilter.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLPolyDataWriter.h>
#include <vtkXMLUnstructuredGridWriter.h>
#include <vtkZLibDataCompressor.h>

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/sealed_file.hpp"

namespace kurbel {
namespace fs = std::filesystem;

namespace {

using Eigen::Index;

template <class Array>
vtkSmartPointer<vtkDataArray> filled_array(const MatrixXd& values) {
  auto array = vtkSmartPointer<Array>::New();
  array->SetNumberOfComponents(static_cast<int>(values.rows()));
  array->SetNumberOfTuples(values.cols());
  std::copy(values.data(), values.data() + values.size(), array->GetPointer(0));
  return array;
}

vtkSmartPointer<vtkDataArray> vtk_array(const MatrixXd& values, const VtuOptions& options) {
  return options.animation ? filled_array<vtkFloatArray>(values) : filled_array<vtkDoubleArray>(values);
}

void set_cells(const UnstructuredGrid& grid, vtkUnstructuredGrid& out, const fs::path& path) {
  vtkNew<vtkIdTypeArray> offsets, connectivity;
  vtkNew<vtkUnsignedCharArray> types;
  vtkIdType end = 0;
  offsets->InsertNextValue(0);
  for (const CellBlock& block : grid.cells) {
    if (block.corners.size() > 0 &&
        (block.corners.minCoeff() < 0 || block.corners.maxCoeff() >= grid.points.cols())) {
      throw InputError(
          fmt::format("cannot write {}: a cell refers to a point that does not exist", path.string()));
    }
    for (Index cell = 0; cell < block.corners.cols(); ++cell) {
      for (Index corner = 0; corner < block.corners.rows(); ++corner) {
        connectivity->InsertNextValue(block.corners(corner, cell));
      }
      offsets->InsertNextValue(end += block.corners.rows());
      types->InsertNextValue(static_cast<unsigned char>(block.kind));
    }
  }
  vtkNew<vtkCellArray> cells;
  cells->SetData(offsets, connectivity);
  out.SetCells(types, cells);
}

void add_arrays(const std::vector<FieldArray>& arrays, Index count, const VtuOptions& options,
                vtkFieldData& out, const fs::path& path) {
  for (const FieldArray& field : arrays) {
    if (field.values.cols() != count) {
      throw InputError(fmt::format("cannot write {}: array '{}' has {} values for {} places", path.string(),
                                   field.name, field.values.cols(), count));
    }
    const vtkSmartPointer<vtkDataArray> array = vtk_array(field.values, options);
    array->SetName(field.name.c_str());
    if (!field.unit.empty()) array->GetInformation()->Set(vtkDataArray::UNITS_LABEL(), field.unit.c_str());
    out.AddArray(array);
  }
}

/// At the lowest level: higher ones take several times as long for a few percent.
vtkSmartPointer<vtkDataCompressor> make_compressor(const VtuOptions& options) {
  vtkSmartPointer<vtkDataCompressor> compressor;
  if (options.animation) {
    compressor = vtkSmartPointer<vtkLZ4DataCompressor>::New();
  } else {
    compressor = vtkSmartPointer<vtkZLibDataCompressor>::New();
  }
  compressor->SetCompressionLevel(1);
  return compressor;
}

/// The points, cells and arrays of a grid.
void fill(vtkUnstructuredGrid& out, const UnstructuredGrid& grid, const std::vector<FieldArray>& cell_arrays,
          const VtuOptions& options, const fs::path& path) {
  vtkNew<vtkPoints> points;
  points->SetData(vtk_array(grid.points, options));
  out.SetPoints(points);
  set_cells(grid, out, path);
  add_arrays(cell_arrays, grid.n_cells(), options, *out.GetCellData(), path);
  if (!cell_arrays.empty() && cell_arrays[0].values.rows() == 1) {
    out.GetCellData()->SetActiveScalars(cell_arrays[0].name.c_str());
  }
}

/// Writes what the writer has as its input.
void write_sealed(vtkXMLWriter& writer, const fs::path& path, const VtuOptions& options) {
  writer.WriteToOutputStringOn();
  writer.SetDataModeToAppended();
  writer.EncodeAppendedDataOff();
  writer.SetCompressor(make_compressor(options));
  writer.SetIdTypeToInt32();
  if (writer.Write() != 1 || writer.GetErrorCode() != vtkErrorCode::NoError) {
    throw WriteError(fmt::format("cannot write {}: {}", path.string(),
                                 vtkErrorCode::GetStringFromErrorCode(writer.GetErrorCode())));
  }
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) throw WriteError(fmt::format("cannot write {}: {}", path.string(), error.message()));
  write_sealed_file(path, writer.GetOutputString());
}

}  // namespace

void write_vtu(const fs::path& path, const UnstructuredGrid& grid, const std::vector<FieldArray>& cell_arrays,
               const std::vector<FieldArray>& point_arrays, const VtuOptions& options) {
  vtkObject::GlobalWarningDisplayOff();
  vtkNew<vtkUnstructuredGrid> out;
  fill(*out, grid, cell_arrays, options, path);
  add_arrays(point_arrays, grid.points.cols(), options, *out->GetPointData(), path);

  if (options.iteration) {
    vtkNew<vtkIntArray> iteration;
    iteration->SetName("iteration");
    iteration->InsertNextValue(*options.iteration);
    out->GetFieldData()->AddArray(iteration);
  }

  if (!options.bodies.empty()) {
    vtkNew<vtkStringArray> bodies;
    bodies->SetName("bodies");
    for (const std::string& name : options.bodies) bodies->InsertNextValue(name);
    out->GetFieldData()->AddArray(bodies);
  }

  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetInputData(out);
  write_sealed(*writer, path, options);
}

void write_vtp(const fs::path& path, const UnstructuredGrid& grid,
               const std::vector<FieldArray>& cell_arrays) {
  constexpr int halvings = 2;  // of the edges of a quadratic face
  vtkObject::GlobalWarningDisplayOff();
  vtkNew<vtkUnstructuredGrid> faces;
  fill(*faces, grid, cell_arrays, {}, path);
  vtkNew<vtkDataSetSurfaceFilter> flat;
  flat->SetInputData(faces);
  flat->SetNonlinearSubdivisionLevel(halvings);
  vtkNew<vtkTriangleFilter> triangles;
  triangles->SetInputConnection(flat->GetOutputPort());
  triangles->Update();
  vtkNew<vtkXMLPolyDataWriter> writer;
  writer->SetInputData(triangles->GetOutput());
  write_sealed(*writer, path, {});
}

}  // namespace kurbel
