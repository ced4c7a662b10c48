/// @file
/// Objective and constraints of an input file as functions of its design variables. The only place here that
/// knows the program's own chain.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "random_problem.hpp"

namespace kurbel::random_problems {

/// Values of all functions at one point and, where requested, their derivatives.
struct FunctionValues {
  VectorXd values;
  MatrixXd gradients;              ///< a row for each function
  double invariance_defect = 0.0;  ///< Phi^T Phi_bar, relative
  std::size_t n_redundant = 0;     ///< constraints that others imply
};

/// Variables of one kind: the densities of a body, or one of [variables].
struct VariableGroup {
  std::string name;
  std::vector<Eigen::Index> variables;
};

class ProblemFunctions {
 public:
  /// @throws InputError as the program does
  ProblemFunctions(const std::string& text, const std::filesystem::path& folder,
                   const std::vector<std::string>& overrides = {});
  ~ProblemFunctions();

  /// "objective", the criteria of [constraints], "volume_fraction" and "mass" where they are bounded.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<VariableGroup>& groups() const { return groups_; }
  const VectorXd& start() const;
  const VectorXd& lower() const;
  const VectorXd& upper() const;

  /// Nothing after a numerical failure, which failure() tells.
  std::optional<FunctionValues> evaluate(const VectorXd& x, bool with_gradients);
  const std::string& failure() const { return failure_; }

  /// True if the steps of the motion at this point leave its joints, of which the program warns.
  bool leaves_joints(const VectorXd& x);

  /// Whether every element has the same branch of its material law at both points and between them.
  bool is_smooth_between(const VectorXd& x, const VectorXd& y) const;

  /// What the optimizer would get: empty if it is the same, else what differs.
  std::string defect_of_program(const VectorXd& x, const FunctionValues& at);

 private:
  struct Chain;
  std::unique_ptr<Chain> chain_;
  std::vector<std::string> names_;
  std::vector<VariableGroup> groups_;
  std::string failure_;
};

/// Number of threads from now on.
void use_threads(int n);

/// Writes the file of the body's SID into the folder.
/// @throws InputError, or std::runtime_error if the reduction fails
void write_sid_of(const SidSource& source, const std::filesystem::path& folder);

}  // namespace kurbel::random_problems
