/// [ground], [joints.*], [loads.*], [road], [initial] and [controls.*], and functions of time.
#include <fmt/format.h>

#include "mechanism/system_spec.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

const std::vector<std::string> translations = {"tx", "ty", "tz"}, rotations = {"rx", "ry", "rz"};

const Words<MarkerLoadSpec::Frame> frames = {{"inertial", MarkerLoadSpec::Frame::inertial},
                                             {"body", MarkerLoadSpec::Frame::body}};

const char* const marker_text =
    "marker as \"body.marker\" or \"beam.end\", or \"body\" for the reference frame or a point; the inertial "
    "frame is \"ground\"";

const KeyGroup& end_conditions() {
  static const KeyGroup group{"end_conditions",
                              "an end of a polynomial",
                              {
                                  {"t", number(), "s", required, "time"},
                                  {"derivatives", list(1, 8, number()), "unit/s^k", required,
                                   "value, rate, acceleration, ... at that time: k = 0, 1, 2, ..."},
                              }};
  return group;
}

/// A row of `beyond` where a key has the word "table".
Key beyond_of_table(const char* key) {
  return Key{"beyond", word(TomlTable::names_of(beyond_words)), "", defaults("refuse"),
             "before the first sample and after the last one: an error (refuse), their values (hold), or the "
             "samples again (repeat)"}
      .when(key, {"table"});
}

/// The same of `interpolation`, where two continuous derivatives are not needed.
Key interpolation_of_table(const char* key, bool may_jump) {
  return Key{
      "interpolation", word(TomlTable::names_of(table_interpolations(may_jump))), "", defaults("monotone"),
      std::string("cubics without extrema between the samples (monotone), straight lines (linear), ") +
          (may_jump ? "steps that begin at the samples (constant), " : "") +
          "or cubic splines, named by their ends: no curvature (natural), no slope (clamped), the cubic of "
          "the next interval (not-a-knot), or equal at both ends (periodic, with beyond = \"repeat\")"}
      .when(key, {"table"});
}

const KeyGroup& time_history() {
  static const KeyGroup group{
      "time_history",
      "a time history from a table",
      {
          {"file", text(), "", required,
           "table over time (.csv) relative to the input file, such as the outputs.csv of a run; its first "
           "column has the times"},
          {"column", text(), "", required, "column of the table, without the unit, such as \"drive.z\""},
      }};
  return group;
}

}  // namespace

const TomlTable::Words<Beyond> beyond_words = {
    {"refuse", Beyond::refused}, {"hold", Beyond::hold}, {"repeat", Beyond::repeat}};

TomlTable::Words<TableInterpolation> table_interpolations(bool may_jump) {
  using enum TableInterpolation;
  TomlTable::Words<TableInterpolation> words = {{"natural", natural},       {"clamped", clamped},
                                                {"not-a-knot", not_a_knot}, {"periodic", periodic},
                                                {"monotone", monotone},     {"linear", linear}};
  if (may_jump) words.emplace_back("constant", constant);
  return words;
}

const KeyTable<FunctionNumbers>& function_of_time() {
  using Spec = FunctionNumbers;
  using Type = Spec::Type;
  static const KeyTable<Spec> rows{
      "function_of_time",
      "what all functions of time have",
      {
          word("type", &Spec::type,
               {{"constant", Type::constant},
                {"constant-rate", Type::constant_rate},
                {"harmonic", Type::harmonic},
                {"polynomial", Type::polynomial},
                {"spin-up", Type::spin_up},
                {"table", Type::table}},
               required,
               "a constant; a straight line (constant-rate); a sine (harmonic); a polynomial between two "
               "ends, straight beyond them; a smooth start from rest to a rate (spin-up); or a table of "
               "samples"),
          number("value", &Spec::value, any, "unit", required, "the constant").when("type", {"constant"}),
          number("value", &Spec::value, any, "unit", "value at the time `t`").when("type", {"constant-rate"}),
          number("rate", &Spec::rate, any, "unit/s", required, "change per second")
              .when("type", {"constant-rate", "spin-up"}),
          number("t", &Spec::t, any, "s", "time of `value`").when("type", {"constant-rate"}),
          number("amplitude", &Spec::amplitude, any, "unit", required,
                 "amplitude of the sine, amplitude sin(2 pi frequency t + phase)")
              .when("type", {"harmonic"}),
          number("frequency", &Spec::frequency, positive, "Hz",
                 required_if("analysis is not \"frequency-response\", which varies it"),
                 "frequency of the sine")
              .when("type", {"harmonic"}),
          number("phase", &Spec::phase, any, "rad", "phase of the sine at t = 0").when("type", {"harmonic"}),
          number("fade_in", &Spec::fade_in, not_negative, "s",
                 "time from t = 0 within which the amplitude grows smoothly from zero; 0: full amplitude "
                 "from the start")
              .when("type", {"harmonic"}),
          Key{"begin", table(end_conditions), "", required, "first end"}.when("type", {"polynomial"}),
          Key{"end", table(end_conditions), "", required, "last end"}.when("type", {"polynomial"}),
          number("duration", &Spec::duration, positive, "s", required, "time until the rate is reached")
              .when("type", {"spin-up"}),
          Key{"values", list_of(number(), 2), "unit", required_without("file"),
              "the samples, one for each time"}
              .when("type", {"table"}),
          Key{"file", text(), "", optional,
              "times and samples in a table over time (.csv) relative to the input file, such as the "
              "outputs.csv of a run; its first column has the times in s. A unit in the title of the column, "
              "as in \"elbow [deg]\", is converted"}
              .when("type", {"table"})
              .in_place_of({"t", "values"}),
          Key{"column", text(), "", required_if("there is `file`"),
              "column with the samples, without the unit, such as \"elbow\""}
              .when("type", {"table"}),
          Key{"times", word({"absolute", "relative"}), "", defaults("absolute"),
              "relative: t has shares of the motion, from 0 at its start to 1 at its end; the times of a "
              "file "
              "are stretched or shortened to the motion"}
              .when("type", {"table"}),
          beyond_of_table("type"),
      }};
  return rows;
}

const TomlTable::Words<RelativeDof> dof_words = [] {
  TomlTable::Words<RelativeDof> all;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(RelativeDof::rz); ++i)
    all.emplace_back(relative_dof_names[i], static_cast<RelativeDof>(i));
  return all;
}();

const KeyTable<DriveSpec>& drive() {
  static const KeyTable<DriveSpec> rows{
      "drive",
      "a drive: the relative motion of a joint as a function of time",
      {
          word("dof", &DriveSpec::dof, dof_words, required, "the free degree of freedom that it moves"),
          Key{"unit", word({"m", "mm"}), "", defaults("m"), "unit of its values"}.when("dof", translations),
          Key{"unit", word({"rad", "deg", "turn"}), "", defaults("rad"), "unit of its values"}.when(
              "dof", rotations),
          Key{"t", list_of(number(), 2), "s", required_without("file"), "times of the samples, ascending"}
              .when("type", {"table"}),
          Key{"interpolation", word({"natural", "clamped", "not-a-knot", "periodic"}), "",
              otherwise("natural; with beyond = \"hold\" clamped, with \"repeat\" periodic"),
              "cubic splines, named by their ends: no curvature (natural), no slope (clamped), the cubic of "
              "the next interval (not-a-knot), or equal at both ends (periodic)"}
              .when("type", {"table"}),
      },
      &group_of<function_of_time>};
  return rows;
}

const KeyGroup& time_function() {
  static const KeyGroup group{
      "time_function",
      "a function of time of a load or a target",
      {
          Key{"t", list_of(number(), 2), "s", required_if("there is neither `angle` nor `file`"),
              "times of the samples, ascending"}
              .when("type", {"table"}),
          Key{"angle", list_of(number(), 2), "rad", optional,
              "angles of the samples of a load, ascending, in place of times. With beyond = \"repeat\" their "
              "range is the period, 4 pi for a four-stroke engine; without a drive of the joint, a turn (2 "
              "pi) has to be a whole number of periods"}
              .when("type", {"table"})
              .in_place_of({"t", "file"}),
          Key{"joint", text(), "", required_if("there is `angle`"),
              "joint of this angle: a drive turns it, or rz is free while rx and ry are locked"}
              .when("type", {"table"}),
          interpolation_of_table("type", true),
      },
      &group_of<function_of_time>};
  return group;
}

const KeyGroup& ground() {
  static const KeyGroup group{"ground",
                              "the inertial frame",
                              {{"markers", names(placed_marker), "", optional, "its markers, by name"}}};
  return group;
}

namespace {

/// "revolute all but rz, prismatic all but tz"
std::string meanings_of_joint_types() {
  std::string text;
  for (const JointType& type : kurbel::joint_types())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", type.name, type.meaning);
  return text;
}

}  // namespace

const std::vector<std::string> joint_types = [] {
  std::vector<std::string> all = joint_type_names();
  all.emplace_back(rod_type);
  return all;
}();

/// A hinge has no axis of its own.
constexpr const char* axis_hint =
    "a hinge turns about the z axis of its markers, and a slider moves along it: give both markers a "
    "`rotation`";

const KeyTable<JointSpec>& joint() {
  using Spec = JointSpec;
  static const KeyTable<Spec> rows{
      "joint",
      "a joint",
      {
          keys::marker("from", &Spec::from, marker_text),
          keys::marker("to", &Spec::to,
                       "the other marker, of another body; displacements are along its axes"),
          Key{"type", word(joint_types), "", required_without("lock"),
              fmt::format(
                  "name for a set of locked degrees of freedom: {}; or {}: a massless rod with a ball "
                  "joint at each end",
                  meanings_of_joint_types(), rod_type)},
          Key{"damping", number(not_negative), "N m s/rad", defaults(0.0),
              "torque per angular velocity, as of a torsion spring"}
              .when("type", {"revolute", "cylindrical", "planar"}),
          number("length", &Spec::length, positive, "m",
                 otherwise("the distance of the markers at the given start"),
                 "length of the rod; required between markers of flexible bodies. If absent at a marker with "
                 "a `point`, it follows the point")
              .when("type", {rod_type}),
          Key{"lock", list_of(word(TomlTable::names_of(dof_words))), "", otherwise("what `type` says"),
              "locked degrees of freedom, in place of `type` and `damping`"}
              .in_place_of({"type", "damping"}),
          Key{"drive", one_or_more<drive>(), "", optional,
              "prescribed motion of a free degree of freedom, or of several"},
      },
      nullptr,
      {{"axis", axis_hint}, {"parent", "write `from`"}, {"child", "write `to`"}}};
  return rows;
}

const KeyTable<MarkerLoadSpec>& load() {
  static const Forms components = list(3, number() | table(time_function));
  using Spec = MarkerLoadSpec;
  static const KeyTable<Spec> rows{
      "load",
      "a load at a marker, or on a surface of a flexible body",
      {
          Key{"type", word({"marker", "pressure", "bearing"}), "", defaults("marker"),
              "marker: force and torque at a marker; pressure: pressure on a surface; bearing: the pressure "
              "of a pin, a cosine over the half that it pushes. Pressure and bearing loads turn with the "
              "frame of the body"},
          keys::marker("marker", &Spec::marker,
                       "marker as \"body.marker\", or \"body\" for the reference frame")
              .when("type", {"marker"}),
          word("frame", &Spec::frame, frames, "axes of the components").when("type", {"marker"}),
          Key{"force", components, "N", otherwise("none"), "three numbers or functions of time"}.when(
              "type", {"marker"}),
          Key{"torque", components, "N m", otherwise("none"), "three numbers or functions of time"}.when(
              "type", {"marker"}),
          Key{"body", text(), "", required, "the flexible body"}.when("type", {"pressure", "bearing"}),
          Key{"place", table(body_place), "", required, "faces of its surface that carry the load"}.when(
              "type", {"pressure", "bearing"}),
          Key{"pressure", number() | table(time_function), "Pa", required,
              "pressure against the surface, a number or a function of time"}
              .when("type", {"pressure"}),
          Key{"force", number() | table(time_function), "N", required,
              "force along `direction`, a number or a function of time"}
              .when("type", {"bearing"}),
          Key{"direction", list(2, 3, number()), "", required,
              "direction of the force on the body, in its frame"}
              .when("type", {"bearing"}),
      }};
  return rows;
}

const KeyTable<RoadNumbers>& road() {
  using Spec = RoadNumbers;
  using Profile = Spec::Profile;
  static const KeyTable<Spec> rows{
      "road",
      "the road: its height z over x",
      {
          word("profile", &Spec::profile,
               {{"flat", Profile::flat},
                {"step", Profile::step},
                {"sine", Profile::sine},
                {"table", Profile::table}},
               "height z. flat: 0; step: height (1 + tanh((x - position) / width)) / 2; sine: amplitude (1 - "
               "cos(2 pi (x - start) / wavelength)) from `start` on; table: samples"),
          number("height", &Spec::height, any, "m", required, "height behind the step")
              .when("profile", {"step"}),
          number("position", &Spec::position, any, "m", required, "x of the middle of the step")
              .when("profile", {"step"}),
          number("width", &Spec::width, positive, "m", required, "half of the width of the step")
              .when("profile", {"step"}),
          number("amplitude", &Spec::amplitude, any, "m", required, "half of the height of the waves")
              .when("profile", {"sine"}),
          number("wavelength", &Spec::wavelength, positive, "m", required, "wavelength")
              .when("profile", {"sine"}),
          number("start", &Spec::start, any, "m", "x where the waves begin").when("profile", {"sine"}),
          key("x", &Spec::x, list_of(number(), 2), "m", required, "x of the samples, ascending")
              .when("profile", {"table"}),
          Key{"z", list_of(number(), 2), "m", required, "heights of the samples"}.when("profile", {"table"}),
          beyond_of_table("profile"),
          interpolation_of_table("profile", false),
      }};
  return rows;
}

const KeyTable<SystemSpec>& initial() {
  using Equilibrium = InitialEquilibrium;
  static const KeyTable<SystemSpec> rows{
      "initial",
      "the start of the mechanism",
      {word("state", &SystemSpec::initial_equilibrium,
            {{"given", Equilibrium::none},
             {"quasi-static", Equilibrium::elastic},
             {"static-equilibrium", Equilibrium::all}},
            "given: as stated; quasi-static: elastic coordinates in equilibrium with the motion; "
            "static-equilibrium: everything in equilibrium")}};
  return rows;
}

const KeyTable<ControlCurve>& curve() {
  using Spec = ControlCurve;
  static const KeyTable<Spec> rows{
      "curve",
      "a time history that is optimized",
      {
          Key{"nodes", integer(closed(1, 100000)), "", required,
              "number of nodes, at equal distances from t0 to t1"},
          word("interpolation", &Spec::interpolation,
               {{"natural", Interpolation::natural},
                {"clamped", Interpolation::clamped},
                {"not-a-knot", Interpolation::not_a_knot},
                {"linear", Interpolation::linear},
                {"constant", Interpolation::constant}},
               "between the nodes: cubic splines, named by their ends, straight lines (linear), or steps "
               "(constant)"),
          number("lower", &Spec::lower, any_or_infinite, "N or N m", "bound of all nodes"),
          number("upper", &Spec::upper, any_or_infinite, "N or N m", "bound of all nodes"),
          Key{"start", number() | list_of(number(), 1) | table(time_history), "N or N m",
              otherwise("0, or the bound next to it"),
              "start: one value for all nodes, one for each, or a time history from a file"},
      }};
  return rows;
}

const KeyTable<MarkerLoadSpec>& control() {
  static const KeyTable<MarkerLoadSpec> rows{
      "control",
      "a control",
      {
          Key{"type", word({"force", "torque"}), "", required, "kind of the control"},
          Key{"joint", text(), "", optional, "hinge of a motor; the torque acts on its `to`"}.when(
              "type", {"torque"}),
          Key{"from", text(), "", optional, "marker of a cylinder, which pushes it away from `to`"}.when(
              "type", {"force"}),
          Key{"to", text(), "", required_if("there is `from`"), "other marker of the cylinder"}.when(
              "type", {"force"}),
          Key{"marker", text(), "", required_if("there is neither `joint` nor `from`"),
              "marker at which the force or torque acts"},
          Key{"direction", vector3(), "", required_if("there is a `marker`"),
              "direction of the force or torque; its length is a factor"},
          word("frame", &MarkerLoadSpec::frame, frames, "frame of the direction"),
      },
      &group_of<curve>};
  return rows;
}

}  // namespace kurbel::keys
