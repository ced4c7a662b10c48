#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/units.hpp"
#include "mechanism/composed_function.hpp"
#include "mechanism/excitation.hpp"
#include "mechanism/table.hpp"
#include "problem/key_groups.hpp"
#include "problem/readers.hpp"
#include "problem/time_history.hpp"

namespace kurbel {

namespace {

using FunctionType = keys::FunctionNumbers::Type;

EndConditions read_end(const TomlTable& end, double unit) {
  EndConditions conditions{end.number("t"), {}};
  const TomlTable derivatives = end.list("derivatives");
  const std::string of = end.unit();
  for (std::size_t i = 0; derivatives.has(std::to_string(i)); ++i) {
    const std::string power = i > 1 ? fmt::format("^{}", i) : "";
    const std::string per_time = of.empty() || i == 0 ? of : fmt::format("{}/s{}", as_factor(of), power);
    conditions.derivatives.push_back(unit * derivatives.in_unit(per_time).number(std::to_string(i)));
  }
  return conditions;
}

TimeFunctionPtr read_polynomial(const TomlTable& function, double unit) {
  const EndConditions begin = read_end(function.table("begin"), unit);
  const EndConditions end = read_end(function.table("end"), unit);
  if (begin.t >= end.t) function.table("end").refuse("t", "must be later than begin.t");
  return polynomial(begin, end);
}

Beyond read_beyond(const TomlTable& function) {
  return function.choice_or("beyond", Beyond::refused, keys::beyond_words);
}

void require_four_entries(const TomlTable& function, std::size_t n) {
  if (n < 4) function.refuse("interpolation", "needs at least four samples, not {}", n);
}

void require_equal_ends(const TomlTable& function, const char* values_key, double first, double last) {
  if (first == last) return;
  function.fail(values_key, "ends with {} and begins with {}. With beyond = \"repeat\", make both equal",
                last, first);
}

/// A drive whose velocity jumps would take an infinite force; where its acceleration jumps, so do reactions, and steps do not
/// meet that instant.
TableInterpolation read_interpolation_of_drive(const TomlTable& function, Beyond beyond) {
  using enum TableInterpolation;
  const TableInterpolation smooth = beyond == Beyond::hold     ? clamped
                                    : beyond == Beyond::repeat ? periodic
                                                               : natural;
  if (!function.has("interpolation")) return smooth;
  const std::string word = function.text("interpolation");
  for (const char* rough : {"linear", "monotone", "constant"}) {
    if (word != rough) continue;
    function.refuse("interpolation",
                    "makes the velocity or the acceleration of a drive jump; take \"natural\", \"clamped\", "
                    "\"not-a-knot\" or \"periodic\"");
  }
  const auto chosen = function.choice<TableInterpolation>(
      "interpolation",
      {{"natural", natural}, {"clamped", clamped}, {"not-a-knot", not_a_knot}, {"periodic", periodic}});
  if (chosen == periodic && beyond != Beyond::repeat)
    function.refuse("interpolation", "needs beyond = \"repeat\"");
  if (beyond == Beyond::hold && chosen != smooth)
    function.refuse("interpolation",
                    "leaves a rate at the ends of the table, where beyond = \"hold\" stops the drive. Take "
                    "\"clamped\"");
  if (beyond == Beyond::repeat && chosen != smooth)
    function.refuse("interpolation", "changes the rate where the table repeats. Take \"periodic\"");
  return chosen;
}

bool has_relative_times(const TomlTable& function) {
  static const TomlTable::Words<bool> words = {{"absolute", false}, {"relative", true}};
  return function.choice_or("times", false, words);
}

TimeFunctionPtr function_of(const TableSpec& spec) {
  std::vector<double> values(spec.values.begin(), spec.values.end());
  for (double& value : values) value *= spec.unit;
  return table(spec.times, values, spec.interpolation, spec.beyond);
}

/// The function of a table, or if its times are relative that of the share of a motion from 0 to 1 s; the motion of the
/// problem takes the place of that one (follow_motion()).
TimeFunctionPtr function_over(const TomlTable& function, const TableSpec& table) {
  if (!has_relative_times(function)) return function_of(table);
  const double first = table.times.front(), last = table.times.back();
  if (table.beyond == Beyond::refused && (first > 0.0 || last < 1.0))
    function.fail(
        "t",
        "goes from {:g} to {:g}. With times = \"relative\" let it go from 0, the start of the motion, to "
        "1, its end, or set beyond",
        first, last);
  return relative(function_of(table), 0.0, 1.0);
}

/// Converts values of a column into the unit of the function, if the title of the column states one.
void convert(TimeHistory& history, const TomlTable& function) {
  const std::string own = function.unit();
  if (history.unit.empty() || own.empty()) return;
  const auto from = parse_unit(history.unit), to = parse_unit(own);
  if (!from || !to || from->powers != to->powers)
    function.refuse("column", "has the unit {}; a column in one of these is needed: {}", history.unit,
                    fmt::join(units_like(own), ", "));
  for (double& value : history.values) value = to->from(*from, value);
}

/// Times and values from a file, over the shares of the motion if times are relative.
TableSpec read_entries_of_file(const TomlTable& function, double unit) {
  if (!function.has("column")) function.fail("column", "is missing; name the column of the file");
  TimeHistory history = read_time_history(function, function.directory());
  convert(history, function);
  if (has_relative_times(function)) {
    const double begin = history.t.front(), duration = history.t.back() - begin;
    for (double& t : history.t) t = (t - begin) / duration;
  }
  const auto n = std::ssize(history.values);
  return {.times = std::move(history.t),
          .values = Eigen::Map<const VectorXd>(history.values.data(), n),
          .unit = unit};
}

/// Times, or under another key angles, and values of a table.
TableSpec read_entries(const TomlTable& function, double unit, const char* over = "t") {
  if (function.has("file")) return read_entries_of_file(function, unit);
  if (function.has("column")) function.refuse("column", "needs file");
  TableSpec table{.times = function.numbers(over), .values = {}, .unit = unit};
  const std::size_t n = table.times.size();
  const std::vector<double> values = function.numbers("values", n, n);
  table.values = Eigen::Map<const VectorXd>(values.data(), std::ssize(values));
  if (std::ranges::adjacent_find(table.times, std::greater_equal<>()) != table.times.end())
    function.fail(over, "must increase from each {} to the next",
                  over == std::string("t") ? "instant" : over);
  return table;
}

TimeFunctionPtr read_table(const TomlTable& function, double unit, const char* over) {
  TableSpec table = read_entries(function, unit, over);
  const TableForm form = read_table_form(function, "values", {table.values.data(), table.times.size()}, true);
  table.interpolation = form.interpolation, table.beyond = form.beyond;
  return function_over(function, table);
}

void require_table_of_angles(const TomlTable& function) {
  if (read_beyond(function) == Beyond::refused) {
    const char* const advice = "does not go with angle; take \"repeat\", periodic, or \"hold\"";
    if (function.has("beyond")) function.refuse("beyond", advice);
    function.fail("beyond", "= \"refuse\", its default, {}", advice);
  }
  if (function.has("interpolation") && function.text("interpolation") == "constant")
    function.refuse("interpolation",
                    "jumps, at instants that are not known; take \"linear\" or \"monotone\"");
}

/// The angle of a joint that no drive turns is known but for whole turns.
HingeAngle angle_of_hinge(const TomlTable& function, const JointSpec& joint) {
  if (!is_hinge(joint) || joint.length)
    function.refuse("joint", "leaves no angle about its z axis free; name a revolute or cylindrical joint");
  const std::vector<double> angles = function.numbers("angle");
  const double range = angles.back() - angles.front(), turn = 2.0 * std::numbers::pi;
  constexpr double same = 1e-9;
  if (read_beyond(function) == Beyond::repeat && std::abs(turn / range - std::round(turn / range)) > same)
    function.fail("angle",
                  "has a period of {:g} degrees, of which no whole number makes a turn. Let a "
                  "drive turn the joint {}, whose turns are then counted",
                  range * 180.0 / std::numbers::pi, joint.name);
  if (range > turn * (1.0 + same))
    function.fail("angle",
                  "goes over {:g} degrees, more than a turn. Let a drive turn the joint "
                  "{}, whose turns are then counted",
                  range * 180.0 / std::numbers::pi, joint.name);
  return {joint.name, joint.from, joint.to, 0.5 * (angles.front() + angles.back())};
}

}  // namespace

bool is_table(const TomlTable& function) {
  return keys::function_of_time().read(function).type == FunctionType::table;
}

TableForm read_table_form(const TomlTable& function, const char* values_key, std::span<const double> values,
                          bool may_jump) {
  using enum TableInterpolation;
  TableForm form{.interpolation = monotone, .beyond = read_beyond(function)};
  form.interpolation =
      function.choice_or("interpolation", form.interpolation, keys::table_interpolations(may_jump));
  if (form.interpolation == not_a_knot) require_four_entries(function, values.size());
  if (form.interpolation == periodic && form.beyond != Beyond::repeat)
    function.refuse("interpolation", "needs beyond = \"repeat\"");
  if (form.beyond == Beyond::repeat) require_equal_ends(function, values_key, values.front(), values.back());
  return form;
}

DriveTable read_drive_table(const TomlTable& function, double unit) {
  TableSpec table = read_entries(function, unit);
  table.beyond = read_beyond(function);
  table.interpolation = read_interpolation_of_drive(function, table.beyond);
  if (table.interpolation == TableInterpolation::not_a_knot)
    require_four_entries(function, table.times.size());
  if (table.beyond == Beyond::repeat)
    require_equal_ends(function, "values", table.values[0], table.values[table.values.size() - 1]);
  return {table, function_over(function, table)};
}

TimeFunctionPtr read_time_function(const TomlTable& function, double unit) {
  const keys::FunctionNumbers f = keys::function_of_time().read(function);
  switch (f.type) {
    case FunctionType::constant:
      return constant_rate(unit * f.value, 0.0);
    case FunctionType::constant_rate:
      return constant_rate(unit * f.value, unit * f.rate, f.t);
    case FunctionType::harmonic:
      if (!function.has("frequency")) {
        if (function.has("fade_in")) function.refuse("fade_in", "needs frequency");
        return excitation(unit * f.amplitude, f.phase);
      }
      return harmonic(unit * f.amplitude, f.frequency, f.phase, f.fade_in);
    case FunctionType::polynomial:
      return read_polynomial(function, unit);
    case FunctionType::spin_up:
      return spin_up(unit * f.rate, f.duration);
    case FunctionType::table:
      if (function.has("angle")) function.fail("angle", "is for loads; give a table over time (t)");
      if (function.has("joint")) function.refuse("joint", "needs angle in place of t");
      return read_table(function, unit, "t");
  }
  return nullptr;
}

void refuse_functions_of_time(const TomlTable& table, const std::string& key, const std::string& message) {
  if (!table.has(key)) return;
  if (table.is_table(key)) table.refuse(key, message);
  if (!table.is_list(key)) return;
  const TomlTable components = table.list(key);
  for (const char* component : {"0", "1", "2"}) {
    if (components.is_table(component)) components.refuse(component, message);
  }
}

LoadFunction read_load_function(const TomlTable& function, const JointAngles& angles) {
  if (!is_table(function) || !function.has("angle")) return {read_time_function(function)};
  const JointSpec& joint = find_by_name(function, "joint", angles.joints, "is no joint");
  if (function.has("times")) function.refuse("times", "needs t in place of angle");
  require_table_of_angles(function);
  TimeFunctionPtr over_angle = read_table(function, 1.0, "angle");
  const auto drive =
      std::ranges::find_if(joint.drives, [](const DriveSpec& d) { return is_rotation(d.dof); });
  if (drive == joint.drives.end()) return {std::move(over_angle), angle_of_hinge(function, joint)};
  angles.followed.push_back(joint.name);
  return {composed(std::move(over_angle), drive->motion)};
}

}  // namespace kurbel
