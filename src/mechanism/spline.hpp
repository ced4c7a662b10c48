/// @file
/// Cubic splines through values at given times.
///
/// On an interval of length h, with a = (t_{i+1} - t) / h, b = 1 - a, values s_i and second derivatives m_i,
///
///     s(t) = a s_i + b s_{i+1} + ((a^3 - a) m_i + (b^3 - b) m_{i+1}) h^2 / 6
///
/// m follows from the continuity of s_dot at the inner times and one condition at each end.
#pragma once

#include "base/types.hpp"
#include "mechanism/time_function.hpp"

namespace kurbel {

/// Interpolation of a table between its entries. Splines have two continuous derivatives.
enum class TableInterpolation {
  natural,     ///< spline without second derivative at its ends
  clamped,     ///< spline without first derivative at its ends
  not_a_knot,  ///< spline whose third derivative is continuous next to its ends
  periodic,    ///< spline whose end continues as its begin
  monotone,    ///< cubics with one continuous derivative, without extrema between entries
  linear,      ///< straight lines
  constant,    ///< steps: each value holds until the next entry
};

/// Continuation of a table before its first entry and after its last one.
enum class Beyond {
  refused,  ///< it does not; what rounding asks for there is on a straight line
  hold,     ///< with the value of that entry
  repeat,   ///< periodically
};

/// The interval of a table in which a time lies.
struct SplinePlace {
  /// @param times  at least two, ascending
  SplinePlace(const std::vector<double>& times, double t, Beyond beyond);
  /// @param s0, s1  values at the ends of the interval    @param m0, m1  second derivatives there
  TimeValue value(double s0, double s1, double m0, double m1) const;

  std::size_t interval;
  double h, a, b;
  double beyond = 0.0;   ///< time after the last or, negative, before the first
  bool is_held = false;  ///< whether the value of that entry holds there
};

/// Second derivatives m of the splines through some sets of values.
/// @param values  one set per column, n x k
/// @return        n x k
/// @throws InputError if not_a_knot has fewer than four times
MatrixXd spline_moments(const std::vector<double>& times, const MatrixXd& values,
                        TableInterpolation interpolation);

/// A spline as a function of its values: s(t) = w(t) . s_i.
class SplineBasis {
 public:
  /// @throws InputError as table() does
  SplineBasis(std::vector<double> times, TableInterpolation interpolation, Beyond beyond);

  Eigen::Index n_nodes() const { return moments_.rows(); }
  /// w, w_dot and w_ddot.
  /// @param w  (3 x n_nodes)   overwritten
  void weights(double t, Eigen::Ref<MatrixXd> w) const;

 private:
  std::vector<double> times_;
  Beyond beyond_;
  MatrixXd moments_;  ///< column j: of the spline that is 1 at time j and 0 at the others
};

}  // namespace kurbel
