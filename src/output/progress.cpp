#include "output/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "output/log.hpp"

namespace kurbel {

std::string clock_text(double seconds) {
  const long s = std::lround(std::max(0.0, seconds));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

double Progress::remaining(const ProgressState& state) const {
  double left = std::numeric_limits<double>::infinity();
  if (options_.max_iterations > 0 && recent_.size() > 1) {
    const ProgressState& first = recent_.front();
    const double pace = (state.elapsed - first.elapsed) / std::max(1, state.iteration - first.iteration);
    left = pace * std::max(0, options_.max_iterations - state.iteration);
  }
  if (options_.wall_time > 0.0) left = std::min(left, options_.wall_time - state.elapsed);
  return left;
}

std::string Progress::bar(const ProgressState& state) const {
  constexpr int cells = 20;
  if (options_.max_iterations <= 0) return "";
  const double share = static_cast<double>(state.iteration) / options_.max_iterations;
  const int done = std::clamp(static_cast<int>(cells * share), 0, cells);
  return fmt::format("[{}{}] ", std::string(static_cast<std::size_t>(done), '#'),
                     std::string(static_cast<std::size_t>(cells - done), '-'));
}

std::string Progress::clock(const ProgressState& state) const {
  const double left = remaining(state);
  const std::string elapsed = clock_text(state.elapsed);
  return std::isfinite(left) ? fmt::format("{}, at most {} left", elapsed, clock_text(left)) : elapsed;
}

std::string Progress::line(const ProgressState& state) const {
  std::string count = fmt::format("{:>4}", state.iteration);
  if (options_.max_iterations > 0) count += fmt::format("/{}", options_.max_iterations);
  std::string values = fmt::format("objective {:<12.6g}", state.objective);
  if (!std::isnan(state.volume)) values += fmt::format(" volume {:.4f} ", state.volume);
  if (!std::isnan(state.grey)) values += fmt::format(" grey {:.3f} ", state.grey);
  if (!std::isnan(state.violation)) values += fmt::format(" violation {:.1e} ", state.violation);
  if (!state.violated.empty()) values += fmt::format("({}) ", state.violated);
  values += fmt::format(" change {:.4f}", state.change);
  std::string phases;
  for (const PhaseTime& phase : state.phases) phases += fmt::format(" {} {:.3g}", phase.name, phase.seconds);
  if (!phases.empty()) phases = fmt::format("  |{} s", phases);
  return console_.is_terminal()
             ? fmt::format("{}{}  {}  |  {}{}", bar(state), count, clock(state), values, phases)
             : fmt::format("{}  {}  |  {}{}", count, values, clock(state), phases);
}

void Progress::update(const ProgressState& state) {
  recent_.push_back(state);
  if (recent_.size() > 11) recent_.pop_front();
  const std::string text = line(state);
  log_detail(text);
  if (!options_.quiet) console_.print_in_place(text);
}

void Progress::finish() {
  console_.end_line();
}

}  // namespace kurbel
