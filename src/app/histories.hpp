/// @file
/// Time histories of a simulation in any formulation, as tables and pictures.
#pragma once

#include "evaluation/constraint_rows.hpp"
#include "output/run_directory.hpp"
#include "study/motion_tables.hpp"

namespace kurbel {

/// histories.csv, which every motion has; control.csv if there are controls; states.csv and outputs.csv
/// if the formulation has them; and with OutputOptions::picture their pictures. As far as it was simulated. Of another
/// analysis of the mechanism its own tables (modes.csv, response.csv), with pictures of curves.
void write_histories(RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result,
                     const MotionTables& tables);

/// adjoint.csv: R_k = -d c / d y_k, for explicit Euler the adjoint variables of [P2, eqs 17-19, Fig. 3], of
/// the constraints that OutputOptions names; adjoint.png if they have few rows.
/// @param rows  of the last stage, whose functions must have been requested
void write_adjoint(const RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result,
                   const ConstraintRows& rows);

/// adjoint_constraints.csv and .png: how well the costates of the objective meet their constraints, at three levels,
/// where the continuous adjoint is requested and is that of motions with momenta.               [P3, Fig. 7]
void write_adjoint_constraints(const RunDirectory& folder, const EvaluationChain& chain,
                               const ChainResult& result);

}  // namespace kurbel
