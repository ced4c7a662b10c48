/// @file
/// The cut of a design in the mechanism, beside the design itself.
#pragma once

#include <limits>

#include "evaluation/constraint_rows.hpp"

namespace kurbel {

struct CutTrial {
  static constexpr double much_grey = 0.05;  ///< a grey level; the report of a cut warns beyond it, too
  /// Share of the solid in pieces that nothing holds, plus one for each pair of places that the solid does not connect,
  /// summed over the bodies. 0: every body is in one piece.
  double loose = 0.0;
  double violation =
      std::numeric_limits<double>::infinity();  ///< of the constraints; infinite: not simulated
  double objective = std::numeric_limits<double>::infinity();
  double change = std::numeric_limits<double>::infinity();  ///< of the objective, relative to the design's
  double grey_level = 0.0, grey_of_cut = 0.0;               ///< DesignSpace::grey_level() of design and cut
  double design_objective = std::numeric_limits<double>::infinity();
  bool is_of_optimum = false;  ///< the design meets the conditions of optimality; try_cut() does not know

  /// True if the design has a grey level above 0.05.
  bool is_grey() const;
  /// True if the cut is in one piece and feasible, and its objective is within 5 % of the design's.
  bool stands(double feasibility) const;
  /// True if the cut stands and the design is not grey.
  bool holds(double feasibility) const;
  /// Prefers the smaller loose share, then the smaller violation of constraints, then a design that is not grey, then the lower
  /// objective. Of two cuts that hold, that of an optimum is better, unless its design's objective is higher by more than
  /// two thousandths. A cut that cannot be simulated is never better.
  bool is_better_than(const CutTrial& other, double feasibility) const;
  /// Says why the cut does not hold, for the log: "its objective differs by +15 %".
  std::string text(double feasibility) const;
};

/// Cuts a design to solid and void (cut_design.hpp) and simulates it once. Smooth maxima count by their true peaks.
/// @param rows       the constraints of its stage; a bound on the grey level holds for the cut, which is less grey
/// @param x          over all variables of the space
/// @param objective  of the design
CutTrial try_cut(EvaluationChain& chain, const DesignSpace& space, const ConstraintRows& rows,
                 const VectorXd& x, double objective);

}  // namespace kurbel
