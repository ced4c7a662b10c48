/// @file
/// A picture of the progress of an optimization.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "output/line_plot.hpp"

namespace kurbel {

/// Collects iterations and draws them: the objective, constraints with their limit zero, and of densities the grey level
/// and the steepness of the projection.
class ConvergencePlot {
 public:
  struct Iteration {
    int number;
    double objective;
    std::vector<std::pair<std::string, double>>
        constraints;  ///< rows of the stage by name; met where <= 0, or = 0
    double grey_level, steepness;
  };

  /// @param unit           of the objective
  /// @param has_densities  whether some vary
  ConvergencePlot(std::string unit, bool has_densities)
      : unit_(std::move(unit)), has_densities_(has_densities) {}

  void add(Iteration iteration) { iterations_.push_back(std::move(iteration)); }
  /// Writes the picture, atomically; nothing before the second iteration.
  void write(const std::filesystem::path& path) const;

 private:
  PlotPanel constraints_panel(const VectorXd& numbers) const;

  std::string unit_;
  bool has_densities_;
  std::vector<Iteration> iterations_;
};

}  // namespace kurbel
