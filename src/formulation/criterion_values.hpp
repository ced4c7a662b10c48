/// @file
/// Values of psi and the criteria of a problem at a design, and what they hide: true extremes beside smooth
/// ones, and values between instants.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// One function: its value; and of an aggregate the true extreme as low and high, of a criterion at instants
/// the range over all steps from the first of them to the last, of anything else the value again.
struct CriterionValues {
  double value = 0.0, low = 0.0, high = 0.0;
};

/// One objective of several cases: their smooth joint value, and the true extremes that it hides.
/// @param of_cases  by case, as many as there are weights
CriterionValues joined_over_cases(const OverCases& over, const VectorXd& weights,
                                  const std::vector<CriterionValues>& of_cases);

/// psi, then the criteria of [constraints] in their order; as numbers in a row for Evaluation::diagnostics.
VectorXd to_diagnostics(const std::vector<CriterionValues>& values);
std::vector<CriterionValues> values_of_diagnostics(const VectorXd& diagnostics);

/// Distance of a value beyond the bounds of a function, `lower`, `upper` or `equals`, in its unit; negative
/// within them.
double excess(const CriterionConstraint& function, double value);

/// The one of low and high that is farther beyond the bounds.
double peak(const CriterionConstraint& constraint, const CriterionValues& values);

/// The name of a criterion where results stand beside it, in tables and --json: its own, or "criteria.mass"
/// of one that is called as another result is.
std::string name_in_tables(const std::string& name);

/// A function with something to show beside its value, once for all instants of a time history.
struct PeakColumn {
  std::string name;      ///< "objective" or that of the time history
  std::size_t function;  ///< 0 for psi
};
std::vector<PeakColumn> peak_columns(const Problem& problem);

/// The peak of such a function.
double peak_of(const Problem& problem, const PeakColumn& column, const std::vector<CriterionValues>& values);

}  // namespace kurbel
