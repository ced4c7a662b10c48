#include "input/vtu_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkErrorCode.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkStringArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "base/sealed_file.hpp"

namespace kurbel {
namespace fs = std::filesystem;

using Eigen::Index;

namespace {

std::vector<std::string> array_names(vtkFieldData& data) {
  std::vector<std::string> names;
  for (int i = 0; i < data.GetNumberOfArrays(); ++i) names.emplace_back(data.GetArrayName(i));
  return names;
}

std::vector<std::string> texts_in(vtkFieldData& data, const std::string& name) {
  std::vector<std::string> texts;
  if (auto* array = vtkStringArray::SafeDownCast(data.GetAbstractArray(name.c_str()))) {
    for (vtkIdType i = 0; i < array->GetNumberOfValues(); ++i) texts.push_back(array->GetValue(i));
  }
  return texts;
}

/// Values of a cell array of one component; nothing if there is none of this name.
std::optional<VectorXd> values_in(vtkUnstructuredGrid& grid, const std::string& name) {
  vtkDataArray* array = grid.GetCellData()->GetArray(name.c_str());
  if (array == nullptr || array->GetNumberOfComponents() != 1) return {};
  VectorXd values(array->GetNumberOfTuples());
  for (Index i = 0; i < values.size(); ++i) values[i] = array->GetComponent(i, 0);
  return values;
}

}  // namespace

VtuCells read_vtu_cells(const fs::path& path, const VtuQuery& query) {
  vtkObject::GlobalWarningDisplayOff();
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->ReadFromInputStringOn();
  reader->SetInputString(read_sealed_file(path, {"a .vtu file", "<VTKFile type=\"UnstructuredGrid\""}));
  reader->Update();
  vtkUnstructuredGrid& grid = *reader->GetOutput();
  if (reader->GetErrorCode() != vtkErrorCode::NoError) {
    throw InputError(fmt::format("cannot read {}: {}", path.string(),
                                 vtkErrorCode::GetStringFromErrorCode(reader->GetErrorCode())));
  }
  VtuCells cells;
  cells.texts = texts_in(*grid.GetFieldData(), query.texts);
  std::vector<std::string> wanted = query.other_arrays;
  wanted.push_back(query.array);
  for (const std::string& name : wanted) {
    if (std::optional<VectorXd> values = values_in(grid, name)) cells.arrays[name] = std::move(*values);
  }
  if (!cells.arrays.contains(query.array)) {
    const std::vector<std::string> names = array_names(*grid.GetCellData());
    throw InputError(fmt::format("{}: no cell array '{}' with one component; the file has: {}", path.string(),
                                 query.array,
                                 names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  return cells;
}

}  // namespace kurbel
