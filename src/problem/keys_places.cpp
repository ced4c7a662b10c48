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
          {"centre", list(2, 3, number()), "m", required, "a point of its axis"},
          {"axis", vector3(), "", otherwise("z"), "direction of its axis; of solids only"},
          {"radius", radii(), "m", required, "its radius, or [inner, outer]"},
          {"length", list(2, number(any_or_infinite)), "m", otherwise("unbounded"),
           "[lower, upper] along its axis, from `centre`; of solids only"},
      }};
  return group;
}

const KeyGroup& sphere() {
  static const KeyGroup group{"sphere",
                              "a sphere or shell",
                              {
                                  {"centre", list(2, 3, number()), "m", required, "its centre"},
                                  {"radius", radii(), "m", required, "its radius, or [inner, outer]"},
                              }};
  return group;
}

const KeyGroup& half_space() {
  static const KeyGroup group{
      "half_space",
      "all on one side of a plane",
      {
          {"point", list(2, 3, number()), "m", required, "on the plane"},
          {"normal", list(2, 3, number()), "", required, "direction to the side that it has"},
      }};
  return group;
}

const KeyGroup& polygon() {
  static const KeyGroup group{
      "polygon",
      "a polygon, extended along an axis",
      {
          {"corners", list_of(list(2, number()), 3), "m", required,
           "in order around it: (x, y), along the axis x (y, z), along y (z, x)"},
          {"axis", word({"x", "y", "z"}), "", defaults("z"), "along which it extends; of solids only"},
      }};
  return group;
}

}  // namespace

const KeyGroup& body_place() {
  static const Forms bounds = number() | list(2, number(any_or_infinite));
  static const KeyGroup group{
      "body_place",
      "a place, in which nodes or elements (by their centre) are; what all of its keys have in common",
      {
          {"x", bounds, "m", otherwise("unbounded"), "where it is, or [lower, upper]"},
          {"y", bounds, "m", otherwise("unbounded"), "the same along y"},
          {"z", bounds, "m", otherwise("unbounded"), "the same along z; of solids only"},
          {"cylinder", table(cylinder), "", optional,
           "around an axis; in the plane a circle, on whose inside a bearing's nodes are"},
          {"sphere", table(sphere), "", optional, "around a centre"},
          {"half_space", table(half_space), "", optional, "beyond a plane, in 2D a line"},
          {"polygon", table(polygon), "", optional, "within a polygon, seen along an axis"},
          {"set", text(), "", optional,
           "the file's name of a set or physical group of nodes, faces or elements"},
          {"surface", integer(at_least(1)), "", optional,
           "a surface of the body by its number in `kurbel check`"},
          {"all_of", one_or_more(body_place), "", optional, "places that have it in common"},
          {"any_of", one_or_more(body_place), "", optional, "places of which one has it"},
          {"not", table(body_place), "", optional, "a place that does not have it"},
      }};
  return group;
}

}  // namespace kurbel::keys
