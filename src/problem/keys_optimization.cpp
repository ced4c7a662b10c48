/// [variables.*], [stages.*], [cases.*], and the options: [integrator], [sensitivity], [design], [filter],
/// [projection], [optimizer], [output].
#include <fmt/format.h>

#include <algorithm>

#include "floating_frame/system_quantity.hpp"
#include "problem/defaults.hpp"
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
                  "after so many; 0 evaluates the start"),
          number("design_change", &Spec::design_change, not_negative, "",
                 "when no variable changes by more; 0 never"),
          integer("design_change_iterations", &Spec::design_change_iterations, at_least(1), "",
                  "in so many iterations one after the other"),
          number("progress", &Spec::progress, not_negative, "",
                 otherwise(fmt::format("{:g} where densities are designed, else 0", progress_of_densities)),
                 "when ten iterations improve the least feasible objective by a smaller share, or thirty "
                 "while the KKT residual is above 0.01; 0 never"),
          number("kkt_residual", &Spec::kkt_residual, not_negative, "",
                 "when the conditions of optimality hold to this, scaled; 0 never"),
          number("wall_time", &Spec::wall_time, not_negative, "s", "after this time; 0 never"),
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

}  // namespace

const KeyGroup& variable() {
  static const KeyGroup group{
      "variable",
      "a variable",
      {
          Key{"quantity", text() | list_of(text(), 1), "", required,
              "key of this file whose number varies from its value there, such as \"springs.s.stiffness\"; "
              "of a list, all follow the first, or its negative: \"-bodies.b.markers.m.position\"; "
              "\"points.P.position\" moves what names the point; \"joints.j.drive.values\" of a table is one "
              "variable for each of its values"},
          Key{"component", word(component_words()), "", required_if("it is a vector or an inertia"),
              "which of its numbers"},
          Key{"times", list_of(number(), 1), "s", otherwise("all"),
              "of a drive's table: at which of its times the values vary"},
          {"lower", number(), "unit", required, "its lower bound"},
          {"upper", number(), "unit", required, "its upper bound"},
          {"each_element", boolean(), "", defaults(false),
           "one number for each element instead of one for all; of flexible bodies and planar beams"},
          Key{"elements", table(body_place), "", otherwise("all"), "the elements in which it varies"},
          Key{"radius", number(positive), "m", otherwise("three edges of an element"),
              "of mesh.surface: offsets of the surface are means over a neighbourhood of this radius"},
          Key{"fixed", one_or_more(body_place), "", otherwise("none"),
              "of mesh.surface: places whose nodes stay, besides those of clamps, supports, markers and "
              "regions"},
          Key{"inward", one_or_more(body_place), "", otherwise("none"),
              "of mesh.surface: places whose nodes move inward only, as where the space for the part ends"},
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
               "nodes of controls, all else, or everything"),
          Key{"objective", one_or_more(term), "", required, "what is to become least, as [objective]"},
          Key{"constraints", list_of(text()), "", required, "names of [constraints.criteria.*] that hold"},
          Key{"iterations", integer(at_least(0)), "", otherwise("as in [optimizer.stop]"), "at most so many"},
      }};
  return rows;
}

const KeyGroup& own_case() {
  static const KeyGroup group{
      "case",
      "a case",
      {
          Key{"weight", number(positive), "", defaults(1.0), "factor of its objective"}.by_case(),
      },
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
               "the weighted sum of those of the cases, or a smooth maximum"),
          number("exponent", &Spec::exponent, at_least(1.0), "", required, "of the p-norm")
              .when("objective", {"p-norm"}),
          number("exponent", &Spec::exponent, positive, "1/unit", required,
                 "of the Kreisselmeier-Steinhauser function")
              .when("objective", {"ks"}),
      }};
  return rows;
}

const TomlTable::Words<IntegratorMethod>& integrator_methods() {
  using Method = IntegratorMethod;
  static const TomlTable::Words<Method> methods = {{"generalized-alpha", Method::generalized_alpha},
                                                   {"trapezoidal", Method::trapezoidal},
                                                   {"runge-kutta-4", Method::runge_kutta_4},
                                                   {"dormand-prince", Method::dormand_prince},
                                                   {"variational-midpoint", Method::variational_midpoint},
                                                   {"explicit-euler", Method::explicit_euler},
                                                   {"implicit-euler", Method::implicit_euler}};
  return methods;
}

const TomlTable::Words<ReferencePoint>& recursions() {
  static const TomlTable::Words<ReferencePoint> points = {{"RTdyn1", ReferencePoint::common},
                                                          {"RTdyn0", ReferencePoint::centre_of_mass}};
  return points;
}

const KeyTable<IntegratorOptions>& integrator() {
  using Spec = IntegratorOptions;
  static const KeyTable<Spec> rows{
      "integrator",
      "the integration",
      {
          word("method", &Spec::method, integrator_methods(),
               otherwise("generalized-alpha; runge-kutta-4 in the Hamiltonian formulations, "
                         "variational-midpoint in natural coordinates"),
               "generalized-alpha on the index-3 equations, with damping; the trapezoidal rule on "
               "independent coordinates (Matrix R), which meets the constraints of position, velocity and "
               "acceleration; or, of rigid bodies, explicit Runge-Kutta methods on Hamilton's equations, "
               "which meet those of velocity: of order 4, or Dormand and Prince's of order 5, which takes as "
               "many steps from one output to the next as its tolerance asks for; or, of natural "
               "coordinates, the variational step, which keeps momenta to rounding and energy on average. "
               "Mechanisms of points and planar beams, which have no constraints, also take runge-kutta-4 "
               "and the Euler methods, and the trapezoidal rule as it stands"),
          key("independent", &Spec::independent, list_of(text()), "",
              otherwise("chosen, and chosen anew where others serve better"),
              "of method = \"trapezoidal\": coordinates whose motion is integrated, as many as the mechanism "
              "is free to move or fewer: \"joint.rz\" of a joint of the tree with formulation = "
              "\"semi-recursive\", \"body.rz\" otherwise; or the place of a marker, \"body.marker.x\", "
              "though not in natural coordinates")
              .when("method", {"trapezoidal"}),
          Key{"recursion", word(TomlTable::names_of(recursions())), "", defaults("RTdyn1"),
              "of joint coordinates: about one point for all bodies, or about their centres of mass; the "
              "results are the same"},
          number("t0", &Spec::t0, any, "s", "where it begins"),
          number("t1", &Spec::t1, any, "s", required, "where it ends"),
          number("step", &Spec::step, positive, "s", required,
                 "step, of which there is a whole number from t0 to t1"),
          number("rho_inf", &Spec::rho_inf, closed(0.0, 1.0), "",
                 "of method = \"generalized-alpha\": spectral radius at infinite frequency; 1 damps nothing, "
                 "0 the most"),
          number("tolerance", &Spec::tolerance, open(0.0, 1.0), "",
                 "of method = \"dormand-prince\": error of a step, of coordinates in m and rad, of momenta "
                 "relative to the largest")
              .when("method", {"dormand-prince"}),
          boolean(
              "dense_output", &Spec::dense_output,
              "of method = \"dormand-prince\": its steps pass the instants of the output, where the motion "
              "is interpolated to order 4; gradients are by the continuous adjoint or by finite differences")
              .when("method", {"dormand-prince"}),
          number("alpha", &Spec::alpha, closed(0.0, 1.0), "",
                 "of method = \"variational-midpoint\": where in a step forces are taken; of order 2 at 0.5 "
                 "alone"),
          number("newton_tolerance", &Spec::newton_tolerance, open(0.0, 1.0), "",
                 "of implicit methods: relative size of the last correction of a step"),
          integer("max_newton_iterations", &Spec::max_newton_iterations, at_least(1), "",
                  "of implicit methods: in a step, from each of its first guesses; more means failure"),
      }};
  return rows;
}

const KeyTable<SensitivityOptions>& sensitivity() {
  using Spec = SensitivityOptions;
  using Method = Spec::Method;
  using Path = Spec::Path;
  static const KeyTable<Spec> rows{
      "sensitivity",
      "how gradients are found",
      {
          word("method", &Spec::method,
               {{"discrete-adjoint", Method::discrete_adjoint},
                {"direct", Method::direct},
                {"continuous-adjoint", Method::continuous_adjoint},
                {"auto", Method::automatic},
                {"finite-differences", Method::finite_differences}},
               "exact by the discrete adjoint or, one variable after the other, directly (auto: the cheaper "
               "one); the continuous adjoint is off by O(step^2)"),
          integer("substeps", &Spec::substeps, closed(1, 1000), "",
                  "of the continuous adjoint, backward steps per step of the integrator"),
          word("path", &Spec::path, {{"pull-back", Path::pull_back}, {"augmented-sid", Path::augmented_sid}},
               "to the densities: backwards through the reduction, or by the derivatives of every "
               "coefficient"),
      }};
  return rows;
}

namespace {

const KeyGroup& joint_end() {
  static const KeyGroup group{
      "joint_end",
      "where a joint ends",
      {
          {"end", number(), "unit", required, "angle (rad) or displacement (m) of the joint at the end"},
      }};
  return group;
}

const KeyGroup& initial_guess() {
  static const KeyGroup group{
      "initial_guess",
      "a first motion",
      {
          Key{"type", word({"point-to-point"}), "", required,
              "joints move from their start to the ends stated here, from rest to rest, by a polynomial of "
              "degree "
              "five; controls begin with what the rigid mechanism takes for that, within their bounds. An "
              "end of "
              "the motion that is a variable begins as late as it takes them to stay within these"},
          Key{"joints", names(joint_end), "", required,
              "ends of as many joints as the rigid mechanism has degrees of freedom, by name"},
      }};
  return group;
}

}  // namespace

const KeyGroup& design() {
  static const KeyGroup group{
      "design",
      "the start of the design",
      {
          Key{"bodies", list_of(text()), "", otherwise("all flexible ones; with variables or controls none"),
              "bodies whose densities vary"},
          Key{"start", number(closed(0.0, 1.0)) | text(), "",
              otherwise(
                  "the largest uniform one within constraints.volume_fraction and constraints.mass, or 1"),
              "densities to begin with: of all elements, or a .vtu or text file with one for each. Of a "
              "file, `optimize` begins with the variables (array `design`), or without them with the "
              "densities as variables; all other commands evaluate the densities (array `density`) as they "
              "are"},
          {"start_variables", text(), "", otherwise("the values in this file"),
           "a variables.csv of an earlier run, with which variables and controls begin"},
          Key{"initial_guess", table(initial_guess), "", optional,
              "a first motion, from which controls and the end of the motion begin"},
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
                 "over which distance"),
          word("kernel", &Spec::kernel,
               {{"cone", Spec::Kernel::cone}, {"helmholtz", Spec::Kernel::helmholtz}},
               "weights that fall linearly with the distance, or the solution of a differential equation "
               "with the same width, "
               "whose cost does not grow with the radius")
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
          number("from", &Spec::from, positive, "Hz", required, "the lowest frequency"),
          number("to", &Spec::to, positive, "Hz", required, "the highest one"),
          integer("points", &Spec::points, closed(2.0, 10000.0), "", "how many of them, with both ends"),
          word("spacing", &Spec::spacing,
               {{"linear", Spacing::linear}, {"logarithmic", Spacing::logarithmic}},
               "the same difference, or the same ratio from one to the next"),
          integer(
              "growth", &Spec::growth, closed(-2.0, 2.0), "",
              "n: the amplitudes of loads and drives are those given times (2 pi f)^n, 0 as they are; 2 as "
              "of an imbalance, in kg m in place of N; -2 as of a base whose acceleration is given, in "
              "m/s^2 in place of m"),
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
               "a smooth step at eta sharpens boundaries"),
          number("eta", &Spec::eta, open(0.0, 1.0), "", "density of the step"),
          number("beta_start", &Spec::beta_start, positive, "", "its steepness at first"),
          number("beta_max", &Spec::beta_max, positive, "", "its largest steepness"),
          integer("beta_interval", &Spec::beta_interval, at_least(1), "",
                  "iterations after which it doubles, or earlier: when five iterations improve the objective "
                  "by less than half a per cent"),
          number("robust", &Spec::robust, {.lower = 0.0, .upper = 0.5, .upper_open = true}, "",
                 "least sizes of members and gaps: psi and bounds on the motion are the worst of three "
                 "designs, with "
                 "eta and this much above and below it; three times the work. 0: one design"),
      }};
  return rows;
}

const KeyTable<OptimizerOptions>& optimizer() {
  using Spec = OptimizerOptions;
  static const KeyTable<Spec> rows{
      "optimizer",
      "the optimizer",
      {
          word("method", &Spec::method, optimizer_methods,
               "mma: Svanberg's method of moving asymptotes, made conservative where a step makes things "
               "worse; gcmma: the same, conservative at every step; mma-bfgs: mma with the curvature of the "
               "last steps throughout, for variables beside densities that decide by thousandths; ipopt, "
               "auglag: other methods for any constraints; ccsa, nlopt-mma: those of NLopt, for "
               "inequalities; oc: optimality criteria, densities under one bound; bfgs, lbfgs (which keeps "
               "the last 20 steps): no constraints"),
          Key{"strategy", word({"exact-gradient", "equivalent-static-loads", "first-static-loads"}), "",
              defaults("exact-gradient"),
              "exact-gradient: the motion itself; equivalent-static-loads: compliance under static loads "
              "that give the displacements of the motion, found anew for the design that this ends with; "
              "first-static-loads: the same under the loads of the first design alone. The latter two are "
              "there "
              "for comparison; they minimize compliance over time by densities"},
          number("move_limit", &Spec::move_limit, positive, "",
                 "of oc, largest change of a density in an iteration"),
          number("oc_damping", &Spec::oc_damping, above(0.0, 1.0), "", "of oc, exponent of the update"),
          boolean("oc_curvature", &Spec::oc_curvature,
                  "of oc, whether the approximation of the objective has the curvature of the last step; "
                  "false is the update of textbooks, x times a power of its sensitivity"),
          number("feasibility", &Spec::feasibility, positive, "",
                 "largest scaled violation of a constraint that counts as none"),
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
                  "between density fields; 0: only the last one"),
          boolean("motion", &Spec::motion, "the moving mechanism, motion.pvd"),
          integer("motion_frames", &Spec::motion_frames, at_least(2), "", "instants in it"),
          number("deformation_scale", &Spec::deformation_scale, not_negative, "",
                 "how much larger deformations are drawn, about the nearest position without deformation; 1 "
                 "beside [beams.*]"),
          number("solid_above", &Spec::solid_above, closed(0.0, 1.0), "",
                 "elements of less density are hidden in motion.pvd"),
          boolean("picture", &Spec::picture, "pictures (.png)"),
          boolean("trajectory", &Spec::trajectory, "the trajectory in run.h5"),
          Key{"adjoint", list_of(text()), "", optional,
              "constraints whose adjoint variables are written; of points and planar beams"},
      }};
  return rows;
}

}  // namespace kurbel::keys
