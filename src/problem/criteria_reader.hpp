/// @file
/// [outputs], [objective] and [constraints.criteria] of every formulation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "keys/toml_reader.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// The observables that an analysis in a formulation has.
struct ObservableReader {
  std::string where;  ///< "in a floating frame", for messages
  std::function<bool(const ObservableTraits& traits)> has;
  std::vector<int> axes{};  ///< of a vector, if the table does not name them; empty: all of them
};
ObservableReader observables_of(const Problem& problem);

/// A term names its quantity and place, or an output that does:
///     type = "position", marker = "arm.tip"        type = "output", output = "tip"
/// and what is made of it at an instant (component, target) and over time (time, exponent, at, every,
/// intervals).
class CriteriaReader {
 public:
  /// @param problem  whose mechanism and integrator must have been read
  explicit CriteriaReader(const Problem& problem)
      : observables_(observables_of(problem)), problem_(problem) {}

  /// A table of [outputs].
  Output output(const TomlTable& table) const;
  /// The terms under the key `objective`, for which outputs must have been read.
  std::vector<CriterionTerm> objective(const TomlTable& table) const;
  /// A table of [constraints.criteria]: one constraint, or one for each of its rows and instants.
  std::vector<CriterionConstraint> constraint(const TomlTable& table) const;

 private:
  CriterionTerm observable(const TomlTable& table, bool may_be_output) const;
  CriterionTerm unweighted(const TomlTable& table) const;
  CriterionTerm term(const TomlTable& table) const;
  std::vector<CriterionTerm> weighted(const std::vector<TomlTable>& tables) const;

  ObservableReader observables_;
  const Problem& problem_;
};

/// Fills outputs, objective and constraints.criteria of the problem.
void read_criteria(const TomlTable& root, const CriteriaReader& reader, Problem& problem);

}  // namespace kurbel
