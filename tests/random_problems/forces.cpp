#include <fmt/format.h>

#include <algorithm>

#include "draft.hpp"

namespace kurbel::random_problems {

namespace {

using Nature = Vector::Nature;

Vector3d random_direction(Random& random) {
  Vector3d v;
  for (double& component : v) component = random.between(-1.0, 1.0);
  return v;
}

void add_gravity(Draft& draft) {
  Random& random = draft.random;
  if (!random.chance(0.7)) return;
  const Vector3d g = random.chance(0.5) ? Vector3d(0.0, -9.81, 0.0) : Vector3d(1.0, -9.0, 3.0);
  draft.mark(g[0] == 0.0 ? "gravity=down" : "gravity=oblique");
  set(draft.root(), "gravity", Vector{g, Nature::direction, length});
}

/// Of bodies from files nothing can vary; then a spring can.
bool needs_spring(const Draft& draft) {
  return std::all_of(draft.bodies.begin(), draft.bodies.end(),
                     [](const DraftBody& body) { return body.kind == DraftBody::Kind::sid; });
}

void add_springs(Draft& draft) {
  Random& random = draft.random;
  if (!random.chance(0.4) && !needs_spring(draft)) return;
  const int n = random.integer(1, 2);
  for (int i = 0; i < n; ++i) {
    const DraftBody& body = random.pick(draft.bodies);
    std::string from;
    if (draft.bodies.size() > 1 && random.chance(0.3) && draft.bodies.front().name != body.name) {
      from = draft.bodies.front().pin;
      if (draft.bodies[1].name == body.name) continue;  // its other end may be the same place
    } else {
      Vector3d at = body.end();
      for (double& component : at) component += random.between(0.05, 0.3);
      from = add_ground_marker(draft, fmt::format("anchor{}", i), at, 0.0);
    }
    Table& table = sub_table(draft.section("springs"), fmt::format("s{}", i));
    set(table, "from", from);
    set(table, "to", body.pin);
    set(table, "stiffness", Scalar{random.of_size(5.0, 2000.0), stiffness});
    if (random.chance(0.6)) set(table, "damping", Scalar{random.of_size(0.05, 3.0), stiffness});
    if (random.chance(0.7)) set(table, "free_length", Scalar{random.between(0.0, 0.3), length});
    draft.mark("force=spring");
  }
}

void add_torsion_springs(Draft& draft) {
  Random& random = draft.random;
  for (const DraftJoint& joint : draft.joints) {
    if (!joint.locked[3] || !joint.locked[4] || joint.locked[5] || !random.chance(0.35)) continue;
    Table& table = sub_table(draft.section("torsion_springs"), "t_" + joint.name);
    set(table, "from", joint.from);
    set(table, "to", joint.to);
    set(table, "stiffness", Scalar{random.of_size(0.5, 20.0), moment});
    if (random.chance(0.6)) set(table, "damping", Scalar{random.of_size(0.005, 0.1), moment});
    if (random.chance(0.7)) set(table, "free_angle", Scalar{random.between(-0.5, 0.5)});
    draft.mark("force=torsion-spring");
  }
}

void set_load(Draft& draft, Table& load, const char* key, double size, Dimension dimension) {
  Random& random = draft.random;
  const VectorTimeHistory time_history{random_direction(random), random_amplitude(draft, size), dimension};
  const Value* frame = find(load, "frame");
  if (!frame || std::get<std::string>(frame->data) == "inertial") {
    set(load, key, time_history);
    return;
  }
  List components;
  for (const double component : time_history.direction) {
    if (!components.empty() && random.chance(0.3)) {
      components.emplace_back(Scalar{0.0, dimension});
    } else {
      components.emplace_back(time_history_table(time_history.time_history, component, dimension));
    }
  }
  set(load, key, std::move(components));
}

void add_loads(Draft& draft) {
  Random& random = draft.random;
  if (!random.chance(0.45)) return;
  const DraftBody& body = random.pick(draft.bodies);
  Table load = {{"marker", body.pin}};
  if (random.chance(0.6)) set(load, "frame", draft.choose("load", {{"inertial", 1.0}, {"body", 1.0}}));
  const bool torque_alone = random.chance(0.2);
  if (!torque_alone) set_load(draft, load, "force", 5.0, force);
  if (torque_alone || random.chance(0.3)) set_load(draft, load, "torque", 0.2, moment);
  set(draft.section("loads"), "l1", std::move(load));
  draft.mark("force=load");
}

/// A motor in a hinge that is not driven, or a thrust of a fixed direction.
void add_control(Draft& draft, const std::string& name) {
  Random& random = draft.random;
  std::vector<std::string> hinges;
  for (const DraftJoint& joint : draft.joints) {
    bool is_hinge = !joint.driven[5];
    for (std::size_t d = 0; d < 6; ++d) is_hinge = is_hinge && joint.locked[d] == (d != 5);
    if (is_hinge) hinges.push_back(joint.name);
  }
  Table& control = sub_table(draft.section("controls"), name);
  const bool is_motor = !hinges.empty() && random.chance(0.6);
  const Dimension dimension = is_motor ? moment : force;
  const double size = is_motor ? 0.5 : 5.0;
  set(control, "type", std::string(is_motor ? "torque" : "force"));
  if (is_motor) {
    set(control, "joint", random.pick(hinges));
  } else {
    set(control, "marker", random.pick(draft.bodies).pin);
    const bool turns = random.chance(0.4);
    if (turns) {
      set(control, "frame", std::string("body"));
      set(control, "direction", scalars({0.0, 1.0, random.between(-1.0, 1.0)}, number));
    } else {
      set(control, "direction", Vector{random_direction(random), Nature::direction});
    }
  }
  draft.mark(is_motor ? "control=motor" : "control=thrust");
  const std::string interpolation = draft.choose(
      "interpolation",
      {{"natural", 1.0}, {"clamped", 1.0}, {"not-a-knot", 1.0}, {"linear", 1.0}, {"constant", 1.0}});
  const int nodes = random.integer(interpolation == "not-a-knot" ? 4 : 2, 6);
  set(control, "nodes", nodes);
  set(control, "interpolation", interpolation);
  std::vector<double> start;
  for (int i = 0; i < nodes; ++i) start.push_back(as_written(size * random.between(-1.0, 1.0)));
  set(control, "start", scalars(start, dimension));
  set(control, "lower", Scalar{-2.0 * size, dimension});
  set(control, "upper", Scalar{2.0 * size, dimension});
}

/// Whether gravity and springs can hold the mechanism.
bool may_rest(const Draft& draft) {
  if (!draft.has("mechanism=chain")) return false;
  for (const DraftJoint& joint : draft.joints) {
    if (!joint.locked[0] || !joint.locked[1] || !joint.locked[2]) return false;
  }
  return true;
}

void shift_start(Draft& draft) {
  Random& random = draft.random;
  for (const DraftBody& body : draft.bodies) {
    Table& initial = sub_table(draft.body_table(body), "initial");
    for (const char* key : {"position", "velocity"}) {
      Value* v = find(initial, key);
      if (!v || random.chance(0.5)) continue;
      for (double& component : std::get<Vector>(v->data).value) component += random.between(-2e-3, 2e-3);
    }
    Value* rate = find(initial, "angular_velocity");
    if (rate && random.chance(0.5)) std::get<Scalar>(std::get<List>(rate->data)[2].data).value *= 1.05;
  }
  draft.mark("start=inconsistent");
}

}  // namespace

void add_forces(Draft& draft) {
  add_gravity(draft);
  add_springs(draft);
  add_torsion_springs(draft);
  add_loads(draft);
}

void add_controls(Draft& draft) {
  const int n = draft.random.pick<int>({0, 0, 1, 2});
  for (int i = 0; i < n; ++i) add_control(draft, fmt::format("u{}", i));
}

void add_start(Draft& draft) {
  Random& random = draft.random;
  const std::string state = draft.choose(
      "state", {{"given", 0.7}, {"quasi-static", 0.2}, {"static-equilibrium", may_rest(draft) ? 0.2 : 0.02}});
  if (state != "given" || random.chance(0.2)) set(draft.section("initial"), "state", state);
  if (random.chance(0.15)) shift_start(draft);
  Table& integrator = draft.section("integrator");
  const int n_steps = random.pick<int>({8, 10, 16, 20});
  if (draft.t0 != 0.0) set(integrator, "t0", Scalar{draft.t0});
  set(integrator, "t1", Scalar{draft.t0 + draft.duration});
  draft.problem.step = draft.duration / n_steps;
  set(integrator, "step", Scalar{draft.problem.step});
  const std::string rho_inf = draft.choose(
      "rho_inf", {{"0.0", 1.0}, {"0.3", 1.0}, {"0.5", 1.0}, {"0.8", 1.0}, {"0.95", 1.0}, {"1.0", 0.2}});
  if (rho_inf != "0.8" || random.chance(0.5)) set(integrator, "rho_inf", Scalar{std::stod(rho_inf)});
}

}  // namespace kurbel::random_problems
