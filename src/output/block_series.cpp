#include "output/block_series.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "output/vtk_writer.hpp"

namespace kurbel {
namespace fs = std::filesystem;

BlockSeries::BlockSeries(const fs::path& pvd)
    : folder_(fs::path(pvd).replace_extension()), collection_(pvd) {}

void BlockSeries::add_frame(double time, const std::vector<NamedBlock>& blocks) {
  const std::string stem = folder_.filename().string();
  const std::size_t frame = collection_.entries().size();
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n  <vtkMultiBlockDataSet>\n";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const NamedBlock& block = blocks[i];
    const std::string file = fmt::format("{}_{:05}_{}.vtu", stem, block.moves ? frame : 0, i);
    if (block.moves || frame == 0)
      write_vtu(folder_ / file, block.grid, block.cell_arrays, block.point_arrays, {.animation = true});
    text += fmt::format("    <DataSet index=\"{}\" name=\"{}\" file=\"{}\"/>\n", i, xml_escaped(block.name),
                        file);
  }
  text += "  </vtkMultiBlockDataSet>\n</VTKFile>\n";
  const std::string file = fmt::format("{}_{:05}.vtm", stem, frame);
  write_text_file(folder_ / file, text);
  collection_.add(time, fmt::format("{}/{}", stem, file));
}

}  // namespace kurbel
