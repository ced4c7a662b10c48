/// [bodies.*]
#include "fem/body_spec.hpp"
#include "mechanism/system_spec.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

const KeyGroup& mesh() {
  static const KeyGroup group{
      "mesh",
      "a mesh",
      {
          {"shape", word({"rectangle", "box"}), "", required,
           "4-node rectangles in plane stress, or 8-node boxes"},
          Key{"origin", list(2, number()), "m", required, "lowest corner"}.when("shape", {"rectangle"}),
          Key{"origin", list(3, number()), "m", required, "lowest corner"}.when("shape", {"box"}),
          Key{"size", list(2, number(positive)), "m", required, "edge lengths"}.when("shape", {"rectangle"}),
          Key{"size", list(3, number(positive)), "m", required, "edge lengths"}.when("shape", {"box"}),
          Key{"divisions", list(2, integer(at_least(1))), "", required, "elements along x and y"}.when(
              "shape", {"rectangle"}),
          Key{"divisions", list(3, integer(at_least(1))), "", required, "elements along x, y and z"}.when(
              "shape", {"box"}),
          Key{"thickness", number(positive), "m", required, "thickness across the plane"}.when("shape",
                                                                                               {"rectangle"}),
          {"element", word({"standard", "incompatible"}), "", defaults("standard"),
           "incompatible ones bend without locking, even a single one over the thickness"},
      }};
  return group;
}

const KeyGroup& material() {
  static const KeyGroup group{"material",
                              "a material",
                              {
                                  {"youngs_modulus", number(positive), "Pa", required, "Young's modulus"},
                                  {"poisson_ratio", number(open(-1.0, 0.5)), "", required, "Poisson's ratio"},
                                  {"density", number(positive), "kg/m^3", required, "mass of a volume"},
                              }};
  return group;
}

const KeyGroup& simp() {
  static const fem::Simp simp;
  static const KeyGroup group{
      "simp",
      "the law of the material of relative density p",
      {
          {"s", number(at_least(1.0)), "", defaults(simp.s), "exponent of the stiffness, E = p^s E0"},
          {"c", number(positive), "", defaults(simp.c), "factor of the mass below the threshold, c p^q rho0"},
          {"q", number(at_least(1.0)), "", defaults(simp.q), "exponent of the mass below the threshold"},
          {"threshold", number(closed(0.0, 1.0)), "", defaults(simp.threshold),
           "density below which the mass falls faster, so that voids do not vibrate; 0: nowhere. The mass "
           "has to "
           "be continuous there: c threshold^(q - 1) = 1"},
          {"p_min", number(open(0.0, 1.0)), "", defaults(simp.p_min), "least density, that of a void"},
      }};
  return group;
}

const KeyGroup& region() {
  static const KeyGroup group{
      "region",
      "a region of elements whose density does not vary",
      {
          {"kind", word({"solid", "void", "frozen"}), "", required, "full, empty, or as at the start"},
      },
      &box};
  return group;
}

const KeyGroup& frame() {
  static const KeyGroup group{
      "frame",
      "the reference frame of a body",
      {
          {"type", word({"tangent", "chord", "buckens"}), "", defaults("tangent"),
           "held by the nodes of `clamp`, by the line between two markers, or by the mean of the body"},
          Key{"origin", text(), "", required, "marker where the frame is"}.when("type", {"chord"}),
          Key{"end", text(), "", required, "marker towards which its x axis points"}.when("type", {"chord"}),
          Key{"third", text(), "", otherwise("the mean rotation of `origin` about the chord"),
              "marker that holds the rotation about the chord; of boxes only"}
              .when("type", {"chord"}),
      }};
  return group;
}

const KeyGroup& modes() {
  static const KeyGroup group{
      "modes",
      "the elastic coordinates of a body; of `normal`, `up_to` and `list` one is given",
      {
          {"normal", integer(at_least(0)), "", optional, "how many of the lowest normal modes"},
          Key{"up_to", number(positive), "Hz", optional, "all normal modes below this frequency"}.in_place_of(
              {"normal"}),
          Key{"list", list(1, 200, integer(closed(1, 200))), "", optional,
              "which normal modes, counted from 1, ascending"}
              .in_place_of({"normal", "up_to"}),
          {"basis", word({"normal", "craig-bampton"}), "", defaults("normal"),
           "normal modes, or those with fixed interfaces and the static answers of the interfaces"},
          {"attachment", boolean(), "", defaults(true),
           "static answers to unit loads at the markers where something acts"},
      }};
  return group;
}

const KeyGroup& damping() {
  static const fem::FlexibleBodySpec spec;
  static const KeyGroup group{
      "damping",
      "damping of the elastic coordinates, De = alpha Me + beta Ke",
      {
          {"alpha", number(not_negative), "1/s", defaults(spec.damping_alpha), "share of the mass"},
          {"beta", number(not_negative), "s", defaults(spec.damping_beta), "share of the stiffness"},
          {"modal", number(not_negative) | list_of(number(not_negative), 1), "", optional,
           "ratios of critical damping: one for all elastic coordinates, or one for each"},
      }};
  return group;
}

const KeyGroup& static_load() {
  static const KeyGroup group{
      "static_load",
      "a static load under which a body starts",
      {
          {"marker", text(), "", required, "marker of the body"},
          {"force", vector3(), "N", defaults(zero), "along the axes of the body's frame"},
          {"moment", vector3(), "N m", defaults(zero), "about the axes of the body's frame"},
      }};
  return group;
}

const KeyGroup& start() {
  static const KeyGroup group{
      "start",
      "the start of a body, corrected to what the joints allow, first in what is not given",
      {
          {"position", vector3(), "m", defaults(zero), "of its frame"},
          {"rotation", vector3(), "rad", defaults(zero),
           "of its frame, as a rotation vector; not of a point"},
          {"velocity", vector3(), "m/s", defaults(zero), "of its frame, along the inertial axes"},
          {"angular_velocity", vector3(), "rad/s", defaults(zero), "of its frame, along its own axes"},
          {"q", list_of(number(), 1), "", otherwise("without deformation"),
           "elastic coordinates; not of a body that is designed"},
          {"q_dot", list_of(number(), 1), "", otherwise("at rest"), "their rates"},
          {"loads", names(static_load), "", optional,
           "loads whose static deformation it starts with, by name"},
      }};
  return group;
}

}  // namespace

const KeyGroup& box() {
  static const Forms bounds = number() | list(2, number(any_or_infinite));
  static const KeyGroup group{
      "box",
      "a box, in which nodes or elements (by their centre) are; at least one axis is bounded",
      {
          {"x", bounds, "m", otherwise("unbounded"), "where it is, or [lower, upper]"},
          {"y", bounds, "m", otherwise("unbounded"), "the same along y"},
          {"z", bounds, "m", otherwise("unbounded"), "the same along z; of a mesh of boxes only"},
      }};
  return group;
}

const KeyGroup& placed_marker() {
  static const KeyGroup group{
      "placed_marker",
      "a marker that is placed",
      {
          {"position", vector3(), "m", defaults(zero), "in the frame of its body"},
          Key{"point", text(), "", optional,
              "in place of `position`: one of [points.*], at which it is when the body is as `initial` has "
              "it"}
              .in_place_of({"position"}),
          {"rotation", vector3(), "rad", defaults(zero), "against that frame, as a rotation vector"},
      }};
  return group;
}

const KeyGroup& body() {
  static const KeyGroup group{
      "body",
      "a body",
      {
          {"type", word({"rigid", "flexible", "sid", "point"}), "", required,
           "rigid; flexible: a finite-element body; sid: standard input data from a file; point: a mass in "
           "one "
           "point, which does not turn, with formulation = \"natural-coordinates\""},
          Key{"mass", number(positive), "kg", required, "its mass"}.when("type", {"rigid"}).by_case(),
          Key{"mass", number(positive), "kg", required_if("it is free in any direction"), "its mass"}
              .when("type", {"point"})
              .by_case(),
          Key{"free", list_of(word({"x", "y", "z"})), "", otherwise("all"),
              "directions in which it moves; [] holds it"}
              .when("type", {"point"}),
          Key{"centre_of_mass", vector3(), "m", defaults(zero), "in its frame"}
              .when("type", {"rigid"})
              .by_case(),
          Key{"inertia", list(3, 6, number()) | list(3, list(3, number())), "kg m^2", required,
              "about the centre of mass: [Jxx, Jyy, Jzz], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] or three rows"}
              .when("type", {"rigid"})
              .by_case(),
          Key{"markers", names(placed_marker), "", optional, "its markers, by name"}.when("type", {"rigid"}),

          Key{"mesh", table(mesh), "", required, "a structured mesh"}.when("type", {"flexible"}),
          Key{"material", table(material), "", required, "its material"}.when("type", {"flexible"}),
          Key{"simp", table(simp), "", optional, "stiffness and mass of an element of relative density p"}
              .when("type", {"flexible"}),
          Key{"regions", names(region), "", optional, "elements whose density does not vary, by name"}.when(
              "type", {"flexible"}),
          Key{"frame", table(frame), "", optional, "what the displacements are relative to"}.when(
              "type", {"flexible"}),
          Key{"clamp", table(box), "", required, "the nodes that carry the reference frame"}
              .when("type", {"flexible"})
              .when("frame.type", {"tangent"}),
          Key{"markers", names(box), "", optional, "nodes that move and turn with their average, by name"}
              .when("type", {"flexible"}),
          Key{"modes", table(modes), "", required, "its elastic coordinates"}.when("type", {"flexible"}),
          Key{"damping", table(damping), "", optional, "its damping"}.when("type", {"flexible"}),
          Key{"geometric_stiffening", boolean(), "", defaults(false),
              "whether the motion of its frame and the forces at its markers stiffen it"}
              .when("type", {"flexible"}),

          Key{"file", text(), "", required,
              "HDF5 of kurbel, or SID_FEM text of any program, relative to the input file"}
              .when("type", {"sid"}),
          Key{"body", text(), "", otherwise("the only one"), "name of the body in that file"}.when("type",
                                                                                                   {"sid"}),
          Key{"accept_indefinite", boolean(), "", defaults(false), "use the data even if no body has them"}
              .when("type", {"sid"}),

          Key{"initial", table(start), "", optional, "its start"}.by_case(),
      }};
  return group;
}

}  // namespace kurbel::keys
