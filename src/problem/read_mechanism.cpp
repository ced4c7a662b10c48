#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "floating_frame/free_lengths.hpp"
#include "mechanism/joint_damper.hpp"
#include "mechanism/table.hpp"
#include "problem/key_groups.hpp"
#include "problem/part_tables.hpp"
#include "problem/readers.hpp"
#include "problem/varied_quantities.hpp"

namespace kurbel {

namespace {

/// Locked degrees of freedom: those of a joint type by name, or a list of their own.
std::array<bool, 6> read_locked_dofs(const TomlTable& joint) {
  std::array<bool, 6> locked{};
  const bool has_list = joint.has("lock");
  if (joint.has("type")) {
    locked_dofs_of(joint.choice_among("type", keys::joint_types), locked);
    return locked;
  }
  if (!has_list) {
    for (const char* key : {"type", "lock"}) joint.refuse_misspelling(key);
    joint.fail("type", "is missing; it must be one of {}, or give lock = [\"tx\", ...] instead",
               fmt::join(keys::joint_types, ", "));
  }
  for (const RelativeDof dof : joint.choices("lock", keys::dof_words))
    locked[static_cast<std::size_t>(dof)] = true;
  return locked;
}

DriveSpec read_drive(const TomlTable& table) {
  static const TomlTable::Words<double> lengths = {{"m", 1.0}, {"mm", 1e-3}};
  static const TomlTable::Words<double> angles = {
      {"rad", 1.0}, {"deg", EIGEN_PI / 180.0}, {"turn", 2.0 * EIGEN_PI}};
  DriveSpec drive = keys::drive().read(table);
  const double unit = table.choice_or("unit", 1.0, drive.dof < RelativeDof::rx ? lengths : angles);
  if (is_table(table)) {
    auto [entries, function] = read_drive_table(table, unit);
    drive.table = std::move(entries), drive.motion = std::move(function);
  } else {
    drive.motion = read_time_function(table, unit);
  }
  return drive;
}

/// The distance of its ends; zero where it is not known, which the checks of the mechanism refuse.
double usual_length(const JointSpec& rod, const SystemSpec& system) {
  const auto from = given_position(rod.from, system), to = given_position(rod.to, system);
  return from && to ? (*to - *from).norm() : 0.0;
}

JointSpec read_joint(const TomlTable& table, const SystemSpec& system) {
  JointSpec joint;
  joint.name = read_name(table);
  keys::joint().read(table, joint);
  if (table.has("type") && table.choice_among("type", keys::joint_types) == rod_type) {
    for (const char* key : {"lock", "drive", "damping"}) {
      if (table.has(key)) table.fail(key, "has no meaning for a rod, which holds the distance of its ends");
    }
    joint.length_follows =
        !joint.length && (moves_with_point(joint.from, system) || moves_with_point(joint.to, system));
    if (!joint.length) joint.length = usual_length(joint, system);
    return joint;
  }
  joint.locked = read_locked_dofs(table);
  for (const TomlTable& drive : table.one_or_more("drive")) {
    joint.drives.push_back(read_drive(drive));
    const auto dof = static_cast<std::size_t>(joint.drives.back().dof);
    if (joint.locked[dof])
      drive.refuse("dof", "is locked by the joint; a drive moves a free degree of freedom");
    const auto same = [&](const DriveSpec& d) { return d.dof == joint.drives.back().dof; };
    if (std::count_if(joint.drives.begin(), joint.drives.end(), same) > 1)
      drive.refuse("dof", "is driven twice");
  }
  const bool holds_nothing = std::find(joint.locked.begin(), joint.locked.end(), true) == joint.locked.end();
  if (holds_nothing && joint.drives.empty()) table.fail("", "neither locks nor drives anything");
  return joint;
}

/// Whether [variables.*] vary the damping of a joint.
bool damping_varies(const TomlTable& root, const JointSpec& joint) {
  const std::string path = fmt::format("joints.{}.damping", joint.name);
  const auto varies_it = [&](const TomlTable& variable) {
    std::vector<std::string> paths;
    if (variable.is_list("quantity")) paths = variable.texts("quantity");
    if (variable.is_text("quantity")) paths = {variable.text("quantity")};
    return std::ranges::find(paths, path) != paths.end() ||
           std::ranges::find(paths, "-" + path) != paths.end();
  };
  return std::ranges::any_of(root.table_or_empty("variables").children(), varies_it);
}

/// The damping of a joint, as a torsion spring that has nothing else; none if it is zero and stays so.
void read_joint_damping(const TomlTable& root, const TomlTable& table, const JointSpec& joint,
                        SystemSpec& system) {
  if (joint.length || !is_hinge(joint) || !table.has("damping")) return;
  const double damping = table.number("damping");
  if (damping == 0.0 && !damping_varies(root, joint)) return;
  system.torsion_springs.push_back(
      {.name = damper_name(joint), .from = joint.from, .to = joint.to, .damping = damping});
}

/// Calls read(component, function) for the components of a list that are functions, and sets those that are numbers.
template <class Read>
void for_each_component(const TomlTable& table, const std::string& key, const std::vector<int>& axes,
                        std::array<TimeFunctionPtr, 3>& out, const Read& read) {
  if (!table.has(key)) return;
  const TomlTable list = table.list(key, axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string component = std::to_string(i);
    const auto axis = static_cast<std::size_t>(axes[i]);
    if (list.is_table(component)) {
      read(axis, list.table(component));
    } else if (const double value = list.number(component); value != 0.0) {
      out[axis] = constant_rate(value, 0.0);
    }
  }
}

void read_load_components(const TomlTable& table, const std::string& key, const JointAngles& angles,
                          std::array<TimeFunctionPtr, 3>& out, MarkerLoadSpec::Angles& over) {
  for_each_component(table, key, {0, 1, 2}, out, [&](std::size_t axis, const TomlTable& component) {
    LoadFunction load = read_load_function(component, angles);
    out[axis] = std::move(load.function), over[axis] = std::move(load.over);
  });
}

MarkerLoadSpec read_load(const TomlTable& table, const JointAngles& angles) {
  MarkerLoadSpec load{.name = read_name(table), .marker = {}, .force = {}, .torque = {}};
  keys::load().read(table, load);
  read_load_components(table, "force", angles, load.force, load.force_over);
  read_load_components(table, "torque", angles, load.torque, load.torque_over);
  const auto acts = [](const TimeFunctionPtr& component) { return component != nullptr; };
  if (std::none_of(load.force.begin(), load.force.end(), acts) &&
      std::none_of(load.torque.begin(), load.torque.end(), acts)) {
    table.fail("", "has neither a force nor a torque");
  }
  return load;
}

RoadSpec read_road(const TomlTable& table) {
  using Profile = keys::RoadNumbers::Profile;
  const keys::RoadNumbers road = keys::road().read(table);
  switch (road.profile) {
    case Profile::flat:
      break;
    case Profile::step:
      return {road_step(road.height, road.position, road.width)};
    case Profile::sine:
      return {road_sine(road.amplitude, road.wavelength, road.start)};
    case Profile::table: {
      const std::vector<double> z = table.numbers("z", road.x.size(), road.x.size());
      if (std::ranges::adjacent_find(road.x, std::greater_equal<>()) != road.x.end())
        table.fail("x", "must increase from each place to the next");
      const TableForm form = read_table_form(table, "z", z, false);
      return {kurbel::table(road.x, z, form.interpolation, form.beyond)};
    }
  }
  return {};
}

/// [loads.*], [road] and [initial].
void read_forces_and_start(const TomlTable& root, SystemSpec& system,
                           std::vector<std::string>& followed_joints) {
  for (const TomlTable& t : root.table_or_empty("loads").children()) {
    if (is_load_at_marker(t)) system.loads.push_back(read_load(t, {system.joints, followed_joints}));
  }
  system.road = read_road(root.table_or_empty("road"));
  keys::initial().read(root.table_or_empty("initial"), system);
}

void read_ground(const TomlTable& root, SystemSpec& system) {
  for (const TomlTable& marker : root.table_or_empty("ground").table_or_empty("markers").children()) {
    const PointUse use{PointUse::Kind::ground_marker, system.ground.size()};
    system.ground.push_back(read_placed_marker(marker, {}, use, system.points));
  }
}

}  // namespace

void read_components(const TomlTable& table, const std::string& key, const std::vector<int>& axes,
                     std::array<TimeFunctionPtr, 3>& out) {
  for_each_component(table, key, axes, out, [&](std::size_t axis, const TomlTable& component) {
    out[axis] = read_time_function(component);
  });
}

void read_mechanism(const TomlTable& root, SystemSpec& system, std::vector<std::string>& followed_joints) {
  system.gravity = root.vector3_or("gravity", system.gravity);
  read_ground(root, system);
  for (const TomlTable& t : root.table_or_empty("joints").children()) {
    system.joints.push_back(read_joint(t, system));
    read_joint_damping(root, t, system.joints.back(), system);
  }
  for (const PartSection& part : part_sections()) part.read_all(root, system);
  read_forces_and_start(root, system, followed_joints);
}

}  // namespace kurbel
