#include "floating_frame/joint_constraints.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/orthogonal.hpp"

namespace kurbel {

namespace {

double length_of(const SystemSpec& spec) {
  double length = 0.0;
  for (const BodySpec& body : spec.bodies) {
    for (const SidNode& node : body.sid.frame) length = std::max(length, node.origin.M0.norm());
    if (body.sid.refmod.mass > 0.0) {
      const double square = 0.5 * body.sid.J.M0.trace() / body.sid.refmod.mass;
      length = std::max(length, std::sqrt(std::max(0.0, square)));
    }
  }
  for (const BeamSpec& beam : spec.beams) {
    for (const Vector3d& place : {beam.end, beam.through.value_or(beam.end)})
      length = std::max(length, (place - beam.start).norm());
  }
  return length > 0.0 ? length : 1.0;
}

bool is_driven(const JointSpec& joint, RelativeDof dof) {
  return std::ranges::any_of(joint.drives, [&](const DriveSpec& drive) { return drive.dof == dof; });
}

}  // namespace

MatrixXd ConstraintsAt::unit_rows() const {
  MatrixXd rows = C;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) rows.row(i).normalize();
  return rows;
}

JointConstraints::JointConstraints(const SystemSpec& spec, double t)
    : system_(spec), ws_(system_.make_workspace()), t_(t), length_(length_of(spec)) {
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    for (const RelativeDof dof : system_.joint_rows(spec.joints[j].name).dofs)
      rows_.push_back({j, dof, is_driven(spec.joints[j], dof)});
  }
  row_scale_ = VectorXd::Ones(size());
  for (Eigen::Index i = 0; i < size(); ++i) {
    if (!is_rotation(row(i).dof)) row_scale_[i] = 1.0 / length_;
  }
  scale_ = VectorXd::Ones(system_.n_v());
  for (std::size_t b = 0; b < system_.n_bodies(); ++b) {
    const Eigen::Index o = system_.v_offset(b);
    scale_.segment<3>(o).setConstant(length_);
    const Sid& sid = system_.spec().bodies[b].sid;
    const VectorXd mass = sid.Me.M0.diagonal();
    for (Eigen::Index k = 0; k < system_.n_q(b); ++k) {
      const double ratio = sid.refmod.mass / mass[k];
      scale_[o + 6 + k] = std::isfinite(ratio) && ratio > 0.0 ? length_ * std::sqrt(ratio) : 1.0;
    }
  }
}

std::vector<Eigen::Index> JointConstraints::all() const {
  std::vector<Eigen::Index> rows(rows_.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::vector<Eigen::Index> JointConstraints::locked() const {
  std::vector<Eigen::Index> rows = all();
  std::erase_if(rows, [&](Eigen::Index i) { return row(i).is_driven; });
  std::ranges::stable_partition(rows, [&](Eigen::Index i) { return !is_rotation(row(i).dof); });
  return rows;
}

std::array<std::vector<Eigen::Index>, 3> JointConstraints::by_preference(
    const std::vector<std::string>& first) const {
  std::array<std::vector<Eigen::Index>, 3> rows;
  for (const Eigen::Index i : locked()) {
    const std::string& name = system_.spec().joints[row(i).joint].name;
    rows[std::ranges::count(first, name) > 0 ? 0 : 1].push_back(i);
  }
  for (const Eigen::Index i : all()) {
    if (row(i).is_driven) rows[2].push_back(i);
  }
  return rows;
}

VectorXd JointConstraints::given() const {
  VectorXd x(system_.n_x()), v(system_.n_v());
  system_.given_initial_state(x, v);
  return x;
}

ConstraintsAt JointConstraints::at(double t, const VectorXd& x) const {
  const VectorXd rest = VectorXd::Zero(system_.n_v()), no_lambda = VectorXd::Zero(size());
  ConstraintDerivatives<double> d;
  system_.constraint_derivatives({t, x, rest, rest, no_lambda}, *ws_, d);
  return {row_scale_.cwiseProduct(d.c0), row_scale_.asDiagonal() * d.C * scale_.asDiagonal()};
}

VectorXd JointConstraints::moved(const VectorXd& x, const VectorXd& w) const {
  VectorXd next(x.size());
  system_.retract(x, scale_.cwiseProduct(w), next);
  return next;
}

std::optional<VectorXd> JointConstraints::assemble(const VectorXd& x_given,
                                                   const std::vector<Eigen::Index>& rows) const {
  constexpr double nothing = 1e-14, rounding = 1e-11, least_damping = 1e-12, longest = 0.5;
  constexpr double shortest_fraction = 1e-3;
  constexpr int max_iterations = 100;
  if (rows.empty()) return x_given;
  VectorXd x = x_given, c = at(x).c(rows);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const double before = c.norm();
    if (before < nothing) return x;
    const MatrixXd C = at(x).C(rows, Eigen::all);
    MatrixXd gram = C * C.transpose();
    gram.diagonal().array() += std::max(least_damping, before * before);
    const VectorXd w = -C.transpose() * gram.llt().solve(c);
    double fraction = std::min(1.0, longest / w.cwiseAbs().maxCoeff());
    for (;; fraction *= 0.5) {
      const VectorXd next = moved(x, fraction * w);
      const VectorXd c_next = at(next).c(rows);
      if (c_next.norm() < before) {
        x = next, c = c_next;
        break;
      }
      // What rounding errors are left of does not shrink any more.
      if (before < rounding) return x;
      if (!(fraction > shortest_fraction)) return {};
    }
  }
  return {};
}

/// Whether every body went where it was moved to, by a tenth at least.
bool JointConstraints::has_moved(const VectorXd& from, const VectorXd& to, const VectorXd& w) const {
  constexpr double clearly = 0.05, fraction = 0.1;
  for (std::size_t b = 0; b < system_.n_bodies(); ++b) {
    const double requested = w.segment<6>(system_.v_offset(b)).norm();
    if (requested < clearly * w.norm()) continue;
    const Pose<double> before = system_.pose(from, b), after = system_.pose(to, b);
    const double turned = 2.0 * std::min((after.e - before.e).norm(), (after.e + before.e).norm());
    if (std::hypot((after.r - before.r).norm() / length_, turned) < fraction * requested) return false;
  }
  return true;
}

/// One that none of the mechanism's own is normal to, but by chance.
VectorXd JointConstraints::any_direction() const {
  std::mt19937 numbers(1);
  VectorXd w(system_.n_v());
  for (double& component : w) component = static_cast<double>(numbers()) / 4294967296.0 - 0.5;
  return w;
}

/// The part of w that moves some coordinates alone and satisfies the constraints; its largest entry is 1, unless
/// nothing is allowed.
VectorXd JointConstraints::free_part(const VectorXd& x, const std::vector<Eigen::Index>& coordinates,
                                     const VectorXd& w) const {
  constexpr double rounding = 1e-9, dependent = 1e-10;
  const std::vector<Eigen::Index> rows = locked();
  VectorXd own = w(coordinates);
  if (!rows.empty()) {
    const MatrixXd C = at(x).unit_rows()(rows, coordinates);
    own -= least_squares(C, C * own, dependent);
  }
  VectorXd free = VectorXd::Zero(w.size());
  if (own.norm() > rounding * w.norm()) free(coordinates) = own / own.cwiseAbs().maxCoeff();
  return free;
}

std::optional<VectorXd> JointConstraints::next_to(const VectorXd& x) const {
  std::vector<Eigen::Index> coordinates(static_cast<std::size_t>(system_.n_v()));
  std::iota(coordinates.begin(), coordinates.end(), 0);
  const VectorXd w = distance_next_to * free_part(x, coordinates, any_direction());
  if (w.isZero(0.0)) return x;
  const auto near = assemble(moved(x, w), locked());
  if (!near || !has_moved(x, *near, w)) return {};
  return near;
}

std::vector<VectorXd> JointConstraints::around(const VectorXd& x) const {
  constexpr double distance = 0.1;
  constexpr double work = 2e7, fewest_steps = 3.0, most_steps = 60.0;  // a step costs the third power of n_v
  const double n_v = static_cast<double>(system_.n_v());
  const int n_steps = static_cast<int>(std::clamp(work / (n_v * n_v * n_v), fewest_steps, most_steps));
  std::vector<Eigen::Index> rigid;
  for (Eigen::Index i = 0; i < system_.n_v(); ++i) {
    if (system_.is_rigid_coordinate(i)) rigid.push_back(i);
  }
  std::vector<VectorXd> visited = {x};
  for (const double sense : {1.0, -1.0}) {
    VectorXd here = x, w = sense * any_direction();
    for (int k = 0; k < n_steps; ++k) {
      w = distance * free_part(here, rigid, w);
      if (w.isZero(0.0)) break;
      const auto next = assemble(moved(here, w), locked());
      if (!next) break;
      visited.push_back(here = *next);
    }
  }
  return visited;
}

}  // namespace kurbel
