#include "output/vtu_series.hpp"

#include <fmt/format.h>

#include <string>

namespace kurbel {
namespace fs = std::filesystem;

VtuSeries::VtuSeries(const fs::path& pvd) : folder_(fs::path(pvd).replace_extension()), collection_(pvd) {}

void VtuSeries::add_frame(double time, const UnstructuredGrid& grid,
                          const std::vector<FieldArray>& cell_arrays,
                          const std::vector<FieldArray>& point_arrays) {
  const std::string stem = folder_.filename().string();
  const std::string file = fmt::format("{}/{}_{:05}.vtu", stem, stem, collection_.entries().size());
  write_vtu(folder_.parent_path() / file, grid, cell_arrays, point_arrays, {.animation = true});
  collection_.add(time, file);
}

}  // namespace kurbel
