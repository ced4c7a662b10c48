#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "natural_coordinates/natural_system_detail.hpp"

namespace kurbel {

namespace {

constexpr std::array<RelativeDof, 3> translations = {RelativeDof::tx, RelativeDof::ty, RelativeDof::tz},
                                     rotations = {RelativeDof::rx, RelativeDof::ry, RelativeDof::rz};

ProductRow row_of(double factor, VectorForm a, VectorForm b, double target = 0.0) {
  return {{{factor, std::move(a), std::move(b)}}, target};
}

const DriveSpec* drive_of(const JointSpec& spec, RelativeDof dof) {
  const auto found = std::ranges::find(spec.drives, dof, &DriveSpec::dof);
  return found == spec.drives.end() ? nullptr : &*found;
}

const DriveSpec* driven_rotation(const JointSpec& spec) {
  const auto found = std::ranges::find_if(spec.drives, is_rotation, &DriveSpec::dof);
  return found == spec.drives.end() ? nullptr : &*found;
}

bool holds(const JointSpec& spec, RelativeDof dof) {
  const auto i = static_cast<std::size_t>(dof);
  return (spec.locked[i] || drive_of(spec, dof)) && !spec.redundant[i];
}

}  // namespace

/// e_i . e_j = delta_ij                                                                     [P1, eq. 38]
template <class S>
void NaturalAssembler<S>::hold_axes(int frame) {
  for (int i = 1; i <= 3; ++i) {
    for (int j = i; j <= 3; ++j) {
      const CoordinateMap& map = system_.frames_.map();
      if (!map.is_free(frame + i) || !map.is_free(frame + j)) continue;
      const VectorForm &a = vector(frame + i), &b = vector(frame + j);
      add_row(i == j ? row_of(0.5, a, b, 0.5) : row_of(1.0, a, b),
              fmt::format("axes {} and {} of {}", i, j, system_.frames_.name(frame).owner));
    }
  }
}

template <class S>
void NaturalAssembler<S>::add_row(ProductRow row, std::string name) {
  system_.rows_.push_back(std::move(row));
  system_.row_names_.push_back(std::move(name));
}

/// In a plane, rows of what is out of it say nothing.
/// @throws InputError if they say what is not so
template <class S>
bool NaturalAssembler<S>::says_something(const ProductRow& row, const std::string& joint) const {
  constexpr double place = 1e-9;
  const auto moves = [](const ProductTerm& product) {
    return (!product.a.terms.empty() && !is_normal_to_plane(product.b)) ||
           (!product.b.terms.empty() && !is_normal_to_plane(product.a));
  };
  if (!system_.is_planar() || std::ranges::any_of(row.products, moves)) return true;
  const auto& [p, x] = start_;
  if (row.motion || std::abs(row.value<double>(0.0, p.data(), x)) > place)
    throw InputError(fmt::format("joints.{}: asks for a motion out of the plane z = 0", joint));
  return false;
}

/// In a plane, a joint about axes that are askew would be another one.
template <class S>
void NaturalAssembler<S>::check_axes(const JointSpec& spec, const CarriedFrame& frame) const {
  const bool rotates_freely = !spec.locked[3] && !spec.locked[4] && !spec.locked[5] && !driven_rotation(spec);
  if (!system_.is_planar() || rotates_freely || !frame.has_axes) return;
  for (const VectorForm& axis : frame.axes) {
    if (!is_normal_to_plane(axis) && axis.constant.z() != 0.0)
      throw InputError(fmt::format(
          "joints.{}: has a marker whose axes are askew; in the plane z = 0 one of them is along z",
          spec.name));
  }
}

template <class S>
void NaturalAssembler<S>::add_row(NaturalJoint& joint, ProductRow row, RelativeDof dof) {
  if (!says_something(row, joint.name)) return;
  add_row(std::move(row),
          fmt::format("joint {} ({})", joint.name, relative_dof_names[static_cast<std::size_t>(dof)]));
  joint.dofs.push_back(dof);
  ++joint.count;
}

template <class S>
void NaturalAssembler<S>::add_joint(const JointSpec& spec) {
  const CarriedFrame to = at(spec.to, "joints." + spec.name + ".to"),
                     from = at(spec.from, "joints." + spec.name + ".from");
  check_axes(spec, to), check_axes(spec, from);
  const Eigen::Index before = std::ssize(system_.rows_);
  if (driven_rotation(spec)) add_direction(spec, to, from);
  NaturalJoint joint{spec.name, std::ssize(system_.rows_)};
  joint.n_before = joint.first - before;
  joint.to = to, joint.from = from;
  const auto index = static_cast<std::size_t>(&spec - spec_.joints.data());
  joint.shares_place = system_.shares_place_[index], joint.shares_axes = system_.shares_axes_[index];
  if (spec.length) {
    if (!spec.redundant[static_cast<std::size_t>(RelativeDof::distance)]) add_rod(spec, joint);
  } else {
    if (!joint.shares_place) add_translations(spec, joint);
    if (!joint.shares_axes) add_rotations(spec, joint);
  }
  system_.joints_.push_back(std::move(joint));
}

template <class S>
void NaturalAssembler<S>::add_rotations(const JointSpec& spec, NaturalJoint& joint) {
  if (joint.to.has_axes && joint.from.has_axes) {
    hold_axes(spec, joint);
  } else if (joint.to.has_axes || joint.from.has_axes) {
    hold_cable(spec, joint);
  } else {
    hold_tangents(spec, joint);
  }
}

template <class S>
void NaturalAssembler<S>::add_rod(const JointSpec& spec, NaturalJoint& joint) {
  const VectorForm d = joint.to.point - joint.from.point;
  ProductRow row = row_of(0.5, d, d);
  row.length = system_.layout_.rod_length(static_cast<std::size_t>(&spec - spec_.joints.data()));
  add_row(joint, std::move(row), RelativeDof::distance);
}

/// Places that coincide do so along the inertial axes, with linear rows. What slides is held along the axes of
/// "to".
template <class S>
void NaturalAssembler<S>::add_translations(const JointSpec& spec, NaturalJoint& joint) {
  const VectorForm d = joint.to.point - joint.from.point;
  int n_held = 0, n_locked = 0;
  for (const RelativeDof dof : translations) {
    n_held += holds(spec, dof), n_locked += spec.locked[static_cast<std::size_t>(dof)];
  }
  joint.along_inertial_axes = n_held == 3 && n_locked == 3;
  if (n_held > 0 && !joint.along_inertial_axes && !joint.to.has_axes)
    throw InputError(
        fmt::format("joints.{}: slides along axes of \"to\", which a cable has none of; exchange "
                    "\"from\" and \"to\"",
                    spec.name));
  for (int k = 0; k < 3; ++k) {
    const RelativeDof dof = translations[static_cast<std::size_t>(k)];
    if (!holds(spec, dof)) continue;
    ProductRow row = row_of(1.0,
                            joint.along_inertial_axes ? fixed_form(Vector3d::Unit(k))
                                                      : joint.to.axes[static_cast<std::size_t>(k)],
                            d);
    if (const DriveSpec* drive = drive_of(spec, dof))
      row.motion = motion_of(spec, *drive, RowMotion::Part::itself);
    add_row(joint, std::move(row), dof);
  }
}

/// The rows of the floating frame, rotation_row().
template <class S>
void NaturalAssembler<S>::hold_axes(const JointSpec& spec, NaturalJoint& joint) {
  if (const DriveSpec* drive = driven_rotation(spec))
    return add_hinge(spec, static_cast<int>(drive->dof) - static_cast<int>(RelativeDof::rx), joint);
  for (int k = 0; k < 3; ++k) {
    const RelativeDof dof = rotations[static_cast<std::size_t>(k)];
    if (!holds(spec, dof)) continue;
    ProductRow row;
    for (const auto& [i, j, coefficient] :
         rotation_row({spec.locked[3], spec.locked[4], spec.locked[5]}, k)) {
      row.products.push_back({coefficient, joint.from.axes[static_cast<std::size_t>(i)],
                              joint.to.axes[static_cast<std::size_t>(j)]});
    }
    add_row(joint, std::move(row), dof);
  }
}

template <class S>
RowMotion NaturalAssembler<S>::motion_of(const JointSpec& spec, const DriveSpec& drive,
                                         RowMotion::Part part) const {
  const auto joint = static_cast<std::size_t>(&spec - spec_.joints.data()),
             index = static_cast<std::size_t>(&drive - spec.drives.data());
  return {drive, system_.layout_.drive(joint, index), part, system_.layout_.end(), spec_.time};
}

/// The axis i = k + 1 of "to" in a hinge about k that is turned by s(t), without mass, d = cos s b_i + sin s b_j with
/// the axes b of "from": so the constraints' gradients do not depend on time.
template <class S>
void NaturalAssembler<S>::add_direction(const JointSpec& spec, const CarriedFrame& to,
                                        const CarriedFrame& from) {
  const DriveSpec& drive = *driven_rotation(spec);
  const std::size_t k = static_cast<std::size_t>(drive.dof) - 3, i = (k + 1) % 3, j = (k + 2) % 3;
  if (!spec.locked[3 + i] || !spec.locked[3 + j] || !to.has_axes || !from.has_axes)
    throw InputError(fmt::format(
        "joints.{}.drive: turns a joint that leaves other rotations free, or a cable; natural coordinates "
        "drive hinges",
        spec.name));
  const int d = system_.frames_.driven_direction(static_cast<std::size_t>(&spec - spec_.joints.data()));
  const auto add = [&](std::size_t axis, std::optional<RowMotion> motion) {
    ProductRow row = row_of(1.0, vector(d), from.axes[axis]);
    row.motion = std::move(motion);
    if (says_something(row, spec.name)) add_row(std::move(row), fmt::format("drive of joint {}", spec.name));
  };
  add(i, motion_of(spec, drive, RowMotion::Part::cosine));
  add(j, motion_of(spec, drive, RowMotion::Part::sine));
  add(k, {});
  system_.directions_.emplace_back(vector(d).terms.front(), to.axes[i]);
}

/// A hinge about the axis k whose rotation is driven: to first order every row is a rotation about an axis of "to".
template <class S>
void NaturalAssembler<S>::add_hinge(const JointSpec& spec, int k, NaturalJoint& joint) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const auto axis = [](const CarriedFrame& frame, int n) { return frame.axes[static_cast<std::size_t>(n)]; };
  const VectorForm d =
      vector(system_.frames_.driven_direction(static_cast<std::size_t>(&spec - spec_.joints.data())));
  for (int n = 0; n < 3; ++n) {
    const RelativeDof dof = rotations[static_cast<std::size_t>(n)];
    if (!holds(spec, dof)) continue;
    if (n == k) {
      add_row(joint, row_of(-1.0, d, axis(joint.to, j)), dof);
    } else {
      add_row(joint, row_of(n == i ? 1.0 : -1.0, axis(joint.from, k), axis(joint.to, n == i ? j : i)), dof);
    }
  }
}

/// Its numbers stand behind all other extended parameters.
template <class S>
void NaturalAssembler<S>::weld(CableWeld of, NaturalJoint& joint) {
  of.first = system_.n_extended_;
  system_.n_extended_ += of.n_numbers();
  std::vector<ProductRow> rows = of.rows();
  if (system_.is_planar()) rows.resize(1);  // the other direction is the normal
  RelativeDof dof = RelativeDof::rx;
  for (ProductRow& row : rows) {
    add_row(joint, std::move(row), dof);
    dof = RelativeDof::ry;
  }
  system_.welds_.push_back(std::move(of));
}

/// A cable at something with axes: a weld keeps the tangent normal to two axes that turn with it [P1, eq. 42,
/// without the row that would freeze |r_x|]; a hinge keeps it normal to the axis z.
template <class S>
void NaturalAssembler<S>::hold_cable(const JointSpec& spec, NaturalJoint& joint) {
  const int n_rotations = spec.locked[3] + spec.locked[4] + spec.locked[5];
  if (n_rotations == 0) return;
  const CarriedFrame& carrier = joint.to.has_axes ? joint.to : joint.from;
  const VectorForm& tangent = joint.to.has_axes ? *joint.from.tangent : *joint.to.tangent;
  const auto& [p, x] = start_;
  CableWeld of{tangent, {carrier.axes.begin(), carrier.axes.end()}, 0};
  if (n_rotations == 2 && !spec.locked[5]) {
    if (std::abs(of.products<double>(p.data(), x)[2]) > 1e-9)
      throw InputError(
          fmt::format("joints.{}: the cable is not normal to the axis z of the hinge", spec.name));
    add_row(joint, row_of(1.0, carrier.axes[2], tangent), RelativeDof::rx);
    return;
  }
  if (n_rotations < 3)
    throw InputError(
        fmt::format("joints.{}: a cable is held by joints of the types spherical, revolute and fixed, for "
                    "it has no torsion",
                    spec.name));
  if (!carrier.directors)
    of.axes = {fixed_form(Vector3d::UnitX()), fixed_form(Vector3d::UnitY()), fixed_form(Vector3d::UnitZ())};
  if (system_.is_planar()) {
    if (carrier.directors) of.axes.assign(carrier.directors->begin(), carrier.directors->end());
    of.least = 2;
  } else {
    of.products<double>(p.data(), x).cwiseAbs().minCoeff(&of.least);
  }
  weld(std::move(of), joint);
}

/// Two cables: a weld keeps the angle of their tangents, or makes them one if a cable continues the other.
template <class S>
void NaturalAssembler<S>::hold_tangents(const JointSpec& spec, NaturalJoint& joint) {
  const int n_rotations = spec.locked[3] + spec.locked[4] + spec.locked[5];
  if (n_rotations == 0) return;
  if (n_rotations < 3)
    throw InputError(fmt::format(
        "joints.{}: two cables are joined by joints of the types spherical and fixed", spec.name));
  const VectorForm &to = *joint.to.tangent, &from = *joint.from.tangent;
  const auto& [p, x] = start_;
  CableWeld of{to, {from}, 0};
  const double cosine = of.products<double>(p.data(), x)[0];
  if (std::abs(cosine) < 1.0 - 1e-6) return weld(std::move(of), joint);
  VectorForm along;
  add(cosine < 0.0 ? -1.0 : 1.0, from, along);
  for (int k = 0; k < 3; ++k)
    add_row(joint, row_of(1.0, fixed_form(Vector3d::Unit(k)), to - along),
            rotations[static_cast<std::size_t>(k)]);
}

template void NaturalAssembler<InstantiatedScalar>::hold_axes(int);
template void NaturalAssembler<InstantiatedScalar>::add_joint(const JointSpec&);

}  // namespace kurbel
