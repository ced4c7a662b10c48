/// Parts that are added to a random mechanism of rigid bodies: rods, planar joints, damped hinges, loads that oscillate,
/// outputs at instants and cases.
#include <fmt/format.h>

#include <algorithm>

#include "draft.hpp"

namespace kurbel::random_problems {

namespace {

using Nature = Vector::Nature;

void damp_hinges(Draft& draft, Random& random) {
  for (const DraftJoint& joint : draft.joints) {
    const bool is_hinge = joint.locked == std::array{true, true, true, true, true, false};
    const bool has_spring =
        find(draft.root(), "torsion_springs") && find(draft.section("torsion_springs"), "t_" + joint.name);
    Table& table = sub_table(draft.section("joints"), joint.name);
    if (!is_hinge || joint.driven[5] || has_spring || !find(table, "type") || !random.chance(0.5)) continue;
    set(table, "damping", Scalar{random.of_size(0.005, 0.1), moment});
    draft.mark("joint=damped");
  }
}

/// From the end of a body to a place from which it does not come near a dead centre.
void add_rod(Draft& draft, Random& random) {
  if (!draft.has("mechanism=chain") && !draft.has("mechanism=tree")) return;
  const DraftBody& body = draft.bodies.back();
  const Vector3d from =
      body.end() + Vector3d(random.between(0.3, 0.6), random.between(-0.3, 0.3), random.between(0.2, 0.5));
  const std::string anchor = add_ground_marker(draft, "rod_anchor", from, 0.0);
  set(draft.section("joints"), "rod",
      Table{{"type", std::string("distance")}, {"from", anchor}, {"to", body.pin}});
  draft.mark("joint=distance");
}

/// A plate that slides in a plane, held by a spring to a bar.
void add_plate(Draft& draft, Random& random) {
  const Vector3d at(random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(0.3, 0.6));
  const double m = random.between(0.2, 2.0);
  Table plate = {
      {"type", std::string("rigid")},
      {"mass", Scalar{m, mass}},
      {"inertia", scalars({as_written(0.003 * m), as_written(0.004 * m), as_written(0.006 * m)}, inertia)},
      {"initial", Table{{"position", Vector{at, Nature::point, length}}}}};
  // The frame of the bars, so that the plane turns with the mechanism.
  set(sub_table(plate, "initial"), "rotation", Vector{Vector3d::Zero(), Nature::attitude});
  set(draft.section("bodies"), "plate", std::move(plate));
  const std::string plane = add_ground_marker(draft, "plane", at, 0.0);
  set(draft.section("joints"), "slide",
      Table{{"type", std::string("planar")}, {"from", plane}, {"to", std::string("plate")}});
  set(draft.section("springs"), "plate_spring",
      Table{{"from", draft.bodies.front().pin},
            {"to", std::string("plate")},
            {"stiffness", Scalar{random.of_size(5.0, 200.0), stiffness}},
            {"damping", Scalar{random.of_size(0.05, 1.0), stiffness}}});
  draft.mark("joint=planar");
}

void add_oscillating_load(Draft& draft, Random& random) {
  List force_components;
  for (int i = 0; i < 3; ++i)
    force_components.emplace_back(Table{{"type", std::string("harmonic")},
                                        {"amplitude", Scalar{random.between(-3.0, 3.0), force}},
                                        {"frequency", Scalar{random.between(2.0, 15.0)}},
                                        {"phase", Scalar{random.between(0.0, 3.0)}}});
  set(draft.section("loads"), "oscillating",
      Table{{"marker", random.pick(draft.bodies).pin},
            {"frame", std::string("body")},
            {"force", std::move(force_components)}});
  draft.mark("amplitude=harmonic");
}

/// A constraint at instants, on an output.
void add_output(Draft& draft, Random& random) {
  const std::string type = random.chance(0.5) ? "position" : "velocity";
  set(draft.section("outputs"), "place", Table{{"type", type}, {"marker", random.pick(draft.bodies).pin}});
  set(sub_table(draft.section("constraints"), "criteria"), "at_instants",
      Table{{"type", std::string("output")},
            {"output", std::string("place")},
            {"component", std::string(axes[random.integer(0, 2)])},
            {"time", std::string("instants")},
            {"intervals", 2},
            {"upper", Scalar{random.between(0.5, 2.0), length}}});
  draft.mark("time=instants");
  draft.mark("criterion=output");
}

/// Whether a constraint bounds masses alone, which all cases share.
bool is_of_all_cases(Draft& draft, const std::string& constraint) {
  const Table& table = sub_table(sub_table(draft.section("constraints"), "criteria"), constraint);
  const auto is_mass = [](const Table& term) {
    const Value* type = find(term, "type");
    return type && std::get<std::string>(type->data) == "mass";
  };
  const Value* terms = find(table, "terms");
  if (!terms) return is_mass(table);
  return std::ranges::all_of(std::get<List>(terms->data),
                             [&](const Value& term) { return is_mass(std::get<Table>(term.data)); });
}

/// Two cases: gravity is another in the second. Each constraint on the motion is then one of each case.
void add_cases(Draft& draft, Random& random) {
  set(draft.section("cases"), "one", Table{{"weight", Scalar{1.0}}});
  Table& two = sub_table(draft.section("cases"), "two");
  set(two, "weight", Scalar{random.between(0.2, 2.0)});
  set(two, "gravity",
      Vector{Vector3d(random.between(-5.0, 5.0), 3.0, random.between(-5.0, 5.0)), Nature::direction, length});
  std::vector<FunctionInfo> functions;
  for (const FunctionInfo& info : draft.problem.functions) {
    if (info.name == "objective") {
      functions.push_back(info);
      functions.back().uses_origin = true;  // of potential energies, whose gravity is another
      continue;
    }
    if (is_of_all_cases(draft, info.name)) {
      functions.push_back(info);
      continue;
    }
    for (const char* name : {"one.", "two."}) {
      functions.push_back(info);
      functions.back().name = name + info.name;
      functions.back().uses_origin = true;
    }
  }
  draft.problem.functions = std::move(functions);
  draft.mark("cases=two");
}

}  // namespace

void add_additions(Draft& draft) {
  Random random(draft.seed ^ 0x9E3779B97F4A7C15ull);
  damp_hinges(draft, random);
  if (random.chance(0.3)) add_rod(draft, random);
  if (random.chance(0.3)) add_plate(draft, random);
  if (random.chance(0.4)) add_oscillating_load(draft, random);
  if (random.chance(0.5)) add_output(draft, random);
  if (random.chance(0.4)) add_cases(draft, random);
}

}  // namespace kurbel::random_problems
