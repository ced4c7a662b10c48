/// @file
/// The moving mechanism as a series of multi-block files with a .pvd.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "output/block_series.hpp"
#include "sid/stress_modes.hpp"

namespace kurbel {

/// What is drawn of a body, in its frame.
struct MotionBody {
  std::string name;
  UnstructuredGrid grid;  ///< points X, m
  VectorXd density{};     ///< one per cell; empty: the body is solid
  MatrixXd shapes{};      ///< 3 n_points x n_q: direction d of point a in row 3 a + d; empty: it is rigid
  /// 3 n_points x n_q^2: displacements are u = shapes q + second_order (q (x) q) / 2; empty: the first term
  MatrixXd second_order{};
  StressModes stress{};               ///< of some cells; S empty: the stress is not drawn
  std::vector<int> stressed_cells{};  ///< these
  VectorXd largest_stress{};          ///< their von Mises stress over all time, Pa
};

/// Where a body is, and where it would be without deformation of any body.
struct MotionPose {
  Vector3d r = Vector3d::Zero();      ///< of the body's frame, in the inertial frame, m
  Matrix3d S = Matrix3d::Identity();  ///< from the body's frame into the inertial one
  VectorXd q{};                       ///< n_q elastic coordinates
  Vector3d r_rigid = r;
  Matrix3d S_rigid = S;
};

/// The cells of at least this density with their points; the whole body if there are none.
MotionBody solid_part(const MotionBody& body, double solid_above);

/// x_rigid + s (x - x_rigid) with x = r + S (X + u) and x_rigid = r_rigid + S_rigid X. Linear in x and
/// x_rigid: where two bodies meet in both, they meet at every scale s.
/// @param X  (3 x n) in the body's frame, m     @param u  (3 x n) elastic displacement there, m
MatrixXd drawn_points(const MotionPose& pose, const MatrixXd& X, const MatrixXd& u, double scale);

struct MotionOptions {
  double deformation_scale = 1.0;  ///< s
  double solid_above = 0.0;        ///< cells of less density are left out, unless all of the body are less
};

/// Writes the instants as a BlockSeries, a block per body. Of a body with densities, cells carry `density`;
/// of one with shapes, points carry `displacement`, S u in m, as it truly is; of one with stress
/// modes, cells carry `von_mises` at the instant and `von_mises_max` over all time, Pa, NaN where there are
/// none.
class MotionWriter {
 public:
  /// Writes an empty .pvd.
  /// @throws WriteError if it cannot be written, InputError if a density or shape does not fit its grid
  MotionWriter(const std::filesystem::path& pvd, std::vector<MotionBody> bodies,
               const MotionOptions& options = {});

  /// @param poses  one per body
  /// @param others  further blocks, as many each time
  /// @throws WriteError if the file cannot be written, InputError if a pose does not fit its body
  void add_frame(double time, const std::vector<MotionPose>& poses,
                 const std::vector<NamedBlock>& others = {});

 private:
  void move(std::size_t body, const MotionPose& pose);

  std::vector<MotionBody> bodies_;
  MotionOptions options_;
  BlockSeries series_;
  std::vector<NamedBlock> blocks_;
};

}  // namespace kurbel
