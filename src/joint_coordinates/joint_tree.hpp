/// @file
/// The tree of a mechanism as stages, each of which moves by one kind of coordinate relative to the one before.
///
/// A joint is a product of stages: what it leaves free of rotations first, then displacements along the axes of
/// "to"; the inverse, in the opposite order, where it leads towards the ground. Universal, cylindrical, in-line
/// and other joints are so made of a few; stages within a joint have no mass.
///
///     g_stage = g_parent h_in J(z) h_out^-1
///
/// with h_in the marker on the carrying body (first stage of a joint), h_out that on the carried body (last).
#pragma once

#include <functional>

#include "floating_frame/relative_rows.hpp"
#include "joint_coordinates/spanning_tree.hpp"

namespace kurbel {

struct TreeStage {
  /// Kinds of stages, with 0, 1, 1, 3 and 6 coordinates of velocity; spherical and free stages have quaternions in x.
  enum class Kind { rigid, revolute, prismatic, spherical, free };

  Kind kind = Kind::rigid;
  int axis = 0;               ///< of revolute and prismatic stages, in the joint's axes
  double sign = 1.0;          ///< -1 where the joint leads towards the ground
  int parent = -1;            ///< stage; -1 is the ground
  int body = -1;              ///< whose frame it moves, if it is the last of its joint
  int joint = -1;             ///< index in SystemSpec::joints; -1: none
  Eigen::Index x = 0, v = 0;  ///< where its coordinates and velocities begin
  MarkerPlace in, out;        ///< ends of the joint; origins, with the axes of the frame, within it
  Quaternion<double> e_in = Quaternion<double>::Unit(0), e_out = e_in;  ///< of their axes, in their bodies'
  Matrix3d axes_in = Matrix3d::Identity(), axes_out = axes_in;          ///< the same as matrices
  bool is_turned_in = false, is_turned_out = false;  ///< whether these are no unit matrices

  Eigen::Index n_x() const {
    switch (kind) {
      case Kind::rigid:
        return 0;
      case Kind::revolute:
      case Kind::prismatic:
        return 1;
      case Kind::spherical:
        return 4;
      case Kind::free:
        return 7;
    }
    return 0;
  }
  Eigen::Index n_v() const { return kind == Kind::spherical ? 3 : kind == Kind::free ? 6 : n_x(); }
};

/// Calls act(n) with the number of velocities of a stage that has any, known to the compiler.
template <class Action>
void with_velocities(const TreeStage& stage, const Action& act) {
  switch (stage.kind) {
    case TreeStage::Kind::rigid:
      return;
    case TreeStage::Kind::revolute:
    case TreeStage::Kind::prismatic:
      return act(Eigen::fix<1>);
    case TreeStage::Kind::spherical:
      return act(Eigen::fix<3>);
    case TreeStage::Kind::free:
      return act(Eigen::fix<6>);
  }
}

/// A sequence of stages in which each stands after what carries it.
class JointTree {
 public:
  using Resolve = std::function<MarkerPlace(const MarkerRef&, const std::string& owner)>;

  JointTree(const SystemSpec& spec, const std::vector<TreeLink>& links, const Resolve& resolve);

  const std::vector<TreeStage>& stages() const { return stages_; }
  std::size_t n_stages() const { return stages_.size(); }
  Eigen::Index n_x() const { return n_x_; }
  Eigen::Index n_v() const { return n_v_; }
  /// The stage that moves the frame of a body; -1, the ground's, for -1.
  int stage_of(int body) const { return body < 0 ? -1 : stage_of_[static_cast<std::size_t>(body)]; }
  /// First and last stage of the joint that carries a body.
  const std::vector<std::pair<int, int>>& joints() const { return joints_; }
  /// The stage that velocity i belongs to.
  const TreeStage& stage_of_velocity(Eigen::Index i) const;

 private:
  void add_joint(const SystemSpec& spec, const TreeLink& link, const Resolve& resolve);

  std::vector<TreeStage> stages_;
  std::vector<int> stage_of_;
  std::vector<std::pair<int, int>> joints_;
  Eigen::Index n_x_ = 0, n_v_ = 0;
};

}  // namespace kurbel
