#include "joint_coordinates/articulated_inertia.hpp"

#include <Eigen/LU>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
Eigen::Index ArticulatedInertia<S>::factorize(const TreeMotion<S>& motion,
                                              const std::vector<Matrix6<S>>& own) {
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].inertia = own[i];
  for (int i = static_cast<int>(stages_.size()) - 1; i >= 0; --i) {
    const TreeStage& place = tree_.stages()[static_cast<std::size_t>(i)];
    Stage& stage = stages_[static_cast<std::size_t>(i)];
    const Columns6<S>& s = motion[i].s;
    if (s.cols() > 0) {
      stage.U.noalias() = stage.inertia * s;
      const Small D = s.transpose() * stage.U;
      constexpr double rounding = 1e-13;
      const double scale = real_matrix<S>(stage.inertia).cwiseAbs().maxCoeff();
      for (Eigen::Index k = 0; k < s.cols(); ++k) {
        const double length = real_matrix<S>(s.col(k)).squaredNorm();
        if (!(real_part(D(k, k)) > rounding * scale * length)) return place.v + k;
      }
      stage.D_inverse = D.inverse();
      if (place.parent < 0) continue;
      stage.inertia.noalias() -= stage.U * stage.D_inverse * stage.U.transpose();
    }
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
      if (place.n_v() > 0) {
        auto own = z.segment(place.v, place.n_v());
        own = (stage.D_inverse * (own - motion[i].s.transpose() * impulse)).eval();
        impulse.noalias() += stage.U * own;
      }
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
      if (place.n_v() == 0) continue;
      auto own = z.segment(place.v, place.n_v());
      own -= stage.D_inverse * (stage.U.transpose() * twist);
      twist.noalias() += motion[i].s * own;
    }
  }
}

template class ArticulatedInertia<InstantiatedScalar>;

}  // namespace kurbel
