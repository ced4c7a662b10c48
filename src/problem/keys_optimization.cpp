/// [variables.*], [stages.*], [cases.*], and the options: [integrator], [sensitivity], [design], [filter],
/// [projection], [optimizer], [output].
#include <fmt/format.h>

#include <algorithm>

#include "floating_frame/system_quantity.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

const KeyTable<OptimizerOptions>& stop() {
  using Spec = OptimizerOptions;
  static const KeyTable<Spec> rows{
      "stop",
      "when an optimization ends",
      {
          integer("iterations", &Spec::max_iterations, at_least(0), "",
                  "after this number of iterations; 0 evaluates the start"),
          number("design_change", &Spec::design_change, not_negative, "",
                 otherwise(fmt::format("{:g} where densities are designed, else {:g}",
                                       OptimizerOptions().design_change, change_of_numbers)),
                 "when no variable changes by more than this, with the curvature of the last steps only "
                 "while the KKT residual is within 0.01; 0: never"),
          integer("design_change_iterations", &Spec::design_change_iterations, at_least(1), "",
                  "consecutive iterations for which `design_change` has to hold"),
          number("progress", &Spec::progress, not_negative, "",
                 otherwise(fmt::format("{:g} where densities are designed, else 0", progress_of_densities)),
                 "when ten iterations improve the best feasible objective by a smaller share, or thirty "
                 "while the KKT residual is above 0.01; 0: never"),
          number("kkt_residual", &Spec::kkt_residual, not_negative, "",
                 "when the scaled KKT residual is at most this; 0: never"),
          number("wall_time", &Spec::wall_time, not_negative, "s", "after this time; 0: never"),
      }};
  return rows;
}

/// The words for components of all numbers that have several.
std::vector<std::string> component_words() {
  std::vector<std::string> words(axis_words.begin(), axis_words.end());
  words.insert(words.end(), inertia_components.begin(), inertia_components.end());
  for (const PartNumber& number : part_numbers()) {
    for (const char* word : number.components) {
      if (std::ranges::find(words, word) == words.end()) words.emplace_back(word);
    }
  }
  return words;
}

const KeyGroup& joint_end() {
  static const KeyGroup group{
      "joint_end",
      "the end of a joint's motion",
      {{"end", number(), "unit", required, "angle (rad) or displacement (m) of the joint at the end"}}};
  return group;
}

const KeyGroup& initial_guess() {
  static const KeyGroup group{
      "initial_guess",
      "a first motion",
      {
          Key{"type", word({"point-to-point"}), "", required,
              "joints move from rest at their start to rest at the ends stated here, by a polynomial of "
              "degree five. Controls start with the forces that the rigid mechanism needs for this, within "
              "their bounds. A variable end time starts so late that these bounds suffice"},
          Key{"joints", names(joint_end), "", required,
              "ends of the joints, by name; as many as the rigid mechanism has degrees of freedom"},
      }};
  return group;
}

}  // namespace

const KeyGroup& variable() {
  static const KeyGroup group{
      "variable",
      "a variable",
      {
          Key{"quantity", text() | list_of(text(), 1), "", required,
              "key whose number varies, from its value in this file on, such as \"springs.s.stiffness\". In "
              "a list, all keys follow the first one, or with a minus its negative: "
              "\"-bodies.b.markers.m.position\". \"points.P.position\" moves all that refers to the point; "
              "\"joints.j.drive.values\" makes a variable of each value of the table"},
          Key{"component", word(component_words()), "", required_if("it is a vector or an inertia"),
              "component of the vector or inertia"},
          Key{"times", list_of(number(), 1), "s", otherwise("all"),
              "times of a drive's table at which the values vary"},
          {"lower", number(), "unit", required, "lower bound"},
          {"upper", number(), "unit", required, "upper bound"},
          {"each_element", boolean(), "", defaults(false),
           "true: one number for each element instead of one for all, in flexible bodies and planar beams"},
          Key{"elements", table(body_place), "", otherwise("all"), "elements in which it varies"},
          Key{"radius", number(positive), "m", otherwise("three edges of an element"),
              "with mesh.surface: radius of the neighbourhood over which offsets of the surface are "
              "averaged"},
          Key{"fixed", one_or_more(body_place), "", otherwise("none"),
              "with mesh.surface: places whose nodes stay, besides those of clamps, supports, markers and "
              "regions"},
          Key{"inward", one_or_more(body_place), "", otherwise("none"),
              "with mesh.surface: places whose nodes move inward only, such as where the space for the part "
              "ends"},
          Key{"distortion", number(at_least(0.2)), "", otherwise("none"),
              "with mesh.surface: bound on how much elements shrink; with D, each keeps 1 / (1 + D) of its "
              "size"},
      }};
  return group;
}

const KeyTable<Stage>& stage() {
  static const KeyTable<Stage> rows{
      "stage",
      "a stage",
      {
          word("vary", &Stage::vary,
               {{"controls", Vary::controls}, {"parameters", Vary::parameters}, {"all", Vary::all}},
               "what varies: nodes of controls, all other variables (parameters), or everything"),
          Key{"objective", one_or_more(term), "", required, "what is minimized, as [objective]"},
          Key{"constraints", list_of(text()), "", required,
              "names of the [constraints.criteria.*] that apply"},
          Key{"iterations", integer(at_least(0)), "", otherwise("as in [optimizer.stop]"),
              "largest number of iterations"},
      }};
  return rows;
}

const KeyGroup& own_case() {
  static const KeyGroup group{
      "case",
      "a case",
      {Key{"weight", number(positive), "", defaults(1.0), "factor of its objective"}.by_case()},
      &root_keys};
  return group;
}

const KeyTable<OverCases>& over_cases() {
  using Spec = OverCases;
  using Functional = OverCases::Functional;
  static const KeyTable<Spec> rows{
      "over_cases",
      "the objective of several cases",
      {
          word("objective", &Spec::functional,
               {{"sum", Functional::sum},
                {"p-norm", Functional::p_norm},
                {"ks", Functional::kreisselmeier_steinhauser}},
               "weighted sum of the objectives of the cases, or a smooth maximum of them"),
          number("exponent", &Spec::exponent, at_least(1.0), "", "exponent of the p-norm")
              .when("objective", {"p-norm"}),
          number("exponent", &Spec::exponent, positive, "1/unit", required,
                 "exponent of the Kreisselmeier-Steinhauser function")
              .when("objective", {"ks"}),
      }};
  return rows;
}

const TomlTable::Words<IntegratorMethod> integrator_methods = [] {
  TomlTable::Words<IntegratorMethod> words;
  for (const IntegratorTraits& traits : integrator_table) words.emplace_back(traits.word, traits.method);
  return words;
}();

const TomlTable::Words<ReferencePoint> recursions = {{"RTdyn1", ReferencePoint::common},
                                                     {"RTdyn0", ReferencePoint::centre_of_mass}};

const KeyTable<IntegratorOptions>& integrator() {
  using Spec = IntegratorOptions;
  static const KeyTable<Spec> rows{
      "integrator",
      "the integration",
      {
          word("method", &Spec::method, integrator_methods,
               otherwise("generalized-alpha; runge-kutta-4 in the Hamiltonian formulations, "
                         "variational-midpoint in natural coordinates"),
               "generalized-alpha: index-3 equations, with numerical damping; trapezoidal: the trapezoidal "
               "rule on independent coordinates (Matrix R), which meets the constraints of position, "
               "velocity and acceleration; runge-kutta-4 and dormand-prince: explicit methods of order 4 "
               "and, with adaptive steps, 5 on Hamilton's equations of rigid bodies, which meet the "
               "constraints of velocity; variational-midpoint: for natural coordinates, keeps momenta to "
               "rounding and energy on average. Mechanisms of points and planar beams, which have no "
               "constraints, also take runge-kutta-4, explicit-euler, implicit-euler and the plain "
               "trapezoidal rule"),
          key("independent", &Spec::independent, list_of(text()), "",
              otherwise("chosen automatically, and again during the motion if others are better"),
              "independent coordinates, at most as many as the mechanism has degrees of freedom: "
              "\"joint.rz\" of a joint of the tree with formulation = \"semi-recursive\", otherwise "
              "\"body.rz\"; or, except in natural coordinates, a coordinate of a marker, \"body.marker.x\"")
              .when("method", {"trapezoidal"}),
          Key{"recursion", word(TomlTable::names_of(recursions)), "", defaults("RTdyn1"),
              "for joint coordinates: reference point of the recursion, one for all bodies or their centres "
              "of mass; the results are the same"},
          number("t0", &Spec::t0, any, "s", "start time"),
          number("t1", &Spec::t1, any, "s", required, "end time"),
          number("step", &Spec::step, positive, "s", required,
                 "time step; t1 - t0 is a whole number of steps"),
          number("rho_inf", &Spec::rho_inf, closed(0.0, 1.0), "",
                 "for method = \"generalized-alpha\": spectral radius at infinite frequency; 1 damps "
                 "nothing, 0 the most"),
          number("tolerance", &Spec::tolerance, open(0.0, 1.0), "",
                 "largest error of a step, for coordinates in m and rad, for momenta relative to the largest")
              .when("method", {"dormand-prince"}),
          boolean("dense_output", &Spec::dense_output,
                  "true: steps do not end at the instants of the output; the motion there is interpolated to "
                  "order 4. Gradients then need the continuous adjoint or finite differences")
              .when("method", {"dormand-prince"}),
          number("alpha", &Spec::alpha, closed(0.0, 1.0), "",
                 "for method = \"variational-midpoint\": point of a step at which forces are evaluated; "
                 "order 2 only at 0.5"),
          number("newton_tolerance", &Spec::newton_tolerance, open(0.0, 1.0), "",
                 "for implicit methods: relative size of the last correction of a step"),
          integer("max_newton_iterations", &Spec::max_newton_iterations, at_least(1), "",
                  "for implicit methods: largest number of iterations in a step, from each first guess"),
      }};
  return rows;
}

const KeyTable<SensitivityOptions>& sensitivity() {
  using Spec = SensitivityOptions;
  using Method = Spec::Method;
  using Path = Spec::Path;
  static const KeyTable<Spec> rows{
      "sensitivity",
      "how gradients are computed",
      {
          word("method", &Spec::method,
               {{"discrete-adjoint", Method::discrete_adjoint},
                {"direct", Method::direct},
                {"continuous-adjoint", Method::continuous_adjoint},
                {"auto", Method::automatic},
                {"finite-differences", Method::finite_differences}},
               "discrete-adjoint and direct are exact; direct takes one variable after the other, auto the "
               "cheaper of the two. continuous-adjoint has errors of O(step^2)"),
          integer("substeps", &Spec::substeps, closed(1, 1000), "",
                  "for the continuous adjoint: backward steps per step of the integrator"),
          word("path", &Spec::path, {{"pull-back", Path::pull_back}, {"augmented-sid", Path::augmented_sid}},
               "gradient by the densities: backwards through the reduction, or by the derivatives of every "
               "coefficient"),
      }};
  return rows;
}

const KeyGroup& design() {
  static const KeyGroup group{
      "design",
      "the start of the design",
      {
          Key{"bodies", list_of(text()), "", otherwise("all flexible ones; with variables or controls none"),
              "bodies whose densities vary"},
          Key{"start", number(closed(0.0, 1.0)) | text(), "",
              otherwise(
                  "the largest uniform density, of cast bodies the fullest ramp along the mould, within "
                  "constraints.volume_fraction, constraints.mass and manufacturing.maximum_member; without "
                  "these 1"),
              "densities of the start: a number for all elements, or a .vtu or text file with one for each. "
              "From a file, `optimize` takes the variables (array `design`), or without them the densities "
              "as variables; all other commands evaluate the densities (array `density`) as they are"},
          {"start_variables", text(), "", otherwise("the values in this file"),
           "variables.csv of an earlier run, with the start of variables and controls"},
          Key{"initial_guess", table(initial_guess), "", optional,
              "first motion, from which controls and the end time start"},
      }};
  return group;
}

const KeyTable<FilterOptions>& filter() {
  using Spec = FilterOptions;
  using Type = Spec::Type;
  static const KeyTable<Spec> rows{
      "filter",
      "the filter",
      {
          word("type", &Spec::type,
               {{"none", Type::none}, {"density", Type::density}, {"sensitivity", Type::sensitivity}},
               required, "what is smoothed"),
          number("radius", &Spec::radius, positive, "m", required_if("type is not \"none\""),
                 "radius of the filter"),
          word("kernel", &Spec::kernel,
               {{"cone", Spec::Kernel::cone}, {"helmholtz", Spec::Kernel::helmholtz}},
               "weights that fall linearly with the distance (cone), or the solution of a differential "
               "equation with the same width, whose cost does not grow with the radius (helmholtz)")
              .when("type", {"density"}),
      }};
  return rows;
}

const KeyTable<FrequencyResponseOptions>& frequency_response() {
  using Spec = FrequencyResponseOptions;
  using Spacing = Spec::Spacing;
  static const KeyTable<Spec> rows{
      "frequency_response",
      "the frequencies of a response",
      {
          number("from", &Spec::from, positive, "Hz", required, "lowest frequency"),
          number("to", &Spec::to, positive, "Hz", required, "highest frequency"),
          integer("points", &Spec::points, closed(2.0, 10000.0), "", "number of frequencies, with both ends"),
          word("spacing", &Spec::spacing,
               {{"linear", Spacing::linear}, {"logarithmic", Spacing::logarithmic}},
               "equal differences, or equal ratios, between frequencies"),
          integer("growth", &Spec::growth, closed(-2.0, 2.0), "",
                  "n: the amplitudes of loads and drives are multiplied by (2 pi f)^n. 2: an imbalance, in "
                  "kg m in place of N; -2: a base whose acceleration is given, in m/s^2 in place of m"),
      }};
  return rows;
}

const KeyTable<ProjectionOptions>& projection() {
  using Spec = ProjectionOptions;
  using Type = Spec::Type;
  static const KeyTable<Spec> rows{
      "projection",
      "the projection",
      {
          word("type", &Spec::type, {{"none", Type::none}, {"heaviside", Type::heaviside}},
               otherwise("heaviside with a density filter, else none"),
               "heaviside: a smooth step at `eta` sharpens boundaries"),
          number("eta", &Spec::eta, open(0.0, 1.0), "", "density at the step"),
          number("beta_start", &Spec::beta_start, positive, "", "steepness of the step at first"),
          number("beta_max", &Spec::beta_max, positive, "", "largest steepness"),
          integer("beta_interval", &Spec::beta_interval, at_least(1), "",
                  "iterations after which the steepness doubles; it doubles earlier when five iterations "
                  "improve the objective by less than half a per cent"),
          number(
              "robust", &Spec::robust, {.lower = 0.0, .upper = 0.5, .upper_open = true}, "",
              "least sizes of members and gaps. Psi is that of the worst of three designs, at `eta` and this "
              "much above and below it. `upper` and `lower` bounds of criteria hold for each of the "
              "three. An evaluation takes three times as long. 0: one design"),
      }};
  return rows;
}

const TomlTable::Words<Strategy> strategies = {{"exact-gradient", Strategy::exact},
                                               {"equivalent-static-loads", Strategy::static_loads},
                                               {"first-static-loads", Strategy::first_loads}};

const KeyTable<OptimizerOptions>& optimizer() {
  using Spec = OptimizerOptions;
  static const KeyTable<Spec> rows{
      "optimizer",
      "the optimizer",
      {
          word("method", &Spec::method, optimizer_methods,
               "mma: Svanberg's method of moving asymptotes, conservative where a step makes the design "
               "worse; without densities, up to 30 variables use the curvature of the last steps after ten "
               "iterations; gcmma: conservative at every step; mma-bfgs: mma with the curvature of the "
               "last steps, for variables beside densities to which the result is very sensitive; ipopt, "
               "auglag: other methods for any constraints; ccsa, nlopt-mma: those of NLopt, for "
               "inequalities; oc: optimality criteria, for densities under one bound; bfgs, lbfgs (with the "
               "last 20 steps): without constraints"),
          Key{"strategy", word(TomlTable::names_of(strategies)), "", defaults("exact-gradient"),
              "exact-gradient: optimizes the motion itself; equivalent-static-loads: compliance under static "
              "loads that give the displacements of the motion, computed anew for each resulting design; "
              "first-static-loads: the same with the loads of the first design only. The latter two serve "
              "for comparison and minimize compliance over time by densities"},
          number("move_limit", &Spec::move_limit, positive, "",
                 "for oc: largest change of a density in an iteration"),
          number("oc_damping", &Spec::oc_damping, above(0.0, 1.0), "", "for oc: exponent of the update"),
          boolean("oc_curvature", &Spec::oc_curvature,
                  "for oc: true approximates the objective with the curvature of the last step; false is the "
                  "update of textbooks, x times a power of its sensitivity"),
          number("feasibility", &Spec::feasibility, positive, "",
                 "largest scaled violation of a constraint that counts as feasible"),
          table<stop>("stop", optional, "when it ends"),
      }};
  return rows;
}

const KeyTable<OutputOptions>& output() {
  using Spec = OutputOptions;
  static const KeyTable<Spec> rows{
      "output",
      "what is written",
      {
          integer("every", &Spec::every, at_least(0), "iterations",
                  "iterations from one stored density field to the next; 0: only the last one"),
          boolean("motion", &Spec::motion, "the moving mechanism, motion.pvd"),
          integer("motion_frames", &Spec::motion_frames, at_least(2), "", "number of instants in motion.pvd"),
          number("deformation_scale", &Spec::deformation_scale, not_negative, "",
                 "scale of drawn deformations, about the nearest position without deformation; 1 beside "
                 "[beams.*]"),
          number("solid_above", &Spec::solid_above, closed(0.0, 1.0), "",
                 "elements of less density are hidden in motion.pvd"),
          boolean("picture", &Spec::picture, "pictures (.png)"),
          boolean("trajectory", &Spec::trajectory, "the trajectory in run.h5"),
          Key{"adjoint", list_of(text()), "", optional,
              "constraints whose adjoint variables are written, for points and planar beams"},
      }};
  return rows;
}

}  // namespace kurbel::keys
