/// @file
/// What an optimal-control run leaves on disk: variables, histories over time, pictures, the moving system.
#pragma once

#include "evaluation/control_model.hpp"
#include "evaluation/variable_table.hpp"
#include "output/run_directory.hpp"

namespace kurbel {

/// The entries of z for variables.csv.
VariableTable variable_table(const ControlProblem& problem, const VectorXd& z);

/// control.csv, states.csv, outputs.csv, and what ControlOutput asks for: their pictures and motion.pvd.
/// @param trajectory  as far as it was simulated
void write_histories(const RunDirectory& folder, const ControlProblem& problem, ControlModel<double>& model,
                     const Trajectory<double>& trajectory);

/// motion.pvd: beams with their equivalent stress (point array `stress`, N/m^2) and springs as lines; nothing
/// if there are neither.
void write_absolute_motion(const std::filesystem::path& pvd, const ControlProblem& problem,
                           const ControlModel<double>& model, const Trajectory<double>& trajectory);

/// adjoint.csv: R_k = -dc/dx_k, for explicit Euler the adjoint variables of [P2, eqs 17-19, Fig. 3], of the
/// constraints that ControlOutput names; adjoint.png if they have few rows.
void write_adjoint(const RunDirectory& folder, const ControlProblem& problem, ControlModel<double>& model,
                   const Trajectory<double>& trajectory);

/// gradient.csv: a row per entry of z, with the derivatives of the cost and of each constraint.
void write_gradients(const std::filesystem::path& path, const ControlProblem& problem,
                     const ControlModel<double>& model, const MatrixXd& gradients);

/// "length <= 12 at 0.31 s", for tables and messages.
std::string row_name(const ControlProblem& problem, const ControlModel<double>& model, std::size_t row);

}  // namespace kurbel
