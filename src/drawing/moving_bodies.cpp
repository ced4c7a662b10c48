#include "drawing/moving_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// The largest of the points in each cell, NaN where there is none.
MatrixXd over_cells(const MotionBody& body, const VectorXd& stress) {
  MatrixXd all = MatrixXd::Constant(1, body.grid.n_cells(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < body.stressed_cells.size(); ++i)
    all(0, body.stressed_cells[i]) = std::fmax(all(0, body.stressed_cells[i]), stress[static_cast<Index>(i)]);
  return all;
}

/// The number of each entry among those that are kept, or -1 if it is not kept.
std::vector<int> numbers_of(const std::vector<bool>& kept) {
  std::vector<int> numbers(kept.size(), -1);
  int n = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) numbers[i] = n++;
  }
  return numbers;
}

std::vector<Index> kept_places(const std::vector<int>& numbers) {
  std::vector<Index> places;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= 0) places.push_back(static_cast<Index>(i));
  }
  return places;
}

/// With what stays the same at every instant.
NamedBlock block_of(const MotionBody& body) {
  NamedBlock block{body.name, body.grid};
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

MotionBody solid_part(const MotionBody& body, double solid_above) {
  if (body.density.size() == 0 || body.density.minCoeff() >= solid_above) return body;
  if (body.density.maxCoeff() < solid_above) return body;
  std::vector<bool> solid(static_cast<std::size_t>(body.density.size()));
  std::transform(body.density.begin(), body.density.end(), solid.begin(),
                 [&](double rho) { return rho >= solid_above; });
  const std::vector<int> cells = numbers_of(solid);
  std::vector<bool> used(static_cast<std::size_t>(body.grid.points.cols()), false);
  MotionBody part{body.name, {}};
  part.density = body.density(kept_places(cells));
  std::size_t cell = 0;
  for (const CellBlock& block : body.grid.cells) {
    std::vector<Index> columns;
    for (Index c = 0; c < block.corners.cols(); ++c) {
      if (cells[cell++] < 0) continue;
      columns.push_back(c);
      for (const int point : block.corners.col(c)) used[static_cast<std::size_t>(point)] = true;
    }
    part.grid.cells.push_back({block.kind, block.corners(Eigen::all, columns)});
  }
  const std::vector<int> points = numbers_of(used);
  for (CellBlock& block : part.grid.cells)
    block.corners =
        block.corners.unaryExpr([&](int point) { return points[static_cast<std::size_t>(point)]; });
  std::vector<Index> rows;
  for (const Index point : kept_places(points)) {
    for (Index d = 0; d < 3; ++d) rows.push_back(3 * point + d);
  }
  part.grid.points = body.grid.points(Eigen::all, kept_places(points));
  if (body.shapes.size() > 0) part.shapes = body.shapes(rows, Eigen::all);
  if (body.second_order.size() > 0) part.second_order = body.second_order(rows, Eigen::all);
  if (body.stress.S.size() == 0) return part;
  const Index n_stressed = body.stress.n_points();
  std::vector<Index> stressed, stress_rows;
  for (Index i = 0; i < n_stressed; ++i) {
    const int number = cells[static_cast<std::size_t>(body.stressed_cells[static_cast<std::size_t>(i)])];
    if (number < 0) continue;
    stressed.push_back(i);
    part.stressed_cells.push_back(number);
  }
  for (Index c = 0; c < body.stress.n_components; ++c) {
    for (const Index i : stressed) stress_rows.push_back(c * n_stressed + i);
  }
  part.stress = {body.stress.n_components, body.stress.S(stress_rows, Eigen::all)};
  part.largest_stress = body.largest_stress(stressed);
  return part;
}

MatrixXd drawn_points(const MotionPose& pose, const MatrixXd& X, const MatrixXd& u, double scale) {
  const Vector3d r = pose.r_rigid + scale * (pose.r - pose.r_rigid);
  const Matrix3d S = pose.S_rigid + scale * (pose.S - pose.S_rigid);
  return (S * X + scale * (pose.S * u)).colwise() + r;
}

MovingBodies::MovingBodies(std::vector<MotionBody> bodies, const MotionOptions& options)
    : bodies_(std::move(bodies)), options_(options) {
  for (MotionBody& body : bodies_) {
    check(body);
    body = solid_part(body, options.solid_above);
    blocks_.push_back(block_of(body));
  }
}

void MovingBodies::move(std::size_t i, const MotionPose& pose) {
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

const std::vector<NamedBlock>& MovingBodies::at(const std::vector<MotionPose>& poses,
                                                std::vector<NamedBlock> others) {
  if (poses.size() != bodies_.size()) {
    throw InputError(fmt::format("motion: {} poses for {} bodies", poses.size(), bodies_.size()));
  }
  blocks_.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) move(i, poses[i]);
  std::move(others.begin(), others.end(), std::back_inserter(blocks_));
  return blocks_;
}

}  // namespace kurbel
