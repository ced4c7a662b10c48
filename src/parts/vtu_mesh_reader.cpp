#include "parts/vtu_mesh_reader.hpp"

#include <fmt/format.h>
#include <vtkCellType.h>
#include <vtkCellTypes.h>
#include <vtkGenericCell.h>
#include <vtkNew.h>

#include <numeric>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "parts/vtk_grid.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

class VtuMesh {
 public:
  explicit VtuMesh(const std::filesystem::path& path) : file_(path.string()) {
    vtkObject::GlobalWarningDisplayOff();
    const std::string text = read_text_file(path);
    const bool is_xml = path.extension() == ".vtu" || path.extension() == ".VTU";
    grid_ = is_xml ? read_vtk_xml(text, file_) : read_vtk_legacy(text, file_);
    if (grid_.ends.empty()) fail("it has no elements");
  }

  MeshFile read(double unit) const {
    MeshFile content;
    const auto n_points = static_cast<Index>(grid_.points.size() / 3);
    content.positions = unit * Eigen::Map<const fem::Mesh::Points>(grid_.points.data(), 3, n_points);
    content.tags.resize(static_cast<std::size_t>(n_points));
    std::iota(content.tags.begin(), content.tags.end(), std::size_t{0});
    std::map<std::int64_t, std::vector<std::size_t>> cells_by_type;
    for (std::size_t e = 0; e < grid_.types.size(); ++e) cells_by_type[grid_.types[e]].push_back(e);
    for (auto& [type, cells] : cells_by_type) {
      FileBlock block = block_of(type, cells);
      if (block.dim >= 2) content.blocks.push_back(std::move(block));
    }
    return content;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", file_, what));
  }

  FileBlock block_of(std::int64_t type, const std::vector<std::size_t>& cells) const {
    FileBlock block;
    vtkNew<vtkGenericCell> cell;
    if (type >= 0 && type < VTK_NUMBER_OF_CELL_TYPES) cell->SetCellType(static_cast<int>(type));
    if (cell->GetCellType() != type)
      fail(fmt::format("element {} is of the type {}, which VTK does not have", cells.front(), type));
    block.dim = cell->GetCellDimension();
    block.type = vtkCellTypes::GetClassNameFromTypeId(static_cast<int>(type));
    block.tags = cells;
    block.kind = fem::kind_of_vtk(static_cast<int>(type));
    if (!block.kind) return block;
    const fem::ElementTopology& topology = fem::topology(*block.kind);
    block.type = topology.name, block.n_corners = topology.n_corners;
    block.nodes.resize(topology.n_nodes, static_cast<Index>(cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t e = cells[i];
      const std::int64_t begin = e == 0 ? 0 : grid_.ends[e - 1], n_nodes = grid_.ends[e] - begin;
      if (n_nodes != topology.n_nodes)
        fail(fmt::format("element {} is a {} with {} nodes", e, topology.name, n_nodes));
      for (Index a = 0; a < topology.n_nodes; ++a)
        block.nodes(a, static_cast<Index>(i)) =
            static_cast<int>(grid_.nodes[static_cast<std::size_t>(begin + a)]);
    }
    return block;
  }

  std::string file_;
  VtkGrid grid_;
};

}  // namespace

MeshFile read_vtu_mesh(const std::filesystem::path& path, double unit) {
  return VtuMesh(path).read(unit);
}

}  // namespace kurbel
