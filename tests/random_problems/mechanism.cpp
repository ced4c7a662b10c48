#include <fmt/format.h>

#include <Eigen/Dense>

#include "draft.hpp"

namespace kurbel::random_problems {

namespace {

using Locked = std::array<bool, 6>;

struct JointKind {
  std::string word;  ///< a type, or "lock" with degrees of freedom
  Locked locked;
  double weight;
};

/// All joints between bars in the plane z = 0. A locked rz asks for equal angles.
const std::vector<JointKind> joint_kinds = {
    {"revolute", {true, true, true, true, true, false}, 8.0},
    {"fixed", {true, true, true, true, true, true}, 1.5},
    {"spherical", {true, true, true, false, false, false}, 1.5},
    {"universal", {true, true, true, false, false, true}, 1.5},
    {"prismatic", {true, true, false, true, true, true}, 1.0},
    {"cylindrical", {true, true, false, true, true, false}, 1.5},
    {"in-plane", {false, false, true, false, false, false}, 0.7},
    {"in-line", {true, true, false, false, false, false}, 0.7},
    {"lock-tx-ty", {true, true, false, false, false, false}, 0.5},
    {"lock-tx-ty-tz-rx", {true, true, true, true, false, false}, 0.7},
    {"lock-ty-tz-rx-ry", {false, true, true, true, true, false}, 0.5},
    {"lock-tx-ty-tz-rz", {true, true, true, false, false, true}, 0.5},
};

const char* const dof_names[] = {"tx", "ty", "tz", "rx", "ry", "rz"};

const JointKind& random_joint_kind(Draft& draft) {
  std::vector<std::pair<std::string, double>> words;
  for (const JointKind& kind : joint_kinds) words.emplace_back(kind.word, kind.weight);
  const std::string word = draft.choose("joint", words);
  for (const JointKind& kind : joint_kinds) {
    if (kind.word == word) return kind;
  }
  return joint_kinds.front();
}

DraftJoint& add_joint(Draft& draft, const std::string& word, const Locked& locked, const std::string& from,
                      const std::string& to) {
  DraftJoint joint{fmt::format("j{}", draft.joints.size() + 1), from, to, locked, {}};
  Table& table = sub_table(draft.section("joints"), joint.name);
  set(table, "from", from);
  set(table, "to", to);
  if (word.rfind("lock", 0) != 0) {
    set(table, "type", word);
  } else {
    List dofs;
    for (std::size_t d = 0; d < 6; ++d) {
      if (locked[d]) dofs.emplace_back(std::string(dof_names[d]));
    }
    set(table, "lock", std::move(dofs));
  }
  draft.joints.push_back(joint);
  return draft.joints.back();
}

void add_drive(Draft& draft, DraftJoint& joint, std::size_t dof, const TimeHistory& time_history) {
  const bool in_degrees = dof >= 3 && draft.random.chance(0.2);
  Table drive =
      time_history_table(time_history, in_degrees ? 180.0 / EIGEN_PI : 1.0, dof < 3 ? length : number);
  if (in_degrees) {
    set(drive, "unit", std::string("deg"));
    draft.mark("drive=in-degrees");
  }
  set(drive, "dof", std::string(dof_names[dof]));
  Table& table = sub_table(draft.section("joints"), joint.name);
  if (!find(table, "drive")) set(table, "drive", List{});
  std::get<List>(find(table, "drive")->data).emplace_back(std::move(drive));
  joint.driven[dof] = true;
  draft.mark(fmt::format("drive={}", dof_names[dof]));
}

/// Where the next body of a chain begins, and how that place moves.
struct Place {
  std::string marker = "ground";
  Vector3d position = Vector3d::Zero(), velocity = Vector3d::Zero();
  double angle = 0.0, rate = 0.0;
};

Place end_of(const DraftBody& body) {
  return {body.pin, body.end(), body.end_velocity(), body.angle, body.rate};
}

/// Sometimes the inertial frame itself, else a marker in it.
Place random_base(Draft& draft, double angle) {
  Random& random = draft.random;
  if (random.chance(0.4)) return {};
  Place base;
  base.position = Vector3d(random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0.0);
  base.angle = angle;
  base.marker = add_ground_marker(draft, "base", base.position, angle);
  return base;
}

/// Sets the body at the place, turning about z as the joint lets it, and adds the joint.
void join(Draft& draft, DraftBody& body, const Place& at, const JointKind& kind, double drive_probability) {
  Random& random = draft.random;
  const bool is_free = !kind.locked[5];
  const bool is_hinge = kind.locked[3] && kind.locked[4] && is_free;
  const bool drives_angle = is_hinge && random.chance(drive_probability);
  const double relative = !is_free || (drives_angle && random.chance(0.3)) ? 0.0 : random.between(-0.9, 0.9);
  body.angle = at.angle + relative;
  body.position = at.position;
  body.velocity = at.velocity;
  body.rate = at.rate;
  DraftJoint& joint = add_joint(draft, kind.word, kind.locked, at.marker, body.root);
  if (drives_angle) {
    const TimeHistory time_history =
        random_time_history(draft, relative, as_written(random.sign() * random.of_size(1.0, 12.0)), true);
    add_drive(draft, joint, 5, time_history);
    body.rate += time_history.rate_at_start();
  } else if (is_free && random.chance(0.4)) {
    body.rate += random.between(-3.0, 3.0);
    draft.mark("start=turning");
  }
  if (kind.locked[0] && kind.locked[1] && !kind.locked[2] && kind.locked[3] && random.chance(0.4)) {
    const TimeHistory time_history =
        random_time_history(draft, 0.0, as_written(random.sign() * random.of_size(0.1, 1.0)), true);
    add_drive(draft, joint, 2, time_history);
    body.velocity[2] += time_history.rate_at_start();
  }
}

/// Each body hangs from the ground or from any of those before it.
void make_tree(Draft& draft) {
  Random& random = draft.random;
  const int n = random.integer(2, 5);
  const Place base = random_base(draft, random.between(-0.8, 0.8));
  for (int i = 0; i < n; ++i) {
    const Place at = i == 0 ? base : end_of(random.pick(draft.bodies));
    DraftBody& body = add_body(draft, false);
    join(draft, body, at, random_joint_kind(draft), i == 0 ? 0.55 : 0.2);
  }
}

void make_chain(Draft& draft) {
  const int n = draft.random.integer(1, 3);
  Place at = random_base(draft, draft.random.between(-0.8, 0.8));
  for (int i = 0; i < n; ++i) {
    DraftBody& body = add_body(draft, true);
    join(draft, body, at, random_joint_kind(draft), i == 0 ? 0.55 : 0.2);
    at = end_of(body);
  }
}

const JointKind& revolute() {
  return joint_kinds.front();
}

/// Angles of two bars from a to b by the law of cosines, the second on the side of `sign`.
/// @return false if the bars do not reach
bool close_triangle(const Vector3d& a, const Vector3d& b, double l1, double l2, double& angle1,
                    double& angle2) {
  const Vector3d d = b - a;
  const double r = d.norm();
  if (r >= 0.98 * (l1 + l2) || r <= 1.02 * std::abs(l1 - l2)) return false;
  const double at_a = std::acos((r * r + l1 * l1 - l2 * l2) / (2.0 * r * l1));
  angle1 = std::atan2(d[1], d[0]) + at_a;
  const Vector3d middle = a + l1 * Vector3d(std::cos(angle1), std::sin(angle1), 0.0);
  // The second bar begins at b.
  angle2 = std::atan2(middle[1] - b[1], middle[0] - b[0]);
  return true;
}

Vector3d across(const DraftBody& body) {
  return body.length * Vector3d(-std::sin(body.angle), std::cos(body.angle), 0.0);
}

void scale_crank(Draft& draft, DraftBody& crank) {
  // A short rigid crank keeps the linkage far from its dead points.
  if (crank.kind != DraftBody::Kind::rigid) return;
  crank.length = as_written(0.5 * crank.length);
  Table& pin = sub_table(sub_table(draft.body_table(crank), "markers"), "pin");
  set(pin, "position", scalars({crank.length, 0.0, 0.0}, length));
}

/// Crank, coupler and rocker; the last pin shares its position in the plane alone.
void make_four_bar(Draft& draft) {
  Random& random = draft.random;
  const Place base = random_base(draft, random.between(-0.5, 0.5));
  for (int i = 0; i < 3; ++i) add_body(draft, true);
  DraftBody& crank = draft.bodies[0];
  DraftBody& coupler = draft.bodies[1];
  DraftBody& rocker = draft.bodies[2];
  scale_crank(draft, crank);
  join(draft, crank, base, revolute(), 0.8);
  const Place at = end_of(crank);
  Place bearing;
  do {
    const double r = random.between(0.4, 0.9) * (coupler.length + rocker.length),
                 phi = random.between(-0.7, 0.7);
    bearing.position = at.position + r * Vector3d(std::cos(phi), std::sin(phi), 0.0);
  } while (!close_triangle(at.position, bearing.position, coupler.length, rocker.length, coupler.angle,
                           rocker.angle));
  bearing.marker = add_ground_marker(draft, "bearing", bearing.position, 0.0);
  coupler.position = at.position, coupler.velocity = at.velocity;
  rocker.position = bearing.position;
  Eigen::Matrix2d A;
  A << across(coupler).head<2>(), -across(rocker).head<2>();
  const Eigen::Vector2d rates = A.partialPivLu().solve(-at.velocity.head<2>());
  coupler.rate = rates[0], rocker.rate = rates[1];
  add_joint(draft, "revolute", revolute().locked, at.marker, coupler.root);
  add_joint(draft, "revolute", revolute().locked, bearing.marker, rocker.root);
  add_joint(draft, "lock", {true, true, false, false, false, false}, rocker.pin, coupler.pin);
}

/// Crank and connecting rod whose end slides along a line.
void make_slider_crank(Draft& draft) {
  Random& random = draft.random;
  const Place base = random_base(draft, random.between(-0.5, 0.5));
  for (int i = 0; i < 2; ++i) add_body(draft, true);
  DraftBody& crank = draft.bodies[0];
  DraftBody& rod = draft.bodies[1];
  scale_crank(draft, crank);
  join(draft, crank, base, revolute(), 0.8);
  const Place at = end_of(crank);
  rod.position = at.position, rod.velocity = at.velocity;
  rod.angle = random.between(-0.6, 0.6);
  rod.rate = -at.velocity[1] / (rod.length * std::cos(rod.angle));
  add_joint(draft, "revolute", revolute().locked, at.marker, rod.root);
  const std::string line = add_ground_marker(draft, "line", rod.end(), 0.0);
  // Displacements are along the axes of "to".
  add_joint(draft, "lock", {false, true, false, false, false, false}, rod.pin, line);
}

/// Bodies that nothing holds, or only each other.
void make_free(Draft& draft) {
  Random& random = draft.random;
  DraftBody& first = add_body(draft, true);
  first.position = Vector3d(random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0.0);
  first.angle = random.between(-1.0, 1.0);
  first.velocity = Vector3d(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-0.5, 0.5));
  first.rate = random.between(-4.0, 4.0);
  if (!random.chance(0.4)) return;
  const Place at = end_of(first);
  join(draft, add_body(draft, true), at, random_joint_kind(draft), 0.3);
}

void write_initial_states(Draft& draft) {
  using Nature = Vector::Nature;
  const bool without_velocities = draft.random.chance(0.15);
  for (const DraftBody& body : draft.bodies) {
    Table& initial = sub_table(draft.body_table(body), "initial");
    set(initial, "position", Vector{body.position, Nature::point, length});
    set(initial, "rotation", Vector{Vector3d(0.0, 0.0, body.angle), Nature::attitude});
    if (without_velocities) continue;
    if (!body.velocity.isZero(0.0))
      set(initial, "velocity", Vector{body.velocity, Nature::direction, length});
    if (body.rate != 0.0) set(initial, "angular_velocity", scalars({0.0, 0.0, body.rate}, number));
    if (!body.velocity.isZero(0.0) || body.rate != 0.0) draft.mark("start=moving");
  }
  if (without_velocities) draft.mark("start=velocities-left-out");
}

}  // namespace

void add_mechanism(Draft& draft) {
  draft.bodies.reserve(5);  // references to bodies stay valid
  std::vector<std::pair<std::string, double>> kinds = {
      {"chain", 0.5}, {"four-bar", 0.15}, {"slider-crank", 0.17}, {"free", 0.18}};
  if (draft.rigid_only) kinds.emplace_back("tree", 0.5);
  const std::string kind = draft.choose("mechanism", kinds);
  if (kind == "chain") make_chain(draft);
  if (kind == "four-bar") make_four_bar(draft);
  if (kind == "slider-crank") make_slider_crank(draft);
  if (kind == "free") make_free(draft);
  if (kind == "tree") make_tree(draft);
  draft.mark(fmt::format("bodies={}", draft.bodies.size()));
  write_initial_states(draft);
}

}  // namespace kurbel::random_problems
