#include <gtest/gtest.h>

#include <limits>

#include "base/files.hpp"
#include "input/variables_reader.hpp"
#include "output/csv_tables.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

VariableTable table() {
  return {{"mass", "length", "force"},
          Eigen::Vector3d(1.0, 2.0, 3.0),
          Eigen::Vector3d(0.0, 0.0, -std::numeric_limits<double>::infinity()),
          Eigen::Vector3d(10.0, 10.0, std::numeric_limits<double>::infinity()),
          {"kg", "m", ""}};
}

class Variables : public ::testing::Test {
 protected:
  VectorXd read(const std::string& text) const {
    write_text_file(folder_ / "v.csv", text);
    return read_variables(folder_ / "v.csv", table());
  }
  std::string error_of(const std::string& text) const {
    return input_error_message([&] { read(text); });
  }
  TemporaryFolder folder_;
};

TEST_F(Variables, AreReadAsTheyWereWritten) {
  write_variables(folder_ / "v.csv", table());
  EXPECT_EQ(read_variables(folder_ / "v.csv", table()), table().value);
  EXPECT_EQ(read_text_file(folder_ / "v.csv"),
            "name,value,lower,upper,unit\nmass,1,0,10,kg\nlength,2,0,10,m\nforce,3,-inf,inf,\n");
}

TEST_F(Variables, HaveGradientsInTheirUnits) {
  write_gradient_table(folder_ / "g.csv", table(), {{{"gradient", "J"}, Eigen::Vector3d(0.5, -1.0, 2.0)}});
  EXPECT_EQ(read_text_file(folder_ / "g.csv"),
            "name,value,unit,gradient [J]\nmass,1,kg,0.5\nlength,2,m,-1\nforce,3,,2\n");
}

TEST_F(Variables, MayStandInAnyOrder) {
  EXPECT_EQ(read("name,value\r\nforce,-7\r\nmass,+0.5\r\nlength,1e0\r\n"), Eigen::Vector3d(0.5, 1.0, -7.0));
}

TEST_F(Variables, AreRefusedWithFileLineAndReason) {
  using ::testing::EndsWith;
  const std::string header = "name,value,lower,upper\n", mass = "mass,1,0,10\n", length = "length,2,0,10\n",
                    force = "force,3,-inf,inf\n";
  EXPECT_THAT(error_of(header + "mass,1,abc,10\n" + length + force),
              EndsWith("v.csv:2: lower of mass is \"abc\", which is not a number"));
  EXPECT_THAT(error_of(header + mass + "length,2,0,nan\n" + force),
              EndsWith("v.csv:3: upper of length is \"nan\", which is not a number"));
  EXPECT_THAT(error_of(header + mass + "length,2,3,1\n" + force),
              EndsWith("v.csv:3: lower = 3 of length is above upper = 1"));
  EXPECT_THAT(error_of(header + mass + "length,1,5,0,10\n" + force),
              EndsWith("v.csv:3: has 5 fields, but the first line has 4; a number has a point and no comma"));
  EXPECT_THAT(error_of("name,value\nmass,1\nlength,1,5\nforce,0\n"),
              EndsWith("v.csv:3: has 3 fields, but the first line has 2; a number has a point and no comma"));
  EXPECT_THAT(error_of(header + mass + "length,2 m,0,10\n" + force),
              EndsWith("v.csv:3: value of length is \"2 m\", which is not a number"));
  EXPECT_THAT(error_of(header + mass + "length,11,0,20\n" + force),
              EndsWith("v.csv:3: length = 11 is outside its bounds [0, 10]"));
  EXPECT_THAT(error_of(header + mass + length + mass + force),
              EndsWith("v.csv:4: mass stands in the file twice"));
  EXPECT_THAT(error_of(header + mass + "lenght,2,0,10\n" + force),
              EndsWith("v.csv:3: lenght is no variable of the problem; did you mean length?"));
  EXPECT_THAT(error_of(header + mass + force),
              EndsWith("v.csv: length is missing; the problem has 3 variables"));
  EXPECT_THAT(error_of(mass + length + force), ::testing::HasSubstr("v.csv:1: is not the first line"));
  EXPECT_THAT(error_of("name,value,lower,upper,unit\nmass,1,0,10,g\n"),
              EndsWith("v.csv:2: mass is in \"g\", but the problem has it in \"kg\""));
  EXPECT_THAT(error_of(""), ::testing::HasSubstr("v.csv:1: is not the first line"));
}

}  // namespace
}  // namespace kurbel
