#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "fem/cell_grid.hpp"
#include "fem/design_map.hpp"

namespace kurbel::fem {

namespace {

Eigen::SparseMatrix<double, Eigen::RowMajor> identity(Eigen::Index n) {
  Eigen::SparseMatrix<double, Eigen::RowMajor> E(n, n);
  E.setIdentity();
  return E;
}

}  // namespace

Eigen::SparseMatrix<double, Eigen::RowMajor> filter_weights(const Mesh& mesh, double radius) {
  if (!(radius >= 0.0) || !std::isfinite(radius)) {
    throw InputError(fmt::format("filter.radius = {} is not a length", radius));
  }
  const Mesh::Points& centres = mesh.centres();
  const Eigen::Index n = centres.cols();
  if (radius == 0.0) return identity(n);
  // A radius far below the elements' size would only make cells without neighbours.
  const double extent = (centres.rowwise().maxCoeff() - centres.rowwise().minCoeff()).maxCoeff();
  const CellGrid grid(centres, std::max(radius, 1e-6 * extent));
  const double beyond = radius * radius * (1.0 + 1e-12);  // where no weight is positive
  // Row by row: a list of all entries would take several times the memory of the matrix.
  Eigen::SparseMatrix<double, Eigen::RowMajor> H(n, n);
  std::vector<std::pair<int, double>> row;
  for (Eigen::Index e = 0; e < n; ++e) {
    row.clear();
    double sum = 0.0;
    grid.find(centres.col(e), [&](int f) {
      const double squared = (centres.col(e) - centres.col(f)).squaredNorm();
      if (squared > beyond) return false;
      const double relative_volume = mesh.volumes()[f] / mesh.volumes()[0];
      const double w = (radius - std::sqrt(squared)) * relative_volume;
      if (w > 0.0) {
        row.emplace_back(f, w);
        sum += w;
      }
      return false;
    });
    std::ranges::sort(row);
    H.startVec(e);
    for (const auto& [f, w] : row) H.insertBack(e, f) = w / sum;
  }
  H.finalize();
  H.data().squeeze();
  return H;
}

}  // namespace kurbel::fem
