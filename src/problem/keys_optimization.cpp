/// [variables.*], [stages.*], [cases.*], and the options: [integrator], [sensitivity], [design], [filter],
/// [projection], [optimizer], [output].
#include <fmt/format.h>

#include <algorithm>

#include "floating_frame/system_quantity.hpp"
#include "problem/defaults.hpp"
#include "problem/key_groups.hpp"

namespace kurbel::keys {

namespace {

const IntegratorOptions integrator_defaults;
const ProjectionOptions projection_defaults;
const OptimizerOptions optimizer_defaults;
const OutputOptions output_defaults;

const KeyGroup& stop() {
  static const KeyGroup group{
      "stop",
      "when an optimization ends",
      {
          Key{"iterations", integer(at_least(0)), "", defaults(optimizer_defaults.max_iterations),
              "after so many; 0 evaluates the start"},
          Key{"design_change", number(not_negative), "", defaults(optimizer_defaults.design_change),
              "when no variable changes by more; 0 never"},
          {"design_change_iterations", integer(at_least(1)), "",
           defaults(optimizer_defaults.design_change_iterations),
           "in so many iterations one after the other"},
          {"progress", number(not_negative), "",
           otherwise(fmt::format("{:g} where densities are designed, else 0", progress_of_densities)),
           "when ten iterations improve the least feasible objective by a smaller share, or thirty while the "
           "KKT residual is above 0.01; 0 never"},
          {"kkt_residual", number(not_negative), "", defaults(optimizer_defaults.kkt_residual),
           "when the conditions of optimality hold to this, scaled; 0 never"},
          {"wall_time", number(not_negative), "s", defaults(optimizer_defaults.wall_time),
           "after this time; 0 never"},
      }};
  return group;
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
              "of a "
              "list, all follow the first, or its negative: \"-bodies.b.markers.m.position\"; "
              "\"points.P.position\" moves what names the point; "
              "\"joints.j.drive.values\" of a table is one variable for each of its values"},
          Key{"component", word(component_words()), "", required_if("it is a vector or an inertia"),
              "which of its numbers"},
          Key{"times", list_of(number(), 1), "s", otherwise("all"),
              "of a drive's table: at which of its times the values vary"},
          {"lower", number(), "unit", required, "its lower bound"},
          {"upper", number(), "unit", required, "its upper bound"},
          {"each_element", boolean(), "", defaults(false),
           "one number for each element instead of one for all; of flexible bodies and planar beams"},
          Key{"elements", table(body_place), "", otherwise("all"), "the elements in which it varies"},
      }};
  return group;
}

const KeyGroup& stage() {
  static const KeyGroup group{
      "stage",
      "a stage",
      {
          {"vary", word({"controls", "parameters", "all"}), "", defaults("all"),
           "nodes of controls, all else, or everything"},
          {"objective", one_or_more(term), "", required, "what is to become least, as [objective]"},
          {"constraints", list_of(text()), "", required, "names of [constraints.criteria.*] that hold"},
          {"iterations", integer(at_least(0)), "", otherwise("as in [optimizer.stop]"), "at most so many"},
      }};
  return group;
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

const KeyGroup& over_cases() {
  static const KeyGroup group{
      "over_cases",
      "the objective of several cases",
      {
          {"objective", word({"sum", "p-norm", "ks"}), "", defaults("sum"),
           "the weighted sum of those of the cases, or a smooth maximum"},
          Key{"exponent", number(at_least(1.0)), "", required, "of the p-norm"}.when("objective", {"p-norm"}),
          Key{"exponent", number(positive), "1/unit", required, "of the Kreisselmeier-Steinhauser function"}
              .when("objective", {"ks"}),
      }};
  return group;
}

const KeyGroup& integrator() {
  static const KeyGroup group{
      "integrator",
      "the integration",
      {
          {"method",
           word({"generalized-alpha", "trapezoidal", "runge-kutta-4", "dormand-prince",
                 "variational-midpoint", "explicit-euler", "implicit-euler"}),
           "",
           otherwise("generalized-alpha; runge-kutta-4 in the Hamiltonian formulations, variational-midpoint "
                     "in natural coordinates"),
           "generalized-alpha on the index-3 equations, with damping; the trapezoidal rule on independent "
           "coordinates (Matrix R), which meets the constraints of position, velocity and acceleration; or, "
           "of "
           "rigid bodies, explicit Runge-Kutta methods on Hamilton's equations, which meet those of "
           "velocity: of "
           "order 4, or Dormand and Prince's of order 5, which takes as many steps from one output to the "
           "next "
           "as its tolerance asks for; or, of natural coordinates, the variational step, which keeps momenta "
           "to "
           "rounding and energy on average. Mechanisms of points and planar beams, which have no "
           "constraints, "
           "also take runge-kutta-4 and the Euler methods, and the trapezoidal rule as it stands"},
          Key{"independent", list_of(text()), "",
              otherwise("chosen, and chosen anew where others serve better"),
              "of method = \"trapezoidal\": coordinates whose motion is integrated, as many as the mechanism "
              "is free to move or fewer: \"joint.rz\" of a joint of the tree with formulation = "
              "\"semi-recursive\", \"body.rz\" otherwise; or the place of a marker, "
              "\"body.marker.x\", though not in natural coordinates"}
              .when("method", {"trapezoidal"}),
          Key{"recursion", word({"RTdyn1", "RTdyn0"}), "", defaults("RTdyn1"),
              "of joint coordinates: about one point for all bodies, or about their centres "
              "of "
              "mass; the results are the same"},
          {"t0", number(), "s", defaults(integrator_defaults.t0), "where it begins"},
          {"t1", number(), "s", required, "where it ends"},
          {"step", number(positive), "s", required, "step, of which there is a whole number from t0 to t1"},
          Key{"rho_inf", number(closed(0.0, 1.0)), "", defaults(integrator_defaults.rho_inf),
              "of method = \"generalized-alpha\": spectral radius at infinite frequency; 1 damps nothing, 0 "
              "the "
              "most"},
          Key{"tolerance", number(open(0.0, 1.0)), "", defaults(integrator_defaults.tolerance),
              "of method = \"dormand-prince\": error of a step, of coordinates in m and rad, of momenta "
              "relative to the "
              "largest"}
              .when("method", {"dormand-prince"}),
          Key{"dense_output", boolean(), "", defaults(integrator_defaults.dense_output),
              "of method = \"dormand-prince\": its steps pass the instants of the output, where the motion "
              "is "
              "interpolated to order 4; gradients are by the continuous adjoint or by finite differences"}
              .when("method", {"dormand-prince"}),
          Key{"alpha", number(closed(0.0, 1.0)), "", defaults(integrator_defaults.alpha),
              "of method = \"variational-midpoint\": where in a step forces are taken; of order 2 at 0.5 "
              "alone"},
          {"newton_tolerance", number(open(0.0, 1.0)), "", defaults(integrator_defaults.newton_tolerance),
           "of implicit methods: relative size of the last correction of a step"},
          {"max_newton_iterations", integer(at_least(1)), "",
           defaults(integrator_defaults.max_newton_iterations),
           "of implicit methods: in a step, from each of its first guesses; more means failure"},
      }};
  return group;
}

const KeyGroup& sensitivity() {
  static const KeyGroup group{
      "sensitivity",
      "how gradients are found",
      {
          Key{"method",
              word({"discrete-adjoint", "direct", "continuous-adjoint", "auto", "finite-differences"}), "",
              defaults("discrete-adjoint"),
              "exact by the discrete adjoint or, one variable after the other, directly (auto: the cheaper "
              "one); the "
              "continuous adjoint is off by O(step^2)"},
          Key{"substeps", integer(closed(1, 1000)), "", defaults(1),
              "of the continuous adjoint, backward steps per step of the integrator"},
          Key{"path", word({"pull-back", "augmented-sid"}), "", defaults("pull-back"),
              "to the densities: backwards through the reduction, or by the derivatives of every "
              "coefficient"},
      }};
  return group;
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
                  "the largest uniform one within constraints.volume_fraction and constraints.mass, or 1"),
              "densities to begin with: of all elements, or a .vtu or text file with one for each. Of a "
              "file, `optimize` "
              "begins with the variables (array `design`), or without them with the densities as variables; "
              "all other "
              "commands evaluate the densities (array `density`) as they are"},
          {"start_variables", text(), "", otherwise("the values in this file"),
           "a variables.csv of an earlier run, with which variables and controls begin"},
      }};
  return group;
}

const KeyGroup& filter() {
  static const KeyGroup group{
      "filter",
      "the filter",
      {
          {"type", word({"none", "density", "sensitivity"}), "", required, "what is smoothed"},
          {"radius", number(positive), "m", required_if("type is not \"none\""), "over which distance"},
      }};
  return group;
}

const KeyGroup& projection() {
  static const KeyGroup group{
      "projection",
      "the projection",
      {
          {"type", word({"none", "heaviside"}), "", otherwise("heaviside with a density filter, else none"),
           "a smooth step at eta sharpens boundaries"},
          {"eta", number(open(0.0, 1.0)), "", defaults(projection_defaults.eta), "density of the step"},
          {"beta_start", number(positive), "", defaults(projection_defaults.beta_start),
           "its steepness at first"},
          {"beta_max", number(positive), "", defaults(projection_defaults.beta_max), "its largest steepness"},
          {"beta_interval", integer(at_least(1)), "", defaults(projection_defaults.beta_interval),
           "iterations after which it doubles, or earlier: when five iterations improve the objective by "
           "less than "
           "half a per cent"},
      }};
  return group;
}

const KeyGroup& optimizer() {
  static const KeyGroup group{
      "optimizer",
      "the optimizer",
      {
          Key{"method", word(optimizer_methods), "", defaults(optimizer_defaults.method.c_str()),
              "mma: Svanberg's method of moving asymptotes, made conservative where a step makes things "
              "worse; gcmma: the same, conservative at every step; mma-bfgs: mma with the curvature of the "
              "last steps throughout, for "
              "variables beside densities that decide by thousandths; ipopt, auglag: other methods for any "
              "constraints; ccsa, nlopt-mma: those of NLopt, for inequalities; oc: optimality criteria, "
              "densities under one bound; bfgs, lbfgs (which keeps the last 20 steps): no constraints"},
          {"move_limit", number(positive), "", defaults(optimizer_defaults.move_limit),
           "of oc, largest change of a density in an iteration"},
          {"oc_damping", number(above(0.0, 1.0)), "", defaults(optimizer_defaults.oc_damping),
           "of oc, exponent of the update"},
          Key{"feasibility", number(positive), "", defaults(optimizer_defaults.feasibility),
              "largest scaled violation of a constraint that counts as none"},
          {"stop", table(stop), "", optional, "when it ends"},
      }};
  return group;
}

const KeyGroup& output() {
  static const KeyGroup group{
      "output",
      "what is written",
      {
          {"every", integer(at_least(0)), "iterations", defaults(output_defaults.every),
           "between density fields; 0: only the last one"},
          {"motion", boolean(), "", defaults(output_defaults.motion), "the moving mechanism, motion.pvd"},
          Key{"motion_frames", integer(at_least(2)), "", defaults(output_defaults.motion_frames),
              "instants in it"},
          {"deformation_scale", number(not_negative), "", defaults(output_defaults.deformation_scale),
           "how much larger deformations are drawn, about the nearest position without deformation; 1 beside "
           "[beams.*]"},
          Key{"solid_above", number(closed(0.0, 1.0)), "", defaults(output_defaults.solid_above),
              "elements of less density are hidden in motion.pvd"},
          {"picture", boolean(), "", defaults(output_defaults.picture), "pictures (.png)"},
          {"trajectory", boolean(), "", defaults(output_defaults.trajectory), "the trajectory in run.h5"},
          {"adjoint", list_of(text()), "", optional,
           "constraints whose adjoint variables are written; of points and planar beams"},
      }};
  return group;
}

}  // namespace kurbel::keys
