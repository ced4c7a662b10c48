/// @file
/// Finds redundant constraints and removes them.
///
/// In an overconstrained mechanism (a planar linkage of revolute joints in space, Bricard's linkage), some
/// rows of C = dc/dx are combinations of others at every position that it takes. With the rows K kept and the
/// rows R removed,
///
///     rank C_K = |K| = rank C,    c_K = 0 implies c_R = 0
///
/// so that c_K = 0 alone gives the motion. Of the reactions C^T lambda only the sum is determined; with
/// lambda_R = 0 it is C_K^T lambda_K.
#pragma once

#include "integration/dae_instant.hpp"
#include "mechanism/system_spec.hpp"
#include "sensitivity/objective.hpp"

namespace kurbel {

/// Sets JointSpec::redundant, by what C says at an assembled start near the given one, next to it, and
/// on a way through it with the drives let go. Rows are kept in the order: displacements, rotations, each by
/// the order of the joints, where one that clearly adds to those kept goes before one that hardly does; and
/// drives last, so that only what cannot move or is driven already loses its drive. Left as they are, for the
/// assembly to refuse: rows that contradict each other.
/// @throws DependentConstraints, with rows of the mechanism with all its constraints, if the start is a
/// singular position: its rows depend on each other there, but not next to it
/// @param first  names of joints whose rows are kept before all others; none of them may
/// be redundant among themselves
void set_redundant_aside(SystemSpec& spec, double t0, const std::vector<std::string>& first = {});

/// The same mechanism with every constraint that its joints state.
SystemSpec with_all_constraints(SystemSpec spec);

/// "joint NAME (DOF)" of every redundant row.
std::vector<std::string> redundant_names(const SystemSpec& spec);

/// True if a motion satisfies the redundant constraints, at some of its instants: up to 1e-8 of the
/// mechanism's size and 1e-8 rad, or a thousand times what the steps leave of those kept.
/// @return a Failure that names the joint, its degree of freedom and the time
Status check_redundant(const SystemSpec& spec, const DaeStateLayout& layout,
                       const Trajectory<double>& trajectory);

}  // namespace kurbel
