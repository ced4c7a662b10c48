/// @file
/// The motion that a drive asks of a degree of freedom: a function of time, or a spline whose values are
/// parameters,
///
///     s(t) = unit w(t) . values
#pragma once

#include "floating_frame/parameters.hpp"

namespace kurbel {

template <class Scalar>
struct Drive {
  /// @param values  of the table among the parameters; no size if they are none
  Drive(const DriveSpec& spec, const ParameterBlock& values)
      : dof(spec.dof), motion(spec.motion), nodes(values) {
    if (has_parameters()) basis = spec.table->basis, unit = spec.table->unit;
  }

  bool has_parameters() const { return nodes.size() > 0; }
  bool is_rotation() const { return kurbel::is_rotation(dof); }
  /// The axis of the displacement or the rotation: 0, 1, 2.
  int axis() const { return static_cast<int>(dof) % 3; }

  /// m or rad.
  /// @param w  scratch memory, 3 x (at least as many columns as there are values)
  TimeValueOf<Scalar> at(double t, const Scalar* p, MatrixXd& w) const {
    if (!has_parameters()) {
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
  void pullback(double t, const TimeValueOf<Scalar>& s_bar, MatrixXd& w, Scalar* p_bar) const {
    const auto rows = weights(t, w);
    for (Eigen::Index j = 0; j < nodes.size(); ++j)
      p_bar[nodes.offset + j] +=
          rows(0, j) * s_bar.value + rows(1, j) * s_bar.rate + rows(2, j) * s_bar.acceleration;
  }

  /// s, s_dot and s_ddot by the values.
  Eigen::Ref<const MatrixXd> weights(double t, MatrixXd& w) const {
    auto rows = w.leftCols(nodes.size());
    basis->weights(t, rows);
    rows *= unit;
    return rows;
  }

  RelativeDof dof;
  TimeFunctionPtr motion;  ///< if there are no parameters
  ParameterBlock nodes;
  std::shared_ptr<const SplineBasis> basis;
  double unit = 1.0;
};

}  // namespace kurbel
