#include "output/motion_writer.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/errors.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

void check(const MotionBody& body) {
  const Index n_cells = body.grid.n_cells(), n_rows = 3 * body.grid.points.cols();
  if (body.density.size() != 0 && body.density.size() != n_cells) {
    throw InputError(
        fmt::format("motion of {}: {} densities for {} cells", body.name, body.density.size(), n_cells));
  }
  if (body.shapes.size() != 0 && body.shapes.rows() != n_rows) {
    throw InputError(
        fmt::format("motion of {}: shapes have {} rows; expected {}", body.name, body.shapes.rows(), n_rows));
  }
  if (body.stress.S.size() != 0 &&
      (body.stress.n_points() != n_cells || body.largest_stress.size() != n_cells)) {
    throw InputError(fmt::format("motion of {}: stresses at {} points, the largest of {}, for {} cells",
                                 body.name, body.stress.n_points(), body.largest_stress.size(), n_cells));
  }
}

}  // namespace

MotionBody line_body(const std::string& name, const MatrixXd& markers) {
  MotionBody body{name, {markers, {}}, {}, {}};
  if (markers.cols() == 1) {
    body.grid.points.resize(3, 2);
    body.grid.points << Vector3d::Zero(), markers;
  }
  const Index n_lines = std::max<Index>(0, body.grid.points.cols() - 1);
  CellBlock lines{CellBlock::Kind::line, Eigen::MatrixXi(2, n_lines)};
  for (int i = 0; i < n_lines; ++i) lines.corners.col(i) << i, i + 1;
  body.grid.cells.push_back(std::move(lines));
  return body;
}

MotionWriter::MotionWriter(const std::filesystem::path& pvd, std::vector<MotionBody> bodies,
                           const MotionOptions& options)
    : bodies_(std::move(bodies)), options_(options), series_(pvd) {
  Index n_points = 0, n_cells = 0;
  for (const MotionBody& body : bodies_) {
    check(body);
    for (CellBlock block : body.grid.cells) {
      block.corners.array() += static_cast<int>(n_points);
      grid_.cells.push_back(std::move(block));
    }
    n_points += body.grid.points.cols();
    n_cells += body.grid.n_cells();
    has_stress_ = has_stress_ || body.stress.S.size() > 0;
  }
  grid_.points.resize(3, n_points);
  displacement_ = {"displacement", MatrixXd::Zero(3, n_points)};
  cell_arrays_ = {{"density", MatrixXd::Ones(1, n_cells)}, {"body", MatrixXd::Zero(1, n_cells)}};
  if (has_stress_) {
    for (const char* name : {"von_mises_max", "von_mises"})
      cell_arrays_.push_back({name, MatrixXd::Zero(1, n_cells)});
  }
  Index cell = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Index n = bodies_[i].grid.n_cells();
    if (bodies_[i].stress.S.size() > 0)
      cell_arrays_[2].values.middleCols(cell, n) = bodies_[i].largest_stress.transpose();
    if (bodies_[i].density.size() > 0)
      cell_arrays_[0].values.middleCols(cell, n) = bodies_[i].density.transpose();
    cell_arrays_[1].values.middleCols(cell, n).setConstant(static_cast<double>(i));
    cell += n;
  }
}

void MotionWriter::add_frame(double time, const std::vector<MotionPose>& poses) {
  if (poses.size() != bodies_.size()) {
    throw InputError(fmt::format("motion: {} poses for {} bodies", poses.size(), bodies_.size()));
  }
  Index point = 0, cell = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const MotionBody& body = bodies_[i];
    const MotionPose& pose = poses[i];
    if (body.stress.S.size() > 0) {
      cell_arrays_.back().values.middleCols(cell, body.grid.n_cells()) =
          von_mises(body.stress, pose.q).transpose();
    }
    cell += body.grid.n_cells();
    const Index n = body.grid.points.cols();
    auto points = grid_.points.middleCols(point, n);
    auto displacement = displacement_.values.middleCols(point, n);
    points = body.grid.points;
    if (body.shapes.size() > 0) {
      if (pose.q.size() != body.shapes.cols()) {
        throw InputError(fmt::format("motion of {}: {} elastic coordinates for {} shapes", body.name,
                                     pose.q.size(), body.shapes.cols()));
      }
      const VectorXd u = body.shapes * pose.q;
      const Eigen::Map<const MatrixXd> u_points(u.data(), 3, n);
      points += options_.deformation_scale * u_points;
      displacement = pose.S * u_points;
    }
    points = ((pose.S * points).colwise() + pose.r).eval();
    point += n;
  }
  series_.add_frame(time, grid_, cell_arrays_, {displacement_});
}

}  // namespace kurbel
