/// @file
/// The run file, run.h5: what a run started from, every design it evaluated, and what came out.
///
///     attributes        those of base/file_header.hpp, and `status`
///     bodies/<name>     standard input data of the last design (sid/sid_hdf5.hpp)
///     trajectory        time; multipliers; bodies/<name>/{pose, velocity, acceleration}; a row per instant
///     densities/<name>  iteration; density; a row per stored iteration
///     history           a row per iteration; attribute `columns`
///     evaluations       design, objective, gradient, constraints, constraint_gradients (m x n, row-major);
///                       steepness, stage, diagnostics; a row per evaluation; one that failed has its design and
///                       a text failures/<row>
///     provenance        names, values: what the evaluations depend on
///
/// The log of evaluations lets a restarted optimizer run over what was computed before. Units: SI.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_header.hpp"
#include "base/hdf5_file.hpp"
#include "results/body_trajectories.hpp"
#include "sid/sid.hpp"

namespace kurbel {

/// Objective and constraints at a design, or why there are none.
struct RunEvaluation {
  VectorXd design;  ///< n
  double objective = 0.0;
  VectorXd gradient;              ///< n
  VectorXd constraints;           ///< m
  MatrixXd constraint_gradients;  ///< m x n
  std::string failure;            ///< empty on success; else only the design is kept with it
  double steepness = 0.0;         ///< beta of the projection with which it was evaluated; 0: none
  int stage = 0;                  ///< of the problem
  VectorXd diagnostics{};         ///< Evaluation::diagnostics
};

/// One thing that evaluations depend on.
struct ProvenancePart {
  std::string name;   ///< key path of the input, or what else it is
  std::string value;  ///< in a form in which equal things are equal
};

class RunReader;

/// Writes a run file. It is in memory, and reaches the disk as a whole with each checkpoint: the file there is complete
/// and readable at any moment, also after a crash.
class RunFile {
 public:
  /// A new file; one of that name is replaced by the first checkpoint. header.content is set.
  static RunFile create(const std::filesystem::path& path, FileHeader header);

  /// Goes on with what the file of an interrupted run keeps of its start and its evaluations, in a new file of its name.
  static RunFile resume(const RunReader& earlier);

  /// E.g. "running", "finished, converged: KKT residual 0.002", "interrupted".
  void set_status(const std::string& status);

  /// Replaces the body of that name.
  void set_sid(const std::string& body, const Sid& sid);

  /// Replaces the trajectory.
  void set_trajectory(const BodyTrajectories& trajectory);

  /// The densities of a body at an iteration, in place of stored ones of this iteration and later ones.
  void add_density(const std::string& body, int iteration, const VectorXd& density);

  /// Values of the columns at an iteration, in place of stored rows of this iteration and later ones.
  void add_history(int iteration, const std::vector<std::string>& columns, const std::vector<double>& values);

  /// Stores all that the evaluations depend on.
  void set_provenance(const std::vector<ProvenancePart>& parts);

  /// The evaluation of that number; stored ones of this number and later ones are dropped.
  void add_evaluation(Eigen::Index number, const RunEvaluation& evaluation);

  /// @throws WriteError if the file cannot be written; the one on disk is then as after the last checkpoint
  void checkpoint();

  /// A checkpoint, unless the last one was so recent that checkpoints would take more than 2 % of the time.
  void checkpoint_if_due();

 private:
  using Clock = std::chrono::steady_clock;
  explicit RunFile(Hdf5File file) : file_(std::move(file)) {}
  Hdf5File file_;
  std::optional<Clock::time_point> last_checkpoint_;
  Clock::duration checkpoint_cost_{};
};

/// Reads a run file, piece by piece. Every failure is an InputError that names file and object.
class RunReader {
 public:
  /// @throws InputError if it cannot be read or is no run file
  explicit RunReader(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const FileHeader& header() const { return header_; }
  std::string status() const;

  std::vector<std::string> sid_bodies() const;
  Sid sid(const std::string& body) const;

  bool has_trajectory() const;
  BodyTrajectories trajectory() const;

  std::vector<std::string> density_bodies() const;
  std::vector<int> density_iterations(const std::string& body) const;
  VectorXd density(const std::string& body, Eigen::Index row) const;  ///< row of density_iterations

  std::vector<std::string> history_columns() const;  ///< the first is "iteration"; empty without a history
  MatrixXd history() const;                          ///< a row per iteration

  std::vector<ProvenancePart> provenance() const;  ///< empty if the file has none

  Eigen::Index n_evaluations() const;
  RunEvaluation evaluation(Eigen::Index row) const;

 private:
  Hdf5File file_;
  FileHeader header_;
};

}  // namespace kurbel
