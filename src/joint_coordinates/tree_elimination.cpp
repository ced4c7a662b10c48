/// @file
/// Factorizes and solves the linearized equations of a tree by the recursions of tree_elimination.hpp.
///
/// The letters of the header, as the code has them:
///
///     (s, u, a), a_v   by_position_ and a_v_, a column per velocity; axis(i): s
///     K, F             own_ and carried of a stage
///     L, N             on_carried and on_carrying of a pair
///     A, H             A of a stage: A_i at first, H_i after contribution_to_parent()
///     U                A sigma, then g
///     K, L, N, A, H    are stored as their transposes, as is what is added to A
///     contribution     what a stage adds to A, or to the wrench, of the one before
///     b, zeta          wrenches_ and states_ of the sweeps; in transposed sweeps their adjoint seeds
///     left, e          r - s^T b and D^-1 left
///     z                right-hand side and solution dy, in place
///     moved            twist by the coordinates' changes, s dz
///     turning          T of the retraction of a stage, if it has a block
#include "joint_coordinates/tree_elimination.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/instantiate.hpp"
#include "integration/pivots.hpp"

namespace kurbel {

template <class S>
TreeElimination<S>::TreeElimination(const JointTree& tree, const std::vector<bool>& is_paired)
    : tree_(tree),
      stages_(tree.n_stages()),
      own_(tree.n_stages()),
      states_(tree.n_stages()),
      wrenches_(tree.n_stages()) {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (!is_paired[i]) continue;
    stages_[i].pair = static_cast<int>(pairs_.size());
    pairs_.push_back({OfPair::Zero(), OfPair::Zero()});  // forces may couple one direction alone
  }
  for (Flat<18>* columns : {&by_position_, &sigma_, &P_transposed_}) columns->setZero(18, tree.n_v());
  for (Flat<6>* columns : {&a_v_, &g_, &D_inverse_}) columns->setZero(6, tree.n_v());
}

template <class S>
void TreeElimination<S>::set_motion(const TreeMotion<S>& motion) {
  shifts_ = !motion.has_common_point();
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    const int own = static_cast<int>(i);
    stages_[i].offset.setZero();
    if (shifts_ && stage.parent >= 0) stages_[i].offset = motion[own].rho - motion[stage.parent].rho;
    const StageMotion<S>& m = motion[own];
    const Vector6<S> twists = m.V_before + m.V;
    for (Eigen::Index k = 0; k < stage.n_v(); ++k) {
      const Vector6<S> s = m.s.col(k);
      const Variation<S> position = kurbel::by_position<S>(s, m.V_before, m.acceleration_before);
      auto column = by_position_.col(stage.v + k);
      column.template head<6>() = s;
      column.template segment<6>(6) = position.u;
      column.template tail<6>() = position.a;
      a_v_.col(stage.v + k) = ad<S>(twists, s);
    }
  }
}

template <class S>
void TreeElimination<S>::shift_from_parent(const Stage& stage, State& zeta) const {
  if (!shifts_) return;
  for (int k = 0; k < 18; k += 6)
    zeta.template segment<3>(k) += cross(zeta.template segment<3>(k + 3), stage.offset);
}

template <class S>
void TreeElimination<S>::add_to_parent(const Stage& stage, const State& bar, State& sum) const {
  sum += bar;
  if (!shifts_) return;
  for (int k = 0; k < 18; k += 6)
    sum.template segment<3>(k + 3) += cross(stage.offset, bar.template segment<3>(k));
}

template <class S>
Vector6<S> TreeElimination<S>::wrench_to_parent(const Stage& stage, const Vector6<S>& w) const {
  return shifts_ ? shifted_wrench<S>(w, -stage.offset) : w;
}

template <class S>
Vector6<S> TreeElimination<S>::twist_from_parent(const Stage& stage, const Vector6<S>& V) const {
  return shifts_ ? shifted_twist<S>(V, stage.offset) : V;
}

template <class S>
template <int n>
void TreeElimination<S>::set_sigma(Eigen::Index v, const RetractionBlock<S>* block, double c_v, double c_x) {
  const auto by_position = by_position_.template middleCols<n>(v);
  const auto s = by_position.template topRows<6>();
  auto sigma = sigma_.template middleCols<n>(v);
  if (block) {
    sigma.noalias() = by_position * block->T.template topLeftCorner<n, n>();
    sigma *= c_x;
  } else {
    sigma = c_x * by_position;
  }
  sigma.template middleRows<6>(6) += c_v * s;
  sigma.template bottomRows<6>() += c_v * a_v_.template middleCols<n>(v) + s;
}

/// Returns T^T H + N T: what a stage adds to A of the one before if its own joint does not move. Turns its A into H.
template <class S>
auto TreeElimination<S>::contribution_to_parent(Stage& stage) -> const OfState& {
  const Pair* pair = pair_of(stage);
  if (!shifts_ && !pair) return stage.A;
  const Matrix3<S> d = tilde(stage.offset);
  const auto shift_rows = [&](auto& of_zeta) {
    for (int k = 0; k < of_zeta.rows(); k += 6)
      of_zeta.template middleRows<3>(k + 3) += d * of_zeta.template middleRows<3>(k);
  };
  if (shifts_) shift_rows(stage.A);
  if (pair) stage.A.template topRows<12>() += pair->on_carried;
  contribution_ = stage.A;
  if (shifts_) contribution_.template rightCols<3>() -= contribution_.template leftCols<3>() * d;
  if (pair) {
    OfPair on_carrying = pair->on_carrying;
    if (shifts_) shift_rows(on_carrying);
    contribution_.template topRows<12>() += on_carrying;
  }
  return contribution_;
}

namespace {

/// Returns whether D = s^T A sigma exceeds the rounding errors of the terms in its sum, and those of the inertia in A:
/// joints further out may have left nothing of it about an axis.
template <int n, class Axes, class Sigma, class OfState, class Pivots>
bool stands_above_rounding(const Axes& s, const Sigma& sigma, const OfState& A, const Pivots& D) {
  constexpr double rounding = 1e-14;
  // By Cauchy and Schwarz no sum of absolute terms is larger than these norms; few pivots need the sums themselves.
  const double bound = rounding * rounding * A.squaredNorm();
  const auto clearly_stands = [&](int k) {
    const double of_axis = s.col(k).squaredNorm();
    return std::norm(D(k, k)) > bound * of_axis * (2.0 * sigma.col(k).squaredNorm() + 8.0 * of_axis);
  };
  const Vector6<double> inertia = A.template bottomRows<6>().diagonal().cwiseAbs();
  for (int k = 0; k < n; ++k) {
    if (clearly_stands(k)) continue;
    const Vector6<double> s_k = s.col(k).cwiseAbs();
    const double summed = (s_k.transpose() * (A.cwiseAbs().transpose() * sigma.col(k).cwiseAbs())).value();
    const double least = rounding * std::max(summed, size_of_inertia(inertia, s_k));
    // Comparisons with NaN are false, so the condition is negated.
    if (!std::isfinite(summed) || !(std::abs(D(k, k)) > least)) return false;
  }
  return true;
}

/// a^T b, without conjugation of complex vectors.
template <class A, class B>
typename A::Scalar product(const A& a, const B& b) {
  return a.cwiseProduct(b).sum();
}

}  // namespace

/// Returns the wrench with a variation.
template <class S>
EIGEN_ALWAYS_INLINE Vector6<S> TreeElimination<S>::times(const OfState& of_state, const State& zeta) {
  Vector6<S> w;
  for (int r = 0; r < 6; ++r) w[r] = product(of_state.col(r), zeta);
  return w;
}

/// Computes sigma, D^-1, P and g of a stage, and adds to A of the one before.
/// @return true if D is regular; if not, the results may be infinite
template <class S>
template <int n>
bool TreeElimination<S>::free_joint(const TreeStage& own, const RetractionBlock<S>* block, double c_v,
                                    double c_x, Stage& stage) {
  set_sigma<n>(own.v, block, c_v, c_x);
  const auto s = by_position_.template middleCols<n>(own.v).template topRows<6>();
  const auto sigma = sigma_.template middleCols<n>(own.v);
  Eigen::Matrix<S, 6, n> U;
  for (int k = 0; k < n; ++k) U.col(k) = times(stage.A, sigma.col(k));
  const Eigen::Matrix<S, n, n> D = s.transpose() * U;
  auto D_inverse = D_inverse_.template middleCols<n>(own.v).template topRows<n>();
  bool regular = stands_above_rounding<n>(s, sigma, stage.A, D);
  if constexpr (n == 1) {
    D_inverse(0, 0) = S(1.0) / D(0, 0);
  } else {
    const Eigen::PartialPivLU<Eigen::Matrix<S, n, n>> lu(D);
    regular = regular && is_regular(lu);
    D_inverse = lu.inverse();
  }
  if (own.parent < 0) return regular;
  for (int k = 0; k < n; ++k) {
    const Vector6<S> moved = sigma.col(k).template head<6>();
    U.col(k) = wrench_to_parent(stage, U.col(k) - ad_transposed<S>(moved, stage.carried));
  }
  if (const Pair* pair = pair_of(stage))
    U.noalias() += pair->on_carrying.transpose() * sigma.template topRows<12>();
  const OfState& contribution = contribution_to_parent(stage);
  const Eigen::Matrix<S, 18, n> H_s = stage.A * s, P = H_s * D_inverse.transpose();
  OfState& carrying = stages_[place(own.parent)].A;
  for (int r = 0; r < 6; ++r) carrying.col(r) += contribution.col(r) - P * U.row(r).transpose();
  P_transposed_.template middleCols<n>(own.v) = P;
  g_.template middleCols<n>(own.v) = U;
  return regular;
}

template <class S>
bool TreeElimination<S>::factorize(const Blocks& blocks, double c_v, double c_x) {
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].A = own_[i];
  auto block = blocks.rbegin();
  bool regular = true;
  for (int i = static_cast<int>(stages_.size()) - 1; i >= 0; --i) {
    const TreeStage& own = tree_.stages()[place(i)];
    Stage& stage = stages_[place(i)];
    const bool turns = block != blocks.rend() && block->offset == own.v && own.n_v() == block->size();
    const RetractionBlock<S>* turning = turns ? &*block++ : nullptr;
    with_velocities(own, [&](auto count) {
      regular = free_joint<decltype(count)::value>(own, turning, c_v, c_x, stage) && regular;
    });
    if (own.kind == TreeStage::Kind::rigid && own.parent >= 0)
      stages_[place(own.parent)].A += contribution_to_parent(stage);
  }
  assert(block == blocks.rend());
  return regular;
}

template <class S>
void TreeElimination<S>::solve(Columns b) const {
  Vector6<S> left;
  for (Eigen::Index column = 0; column < b.cols(); ++column) {
    auto z = b.col(column);
    for (Vector6<S>& w : wrenches_) w.setZero();
    for (std::size_t i = stages_.size(); i-- > 0;) {
      const TreeStage& own = tree_.stages()[i];
      const Eigen::Index v = own.v, n = own.n_v();
      for (Eigen::Index k = 0; k < n; ++k) left[k] = z[v + k] - product(axis(v + k), wrenches_[i]);
      for (Eigen::Index k = 0; k < n; ++k) {
        S e(0.0);
        for (Eigen::Index l = 0; l < n; ++l) e += D_inverse_(k, v + l) * left[l];
        z[v + k] = e;
      }
      if (own.parent < 0) continue;
      Vector6<S>& carrying = wrenches_[place(own.parent)];
      carrying += wrench_to_parent(stages_[i], wrenches_[i]);
      for (Eigen::Index k = v; k < v + n; ++k) carrying += g_.col(k) * z[k];
    }
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const TreeStage& own = tree_.stages()[i];
      State& zeta = states_[i];
      const Eigen::Index first = own.v, last = own.v + own.n_v();
      if (own.parent >= 0) {
        const State& before = states_[place(own.parent)];
        zeta = before;
        shift_from_parent(stages_[i], zeta);
        for (Eigen::Index k = first; k < last; ++k) z[k] -= product(P_transposed_.col(k), before);
      } else {
        zeta.setZero();
      }
      for (Eigen::Index k = first; k < last; ++k) zeta += sigma_.col(k) * z[k];
    }
  }
}

/// Transposes the sweeps of solve(), in reverse order.
template <class S>
void TreeElimination<S>::solve_transposed(Columns b) const {
  Vector6<S> e_bar;
  for (Eigen::Index column = 0; column < b.cols(); ++column) {
    auto z = b.col(column);
    for (State& bar : states_) bar.setZero();
    for (std::size_t i = stages_.size(); i-- > 0;) {
      const TreeStage& own = tree_.stages()[i];
      for (Eigen::Index k = own.v; k < own.v + own.n_v(); ++k) {
        z[k] += product(sigma_.col(k), states_[i]);
        if (own.parent >= 0) states_[place(own.parent)] -= P_transposed_.col(k) * z[k];
      }
      if (own.parent >= 0) add_to_parent(stages_[i], states_[i], states_[place(own.parent)]);
    }
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const TreeStage& own = tree_.stages()[i];
      const Eigen::Index v = own.v, n = own.n_v();
      Vector6<S>& b_bar = wrenches_[i];
      b_bar.setZero();
      if (own.parent >= 0) b_bar = twist_from_parent(stages_[i], wrenches_[place(own.parent)]);
      for (Eigen::Index k = 0; k < n; ++k) {
        e_bar[k] = z[v + k];
        if (own.parent >= 0) e_bar[k] += product(g_.col(v + k), wrenches_[place(own.parent)]);
      }
      for (Eigen::Index k = 0; k < n; ++k) {
        S r_bar(0.0);
        for (Eigen::Index l = 0; l < n; ++l) r_bar += D_inverse_(l, v + k) * e_bar[l];
        z[v + k] = r_bar;
        b_bar -= axis(v + k) * r_bar;
      }
    }
  }
}

template <class S>
void TreeElimination<S>::add_product(const Eigen::Ref<const MatrixX<S>>& x,
                                     const Eigen::Ref<const MatrixX<S>>& v, Columns f) const {
  for (Eigen::Index column = 0; column < x.cols(); ++column) {
    for (Vector6<S>& w : wrenches_) w.setZero();
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const TreeStage& own = tree_.stages()[i];
      const Stage& stage = stages_[i];
      State& zeta = states_[i];
      zeta.setZero();
      if (own.parent >= 0) {
        zeta = states_[place(own.parent)];
        shift_from_parent(stage, zeta);
      }
      for (Eigen::Index k = own.v; k < own.v + own.n_v(); ++k) {
        const S dz = x(k, column), dz_dot = v(k, column);
        zeta += by_position_.col(k) * dz;
        zeta.template segment<6>(6) += axis(k) * dz_dot;
        zeta.template tail<6>() += a_v_.col(k) * dz_dot;
      }
      wrenches_[i] += times(own_[i], zeta);
      if (const Pair* pair = pair_of(stage)) {
        wrenches_[i].noalias() +=
            pair->on_carried.transpose() * states_[place(own.parent)].template head<12>();
        wrenches_[place(own.parent)].noalias() += pair->on_carrying.transpose() * zeta.template head<12>();
      }
    }
    for (std::size_t i = stages_.size(); i-- > 0;) {
      const TreeStage& own = tree_.stages()[i];
      Vector6<S>& w = wrenches_[i];
      Vector6<S> moved = Vector6<S>::Zero();
      for (Eigen::Index k = own.v; k < own.v + own.n_v(); ++k) {
        f(k, column) += product(axis(k), w);
        moved += axis(k) * x(k, column);
      }
      if (own.n_v() > 0) w -= ad_transposed<S>(moved, stages_[i].carried);
      if (own.parent >= 0) wrenches_[place(own.parent)] += wrench_to_parent(stages_[i], w);
    }
  }
}

/// The twists of all stages by w, and twice the kinetic energies with them.
template <class S>
S TreeElimination<S>::kinetic_product(const Eigen::Ref<const Vec>& w) const {
  S sum(0);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const TreeStage& own = tree_.stages()[i];
    Vector6<S>& twist = wrenches_[i];
    twist.setZero();
    if (own.parent >= 0) twist = twist_from_parent(stages_[i], wrenches_[place(own.parent)]);
    for (Eigen::Index k = own.v; k < own.v + own.n_v(); ++k) twist += axis(k) * w[k];
    sum += product(twist, Vector6<S>(own_[i].template bottomRows<6>() * twist));
  }
  return sum;
}

template <class S>
void TreeElimination<S>::subtract_transposed_product(const Eigen::Ref<const Vec>& mu, Eigen::Ref<Vec> x_bar,
                                                     Eigen::Ref<Vec> v_bar) const {
  for (State& bar : states_) bar.setZero();
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const TreeStage& own = tree_.stages()[i];
    const Stage& stage = stages_[i];
    Vector6<S>& moved = wrenches_[i];  // twist by mu of what the stage carries
    moved.setZero();
    if (own.parent >= 0) moved = twist_from_parent(stage, wrenches_[place(own.parent)]);
    if (own.n_v() > 0) {
      const Vector6<S> contribution = ad_transposed<S>(moved, stage.carried);
      for (Eigen::Index k = own.v; k < own.v + own.n_v(); ++k) {
        x_bar[k] -= product(axis(k), contribution);
        moved += axis(k) * mu[k];
      }
    }
    states_[i].noalias() += own_[i] * moved;
    if (const Pair* pair = pair_of(stage)) {
      states_[place(own.parent)].template head<12>().noalias() += pair->on_carried * moved;
      states_[i].template head<12>().noalias() += pair->on_carrying * wrenches_[place(own.parent)];
    }
  }
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const TreeStage& own = tree_.stages()[i];
    const State& bar = states_[i];
    for (Eigen::Index k = own.v; k < own.v + own.n_v(); ++k) {
      x_bar[k] -= product(by_position_.col(k), bar);
      v_bar[k] -= product(axis(k), bar.template segment<6>(6)) + product(a_v_.col(k), bar.template tail<6>());
    }
    if (own.parent >= 0) add_to_parent(stages_[i], bar, states_[place(own.parent)]);
  }
}

template class TreeElimination<InstantiatedScalar>;

}  // namespace kurbel
