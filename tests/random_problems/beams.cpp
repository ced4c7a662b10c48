/// Random mechanisms with beams: cables and spatial beams between points, with a body at the end.
#include <fmt/format.h>

#include <Eigen/Geometry>

#include "draft.hpp"

namespace kurbel::random_problems {

namespace {

using Nature = Vector::Nature;

struct BeamDraft {
  std::string name;
  double length = 0.0;
  Vector3d start = Vector3d::Zero(), end = Vector3d::Zero();

  /// Rotation vector of its nodes, x along the beam and y about `side`.
  Vector3d attitude() const {
    Matrix3d A;
    A.col(0) = (end - start).normalized();
    A.col(1) = (side - side.dot(A.col(0)) * A.col(0)).normalized();
    A.col(2) = A.col(0).cross(A.col(1));
    const Eigen::AngleAxisd turned(A);
    return turned.angle() * turned.axis();
  }
  static inline const Vector3d side{0.0, 1.0, 0.3};
};

Table section_of(Draft& draft, std::string& varied) {
  Random& random = draft.random;
  const double size = random.between(0.02, 0.05);
  const std::string shape =
      draft.choose("section", {{"square", 1.0}, {"circle", 1.0}, {"rectangle", 1.0}, {"tube", 1.0}});
  Table section = {{"shape", shape}};
  const auto add = [&](const char* key, double value) { set(section, key, Scalar{value, length}); };
  if (shape == "square") add("side", size), varied = "side";
  if (shape == "circle") add("diameter", size), varied = "diameter";
  if (shape == "rectangle") add("width", size), add("height", as_written(0.7 * size)), varied = "height";
  if (shape == "tube")
    add("outer_diameter", size), add("inner_diameter", as_written(0.6 * size)), varied = "outer_diameter";
  return section;
}

void vary(Draft& draft, const std::string& quantity, const std::string& component, double start,
          double half_range, Dimension dimension) {
  Table& variables = draft.section("variables");
  Table variable = {{"quantity", quantity}};
  if (!component.empty()) set(variable, "component", component);
  set(variable, "lower", Scalar{start - half_range, dimension});
  set(variable, "upper", Scalar{start + half_range, dimension});
  set(variables, fmt::format("v{}", variables.size()), std::move(variable));
}

BeamDraft add_beam(Draft& draft, const std::string& name, bool is_spatial, const Vector3d& start,
                   const std::string& point) {
  Random& random = draft.random;
  BeamDraft beam{name, random.between(0.3, 0.8), start, {}};
  beam.end =
      start + beam.length * Vector3d(1.0, random.between(-0.5, 0.5), random.between(-0.4, 0.4)).normalized();
  for (double& component : beam.end) component = as_written(component);
  const double E = random.of_size(1e6, 1e9), rho = random.between(900.0, 4000.0);
  std::string varied;
  Table table = {{"type", std::string(is_spatial ? "spatial" : "cable")}};
  if (point.empty()) {
    set(table, "start", Vector{start, Nature::point, length});
  } else {
    set(table, "start", point);
  }
  set(table, "end", Vector{beam.end, Nature::point, length});
  set(table, "elements", random.integer(1, 3));
  set(table, "section", section_of(draft, varied));
  set(table, "youngs_modulus", Scalar{E, stress});
  set(table, "density", Scalar{rho, mass_density});
  if (random.chance(0.5)) set(table, "damping", Scalar{random.of_size(1e-4, 1e-2)});
  if (is_spatial) set(table, "side", Vector{BeamDraft::side, Nature::direction});
  const double size = std::get<Scalar>(find(sub_table(table, "section"), varied)->data).value;
  set(draft.section("beams"), name, std::move(table));
  const std::string path = "beams." + name + ".";
  if (random.chance(0.6)) vary(draft, path + "section." + varied, "", size, 0.2 * size, length);
  if (random.chance(0.6)) vary(draft, path + "density", "", rho, 0.3 * rho, mass_density);
  if (random.chance(0.6)) vary(draft, path + "youngs_modulus", "", E, 0.3 * E, stress);
  draft.mark(is_spatial ? "beam=spatial" : "beam=cable");
  return beam;
}

void add_joint_of_beams(Draft& draft, const std::string& name, const std::string& type,
                        const std::string& from, const std::string& to) {
  set(draft.section("joints"), name, Table{{"type", type}, {"from", from}, {"to", to}});
  draft.mark("joint=" + type);
}

/// A weight at the end of a beam.
void add_weight(Draft& draft, const BeamDraft& beam) {
  Random& random = draft.random;
  const double m = random.between(0.1, 1.0);
  set(draft.section("bodies"), "weight",
      Table{{"type", std::string("rigid")},
            {"mass", Scalar{m, mass}},
            {"inertia", scalars({as_written(2e-3 * m), as_written(3e-3 * m), as_written(4e-3 * m)}, inertia)},
            {"initial", Table{{"position", Vector{beam.end, Nature::point, length}},
                              {"rotation", Vector{beam.attitude(), Nature::attitude}}}}});
  add_joint_of_beams(draft, "grip", draft.random.chance(0.5) ? "fixed" : "spherical", beam.name + ".end",
                     "weight");
  vary(draft, "bodies.weight.mass", "", m, 0.4 * m, mass);
}

void add_anchored_spring(Draft& draft, const BeamDraft& beam) {
  Random& random = draft.random;
  const Vector3d at =
      beam.end + Vector3d(random.between(0.1, 0.3), random.between(0.1, 0.3), random.between(0.1, 0.3));
  const std::string anchor = add_ground_marker(draft, "anchor", at, 0.0);
  const double k = random.of_size(5.0, 500.0);
  set(draft.section("springs"), "spring",
      Table{{"from", anchor},
            {"to", beam.name + ".end"},
            {"stiffness", Scalar{k, stiffness}},
            {"damping", Scalar{random.of_size(0.01, 1.0), stiffness}},
            {"free_length", Scalar{random.between(0.05, 0.3), length}}});
  vary(draft, "springs.spring.stiffness", "", k, 0.4 * k, stiffness);
  draft.mark("force=spring");
}

void add_thrust(Draft& draft, const BeamDraft& beam) {
  Random& random = draft.random;
  set(draft.section("controls"), "thrust",
      Table{
          {"type", std::string("force")},
          {"marker", beam.name + ".end"},
          {"direction",
           Vector{Vector3d(0.0, random.between(0.2, 1.0), random.between(0.2, 1.0)), Nature::direction}},
          {"nodes", 3},
          {"start",
           scalars({random.between(-2.0, 2.0), random.between(-2.0, 2.0), random.between(-2.0, 2.0)}, force)},
          {"lower", Scalar{-4.0, force}},
          {"upper", Scalar{4.0, force}}});
  draft.mark("control=thrust");
}

Table term_of(Draft& draft, const BeamDraft& beam, FunctionInfo& info) {
  Random& random = draft.random;
  const std::string type = draft.choose("criterion", {{"position", 2.0},
                                                      {"velocity", 2.0},

                                                      {"kinetic-energy", 1.0},
                                                      {"stress", 1.5}});
  Table term = {{"type", type}};
  info.typical = 0.5;
  if (type == "position" || type == "velocity") {
    set(term, "marker", beam.name + ".end");
    set(term, "component", std::string(axes[random.integer(0, 2)]));
    info.dimension = length, info.uses_axes = true, info.uses_origin = type == "position";
  } else if (type == "stress") {
    set(term, "beam", beam.name);
    info.dimension = stress, info.typical = 1e4;
  } else {
    info.dimension = moment;
  }
  const std::string time =
      draft.choose("time", {{"integral", 1.0}, {"mean", 1.0}, {"final", 1.0}, {"p-norm", 1.0}});
  set(term, "time", time);
  if (time == "p-norm") set(term, "exponent", Scalar{random.pick<double>({2.0, 4.0, 8.0})});
  if (time == "integral") info.typical *= draft.duration;
  return term;
}

void add_functions(Draft& draft, const BeamDraft& beam) {
  FunctionInfo objective{"objective", {}};
  set(draft.root(), "objective", term_of(draft, beam, objective));
  draft.problem.functions.push_back(objective);
  if (!draft.random.chance(0.6)) return;
  FunctionInfo info{"c0", {}};
  Table criterion = term_of(draft, beam, info);
  set(criterion, "upper", Scalar{2.0 * info.typical, info.dimension});
  set(sub_table(draft.section("constraints"), "criteria"), "c0", std::move(criterion));
  draft.problem.functions.push_back(info);
}

void add_steps(Draft& draft, bool is_spatial) {
  std::vector<Formulation> fits;
  for (const Formulation& formulation : formulations_of_beams()) {
    if (is_spatial || formulation.name == "natural-coordinates") fits.push_back(formulation);
  }
  const Formulation& chosen = draft.random.pick(fits);
  set(draft.root(), "formulation", chosen.name);
  draft.problem.step = draft.duration / draft.random.pick<int>({10, 16, 20});
  set(draft.section("integrator"), "method", chosen.method);
  set(draft.section("integrator"), "t1", Scalar{draft.duration});
  set(draft.section("integrator"), "step", Scalar{draft.problem.step});
  draft.mark("formulation=" + chosen.name);
  draft.mark("integrator=" + chosen.method);
}

}  // namespace

RandomProblem random_beam_problem(std::uint64_t seed) {
  Draft draft(seed, true);
  Random& random = draft.random;
  draft.duration = random.pick<double>({0.02, 0.04, 0.08});
  const bool is_spatial = random.chance(0.5);
  set(draft.root(), "gravity", Vector{Vector3d(1.0, -9.0, 3.0), Nature::direction, length});
  const Vector3d place(random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(-0.3, 0.3));
  const bool has_point = random.chance(0.5);
  if (has_point) {
    set(draft.section("points"), "P", Table{{"position", Vector{place, Nature::point, length}}});
    const std::size_t axis = static_cast<std::size_t>(random.integer(0, 2));
    vary(draft, "points.P.position", axes[axis], place[static_cast<Eigen::Index>(axis)], 0.05, length);
    draft.mark("variable=point");
  }
  BeamDraft beam = add_beam(draft, "a", is_spatial, place, has_point ? "P" : "");
  // A point that moves turns the beam.
  const bool is_clamped = !(has_point && is_spatial) && random.chance(0.5);
  Table root = {{"rotation", Vector{beam.attitude(), Nature::attitude}}};
  if (has_point) {
    set(root, "point", std::string("P"));
  } else {
    set(root, "position", Vector{place, Nature::point, length});
  }
  set(sub_table(draft.section("ground"), "markers"), "root", std::move(root));
  add_joint_of_beams(draft, "root", is_clamped ? "fixed" : "spherical", "ground.root", "a.start");
  if (random.chance(0.4)) {
    const BeamDraft next = add_beam(draft, "b", is_spatial, beam.end, "");
    add_joint_of_beams(draft, "knee", !is_spatial && random.chance(0.5) ? "fixed" : "spherical", "a.end",
                       "b.start");
    beam = next;
  }
  if (random.chance(0.5)) add_weight(draft, beam);
  if (random.chance(0.5)) add_anchored_spring(draft, beam);
  if (random.chance(0.4) || !find(draft.root(), "variables")) add_thrust(draft, beam);
  add_functions(draft, beam);
  add_steps(draft, is_spatial);
  draft.mark("beams");
  return std::move(draft.problem);
}

const std::vector<Formulation>& formulations_of_beams() {
  static const std::vector<Formulation> all = {{"natural-coordinates", "generalized-alpha"},
                                               {"natural-coordinates", "trapezoidal"},
                                               {"natural-coordinates", "variational-midpoint"},
                                               {"floating-frame", "generalized-alpha"},
                                               {"floating-frame", "trapezoidal"}};
  return all;
}

}  // namespace kurbel::random_problems
