#include "output/mode_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "output/block_series.hpp"
#include "output/vtk_writer.hpp"

namespace kurbel {

namespace {

/// A mode as displacements of the points (3 x n_points), the largest of them 1.
MatrixXd shape_of(const BodyModes& body, Eigen::Index k) {
  const VectorXd column = body.shapes.col(k);
  const MatrixXd local = column.reshaped(3, body.grid.points.cols());
  const double largest = local.colwise().norm().maxCoeff();
  return body.axes * local / (largest > 0.0 ? largest : 1.0);
}

double size_of(const UnstructuredGrid& grid) {
  return (grid.points.rowwise().maxCoeff() - grid.points.rowwise().minCoeff()).norm();
}

}  // namespace

void write_mode_series(const std::filesystem::path& pvd, const std::vector<BodyModes>& bodies) {
  constexpr int frames = 20;
  constexpr double share_of_size = 0.1;
  BlockSeries series(pvd);
  Eigen::Index n_modes = 0;
  for (const BodyModes& body : bodies) n_modes = std::max(n_modes, body.shapes.cols());
  for (Eigen::Index k = 0; k < n_modes; ++k) {
    std::vector<MatrixXd> shapes;
    for (const BodyModes& body : bodies) {
      MatrixXd still = MatrixXd::Zero(3, body.grid.points.cols());
      shapes.push_back(k < body.shapes.cols()
                           ? MatrixXd(share_of_size * size_of(body.grid) * shape_of(body, k))
                           : std::move(still));
    }
    for (int frame = 0; frame < frames; ++frame) {
      std::vector<NamedBlock> blocks;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const BodyModes& body = bodies[i];
        const MatrixXd moved = std::sin(2.0 * std::numbers::pi * frame / frames) * shapes[i];
        NamedBlock& block = blocks.emplace_back(body.name, body.grid);
        block.grid.points += moved;
        const double hertz = k < body.hertz.size() ? body.hertz[k] : 0.0;
        block.cell_arrays = {{"density", body.density.transpose()},
                             {"hertz", MatrixXd::Constant(1, body.density.size(), hertz), "Hz"}};
        block.point_arrays = {{"mode", moved, "m"}};
      }
      series.add_frame(static_cast<double>(k + 1) + static_cast<double>(frame) / frames, blocks);
    }
  }
}

void write_mode_arrays(const std::filesystem::path& vtu, const BodyModes& body) {
  std::vector<FieldArray> shapes;
  for (Eigen::Index k = 0; k < body.shapes.cols(); ++k)
    shapes.push_back({fmt::format("mode {}, {:.6g} Hz", k + 1, body.hertz[k]), shape_of(body, k)});
  write_vtu(vtu, body.grid, {{"density", body.density.transpose()}}, shapes);
}

}  // namespace kurbel
