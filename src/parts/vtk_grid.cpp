#include "parts/vtk_grid.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace kurbel {

void require_consistent(const VtkGrid& grid, std::size_t first_element, const std::string& file) {
  const auto fail = [&](const std::string& what) { throw InputError(fmt::format("{}: {}", file, what)); };
  if (grid.types.size() != grid.ends.size()) fail("it has not one type for each element");
  const auto n_points = static_cast<std::int64_t>(grid.points.size() / 3);
  const auto n_nodes = static_cast<std::int64_t>(grid.nodes.size());
  std::int64_t begin = 0;
  for (std::size_t e = 0; e < grid.ends.size(); ++e) {
    const std::int64_t end = grid.ends[e];
    if (end < begin || end > n_nodes)
      fail(fmt::format("element {} ends at the place {} of the list of nodes, which is not in {} to {}",
                       first_element + e, end, begin, n_nodes));
    for (; begin < end; ++begin) {
      const std::int64_t node = grid.nodes[static_cast<std::size_t>(begin)];
      if (node < 0 || node >= n_points)
        fail(fmt::format("element {} has the node {}, which does not exist", first_element + e, node));
    }
  }
  if (begin != n_nodes) fail(fmt::format("the last {} nodes belong to no element", n_nodes - begin));
}

}  // namespace kurbel
