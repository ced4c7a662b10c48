#include <cmath>

#include "formulation/absolute_motion.hpp"
#include "output/vtu_series.hpp"

namespace kurbel {

namespace {

/// Quadrilaterals along an element and across its height, for drawing.
constexpr Eigen::Index cells_along = 8, cells_across = 2;
constexpr Eigen::Index points_per_element = (cells_along + 1) * (cells_across + 1);

double along(Eigen::Index point) {
  return static_cast<double>(point / (cells_across + 1)) / static_cast<double>(cells_along);
}

double across(Eigen::Index point) {
  return static_cast<double>(point % (cells_across + 1)) / static_cast<double>(cells_across) - 0.5;
}

/// The cells of beams, then of springs.
UnstructuredGrid empty_grid(std::size_t n_elements, std::size_t n_springs) {
  const auto n_e = static_cast<Eigen::Index>(n_elements), n_s = static_cast<Eigen::Index>(n_springs);
  UnstructuredGrid grid;
  grid.points.setZero(3, n_e * points_per_element + 2 * n_s);
  CellBlock beams{CellBlock::Kind::quadrilateral, Eigen::MatrixXi(4, n_e * cells_along * cells_across)};
  Eigen::Index cell = 0;
  for (Eigen::Index e = 0; e < n_e; ++e) {
    for (Eigen::Index i = 0; i < cells_along; ++i) {
      for (Eigen::Index j = 0; j < cells_across; ++j) {
        const auto first = static_cast<int>(e * points_per_element + i * (cells_across + 1) + j);
        const auto next = first + static_cast<int>(cells_across) + 1;
        beams.corners.col(cell++) << first, next, next + 1, first + 1;
      }
    }
  }
  CellBlock springs{CellBlock::Kind::line, Eigen::MatrixXi(2, n_s)};
  for (Eigen::Index s = 0; s < n_s; ++s) {
    const auto first = static_cast<int>(n_e * points_per_element + 2 * s);
    springs.corners.col(s) << first, first + 1;
  }
  for (CellBlock* block : {&beams, &springs}) {
    if (block->corners.cols() > 0) grid.cells.push_back(std::move(*block));
  }
  return grid;
}

}  // namespace

/// Beams with their equivalent stress (point array `stress`, N/m^2), and springs as lines.
void AbsoluteMotion::draw(const std::filesystem::path& pvd, const Trajectory<double>& trajectory,
                          std::vector<std::optional<MotionBody>>) const {
  const absolute::Assembly<double>& assembly = model().assembly();
  UnstructuredGrid grid = empty_grid(assembly.beam_elements.size(), assembly.springs.size());
  if (grid.points.cols() == 0) return;
  FieldArray stress{"stress", MatrixXd::Zero(1, grid.points.cols())};
  VtuSeries series(pvd);
  const Eigen::Index n = trajectory.n_stored;
  const auto frames = std::min<Eigen::Index>(n, problem_.output.motion_frames);
  VectorXd q(12), v(12), xi(6), q_spring(6), v_spring(6), sigma(1);
  const VectorXd none;
  for (Eigen::Index frame = 0; frame < frames; ++frame) {
    const Eigen::Index k = frames > 1 ? frame * (n - 1) / (frames - 1) : 0;
    const auto column = trajectory.y.col(k);
    const Eigen::Index n_q = assembly.system->n_q();
    const auto q_now = column.head(n_q), v_now = column.tail(n_q);
    Eigen::Index point = 0;
    for (const absolute::BeamElement& element : assembly.beam_elements) {
      assembly.system->gather(element.binding, q_now, v_now, q, v);
      assembly.system->gather_parameters(element.binding, xi);
      for (Eigen::Index i = 0; i < points_per_element; ++i, ++point) {
        grid.points.col(point).head<2>() = ancf_position(q, along(i), across(i), xi[1], xi[2]);
        const AncfStress<double> function(along(i), across(i),
                                          problem_.absolute.beams[element.beam].coupling);
        function.value({q, v, none, xi}, sigma);
        stress.values(0, point) = sigma[0];
      }
    }
    for (const Binding& spring : assembly.springs) {
      assembly.system->gather(spring, q_now, v_now, q_spring, v_spring);
      grid.points.col(point++) = q_spring.tail<3>();
      grid.points.col(point++) = q_spring.head<3>();
    }
    series.add_frame(trajectory.t[k], grid, {}, {stress});
  }
}

}  // namespace kurbel
