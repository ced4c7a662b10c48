#include "output/motion_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
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
  if (body.second_order.size() != 0 &&
      (body.second_order.rows() != n_rows ||
       body.second_order.cols() != body.shapes.cols() * body.shapes.cols())) {
    throw InputError(fmt::format("motion of {}: second-order shapes are {} x {}; expected {} x {}", body.name,
                                 body.second_order.rows(), body.second_order.cols(), n_rows,
                                 body.shapes.cols() * body.shapes.cols()));
  }
  const auto n_stressed = static_cast<Index>(body.stressed_cells.size());
  if (body.stress.S.size() != 0 &&
      (body.stress.n_points() != n_stressed || body.largest_stress.size() != n_stressed)) {
    throw InputError(fmt::format("motion of {}: stresses at {} points, the largest of {}, for {} cells",
                                 body.name, body.stress.n_points(), body.largest_stress.size(), n_stressed));
  }
}

/// Over all cells, NaN where there is none.
MatrixXd over_cells(const MotionBody& body, const VectorXd& stress) {
  MatrixXd all = MatrixXd::Constant(1, body.grid.n_cells(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < body.stressed_cells.size(); ++i)
    all(0, body.stressed_cells[i]) = stress[static_cast<Index>(i)];
  return all;
}

/// Cells of less density, unless that were all.
std::vector<bool> hidden_cells(const VectorXd& density, double solid_above) {
  if (density.size() == 0 || density.minCoeff() >= solid_above || density.maxCoeff() < solid_above) return {};
  std::vector<bool> hidden(static_cast<std::size_t>(density.size()));
  std::transform(density.begin(), density.end(), hidden.begin(),
                 [&](double rho) { return rho < solid_above; });
  return hidden;
}

/// With what stays the same at every instant.
NamedBlock block_of(const MotionBody& body, double solid_above) {
  NamedBlock block{body.name, body.grid};
  block.grid.hidden = hidden_cells(body.density, solid_above);
  if (body.density.size() > 0) block.cell_arrays.push_back({"density", body.density.transpose()});
  if (body.stress.S.size() > 0) {
    block.cell_arrays.push_back({"von_mises_max", over_cells(body, body.largest_stress), "Pa"});
    block.cell_arrays.push_back({"von_mises", over_cells(body, body.largest_stress), "Pa"});
  }
  if (body.shapes.size() > 0)
    block.point_arrays.push_back({"displacement", MatrixXd::Zero(3, body.grid.points.cols()), "m"});
  return block;
}

}  // namespace

MatrixXd drawn_points(const MotionPose& pose, const MatrixXd& X, const MatrixXd& u, double scale) {
  const Vector3d r = pose.r_rigid + scale * (pose.r - pose.r_rigid);
  const Matrix3d S = pose.S_rigid + scale * (pose.S - pose.S_rigid);
  return (S * X + scale * (pose.S * u)).colwise() + r;
}

MotionWriter::MotionWriter(const std::filesystem::path& pvd, std::vector<MotionBody> bodies,
                           const MotionOptions& options)
    : bodies_(std::move(bodies)), options_(options), series_(pvd) {
  for (const MotionBody& body : bodies_) {
    check(body);
    blocks_.push_back(block_of(body, options.solid_above));
  }
}

void MotionWriter::move(std::size_t i, const MotionPose& pose) {
  const MotionBody& body = bodies_[i];
  NamedBlock& block = blocks_[i];
  if (body.stress.S.size() > 0)
    block.cell_arrays.back().values = over_cells(body, von_mises(body.stress, pose.q));
  MatrixXd u = MatrixXd::Zero(3, body.grid.points.cols());
  if (body.shapes.size() > 0) {
    if (pose.q.size() != body.shapes.cols()) {
      throw InputError(fmt::format("motion of {}: {} elastic coordinates for {} shapes", body.name,
                                   pose.q.size(), body.shapes.cols()));
    }
    u.reshaped() = body.shapes * pose.q;
    if (body.second_order.size() > 0)
      u.reshaped() += 0.5 * (body.second_order * (pose.q * pose.q.transpose()).reshaped());
    block.point_arrays.back().values = pose.S * u;
  }
  block.grid.points = drawn_points(pose, body.grid.points, u, options_.deformation_scale);
}

void MotionWriter::add_frame(double time, const std::vector<MotionPose>& poses,
                             const std::vector<NamedBlock>& others) {
  if (poses.size() != bodies_.size()) {
    throw InputError(fmt::format("motion: {} poses for {} bodies", poses.size(), bodies_.size()));
  }
  blocks_.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) move(i, poses[i]);
  blocks_.insert(blocks_.end(), others.begin(), others.end());
  series_.add_frame(time, blocks_);
}

}  // namespace kurbel
