#include "floating_frame/multibody_system.hpp"

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "floating_frame/beam_nodes.hpp"
#include "floating_frame/marker_shapes.hpp"
#include "floating_frame/multibody_system_detail.hpp"
#include "mechanism/motion_end.hpp"
#include "mechanism/pair_parts.hpp"

namespace kurbel {

namespace {

template <class S>
void add_row(const PairRow& row, RelativeRows<S>& rows) {
  std::array<bool, 3> others = {true, true, true};
  switch (row.kind) {
    case PairRow::Kind::translation:
      return rows.add_translation(row.i);
    case PairRow::Kind::rotation:
      others[static_cast<std::size_t>(row.i)] = false;
      return rows.add_rotations({true, true, true}, others);
    case PairRow::Kind::direction_cosine:
      return rows.add_direction_cosine(row.i, row.j);
  }
}

}  // namespace

template <class S>
MultibodySystem<S>::MultibodySystem(const SystemSpec& spec)
    : spec_(with_beam_nodes(spec)),
      layout_(spec_),
      p_(layout_.values(spec_).template cast<S>()),
      beams_(spec_, layout_, p_),
      first_node_(n_bodies() - n_beam_nodes(spec_)) {
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    bodies_.push_back({n_x_, n_v_});
    n_x_ += 7 + n_q(i);
    n_v_ += 6 + n_q(i);
  }
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    const JointSpec& joint = spec.joints[i];
    if (joint.length) {
      add_joint(rod(joint, layout_.rod_length(i)));
    } else {
      add_joint(held_axes(i));
    }
  }
  const auto add_force = [&](const auto& force, const ParameterBlock& numbers, bool is_angle, int control,
                             SpringLaw law = SpringLaw::hooke, bool in_space = false) {
    RelativeRows<S> rows(resolve(force.to, force.name), resolve(force.from, force.name));
    if (is_angle) {
      rows.add_direction_cosine(0, 0);
      rows.add_direction_cosine(1, 0);
    } else if (in_space) {
      rows.add_distance_in_space();
    } else {
      rows.add_half_square();
    }
    n_pair_ = std::max(n_pair_, rows.n_tangent());
    forces_.push_back({rows, numbers, is_angle, control, law});
  };
  for (std::size_t i = 0; i < spec.springs.size(); ++i) {
    const SpringSpec& spring = spec.springs[i];
    add_force(spring, layout_.numbers_of<SpringSpec>(i), false, -1, spring.law,
              damps_every_direction(spring.law, spring.isotropic_damping));
  }
  for (std::size_t i = 0; i < spec.torsion_springs.size(); ++i) {
    add_force(spec.torsion_springs[i], layout_.numbers_of<TorsionSpringSpec>(i), true, -1);
  }
  for (const MotorSpec& motor : spec.motors) add_force(motor, {}, motor.is_rotary, motor.control);
  for_each_pair_part(spec, [&]<class Part>(const Part& part, std::size_t i) {
    RelativeRows<S> rows(resolve(part.to, part.name), resolve(part.from, part.name));
    const auto law = law_of<S>(part);
    for (const PairRow& row : law->rows()) add_row(row, rows);
    n_pair_ = std::max(n_pair_, rows.n_tangent());
    forces_.push_back({.rows = rows, .numbers = layout_.numbers_of<Part>(i), .law_of_pair = law});
  });
  for (std::size_t i = 0; i < spec.tyres.size(); ++i) {
    const TyreSpec& tyre = spec.tyres[i];
    const MarkerPlace wheel = resolve(tyre.wheel, tyre.name),
                      carrier = resolve({tyre.carrier, "origin"}, tyre.name);
    tyres_.push_back({Tyre<S>(tyre, spec.road, layout_.tyre(i), wheel, carrier), {wheel, carrier}});
    n_pair_ = std::max(n_pair_, tyres_.back().pair.n_tangent());
  }
  for (const MarkerLoadSpec& load : spec.loads) loads_.push_back(make_load(load));
}

template <class S>
std::size_t MultibodySystem<S>::body_index(const std::string& name) const {
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    if (spec_.bodies[i].name == name) return i;
  }
  throw InputError(fmt::format("there is no body {}", name));
}

template <class S>
MarkerPlace MultibodySystem<S>::resolve(const MarkerRef& ref, const std::string& owner) const {
  MarkerPlace place;
  const bool ground = ref.body == "ground";
  if (std::ranges::find(spec_.beams, ref.body, &BeamSpec::name) != spec_.beams.end())
    return resolve({body_of_node(ref.body, ref.marker)}, owner);
  if (!ground) {
    place.body = static_cast<int>(body_index(ref.body));
    place.n_q = n_q(place.body);
  }
  if (ref.marker == "origin") {
    place.is_origin = true;
    return place;
  }
  const std::vector<SidNode>& nodes = ground ? spec_.ground : spec_.bodies[place.body].sid.frame;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].name != ref.marker) continue;
    place.A0 = nodes[k].AP.M0;
    place.layout = ground ? layout_.ground(k) : layout_.body(place.body).markers[k];
    return place;
  }
  throw InputError(fmt::format("{}: body {} has no marker {}", owner, ref.body, ref.marker));
}

template <class S>
std::unique_ptr<typename MultibodySystem<S>::Workspace> MultibodySystem<S>::make_workspace() const {
  return std::make_unique<SystemWorkspace>(*this);
}

template <class S>
typename MultibodySystem<S>::SystemWorkspace& MultibodySystem<S>::workspace(Workspace& ws) const {
  return static_cast<SystemWorkspace&>(ws);
}

template <class S>
Pose<S> MultibodySystem<S>::pose(const Segment& x, std::size_t body) const {
  return {x.template segment<3>(x_offset(body)), x.template segment<4>(x_offset(body) + 3)};
}

template <class S>
void MultibodySystem<S>::update_bodies(const Instant& at, SystemWorkspace& ws) const {
  const Vector3<S> g = spec_.gravity.cast<S>();
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Pose<S> body = pose(at.x, i);
    const S* q = at.x.data() + x_offset(i) + 7;
    ws.kinematics[i] = {body.r, rotation_matrix(body.e), q, nullptr, nullptr, ws.shapes[i].data()};
    for (const MarkerLayout& marker : layout_.body(i).markers) {
      if (!marker.second_order()) continue;
      const Eigen::Index n = n_q(i);
      Eigen::Map<Eigen::Matrix<S, 3, Eigen::Dynamic>> Phi(ws.shapes[i].data() + marker.shapes, 3, n);
      Phi = view<3>(marker.Phi, p_.data());
      const Eigen::Map<const Vec> at_q(q, n);
      for (Eigen::Index l = 0; l < n; ++l) Phi.col(l) += second_order_column<S>(marker, p_.data(), at_q, l);
    }
    ws.gravity[i] = ws.kinematics[i].S.transpose() * g;
  }
}

template <class S>
void MultibodySystem<S>::place(std::size_t body, const Vector3<S>& r, const Matrix3<S>& A,
                               Workspace& workspace_in) const {
  SystemWorkspace& ws = workspace(workspace_in);
  ws.kinematics[body].r = r, ws.kinematics[body].S = A;
  ws.gravity[body].noalias() = A.transpose() * spec_.gravity.cast<S>();
}

template <class S>
std::vector<bool> MultibodySystem<S>::acts_on() const {
  std::vector<bool> is_acted_on(n_bodies(), false);
  const auto mark = [&](const MarkerPlace& place) {
    if (place.body >= 0) is_acted_on[static_cast<std::size_t>(place.body)] = true;
  };
  const auto mark_pair = [&](const RelativeRows<S>& rows) { mark(rows.to()), mark(rows.from()); };
  for (const Joint& joint : joints_) {
    if (joint.rows.n_rows() > 0) mark_pair(joint.rows);
  }
  for (const ForceElement& force : forces_) mark_pair(force.rows);
  for (const TyrePair& tyre : tyres_) mark_pair(tyre.pair);
  for (const Load& load : loads_) {
    mark(load.place);
    for (const LoadAngle& angle : load.angles) mark_pair(angle.rows);
  }
  return is_acted_on;
}

template <class S>
void MultibodySystem<S>::follow_end() {
  for (Load& load : loads_) follow_motion(spec_.time, load.spec);
  for (Joint& joint : joints_) {
    for (Drive<S>& drive : joint.drives) follow_motion(spec_.time, drive.motion);
  }
}

template <class S>
std::vector<double> MultibodySystem<S>::jumps(double from, double to) const {
  std::vector<double> times;
  for (const NamedJump& jump : jumps_of(spec_, from, to)) times.push_back(jump.t);
  return times;
}

template <class S>
std::vector<double> MultibodySystem<S>::kinks(double from, double to) const {
  std::vector<double> times;
  for (const ControlSpec& control : spec_.controls) {
    for (const double t : control.grid.kinks()) {
      if (t >= from && t < to) times.push_back(t);
    }
  }
  return times;
}

/// u = C(t) u_bar
template <class S>
void MultibodySystem<S>::update_controls(const OneSidedTime& t, SystemWorkspace& ws) const {
  const bool has_weights = ws.weights_at.is(t);
  ws.weights_at = t;
  for (std::size_t i = 0; i < spec_.controls.size(); ++i) {
    Eigen::RowVectorXd& weights = ws.weights[i];
    if (!has_weights) spec_.controls[i].grid.weights(t, weights);
    ws.u[static_cast<Eigen::Index>(i)] =
        (weights * p_.segment(layout_.control(i).offset, weights.size())).value();
  }
}

template <class S>
BodyMotion<S> MultibodySystem<S>::motion(const Instant& at, const SystemWorkspace& ws, std::size_t i) const {
  const Eigen::Index n = 6 + n_q(i);
  return {ws.gravity[i], at.x.segment(x_offset(i) + 7, n_q(i)), at.v.segment(v_offset(i), n),
          at.v_dot.segment(v_offset(i), n)};
}

template <class S>
typename MultibodySystem<S>::Ends MultibodySystem<S>::ends(const RelativeRows<S>& rows, SystemWorkspace& ws,
                                                           const S* v, const S* v_dot) const {
  Ends e{{}, {}, {}, ws.shift};
  for (TimeValueOf<S>& s : ws.shift) s = {};
  for (const auto& [place, kinematics] : {std::pair(&rows.to(), &e.to), std::pair(&rows.from(), &e.from)}) {
    if (place->body < 0) continue;
    *kinematics = ws.kinematics[place->body];
    kinematics->v = v ? v + v_offset(*place) : nullptr;
    kinematics->v_dot = v_dot ? v_dot + v_offset(*place) : nullptr;
  }
  return e;
}

template <class S>
typename MultibodySystem<S>::Ends MultibodySystem<S>::ends(const Joint& joint, double t, SystemWorkspace& ws,
                                                           const S* v, const S* v_dot) const {
  Ends e = ends(joint.rows, ws, v, v_dot);
  for (const Drive<S>& drive : joint.drives)
    (drive.is_rotation() ? e.angle : ws.shift[drive.axis()]) = drive.at(t, p_.data(), ws.drive_weights);
  return e;
}

template <class S>
typename MultibodySystem<S>::Ends MultibodySystem<S>::ends_at(const RelativeRows<S>& rows, const Instant& at,
                                                              Workspace& workspace_in) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  return ends(rows, ws, at.v.data(), nullptr);
}

template <class S>
void MultibodySystem<S>::add_block(const RelativeRows<S>& rows, const Eigen::Ref<const Matrix>& local,
                                   BlockMatrix<S>& global) const {
  for_each_end(rows, [&](Eigen::Index gi, Eigen::Index li, Eigen::Index ni) {
    for_each_end(rows, [&](Eigen::Index gj, Eigen::Index lj, Eigen::Index nj) {
      global.block(gi, gj, ni, nj) += local.block(li, lj, ni, nj);
    });
  });
}

template <class S>
void MultibodySystem<S>::residual(const Instant& at, Workspace& workspace_in, Eigen::Ref<Vec> f,
                                  Eigen::Ref<Vec> c) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    body_residual<S>(layout_.body(i), p_.data(), motion(at, ws, i), ws.bodies[i],
                     f.segment(v_offset(i), 6 + n_q(i)));
  }
  add_beam_residual(at, ws, f);
  add_parts(at, ws, f, c);
}

template <class S>
void MultibodySystem<S>::add_parts(const Instant& at, SystemWorkspace& ws, Eigen::Ref<Vec> f,
                                   Eigen::Ref<Vec> c) const {
  update_controls(at.t, ws);
  for (const Joint& joint : joints_) {
    const Eigen::Index n = joint.rows.n_rows();
    if (n == 0) continue;
    const Ends e = ends(joint, at.t, ws, nullptr, nullptr);
    auto C = ws.C_local.topLeftCorner(n, joint.rows.n_tangent());
    joint.rows.values_and_jacobian(p_.data(), e, c.segment(joint.first_row, n), C);
    for_each_end(joint.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
      for (Eigen::Index i = 0; i < n; ++i)
        f.segment(g, size) += at.lambda[joint.first_row + i] * C.row(i).segment(l, size).transpose();
    });
  }
  for (const ForceElement& force : forces_) add_force_residual(force, at, ws, f);
  for (const TyrePair& tyre : tyres_) add_tyre_residual(tyre, at, ws, f);
  for (const Load& load : loads_) add_load_residual(load, at, ws, f);
}

template <class S>
void MultibodySystem<S>::retract(const Segment& x, const Segment& xi, Eigen::Ref<Vec> x_new) const {
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index xo = x_offset(i), vo = v_offset(i);
    const Pose<S> next = kurbel::retract<S>(pose(x, i), xi.template segment<6>(vo));
    x_new.template segment<3>(xo) = next.r;
    x_new.template segment<4>(xo + 3) = next.e;
    x_new.segment(xo + 7, n_q(i)) = x.segment(xo + 7, n_q(i)) + xi.segment(vo + 6, n_q(i));
  }
}

template <class S>
void MultibodySystem<S>::increment(const Segment& x, const Segment& x_new, Eigen::Ref<Vec> xi) const {
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index xo = x_offset(i), vo = v_offset(i);
    xi.template segment<6>(vo) = kurbel::increment<S>(pose(x, i), pose(x_new, i));
    xi.segment(vo + 6, n_q(i)) = x_new.segment(xo + 7, n_q(i)) - x.segment(xo + 7, n_q(i));
  }
}

template <class S>
void MultibodySystem<S>::retraction_derivative(const Segment& xi,
                                               std::vector<RetractionBlock<S>>& blocks) const {
  blocks.resize(n_bodies());
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const auto d = kurbel::retraction_derivative<S>(xi.template segment<6>(v_offset(i)));
    blocks[i] = {v_offset(i), d.T, d.Ad};
  }
}

template class MultibodySystem<InstantiatedScalar>;

}  // namespace kurbel
