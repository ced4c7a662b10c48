/// @file
/// The half MBB beam as published, E. Andreassen et al., Efficient topology optimization in MATLAB using 88 lines of code,
/// Struct. Multidiscip. Optim. 43 (2011), and runs of it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "keys/toml_document.hpp"
#include "study/study.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel::test {

/// Objectives of the designs of an optimization.
class Objectives final : public StudyEvents {
 public:
  void iterated(const StudyIteration& told) override {
    all.push_back(told.report.evaluation->objective);
    changes.push_back(told.report.design_change);
  }
  std::vector<double> all, changes;
};

/// A run ends when the design changes by 0.01 at most. The published program then prints the objective of the design
/// before that change, and the number of changes as that of its loops.
struct PublishedRun {
  double first = 0.0, last = 0.0;
  int loops = 0;
};

inline PublishedRun run_of(const std::string& name, std::vector<std::string> overrides) {
  Study study = Study::read(input(name), overrides);
  Objectives told;
  study.optimize(told);
  const std::size_t n = told.all.size();
  if (n < 2) throw std::runtime_error("the run ended at its start");
  return {told.all.front(), told.all.at(n - 2), static_cast<int>(n) - 1};
}

/// The projection is for density filters alone.
inline std::vector<std::string> mbb(const std::string& filter, double radius) {
  const std::string type = fmt::format("filter.type={}", filter),
                    of_radius = fmt::format("filter.radius={}", radius);
  if (filter == "density") return {type, of_radius, fmt::format("projection.type={}", "none")};
  return {type, of_radius};
}

/// The half MBB beam in space of nx x ny x nz elements of unit edges, as in topoptlab (S. Hiemer, example_bc/lin_elast.py,
/// mbb_3d): planes of symmetry at x = 0 and z = 0, a roller that holds across, too, and unit forces on all nodes of the edge
/// in the middle.
inline Study beam_in_space(int nx, int ny, int nz, double radius, int iterations) {
  std::string text = fmt::format(R"(
analysis = "static"
objective = {{ type = "compliance", body = "beam" }}
constraints.volume_fraction = 0.5
filter = {{ type = "density", radius = {3} }}
projection.type = "none"
[optimizer]
method = "oc"
oc_curvature = false
stop = {{ iterations = {4}, design_change = 0.01, design_change_iterations = 1, progress = 0.0 }}
[bodies.beam]
type = "flexible"
mesh = {{ shape = "box", origin = [0, 0, 0], size = [{0}, {1}, {2}], divisions = [{0}, {1}, {2}] }}
material = {{ youngs_modulus = 1.0, poisson_ratio = 0.3, density = 1.0 }}
simp = {{ stiffness = "modified", p_min = 1e-9 }}
supports.middle = {{ x = 0, fixed = ["x"] }}
supports.half_width = {{ z = 0, fixed = ["z"] }}
supports.roller = {{ x = {0}, y = 0, fixed = ["y", "z"] }}
)",
                                 nx, ny, nz, radius, iterations);
  for (int k = 0; k <= nz; ++k)
    text += fmt::format(
        "[bodies.beam.markers.m{0}]\nx = 0\ny = {1}\nz = {0}\n"
        "[loads.p{0}]\nmarker = \"beam.m{0}\"\nforce = [0, -1, 0]\n",
        k, ny);
  return Study(read_problem(TomlDocument::parse(text, "beam.toml", ".")));
}

}  // namespace kurbel::test
