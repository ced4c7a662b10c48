#include "mechanism/part_numbers.hpp"

#include "mechanism/bushing.hpp"

namespace kurbel {

const std::vector<PartNumber>& part_numbers() {
  static const std::vector<PartNumber> table = {
      number<&SpringSpec::stiffness>("stiffness"),
      number<&SpringSpec::damping>("damping"),
      number<&SpringSpec::free_length>("free_length"),

      number<&TorsionSpringSpec::stiffness>("stiffness"),
      number<&TorsionSpringSpec::damping>("damping"),
      number<&TorsionSpringSpec::free_angle>("free_angle"),

      number<&BushingSpec::stiffness>("stiffness", bushing_entries),
      number<&BushingSpec::damping>("damping", bushing_entries),

      number<&StopSpec::stiffness>("stiffness"),
      number<&StopSpec::damping>("damping"),
      number<&StopSpec::lower>("lower"),
      number<&StopSpec::upper>("upper"),

      number<&ControlSpec::nodes>("nodes"),

      number<&JointSpec::length>("length"),

      number<&TyreSpec::radius>("radius"),
      number<&TyreSpec::stiffness>("stiffness"),
      number<&TyreSpec::damping>("damping"),
      number<&TyreSpec::friction>("friction"),
      number<&TyreSpec::slope>("stiffness_factor"),
      number<&TyreSpec::shape>("shape_factor"),

      number<&BeamSpec::start>("start", axis_words),
      number<&BeamSpec::end>("end", axis_words),
      number<&BeamSpec::through>("through", axis_words, 3),
      number<&BeamSpec::dimensions>(""),  // named by the shape of the section
      number<&BeamSpec::youngs_modulus>("youngs_modulus"),
      number<&BeamSpec::poisson_ratio>("poisson_ratio"),
      number<&BeamSpec::density>("density"),
      number<&BeamSpec::damping>("damping"),

      number<&PointMassSpec::mass>("mass"),

      number<&AttachedMassSpec::mass>("mass"),
  };
  return table;
}

}  // namespace kurbel
