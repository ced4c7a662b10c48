/// Spatial beams between nodes that are bodies without mass.
#include "base/instantiate.hpp"
#include "elements/beam_shape.hpp"
#include "floating_frame/multibody_system_detail.hpp"

namespace kurbel {

namespace {

/// The quaternion of a rotation matrix; the largest of its numbers is found first.
template <class S>
Quaternion<S> quaternion_of(const Matrix3<S>& R) {
  using std::sqrt;
  const S trace = R.trace();
  Eigen::Matrix<S, 4, 1> squares(1.0 + trace, 1.0 - trace + 2.0 * R(0, 0), 1.0 - trace + 2.0 * R(1, 1),
                                 1.0 - trace + 2.0 * R(2, 2));
  Eigen::Index largest = 0;
  squares.real().maxCoeff(&largest);
  const S e = 0.5 * sqrt(squares[largest]), scale = 0.25 / e;
  Quaternion<S> q;
  if (largest == 0) {
    q << e, (R(2, 1) - R(1, 2)) * scale, (R(0, 2) - R(2, 0)) * scale, (R(1, 0) - R(0, 1)) * scale;
    return q;
  }
  const Eigen::Index i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
  q[0] = (R(k, j) - R(j, k)) * scale;
  q[1 + i] = e;
  q[1 + j] = (R(j, i) + R(i, j)) * scale;
  q[1 + k] = (R(k, i) + R(i, k)) * scale;
  return q;
}

template <class S>
Matrix3<S> axes(const typename BeamShape<S>::Node& node) {
  return node.template rightCols<3>();
}

/// delta r and delta theta in the frame of a node, of variations of its place and axes.
template <class S>
Vector6<S> displacement(const typename BeamShape<S>::Node& node,
                        const typename BeamShape<S>::Node& variation) {
  const Matrix3<S> R = axes<S>(node), turn = R.transpose() * axes<S>(variation);
  Vector6<S> xi;
  xi << R.transpose() * variation.col(0), turn(2, 1), turn(0, 2), turn(1, 0);
  return xi;
}

/// Start, end and through of a beam in the columns, out of all parameters.
template <class S>
Matrix3<S> places_of(const Eigen::Ref<const VectorX<S>>& p, const BeamLayout& beam) {
  return p.template segment<BeamLayout::n_places>(beam.places()).reshaped(3, 3);
}

template <class S>
Matrix3<S> unit_places(int j) {
  Matrix3<S> unit = Matrix3<S>::Zero();
  unit(j) = S(1);
  return unit;
}

}  // namespace

template <class S>
auto MultibodySystem<S>::element_nodes(std::size_t element, const Instant& at,
                                       const SystemWorkspace& ws) const -> BeamNodes {
  const std::size_t first = first_node_ + beams_.first_node(element);
  const Eigen::Index o = v_offset(first);
  return {{ws.kinematics[first].r, ws.kinematics[first + 1].r},
          {ws.kinematics[first].S, ws.kinematics[first + 1].S},
          at.v.template segment<12>(o),
          at.v_dot.size() > 0 ? at.v_dot.template segment<12>(o) : BeamTwists(BeamTwists::Zero())};
}

template <class S>
template <class Action>
void MultibodySystem<S>::for_each_element(const Instant& at, SystemWorkspace& ws, const Action& act) const {
  for (std::size_t i = 0; i < beams_.n_elements(); ++i)
    act(i, v_offset(first_node_ + beams_.first_node(i)), element_nodes(i, at, ws));
}

template <class S>
void MultibodySystem<S>::add_beam_residual(const Instant& at, SystemWorkspace& ws, Eigen::Ref<Vec> f) const {
  for_each_element(at, ws, [&](std::size_t i, Eigen::Index o, const BeamNodes& nodes) {
    BeamTwists own;
    beams_.residual(i, nodes, ws.beam, own);
    f.template segment<12>(o) += own;
  });
}

template <class S>
void MultibodySystem<S>::add_beam_blocks(BlockMatrix<S>& matrix) const {
  for (std::size_t i = 0; i < beams_.n_elements(); ++i) {
    const Eigen::Index first = v_offset(first_node_ + beams_.first_node(i)), second = first + 6;
    matrix.add_block(first, second, 6, 6), matrix.add_block(second, first, 6, 6);
  }
}

template <class S>
void MultibodySystem<S>::add_beam_jacobians(const Instant& at, SystemWorkspace& ws,
                                            DaeJacobians<S>& out) const {
  for_each_element(at, ws, [&](std::size_t i, Eigen::Index o, const BeamNodes& nodes) {
    typename PosedBeams<S>::Square f_x, f_v, M;
    beams_.jacobians(i, nodes, ws.beam, f_x, f_v, M);
    for (const auto& [own, global] :
         {std::pair{&f_x, &out.f_x}, std::pair{&f_v, &out.f_v}, std::pair{&M, &out.M}}) {
      for (const Eigen::Index row : {0, 6}) {
        for (const Eigen::Index col : {0, 6})
          global->block(o + row, o + col, 6, 6) += own->template block<6, 6>(row, col);
      }
    }
  });
}

template <class S>
void MultibodySystem<S>::pullback_beams(const Instant& at, const Segment& mu, SystemWorkspace& ws,
                                        Eigen::Ref<Vec> p_bar) const {
  for_each_element(at, ws, [&](std::size_t i, Eigen::Index o, const BeamNodes& nodes) {
    beams_.pullback(i, nodes, mu.template segment<12>(o), ws.beam, p_bar);
  });
}

template <class S>
void MultibodySystem<S>::push_forward_beams(const Instant& at, const ConstColumns& p_dot, SystemWorkspace& ws,
                                            Columns f_p) const {
  for_each_element(at, ws, [&](std::size_t i, Eigen::Index o, const BeamNodes& nodes) {
    for (Eigen::Index column = 0; column < p_dot.cols(); ++column)
      f_p.col(column).template segment<12>(o) += beams_.push_forward(i, nodes, p_dot.col(column), ws.beam);
  });
}

template <class S>
void MultibodySystem<S>::add_beam_energy(const Instant& at, SystemWorkspace& ws, Energy& sum) const {
  for_each_element(at, ws, [&](std::size_t i, Eigen::Index, const BeamNodes& nodes) {
    const Energy own = beams_.energy(i, nodes, ws.beam);
    sum.kinetic += own.kinetic, sum.elastic += own.elastic, sum.gravitational += own.gravitational;
  });
}

template <class S>
void MultibodySystem<S>::add_beam_energy_partials(const Instant& at, const EnergyWeights& weights,
                                                  SystemWorkspace& ws, Eigen::Ref<Vec> x_bar,
                                                  Eigen::Ref<Vec> v_bar, Eigen::Ref<Vec> p_bar) const {
  for_each_element(at, ws, [&](std::size_t i, Eigen::Index o, const BeamNodes& nodes) {
    BeamTwists own_x = BeamTwists::Zero(), own_v = BeamTwists::Zero();
    beams_.add_energy_partials(i, nodes, weights, ws.beam, own_x, own_v, p_bar);
    x_bar.template segment<12>(o) += own_x, v_bar.template segment<12>(o) += own_v;
  });
}

template <class S>
void MultibodySystem<S>::add_beam_momentum(const Instant& at, SystemWorkspace& ws, Momentum& total) const {
  for_each_element(at, ws, [&](std::size_t i, Eigen::Index, const BeamNodes& nodes) {
    beams_.add_momentum(i, nodes, ws.beam, total.linear, total.angular);
  });
}

/// Calls act(index of the node's body, shape of its beam, node, layout of the beam) for every node.
template <class S>
template <class Action>
void MultibodySystem<S>::for_each_node(const Action& act) const {
  std::size_t body = first_node_;
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    const BeamShape<S> shape(spec_.beams[i], p_.data() + layout_.beam(i).places());
    for (int k = 0; k <= spec_.beams[i].n_elements; ++k) act(body++, shape, k, layout_.beam(i));
  }
}

template <class S>
void MultibodySystem<S>::set_given_nodes(Eigen::Ref<Vec> x) const {
  for_each_node([&](std::size_t body, const BeamShape<S>& shape, int k, const BeamLayout&) {
    const auto node = shape.node(k);
    x.template segment<3>(x_offset(body)) = node.col(0);
    x.template segment<4>(x_offset(body) + 3) = quaternion_of<S>(axes<S>(node));
  });
}

template <class S>
void MultibodySystem<S>::push_forward_given_nodes(const ConstColumns& p_dot, Columns x_dot) const {
  for_each_node([&](std::size_t body, const BeamShape<S>& shape, int k, const BeamLayout& beam) {
    for (Eigen::Index j = 0; j < p_dot.cols(); ++j) {
      const Matrix3<S> places = places_of<S>(p_dot.col(j), beam);
      if (places.isZero(0.0)) continue;
      x_dot.col(j).template segment<6>(v_offset(body)) =
          displacement<S>(shape.node(k), shape.node_variation(k, places));
    }
  });
}

template <class S>
void MultibodySystem<S>::pullback_given_nodes(const Segment& x_bar, Eigen::Ref<Vec> p_bar) const {
  for_each_node([&](std::size_t body, const BeamShape<S>& shape, int k, const BeamLayout& beam) {
    const Vector6<S> bar = x_bar.template segment<6>(v_offset(body));
    if (bar.isZero(0.0)) return;
    for (int j = 0; j < BeamLayout::n_places; ++j)
      p_bar[beam.places() + j] +=
          dot(bar, displacement<S>(shape.node(k), shape.node_variation(k, unit_places<S>(j))));
  });
}

/// v = S^T r_dot, omega = S^T of that of the whole beam, wherever the joints have turned the node.
template <class S>
void MultibodySystem<S>::set_given_node_rates(const Segment& x, Eigen::Ref<Vec> v, Columns v_x) const {
  for_each_node([&](std::size_t body, const BeamShape<S>& shape, int k, const BeamLayout&) {
    const Matrix3<S> back = rotation_matrix<S>(pose(x, body).e).transpose();
    const Eigen::Index o = v_offset(body);
    v.template segment<3>(o) = back * shape.node_rate(k).col(0);
    v.template segment<3>(o + 3) = back * shape.angular_velocity();
    for (const Eigen::Index part : {o, o + 3})
      v_x.template block<3, 3>(part, o + 3) = tilde(Vector3<S>(v.template segment<3>(part)));
  });
}

template <class S>
void MultibodySystem<S>::push_forward_given_node_rates(const Segment& x, const ConstColumns& p_dot,
                                                       Columns v_dot) const {
  for_each_node([&](std::size_t body, const BeamShape<S>& shape, int k, const BeamLayout& beam) {
    const Matrix3<S> back = rotation_matrix<S>(pose(x, body).e).transpose();
    for (Eigen::Index j = 0; j < p_dot.cols(); ++j) {
      v_dot.col(j).template segment<3>(v_offset(body)) =
          back * shape.node_rate_variation(k, places_of<S>(p_dot.col(j), beam)).col(0);
    }
  });
}

template <class S>
void MultibodySystem<S>::pullback_given_node_rates(const Segment& x, const Segment& v_bar,
                                                   Eigen::Ref<Vec> p_bar) const {
  for_each_node([&](std::size_t body, const BeamShape<S>& shape, int k, const BeamLayout& beam) {
    const Vector3<S> rate_bar =
        rotation_matrix<S>(pose(x, body).e) * v_bar.template segment<3>(v_offset(body));
    for (int j = 0; j < BeamLayout::n_places; ++j)
      p_bar[beam.places() + j] +=
          dot(rate_bar, Vector3<S>(shape.node_rate_variation(k, unit_places<S>(j)).col(0)));
  });
}

#define KURBEL_INSTANTIATE(S)                                                                              \
  template typename MultibodySystem<S>::BeamNodes MultibodySystem<S>::element_nodes(                       \
      std::size_t, const Instant&, const SystemWorkspace&) const;                                          \
  template void MultibodySystem<S>::add_beam_residual(const Instant&, SystemWorkspace&, Eigen::Ref<Vec>)   \
      const;                                                                                               \
  template void MultibodySystem<S>::add_beam_blocks(BlockMatrix<S>&) const;                                \
  template void MultibodySystem<S>::add_beam_jacobians(const Instant&, SystemWorkspace&, DaeJacobians<S>&) \
      const;                                                                                               \
  template void MultibodySystem<S>::pullback_beams(const Instant&, const Segment&, SystemWorkspace&,       \
                                                   Eigen::Ref<Vec>) const;                                 \
  template void MultibodySystem<S>::push_forward_beams(const Instant&, const ConstColumns&,                \
                                                       SystemWorkspace&, Columns) const;                   \
  template void MultibodySystem<S>::add_beam_energy(const Instant&, SystemWorkspace&, Energy&) const;      \
  template void MultibodySystem<S>::add_beam_energy_partials(const Instant&, const EnergyWeights&,         \
                                                             SystemWorkspace&, Eigen::Ref<Vec>,            \
                                                             Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;      \
  template void MultibodySystem<S>::add_beam_momentum(const Instant&, SystemWorkspace&, Momentum&) const;  \
  template void MultibodySystem<S>::set_given_nodes(Eigen::Ref<Vec>) const;                                \
  template void MultibodySystem<S>::push_forward_given_nodes(const ConstColumns&, Columns) const;          \
  template void MultibodySystem<S>::pullback_given_nodes(const Segment&, Eigen::Ref<Vec>) const;           \
  template void MultibodySystem<S>::set_given_node_rates(const Segment&, Eigen::Ref<Vec>, Columns) const;  \
  template void MultibodySystem<S>::push_forward_given_node_rates(const Segment&, const ConstColumns&,     \
                                                                  Columns) const;                          \
  template void MultibodySystem<S>::pullback_given_node_rates(const Segment&, const Segment&,              \
                                                              Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
