#include "parts/vtu_mesh_reader.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellType.h>
#include <vtkCellTypes.h>
#include <vtkErrorCode.h>
#include <vtkGenericCell.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkSmartPointer.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <map>
#include <numeric>

#include "base/errors.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using fem::ElementKind;

/// Kinds of elements by VTK's numbers; their nodes are in VTK's order.
const std::map<int, ElementKind>& vtk_kinds() {
  static const std::map<int, ElementKind> types = {{VTK_TRIANGLE, ElementKind::tri3},
                                                   {VTK_QUAD, ElementKind::quad4},
                                                   {VTK_TETRA, ElementKind::tet4},
                                                   {VTK_HEXAHEDRON, ElementKind::hex8},
                                                   {VTK_WEDGE, ElementKind::wedge6},
                                                   {VTK_PYRAMID, ElementKind::pyramid5},
                                                   {VTK_QUADRATIC_TRIANGLE, ElementKind::tri6},
                                                   {VTK_QUADRATIC_QUAD, ElementKind::quad8},
                                                   {VTK_QUADRATIC_TETRA, ElementKind::tet10},
                                                   {VTK_QUADRATIC_HEXAHEDRON, ElementKind::hex20}};
  return types;
}

class VtuMesh {
 public:
  explicit VtuMesh(const std::filesystem::path& path) : path_(path) {
    vtkObject::GlobalWarningDisplayOff();
    if (path.extension() == ".vtu" || path.extension() == ".VTU") {
      const vtkNew<vtkXMLUnstructuredGridReader> reader;
      take_grid(*reader, [&] { return reader->CanReadFile(path.c_str()) != 0; });
    } else {
      const vtkNew<vtkUnstructuredGridReader> reader;
      take_grid(*reader, [&] { return reader->IsFileUnstructuredGrid() != 0; });
    }
  }

  MeshFile read(double unit) {
    MeshFile content;
    vtkPoints& points = *grid().GetPoints();
    content.positions.resize(3, points.GetNumberOfPoints());
    for (vtkIdType i = 0; i < points.GetNumberOfPoints(); ++i)
      points.GetPoint(i, content.positions.col(i).data());
    content.positions *= unit;
    content.tags.resize(static_cast<std::size_t>(points.GetNumberOfPoints()));
    std::iota(content.tags.begin(), content.tags.end(), std::size_t{0});
    for (const auto& [type, cells] : cells_by_type()) {
      FileBlock block = block_of(type, cells);
      if (block.dim >= 2) content.blocks.push_back(std::move(block));
    }
    return content;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", path_.string(), what));
  }
  template <class Reader, class IsOfKind>
  void take_grid(Reader& reader, const IsOfKind& is_of_kind) {
    reader.SetFileName(path_.c_str());
    if (!is_of_kind()) fail("it is no VTK file of an unstructured grid");
    reader.Update();
    grid_ = reader.GetOutput();
    if (reader.GetErrorCode() != vtkErrorCode::NoError || !grid_ || !grid_->GetPoints() ||
        grid_->GetNumberOfCells() == 0)
      fail("it is damaged or cut off, or has no elements");
  }
  vtkUnstructuredGrid& grid() { return *grid_; }

  std::map<int, std::vector<vtkIdType>> cells_by_type() {
    std::map<int, std::vector<vtkIdType>> cells;
    vtkUnsignedCharArray* types = grid().GetCellTypesArray();
    if (!types || types->GetNumberOfValues() != grid().GetCells()->GetNumberOfCells())
      fail("it has not one type for each element");
    for (vtkIdType i = 0; i < types->GetNumberOfValues(); ++i) cells[types->GetValue(i)].push_back(i);
    return cells;
  }

  FileBlock block_of(int type, const std::vector<vtkIdType>& cells) {
    FileBlock block;
    vtkNew<vtkGenericCell> cell;
    cell->SetCellType(type);
    block.dim = cell->GetCellDimension();
    block.type = vtkCellTypes::GetClassNameFromTypeId(type);
    block.tags.assign(cells.begin(), cells.end());
    const auto known = vtk_kinds().find(type);
    if (known == vtk_kinds().end()) return block;
    block.kind = known->second;
    const fem::ElementTopology& topology = fem::topology(known->second);
    block.type = topology.name, block.n_corners = topology.n_corners;
    block.nodes.resize(topology.n_nodes, static_cast<Index>(cells.size()));
    vtkNew<vtkIdList> nodes;
    for (std::size_t e = 0; e < cells.size(); ++e) {
      grid().GetCells()->GetCellAtId(cells[e], nodes);
      if (nodes->GetNumberOfIds() != topology.n_nodes)
        fail(fmt::format("element {} is a {} with {} nodes", cells[e], topology.name,
                         nodes->GetNumberOfIds()));
      for (Index a = 0; a < topology.n_nodes; ++a) {
        const vtkIdType node = nodes->GetId(a);
        if (node < 0 || node >= grid().GetNumberOfPoints())
          fail(fmt::format("element {} has the node {}, which does not exist", cells[e], node));
        block.nodes(a, static_cast<Index>(e)) = static_cast<int>(node);
      }
    }
    return block;
  }

  std::filesystem::path path_;
  vtkSmartPointer<vtkUnstructuredGrid> grid_;
};

}  // namespace

MeshFile read_vtu_mesh(const std::filesystem::path& path, double unit) {
  return VtuMesh(path).read(unit);
}

}  // namespace kurbel
