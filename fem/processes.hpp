/// @file
/// Several processes of one run, started by `mpirun -n N kurbel ...`.
///
/// The first process is the program: it reads, decides and writes. The others hold rows of stiffnesses and solve with them
/// together with the first (fem/petsc_session.hpp); they know no problem, write nothing, and take no decision.
#pragma once

#include <optional>

namespace kurbel::fem {

/// True if the program is built with PETSc (KURBEL_PETSC), without which there is but one process.
bool has_petsc();

/// Processes that mpirun started together, by their environment; 1 without mpirun.
int n_processes();

/// Joins the processes that mpirun started together. In the first one it returns nothing at once. In the others it
/// serves the first one until that calls leave_processes(), and returns the exit code given there.
/// Does nothing without mpirun or without PETSc.
std::optional<int> join_processes();

/// Ends the other processes, all with this exit code. Called once, when no more stiffness is solved with.
void leave_processes(int exit_code);

}  // namespace kurbel::fem
