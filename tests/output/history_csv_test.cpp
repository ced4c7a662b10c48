#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/files.hpp"
#include "output/csv_tables.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

const std::vector<TableColumn> columns = {{"objective", "J s"}, {"volume"}};

void write_rows(HistoryCsv& csv, int first, int last) {
  for (int i = first; i <= last; ++i) csv.add_row(i, {1.0 / (i + 3), 0.5});
}

TEST(HistoryCsv, HeaderOnceAndARowPerIteration) {
  const TemporaryFolder folder;
  HistoryCsv csv(folder / "h.csv", columns);
  EXPECT_EQ(read_text_file(folder / "h.csv"), "iteration,objective [J s],volume\n");
  csv.add_row(0, {2.5e-4, 0.5});
  EXPECT_EQ(read_text_file(folder / "h.csv"),
            "iteration,objective [J s],volume\n0,0.00025,0.5\n");  // at once
  csv.add_row(1, {1.0, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(read_text_file(folder / "h.csv"), "iteration,objective [J s],volume\n0,0.00025,0.5\n1,1,nan\n");
}

TEST(HistoryCsv, NumbersReadBackToTheSameBits) {
  const TemporaryFolder folder;
  HistoryCsv csv(folder / "h.csv", {{"x"}});
  for (const double x : {0.1, 1.0 / 3.0, std::nextafter(1.0, 2.0), 1e-310, -2.46227e-4}) {
    csv.add_row(0, {x});
    const std::string text = read_text_file(folder / "h.csv");
    const std::size_t comma = text.rfind(',');
    EXPECT_EQ(std::strtod(text.c_str() + comma + 1, nullptr), x);
  }
}

TEST(HistoryCsv, RerunGivesTheSameBytes) {
  const TemporaryFolder folder;
  for (const char* name : {"a.csv", "b.csv"}) {
    HistoryCsv csv(folder / name, columns);
    write_rows(csv, 0, 20);
  }
  EXPECT_EQ(read_text_file(folder / "a.csv"), read_text_file(folder / "b.csv"));
}

TEST(HistoryCsv, RefusesARowOfAnotherLength) {
  const TemporaryFolder folder;
  HistoryCsv csv(folder / "g.csv", columns);
  expect_input_error([&] { csv.add_row(0, {1.0}); }, {"g.csv", "1 values for 2 columns"});
}

TEST(HistoryCsv, RefusesAFolderThatIsNone) {
  const TemporaryFolder folder;
  expect_write_error([&] { HistoryCsv(folder / "none/h.csv", columns); }, {"cannot write", "none/h.csv"});
}

TEST(HistoryCsv, ReportsAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  fs::create_symlink("/dev/full", folder / "h.csv.part");
  expect_write_error([&] { HistoryCsv(folder / "h.csv", columns); },
                     {"cannot write", "h.csv", "No space left"});
}

}  // namespace
}  // namespace kurbel
