/// @file
/// A design beside its cut to solid and void, in the same mechanism: table, warnings, files.
#pragma once

#include <string>
#include <vector>

#include "app/report.hpp"
#include "app/results.hpp"
#include "evaluation/cut_design.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "output/run_directory.hpp"

namespace kurbel {

/// Psi and all functions of the problem at a design, NaN where they do not count.
using AllValues = std::vector<CriterionValues>;
AllValues values_of_all(const EvaluationChain& chain, const ChainResult& result);

struct CutComparison {
  Design grey;
  AllValues grey_values;  ///< empty: the design could not be simulated
  CutDesign cut;
  AllValues cut_values{};  ///< empty: the cut could not be simulated
  std::string failure{};   ///< why not
  BodyPoses poses{};       ///< of the cut, at the start
  double seconds = 0.0;    ///< to cut the design and to evaluate the cut
};

/// Cuts a design and evaluates the cut once, without gradients. A cut that cannot be simulated is reported later.
CutComparison compare_with_cut(EvaluationChain& chain, Design grey, AllValues grey_values);

/// cut.vtu and, if the problem wants pictures, cut.png.
void write_cut(RunDirectory& folder, const EvaluationChain& chain, const DesignSpace& space,
               const CutComparison& comparison);

/// Reports a table of both, and warns of what the cut shows of the design: much grey, a violated constraint, another
/// psi, pieces that nothing holds. Adds all of it to the numbers as `cut`.
void report_cut(const EvaluationChain& chain, const DesignSpace& space, const CutComparison& comparison,
                Report& report);

}  // namespace kurbel
