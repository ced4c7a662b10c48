/// @file
/// A problem at one design on finer and finer discretizations: meshes, modes and steps, one at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "study/grid_convergence.hpp"
#include "study/refinement.hpp"
#include "study/study.hpp"

namespace kurbel {

/// A number that is to converge.
struct ConvergingQuantity {
  std::string name, unit;
};

/// A discretization that becomes finer.
struct ConvergenceAxis {
  struct Level {
    double factor;              ///< by which it is finer than that of the file
    double size;                ///< h, relative to that of the file
    VectorXd values{};          ///< of the quantities
    std::string description{};  ///< "6400 elements"
  };
  std::string name;         ///< "mesh", "modes", "step", "tolerance"
  double best_order = 0.0;  ///< for smooth solutions; 0: the error follows no power
  std::vector<Level> levels{};
  std::string left_out{};                        ///< why the axis was not varied; empty: it was
  bool is_unknown = false;                       ///< it was omitted, although the values depend on it
  std::vector<std::string> notes{};              ///< what of it stays as it is
  std::vector<ConvergenceEstimate> estimates{};  ///< by quantity
};

struct ConvergenceStudy {
  std::vector<ConvergingQuantity> quantities;
  VectorXd values;  ///< at the discretization of the file
  std::vector<ConvergenceAxis> axes;

  /// Sum of the errors of all axes, by quantity; infinite if that of an axis is unknown.
  VectorXd errors() const;
};

/// @param args  FILE, --set, --density, --variables, --mesh
/// @param tell  called with each simulation
/// @throws InputError if the input is unusable, or has no quantity
/// @return  the failure of the file's own discretization; that of a finer one leaves out its axis
Status study_convergence(const CommandLine& args, const std::function<void(const std::string&)>& tell,
                         ConvergenceStudy& out);

}  // namespace kurbel
