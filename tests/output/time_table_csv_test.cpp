#include <cmath>
#include <limits>

#include "base/files.hpp"
#include "output/csv_tables.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

TEST(TimeTableCsv, WritesOneRowPerInstantInTheShortestNumbers) {
  const TemporaryFolder folder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_time_table_csv(
      folder / "a.csv", Vector3d(0.0, 0.1, 0.1 + 0.2),
      {{{"u_1", "N m"}, Vector3d(1.0, -2.5e-4, 1.0 / 3.0)}, {{"u_2"}, Vector3d(1e22, nan, -0.0)}});
  EXPECT_EQ(read_text_file(folder / "a.csv"),
            "t [s],u_1 [N m],u_2\n"
            "0,1,1e+22\n"
            "0.1,-0.00025,nan\n"
            "0.30000000000000004,0.3333333333333333,-0\n");
}

TEST(TimeTableCsv, WritesTheHeaderOfAnEmptyTable) {
  const TemporaryFolder folder;
  write_time_table_csv(folder / "a.csv", VectorXd(), {});
  EXPECT_EQ(read_text_file(folder / "a.csv"), "t [s]\n");
}

TEST(TimeTableCsv, QuotesNamesThatWouldBreakTheTable) {
  const TemporaryFolder folder;
  write_time_table_csv(
      folder / "a.csv", VectorXd::Zero(1),
      {{{"x, tip"}, VectorXd::Ones(1)}, {{"5\" arm", "m"}, VectorXd::Ones(1)}, {{"a b"}, VectorXd::Ones(1)}});
  EXPECT_EQ(read_text_file(folder / "a.csv"), "t [s],\"x, tip\",\"5\"\" arm [m]\",a b\n0,1,1,1\n");
}

TEST(TimeTableCsv, RefusesAColumnOfAnotherLengthAndKeepsTheEarlierFile) {
  const TemporaryFolder folder;
  write_text_file(folder / "a.csv", "earlier");
  expect_input_error(
      [&] {
        write_time_table_csv(folder / "a.csv", VectorXd::Zero(3), {{{"u_1"}, VectorXd::Zero(2)}});
      },
      {"cannot write", "a.csv", "'u_1'", "2 values at 3 times"});
  EXPECT_EQ(read_text_file(folder / "a.csv"), "earlier");
}

TEST(TimeTableCsv, ReportsWhatCannotBeWritten) {
  const TemporaryFolder folder;
  expect_write_error([&] { write_time_table_csv(folder / "none/a.csv", VectorXd::Zero(1), {}); },
                     {"cannot write", "none/a.csv"});
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  fs::create_symlink("/dev/full", folder / "a.csv.part");
  expect_write_error([&] { write_time_table_csv(folder / "a.csv", VectorXd::Zero(1), {}); },
                     {"cannot write", "a.csv", "No space left"});
}

}  // namespace
}  // namespace kurbel
