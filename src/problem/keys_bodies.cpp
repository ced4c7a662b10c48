/// [bodies.*]
#include "fem/body_spec.hpp"
#include "mechanism/system_spec.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

const KeyGroup& finer() {
  static const KeyGroup group{
      "finer",
      "a place with smaller elements, by either `set` or `surface`",
      {
          {"set", text(), "", optional, "physical group of surfaces of the geometry, in the plane of curves"},
          Key{"surface", integer(at_least(1)), "", optional,
              "surface of the geometry, in the plane curve, by its number in `kurbel check`"}
              .in_place_of({"set"}),
          {"size", number(positive), "m", required, "longest edge of elements there"},
          {"distance", number(positive), "m", otherwise("ten times its `size`"),
           "distance at which elements reach the `size` of the mesh"},
      }};
  return group;
}

const KeyTable<fem::Material>& material() {
  using Spec = fem::Material;
  static const KeyTable<Spec> rows{
      "material",
      "a material",
      {
          number("youngs_modulus", &Spec::youngs_modulus, positive, "Pa", required, "Young's modulus"),
          number("poisson_ratio", &Spec::poisson_ratio, open(-1.0, 0.5), "", required, "Poisson's ratio"),
          number("density", &Spec::density, positive, "kg/m^3", required, "mass per volume"),
      }};
  return rows;
}

const KeyTable<fem::Simp>& simp() {
  using Spec = fem::Simp;
  using Stiffness = Spec::Stiffness;
  using LightMass = Spec::LightMass;
  static const KeyTable<Spec> rows{
      "simp",
      "the law of the material of relative density p",
      {
          word("stiffness", &Spec::stiffness,
               {{"power", Stiffness::power}, {"modified", Stiffness::modified}, {"ramp", Stiffness::ramp}},
               "E/E0 = p^s (power), r + (1 - r) p^s (modified SIMP) or r + (1 - r) p / (1 + s (1 - p)) "
               "(RAMP)"),
          number("s", &Spec::s, at_least(1.0), "", "exponent of the stiffness, or parameter of RAMP"),
          number("void_stiffness", &Spec::void_stiffness, open(0.0, 1.0), "",
                 "r, stiffness of void relative to solid")
              .when("stiffness", {"modified", "ramp"}, "whose p^s has p_min in its place"),
          word("light_mass", &Spec::light_mass, {{"power", LightMass::power}, {"smooth", LightMass::smooth}},
               "density below the threshold t: c p^q rho0 (power), or p (q (p/t)^(q-1) - (q-1) (p/t)^q) "
               "rho0, without a kink at t (smooth)"),
          number("c", &Spec::c, positive, "", "factor of the mass below the threshold, c p^q rho0")
              .when("light_mass", {"power"}),
          number("q", &Spec::q, at_least(1.0), "", "exponent of the mass below the threshold"),
          number("threshold", &Spec::threshold, closed(0.0, 1.0), "",
                 "relative density below which the mass falls faster, so that voids do not vibrate; 0: "
                 "nowhere. light_mass = \"power\" has to be continuous there: c threshold^(q - 1) = 1"),
          number("p_min", &Spec::p_min, open(0.0, 1.0), "",
                 "relative density of void elements, the least one"),
      }};
  return rows;
}

const KeyGroup& symmetry_plane() {
  static const KeyGroup group{
      "symmetry_plane",
      "a plane of symmetry",
      {
          {"point", list(2, 3, number()), "m", otherwise("the origin"), "point on the plane"},
          {"normal", list(2, 3, number()), "", required, "normal of the plane"},
      }};
  return group;
}

const KeyTable<fem::FrameSpec>& frame() {
  using Spec = fem::FrameSpec;
  using Type = Spec::Type;
  static const KeyTable<Spec> rows{
      "frame",
      "the reference frame of a body",
      {
          word("type", &Spec::type,
               {{"tangent", Type::tangent}, {"chord", Type::chord}, {"buckens", Type::buckens}},
               "what carries the frame: the nodes of `clamp` (tangent), the line between two markers "
               "(chord), or the mean motion of the body (buckens)"),
          text("origin", &Spec::origin, "marker at the origin of the frame").when("type", {"chord"}),
          text("end", &Spec::end, "marker towards which its x axis points").when("type", {"chord"}),
          Key{"third", text(), "", otherwise("the mean rotation of `origin` about the chord"),
              "marker that fixes the rotation about the chord; of boxes only"}
              .when("type", {"chord"}),
      }};
  return rows;
}

const KeyTable<fem::FlexibleBodySpec>& modes() {
  using Spec = fem::FlexibleBodySpec;
  using Basis = fem::BasisType;
  static const KeyTable<Spec> rows{
      "modes",
      "the elastic coordinates of a body, with one of `normal`, `up_to` and `list`",
      {
          integer("normal", &Spec::n_normal_modes, at_least(0), "", optional,
                  "number of normal modes, from the lowest on"),
          number("up_to", &Spec::modes_up_to, positive, "Hz", optional,
                 "all normal modes below this frequency")
              .in_place_of({"normal"}),
          Key{"list", list(1, 200, integer(closed(1, 200))), "", optional,
              "numbers of normal modes, from 1, ascending"}
              .in_place_of({"normal", "up_to"}),
          word("basis", &Spec::basis, {{"normal", Basis::normal}, {"craig-bampton", Basis::craig_bampton}},
               "normal modes, or modes with fixed interfaces and constraint modes (Craig-Bampton)"),
          Key{"attachment", boolean(), "", defaults(true),
              "static deformations under unit loads at the markers where something acts"},
      }};
  return rows;
}

const KeyTable<fem::FlexibleBodySpec>& damping() {
  using Spec = fem::FlexibleBodySpec;
  static const KeyTable<Spec> rows{
      "damping",
      "damping of the elastic coordinates, De = alpha Me + beta Ke",
      {
          number("alpha", &Spec::damping_alpha, not_negative, "1/s", "factor of the mass matrix"),
          number("beta", &Spec::damping_beta, not_negative, "s", "factor of the stiffness matrix"),
          Key{"modal", number(not_negative) | list_of(number(not_negative), 1), "", optional,
              "damping ratios: one for all elastic coordinates, or one for each"},
      }};
  return rows;
}

}  // namespace

const KeyTable<fem::MeshSpec>& mesh() {
  using Spec = fem::MeshSpec;
  using Type = fem::ElementType;
  static const KeyTable<Spec> rows{
      "mesh",
      "a mesh",
      {
          Key{"shape", word({"rectangle", "box", "file"}), "", defaults("file"),
              "4-node rectangles, 8-node boxes, or a part from a file"},
          Key{"origin", list(2, number()), "m", required, "lowest corner"}.when("shape", {"rectangle"}),
          Key{"origin", list(3, number()), "m", required, "lowest corner"}.when("shape", {"box"}),
          Key{"size", list(2, number(positive)), "m", required, "edge lengths"}.when("shape", {"rectangle"}),
          Key{"size", list(3, number(positive)), "m", required, "edge lengths"}.when("shape", {"box"}),
          Key{"divisions", list(2, integer(at_least(1))), "", required, "elements along x and y"}.when(
              "shape", {"rectangle"}),
          Key{"divisions", list(3, integer(at_least(1))), "", required, "elements along x, y and z"}.when(
              "shape", {"box"}),
          Key{"file", text(), "", required,
              "the part, relative to the input file: a geometry that is meshed (.geo, .step, .brep, closed "
              ".stl) or a mesh (.msh, .inp, .vtk, .vtu)"}
              .when("shape", {"file"}),
          Key{"size", number(positive), "m",
              otherwise(
                  "as the file says; at least 12 elements around every hole of a drawing (.step, .brep)"),
              "longest edge of the elements of a geometry"}
              .when("shape", {"file"}),
          Key{"order", integer(closed(1, 2)), "", otherwise("2 for a geometry, that of the file for a mesh"),
              "order of the elements; 1: nodes at the corners, 2: also at the middles of the edges"}
              .when("shape", {"file"}),
          Key{"unit", word({"m", "cm", "mm", "um", "in", "ft"}), "",
              otherwise("m; a STEP file states its own"), "unit of length in the file"}
              .when("shape", {"file"}),
          number("thickness", &Spec::thickness, positive, "m", required, "thickness across the plane")
              .when("shape", {"rectangle"}),
          Key{"thickness", number(positive), "m", required_if("the file has a plane part"),
              "thickness across the plane, z = 0"}
              .when("shape", {"file"}),
          Key{"near", one_or_more(finer), "", optional,
              "places of a geometry with smaller elements, which grow to `size` over a distance"}
              .when("shape", {"file"}),
          word("plane", &Spec::plane,
               {{"stress", fem::PlaneState::stress}, {"strain", fem::PlaneState::strain}},
               "state of a plane body: no stress across it, as in a thin plate, or no strain, as in a long "
               "part between fixed ends")
              .when("shape", {"rectangle", "file"}),
          word("element", &Spec::element,
               {{"standard", Type::standard}, {"incompatible", Type::incompatible}},
               "incompatible quadrilaterals and hexahedra bend without locking, even a single one over the "
               "thickness"),
      }};
  return rows;
}

const KeyTable<fem::Region>& region() {
  using Kind = fem::Region::Kind;
  static const KeyTable<fem::Region> rows{
      "region",
      "a region of elements whose density does not vary",
      {word("kind", &fem::Region::kind,
            {{"solid", Kind::solid}, {"void", Kind::voided}, {"frozen", Kind::frozen}}, required,
            "full, empty, or with the densities of the start")},
      &body_place};
  return rows;
}

const KeyTable<fem::MarkerSpec>& flexible_marker() {
  using Spec = fem::MarkerSpec;
  static const KeyTable<Spec> rows{
      "marker",
      "a marker of a flexible body",
      {
          word("tie", &Spec::tie, {{"distributing", Spec::Tie::distributing}, {"rigid", Spec::Tie::rigid}},
               "distributing: the nodes move independently, the marker with their mean; rigid: all nodes "
               "move with the marker as a rigid body"),
          word("weights", &Spec::weights, {{"equal", Spec::Weights::equal}, {"area", Spec::Weights::area}},
               otherwise("equal on boxes, area on a part from a file"),
               "weights of the nodes in the mean: equal, or the area (in 2D the length) of the surface "
               "around each"),
      },
      &body_place};
  return rows;
}

const KeyTable<fem::SupportSpec>& support() {
  static const KeyTable<fem::SupportSpec> rows{"support",
                                               "nodes that are fixed along some axes, as on rollers",
                                               {Key{"fixed", list_of(word({"x", "y", "z"}), 1), "", required,
                                                    "axes along which the nodes do not move"}},
                                               &body_place};
  return rows;
}

const KeyTable<StaticLoad>& static_load() {
  using Spec = StaticLoad;
  static const KeyTable<Spec> rows{
      "static_load",
      "a static load under which a body starts",
      {
          text("marker", &Spec::marker, "marker of the body"),
          key("force", &Spec::force, vector3(), "N", "along the axes of the body's frame"),
          key("moment", &Spec::moment, vector3(), "N m", "about the axes of the body's frame"),
      }};
  return rows;
}

const KeyTable<InitialState>& start() {
  using Spec = InitialState;
  static const KeyTable<Spec> rows{
      "start",
      "the start of a body, corrected to satisfy the joints; values that are not given change first",
      {
          key("position", &Spec::position, vector3(), "m", "position of its frame"),
          key("rotation", &Spec::rotation, vector3(), "rad",
              "rotation of its frame, as a rotation vector; not of a point. Where it is not stated, a fixed "
              "joint to a body whose rotation is known gives it"),
          key("velocity", &Spec::velocity, vector3(), "m/s",
              "velocity of its frame, along the inertial axes"),
          key("angular_velocity", &Spec::angular_velocity, vector3(), "rad/s",
              "angular velocity of its frame, along its own axes"),
          key("q", &Spec::q, list_of(number(), 1), "", otherwise("without deformation"),
              "elastic coordinates; not of a body that is designed"),
          key("q_dot", &Spec::q_dot, list_of(number(), 1), "", otherwise("at rest"),
              "rates of the elastic coordinates"),
          Key{"loads", names<static_load>(), "", optional,
              "loads under whose static deformation it starts, by name"},
      }};
  return rows;
}

const KeyGroup& placed_marker() {
  static const KeyGroup group{
      "placed_marker",
      "a marker of a rigid body or of the ground",
      {
          {"position", vector3(), "m", defaults(zero), "position in the frame of its body"},
          Key{"point", text(), "", optional,
              "one of [points.*], in place of `position`; the marker is there when the body is at its "
              "`initial` position"}
              .in_place_of({"position"}),
          {"rotation", vector3(), "rad", defaults(zero), "rotation against that frame, as a rotation vector"},
      }};
  return group;
}

const KeyTable<fem::FlexibleBodySpec>& body() {
  using Spec = fem::FlexibleBodySpec;
  using Solver = fem::SolverType;
  static const KeyTable<Spec> rows{
      "body",
      "a body",
      {
          Key{"type", word({"rigid", "flexible", "sid", "point"}), "", required,
              "rigid; flexible: finite elements; sid: standard input data from a file; point: a point mass, "
              "which has no rotation, with formulation = \"natural-coordinates\""},
          Key{"mass", number(positive), "kg", required, "its mass"}.when("type", {"rigid"}).by_case(),
          Key{"mass", number(positive), "kg", required_if("it is free in any direction"), "its mass"}
              .when("type", {"point"})
              .by_case(),
          Key{"free", list_of(word({"x", "y", "z"})), "", otherwise("all"),
              "directions in which it moves; [] fixes it"}
              .when("type", {"point"}),
          Key{"centre_of_mass", vector3(), "m", defaults(zero), "centre of mass in its frame"}
              .when("type", {"rigid"})
              .by_case(),
          Key{"inertia", list(3, 6, number()) | list(3, list(3, number())), "kg m^2", required,
              "inertia about the centre of mass: [Jxx, Jyy, Jzz], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] or three "
              "rows"}
              .when("type", {"rigid"})
              .by_case(),
          Key{"markers", names(placed_marker), "", optional, "its markers, by name"}.when("type", {"rigid"}),

          Key{"mesh", table<mesh>(), "", required, "its mesh"}.when("type", {"flexible"}),
          table<material>("material", &Spec::material, required, "its material").when("type", {"flexible"}),
          table<simp>("simp", &Spec::simp, optional, "stiffness and mass of an element of relative density p")
              .when("type", {"flexible"}),
          Key{"regions", names<region>(), "", optional,
              "elements whose density does not vary, by name; regions of different kinds have no common "
              "elements"}
              .when("type", {"flexible"}),
          Key{"symmetry", one_or_more(symmetry_plane), "", optional,
              "planes of symmetry of its densities; the region that varies has to be symmetric, its elements "
              "need not be"}
              .when("type", {"flexible"}),
          table<manufacturing>("manufacturing", &Spec::manufacturing, optional,
                               "how the body is made; its densities follow")
              .when("type", {"flexible"}),
          table<frame>("frame", &Spec::frame, optional, "reference frame of its displacements")
              .when("type", {"flexible"}),
          Key{"clamp", table(body_place), "", required_if("there are no supports"),
              "the nodes that carry the reference frame"}
              .when("type", {"flexible"})
              .when("frame.type", {"tangent"}),
          Key{"supports", names<support>(), "", optional,
              "nodes that are fixed along some axes, by name; with analysis = \"static\" or "
              "\"eigenfrequency\""}
              .when("type", {"flexible"}),
          Key{"markers", names<flexible_marker>(), "", optional,
              "sets of nodes, by name; a marker moves and turns with the mean of its nodes"}
              .when("type", {"flexible"}),
          table<modes>("modes", required_if("the analysis is a motion"), "its elastic coordinates")
              .when("type", {"flexible"}),
          table<damping>("damping", optional, "its damping").when("type", {"flexible"}),
          boolean("geometric_stiffening", &Spec::geometric_stiffening,
                  "true: the motion of its frame and the forces at its markers stiffen it")
              .when("type", {"flexible"}),
          word("solver", &Spec::solver,
               {{"automatic", Solver::automatic},
                {"direct", Solver::direct},
                {"multigrid", Solver::multigrid},
                {"petsc", Solver::petsc}},
               "solver for its stiffness. direct: a sparse factorization; multigrid: conjugate gradients "
               "with a multigrid cycle, for boxes, in time and memory proportional to the number of "
               "elements; petsc: PETSc, for any mesh, in all processes of mpirun; automatic: multigrid for "
               "boxes of 20 000 hexahedra and more, else direct")
              .when("type", {"flexible"}),

          Key{"file", text(), "", required,
              "HDF5 of kurbel, or SID_FEM text of any program, relative to the input file"}
              .when("type", {"sid"}),
          Key{"body", text(), "", otherwise("the only one"), "name of the body in that file"}.when("type",
                                                                                                   {"sid"}),
          Key{"accept_indefinite", boolean(), "", defaults(false),
              "true: accept data that no body can have, with an indefinite mass matrix"}
              .when("type", {"sid"}),

          Key{"initial", table<start>(), "", optional, "its start"}.by_case(),
      },
      nullptr,
      {{"position", "write `initial.position`"},
       {"rotation", "write `initial.rotation`"},
       {"density", "write `material.density` of a flexible body, `mass` of a rigid one"},
       {"youngs_modulus", "write `material.youngs_modulus`"}}};
  return rows;
}

}  // namespace kurbel::keys
