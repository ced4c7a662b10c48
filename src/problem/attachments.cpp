#include "problem/attachments.hpp"

#include <algorithm>

#include "mechanism/pair_parts.hpp"

namespace kurbel {

namespace {

using Axes = std::array<bool, 3>;

constexpr Axes all_axes = {true, true, true};

void add(Axes& axes, const Axes& more) {
  for (std::size_t d = 0; d < 3; ++d) axes[d] = axes[d] || more[d];
}

bool any(const Axes& axes) {
  return axes[0] || axes[1] || axes[2];
}

Axes acting(const std::array<TimeFunctionPtr, 3>& components) {
  return {components[0] != nullptr, components[1] != nullptr, components[2] != nullptr};
}

void add_joint(const JointSpec& joint, fem::AttachmentSpec& out) {
  std::array<bool, 6> locked = joint.locked;
  for (const DriveSpec& drive : joint.drives) locked[static_cast<std::size_t>(drive.dof)] = true;
  if (locked[0] || locked[1] || locked[2] || joint.length) add(out.force, all_axes);
  const Axes rotations = {locked[3], locked[4], locked[5]};
  const auto count = std::count(rotations.begin(), rotations.end(), true);
  if (count > 0) add(out.moment, count == 1 ? all_axes : rotations);
}

/// Adds the forces and moments by which the rows of a law act.
void add_rows(const std::vector<PairRow>& rows, fem::AttachmentSpec& out) {
  for (const PairRow& row : rows) {
    switch (row.kind) {
      case PairRow::Kind::translation:
        add(out.force, all_axes);
        break;
      case PairRow::Kind::rotation:
        out.moment[static_cast<std::size_t>(row.i)] = true;
        break;
      case PairRow::Kind::direction_cosine:  // of axes across z
        out.moment[2] = true;
        break;
    }
  }
}

fem::AttachmentSpec loads_at(const std::string& body, const std::string& marker, const SystemSpec& system) {
  const auto is_here = [&](const MarkerRef& ref) { return ref.body == body && ref.marker == marker; };
  const auto touches = [&](const auto& link) { return is_here(link.from) || is_here(link.to); };
  fem::AttachmentSpec out{.marker = marker};
  for (const JointSpec& joint : system.joints) {
    if (touches(joint)) add_joint(joint, out);
  }
  for (const SpringSpec& spring : system.springs) {
    if (touches(spring)) add(out.force, all_axes);
  }
  for (const TorsionSpringSpec& spring : system.torsion_springs) {
    if (touches(spring)) add(out.moment, {false, false, true});
  }
  for_each_pair_part(system, [&](const auto& part, std::size_t) {
    if (touches(part)) add_rows(law_of<double>(part)->rows(), out);
  });
  for (const MotorSpec& motor : system.motors) {
    if (touches(motor))
      add(motor.is_rotary ? out.moment : out.force, motor.is_rotary ? Axes{false, false, true} : all_axes);
  }
  for (const MarkerLoadSpec& load : system.loads) {
    if (!is_here(load.marker)) continue;
    for (const ControlledLoad& control : load.controls) {
      if (!control.force.isZero(0.0)) add(out.force, all_axes);
      if (!control.torque.isZero(0.0)) add(out.moment, all_axes);
    }
    if (any(acting(load.force))) add(out.force, all_axes);
    if (any(acting(load.torque))) add(out.moment, all_axes);
  }
  for (const BodySpec& spec : system.bodies) {
    if (spec.name != body) continue;
    for (const StaticLoad& load : spec.initial.loads) {
      if (load.marker != marker) continue;
      if (!load.force.isZero(0.0)) add(out.force, all_axes);
      if (!load.moment.isZero(0.0)) add(out.moment, all_axes);
    }
  }
  return out;
}

}  // namespace

std::vector<fem::AttachmentSpec> attachments_of(const fem::FlexibleBodySpec& body, const SystemSpec& system) {
  std::vector<fem::AttachmentSpec> attachments;
  for (const fem::MarkerSpec& marker : body.markers) {
    if (marker.set) continue;  // a share of a load on a surface, which has one attachment mode
    fem::AttachmentSpec attachment = loads_at(body.name, marker.name, system);
    if (body.mesh.dim == 2) {
      attachment.force[2] = false;
      attachment.moment[0] = attachment.moment[1] = false;
    }
    if (any(attachment.force) || any(attachment.moment)) attachments.push_back(attachment);
  }
  return attachments;
}

void unite(fem::AttachmentSpec& attachment, const fem::AttachmentSpec& other) {
  add(attachment.force, other.force);
  add(attachment.moment, other.moment);
}

}  // namespace kurbel
