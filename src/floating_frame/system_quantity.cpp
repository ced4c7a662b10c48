#include "floating_frame/system_quantity.hpp"

#include <algorithm>
#include <stdexcept>

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

/// What a number of a whole beam is for each of its elements.
double share_of_element(const SystemQuantity& q, const SystemSpec& spec) {
  return q.component == PlanarBeamSpec::length ? 1.0 / static_cast<double>(elements_of(q, spec).size()) : 1.0;
}

/// The number itself inside a specification, for all kinds but those of a rigid body's mass and of several elements.
template <class Spec>
auto& entry(const SystemQuantity& q, Spec& spec) {
  switch (q.kind) {
    case Kind::marker:
      return spec.bodies[q.owner].sid.frame[q.part].origin.M0(q.component, 0);
    case Kind::ground_marker:
      return spec.ground[q.owner].origin.M0(q.component, 0);
    case Kind::spring_stiffness:
      return spec.springs[q.owner].stiffness;
    case Kind::spring_damping:
      return spec.springs[q.owner].damping;
    case Kind::free_length:
      return spec.springs[q.owner].free_length;
    case Kind::torsion_stiffness:
      return spec.torsion_springs[q.owner].stiffness;
    case Kind::torsion_damping:
      return spec.torsion_springs[q.owner].damping;
    case Kind::control_node:
      return spec.controls[q.owner].nodes[q.component];
    case Kind::rod_length:
      return *spec.joints[q.owner].length;
    case Kind::tyre_radius:
      return spec.tyres[q.owner].radius;
    case Kind::tyre_stiffness:
      return spec.tyres[q.owner].stiffness;
    case Kind::tyre_damping:
      return spec.tyres[q.owner].damping;
    case Kind::tyre_friction:
      return spec.tyres[q.owner].friction;
    case Kind::tyre_slope:
      return spec.tyres[q.owner].slope;
    case Kind::tyre_shape:
      return spec.tyres[q.owner].shape;
    case Kind::initial_position:
    case Kind::initial_rotation:
    case Kind::initial_velocity:
    case Kind::initial_angular_velocity:
      return (spec.bodies[q.owner].initial.*initial_part(q.kind).value)[q.component];
    case Kind::drive_value:
      return spec.joints[q.owner].drives[q.part].table->values[q.component];
    case Kind::beam_start:
      return spec.beams[q.owner].start[q.component];
    case Kind::beam_end:
      return spec.beams[q.owner].end[q.component];
    case Kind::beam_through:
      return (*spec.beams[q.owner].through)[q.component];
    case Kind::beam_dimension:
      return spec.beams[q.owner].dimensions[static_cast<std::size_t>(q.component)];
    case Kind::beam_youngs_modulus:
      return spec.beams[q.owner].youngs_modulus;
    case Kind::beam_poisson_ratio:
      return spec.beams[q.owner].poisson_ratio;
    case Kind::beam_density:
      return spec.beams[q.owner].density;
    case Kind::beam_damping:
      return spec.beams[q.owner].damping;
    case Kind::point_mass:
      return spec.point_masses[q.owner].mass;
    case Kind::attached_mass:
      return spec.attached_masses[q.owner].mass;
    case Kind::planar_beam_number:
      if (q.part > 0) return elements_of(q, spec)[q.part - 1];
      throw std::logic_error("a number of several elements");
    case Kind::mass:
    case Kind::centre_of_mass:
    case Kind::inertia:
      throw std::logic_error("no number of its own");
    case Kind::free_angle:
      break;
  }
  return spec.torsion_springs[q.owner].free_angle;
}

/// Place of the same number among the parameters.
Eigen::Index place_of(const SystemQuantity& q, const ParameterLayout& layout) {
  switch (q.kind) {
    case Kind::marker:
      return layout.body(q.owner).markers[q.part].R.offset + q.component;
    case Kind::ground_marker:
      return layout.ground(q.owner).R.offset + q.component;
    case Kind::spring_stiffness:
      return layout.spring(q.owner).stiffness;
    case Kind::spring_damping:
      return layout.spring(q.owner).damping;
    case Kind::free_length:
      return layout.spring(q.owner).free_length;
    case Kind::torsion_stiffness:
      return layout.torsion_spring(q.owner).stiffness;
    case Kind::torsion_damping:
      return layout.torsion_spring(q.owner).damping;
    case Kind::control_node:
      return layout.control(q.owner).offset + q.component;
    case Kind::rod_length:
      return layout.rod_length(q.owner);
    case Kind::tyre_radius:
      return layout.tyre(q.owner).radius();
    case Kind::tyre_stiffness:
      return layout.tyre(q.owner).stiffness();
    case Kind::tyre_damping:
      return layout.tyre(q.owner).damping();
    case Kind::tyre_friction:
      return layout.tyre(q.owner).friction();
    case Kind::tyre_slope:
      return layout.tyre(q.owner).slope();
    case Kind::tyre_shape:
      return layout.tyre(q.owner).shape();
    case Kind::initial_position:
    case Kind::initial_rotation:
    case Kind::initial_velocity:
    case Kind::initial_angular_velocity:
      return layout.initial(q.owner).*initial_part(q.kind).place + q.component;
    case Kind::drive_value:
      return layout.drive(q.owner, q.part).offset + q.component;
    case Kind::beam_start:
      return layout.beam(q.owner).start() + q.component;
    case Kind::beam_end:
      return layout.beam(q.owner).end() + q.component;
    case Kind::beam_through:
      return layout.beam(q.owner).through() + q.component;
    case Kind::beam_dimension:
      return layout.beam(q.owner).dimensions() + q.component;
    case Kind::beam_youngs_modulus:
      return layout.beam(q.owner).youngs_modulus();
    case Kind::beam_poisson_ratio:
      return layout.beam(q.owner).poisson_ratio();
    case Kind::beam_density:
      return layout.beam(q.owner).density();
    case Kind::beam_damping:
      return layout.beam(q.owner).damping();
    case Kind::point_mass:
      return layout.point_mass(q.owner);
    case Kind::attached_mass:
      return layout.attached_mass(q.owner);
    case Kind::planar_beam_number:
      if (q.part > 0) return layout.planar_beam(q.owner).number(q.part - 1, q.component);
      throw std::logic_error("a number of several elements");
    case Kind::mass:
    case Kind::centre_of_mass:
    case Kind::inertia:
      throw std::logic_error("no parameter of its own");
    case Kind::free_angle:
      break;
  }
  return layout.torsion_spring(q.owner).free_length;
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
  if (q.kind == Kind::rod_length) spec.joints[q.owner].length_follows = false;
  if (is_initial(q.kind)) spec.bodies[q.owner].initial.parameters.*initial_part(q.kind).flag = true;
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
