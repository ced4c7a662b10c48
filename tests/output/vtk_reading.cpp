#include "tests/output/vtk_reading.hpp"

#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkCompositeDataSet.h>
#include <vtkDataArray.h>
#include <vtkImageData.h>
#include <vtkInformation.h>
#include <vtkInformationStringKey.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLMultiBlockDataReader.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUtilities.h>

namespace kurbel {
namespace {

std::map<std::string, MatrixXd> arrays_of(vtkFieldData* data) {
  std::map<std::string, MatrixXd> arrays;
  for (int a = 0; a < data->GetNumberOfArrays(); ++a) {
    vtkDataArray* array = data->GetArray(a);
    MatrixXd values(array->GetNumberOfComponents(), array->GetNumberOfTuples());
    for (Eigen::Index i = 0; i < values.cols(); ++i) array->GetTuple(i, values.col(i).data());
    arrays[array->GetName()] = values;
  }
  return arrays;
}

std::map<std::string, std::string> units_of(vtkFieldData* data) {
  std::map<std::string, std::string> units;
  for (int a = 0; a < data->GetNumberOfArrays(); ++a) {
    vtkDataArray* array = data->GetArray(a);
    const char* unit = array->GetInformation()->Get(vtkDataArray::UNITS_LABEL());
    if (unit != nullptr) units[array->GetName()] = unit;
  }
  return units;
}

ReadGrid grid_of(vtkDataSet* grid) {
  ReadGrid out;
  out.readable = true;
  out.points.resize(3, grid->GetNumberOfPoints());
  for (Eigen::Index i = 0; i < out.points.cols(); ++i) grid->GetPoint(i, out.points.col(i).data());
  for (vtkIdType c = 0; c < grid->GetNumberOfCells(); ++c) {
    vtkCell* cell = grid->GetCell(c);
    out.cell_types.push_back(cell->GetCellType());
    out.corners.emplace_back();
    for (vtkIdType p = 0; p < cell->GetNumberOfPoints(); ++p) {
      out.corners.back().push_back(static_cast<int>(cell->GetPointId(p)));
    }
  }
  out.cell_arrays = arrays_of(grid->GetCellData());
  out.point_arrays = arrays_of(grid->GetPointData());
  for (int i = 0; i < grid->GetFieldData()->GetNumberOfArrays(); ++i) {
    vtkDataArray* array = grid->GetFieldData()->GetArray(i);
    if (array != nullptr) out.fields[array->GetName()] = array->GetComponent(0, 0);
  }
  out.units = units_of(grid->GetCellData());
  out.units.merge(units_of(grid->GetPointData()));
  return out;
}

}  // namespace

ReadGrid read_grid(const std::filesystem::path& path) {
  const auto read = [&](auto& reader) {
    reader.SetFileName(path.c_str());
    reader.Update();
    ReadGrid out = grid_of(reader.GetOutput());
    out.readable = reader.GetErrorCode() == 0;
    return out;
  };
  if (path.extension() == ".vtp") return read(*vtkSmartPointer<vtkXMLPolyDataReader>::New());
  return read(*vtkSmartPointer<vtkXMLUnstructuredGridReader>::New());
}

ReadBlocks read_blocks(const std::filesystem::path& path) {
  vtkNew<vtkXMLMultiBlockDataReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  auto* all = vtkMultiBlockDataSet::SafeDownCast(reader->GetOutput());
  ReadBlocks blocks;
  for (unsigned i = 0; i < all->GetNumberOfBlocks(); ++i) {
    blocks.emplace_back(all->GetMetaData(i)->Get(vtkCompositeDataSet::NAME()),
                        grid_of(vtkUnstructuredGrid::SafeDownCast(all->GetBlock(i))));
  }
  return blocks;
}

const ReadGrid& block(const ReadBlocks& blocks, const std::string& name) {
  for (const auto& [own, grid] : blocks) {
    if (own == name) return grid;
  }
  throw std::out_of_range("no block " + name);
}

ReadImage read_png(const std::filesystem::path& path) {
  vtkNew<vtkPNGReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  vtkImageData* image = reader->GetOutput();
  int size[3];
  image->GetDimensions(size);
  ReadImage out{size[0], size[1], {}};
  for (int y = 0; y < size[1]; ++y) {
    for (int x = 0; x < size[0]; ++x) {
      const auto* pixel = static_cast<const unsigned char*>(image->GetScalarPointer(x, y, 0));
      out.pixels.push_back({pixel[0], pixel[1], pixel[2]});
    }
  }
  return out;
}

std::vector<std::pair<double, std::string>> read_pvd(const std::filesystem::path& path) {
  const auto root =
      vtkSmartPointer<vtkXMLDataElement>::Take(vtkXMLUtilities::ReadElementFromFile(path.c_str()));
  std::vector<std::pair<double, std::string>> entries;
  if (!root || root->GetNumberOfNestedElements() != 1) return entries;
  vtkXMLDataElement* collection = root->GetNestedElement(0);
  for (int i = 0; i < collection->GetNumberOfNestedElements(); ++i) {
    vtkXMLDataElement* element = collection->GetNestedElement(i);
    double time = 0.0;
    element->GetScalarAttribute("timestep", time);
    entries.emplace_back(time, element->GetAttribute("file"));
  }
  return entries;
}

}  // namespace kurbel
