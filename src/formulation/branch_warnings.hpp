/// @file
/// Warns of steps whose positions meet the constraints, but on another branch of a closed loop.
///
/// Newton's iteration holds constraints at the end of a step, and not on the way. Close to a dead centre, where two ways to assemble
/// a loop meet or nearly meet, it may end on the other one. Steps are examined by a walk along the constraints
/// (constraint_path.hpp) where the mechanism comes closest to depend on itself, and where its motion has a kink.
#pragma once

#include <string>
#include <vector>

#include "integration/constraint_path.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

class BranchWarnings {
 public:
  /// @param system      lent
  /// @param trajectory  of implicit steps of it; lent
  BranchWarnings(const SecondOrderDae<double>& system, const Trajectory<double>& trajectory);

  /// Takes the Jacobian of the constraints at an instant; instants ascend.
  void add(Eigen::Index k, const MatrixXd& C);
  /// Names the first step that changes its branch, by its time and the body that it moves most.
  std::vector<std::string> warnings();

 private:
  struct Sampled {
    Eigen::Index k;
    double log_volume;
  };
  ConstraintPath::Place place(Eigen::Index k) const;
  std::vector<Eigen::Index> closest_to_dead_centres();
  void measure_steps();
  std::vector<Eigen::Index> kinks() const;
  Eigen::Index closest(Eigen::Index from, Eigen::Index to);

  const SecondOrderDae<double>& system_;
  const Trajectory<double>& trajectory_;
  ConstraintPath path_;
  std::vector<Sampled> sampled_;
  VectorXd lengths_;  ///< of the steps that end at an instant
  VectorXd changes_;  ///< of the way at an instant
};

}  // namespace kurbel
