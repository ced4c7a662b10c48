/// @file
/// The examination of a problem (checks.hpp): at a point of the design, restated in other ways, and in other formulations.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "checks.hpp"
#include "differences.hpp"
#include "problem_functions.hpp"
#include "random_numbers.hpp"
#include "restated.hpp"

namespace kurbel::random_problems {

using Eigen::Index;

inline const std::string discrete = "sensitivity.method=\"discrete-adjoint\"";

/// The worst of several findings of one check, in the order of the enumeration but for `refused`.
class Worst {
 public:
  explicit Worst(std::string check) : finding_{std::move(check)} {}
  void add(Verdict verdict, const std::string& detail) {
    const auto badness = [](Verdict v) {
      return v == Verdict::differs ? 2 : v == Verdict::cannot_tell ? 1 : 0;
    };
    if (badness(verdict) > badness(finding_.verdict)) finding_.verdict = verdict, finding_.detail = detail;
  }
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
};

class Examination {
 public:
  Examination(const RandomProblem& problem, std::uint64_t seed, const std::filesystem::path& folder)
      : problem_(problem), folder_(folder), random_(seed ^ 0x5DEECE66Dull) {}
  std::vector<Finding> run();

 private:
  void write_sids(const std::vector<SidSource>& sids) const;
  FunctionInfo info(std::size_t function) const;
  double typical(std::size_t function) const { return info(function).typical; }
  VectorXd random_point();
  void examine_at_a_point();
  std::optional<VectorXd> values_at(const VectorXd& x);
  /// A design that differs in its last digits.
  static VectorXd moved_in_last_digits(VectorXd x);
  /// Returns whether changes of a design in its last digits change a function noticeably. Motions that are unstable, as that
  /// of a soft beam that buckles, let rounding grow until it decides.
  bool depends_on_rounding(const VectorXd& x, const VectorXd& values, Index j);
  double size_over_ranges(const Eigen::RowVectorXd& gradient) const;
  void add_unless_noise(const VectorXd& x, const VectorXd& values, Index j, const std::string& detail,
                        Worst& worst);
  /// The program warns from 1e-6 on. Where a function does not depend on a body, the defect is one rounding
  /// error over another, and the gradient agrees all the same.
  void check_span(double defect);
  void check_threads(const VectorXd& x, const FunctionValues& at);

  // gradient_checks.cpp
  VectorXd random_direction(const VectorXd& x, const VariableGroup& group);
  void check_gradients(const VectorXd& x, const FunctionValues& at);
  /// Errors relative to the larger one of both derivatives, and to the size of the gradient in that
  /// direction.
  std::pair<Verdict, std::string> compare(const FunctionValues& at, const VectorXd& direction,
                                          const DirectionalDerivative& by_differences,
                                          std::size_t function) const;
  void check_methods(const VectorXd& x, const FunctionValues& at);
  /// Returns whether changes of a design in its last digits change a gradient, per range of each variable, by a tenth of a
  /// difference, as close to a dead centre.
  bool gradient_depends_on_rounding(const VectorXd& x, const FunctionValues& at, Index j, double off);

  // restatement_checks.cpp
  void examine_restatements();
  /// Returns whether the problem as it is fails with part of its step. Newton's iteration of very stiff beams may fail or not
  /// by the rounding of a choice between equals.
  bool fails_by_part_of_step(double share) const;
  void compare_with(const std::string& check, const Table& input, const FunctionValues& at,
                    const Units& units, const std::function<bool(const FunctionInfo&)>& is_compared);
  /// Returns whether turns of the whole problem in the last digits change a function. Of a mechanism whose start has a plane
  /// of symmetry, rounding chooses the side to which its static equilibrium leaves that plane.
  bool chooses_by_rounding(const FunctionValues& at) const;
  /// Returns whether a sixteenth of the step leaves next to nothing of a difference. Matrix R chooses its
  /// coordinates anew where an iterate makes them poor ones, which rounding and units may decide; each choice has an error of
  /// second order of its own.
  bool falls_with_the_step(const std::string& text, const Units& units,
                           const std::function<bool(const FunctionInfo&)>& is_compared) const;
  static Index index_of(const FunctionInfo& info, const ProblemFunctions& functions);
  void compare_function(const FunctionInfo& info, const FunctionValues& at, const ProblemFunctions& restated,
                        const FunctionValues& other, const Units& units, Worst& worst);

  // formulation_checks.cpp
  /// The input without what belongs to other methods.
  static Table for_method(Table root, const std::string& method);
  /// The problem by a formulation, with a share of the step of the input.
  ProblemFunctions with_step(const Formulation& formulation, double share) const;
  /// Returns whether the program warns that steps leave the joints with one of these shares. Steps much longer than what a
  /// mechanism does close to a dead centre may end on either branch behind it.
  bool leaves_joints(const Formulation& formulation,
                     const std::vector<double>& shares = {0.125, 0.0625}) const;
  /// Values with parts of the step of the input, a quarter, an eighth and a sixteenth if not given; nothing where one cannot be
  /// had.
  std::optional<std::vector<FunctionValues>> refined(const Formulation& formulation, std::string& why,
                                                     const std::vector<double>& shares = {0.25, 0.125,
                                                                                          0.0625}) const;
  /// Cables move in natural coordinates alone.
  std::vector<Formulation> compared_formulations() const;
  /// Returns whether two methods come closer to each other once steps are so short that they resolve what rho_inf = 0.5 damps at
  /// h/16, as vibrations along stiff cables.
  bool agree_by_short_steps(const Formulation& a, const Formulation& b) const;
  /// Three others against the first, of rigid bodies the floating frame by generalized-alpha: all of them over many problems.
  void examine_formulations();
  /// The worst of all functions.
  Finding compare_all(const std::string& name, const std::vector<FunctionValues>& own,
                      const std::vector<FunctionValues>& other) const;
  /// Differences of O(h^2), or less where time functions have kinks between two instants.
  void compare_refined(const std::string& name, std::size_t function, const std::vector<FunctionValues>& own,
                       const std::vector<FunctionValues>& other, Worst& worst) const;

  const RandomProblem& problem_;
  std::filesystem::path folder_;
  Random random_;
  std::unique_ptr<ProblemFunctions> functions_;
  std::vector<Finding> findings_;
};

}  // namespace kurbel::random_problems
