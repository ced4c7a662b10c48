/// Places in a body, where nodes, elements and faces are.
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

const Forms& radii() {
  static const Forms forms = number(positive) | list(2, number(not_negative));
  return forms;
}

const KeyGroup& cylinder() {
  static const KeyGroup group{
      "cylinder",
      "a cylinder or tube",
      {
          {"centre", list(2, 3, number()), "m", required, "point on the axis"},
          {"axis", vector3(), "", otherwise("z"), "direction of the axis; of solids only"},
          {"radius", radii(), "m", required, "radius, or [inner, outer]"},
          {"length", list(2, number(any_or_infinite)), "m", otherwise("unbounded"),
           "[lower, upper] along the axis, from `centre`; of solids only"},
      }};
  return group;
}

const KeyGroup& sphere() {
  static const KeyGroup group{"sphere",
                              "a sphere or shell",
                              {
                                  {"centre", list(2, 3, number()), "m", required, "centre"},
                                  {"radius", radii(), "m", required, "radius, or [inner, outer]"},
                              }};
  return group;
}

const KeyGroup& half_space() {
  static const KeyGroup group{
      "half_space",
      "everything on one side of a plane",
      {
          {"point", list(2, 3, number()), "m", required, "point on the plane"},
          {"normal", list(2, 3, number()), "", required, "normal of the plane, towards that side"},
      }};
  return group;
}

const KeyGroup& polygon() {
  static const KeyGroup group{"polygon",
                              "a polygon, extended along an axis",
                              {
                                  {"corners", list_of(list(2, number()), 3), "m", required,
                                   "corners in order: (x, y); along the axis x (y, z), along y (z, x)"},
                                  {"axis", word({"x", "y", "z"}), "", defaults("z"),
                                   "axis along which the polygon extends; of solids only"},
                              }};
  return group;
}

}  // namespace

const KeyGroup& body_place() {
  static const Forms bounds = number() | list(2, number(any_or_infinite));
  static const KeyGroup group{
      "body_place",
      "a place that selects nodes, faces, or elements by their centres; several keys select what they have "
      "in common",
      {
          {"x", bounds, "m", otherwise("unbounded"), "coordinate, or [lower, upper]"},
          {"y", bounds, "m", otherwise("unbounded"), "the same along y"},
          {"z", bounds, "m", otherwise("unbounded"), "the same along z; of solids only"},
          {"cylinder", table(cylinder), "", optional,
           "inside of a cylinder or tube; in the plane of a circle or ring, such as one around a bearing"},
          {"sphere", table(sphere), "", optional, "inside of a sphere or shell"},
          {"half_space", table(half_space), "", optional, "one side of a plane, in 2D of a line"},
          {"polygon", table(polygon), "", optional, "inside of a polygon, seen along an axis"},
          {"set", text(), "", optional,
           "set or physical group of nodes, faces or elements, by its name in the file"},
          {"surface", integer(at_least(1)), "", optional,
           "surface of the body, by its number in `kurbel check`"},
          {"all_of", one_or_more(body_place), "", optional, "intersection of these places"},
          {"any_of", one_or_more(body_place), "", optional, "union of these places"},
          {"not", table(body_place), "", optional, "everything outside of this place"},
      }};
  return group;
}

}  // namespace kurbel::keys
