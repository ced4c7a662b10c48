/// @file
/// [outputs], [objective] and [constraints.criteria] of every formulation.
#pragma once

#include "problem/problem.hpp"
#include "problem/toml_reader.hpp"

namespace kurbel {

/// The observables of a formulation, and their names in its inputs.
struct ObservableReader {
  const char* formulation;  ///< "in a floating frame", for messages
  bool (*has)(const ObservableTraits& traits);
  std::vector<int> axes;  ///< of a vector, if the table does not name them; empty: all of them
};

/// A term names its quantity and place, or an output that does:
///     type = "position", marker = "arm.tip"        type = "output", output = "tip"
/// and what is made of it at an instant (component, target) and over time (time, exponent, at, every,
/// intervals).
class CriteriaReader {
 public:
  /// @param problem  whose integrator must have been read
  CriteriaReader(ObservableReader observables, const Problem& problem)
      : observables_(std::move(observables)), problem_(problem) {}

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

/// True if the quantity is zero at rest, so that it only has an amplitude.
bool is_rate(Quantity quantity);

/// The observables of bodies and joints in a floating frame.
ObservableReader floating_frame_observables();
/// The modes of a mechanism, and the observables of its state of rest.
ObservableReader modes_observables(const Problem& problem);
/// The same, and those that have an amplitude in a frequency response.
ObservableReader response_observables(const Problem& problem);
/// The observables of bodies at rest under loads.
ObservableReader static_observables();
/// The observables of bodies in free vibration.
ObservableReader eigenfrequency_observables();
/// The observables of bodies, joints, points and beams in natural coordinates.
ObservableReader natural_observables(const SystemSpec& system);

/// Fills outputs, objective and constraints.criteria of the problem.
void read_criteria(const TomlTable& root, const CriteriaReader& reader, Problem& problem);

}  // namespace kurbel
