#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/instantiate.hpp"
#include "natural_coordinates/absolute_layout.hpp"
#include "natural_coordinates/ancf_beam.hpp"
#include "natural_coordinates/point_elements.hpp"

namespace kurbel::absolute {

namespace {

using Kind = SystemQuantity::Kind;

template <class S>
class Assembler {
 public:
  Assembler(const SystemSpec& spec, const std::vector<VariedQuantity>& varied)
      : spec_(spec), slots_(spec, varied), layout_(std::make_shared<Layout>(spec, slots_)) {}

  Assembly<S> assemble() {
    out_.layout = layout_;
    out_.beam_elements = layout_->beam_elements();
    Controls controls;
    for (const ControlSpec& control : spec_.controls) controls.add(control.grid);
    out_.system = std::make_unique<AbsoluteSystem<S>>(layout_->coordinates(), std::move(controls),
                                                      slots_.xi().template cast<S>());
    add_elements();
    add_places();
    add_mass_products();
    try {
      out_.system->complete();
    } catch (const InputError& e) {
      throw SpecError("", e.what());
    }
    return std::move(out_);
  }

 private:
  void add(std::shared_ptr<const Element<S>> element, Binding binding) {
    out_.system->add(std::move(element), std::move(binding));
  }

  static Binding at_places(std::initializer_list<const PlaceCoordinates*> places) {
    Binding binding;
    for (const PlaceCoordinates* p : places) {
      binding.coordinates.insert(binding.coordinates.end(), p->position.begin(), p->position.end());
    }
    return binding;
  }

  const PlaceCoordinates& place(const MarkerRef& marker, const std::string& key) const {
    return layout_->place(marker, key);
  }

  void add_mass(const PlaceCoordinates& at, const ParameterSlot& mass) {
    Binding binding = at_places({&at});
    binding.parameters = {mass};
    add(std::make_shared<PointMass<S>>(spec_.gravity), std::move(binding));
  }

  /// A joint with the ground is where its other end is.
  void add_places() {
    for (const PointMassSpec& point : spec_.point_masses)
      out_.points.push_back(at_places({&place({point.name}, "points")}));
    for (const AttachedMassSpec& mass : spec_.attached_masses)
      out_.masses.push_back(at_places({&place(mass.marker, "masses." + mass.name + ".at")}));
    for (const JointSpec& joint : spec_.joints) {
      const MarkerRef& end = text_of(joint.to) == "ground" ? joint.from : joint.to;
      out_.joints.push_back(at_places({&place(end, "joints." + joint.name)}));
    }
  }

  void add_elements() {
    for (std::size_t i = 0; i < spec_.point_masses.size(); ++i) {
      const PointMassSpec& point = spec_.point_masses[i];
      if (point.moves()) add_mass(place({point.name}, "points"), slots_(Kind::point_mass, i));
    }
    for (std::size_t i = 0; i < spec_.attached_masses.size(); ++i) {
      const AttachedMassSpec& mass = spec_.attached_masses[i];
      add_mass(place(mass.marker, "masses." + mass.name + ".at"), slots_(Kind::attached_mass, i));
    }
    if (!spec_.planar_beams.empty() && spec_.gravity[2] != 0.0) {
      throw SpecError("gravity", "leaves the plane z = 0 in which beams move");
    }
    for (const BeamElement& element : out_.beam_elements) {
      add(std::make_shared<AncfBeam<S>>(spec_.gravity.head<2>(), spec_.planar_beams[element.beam].coupling),
          element.binding);
    }
    for (std::size_t i = 0; i < spec_.springs.size(); ++i) {
      out_.springs.push_back(spring_binding(i));
      add(std::make_shared<Spring<S>>(spec_.springs[i].law), out_.springs.back());
    }
    add_forces();
    add_moments();
  }

  Binding spring_binding(std::size_t i) const {
    const SpringSpec& spring = spec_.springs[i];
    const std::string key = "springs." + spring.name;
    Binding binding = at_places({&place(spring.to, key + ".to"), &place(spring.from, key + ".from")});
    binding.parameters = {slots_(Kind::spring_stiffness, i), slots_(Kind::spring_damping, i),
                          slots_(Kind::free_length, i)};
    return binding;
  }

  void add_forces() {
    for (const MarkerLoadSpec& load : spec_.loads) {
      const std::string key = "controls." + load.name + ".at";
      if (text_of(load.marker) == "ground")
        throw SpecError(key, "= \"ground\" does not move; a force acts at a point or at a beam's end");
      for (const ControlledLoad& controlled : load.controls) {
        Binding binding = at_places({&place(load.marker, key)});
        binding.controls = {controlled.control};
        add(std::make_shared<ControlForce<S>>(controlled.force), std::move(binding));
      }
    }
  }

  /// In every hinge, its damping and its motor.
  void add_moments() {
    std::map<std::string, int> motors;
    for (const MotorSpec& motor : spec_.motors) {
      const auto joint = std::ranges::find_if(
          spec_.joints, [&](const JointSpec& one) { return one.from == motor.from && one.to == motor.to; });
      const std::string key = "controls." + motor.name + ".joint";
      if (joint == spec_.joints.end()) throw SpecError(key, "is no joint");
      if (!is_hinge(*joint))
        throw SpecError(key,
                        fmt::format("= \"{}\" is fixed; a torque acts in a revolute joint", joint->name));
      if (!motors.emplace(joint->name, motor.control).second) {
        throw SpecError(key, fmt::format("= \"{}\" is driven by another control already", joint->name));
      }
    }
    for (const JointSpec& joint : spec_.joints) {
      if (!is_hinge(joint)) continue;
      const auto motor = motors.find(joint.name);
      add_moment(joint, motor == motors.end() ? -1 : motor->second);
    }
  }

  ParameterSlot damping_of(const JointSpec& joint) const {
    const auto damper = std::ranges::find_if(spec_.torsion_springs, [&](const TorsionSpringSpec& spring) {
      return spring.from == joint.from && spring.to == joint.to;
    });
    if (damper == spec_.torsion_springs.end()) return {};
    return slots_(Kind::torsion_damping, static_cast<std::size_t>(damper - spec_.torsion_springs.begin()));
  }

  void add_moment(const JointSpec& joint, int control) {
    const ParameterSlot damping = damping_of(joint);
    if (control < 0 && damping.variable < 0 && damping.constant == 0.0) return;
    Binding binding;
    for (const MarkerRef* end : {&joint.to, &joint.from}) {
      for (const int i : layout_->cross_section(place(*end, "joints." + joint.name)))
        binding.coordinates.push_back(i);
    }
    if (control >= 0) binding.controls = {control};
    binding.parameters = {damping};
    add(std::make_shared<JointMoment<S>>(control >= 0), std::move(binding));
  }

  /// m = sum_e rho w h l                                                                          [P2, eq. 62]
  void add_mass_products() {
    for (const BeamElement& element : out_.beam_elements) {
      auto& product = out_.mass_products.emplace_back();
      for (const auto factor :
           {PlanarBeamSpec::density, PlanarBeamSpec::width, PlanarBeamSpec::height, PlanarBeamSpec::length})
        product.push_back(element.binding.parameters[factor]);
    }
    const auto add_varied = [&](const ParameterSlot& mass) {
      if (mass.variable >= 0) out_.mass_products.push_back({mass});
    };
    for (std::size_t i = 0; i < spec_.point_masses.size(); ++i) add_varied(slots_(Kind::point_mass, i));
    for (std::size_t i = 0; i < spec_.attached_masses.size(); ++i) add_varied(slots_(Kind::attached_mass, i));
  }

  const SystemSpec& spec_;
  Slots slots_;
  std::shared_ptr<const Layout> layout_;
  Assembly<S> out_;
};

}  // namespace

template <class S>
Assembly<S> assemble(const SystemSpec& spec, const std::vector<VariedQuantity>& varied) {
  return Assembler<S>(spec, varied).assemble();
}

template Assembly<InstantiatedScalar> assemble(const SystemSpec&, const std::vector<VariedQuantity>&);

}  // namespace kurbel::absolute
