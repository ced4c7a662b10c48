#include <fmt/format.h>

#include <map>

#include "base/instantiate.hpp"
#include "base/spelling.hpp"
#include "natural_coordinates/layout.hpp"

namespace kurbel::absolute {

namespace {

template <class S>
class Assembler {
 public:
  Assembler(const SystemSpec& spec, const Controls& controls)
      : spec_(spec), controls_(controls), layout_(spec) {
    if (controls.size() != static_cast<Eigen::Index>(spec.controls.size())) {
      throw SpecError("controls", fmt::format("are {}, but the nodes of {} are given", spec.controls.size(),
                                              controls.size()));
    }
  }

  Assembly<S> assemble() {
    out_.beam_elements = layout_.beam_elements();
    out_.system =
        std::make_unique<AbsoluteSystem<S>>(layout_.coordinates(), controls_, spec_.xi.template cast<S>());
    add_elements();
    add_places();
    try {
      out_.system->complete();
    } catch (const InputError& e) {
      throw SpecError("", e.what());
    }
    for (const FunctionSpec& function : spec_.functions) add_function(function);
    return std::move(out_);
  }

 private:
  // --- Joints, elements, functions
  // -----------------------------------------------------------------------------------

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

  void add_mass(const PlaceCoordinates& at, const ParameterSlot& mass) {
    Binding binding = at_places({&at});
    binding.parameters = {mass};
    add(std::make_shared<PointMass<S>>(spec_.gravity), std::move(binding));
  }

  /// A joint with the ground is where its other end is.
  void add_places() {
    for (const PointSpec& point : spec_.points)
      out_.points.push_back(at_places({&layout_.place(point.name, "points")}));
    for (const MassSpec& mass : spec_.masses)
      out_.masses.push_back(at_places({&layout_.place(mass.at, "masses." + mass.name + ".at")}));
    for (const BeamJointSpec& joint : spec_.joints) {
      const Place& end = joint.to == "ground" ? joint.from : joint.to;
      out_.joints.push_back(at_places({&layout_.place(end, "joints." + joint.name)}));
    }
  }

  void add_elements() {
    for (const PointSpec& point : spec_.points) {
      const bool moves = point.free[0] || point.free[1] || point.free[2];
      if (moves) add_mass(layout_.place(point.name, "points"), point.mass);
    }
    for (const MassSpec& mass : spec_.masses)
      add_mass(layout_.place(mass.at, "masses." + mass.name + ".at"), mass.mass);
    if (!spec_.beams.empty() && spec_.gravity[2] != 0.0) {
      throw SpecError("gravity", "leaves the plane z = 0 in which beams move");
    }
    for (const BeamElement& element : out_.beam_elements) {
      add(std::make_shared<AncfBeam<S>>(spec_.gravity.head<2>(), spec_.beams[element.beam].coupling),
          element.binding);
    }
    for (const PointSpringSpec& spring : spec_.springs) {
      out_.springs.push_back(spring_binding(spring));
      add(std::make_shared<Spring<S>>(spring.law), out_.springs.back());
    }
    add_controls();
  }

  Binding spring_binding(const PointSpringSpec& spring) const {
    const std::string key = "springs." + spring.name;
    Binding binding =
        at_places({&layout_.place(spring.to, key + ".to"), &layout_.place(spring.from, key + ".from")});
    binding.parameters = {spring.stiffness, spring.damping, spring.length};
    return binding;
  }

  void add_controls() {
    std::map<std::string, int> torques;
    for (std::size_t i = 0; i < spec_.controls.size(); ++i) {
      const ControlSpec& control = spec_.controls[i];
      const std::string key = "controls." + control.name;
      if (control.joint.empty()) {
        Binding binding = at_places({&layout_.place(control.at, key + ".at")});
        binding.controls = {static_cast<int>(i)};
        add(std::make_shared<ControlForce<S>>(control.direction), std::move(binding));
      } else if (!torques.emplace(control.joint, static_cast<int>(i)).second) {
        throw SpecError(key + ".joint",
                        fmt::format("= \"{}\" is driven by another control already", control.joint));
      }
    }
    for (const BeamJointSpec& joint : spec_.joints) {
      const auto torque = torques.find(joint.name);
      add_moment(joint, torque == torques.end() ? -1 : torque->second);
      if (torque != torques.end()) torques.erase(torque);
    }
    if (torques.empty()) return;
    std::vector<std::string> known;
    for (const BeamJointSpec& joint : spec_.joints) known.push_back(joint.name);
    const auto& [name, control] = *torques.begin();
    throw SpecError("controls." + spec_.controls[static_cast<std::size_t>(control)].name + ".joint",
                    fmt::format("= \"{}\" is no joint{}", name, spelling_advice(name, known, "\"")));
  }

  void add_moment(const BeamJointSpec& joint, int control) {
    if (joint.type == BeamJointSpec::Type::fixed) {
      if (control < 0) return;
      throw SpecError("controls." + spec_.controls[static_cast<std::size_t>(control)].name + ".joint",
                      fmt::format("= \"{}\" is fixed; a torque acts in a revolute joint", joint.name));
    }
    if (control < 0 && joint.damping.variable < 0 && joint.damping.constant == 0.0) return;
    Binding binding;
    for (const Place& end : {joint.to, joint.from}) {
      for (const int i : layout_.cross_section(layout_.place(end, "joints." + joint.name))) {
        binding.coordinates.push_back(i);
      }
    }
    if (control >= 0) binding.controls = {control};
    binding.parameters = {joint.damping};
    add(std::make_shared<JointMoment<S>>(control >= 0), std::move(binding));
  }

  void add_function(const FunctionSpec& f) {
    using Type = FunctionSpec::Type;
    std::shared_ptr<const StateFunction<S>> function;
    Binding binding;
    switch (f.type) {
      case Type::position:
      case Type::velocity: {
        using Kind = typename PointState<S>::Kind;
        function = std::make_shared<PointState<S>>(f.type == Type::position ? Kind::position : Kind::velocity,
                                                   f.axes);
        binding = at_places({&layout_.place(f.marker, f.key + ".marker")});
        break;
      }
      case Type::distance:
        function = std::make_shared<PointDistance<S>>();
        binding =
            at_places({&layout_.place(f.marker, f.key + ".marker"), &layout_.place(f.from, f.key + ".from")});
        break;
      case Type::spring_force: {
        const PointSpringSpec& spring = find(spec_.springs, f.spring, f.key + ".spring", "spring");
        function = std::make_shared<SpringReaction<S>>(spring.law, f.axes);
        binding = spring_binding(spring);
        break;
      }
      case Type::stress: {
        const BeamSpec& beam = find(spec_.beams, f.beam, f.key + ".beam", "beam");
        if (f.element >= beam.n_elements) {
          throw SpecError(f.key + ".element", fmt::format("= {} is no element of {}, which has 0 to {}",
                                                          f.element, beam.name, beam.n_elements - 1));
        }
        function = std::make_shared<AncfStress<S>>(f.along, f.across, beam.coupling);
        for (const BeamElement& e : out_.beam_elements) {
          if (&spec_.beams[e.beam] == &beam && e.element == f.element) binding = e.binding;
        }
        break;
      }
    }
    out_.functions.push_back(
        std::make_shared<SystemFunction<S>>(*out_.system, std::move(function), std::move(binding)));
  }

  template <class Item>
  const Item& find(const std::vector<Item>& items, const std::string& name, const std::string& key,
                   const char* kind) const {
    std::vector<std::string> known;
    for (const Item& item : items) {
      if (item.name == name) return item;
      known.push_back(item.name);
    }
    throw SpecError(key, fmt::format("= \"{}\" is no {}{}", name, kind, spelling_advice(name, known, "\"")));
  }

  const SystemSpec& spec_;
  const Controls& controls_;
  Layout layout_;
  Assembly<S> out_;
};

}  // namespace

template <class S>
Assembly<S> assemble(const SystemSpec& spec, const Controls& controls) {
  return Assembler<S>(spec, controls).assemble();
}

template Assembly<InstantiatedScalar> assemble(const SystemSpec&, const Controls&);

}  // namespace kurbel::absolute
