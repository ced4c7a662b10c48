/// @file
/// Functions of what several modes have: natural frequencies, damping ratios, buckling loads (ModesFunctional), by
/// increasing number of the mode.
#pragma once

#include <optional>

#include "formulation/criterion_values.hpp"

namespace kurbel {

/// @param f       of all modes, of which term.first_mode to term.last_mode count
/// @param slopes  d value / d f, if requested; zero of those that the term does not count
/// @return        low and high are the true extreme that a smooth one hides; of sums the value
CriterionValues value_over_modes(const CriterionTerm& term, const VectorXd& f, VectorXd* slopes = nullptr);

/// The largest |k| of such functions: their slopes by f_i and f_j differ by as much as k (f_j - f_i) without a kink.
double steepest_over_modes(const std::vector<CriterionTerm>& terms);

/// The numbers of all modes and of the one above, as far as they decide which coincide.
struct Spectrum {
  const VectorXd& f;
  double next;
  double closed_gap;  ///< relative, of two that count as one
};

/// A function in which two modes that coincide have noticeably different derivatives has a kink there.
/// @param slopes    d psi / d f
/// @param steepest  steepest_over_modes()
/// @return          the number of the first of the two modes, from 0
std::optional<Eigen::Index> kink_over_modes(const Spectrum& spectrum, const VectorXd& slopes,
                                            double steepest);

/// The advice where modes coincide that a function counts differently.
inline constexpr const char* advice_on_kinks =
    "choose modes = [first, last] so that it includes both or neither, with aggregate = \"ks\" or \"sum\"";

}  // namespace kurbel
