#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "elements/beam_shape.hpp"
#include "elements/director_beam.hpp"
#include "mechanism/joint_damper.hpp"
#include "mechanism/pair_parts.hpp"
#include "natural_coordinates/ancf_beam.hpp"
#include "natural_coordinates/cable_beam.hpp"
#include "natural_coordinates/natural_body.hpp"
#include "natural_coordinates/natural_system_detail.hpp"
#include "natural_coordinates/pair_element.hpp"
#include "natural_coordinates/point_elements.hpp"

namespace kurbel {

template <class S>
void NaturalAssembler<S>::assemble() {
  if (!spec_.tyres.empty())
    throw InputError(fmt::format("tyres.{}: natural coordinates have no tyres", spec_.tyres.front().name));
  add_bodies();
  add_beams();
  add_springs();
  add_torsion_springs();
  add_pair_parts();
  add_point_masses();
  add_planar_beams();
  add_loads();
  add_motors();
  for (const int frame : system_.frames_.rigid_frames()) hold_axes(frame);
  for (const JointSpec& joint : spec_.joints) add_joint(joint);
}

template <class S>
void NaturalAssembler<S>::add_bodies() {
  for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
    if (spec_.bodies[i].sid.n_q() > 0)
      throw InputError(fmt::format("bodies.{}: is flexible; natural coordinates have rigid bodies and beams",
                                   spec_.bodies[i].name));
    const BodyLayout& layout = system_.layout_.body(i);
    PlacedElement<S> placed{std::make_shared<NaturalBody<S>>(spec_.gravity), {}, {layout.mass.offset}, {}};
    placed.per_point = 4;
    for (int k = 0; k < 4; ++k) placed.forms.push_back(vector(system_.frames_.body(i) + k));
    for (Eigen::Index k = 0; k < 3; ++k) placed.parameters.push_back(layout.mdCM0.offset + k);
    for (Eigen::Index k = 0; k < 9; ++k) placed.parameters.push_back(layout.J0.offset + k);
    system_.elements_.push_back(std::move(placed));
  }
}

template <class S>
void NaturalAssembler<S>::add_beams() {
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    const BeamSpec& beam = spec_.beams[i];
    const BeamLayout& layout = system_.layout_.beam(i);
    const bool cable = beam.kind == BeamSpec::Kind::cable;
    const auto shape = static_cast<SectionShape>(beam.shape);
    Elements element;
    std::vector<Eigen::Index> parameters = {system_.element_length(i), layout.youngs_modulus()};
    if (cable) {
      element = std::make_shared<CableBeam<S>>(spec_.gravity, shape, static_cast<CableEnergy>(beam.energy));
    } else {
      element = std::make_shared<DirectorBeam<S>>(spec_.gravity, shape);
      parameters.push_back(layout.poisson_ratio());
    }
    for (const Eigen::Index k :
         {layout.density(), layout.damping(), layout.dimensions(), layout.dimensions() + 1})
      parameters.push_back(k);
    system_.first_beam_element_.push_back(system_.elements_.size());
    for (int e = 0; e < beam.n_elements; ++e) {
      PlacedElement<S> placed{element, {}, parameters, {}};
      if (!cable) {
        for (Eigen::Index k = 0; k < 6; ++k) placed.parameters.push_back(system_.reference_strains(i, e) + k);
      }
      placed.per_point = CarriedFrames::vectors_per_node(beam);
      for (int k = 0; k < 2 * placed.per_point; ++k)
        placed.forms.push_back(vector(system_.frames_.node(i, e) + k));
      system_.elements_.push_back(std::move(placed));
    }
  }
}

template <class S>
void NaturalAssembler<S>::add_springs() {
  system_.first_spring_ = system_.elements_.size();
  for (std::size_t i = 0; i < spec_.springs.size(); ++i) {
    const SpringSpec& spring = spec_.springs[i];
    const SpringLayout& p = system_.layout_.spring(i);
    const std::string owner = "springs." + spring.name;
    system_.elements_.push_back({std::make_shared<Spring<S>>(spring.law, spring.isotropic_damping),
                                 {at(spring.to, owner + ".to").point, at(spring.from, owner + ".from").point},
                                 {p.stiffness, p.damping, p.free_length},
                                 {}});
  }
}

template <class S>
void NaturalAssembler<S>::add_torsion_springs() {
  for (std::size_t i = 0; i < spec_.torsion_springs.size(); ++i) {
    const TorsionSpringSpec& spring = spec_.torsion_springs[i];
    const SpringLayout& p = system_.layout_.torsion_spring(i);
    const std::string owner = (is_joint_damper(spring) ? "joints." : "torsion_springs.") + spring.name;
    const CarriedFrame to = at(spring.to, owner + ".to"), from = at(spring.from, owner + ".from");
    if (to.section || from.section) {
      system_.elements_.push_back(joint_moment(to, from, p.damping, {}));
      continue;
    }
    check_axis(to, owner);
    system_.elements_.push_back({std::make_shared<HingeTorque<S>>(false),
                                 {to.axes[0], from.axes[0], from.axes[1]},
                                 {p.stiffness, p.damping, p.free_length},
                                 {}});
  }
}

template <class S>
void NaturalAssembler<S>::add_pair_parts() {
  for_each_pair_part(spec_, [&]<class Part>(const Part& part, std::size_t i) {
    const CarriedFrame to = at(part.to, path_of(part) + ".to"), from = at(part.from, path_of(part) + ".from");
    if (!to.has_axes || !from.has_axes)
      throw InputError(
          fmt::format("{}: one of its markers has no axes; take markers of rigid bodies or of spatial beams",
                      path_of(part)));
    PlacedElement<S> placed{
        std::make_shared<PairElement<S>>(law_of<S>(part)), {to.point, from.point}, {}, {}};
    for (const auto& axes : {to.axes, from.axes})
      placed.forms.insert(placed.forms.end(), axes.begin(), axes.end());
    const ParameterBlock numbers = system_.layout_.template numbers_of<Part>(i);
    for (Eigen::Index k = 0; k < numbers.rows; ++k) placed.parameters.push_back(numbers.offset + k);
    system_.elements_.push_back(std::move(placed));
  });
}

/// Between sections of planar beams; what has none, a point or the ground, does not turn.
template <class S>
PlacedElement<S> NaturalAssembler<S>::joint_moment(const CarriedFrame& to, const CarriedFrame& from,
                                                   Eigen::Index damping, std::vector<int> inputs) const {
  const auto section = [](const CarriedFrame& frame) {
    return frame.section.value_or(fixed_form(Vector3d::UnitY()));
  };
  PlacedElement<S> placed{std::make_shared<JointMoment<S>>(!inputs.empty()),
                          {section(to), section(from)},
                          {damping},
                          std::move(inputs)};
  placed.dimension = 2;
  return placed;
}

template <class S>
void NaturalAssembler<S>::add_point_masses() {
  const auto add = [&](VectorForm point, Eigen::Index mass) {
    PlacedElement<S> placed{std::make_shared<PointMass<S>>(spec_.gravity), {std::move(point)}, {mass}, {}};
    placed.per_point = 1;
    system_.elements_.push_back(std::move(placed));
  };
  system_.first_point_mass_ = system_.elements_.size();
  for (std::size_t i = 0; i < spec_.point_masses.size(); ++i)
    add(vector(system_.frames_.point_mass(i)), system_.layout_.point_mass(i));
  system_.first_attached_mass_ = system_.elements_.size();
  for (std::size_t i = 0; i < spec_.attached_masses.size(); ++i) {
    const AttachedMassSpec& mass = spec_.attached_masses[i];
    add(at(mass.marker, "masses." + mass.name + ".at").point, system_.layout_.attached_mass(i));
  }
}

template <class S>
void NaturalAssembler<S>::add_planar_beams() {
  for (std::size_t i = 0; i < spec_.planar_beams.size(); ++i) {
    const PlanarBeamSpec& beam = spec_.planar_beams[i];
    const auto element = std::make_shared<AncfBeam<S>>(spec_.gravity.head<2>(), beam.coupling);
    system_.first_planar_element_.push_back(system_.elements_.size());
    for (std::size_t e = 0; e < beam.n_elements; ++e) {
      PlacedElement<S> placed{element, {}, {}, {}};
      placed.dimension = 2, placed.per_point = 3;
      for (int k = 0; k < 6; ++k) placed.forms.push_back(vector(system_.frames_.planar_node(i, e) + k));
      for (int quantity = 0; quantity < PlanarBeamSpec::n_quantities; ++quantity)
        placed.parameters.push_back(system_.layout_.planar_beam(i).number(e, quantity));
      system_.elements_.push_back(std::move(placed));
    }
  }
}

/// In a plane, torques act about its normal.
template <class S>
void NaturalAssembler<S>::check_axis(const CarriedFrame& hinge, const std::string& owner) const {
  if (system_.is_planar() && !is_normal_to_plane(hinge.axes[2]))
    throw InputError(fmt::format("{}: turns about an axis that is not normal to the plane z = 0", owner));
}

template <class S>
int NaturalAssembler<S>::input(NaturalInput input) {
  system_.inputs_.push_back(std::move(input));
  return static_cast<int>(system_.inputs_.size()) - 1;
}

template <class S>
void NaturalAssembler<S>::add_loads() {
  for (const MarkerLoadSpec& load : spec_.loads) {
    const CarriedFrame at_marker = at(load.marker, "loads." + load.name + ".marker");
    const bool turns = load.frame == MarkerLoadSpec::Frame::body && at_marker.directors;
    const auto axis = [&](int d) {
      // Those of the body, not of the marker.
      return turns ? (*at_marker.directors)[static_cast<std::size_t>(d)] : fixed_form(Vector3d::Unit(d));
    };
    const auto fixed_force = [&](const Vector3d& force, NaturalInput u) {
      system_.elements_.push_back(
          {std::make_shared<ControlForce<S>>(force), {at_marker.point}, {}, {input(std::move(u))}});
    };
    const auto force = [&](const VectorForm& along, NaturalInput u) {
      system_.elements_.push_back(
          {std::make_shared<AxisForce<S>>(), {at_marker.point, along}, {}, {input(std::move(u))}});
    };
    const auto torque = [&](const VectorForm& about, NaturalInput u) {
      if (!at_marker.directors)
        throw InputError(fmt::format("loads.{}: a torque acts on a body or a spatial beam", load.name));
      const auto& [e1, e2, e3] = *at_marker.directors;
      system_.elements_.push_back(
          {std::make_shared<AxisTorque<S>>(), {e1, e2, e3, about}, {}, {input(std::move(u))}});
    };
    for (int d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (load.force[i] && turns) force(axis(d), {-1, 1.0, load.force[i]});
      if (load.force[i] && !turns) fixed_force(Vector3d::Unit(d), {-1, 1.0, load.force[i]});
      if (load.torque[i]) torque(axis(d), {-1, 1.0, load.torque[i]});
      for (const ControlledLoad& share : load.controls) {
        if (share.force[d] != 0.0 && turns) force(axis(d), {share.control, share.force[d]});
        if (share.torque[d] != 0.0) torque(axis(d), {share.control, share.torque[d]});
      }
    }
    if (turns) continue;
    for (const ControlledLoad& share : load.controls) {
      if (!share.force.isZero(0.0)) fixed_force(share.force, {share.control, 1.0});
    }
  }
}

template <class S>
void NaturalAssembler<S>::add_motors() {
  for (const MotorSpec& motor : spec_.motors) {
    const std::string owner = "controls." + motor.name;
    const CarriedFrame to = at(motor.to, owner + ".to"), from = at(motor.from, owner + ".from");
    const std::vector<int> u = {input({motor.control})};
    if (motor.is_rotary && (to.section || from.section)) {
      system_.elements_.push_back(joint_moment(to, from, system_.zero_, u));
    } else if (motor.is_rotary) {
      check_axis(to, owner);
      system_.elements_.push_back(
          {std::make_shared<HingeTorque<S>>(true), {to.axes[0], from.axes[0], from.axes[1]}, {}, u});
    } else {
      system_.elements_.push_back({std::make_shared<LineForce<S>>(), {to.point, from.point}, {}, u});
    }
  }
}

template void NaturalAssembler<InstantiatedScalar>::assemble();

}  // namespace kurbel
