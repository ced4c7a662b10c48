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
      "the section of a beam; of a planar beam a rectangle, whose numbers may be lists with one for each "
      "element",
      {
          word("shape", &Spec::shape,
               {{"square", Shape::square},
                {"rectangle", Shape::rectangle},
                {"circle", Shape::circle},
                {"tube", Shape::tube}},
               required, "its outline"),
          Key{"side", number(positive), "m", required, "edge length"}.when("shape", {"square"}),
          Key{"width", per_element, "m", required,
              "along the section's y axis; of a planar beam across the plane"}
              .when("shape", {"rectangle"}),
          Key{"height", per_element, "m", required, "along its z axis; of a planar beam in the plane"}.when(
              "shape", {"rectangle"}),
          Key{"diameter", number(positive), "m", required, "diameter"}.when("shape", {"circle"}),
          Key{"outer_diameter", number(positive), "m", required, "outer diameter"}.when("shape", {"tube"}),
          Key{"inner_diameter", number(positive), "m", required, "inner diameter"}.when("shape", {"tube"}),
      }};
  return rows;
}

const KeyTable<NamedPoint>& named_point() {
  static const KeyTable<NamedPoint> rows{"named_point",
                                         "a place with a name",
                                         {
                                             key("position", &NamedPoint::position, vector3(), "m", required,
                                                 "at the start, in the inertial frame"),
                                         }};
  return rows;
}

const KeyTable<SystemSpec>& coordinates() {
  static const KeyTable<SystemSpec> rows{
      "coordinates",
      "what is a coordinate, in natural coordinates",
      {
          boolean("planar", &SystemSpec::planar,
                  "the mechanism moves in the plane z = 0, or parallel to it: x and y alone are coordinates, "
                  "and half of the constraints are gone; of reactions out of the plane nothing is known, "
                  "histories have zeros there"),
          Key{"shared", boolean(), "", defaults(false),
              "ends of beams have the coordinates of what spherical, revolute, universal and fixed joints "
              "hold them to, and bodies those of the ground, without multipliers; reactions are then known "
              "of those joints alone that the criteria and outputs ask for"},
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
              "bends the same about every axis, a rectangle as along its height, without shear and torsion; "
              "or with shear, torsion and two bendings; or shear-deformable in the plane z = 0 (ANCF)"},
          Key{"start", place_or_name, "m", required,
              "where it starts: three numbers, or the name of one of [points.*]"}
              .when("type", slender),
          Key{"end", place_or_name, "m", required, "where it ends, likewise"}.when("type", slender),
          Key{"start", vector3(), "m", otherwise("where a joint puts it"),
              "where it starts, in the plane z = 0"}
              .when("type", {"planar"}),
          Key{"direction", vector3(), "", required, "from its start to its end, in the plane"}.when(
              "type", {"planar"}),
          Key{"length", number(positive), "m", required, "from its start to its end"}.when("type",
                                                                                           {"planar"}),
          Key{"through", place_or_name, "m", otherwise("it is straight"),
              "a place in between, likewise, of an arc of a circle that is free of stress"}
              .when("type", {"spatial"}),
          word("energy", &Spec::energy,
               {{"green", Energy::green},
                {"second-derivative", Energy::second_derivative},
                {"chord", Energy::chord},
                {"linearized", Energy::linearized}},
               "strain energy: Green strain and curvature; the second derivative as curvature; the strain of "
               "the chord; or forces linear in the turned frame, which no energy has, for comparison")
              .when("type", {"cable"}),
          Key{"poisson_coupling", word({"full", "axis"}), "", defaults("full"),
              "strains along and across are coupled in the whole section, which makes bending too stiff, or "
              "on the axis"}
              .when("type", {"planar"}),
          Key{"section", table<section>(), "", required, "its section"},
          integer("elements", &Spec::n_elements, closed(1, 100000), "", "how many"),
          number("youngs_modulus", &Spec::youngs_modulus, positive, "Pa", required, "Young's modulus"),
          number("poisson_ratio", &Spec::poisson_ratio, open(-1.0, 0.5), "",
                 "Poisson's ratio, for shear, torsion and the section of a planar beam"),
          number("density", &Spec::density, positive, "kg/m^3", required, "mass of a volume"),
          number("damping", &Spec::damping, not_negative, "s",
                 "of Kelvin and Voigt: stress by the rate of strain over Young's modulus")
              .when("type", slender),
          Key{"side", vector3(), "",
              otherwise("[0, 1, 0]; [0, 0, 1] of a beam along y; of an arc the normal of its plane"),
              "where the section's y axis points, about"}
              .when("type", {"spatial"}),
          key("velocity", &Spec::velocity, vector3(), "m/s", "of its start, at t0").when("type", slender),
          key("angular_velocity", &Spec::angular_velocity, vector3(), "rad/s",
              "with which it turns as a whole, at t0, in the inertial frame")
              .when("type", slender),
      }};
  return rows;
}

}  // namespace kurbel::keys
