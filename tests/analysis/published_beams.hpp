/// @file
/// The half MBB beam as published, E. Andreassen et al., Efficient topology optimization in MATLAB using 88 lines of code,
/// Struct. Multidiscip. Optim. 43 (2011), and runs of it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

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

}  // namespace kurbel::test
