/// [points.*], [beams.*] and [masses.*] in absolute coordinates.
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

const KeyGroup& beam_material() {
  static const KeyGroup group{"beam_material",
                              "the material of a beam",
                              {
                                  {"youngs_modulus", number(positive), "Pa", required, "Young's modulus"},
                                  {"poisson_ratio", number(open(-1.0, 0.5)), "", required, "Poisson's ratio"},
                                  {"density", number(positive), "kg/m^3", required, "mass of a volume"},
                              }};
  return group;
}

}  // namespace

const KeyGroup& point() {
  static const KeyGroup group{
      "point",
      "a point mass",
      {
          {"mass", number(positive), "kg", required_if("it is free in any direction"), "its mass"},
          {"position", vector3(), "m", defaults(zero), "at the start"},
          {"velocity", vector3(), "m/s", defaults(zero), "at the start, along free directions"},
          {"free", list_of(word({"x", "y", "z"})), "", otherwise("all"),
           "directions in which it moves; [] holds it"},
      }};
  return group;
}

const KeyGroup& beam() {
  static const Forms per_element = number(positive) | list_of(number(positive), 1);
  static const KeyGroup group{
      "beam",
      "a straight beam in the plane, of a rectangular section",
      {
          {"elements", integer(closed(1, 1000)), "", defaults(1), "how many"},
          {"start", list(2, number()), "m", otherwise("where a joint puts it"), "x and y of its start"},
          {"direction", list(2, number()), "", required, "x and y of the way from start to end"},
          {"length", number(positive), "m", required, "from start to end"},
          {"width", per_element, "m", required, "across the plane; for all elements, or for each"},
          {"height", per_element, "m", required, "in the plane; for all elements, or for each"},
          {"material", table(beam_material), "", required, "its material"},
          {"poisson_coupling", word({"full", "axis"}), "", defaults("full"),
           "strains along and across are coupled in the whole section, which makes bending too stiff, or on "
           "the axis"},
      }};
  return group;
}

const KeyGroup& point_mass() {
  static const KeyGroup group{
      "point_mass",
      "a mass at a place",
      {
          {"at", text(), "", required, "place: a point, \"beam.start\" or \"beam.end\""},
          {"mass", number(positive), "kg", required, "its mass"},
      }};
  return group;
}

}  // namespace kurbel::keys
