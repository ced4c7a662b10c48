/// @file
/// The moving mechanism as a series of .vtu files with a .pvd.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "output/vtk_writer.hpp"
#include "output/vtu_series.hpp"
#include "sid/stress_modes.hpp"

namespace kurbel {

/// What is drawn of a body, in its frame.
struct MotionBody {
  std::string name;
  UnstructuredGrid grid;  ///< points X, m
  VectorXd density;       ///< one per cell; empty means 1
  MatrixXd shapes;        ///< 3 n_points x n_q: direction d of point a in row 3 a + d; empty for a rigid body
  StressModes stress{};   ///< of every cell; S empty: the stress is not drawn
  VectorXd largest_stress{};  ///< von Mises stress of every cell over all time, Pa, if there is `stress`
};

/// A rigid body as lines from marker to marker; with a single marker, from the origin of the body's frame to
/// it.
/// @param markers  3 x n, m, in the body's frame
MotionBody line_body(const std::string& name, const MatrixXd& markers);

/// Where a body is.
struct MotionPose {
  Vector3d r = Vector3d::Zero();      ///< of the body's frame, in the inertial frame, m
  Matrix3d S = Matrix3d::Identity();  ///< from the body's frame into the inertial one
  VectorXd q;                         ///< n_q elastic coordinates
};

struct MotionOptions {
  double deformation_scale = 1.0;  ///< by which elastic displacements are drawn
};

/// Writes the instants as a VtuSeries. Points are r + S (X + scale * shapes q); cells carry `density` and
/// `body` (number in the order given), points carry `displacement`, S shapes q in m, unscaled. If a body has
/// stress modes, cells carry `von_mises` at the instant and `von_mises_max` over all time, Pa, zero
/// elsewhere.
class MotionWriter {
 public:
  /// Writes an empty .pvd.
  /// @throws InputError if it cannot be written, or a density or shape does not fit its grid
  MotionWriter(const std::filesystem::path& pvd, std::vector<MotionBody> bodies,
               const MotionOptions& options = {});

  /// @param poses  one per body
  /// @throws InputError if the file cannot be written or a pose does not fit its body
  void add_frame(double time, const std::vector<MotionPose>& poses);

 private:
  std::vector<MotionBody> bodies_;
  MotionOptions options_;
  VtuSeries series_;
  UnstructuredGrid grid_;                ///< all bodies
  std::vector<FieldArray> cell_arrays_;  ///< of all bodies; all but von_mises the same at every instant
  FieldArray displacement_;
  bool has_stress_ = false;  ///< then the last two cell arrays are of stress
};

}  // namespace kurbel
