/// [bodies.*.manufacturing]
#include "fem/manufacturing_spec.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

using Spec = fem::ManufacturingSpec;

/// "x", "-x", ...
const TomlTable::Words<fem::AxisDirection>& directions() {
  static const TomlTable::Words<fem::AxisDirection> words = {{"x", {0, 1.0}},   {"y", {1, 1.0}},
                                                             {"z", {2, 1.0}},   {"-x", {0, -1.0}},
                                                             {"-y", {1, -1.0}}, {"-z", {2, -1.0}}};
  return words;
}

const KeyTable<Spec::Casting>& casting() {
  using Casting = Spec::Casting;
  static const KeyTable<Casting> rows{
      "casting",
      "a mould",
      {
          word("draw", &Casting::draw, directions(), required,
               "direction in which the mould opens, an axis of the body's frame; behind material there is "
               "only material"),
          word("sides", &Casting::two_sided, {{"one", false}, {"two", true}},
               "two: the mould opens in the opposite direction, too"),
          BoundKey<Casting>(number("parting", &Casting::parting, any, "m", otherwise("each line has its own"),
                                   "coordinate where both halves of the mould meet"))
              .when("sides", {"two"}),
      }};
  return rows;
}

const KeyTable<Spec::Overhang>& overhang() {
  using Overhang = Spec::Overhang;
  static const KeyTable<Overhang> rows{
      "overhang",
      "layers that are built one on the other",
      {
          word("build", &Overhang::build, directions(), required,
               "direction in which layers are built, an axis of the body's frame; the lowest elements stand "
               "on the plate"),
          number("angle", &Overhang::angle, open(0.0, 1.5), "rad",
                 "least angle between the plate and a downward face that needs no support"),
      }};
  return rows;
}

/// A table whose member is there where it is stated.
template <auto make, class Member>
BoundKey<Spec> optional_table(const char* name, std::optional<Member> Spec::*member, const char* meaning) {
  return {{name, table<make>(), "", optional, meaning}, [=](const TomlTable& outer, Spec& spec) {
            if (outer.has(name)) spec.*member = make().read(outer.table(name));
          }};
}

}  // namespace

const KeyTable<Spec>& manufacturing() {
  static const KeyTable<Spec> rows{
      "manufacturing",
      "how a body is made",
      {
          word("extrusion", &Spec::extrusion, {{"x", 0}, {"y", 1}, {"z", 2}}, optional,
               "axis along which densities are constant; of solids only"),
          optional_table<casting>("casting", &Spec::casting, "mould from which the part can be drawn"),
          optional_table<overhang>("overhang", &Spec::overhang,
                                   "layers, as a printer builds them without supports"),
          number("maximum_member", &Spec::maximum_member, positive, "m", optional,
                 "largest width of members, outside of regions: at least four elements, and 1.5 times the "
                 "least member of projection.robust"),
      }};
  return rows;
}

}  // namespace kurbel::keys
