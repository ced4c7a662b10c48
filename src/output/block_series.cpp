#include "output/block_series.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "output/vtk_writer.hpp"

namespace kurbel {
namespace fs = std::filesystem;

namespace {

void write_block(const fs::path& path, const NamedBlock& block) {
  write_vtu(path, block.grid, block.cell_arrays, block.point_arrays, {.animation = true});
}

/// @param files  of the blocks, in the folder of the .vtm
void write_vtm(const fs::path& path, const std::vector<NamedBlock>& blocks,
               const std::vector<std::string>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n  <vtkMultiBlockDataSet>\n";
  for (std::size_t i = 0; i < blocks.size(); ++i)
    text += fmt::format("    <DataSet index=\"{}\" name=\"{}\" file=\"{}\"/>\n", i,
                        xml_escaped(blocks[i].name), files[i]);
  text += "  </vtkMultiBlockDataSet>\n</VTKFile>\n";
  write_text_file(path, text);
}

}  // namespace

void write_blocks(const fs::path& vtm, const std::vector<NamedBlock>& blocks) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    files.push_back(fmt::format("{}_{}.vtu", vtm.stem().string(), i));
    write_block(vtm.parent_path() / files.back(), blocks[i]);
  }
  write_vtm(vtm, blocks, files);
}

BlockSeries::BlockSeries(const fs::path& pvd)
    : folder_(fs::path(pvd).replace_extension()), collection_(pvd) {}

void BlockSeries::add_frame(double time, const std::vector<NamedBlock>& blocks) {
  const std::string stem = folder_.filename().string();
  const std::size_t frame = collection_.entries().size();
  std::vector<std::string> files;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool moves = blocks[i].moves;
    files.push_back(fmt::format("{}_{:05}_{}.vtu", stem, moves ? frame : 0, i));
    if (moves || frame == 0) write_block(folder_ / files.back(), blocks[i]);
  }
  const std::string file = fmt::format("{}_{:05}.vtm", stem, frame);
  write_vtm(folder_ / file, blocks, files);
  collection_.add(time, fmt::format("{}/{}", stem, file));
}

}  // namespace kurbel
