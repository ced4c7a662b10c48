#include <fmt/format.h>

#include <algorithm>

#include "base/memory.hpp"
#include "mechanism/table.hpp"
#include "problem/checks.hpp"
#include "problem/control_curve.hpp"
#include "problem/key_groups.hpp"
#include "problem/readers.hpp"
#include "problem/time_history.hpp"

namespace kurbel {

void check_bounds(const TomlTable& table, double lower, double upper) {
  if (lower > upper)
    table.refuse(table.has("upper") ? "upper" : "lower", "crosses the other bound; lower = {}, upper = {}",
                 lower, upper);
}

std::vector<std::string> ControlCurve::node_names(const IntegratorOptions& integrator,
                                                  bool end_varies) const {
  std::vector<std::string> names;
  const ControlGrid nodes = grid(integrator);
  for (Eigen::Index j = 0; j < nodes.n_nodes(); ++j)
    names.push_back(end_varies
                        ? fmt::format("{}({:.6g} t1)", name,
                                      (nodes.node_time(j) - integrator.t0) / (integrator.t1 - integrator.t0))
                        : fmt::format("{}({:.6g} s)", name, nodes.node_time(j)));
  return names;
}

namespace {

/// @throws InputError if full matrices of all nodes do not fit into the memory
void check_memory(const TomlTable& table, double needed) {
  constexpr double gigabyte = 1e9;
  const double available = available_memory();
  if (needed <= available) return;
  try {
    table.refuse("nodes",
                 "are too many: the spline through them takes at least {:.3g} GB of memory, and "
                 "{:.3g} GB are there; take fewer nodes, or interpolation = \"linear\"",
                 needed / gigabyte, available / gigabyte);
  } catch (const InputError& error) {
    throw TooLarge(error);
  }
}

std::vector<double> node_times(const ControlGrid& nodes) {
  std::vector<double> times;
  for (Eigen::Index j = 0; j < nodes.n_nodes(); ++j) times.push_back(nodes.node_time(j));
  return times;
}

/// A time history at some times, by a cubic spline.
/// @param times  s, ascending
/// @throws InputError if it does not cover the times
std::vector<double> values_at(const std::vector<double>& times, const TomlTable& time_history,
                              const std::filesystem::path& directory) {
  const TimeHistory samples = read_time_history(time_history, directory);
  constexpr double same = 1e-9;  // of the time: tables are written with few digits
  const double margin = same * std::max(1.0, std::abs(samples.t.back()));
  if (samples.t.front() > times.front() + margin || samples.t.back() < times.back() - margin) {
    time_history.refuse("file", "runs from {:g} s to {:g} s; the control from {:g} s to {:g} s",
                        samples.t.front(), samples.t.back(), times.front(), times.back());
  }
  const TimeFunctionPtr function = table(samples.t, samples.values);
  std::vector<double> values;
  for (const double t : times) values.push_back(function->at(t).value);
  return values;
}

/// @throws InputError if a value is outside the bounds of the control
std::vector<double> read_start_time_history(const TomlTable& control, const ControlCurve& curve,
                                            const std::filesystem::path& directory,
                                            const ControlGrid& nodes) {
  const TomlTable time_history = control.table("start");
  const std::vector<double> start = values_at(node_times(nodes), time_history, directory);
  const auto [least, largest] = std::ranges::minmax(start);
  if (least < curve.lower || largest > curve.upper)
    time_history.refuse("column", "reaches from {:g} to {:g}, outside the bounds of the control", least,
                        largest);
  return start;
}

/// Turns "to" about the free axis of a hinge.
MotorSpec read_motor(const TomlTable& table, const SystemSpec& system) {
  const JointSpec& joint = find_by_name(table, "joint", system.joints, "is no joint");
  if (!is_hinge(joint))
    table.refuse("joint", "has no motor: a torque acts in a joint that leaves the rotation rz free");
  for (const DriveSpec& drive : joint.drives) {
    if (drive.dof == RelativeDof::rz)
      table.refuse("joint",
                   "is driven: its motion is given, and a torque would change nothing but that of the drive");
  }
  return {.name = table.name(), .from = joint.from, .to = joint.to, .is_rotary = true};
}

/// A force or torque of a fixed direction at a marker.
MarkerLoadSpec read_controlled_load(const TomlTable& table, bool is_torque, int control) {
  MarkerLoadSpec load{
      .name = table.name(), .marker = read_marker_ref(table, "marker"), .force = {}, .torque = {}};
  keys::control().read(table, load);
  const Vector3d direction = table.vector3("direction");
  if (direction.isZero(0.0)) table.refuse("direction", "has no length");
  ControlledLoad acts{.control = control};
  (is_torque ? acts.torque : acts.force) = direction;
  load.controls.push_back(acts);
  return load;
}

void read_effect(const TomlTable& table, bool is_torque, SystemSpec& system) {
  const int control = static_cast<int>(system.controls.size());
  if (is_torque && table.has("joint")) {
    system.motors.push_back(read_motor(table, system));
    system.motors.back().control = control;
  } else if (!is_torque && table.has("from")) {
    system.motors.push_back({.name = table.name(),
                             .from = read_marker_ref(table, "from"),
                             .to = read_marker_ref(table, "to"),
                             .is_rotary = false,
                             .control = control});
  } else {
    system.loads.push_back(read_controlled_load(table, is_torque, control));
  }
}

}  // namespace

ControlCurve read_curve(const TomlTable& table, const IntegratorOptions& integrator,
                        const std::filesystem::path& directory) {
  ControlCurve curve{.name = table.name(), .start = {}};
  keys::curve().read(table, curve);
  const int nodes = table.integer("nodes");
  check_memory(table, ControlGrid::least_memory(curve.interpolation, nodes));
  try {
    ControlGrid(curve.interpolation, nodes, integrator.t0, integrator.t1);
  } catch (const InputError& e) {
    table.refuse("nodes", "does not fit: {}", e.what());
  }
  check_bounds(table, curve.lower, curve.upper);
  const Range within = Range::closed(curve.lower, curve.upper);
  const auto n = static_cast<std::size_t>(nodes);
  if (table.is_table("start")) {
    const ControlGrid grid(curve.interpolation, nodes, integrator.t0, integrator.t1);
    curve.start = read_start_time_history(table, curve, directory, grid);
  } else if (table.is_list("start")) {
    curve.start = table.numbers("start", n, n, within);
  } else {
    curve.start.assign(n, table.number_or("start", std::clamp(0.0, curve.lower, curve.upper), within));
  }
  return curve;
}

void read_controls(const TomlTable& controls, const std::filesystem::path& directory, Problem& problem) {
  for (const TomlTable& table : controls.children()) {
    const bool is_torque = table.choice<bool>("type", {{"force", false}, {"torque", true}});
    read_effect(table, is_torque, problem.system);
    ControlCurve curve = read_curve(table.in_unit(is_torque ? "N m" : "N"), problem.integrator, directory);
    curve.name = read_name(table);
    curve.is_torque = is_torque;
    const VectorXd nodes =
        Eigen::Map<const VectorXd>(curve.start.data(), static_cast<Eigen::Index>(curve.start.size()));
    problem.system.controls.push_back({curve.name, curve.grid(problem.integrator), nodes});
    problem.controls.push_back(std::move(curve));
  }
}

}  // namespace kurbel
