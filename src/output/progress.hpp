/// @file
/// The progress lines of an optimization.
#pragma once

#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "output/console.hpp"

namespace kurbel {

struct PhaseTime {
  std::string name;
  double seconds = 0.0;
};

/// The state of an optimization after an iteration.
struct ProgressState {
  int iteration = 0;
  double objective = 0.0;
  double volume = std::numeric_limits<double>::quiet_NaN();     ///< fraction; NaN: not shown
  double change = 0.0;                                          ///< largest change of a design variable
  std::vector<PhaseTime> phases;                                ///< of this iteration
  double elapsed = 0.0;                                         ///< since the start, s
  double violation = std::numeric_limits<double>::quiet_NaN();  ///< of the constraints; NaN: not shown
  std::string violated{};                                       ///< the constraint that is, if one is
  double grey = std::numeric_limits<double>::quiet_NaN();       ///< grey level; NaN: not shown
};

struct ProgressOptions {
  bool quiet = false;
  int max_iterations = 0;  ///< 0: unknown
  double wall_time = 0.0;  ///< limit, s; 0: none
};

/// One line per iteration: in place on a terminal, where a bar and the time come first, since the terminal may cut the
/// line; line by line elsewhere; nothing when quiet; and always in the log file. The remaining time is that of all iterations allowed, at the pace of the last ten: an upper
/// bound, since a run may converge before.
class Progress {
 public:
  explicit Progress(const ProgressOptions& options, Console& console = Console::standard())
      : options_(options), console_(console) {}
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const ProgressState& state);
  void finish();  ///< the last line stays on the terminal

 private:
  std::string line(const ProgressState& state) const;
  std::string bar(const ProgressState& state) const;
  std::string clock(const ProgressState& state) const;
  double remaining(const ProgressState& state) const;

  ProgressOptions options_;
  Console& console_;
  std::deque<ProgressState> recent_;
};

/// 75 s as "1:15", 3725 s as "1:02:05".
std::string clock_text(double seconds);

}  // namespace kurbel
