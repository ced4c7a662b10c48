/// @file
/// The motion that a drive asks of a degree of freedom: a function of time, or a spline whose values are
/// parameters,
///
///     s(t) = unit w(t) . values
///
/// A function of the share of the motion that has passed, s((t - t0) / (t1 - t0)), depends on its end t1 if that is a
/// parameter: at a fixed share s_dot and s_ddot change, and s does not.
#pragma once

#include "floating_frame/parameters.hpp"
#include "mechanism/composed_function.hpp"

namespace kurbel {

template <class Scalar>
struct Drive {
  /// @param values  of the table among the parameters; no size if they are none
  /// @param end_parameter  the end of the motion among the parameters; -1: it is none
  Drive(const DriveSpec& spec, const ParameterBlock& values, Eigen::Index end_parameter,
        const MotionTime& time)
      : dof(spec.dof), motion(spec.motion), nodes(values), t0(time.t0) {
    if (has_nodes()) basis = spec.table->basis, unit = spec.table->unit;
    if (motion && is_relative(*motion)) end = end_parameter;
  }

  bool has_nodes() const { return nodes.size() > 0; }
  bool follows_end() const { return end >= 0; }
  bool has_parameters() const { return has_nodes() || follows_end(); }
  bool is_rotation() const { return kurbel::is_rotation(dof); }
  /// The axis of the displacement or the rotation: 0, 1, 2.
  int axis() const { return static_cast<int>(dof) % 3; }

  /// m or rad.
  /// @param w  scratch memory, 3 x (at least as many columns as there are values)
  TimeValueOf<Scalar> at(double t, const Scalar* p, MatrixXd& w) const {
    if (!has_nodes()) {
      const TimeValue s = motion->at(t);
      return {s.value, s.rate, s.acceleration};
    }
    TimeValueOf<Scalar> s;
    const auto rows = weights(t, w);
    for (Eigen::Index j = 0; j < nodes.size(); ++j) {
      const Scalar value = p[nodes.offset + j];
      s.value += rows(0, j) * value, s.rate += rows(1, j) * value, s.acceleration += rows(2, j) * value;
    }
    return s;
  }

  /// p_bar += (ds/dp)^T s_bar
  void pullback(double t, const Scalar* p, const TimeValueOf<Scalar>& s_bar, MatrixXd& w,
                Scalar* p_bar) const {
    if (follows_end()) {
      const TimeValueOf<Scalar> s = by_end_of_motion(t, p);
      p_bar[end] += s.rate * s_bar.rate + s.acceleration * s_bar.acceleration;
    }
    if (!has_nodes()) return;
    const auto rows = weights(t, w);
    for (Eigen::Index j = 0; j < nodes.size(); ++j)
      p_bar[nodes.offset + j] +=
          rows(0, j) * s_bar.value + rows(1, j) * s_bar.rate + rows(2, j) * s_bar.acceleration;
  }

  /// Derivatives of s, s_dot and s_ddot along directions of parameter space, 3 x m.
  template <class Directions>
  MatrixX<Scalar> push_forward(double t, const Scalar* p, const Directions& p_dot, MatrixXd& w) const {
    MatrixX<Scalar> s_dot = MatrixX<Scalar>::Zero(3, p_dot.cols());
    if (has_nodes())
      s_dot.noalias() += weights(t, w).template cast<Scalar>() * p_dot.middleRows(nodes.offset, nodes.size());
    if (follows_end()) {
      const TimeValueOf<Scalar> s = by_end_of_motion(t, p);
      s_dot.row(1) += s.rate * p_dot.row(end);
      s_dot.row(2) += s.acceleration * p_dot.row(end);
    }
    return s_dot;
  }

  /// s, s_dot and s_ddot by the values.
  Eigen::Ref<const MatrixXd> weights(double t, MatrixXd& w) const {
    auto rows = w.leftCols(nodes.size());
    basis->weights(t, rows);
    rows *= unit;
    return rows;
  }

  TimeValueOf<Scalar> by_end_of_motion(double t, const Scalar* p) const {
    const TimeValue s = motion->at(t);
    return by_end<Scalar>({Scalar(s.value), Scalar(s.rate), Scalar(s.acceleration)}, real_part(p[end]) - t0);
  }

  RelativeDof dof;
  TimeFunctionPtr motion;  ///< if there are no parameters
  ParameterBlock nodes;
  std::shared_ptr<const SplineBasis> basis;
  double unit = 1.0;
  Eigen::Index end = -1;  ///< of the motion, among the parameters, if the drive depends on it
  double t0 = 0.0;
};

}  // namespace kurbel
