/// @file
/// Scratch memory of MultibodySystem. Internal to multibody_system*.cpp and force_elements.cpp.
#pragma once

#include <limits>

#include "floating_frame/multibody_system.hpp"

namespace kurbel {

template <class Scalar>
class MultibodySystem<Scalar>::SystemWorkspace final : public Base::Workspace {
 public:
  explicit SystemWorkspace(const MultibodySystem& system)
      : kinematics(system.n_bodies()),
        gravity(system.n_bodies()),
        rows(system.n_pair_),
        joint_derivatives(system.joints_.size()),
        force_derivatives(system.forces_.size()),
        angle_derivatives(system.n_angles_),
        C_local(6, system.n_pair_),
        K_local(system.n_pair_, system.n_pair_),
        c_local(6),
        c_levels(6, 3),
        G_local(6, 3),
        u(Vec::Zero(static_cast<Eigen::Index>(system.spec_.controls.size()))),
        row_x(system.n_pair_),
        W_x(system.n_pair_) {
    for (std::size_t i = 0; i < system.n_bodies(); ++i) {
      bodies.emplace_back(system.n_q(i));
      shapes.emplace_back(system.layout().body(i).n_shapes);
    }
    for (const ControlSpec& control : system.spec_.controls) weights.emplace_back(control.grid.n_nodes());
    Eigen::Index longest = 0;
    for (const Joint& joint : system.joints_) {
      for (const Drive<Scalar>& drive : joint.drives) longest = std::max(longest, drive.nodes.size());
    }
    drive_weights.resize(3, longest);
  }

  /// Makes room for m directions of parameter space; what is larger already stays.
  void reserve_directions(Eigen::Index m) {
    if (reaction_p.cols() >= m) return;
    for (Matrix* rows : {&c0_p, &c1_p, &c2_p}) rows->resize(c_local.size(), m);
    reaction_p.resize(K_local.rows(), m);
  }

  std::vector<BodyKinematics<Scalar>> kinematics;
  std::vector<Vector3<Scalar>> gravity;  ///< in the frame of each body
  std::vector<BodyWorkspace<Scalar>> bodies;
  std::vector<Vec> shapes;  ///< Phi at q of the markers of second order, of each body
  RowsWorkspace<Scalar> rows;
  std::vector<typename RelativeRows<Scalar>::Derivatives> joint_derivatives, force_derivatives,
      angle_derivatives;  ///< of these c and c_x, or c and its rates
  Matrix C_local, K_local;
  Vec c_local;
  Matrix c_levels;                          ///< c, c_dot and c_ddot of a joint
  Matrix G_local;                           ///< derivatives of constraints by the motion of a drive
  Vec u;                                    ///< controls at the instant
  std::vector<Eigen::RowVectorXd> weights;  ///< of the nodes of each control, then
  Vec row_x,
      W_x;  ///< derivatives of a row of a force element, and of its force, by the coordinates of the pair
  Matrix c0_p, c1_p, c2_p, reaction_p;  ///< of one pair along the directions of parameter space
  TimeValueOf<Scalar> shift[3];
  typename PosedBeams<Scalar>::Workspace beam;  ///< of one element
  MatrixXd drive_weights;                       ///< 3 x values of the longest table of a drive
  OneSidedTime weights_at = std::numeric_limits<double>::quiet_NaN();  ///< the instant of `weights`
};

/// Calls act(offset in v, offset in the pair's coordinates, size) for the ends that are not the ground.
template <class Scalar>
template <class Action>
void MultibodySystem<Scalar>::for_each_end(const RelativeRows<Scalar>& rows, const Action& act) const {
  if (rows.to().body >= 0) act(v_offset(rows.to()), Eigen::Index{0}, rows.to().n_tangent());
  if (rows.from().body >= 0) act(v_offset(rows.from()), rows.to().n_tangent(), rows.from().n_tangent());
}

}  // namespace kurbel
