/// Memory of runs side by side.
#include "app/memory_of_runs.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <vector>

#include "base/files.hpp"
#include "base/memory.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

TEST(MemoryOfRuns, GrowsWithTheMesh) {
  const auto usual = [](const char* divisions) {
    return memory_of_run(read_problem(test::input("flexible_crank_small.toml"),
                                      {std::string("bodies.crank.mesh.divisions=") + divisions}))
        .usual;
  };
  EXPECT_GT(usual("[400, 80]"), 1e8);
  EXPECT_GT(usual("[800, 160]") - usual("[400, 80]"), 3.0 * (usual("[400, 80]") - usual("[200, 40]")));
}

TEST(MemoryOfRuns, CountsRunsThatHaveJustBegunWithTheirEstimates) {
  const std::vector<RunningMemory> begun = {{.estimated = 4.0, .held = 0.5}};
  EXPECT_TRUE(fits_beside(begun, 4.0, 1.0, 7.5));
  EXPECT_FALSE(fits_beside(begun, 4.0, 1.0, 7.4)) << "3.5 more of the running one";
  EXPECT_TRUE(fits_beside({}, 4.0, 1.0, 4.0));
  EXPECT_FALSE(fits_beside({}, 4.0, 1.0, 3.9));
}

TEST(MemoryOfRuns, GrowsEstimatesByTheExcessOfEarlierRuns) {
  const std::vector<RunningMemory> grown = {{.estimated = 4.0, .held = 4.0}};
  EXPECT_TRUE(fits_beside(grown, 4.0, 1.0, 4.0));
  EXPECT_FALSE(fits_beside(grown, 4.0, 1.5, 7.9)) << "6 of its own, and 2 more of the running one";
  EXPECT_TRUE(fits_beside(grown, 4.0, 1.5, 8.0));
  const std::vector<RunningMemory> larger = {{.estimated = 4.0, .held = 8.0}};
  EXPECT_FALSE(fits_beside(larger, 4.0, 1.0, 7.9));
  EXPECT_TRUE(fits_beside(larger, 4.0, 1.0, 8.0));
}

TEST(MemoryOfRuns, IsLimitedByTheControlGroupsOfAJob) {
  const TemporaryFolder mounted;
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((mounted / file).parent_path());
    write_text_file(mounted / file, text);
  };
  const auto left = [&](const std::string& groups) {
    write("groups", groups);
    return available_in_control_groups(mounted.path(), mounted / "groups");
  };
  EXPECT_EQ(left("0::/job/step\n"), std::numeric_limits<double>::infinity());
  write("job/step/memory.max", "max\n");
  write("job/memory.max", "1000\n");
  write("job/memory.current", "700\n");
  write("job/memory.stat", "anon 300\nactive_file 50\ninactive_file 250\n");
  EXPECT_EQ(left("0::/job/step\n"), 600.0) << "cached files give way";
  EXPECT_EQ(left("0::/\n"), std::numeric_limits<double>::infinity()) << "of another group";
  write("job/step/memory.high", "900\n");
  write("job/step/memory.current", "400\n");
  EXPECT_EQ(left("0::/job/step\n"), 500.0) << "beyond this, the kernel slows processes down";
  write("job/step/memory.high", "max\n");
  EXPECT_EQ(left("0::/job/step\n"), 600.0);

  write("memory/slurm/job_7/memory.limit_in_bytes", "500\n");
  write("memory/slurm/job_7/memory.usage_in_bytes", "450\n");
  write("memory/slurm/job_7/memory.stat", "active_file 1\ntotal_active_file 100\ntotal_inactive_file 50\n");
  EXPECT_EQ(left("5:memory:/slurm/job_7/step_0\n1:cpu:/slurm\n0::/\n"), 200.0);
  EXPECT_EQ(left("5:cpu,memory:/slurm/job_7\n"), 200.0);
  EXPECT_EQ(left("5:cpu:/slurm/job_7\n"), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace kurbel
