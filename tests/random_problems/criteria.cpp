#include <fmt/format.h>

#include <algorithm>

#include "draft.hpp"

namespace kurbel::random_problems {

namespace {

/// A term of a criterion, and what a comparison needs to know of it.
struct Term {
  Table table;
  FunctionInfo info;  ///< without a name
};

struct VectorSizes {
  Dimension dimension;
  double typical;
};

std::string random_joint(Draft& draft, std::size_t first, bool driven_only, std::string& component) {
  std::vector<std::pair<std::string, std::string>> held;
  for (const DraftJoint& joint : draft.joints) {
    for (std::size_t d = first; d < first + 3; ++d) {
      if (joint.driven[d] || (joint.locked[d] && !driven_only))
        held.emplace_back(joint.name, axes[d - first]);
    }
  }
  if (held.empty()) return "";
  const auto& [name, axis] = draft.random.pick(held);
  component = axis;
  return name;
}

/// Names, in `table`, what the quantity is of.
/// @return false if the mechanism has nothing of the kind
bool place(Draft& draft, const std::string& type, Table& table, std::string& component) {
  Random& random = draft.random;
  const auto pick_body = [&](const char* key, const auto& fits) {
    std::vector<const DraftBody*> bodies;
    for (const DraftBody& body : draft.bodies) {
      if (fits(body)) bodies.push_back(&body);
    }
    if (bodies.empty()) return static_cast<const DraftBody*>(nullptr);
    const DraftBody* body = random.pick(bodies);
    if (*key != '\0') set(table, key, body->name);
    return body;
  };
  const auto any = [](const DraftBody&) { return true; };
  const auto deforms = [](const DraftBody& b) { return b.kind != DraftBody::Kind::rigid; };
  const auto has_mesh = [](const DraftBody& b) { return b.kind == DraftBody::Kind::flexible; };
  if (type == "kinetic-energy" || type == "total-energy") {
    if (random.chance(0.5)) pick_body("body", any);
    return true;
  }
  if (type == "mass" || type == "centre-of-mass") return pick_body("body", any);
  if (type == "compliance" || type == "integral-compliance") return pick_body("body", deforms);
  if (type == "von-mises") {
    const DraftBody* body = pick_body("body", has_mesh);
    if (!body || draft.has("path=augmented-sid")) return false;
    if (random.chance(0.4)) set(table, "element_exponent", Scalar{random.pick<double>({2.0, 4.0, 16.0})});
    if (random.chance(0.3)) set(table, "relaxation", Scalar{random.pick<double>({0.0, 0.5, 1.0})});
    if (random.chance(0.4)) set(table, "leave_out", List{random.pick(body->left_out)});
    return true;
  }
  if (type == "displacement") {
    const DraftBody* body = pick_body("", deforms);
    if (body) set(table, "marker", body->name + "." + random.pick(body->deformed));
    return body != nullptr;
  }
  if (type == "position" || type == "velocity" || type == "acceleration") {
    const DraftBody* body = pick_body("", any);
    const bool inner = !body->deformed.empty() && random.chance(0.4);
    set(table, "marker", inner ? body->name + "." + random.pick(body->deformed) : body->pin);
    return true;
  }
  if (type == "joint-angle" || type == "joint-rate") {
    std::vector<std::string> hinges;
    for (const DraftJoint& joint : draft.joints) {
      if (joint.locked[3] && joint.locked[4] && !joint.locked[5]) hinges.push_back(joint.name);
    }
    if (hinges.empty()) return false;
    set(table, "joint", random.pick(hinges));
    return true;
  }
  const std::string joint =
      random_joint(draft, type == "reaction-force" ? 0 : 3, type == "drive-torque", component);
  if (!joint.empty()) set(table, "joint", joint);
  return !joint.empty();
}

bool is_scalar(const std::string& type) {
  static const std::vector<std::string> names = {"kinetic-energy", "total-energy",        "mass",
                                                 "compliance",     "integral-compliance", "von-mises",
                                                 "drive-torque",   "joint-angle",         "joint-rate"};
  return std::find(names.begin(), names.end(), type) != names.end();
}

VectorSizes sizes_of(const std::string& type) {
  if (type == "kinetic-energy" || type == "total-energy") return {moment, 1.0};
  if (type == "compliance" || type == "integral-compliance") return {moment, 1e-3};
  if (type == "mass") return {mass, 1.0};
  if (type == "von-mises") return {stress, 1e5};
  if (type == "displacement") return {length, 1e-3};
  if (type == "centre-of-mass") return {length, 0.1};
  if (type == "position") return {length, 0.3};
  if (type == "velocity") return {length, 1.0};
  if (type == "joint-angle") return {number, 0.5};
  if (type == "joint-rate") return {number, 5.0};
  if (type == "acceleration") return {length, 50.0};
  if (type == "reaction-force") return {force, 50.0};
  return {moment, 5.0};
}

/// A component or the distance from a target.
void make_vector(Draft& draft, const std::string& type, const std::string& component, Term& term) {
  Random& random = draft.random;
  FunctionInfo& info = term.info;
  const bool moves = type == "position" || type == "velocity" || type == "acceleration";
  const bool by_component = random.chance(0.5);
  const bool by_twin = moves && !draft.moves_twin && draft.has("mechanism=determined") && random.chance(0.6);
  if (by_component) {
    set(term.table, "component", component.empty() ? random.pick<std::string>({"x", "y", "z"}) : component);
    info.uses_axes = moves;
    info.uses_origin = type == "position" && !by_twin;
  }
  if (by_twin) {
    set(term.table, "target", std::string("rigid-twin"));
    draft.mark("target=rigid-twin");
  } else if (random.chance(0.4)) {
    draft.mark("target=given");
    if (by_component) {
      const TimeHistory time_history = random_amplitude(draft, info.typical);
      set(term.table, "target",
          random.chance(0.5) ? Value(Scalar{time_history.values[0], info.dimension})
                             : Value(time_history_table(time_history, 1.0, info.dimension)));
    } else if (type == "position") {
      const Vector3d target(random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(-0.3, 0.3));
      set(term.table, "target", Vector{target, Vector::Nature::point, info.dimension});
    } else if (moves) {
      const Vector3d direction(random.between(-1.0, 1.0), random.between(-1.0, 1.0),
                               random.between(-1.0, 1.0));
      set(term.table, "target",
          VectorTimeHistory{direction, random_amplitude(draft, info.typical), info.dimension});
    } else {
      set(term.table, "target",
          scalars({random.between(-1.0, 1.0) * info.typical, 0.0, random.between(-1.0, 1.0) * info.typical},
                  info.dimension));
    }
  } else if (!by_component && type == "position") {
    info.uses_origin = true;  // the distance from the origin of the inertial frame
  }
  if (by_component) return;
  set(term.table, "form", std::string("half-square"));
  info.typical = 0.5 * info.typical * info.typical;
  info.dimension = 2 * info.dimension;
}

void make_functional(Draft& draft, const std::string& type, Term& term) {
  Random& random = draft.random;
  FunctionInfo& info = term.info;
  if (type == "mass" || type == "integral-compliance") {
    if (type == "integral-compliance") info.typical *= draft.duration;
    return;
  }
  const std::string time =
      draft.choose("time", {{"integral", 1.0}, {"mean", 1.0}, {"final", 1.0}, {"p-norm", 1.0}, {"ks", 1.0}});
  set(term.table, "time", time);
  if (time == "integral") info.typical *= draft.duration;
  if (time == "p-norm") {
    const double exponent = random.pick<double>({1.0, 1.5, 2.0, 4.0, 12.0});
    set(term.table, "exponent", Scalar{exponent});
    if (exponent < 2.0) draft.mark("p-norm=low");
  }
  if (time == "ks") {
    const double k = random.sign() * as_written(random.between(0.5, 6.0) / info.typical);
    set(term.table, "exponent", Scalar{k, number - info.dimension});
  }
}

bool make_term(Draft& draft, Term& term) {
  static const std::vector<std::pair<std::string, double>> of_rigid_bodies = {
      {"kinetic-energy", 1.0}, {"total-energy", 1.0},   {"position", 1.0},        {"velocity", 1.0},
      {"acceleration", 1.0},   {"reaction-force", 1.0}, {"reaction-moment", 1.0}, {"drive-torque", 1.0},
      {"mass", 0.4},           {"centre-of-mass", 0.8}, {"joint-angle", 1.0},     {"joint-rate", 1.0}};
  static const std::vector<std::pair<std::string, double>> of_all_bodies = {
      {"integral-compliance", 0.5}, {"compliance", 1.0},      {"kinetic-energy", 1.0}, {"total-energy", 1.0},
      {"displacement", 1.5},        {"position", 1.0},        {"velocity", 1.0},       {"acceleration", 1.0},
      {"reaction-force", 1.0},      {"reaction-moment", 1.0}, {"drive-torque", 1.0},   {"mass", 0.4},
      {"centre-of-mass", 0.8},      {"von-mises", 1.5}};
  const auto& types = draft.rigid_only ? of_rigid_bodies : of_all_bodies;
  double sum = 0.0;
  for (const auto& [type, weight] : types) sum += weight;
  double rest = draft.random.uniform() * sum;
  std::size_t i = 0;
  while (i + 1 < types.size() && (rest -= types[i].second) >= 0.0) ++i;
  const std::string& type = types[i].first;
  term = {{{"type", type}}, {}};
  std::string component;
  if (!place(draft, type, term.table, component)) return false;
  draft.mark("criterion=" + type);
  const VectorSizes sizes = sizes_of(type);
  term.info.dimension = sizes.dimension, term.info.typical = sizes.typical;
  term.info.uses_origin = type == "total-energy" && find(draft.root(), "gravity");
  term.info.of_reactions = type == "reaction-force" || type == "reaction-moment" || type == "drive-torque";
  if (!is_scalar(type)) make_vector(draft, type, component, term);
  make_functional(draft, type, term);
  return true;
}

/// One term, or several of about the same weight in the unit of the first.
List make_terms(Draft& draft, int n, FunctionInfo& info) {
  List list;
  while (static_cast<int>(list.size()) < n) {
    Term term;
    if (!make_term(draft, term)) continue;
    if (list.empty()) {
      info.dimension = term.info.dimension, info.typical = term.info.typical;
    } else {
      const double weight =
          as_written(draft.random.sign() * draft.random.of_size(0.3, 3.0) * info.typical / term.info.typical);
      set(term.table, "weight", Scalar{weight, info.dimension - term.info.dimension});
    }
    info.uses_axes = info.uses_axes || term.info.uses_axes;
    info.uses_origin = info.uses_origin || term.info.uses_origin;
    info.of_reactions = info.of_reactions || term.info.of_reactions;
    list.emplace_back(std::move(term.table));
  }
  if (n > 1) draft.mark("terms=several");
  return list;
}

/// Whether a lower bound below zero says something.
bool may_be_negative(const Table& criterion) {
  const Value* time = find(criterion, "time");
  const auto* word = time ? std::get_if<std::string>(&time->data) : nullptr;
  return !find(criterion, "form") && !(word && *word == "p-norm");
}

void add_constraints(Draft& draft) {
  Random& random = draft.random;
  const bool has_mesh = draft.has("designs=mesh");
  if (has_mesh && random.chance(0.4)) set(draft.section("constraints"), "volume_fraction", Scalar{0.6});
  if (has_mesh && random.chance(0.3)) set(draft.section("constraints"), "mass", Scalar{5.0, mass});
  const int n = random.pick<int>({0, 1, 2, 3});
  for (int i = 0; i < n; ++i) {
    FunctionInfo info{fmt::format("c{}", i), {}};
    const bool as_terms = random.chance(0.3);
    List terms = make_terms(draft, as_terms ? random.integer(1, 2) : 1, info);
    Table criterion;
    if (as_terms) {
      set(criterion, "terms", std::move(terms));
    } else {
      criterion = std::get<Table>(terms.front().data);
    }
    const double bound = as_written(info.typical * random.between(0.5, 2.0));
    const bool is_upper = random.chance(0.6);
    set(criterion, is_upper ? "upper" : "lower", Scalar{bound, info.dimension});
    const bool has_both = is_upper && random.chance(0.2);
    if (has_both && may_be_negative(criterion)) set(criterion, "lower", Scalar{-bound, info.dimension});
    set(sub_table(draft.section("constraints"), "criteria"), info.name, std::move(criterion));
    draft.problem.functions.push_back(info);
  }
}

/// Whether joints and drives leave the rigid mechanism no freedom.
bool is_determined(const Draft& draft) {
  std::size_t held = 0;
  for (const DraftJoint& joint : draft.joints) {
    for (std::size_t d = 0; d < 6; ++d) held += joint.locked[d] || joint.driven[d];
  }
  return held == 6 * draft.bodies.size();
}

}  // namespace

void add_criteria(Draft& draft) {
  if (is_determined(draft)) draft.mark("mechanism=determined");
  FunctionInfo info{"objective", {}};
  const int n = draft.random.pick<int>({1, 1, 2, 3});
  set(draft.root(), "objective", make_terms(draft, n, info));
  draft.problem.functions.push_back(info);
  add_constraints(draft);
}

}  // namespace kurbel::random_problems
