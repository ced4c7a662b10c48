/// @file
/// Functions of natural frequencies, or of damping ratios, that several modes have:
///
///     sum_i f_i,    ln(sum_i exp(k f_i) / n) / k,    i = first, ..., last
#pragma once

#include "formulation/criterion_values.hpp"

namespace kurbel {

/// @param f       of all modes, of which term.first_mode is the first at least
/// @param slopes  d value / d f of the modes that count, if requested
CriterionValues value_over_modes(const CriterionTerm& term, const VectorXd& f, VectorXd* slopes = nullptr);

/// The largest |k| of such a function: its slopes by f_i and f_j differ by as much as k (f_j - f_i) without a kink.
double steepest_over_modes(const std::vector<CriterionTerm>& terms);

}  // namespace kurbel
