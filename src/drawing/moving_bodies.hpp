/// @file
/// Bodies at their positions as meshes with fields, deformed as much as a picture is to show.
#pragma once

#include <vector>

#include "results/motion_body.hpp"

namespace kurbel {

/// The cells of at least this density with their points; the whole body if there are none.
MotionBody solid_part(const MotionBody& body, double solid_above);

/// x_rigid + s (x - x_rigid) with x = r + S (X + u) and x_rigid = r_rigid + S_rigid X. Linear in x and
/// x_rigid: where two bodies meet in both, they meet at every scale s.
/// @param X  (3 x n) in the body's frame, m     @param u  (3 x n) elastic displacement there, m
MatrixXd drawn_points(const MotionPose& pose, const MatrixXd& X, const MatrixXd& u, double scale);

/// Options of the drawn motion: hidden cells and the scale of deformations.
struct MotionOptions {
  double deformation_scale = 1.0;  ///< s
  double solid_above = 0.0;        ///< cells of less density are left out, unless all of the body are less
};

/// A block per body. Of a body with densities, cells carry `density`; of one with shapes, points carry `displacement`,
/// S u in m, as it truly is; of one with stress modes, cells carry `von_mises` at the instant and `von_mises_max` over
/// all time, Pa, NaN where there are none.
class MovingBodies {
 public:
  /// @throws InputError if a density or shape does not fit its grid
  explicit MovingBodies(std::vector<MotionBody> bodies, const MotionOptions& options = {});

  /// The blocks of all bodies, then other ones. They are valid until the next call.
  /// @param poses  one per body
  /// @throws InputError if a pose does not fit its body
  const std::vector<NamedBlock>& at(const std::vector<MotionPose>& poses,
                                    std::vector<NamedBlock> others = {});

 private:
  void move(std::size_t body, const MotionPose& pose);

  std::vector<MotionBody> bodies_;
  MotionOptions options_;
  std::vector<NamedBlock> blocks_;
};

}  // namespace kurbel
