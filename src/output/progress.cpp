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

std::string Progress::line(const ProgressState& state) const {
  std::string text = fmt::format("{:>4}", state.iteration);
  if (options_.max_iterations > 0) text += fmt::format("/{}", options_.max_iterations);
  text += fmt::format("  objective {:<12.6g}", state.objective);
  if (!std::isnan(state.volume)) text += fmt::format(" volume {:.4f} ", state.volume);
  if (!std::isnan(state.grey)) text += fmt::format(" grey {:.3f} ", state.grey);
  if (!std::isnan(state.violation)) text += fmt::format(" violation {:.1e} ", state.violation);
  if (!state.violated.empty()) text += fmt::format("({}) ", state.violated);
  text += fmt::format(" change {:.4f}", state.change);
  text += fmt::format("  |  {}", clock_text(state.elapsed));
  const double left = remaining(state);
  if (std::isfinite(left)) text += fmt::format(", at most {} left", clock_text(left));
  if (!state.phases.empty()) {
    text += "  |";
    for (const PhaseTime& phase : state.phases) text += fmt::format(" {} {:.3g}", phase.name, phase.seconds);
    text += " s";
  }
  return text;
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
