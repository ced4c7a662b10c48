/// Tables of drives and loads whose times and values come from a file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "arm_text.hpp"
#include "base/files.hpp"
#include "problem/problem.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

constexpr const char* motion = "t [s],hinge [deg],push [kN],count\n0,0,1,7\n1,90,2,8\n4,180,3,9\n";

/// The arm with more keys, beside a file motion.csv.
Problem read_beside(const std::string& table, const std::string& more) {
  const TemporaryFolder folder;
  write_text_file(folder / "motion.csv", table);
  return read_problem(TomlDocument::parse(std::string(arm_text) + more, "arm.toml", folder.path()));
}

std::string drive(const std::string& keys) {
  return "[joints.hinge.drive]\ndof = \"rz\"\ntype = \"table\"\nfile = \"motion.csv\"\n" + keys + "\n";
}

std::string mistake(const std::string& more, const std::string& table = motion) {
  const std::string message = input_error_message([&] { read_beside(table, more); });
  return message.substr(message.find(' ') + 1);
}

TEST(TableOfAFile, IsThatOfItsNumbers) {
  const Problem p = read_beside(motion, drive("column = \"hinge\""));
  const DriveSpec& drive = p.system.joints[0].drives.at(0);
  ASSERT_TRUE(drive.table);
  EXPECT_EQ(drive.table->times, (std::vector<double>{0.0, 1.0, 4.0}));
  const Problem typed = read_beside(motion,
                                    "[joints.hinge.drive]\ndof = \"rz\"\ntype = \"table\"\nt = [0, 1, 4]\n"
                                    "values = \"[0, 90, 180] deg\"\n");
  for (const double t : {0.3, 1.0, 1.7, 2.0}) {
    const TimeValue a = drive.motion->at(t), b = typed.system.joints[0].drives[0].motion->at(t);
    EXPECT_NEAR(a.value, b.value, 1e-15);
    EXPECT_NEAR(a.rate, b.rate, 1e-14);
  }
}

TEST(TableOfAFile, HasTheUnitOfItsColumn) {
  constexpr double pi = std::numbers::pi;
  const auto at_one = [](const std::string& keys) {
    return read_beside(motion, drive(keys)).system.joints[0].drives[0].motion->at(1.0).value;
  };
  EXPECT_NEAR(at_one("column = \"hinge\""), 0.5 * pi, 1e-15);
  EXPECT_NEAR(at_one("column = \"hinge\"\nunit = \"turn\""), 0.5 * pi, 1e-15);
  EXPECT_NEAR(at_one("column = \"count\"\nunit = \"deg\""), 8.0 * pi / 180.0, 1e-15);
  const Problem p = read_beside(motion,
                                "[loads.push]\nmarker = \"arm.tip\"\nforce = [{ type = \"table\", file = "
                                "\"motion.csv\", column = \"push\" }, 0.0, 0.0]\n");
  EXPECT_NEAR(p.system.loads.at(0).force[0]->at(1.0).value, 2000.0, 1e-12);
}

TEST(TableOfAFile, IsStretchedToTheMotionIfTimesAreRelative) {
  const Problem p = read_beside(motion, drive("column = \"hinge\"\ntimes = \"relative\""));
  const TimeFunctionPtr& motion_of_2_s = p.system.joints[0].drives[0].motion;
  EXPECT_NEAR(motion_of_2_s->at(0.5).value, 0.5 * std::numbers::pi, 1e-15);
  EXPECT_NEAR(motion_of_2_s->at(2.0).value, std::numbers::pi, 1e-15);
}

TEST(TableOfAFile, IsRefusedByItsKeys) {
  EXPECT_EQ(mistake(drive("")), "joints.hinge.drive.column is missing; name the column of the file");
  EXPECT_EQ(mistake(drive("column = \"hing\"")).substr(0, 51),
            "joints.hinge.drive.column = \"hing\" is no column of ");
  EXPECT_EQ(mistake(drive("column = \"push\"")),
            "joints.hinge.drive.column = \"push\" has the unit kN; a column in one of these is needed: rad, "
            "deg, turn");
  EXPECT_EQ(mistake(drive("column = \"hinge\"\nt = [0.0, 1.0]")),
            "joints.hinge.drive.file = \"motion.csv\" stands beside t; give one of the two");
  EXPECT_EQ(mistake("[joints.hinge.drive]\ndof = \"rz\"\ntype = \"table\"\nt = [0, 2]\nvalues = [0, 1]\n"
                    "column = \"hinge\"\n"),
            "joints.hinge.drive.column = \"hinge\" needs file");
  EXPECT_EQ(
      mistake(drive("column = \"hinge\""), "t [s],hinge [deg]\n0,0\n1,90\n"),
      "joints.hinge.drive.file ends at 1 s, but the motion ends at 2 s. Extend the table, or set beyond = "
      "\"hold\" or \"repeat\"");
}

}  // namespace
}  // namespace kurbel
