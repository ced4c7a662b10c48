/// @file
/// The constraints of a problem as rows of a nonlinear program.
#pragma once

#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// The designs that projection.robust = d makes of one, with the thresholds eta, eta + d and eta - d.
enum class DesignOf { eta, eroded, dilated };

/// One side of a bound: factor (h - bound), <= 0 or = 0.
struct ConstraintRow {
  enum class Of { motion, volume_fraction, mass, excess_of_members, distortion, grey_level };
  Of of;
  std::string name;
  std::size_t function;             ///< index in MotionModel::functions(), or of the body
  Eigen::Index requested;           ///< of the motion: index of the function among those requested
  double bound, factor;             ///< factor = sign / scale
  DesignOf design = DesignOf::eta;  ///< whose h it is
};

/// Name of the row that bounds DesignSpace::excess_of_members() of a body.
std::string name_of_member_bound(const ProblemBody& body);

/// A bound on DesignSpace::distortion() of a body.
struct DistortionBound {
  std::size_t body;
  std::string name;  ///< of its row
  double bound;
};
std::vector<DistortionBound> distortion_bounds(const Problem& problem);

/// The scale of deviations from a bound of the function: as given, else the size of the
/// bound, or one for a bound of zero.
double scale_of(const CriterionConstraint& function, double bound);

/// The bounds of the stage of a chain, equalities first:
///     (h - value) / scale = 0,
///     volume_fraction / bound - 1 <= 0,               mass / bound - 1 <= 0,
///     excess_of_members / most_excess - 1 <= 0        for each body with a maximum_member,
///     distortion / bound - 1 <= 0                     for each surface that moves with a bound on it,
///     grey_level / bound - 1 <= 0                     only from add_grey_level() on,
///     (h - upper) / scale <= 0,                       (lower - h) / scale <= 0
/// for each bounded function h of the motion; of robust rows the last two for each of the three designs.
class ConstraintRows {
 public:
  enum class Designs { one, robust };

  ConstraintRows() = default;
  explicit ConstraintRows(const EvaluationChain& chain, Designs designs = Designs::one);
  /// Adds the row that bounds DesignSpace::grey_level().
  void add_grey_level(double bound);

  Eigen::Index size() const { return static_cast<Eigen::Index>(rows_.size()); }
  Eigen::Index n_equalities() const { return n_equalities_; }
  bool are_robust() const { return designs_ == Designs::robust; }
  const ConstraintRow& operator[](Eigen::Index i) const { return rows_[static_cast<std::size_t>(i)]; }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  /// (size()) values of all rows at the design that was simulated, be it theirs or not.
  VectorXd values(const DesignSpace& space, const ChainResult& result) const;
  /// (size() x n variables) of the space.
  /// @param bars   as EvaluationChain::gradients() gives them
  /// @param shift  as in DesignSpace::at()
  MatrixXd gradients(const DesignSpace& space, const VectorXd& x, const Design& design,
                     const std::vector<Design>& bars, double shift = 0.0) const;
  /// The row that is violated most, or nearest to it; there must be one.
  Eigen::Index worst_row(const VectorXd& values) const;
  /// The worst row in words: "tip misses by 0.01".
  std::string worst(const VectorXd& values) const;

 private:
  std::vector<ConstraintRow> rows_;
  Eigen::Index n_equalities_ = 0;
  Designs designs_ = Designs::one;
};

}  // namespace kurbel
