/// @file
/// A small crank that is optimized, and what commands make of the run.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel::test {

class ExportProgram : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Outcome optimize(const std::string& input, const std::string& options) const {
    return run("optimize " + test::input(input) +
               " --quiet --set output.motion=false --set output.picture=false " + options + " --output " +
               at("run"));
  }
  const std::string tiny =
      "--set bodies.crank.mesh.divisions=[40,8] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
      " --set integrator.step=1e-2 --set filter.radius=0.01 --set optimizer.stop.iterations=20"
      " --set projection.beta_interval=5 --set projection.beta_max=8";

 private:
  TemporaryFolder folder_;
};

}  // namespace kurbel::test
