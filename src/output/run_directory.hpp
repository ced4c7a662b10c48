/// @file
/// The folder of a run: where each file is, and what may happen to the files of an earlier run.
#pragma once

#include <filesystem>
#include <string>

namespace kurbel {

/// A rerun into the same folder is normal and replaces the earlier run, but only once it has something to
/// show: after the input is checked and the first evaluation has succeeded, the caller calls begin(). Until
/// then, and whenever the input is bad, nothing in the folder changes. Only files with the names below are
/// ever removed, and SID_FEM files only if our writer left them.
class RunDirectory {
 public:
  /// Checks the folder and changes nothing.
  /// @throws InputError if the folder cannot be made or written, or holds files with our names that no run of
  /// ours left
  explicit RunDirectory(std::filesystem::path folder);
  ~RunDirectory();
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;

  /// Makes the folder, locks it for the life of this object, and removes the files of an earlier run.
  /// @throws InputError if another run is writing there, or the folder cannot be written
  void begin();

  /// Locks the folder of a run that is to be continued, and keeps its files.
  /// @throws InputError if there is no run.h5, or another run is writing there
  void resume();

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path run_h5() const { return folder_ / "run.h5"; }
  std::filesystem::path sid_h5() const { return folder_ / "sid.h5"; }
  /// Standard input data of a body as text.
  std::filesystem::path sid_text(const std::string& body) const { return folder_ / (body + ".SID_FEM"); }
  std::filesystem::path log() const { return folder_ / "run.log"; }
  std::filesystem::path history_csv() const { return folder_ / "history.csv"; }
  std::filesystem::path timing_csv() const { return folder_ / "timing.csv"; }
  std::filesystem::path density_pvd() const { return folder_ / "density.pvd"; }
  std::filesystem::path motion_pvd() const { return folder_ / "motion.pvd"; }
  std::filesystem::path gradient_vtu() const { return folder_ / "gradient.vtu"; }
  std::filesystem::path density_png() const { return folder_ / "density.png"; }
  std::filesystem::path sensitivity_png() const { return folder_ / "sensitivity.png"; }
  std::filesystem::path convergence_csv() const { return folder_ / "convergence.csv"; }
  std::filesystem::path variables_csv() const { return folder_ / "variables.csv"; }
  std::filesystem::path gradient_csv() const { return folder_ / "gradient.csv"; }
  std::filesystem::path control_csv() const { return folder_ / "control.csv"; }
  std::filesystem::path control_png() const { return folder_ / "control.png"; }
  std::filesystem::path states_csv() const { return folder_ / "states.csv"; }
  std::filesystem::path states_png() const { return folder_ / "states.png"; }
  std::filesystem::path outputs_csv() const { return folder_ / "outputs.csv"; }
  std::filesystem::path outputs_png() const { return folder_ / "outputs.png"; }
  std::filesystem::path adjoint_csv() const { return folder_ / "adjoint.csv"; }
  std::filesystem::path adjoint_png() const { return folder_ / "adjoint.png"; }

  /// Field file of an iteration, relative to the folder, as the .pvd names it.
  std::string density_vtu(int iteration) const;

 private:
  void lock();
  void remove_earlier_run() const;

  std::filesystem::path folder_;
  int lock_ = -1;
};

/// outputs/<name of the input file> for optimize, outputs/<name>_<command> for the others, so that a
/// simulation does not replace an optimization.
std::filesystem::path default_run_folder(const std::filesystem::path& input, const std::string& command);

}  // namespace kurbel
