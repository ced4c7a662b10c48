/// A double pendulum on a cart through the program: published figures that have an answer.    [P3, section 5]
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "csv_table.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::CsvTable;

std::vector<double> optimized(const TemporaryFolder& folder, const std::string& name, const char* table,
                              const char* column, const std::string& options = "") {
  const std::string out = (folder / "run").string();
  const test::Outcome o =
      test::run("optimize " + test::input(name) + options +
                " --quiet --set output.motion=false --set output.picture=false --output " + out);
  EXPECT_EQ(o.exit_code, 0) << o.text;
  const VectorXd values = CsvTable(out + "/" + table).column(column);
  return {values.begin(), values.end()};
}

TEST(Cart, SwingsUpToZeroInBothStages) {
  const TemporaryFolder folder;
  const std::vector<double> J = optimized(folder, "cart_swing_up.toml", "history.csv", "objective");
  // gamma = 0 ends where gamma = 1 begins, with the rates that are left.
  const auto upright = std::ranges::find_if(J, [](double j) { return j < 1e-8; });
  ASSERT_NE(upright, J.end());
  const auto calm = std::ranges::find_if(upright, J.end(), [](double j) { return j > 1e-3; });
  EXPECT_NE(calm, J.end()) << "a stage after it";
  EXPECT_LT(J.back(), 1e-8);
}

/// OpenBLAS of the programs that run while this exists takes its kernels for AVX2.
struct FixedKernels {
  FixedKernels() { setenv("OPENBLAS_CORETYPE", "Haswell", 1); }
  ~FixedKernels() { unsetenv("OPENBLAS_CORETYPE"); }
  FixedKernels(const FixedKernels&) = delete;
  FixedKernels& operator=(const FixedKernels&) = delete;
};

// Rounding decides to which optimum Ipopt comes, and whether within its iterations: with the kernels that OpenBLAS has for
// AVX-512 it ends infeasible. So the kernels are the same on all processors.
TEST(Cart, SwingsUpWithLeastEnergyToAnOptimumByIpopt) {
  const TemporaryFolder folder;
  const FixedKernels kernels;
  const std::vector<double> J =
      optimized(folder, "cart_least_energy.toml", "history.csv", "objective",
                " --set optimizer.method=ipopt --set optimizer.feasibility=1e-6"
                " --set optimizer.stop.iterations=500 --set optimizer.stop.kkt_residual=1e-6");
  const CsvTable history((folder / "run" / "history.csv").string());
  const Eigen::Index last = history.n_rows() - 1;
  EXPECT_LT(history.column("kkt_residual")[last], 1e-6);
  EXPECT_LT(history.column("violation")[last], 1e-6);
  EXPECT_LT(J.back(), 95.0) << "N^2 s: 82.530, or another local optimum where rounding leads there";
}

// The optimum has 82.530 N^2 s; a run at its limit of iterations is near it, whatever the rounding of a processor is.
TEST(Cart, SwingsUpWithNearlyTheLeastEnergy) {
  const TemporaryFolder folder;
  const std::vector<double> J = optimized(folder, "cart_least_energy.toml", "history.csv", "objective");
  const CsvTable history((folder / "run" / "history.csv").string());
  const Eigen::Index last = history.n_rows() - 1;
  EXPECT_LT(history.column("violation")[last], 1e-4);
  EXPECT_NEAR(J.back(), 82.53, 0.5) << "N^2 s";
}

TEST(Cart, RestsUnderTheFallingPendulum) {
  const TemporaryFolder folder;
  for (const double x : optimized(folder, "cart_stabilization.toml", "outputs.csv", "x.x"))
    EXPECT_LT(std::abs(x), 7e-3) << "m, published";
}

}  // namespace
}  // namespace kurbel
