/// [points.*], [beams.*] and [coordinates].
#include "mechanism/system_spec.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

const Forms place_or_name = vector3() | text();

}  // namespace

const KeyTable<BeamSpec>& section() {
  using Spec = BeamSpec;
  using Shape = BeamSpec::Shape;
  static const Forms per_element = number(positive) | list_of(number(positive), 1);
  static const KeyTable<Spec> rows{
      "section",
      "the section of a beam; a planar beam has a rectangle, whose numbers may be lists with one for each "
      "element",
      {
          word("shape", &Spec::shape,
               {{"square", Shape::square},
                {"rectangle", Shape::rectangle},
                {"circle", Shape::circle},
                {"tube", Shape::tube}},
               required, "outline of the section"),
          Key{"side", number(positive), "m", required, "edge length"}.when("shape", {"square"}),
          Key{"width", per_element, "m", required,
              "width along the section's y axis; of a planar beam across the plane"}
              .when("shape", {"rectangle"}),
          Key{"height", per_element, "m", required,
              "height along the section's z axis; of a planar beam in the plane"}
              .when("shape", {"rectangle"}),
          Key{"diameter", number(positive), "m", required, "diameter"}.when("shape", {"circle"}),
          Key{"outer_diameter", number(positive), "m", required, "outer diameter"}.when("shape", {"tube"}),
          Key{"inner_diameter", number(positive), "m", required, "inner diameter"}.when("shape", {"tube"}),
      }};
  return rows;
}

const KeyTable<NamedPoint>& named_point() {
  static const KeyTable<NamedPoint> rows{"named_point",
                                         "a place with a name",
                                         {key("position", &NamedPoint::position, vector3(), "m", required,
                                              "position at the start, in the inertial frame")}};
  return rows;
}

const KeyTable<SystemSpec>& coordinates() {
  static const KeyTable<SystemSpec> rows{
      "coordinates",
      "the unknowns in natural coordinates",
      {
          boolean("planar", &SystemSpec::planar,
                  "true: the mechanism moves in the plane z = 0, or parallel to it; only x and y are "
                  "coordinates, with half of the constraints. Reactions out of the plane are not known, "
                  "histories have zeros there"),
          Key{"shared", boolean(), "", defaults(false),
              "true: ends of beams share the coordinates of the bodies to which spherical, revolute, "
              "universal and fixed joints connect them, bodies those of the ground, without multipliers. "
              "Reactions are then known only for joints in criteria and outputs"},
      }};
  return rows;
}

const KeyTable<BeamSpec>& beam() {
  using Spec = BeamSpec;
  using Energy = BeamSpec::Energy;
  static const std::vector<std::string> slender = {"cable", "spatial"};
  static const KeyTable<Spec> rows{
      "beam",
      "a beam, with the markers \"start\" and \"end\", and if it is slender \"node1\", \"node2\", ... "
      "between its elements",
      {
          Key{"type", word({"cable", "spatial", "planar"}), "", defaults("cable"),
              "cable: the same bending about every axis, for a rectangle that of its height, without shear "
              "and torsion; spatial: shear, torsion and bending about both axes; planar: shear-deformable, "
              "in the plane z = 0 (ANCF)"},
          Key{"start", place_or_name, "m", required, "start: three numbers, or the name of one of [points.*]"}
              .when("type", slender),
          Key{"end", place_or_name, "m", required, "end, likewise"}.when("type", slender),
          Key{"start", vector3(), "m", otherwise("where a joint puts it"), "start, in the plane z = 0"}.when(
              "type", {"planar"}),
          Key{"direction", vector3(), "", required, "direction from its start to its end, in the plane"}.when(
              "type", {"planar"}),
          Key{"length", number(positive), "m", required, "length"}.when("type", {"planar"}),
          Key{"through", place_or_name, "m", otherwise("it is straight"),
              "point between its ends, likewise; the beam is an arc of a circle, free of stress"}
              .when("type", {"spatial"}),
          word("energy", &Spec::energy,
               {{"green", Energy::green},
                {"second-derivative", Energy::second_derivative},
                {"chord", Energy::chord},
                {"linearized", Energy::linearized}},
               "strain energy. green: Green strain and curvature; second-derivative: the second derivative "
               "as curvature; chord: the strain of the chord; linearized: forces that are linear in the "
               "rotated frame and have no energy, for comparison")
              .when("type", {"cable"}),
          Key{"poisson_coupling", word({"full", "axis"}), "", defaults("full"),
              "coupling of strains along and across the beam: in the whole section (full), which makes "
              "bending too stiff, or on the axis"}
              .when("type", {"planar"}),
          Key{"section", table<section>(), "", required, "its section"},
          integer("elements", &Spec::n_elements, closed(1, 100000), "", "number of elements"),
          number("youngs_modulus", &Spec::youngs_modulus, positive, "Pa", required, "Young's modulus"),
          number("poisson_ratio", &Spec::poisson_ratio, open(-1.0, 0.5), "",
                 "Poisson's ratio, for shear, torsion and the section of a planar beam"),
          number("density", &Spec::density, positive, "kg/m^3", required, "mass per volume"),
          number("damping", &Spec::damping, not_negative, "s",
                 "Kelvin-Voigt damping: stress per rate of strain, over Young's modulus")
              .when("type", slender),
          Key{"side", vector3(), "",
              otherwise("[0, 1, 0]; [0, 0, 1] of a beam along y; of an arc the normal of its plane"),
              "direction of the section's y axis, made normal to the beam"}
              .when("type", {"spatial"}),
          key("velocity", &Spec::velocity, vector3(), "m/s", "velocity of its start at t0")
              .when("type", slender),
          key("angular_velocity", &Spec::angular_velocity, vector3(), "rad/s",
              "angular velocity of the whole beam at t0, in the inertial frame")
              .when("type", slender),
      }};
  return rows;
}

}  // namespace kurbel::keys
