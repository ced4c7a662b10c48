#include "output/motion_writer.hpp"

#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

/// A rod that moves by 1 m along x from frame to frame, a quarter of a second each.
class MovingRod final : public MotionFrames {
 public:
  explicit MovingRod(std::size_t n_frames) : n_frames_(n_frames) {
    blocks_ = {{"rod", {MatrixXd::Zero(3, 2), {{CellBlock::Kind::line, Eigen::Vector2i(0, 1)}}}}};
  }

  std::size_t n_frames() const override { return n_frames_; }
  double time(std::size_t frame) const override { return 0.25 * static_cast<double>(frame); }
  const std::vector<NamedBlock>& blocks(std::size_t frame) override {
    blocks_[0].grid.points.row(0).setConstant(static_cast<double>(frame));
    return blocks_;
  }

 private:
  std::size_t n_frames_;
  std::vector<NamedBlock> blocks_;
};

TEST(MotionWriter, WritesAFileForEachFrameAndNamesItInTheCollection) {
  const TemporaryFolder folder;
  MovingRod rod(3);
  write_motion(folder / "motion.pvd", rod);
  const auto entries = read_pvd(folder / "motion.pvd");
  ASSERT_EQ(entries.size(), 3u);
  for (std::size_t frame = 0; frame < entries.size(); ++frame) {
    EXPECT_EQ(entries[frame].first, rod.time(frame));
    EXPECT_EQ(block(read_blocks(folder / entries[frame].second), "rod").points(0, 1), double(frame));
  }
}

TEST(MotionWriter, WritesNoFileWithoutFrames) {
  const TemporaryFolder folder;
  MovingRod rod(0);
  write_motion(folder / "motion.pvd", rod);
  EXPECT_FALSE(fs::exists(folder / "motion.pvd"));
}

TEST(MotionWriter, NamesTheFileThatCannotBeWritten) {
  const TemporaryFolder folder;
  MovingRod rod(1);
  expect_write_error([&] { write_motion(folder / "none/a.pvd", rod); }, {"cannot write", "none/a.pvd"});
}

}  // namespace
}  // namespace kurbel
