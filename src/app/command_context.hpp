/// @file
/// Common parts of the commands: the problem, its chain, the run folder, the report.
#pragma once

#include "app/command_line.hpp"
#include "app/report.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "optimizers/optimizer.hpp"
#include "output/run_directory.hpp"
#include "study/study.hpp"

namespace kurbel {

/// Every file that the run reads: the problem file and those that it includes, standard input data,
/// densities, variables.
std::vector<std::filesystem::path> input_files(const CommandLine& args, const Problem& problem);
std::vector<std::filesystem::path> input_files(const CommandLine& args, const TomlDocument& document);

/// True if both names lead to one file, which need not exist.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// The folder of the run, --output or the default for the input file and command; checked, and with it
/// --json.
/// @param inputs  what the run reads, and so must not replace
/// @throws InputError if the run may not write there
RunDirectory run_directory(const CommandLine& args, const std::vector<std::filesystem::path>& inputs);

/// @throws InputError if --json names a file that the command reads, or one that cannot be written
void require_json_is_no_input(const CommandLine& args, const std::vector<std::filesystem::path>& inputs);

/// @throws InputError if --json names a file that the run reads or writes, or one that cannot be written
void require_usable_json(const CommandLine& args, const RunDirectory& folder,
                         const std::vector<std::filesystem::path>& inputs);

/// The problem as a study that does not optimize, and in the log as what densities of a file were read.
Study evaluation_study(Problem problem, const CommandLine& args);

/// @throws InputError if the problem asks for something else than a motion
void require_motion(const Problem& problem, const std::string& command);

/// The input file with the overrides of the command line. --variables is one of them, so that a run file
/// keeps it.
TomlDocument read_document(const CommandLine& args);

/// The input with which a run was started, and overrides behind its own.
TomlDocument document_of_run(const std::filesystem::path& folder, const std::vector<std::string>& overrides);

/// ", volume fraction 0.5" if a body with a mesh is designed.
std::string volume_of(const DesignSpace& space, const Design& design);

/// The report of a command that logs its sentences, and of one that prints them, unless --quiet.
Report log_report();
Report console_report(const CommandLine& args);

/// Reports [variables] with their bounds and units, those that are one number each.
/// @param gradient  d psi / d variable over all of them, in their units, or empty
void report_variables(const Problem& problem, const DesignSpace& space, const VariableTable& table,
                      const VectorXd& gradient, Report& report);

/// "discrete adjoint"
const char* name_of(SensitivityOptions::Method method);

/// Reports a numerical failure and returns its exit code.
int fail(const Failure& failure);

/// "finished", "interrupted" or "failed".
std::string outcome_of(const OptimizerResult& result);

/// "finished, converged: KKT residual 0.002", for run.h5.
/// @param way_on  as of verdict_on()
std::string status_of(const OptimizerResult& result, const std::string& way_on);

/// Seconds per link of the chain.
nlohmann::json to_json(const ChainTimes& times);

/// Writes the numbers of a command with the peak memory of the process, atomically; nothing without --json.
/// @throws InputError if the file cannot be written
void write_json(const CommandLine& args, const nlohmann::json& numbers);
inline void write_json(const CommandLine& args, const Report& report) {
  write_json(args, report.numbers());
}

/// Logs each as a warning.
void log_warnings(const std::vector<std::string>& texts);

/// Warns where the integrator does not damp what oscillates in accelerations and reactions.
void warn_of_oscillation(const Problem& problem);

/// Warns of processes that mpirun started and that have no body to solve for.
void warn_of_idle_processes(const Problem& problem);

/// Logs the error of a function's gradient: as a warning above tolerable_adjoint_error.
void report_adjoint_error(const std::string& function, double error, const IntegratorOptions& integrator);

/// Reports what was measured of the continuous adjoint, and warns where Phi^T Phi_bar, which is zero for an
/// exact gradient, says that this one is not.
void warn_of_inexact_gradient(const EvaluationChain& chain, const ChainResult& result);

/// Frequencies, mass and times of the reduced bodies, and what the joints changed of the given start, for the
/// log.
void log_reduction(const EvaluationChain& chain, const ChainResult& result);

/// Logs what psi and each constraint are, in which form and unit.
void log_criteria(const Problem& problem);

}  // namespace kurbel
