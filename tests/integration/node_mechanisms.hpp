/// @file
/// The mechanisms that the variational step is tested on.
#pragma once

#include "integration/dae_steps.hpp"
#include "node_mechanism.hpp"

namespace kurbel::test {

inline VectorXd stacked(const std::vector<Vector3d>& nodes) {
  VectorXd x(3 * std::ssize(nodes));
  for (std::size_t a = 0; a < nodes.size(); ++a) x.segment<3>(3 * static_cast<Eigen::Index>(a)) = nodes[a];
  return x;
}

/// m = 1.3 kg at l = 0.7 m about the origin: |r|^2 = l^2.
inline NodeSpec spherical_pendulum(const Vector3d& direction, const Vector3d& v) {
  NodeSpec spec;
  spec.n_nodes = 1;
  spec.masses = {{0, 0, 1.3}};
  spec.products = {{VectorXd::Ones(1), VectorXd::Ones(1), 0.0, true, 0.7}};
  spec.falls = {true};
  spec.x = 0.7 * direction.normalized(), spec.v = v;
  spec.scaled_node = 0;
  return spec;
}

/// (r, e1, e2, e3) with a centre of mass beside r, from node `first` on.
/// @param J  int rho s s^T about the centre of mass
inline void add_rigid_body(NodeSpec& spec, int first, double m, const Vector3d& centre, const Matrix3d& J) {
  spec.masses.push_back({first, first, m});
  for (int i = 0; i < 3; ++i) {
    spec.masses.push_back({first, first + 1 + i, m * centre[i]});
    for (int j = 0; j <= i; ++j)
      spec.masses.push_back({first + 1 + i, first + 1 + j, J(i, j) + m * centre[i] * centre[j]});
  }
  for (int i = 1; i <= 3; ++i) {
    for (int j = i; j <= 3; ++j) {
      spec.products.push_back({VectorXd::Unit(spec.n_nodes, first + i),
                               VectorXd::Unit(spec.n_nodes, first + j), i == j ? 1.0 : 0.0});
    }
  }
}

/// A free rigid body of any inertia that begins with r = 0, e_i = the axes, and moves by v of r and omega.
inline NodeSpec free_body(const Vector3d& centre, const Matrix3d& J, const Vector3d& v,
                          const Vector3d& omega) {
  NodeSpec spec;
  spec.n_nodes = 4;
  spec.gravity = 0.0;
  spec.falls = {true, false, false, false};
  add_rigid_body(spec, 0, 2.0, centre, J);
  std::vector<Vector3d> x = {Vector3d::Zero()}, rates = {v};
  for (int i = 0; i < 3; ++i) {
    x.push_back(Vector3d::Unit(i));
    rates.push_back(omega.cross(Vector3d::Unit(i)));
  }
  spec.x = stacked(x), spec.v = stacked(rates);
  return spec;
}

inline Matrix3d any_inertia() {
  return (Matrix3d() << 0.11, 0.01, -0.02, 0.01, 0.07, 0.015, -0.02, 0.015, 0.05).finished();
}

/// A rigid body on a ball joint at 0.2 e1 - 0.1 e2 + 0.3 e3 of it, under gravity: a heavy top without symmetry.
inline NodeSpec heavy_body() {
  NodeSpec spec = free_body({0.1, 0.05, 0.3}, any_inertia(), Vector3d::Zero(), {1.0, 2.0, 6.0});
  spec.gravity = 9.81;
  const Vector3d joint(0.2, -0.1, 0.3);
  const VectorXd u = (VectorXd(4) << 1.0, joint).finished();
  for (int axis = 0; axis < 3; ++axis) spec.drives.push_back({.u = u, .axis = axis, .place = joint[axis]});
  return spec;
}

/// Points in a row, of which the first is driven up and down, the second and third have fixed distances to those
/// before them, and springs with dampers join the rest. Velocities as given contradict the constraints.
inline NodeSpec chain(int n) {
  NodeSpec spec;
  spec.n_nodes = n;
  for (int a = 0; a < n; ++a) {
    spec.masses.push_back({a, a, 0.4 + 0.05 * (a % 5)});
    spec.x.conservativeResize(3 * (a + 1));
    spec.x.tail<3>() = Vector3d(0.5 * a, 0.03 * a * a / n, 0.02 * (a % 3));
    spec.falls.push_back(true);
  }
  const auto distance = [&](int a, int b) {
    return (spec.x.segment<3>(3 * a) - spec.x.segment<3>(3 * b)).norm();
  };
  for (int a = 1; a < n; ++a) {
    if (a > 2) {
      spec.springs.push_back({a - 1, a, 300.0 + 10.0 * a, 0.8, 0.95 * distance(a - 1, a)});
      continue;
    }
    const VectorXd u = VectorXd::Unit(n, a) - VectorXd::Unit(n, a - 1);
    spec.products.push_back({u, u, 0.0, true, distance(a - 1, a)});
  }
  for (int axis = 0; axis < 3; ++axis)
    spec.drives.push_back(
        {VectorXd::Unit(n, 0), axis, spec.x[axis], axis == 2 ? 0.1 : 0.0, 5.0, axis == 2 ? 0.2 : 0.0});
  spec.v = VectorXd::Zero(3 * n);
  spec.v[5] = 0.4, spec.v[3 * n - 2] = 0.3;
  return spec;
}

inline IntegratorOptions variational(double t1, double h, double alpha = 0.5) {
  return {.method = IntegratorMethod::variational_midpoint, .t1 = t1, .step = h, .alpha = alpha};
}

/// A mechanism with its motion.
template <class S>
struct NodeMotion {
  NodeMotion(const NodeSpec& spec, const IntegratorOptions& options, const VectorX<S>& p)
      : model(spec, p), steps(make_dae_steps<S>(model, options)) {
    status = simulate<S>(*steps, trajectory);
  }
  NodeMotion(const NodeSpec& spec, const IntegratorOptions& options)
      : NodeMotion(spec, options, spec.numbers().template cast<S>()) {}

  DaeInstant<S> at(Eigen::Index k) const {
    return steps->layout().template instant<S>(trajectory.t[k], trajectory.y.col(k));
  }
  DaeInstant<S> middle(Eigen::Index k) const {
    return steps->layout().template middle<S>(trajectory.t[k], trajectory.y.col(k),
                                              k > 0 ? trajectory.t[k] - trajectory.t[k - 1] : 0.0);
  }
  Eigen::Index last() const { return trajectory.t.size() - 1; }

  NodeMechanism<S> model;
  std::unique_ptr<DaeSteps<S>> steps;
  Trajectory<S> trajectory;
  Status status;
};

}  // namespace kurbel::test
