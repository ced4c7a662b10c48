#include "joint_coordinates/articulated_inertia.hpp"

#include <Eigen/LU>

#include "base/instantiate.hpp"

namespace kurbel {

/// U, D and what is left of the inertia of a stage where its joint is free to move.
/// @return a column that moves no inertia; -1 if there is none
template <class S>
template <int n>
Eigen::Index ArticulatedInertia<S>::free_joint(const Columns6<S>& columns, bool is_carried, Stage& stage) {
  const auto s = columns.template leftCols<n>();
  const Eigen::Matrix<S, 6, n> U = stage.inertia * s;
  const Eigen::Matrix<S, n, n> D = s.transpose() * U;
  constexpr double rounding = 1e-13;  // of terms that cancel far from the reference point
  const auto real = [](const S& entry) { return real_part(entry); };
  const Vector6<double> I = stage.inertia.diagonal().unaryExpr(real);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double size = size_of_inertia(I, s.col(k).unaryExpr(real));
    if (!(real_part(D(k, k)) > rounding * size)) return k;
  }
  const Eigen::Matrix<S, n, n> D_inverse = D.inverse();
  if (is_carried) {
    const Eigen::Matrix<S, 6, n> by_D = U * D_inverse;
    stage.inertia.noalias() -= by_D * U.transpose();
  }
  stage.U = U, stage.D_inverse = D_inverse;
  return -1;
}

template <class S>
Eigen::Index ArticulatedInertia<S>::factorize(const TreeMotion<S>& motion,
                                              const std::vector<Matrix6<S>>& own) {
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].inertia = own[i];
  for (int i = static_cast<int>(stages_.size()) - 1; i >= 0; --i) {
    const TreeStage& place = tree_.stages()[static_cast<std::size_t>(i)];
    Stage& stage = stages_[static_cast<std::size_t>(i)];
    Eigen::Index singular = -1;
    with_velocities(place, [&](auto count) {
      constexpr int n = decltype(count)::value;
      singular = free_joint<n>(motion[i].s, place.parent >= 0, stage);
    });
    if (singular >= 0) return place.v + singular;
    if (place.parent < 0) continue;
    Matrix6<S>& carrying = stages_[static_cast<std::size_t>(place.parent)].inertia;
    if (motion.has_common_point()) {
      carrying += stage.inertia;
    } else {
      const Matrix6<S> T = motion.matrix_from_parent(i);
      carrying.noalias() += T.transpose() * stage.inertia * T;
    }
  }
  return -1;
}

template <class S>
void ArticulatedInertia<S>::solve(const TreeMotion<S>& motion, Eigen::Ref<MatrixX<S>> b) const {
  moved_.resize(stages_.size());
  for (Eigen::Index column = 0; column < b.cols(); ++column) {
    auto z = b.col(column);
    for (Vector6<S>& impulse : moved_) impulse.setZero();
    for (int i = static_cast<int>(stages_.size()) - 1; i >= 0; --i) {
      const TreeStage& place = tree_.stages()[static_cast<std::size_t>(i)];
      const Stage& stage = stages_[static_cast<std::size_t>(i)];
      Vector6<S>& impulse = moved_[static_cast<std::size_t>(i)];
      with_velocities(place, [&](auto count) {
        constexpr int n = decltype(count)::value;
        auto own = z.template segment<n>(place.v);
        const Eigen::Matrix<S, n, 1> left = own - motion[i].s.template leftCols<n>().transpose() * impulse;
        own.noalias() = stage.D_inverse.template topLeftCorner<n, n>() * left;
        impulse.noalias() += stage.U.template leftCols<n>() * own;
      });
      if (place.parent >= 0)
        moved_[static_cast<std::size_t>(place.parent)] += motion.wrench_to_parent(i, impulse);
    }
    for (int i = 0; i < static_cast<int>(stages_.size()); ++i) {
      const TreeStage& place = tree_.stages()[static_cast<std::size_t>(i)];
      const Stage& stage = stages_[static_cast<std::size_t>(i)];
      Vector6<S>& twist = moved_[static_cast<std::size_t>(i)];
      twist.setZero();
      if (place.parent >= 0)
        twist = motion.twist_from_parent(i, moved_[static_cast<std::size_t>(place.parent)]);
      with_velocities(place, [&](auto count) {
        constexpr int n = decltype(count)::value;
        auto own = z.template segment<n>(place.v);
        const Eigen::Matrix<S, n, 1> carried = stage.U.template leftCols<n>().transpose() * twist;
        own.noalias() -= stage.D_inverse.template topLeftCorner<n, n>() * carried;
        twist.noalias() += motion[i].s.template leftCols<n>() * own;
      });
    }
  }
}

template class ArticulatedInertia<InstantiatedScalar>;

}  // namespace kurbel
