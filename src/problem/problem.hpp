/// @file
/// A checked input in the program's own terms, with all that a command needs.
#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fem/body_spec.hpp"
#include "floating_frame/point_to_point.hpp"
#include "integration/integrator_options.hpp"
#include "joint_coordinates/reference_point.hpp"
#include "keys/toml_document.hpp"
#include "mechanism/criterion_spec.hpp"
#include "optimizers/optimizer.hpp"
#include "problem/control_curve.hpp"
#include "problem/design_variable.hpp"
#include "problem/formulation.hpp"
#include "problem/over_cases.hpp"
#include "problem/stage.hpp"

namespace kurbel {

/// A body and the source of its SID. Position i in Problem::bodies is position i in SystemSpec::bodies,
/// whose `sid` is complete for the types rigid and sid, and empty for a flexible body until it is reduced.
struct ProblemBody {
  enum class Type { rigid, flexible, sid };
  std::string name;
  Type type = Type::rigid;
  fem::FlexibleBodySpec flexible;  ///< type flexible only
  std::filesystem::path sid_file;  ///< type sid only
  std::string sid_name;            ///< of the body in that file; empty: its only one
};

/// Computation of the gradient by the parameters of the mechanism.
struct SensitivityOptions {
  enum class Method {
    discrete_adjoint,    ///< exact for the discrete psi, cost independent of the parameters
    direct,              ///< the same gradient, cost proportional to the number of parameters
    continuous_adjoint,  ///< O(h^2) off the discrete psi                         [P0, eqs 3-6]
    automatic,           ///< of the first two the one that treats fewer columns
    finite_differences,  ///< central, for comparison; without densities
  };
  Method method = Method::discrete_adjoint;
  int substeps = 1;  ///< continuous adjoint only: backward steps per step of the integrator
  /// The way from d psi / d SID to the densities. pull_back: backwards through the reduction. augmented_sid: with the
  /// derivatives of every coefficient, as [P0, section 3] does it; more work and memory, and refused where
  /// kept eigenvalues coincide.
  enum class Path { pull_back, augmented_sid };
  Path path = Path::pull_back;
};

/// A named observable of [outputs]: a term of which only quantity, place and axes count.
struct Output {
  std::string name;
  CriterionTerm observable;
};

/// A constraint of one of several cases, with its weight in a sum over them.
struct CaseShare {
  std::size_t of_case;     ///< index in Problem::cases
  std::size_t constraint;  ///< index among the constraints of the case's own problem
  double weight = 1.0;
};

/// Bounds on a criterion of the motion, a sum of weighted terms, in its unit; or the value that it has to
/// take. Of a criterion at several instants each is a constraint of its own, with the same name; so is each
/// row of a vector whose bounds are given row by row.
struct CriterionConstraint {
  std::string name;
  std::string row{};                ///< "x", "y" or "z" if it is one of several
  std::optional<double> instant{};  ///< s
  std::vector<CriterionTerm> terms{};
  std::optional<double> lower{}, upper{};
  std::optional<double> equals{};
  double scale = 0.0;  ///< divisor of the deviation; 0: the size of the bound, or 1 if that is zero
  /// Corrected so that the bounds hold for the true extremes of its aggregates (adaptive_scaling.hpp).
  bool adaptive = false;
  /// The cases for which it holds, one by one, or as a sum with their weights; none: all cases.
  std::vector<std::string> case_names{};
  bool sum_over_cases = false;
  std::string of_case{};            ///< if it is one of several: "fast"
  std::vector<CaseShare> shares{};  ///< in a problem with cases: what it consists of

  /// Its name, with the row if it is one of several: "arrival.x", and the case, "fast.arrival.x"; the
  /// same for all of its instants.
  std::string time_history_name() const;
  /// The name with its instant: "sag@0.1".
  std::string label() const;
};

/// Volume and mass are those of all design bodies together; passive regions count.
struct ConstraintOptions {
  std::optional<double> volume_fraction;  ///< sum(volume density) / sum(volume) at most, positive
  std::optional<double> mass;             ///< kg at most, of the finite elements, as criteria have it
  std::vector<CriterionConstraint> criteria;

  int n_equalities() const;
  int n_inequalities() const;
};

/// The bodies that are designed, and their densities at the start.
struct DesignOptions {
  /// flexible bodies whose densities vary; if not given, all of them, or with [variables] none
  std::vector<std::string> bodies;
  double start = 1.0;  ///< uniform
  /// The start is not given: as much material as the bounds on volume fraction, mass and members allow.
  bool start_meets_bounds = false;
  std::filesystem::path
      start_file;  ///< densities in a .vtu or text file, in place of `start`; absolute, or empty
  std::vector<DesignVariable>
      variables;  ///< [variables.*] and the nodes of [controls.*], besides the densities
  std::filesystem::path
      variables_file;  ///< key start_variables: their start, as in a run's variables.csv; absolute, or empty
  /// Key initial_guess: the ends of joints; the motion to them gives controls their first values.
  std::vector<JointEnd> joint_ends{};
};

struct FilterOptions {
  enum class Type { none, density, sensitivity };
  enum class Kernel { cone, helmholtz };  ///< of a density filter: by distance, or by a differential equation
  Type type = Type::none;
  Kernel kernel = Kernel::cone;
  double radius = 0.0;  ///< m
};

/// Smoothed Heaviside projection; beta doubles from start to max.
struct ProjectionOptions {
  enum class Type { none, heaviside };
  Type type = Type::none;
  double eta = 0.5;         ///< threshold, in (0, 1)
  double beta_start = 1.0;  ///< steepness
  double beta_max = 128.0;
  int beta_interval = 30;  ///< at most so many iterations between doublings
  /// Difference of the thresholds of the eroded and the dilated design from eta; 0: one design.
  double robust = 0.0;
};

/// Origin of the functions that an optimizer evaluates.
enum class Strategy {
  exact,         ///< the motion itself, with exact gradients
  static_loads,  ///< compliance under equivalent static loads, found anew from the motion of the optimized design
  first_loads,  ///< the same under the loads of the first design alone
};

struct OutputOptions {
  int every = 5;                     ///< iterations between written density fields; 0: only the last
  bool motion = true;                ///< the moving mechanism, motion.pvd
  int motion_frames = 200;           ///< instants in it
  double deformation_scale = 1.0;    ///< by which elastic displacements are drawn
  double solid_above = 0.3;          ///< density from which on elements are shown in it
  bool picture = true;               ///< density.png, control.png, states.png, outputs.png
  bool trajectory = true;            ///< the trajectory in run.h5
  std::vector<std::size_t> adjoint;  ///< constraints whose adjoint variables are written
};

/// The range of frequencies of [frequency_response].
struct FrequencyResponseOptions {
  enum class Spacing { linear, logarithmic };
  double from = 0.0, to = 0.0;  ///< Hz
  int points = 201;             ///< the ends among them
  Spacing spacing = Spacing::linear;
  int growth = 0;  ///< n: amplitudes of excitations are those given times (2 pi f)^n
};

struct Problem;

/// One of several manoeuvres of a mechanism, which share its variables.
struct ProblemCase {
  std::string name;
  double weight = 1.0;
  std::shared_ptr<const Problem> problem;  ///< the whole problem with what the case states in its place
};

struct Problem {
  std::string title;
  Analysis analysis = Analysis::motion;
  Formulation formulation = Formulation::floating_frame;
  ReferencePoint recursion = ReferencePoint::common;  ///< of the semi-recursive formulation
  std::vector<ProblemBody> bodies;
  SystemSpec system;
  std::vector<std::string> followed_joints;  ///< over whose driven angles loads are given
  std::vector<ControlCurve> controls;
  IntegratorOptions integrator;
  FrequencyResponseOptions frequency_response;
  std::vector<Output> outputs;
  std::vector<CriterionTerm> objective;
  /// Solved one after the other before the problem itself, each from the end of the one before.
  std::vector<Stage> first_stages;
  SensitivityOptions sensitivity;
  ConstraintOptions constraints;
  DesignOptions design;
  FilterOptions filter;
  ProjectionOptions projection;
  OptimizerOptions optimizer;
  Strategy strategy = Strategy::exact;
  OutputOptions output;
  std::vector<ProblemCase> cases;  ///< empty: the problem is its only one
  OverCases over_cases;

  /// The input itself: text and overrides for the run file, places for messages. Empty in a problem that is filled
  /// in code.
  std::shared_ptr<const TomlDocument> document = std::make_shared<const TomlDocument>();

  /// "file:line: key.path message", e.g. for what only a later stage finds out; "key.path message" without a document.
  InputError error(const std::string& key_path, const std::string& message) const {
    return document->error(key_path, message);
  }
  /// The same with values in the message, "must be below {}".
  template <class... Args>
  requires(sizeof...(Args) > 0) InputError
      error(const std::string& key_path, fmt::format_string<Args...> message, Args&&... args)
  const { return error(key_path, fmt::format(message, std::forward<Args>(args)...)); }

  /// first_stages and the problem itself, with all of its constraints.
  std::vector<Stage> stages() const;
  /// The constraints that hold in a stage, in its order.
  ConstraintOptions constraints_of(const Stage& stage) const;

  /// @return the position of the body in `bodies`; nothing if there is none of that name
  std::optional<std::size_t> find_body(const std::string& name) const;
};

/// Reads and checks an input file with the overrides of `--set`.
/// @throws InputError for everything a user can get wrong: one message with file, line, key, value, what is
/// allowed
Problem read_problem(const std::string& file, const std::vector<std::string>& overrides = {});

/// The same from a document, e.g. one made from the text in a run file.
Problem read_problem(TomlDocument document);

/// Checks a problem that was filled in code, as read_problem() does: all rules that concern several members.
/// Ranges of single numbers are those of docs/input_reference.md; they are not checked again.
/// @throws InputError  naming the key that an input file would have
void check_problem(const Problem& problem);

/// @throws InputError unless there is a time to integrate over, or for statics a load (`simulate`)
void require_simulation_problem(const Problem& problem);

/// @throws InputError unless, besides, there is an objective and something to design (`gradient` and
/// `optimize`), and no elastic coordinates are given in a basis that the design changes
void require_gradient_problem(const Problem& problem);

/// @throws InputError unless, besides, the optimizer can treat the constraints
void require_optimization_problem(const Problem& problem);

}  // namespace kurbel
