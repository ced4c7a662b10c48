#include "floating_frame/system_quantity.hpp"

#include <algorithm>
#include <stdexcept>

#include "mechanism/motion_end.hpp"

namespace kurbel {

namespace {

using Kind = SystemQuantity::Kind;

constexpr std::array<std::pair<int, int>, 6> inertia_entries = {
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

/// c^2 E - c c^T
Matrix3d parallel_axes(const Vector3d& c) {
  return c.squaredNorm() * Matrix3d::Identity() - c * c.transpose();
}

bool is_initial(Kind kind) {
  return kind == Kind::initial_position || kind == Kind::initial_rotation || kind == Kind::initial_velocity ||
         kind == Kind::initial_angular_velocity;
}

template <class Spec>
auto& elements_of(const SystemQuantity& q, Spec& spec) {
  return spec.planar_beams[q.owner].elements[static_cast<std::size_t>(q.component)];
}

bool is_of_all_elements(const SystemQuantity& q) {
  return q.kind == Kind::planar_beam_number && q.part == 0;
}

/// The share of each element in a number of a whole beam.
double share_of_element(const SystemQuantity& q, const SystemSpec& spec) {
  return q.component == PlanarBeamSpec::length ? 1.0 / static_cast<double>(elements_of(q, spec).size()) : 1.0;
}

/// The number itself inside a specification, for all kinds but those of a rigid body's mass and of several elements.
double& entry(const SystemQuantity& q, SystemSpec& spec) {
  switch (q.kind) {
    case Kind::marker:
      return spec.bodies[q.owner].sid.frame[q.part].origin.M0(q.component, 0);
    case Kind::ground_marker:
      return spec.ground[q.owner].origin.M0(q.component, 0);
    case Kind::part_number:
      return part_numbers()[q.part].of(spec, q.owner)[static_cast<std::size_t>(q.component)];
    case Kind::initial_position:
    case Kind::initial_rotation:
    case Kind::initial_velocity:
    case Kind::initial_angular_velocity:
      return (spec.bodies[q.owner].initial.*initial_part(q.kind).value)[q.component];
    case Kind::drive_value:
      return spec.joints[q.owner].drives[q.part].table->values[q.component];
    case Kind::end_of_motion:
      return spec.time.t1;
    case Kind::planar_beam_number:
      if (q.part > 0) return elements_of(q, spec)[q.part - 1];
      throw std::logic_error("a number of several elements");
    case Kind::mass:
    case Kind::centre_of_mass:
    case Kind::inertia:
      break;
  }
  throw std::logic_error("no number of its own");
}
/// The value of that number.
double entry(const SystemQuantity& q, const SystemSpec& spec) {
  return entry(q, const_cast<SystemSpec&>(spec));
}

/// Place of the same number among the parameters.
Eigen::Index place_of(const SystemQuantity& q, const ParameterLayout& layout) {
  switch (q.kind) {
    case Kind::marker:
      return layout.body(q.owner).markers[q.part].R.offset + q.component;
    case Kind::ground_marker:
      return layout.ground(q.owner).R.offset + q.component;
    case Kind::part_number:
      return layout.number(q.part, q.owner).offset + q.component;
    case Kind::initial_position:
    case Kind::initial_rotation:
    case Kind::initial_velocity:
    case Kind::initial_angular_velocity:
      return layout.initial(q.owner).*initial_part(q.kind).place + q.component;
    case Kind::drive_value:
      return layout.drive(q.owner, q.part).offset + q.component;
    case Kind::end_of_motion:
      return layout.end();
    case Kind::planar_beam_number:
      if (q.part > 0) return layout.planar_beam(q.owner).number(q.part - 1, q.component);
      throw std::logic_error("a number of several elements");
    case Kind::mass:
    case Kind::centre_of_mass:
    case Kind::inertia:
      break;
  }
  throw std::logic_error("no parameter of its own");
}

std::vector<ParameterDerivative> derivatives_of_rigid_body(const SystemQuantity& q, const RigidBody& body,
                                                           const BodyLayout& layout) {
  const Vector3d& c = body.centre_of_mass;
  Vector3d mdCM = Vector3d::Zero();
  Matrix3d J = Matrix3d::Zero();
  std::vector<ParameterDerivative> all;
  if (q.kind == Kind::mass) {
    all.push_back({layout.mass.offset, 1.0});
    mdCM = c, J = parallel_axes(c);
  } else if (q.kind == Kind::centre_of_mass) {
    const Vector3d e = Vector3d::Unit(q.component);
    mdCM = body.mass * e;
    J = body.mass * (2.0 * c[q.component] * Matrix3d::Identity() - e * c.transpose() - c * e.transpose());
  } else {
    const auto [i, j] = inertia_entries[static_cast<std::size_t>(q.component)];
    J(i, j) = J(j, i) = 1.0;
  }
  for (Eigen::Index k = 0; k < 3; ++k) all.push_back({layout.mdCM0.offset + k, mdCM[k]});
  for (Eigen::Index k = 0; k < 9; ++k) all.push_back({layout.J0.offset + k, J(k)});
  return all;
}

}  // namespace

RigidBody rigid_body_of(const Sid& sid) {
  RigidBody body{sid.refmod.mass, sid.mdCM.M0 / sid.refmod.mass, sid.J.M0};
  body.inertia -= body.mass * parallel_axes(body.centre_of_mass);
  return body;
}

const InitialPart& initial_part(Kind kind) {
  return initial_parts[static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::initial_position)];
}

void make_parameter(const SystemQuantity& q, SystemSpec& spec) {
  if (q.is<&JointSpec::length>()) spec.joints[q.owner].length_follows = false;
  if (is_initial(q.kind)) spec.bodies[q.owner].initial.parameters.*initial_part(q.kind).flag = true;
  if (q.kind == Kind::end_of_motion) spec.time.varies = true;
  if (q.kind != Kind::drive_value) return;
  DriveSpec& drive = spec.joints[q.owner].drives[q.part];
  if (drive.table->basis) return;
  drive.table->basis =
      std::make_shared<SplineBasis>(drive.table->times, drive.table->interpolation, drive.table->beyond);
  drive.motion.reset();
}

double value_of(const SystemQuantity& quantity, const SystemSpec& spec) {
  if (is_of_all_elements(quantity))
    return elements_of(quantity, spec).front() / share_of_element(quantity, spec);
  if (!is_of_rigid_body(quantity.kind)) return entry(quantity, spec);
  const RigidBody body = rigid_body_of(spec.bodies[quantity.owner].sid);
  if (quantity.kind == Kind::mass) return body.mass;
  if (quantity.kind == Kind::centre_of_mass) return body.centre_of_mass[quantity.component];
  const auto [i, j] = inertia_entries[static_cast<std::size_t>(quantity.component)];
  return body.inertia(i, j);
}

void set_value(const SystemQuantity& quantity, double value, SystemSpec& spec) {
  if (is_of_all_elements(quantity)) {
    std::ranges::fill(elements_of(quantity, spec), value * share_of_element(quantity, spec));
    return;
  }
  if (!is_of_rigid_body(quantity.kind)) {
    if (quantity.kind == Kind::end_of_motion)
      set_end_of_motion(value, spec);
    else
      entry(quantity, spec) = value;
    return;
  }
  Sid& sid = spec.bodies[quantity.owner].sid;
  RigidBody body = rigid_body_of(sid);
  if (quantity.kind == Kind::mass) {
    body.mass = value;
  } else if (quantity.kind == Kind::centre_of_mass) {
    body.centre_of_mass[quantity.component] = value;
  } else {
    const auto [i, j] = inertia_entries[static_cast<std::size_t>(quantity.component)];
    body.inertia(i, j) = body.inertia(j, i) = value;
  }
  sid = make_rigid_sid(body.mass, body.centre_of_mass, body.inertia, std::move(sid.frame));
}

std::vector<ParameterDerivative> parameter_derivatives(const SystemQuantity& quantity, const SystemSpec& spec,
                                                       const ParameterLayout& layout) {
  if (is_of_all_elements(quantity)) {
    std::vector<ParameterDerivative> all;
    for (std::size_t e = 0; e < elements_of(quantity, spec).size(); ++e)
      all.push_back({layout.planar_beam(quantity.owner).number(e, quantity.component),
                     share_of_element(quantity, spec)});
    return all;
  }
  if (!is_of_rigid_body(quantity.kind)) return {{place_of(quantity, layout), 1.0}};
  return derivatives_of_rigid_body(quantity, rigid_body_of(spec.bodies[quantity.owner].sid),
                                   layout.body(quantity.owner));
}

}  // namespace kurbel
