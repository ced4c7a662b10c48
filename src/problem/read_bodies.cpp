#include "input/sid_file.hpp"
#include "integration/lie_group.hpp"
#include "problem/key_groups.hpp"
#include "problem/readers.hpp"
#include "sid/inertia_fault.hpp"

namespace kurbel {

namespace {

/// [Jxx, Jyy, Jzz], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] or three rows.
Matrix3d read_inertia_entries(const TomlTable& body) {
  Matrix3d J = Matrix3d::Zero();
  if (body.is_list_of_lists("inertia")) {
    const TomlTable rows = body.list("inertia", 3);
    for (int i = 0; i < 3; ++i) J.row(i) = rows.vector3(std::to_string(i));
    return J;
  }
  const std::vector<double> v = body.numbers("inertia");
  if (v.size() != 3 && v.size() != 6) {
    body.fail("inertia", "must be [Jxx, Jyy, Jzz], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] or three rows");
  }
  J.diagonal() << v[0], v[1], v[2];
  if (v.size() == 6) {
    J(0, 1) = J(1, 0) = v[3];
    J(0, 2) = J(2, 0) = v[4];
    J(1, 2) = J(2, 1) = v[5];
  }
  return J;
}

Matrix3d read_inertia(const TomlTable& body) {
  const Matrix3d J = read_inertia_entries(body);
  if (const std::string fault = inertia_fault(J); !fault.empty()) body.refuse("inertia", fault);
  return 0.5 * (J + J.transpose());
}

/// @param start  its state there, at which markers may be at points
Sid read_rigid_body(const TomlTable& body, const InitialState& start, SystemSpec& system) {
  const double mass = body.number("mass");
  const Vector3d com = body.vector3_or("centre_of_mass", Vector3d::Zero());
  const Matrix3d J = read_inertia(body);
  const Pose<double> frame{start.position, exp_quaternion<double>(start.rotation)};
  std::vector<SidNode> markers;
  for (const TomlTable& marker : body.table_or_empty("markers").children()) {
    const PointUse use{PointUse::Kind::marker, system.bodies.size(), markers.size()};
    markers.push_back(read_placed_marker(marker, frame, use, system.points));
  }
  return make_rigid_sid(mass, com, J, std::move(markers));
}

Sid read_sid_body(const TomlTable& table, const std::filesystem::path& directory, ProblemBody& body) {
  const std::string file = table.text("file");
  body.sid_file = (directory / file).lexically_normal();
  body.sid_name = table.text_or("body", "");
  const bool accept_indefinite = table.boolean_or("accept_indefinite", false);
  NamedSid read;
  try {
    read = read_named_sid(body.sid_file, body.sid_name);
  } catch (const InputError& error) {
    table.refuse("file", "cannot be used: {}", error.what());
  }
  try {
    require_usable(read.sid, read.precision, accept_indefinite);
  } catch (const InputError& error) {
    table.refuse("file", "cannot be used: {}: {}: {}", body.sid_file.string(), read.name, error.what());
  }
  return std::move(read.sid);
}

InitialState read_initial_state(const TomlTable& initial) {
  InitialState state = keys::start().read(initial);
  state.given = {.position = initial.has("position"),
                 .rotation = initial.has("rotation"),
                 .velocity = initial.has("velocity"),
                 .angular_velocity = initial.has("angular_velocity")};
  for (const TomlTable& load : initial.table_or_empty("loads").children()) {
    if (!load.has("force") && !load.has("moment")) load.fail("", "is empty; give a force or a moment");
    state.loads.push_back({.name = load.name(), .marker = {}});
    keys::static_load().read(load, state.loads.back());
  }
  if (state.q.size() > 0 && !state.loads.empty())
    initial.fail("q", "and loads both give the deformation; leave one of them out");
  return state;
}

/// A body of type "point".
PointMassSpec read_point_mass(const TomlTable& table) {
  PointMassSpec point;
  point.name = read_name(table, "ground");
  const TomlTable initial = table.table_or_empty("initial");
  for (const char* key : {"rotation", "angular_velocity", "q", "q_dot", "loads"}) {
    if (initial.has(key)) initial.fail(key, "has no meaning for a point, which neither turns nor deforms");
  }
  point.position = initial.vector3_or("position", point.position);
  point.velocity = initial.vector3_or("velocity", point.velocity);
  if (table.has("free")) {
    point.free = {};
    for (const int axis : table.choices("free", keys::axis_indices))
      point.free[static_cast<std::size_t>(axis)] = true;
  }
  for (Eigen::Index d = 0; d < 3; ++d) {
    if (!point.free[static_cast<std::size_t>(d)] && point.velocity[d] != 0.0)
      initial.refuse("velocity", "moves along {}, which is not free", "xyz"[d]);
  }
  if (point.moves() || table.has("mass")) point.mass = table.number("mass");
  return point;
}

}  // namespace

std::set<std::string> read_bodies(const TomlTable& root, const std::filesystem::path& directory,
                                  const Problem* same, Problem& problem) {
  const bool beams_alone = root.has("beams") && !root.has("bodies");
  const TomlTable bodies = beams_alone ? root.table_or_empty("bodies") : root.table("bodies");
  using Type = ProblemBody::Type;
  static const TomlTable::Words<std::optional<Type>> types = {
      {"rigid", Type::rigid}, {"flexible", Type::flexible}, {"sid", Type::sid}, {"point", std::nullopt}};
  std::set<std::string> with_attachment_modes;
  for (const TomlTable& table : bodies.children()) {
    ProblemBody body;
    BodySpec spec;
    body.name = spec.name = read_name(table, "ground");
    const std::optional<Type> type = table.choice("type", types);
    if (!is_of_mechanism(problem.analysis) && type != Type::flexible)
      table.refuse("type", "does not deform; analysis = \"{}\" takes bodies of type \"flexible\"",
                   word_of(problem.analysis));
    if (!type) {
      problem.system.point_masses.push_back(read_point_mass(table));
      continue;
    }
    body.type = *type;
    spec.initial = read_initial_state(table.table_or_empty("initial"));
    if (body.type == Type::rigid) {
      spec.sid = read_rigid_body(table, spec.initial, problem.system);
    } else if (body.type == Type::sid) {
      spec.sid = read_sid_body(table, directory, body);
    } else {
      bool attachment_modes = true;
      const auto known = same ? same->find_body(body.name) : std::nullopt;
      body.flexible =
          read_flexible_body(table, directory, known ? &same->bodies[*known].flexible.mesh : nullptr,
                             problem.analysis, attachment_modes);
      if (attachment_modes) with_attachment_modes.insert(body.name);
    }
    problem.bodies.push_back(std::move(body));
    problem.system.bodies.push_back(std::move(spec));
  }
  if (problem.bodies.empty() && problem.system.point_masses.empty() && !beams_alone)
    bodies.fail("", "is empty; a problem needs at least one body");
  return with_attachment_modes;
}

}  // namespace kurbel
