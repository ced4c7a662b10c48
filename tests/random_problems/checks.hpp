/// @file
/// What must hold for every problem, and whether it does.
///
///     gradient     of each function by each kind of variable: that of differences, as far as these can tell
///     methods      discrete adjoint = direct differentiation
///     threads      one or two give the same bits
///     span         Phi^T Phi_bar vanishes: functions see the span of the modes alone
///     program      the optimizer gets these values and gradients, whatever design it comes from
///     placed       the mechanism, turned and shifted, gives the same functions; so does it
///     reordered    with its names in another order, and
///     converted    with its numbers in other units
///     formulations of rigid bodies and of beams, give functions whose differences vanish with the step
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "random_problem.hpp"

namespace kurbel::random_problems {

enum class Verdict { agrees, differs, cannot_tell, refused };
const char* name_of(Verdict verdict);

struct Finding {
  std::string check;
  Verdict verdict = Verdict::agrees;
  std::string detail{};    ///< on one line
  std::string restated{};  ///< the input stated in another way, where it matters
};

/// All checks of a problem; one finding for each, the worst. A problem that the program refuses has the only
/// finding "input" (unusable) or "motion" (a numerical failure), with its message.
/// @param folder  for the files that the problem names
std::vector<Finding> examine(const RandomProblem& problem, std::uint64_t seed,
                             const std::filesystem::path& folder);

}  // namespace kurbel::random_problems
