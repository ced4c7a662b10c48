/// @file
/// The files of `kurbel simulate` and `kurbel gradient`: listeners that write what a study tells.
#pragma once

#include <string>
#include <vector>

#include "output/run_directory.hpp"
#include "study/study.hpp"

namespace kurbel {

/// A function with its derivatives by densities and by the variables.
struct NamedGradient {
  std::string name, unit;
  const Design& bar;
  VectorXd by_variables;
};
/// Returns the gradients of psi and of every bounded function, except those at one of several instants.
std::vector<NamedGradient> named_gradients(const EvaluationChain& chain, const DesignSpace& space,
                                           const VectorXd& x, const std::vector<Design>& bars);

/// Writes run.h5, variables and histories of a simulation: all of it but its log and the moving picture.
void write_simulation(RunDirectory& folder, const Study& study, const StudyMotion& motion);

/// Writes run.h5, variables, histories and the moving picture. Begins the run in its folder; before, nothing there
/// changes.
class SimulationRecord final : public StudyEvents {
 public:
  SimulationRecord(Study& study, RunDirectory& folder) : study_(study), folder_(folder) {}
  void simulated(const StudyMotion& motion) override;

 private:
  Study& study_;
  RunDirectory& folder_;
};

/// Writes fields, tables and pictures of gradients, and the histories of the motion. Begins the run in its folder;
/// before, nothing there changes.
class GradientRecord final : public StudyEvents {
 public:
  /// @param over_time  also as the gradient of the objective grows over time
  GradientRecord(Study& study, RunDirectory& folder, bool over_time)
      : study_(study), folder_(folder), over_time_(over_time) {}
  void differentiated(const StudyGradients& at) override;

  /// A failure if the gradient over time is not finite.
  const Status& status() const { return status_; }

 private:
  void write_fields(const StudyGradients& at);

  Study& study_;
  RunDirectory& folder_;
  bool over_time_;
  Status status_;
};

}  // namespace kurbel
