/// `kurbel info`: what files hold, in words and numbers.
#include "app/file_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "output/run_file.hpp"
#include "sid/sid_hdf5.hpp"
#include "sid_text/sid_text.hpp"
#include "tests/input_error.hpp"
#include "tests/sid/beam_sid_text.hpp"
#include "tests/sid/point_mass_sid.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Text and numbers of a report.
struct Told {
  std::string text;
  Report report{[this](const std::string& line) { text += line + "\n"; }};
};

std::string told_of(const std::filesystem::path& file) {
  Told told;
  report_file(file, told.report);
  return told.text;
}

std::string told_of(const std::string& name, const Sid& sid) {
  Told told;
  report_sid({name, sid, {}}, told.report);
  return told.text;
}

TEST(FileReport, DescribesARun) {
  const TemporaryFolder folder;
  RunFile run = RunFile::create(
      folder / "run.h5", {"", "", "Flexible crank", "optimize", "crank.toml", "title = 1\n", {"mesh.x=2"}});
  run.set_sid("crank", random_sid(2));
  BodyTrajectories motion;
  motion.times = VectorXd::LinSpaced(11, 0.0, 2.0);
  motion.multipliers = MatrixXd::Random(1, 11), motion.multiplier_names = {"pin tx"};
  run.set_trajectory(motion);
  run.add_density("crank", 5, VectorXd::Constant(40, 0.5));
  run.add_history(0, {"objective"}, {0.25});
  run.add_history(17, {"objective"}, {0.125});
  run.add_evaluation(0, {.design = VectorXd::Random(40),
                         .objective = 0.25,
                         .gradient = VectorXd::Random(40),
                         .constraints = VectorXd(),
                         .constraint_gradients = MatrixXd(0, 40),
                         .failure = ""});
  run.set_status("interrupted");
  run.checkpoint();
  Told told;
  report_file(folder / "run.h5", told.report);
  for (const char* part :
       {"run file", "Flexible crank", "crank.toml", "mesh.x=2", "interrupted", "17", "0.125", "first 0.25",
        "evaluations kept    1", "11 instants", "40 elements", "body crank (flexible)"}) {
    EXPECT_THAT(told.text, HasSubstr(part));
  }
  const nlohmann::json& numbers = told.report.numbers();
  EXPECT_EQ(numbers["run"]["status"], "interrupted");
  EXPECT_EQ(numbers["run"]["history"]["iteration"], 17.0);
  EXPECT_EQ(numbers["run"]["history"]["objective"], 0.125);
  EXPECT_EQ(numbers["run"]["instants"], 11);
  EXPECT_EQ(numbers["bodies"]["crank"]["frequencies"].size(), 2u);
}

TEST(FileReport, DescribesASidFile) {
  const TemporaryFolder folder;
  write_sid_file(folder / "sid.h5", {{"crank", random_sid(2)}, {"rod", random_sid(0)}});
  const std::string text = told_of(folder / "sid.h5");
  for (const char* part : {"SID file", "body crank (flexible)", "body rod (rigid)"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(FileReport, RefusesOtherFiles) {
  const TemporaryFolder folder;
  write_text_file(folder / "a.h5", "text");
  expect_input_error([&] { told_of(folder / "a.h5"); }, {"a.h5", "truncated or not an HDF5 file"});
}

TEST(FileReport, DescribesBodiesInWords) {
  const std::string flexible = told_of("crank", random_sid(2));
  for (const char* part : {"body crank (flexible)", "elastic coordinates 2", "Hz", "tip", "not indefinite"})
    EXPECT_THAT(flexible, HasSubstr(part));
  EXPECT_THAT(flexible, Not(HasSubstr("VIOLATED")));
  const std::string rigid = told_of("rod", make_rigid_sid(0.5, Vector3d::Zero(), Matrix3d::Identity(), {}));
  for (const char* part : {"body rod (rigid)", "0.5 kg"}) EXPECT_THAT(rigid, HasSubstr(part));
  EXPECT_THAT(rigid, Not(HasSubstr("VIOLATED")));
  const std::string beam = told_of("beam", read_sid_text(beam_text, "a"));
  for (const char* part : {"reference frame     body ref", "shapes held in the frame",
                           "clamped markers   1\n", "modal masses        (5, 10)"})
    EXPECT_THAT(beam, HasSubstr(part));
}

TEST(FileReport, SaysWhatIsWrongWithABody) {
  Sid sid = random_sid(2);
  sid.J.M0(0, 0) += 1e3;
  EXPECT_THAT(told_of("crank", sid), HasSubstr("VIOLATED"));
  Sid bad = Sid::zeros({"q1"}, {});
  bad.Me.M0 << -1.0;
  EXPECT_THAT(told_of("bar", bad), HasSubstr("Me is not positive definite"));
  EXPECT_THAT(told_of("bar", bad), HasSubstr("INDEFINITE (smallest eigenvalue -"));
}

TEST(ReportTable, IsTextCsvAndNumbers) {
  const ReportTable table{{{"", "{}", "name", "", 0, true},
                           {"value", "{:.3g}", "value", "value [m]", 8},
                           {"", "{}", "", "", 0, true},
                           {.key = "met"}},
                          {{"first", 1.0, "met", true}, {"second one", 0.12345, {}, {}}}};
  EXPECT_EQ(table.lines(), (std::vector<std::string>{"               value", "first              1  met",
                                                     "second one     0.123"}));
  EXPECT_EQ(table.csv(), "value [m]\n1\n0.12345\n");
  EXPECT_EQ(
      table.numbers(),
      nlohmann::json::parse(
          R"([{"name": "first", "value": 1.0, "met": true}, {"name": "second one", "value": 0.12345}])"));
}

TEST(Report, KeepsWhatItSays) {
  Told told;
  told.report.part("bodies", "rod")
      .say("{} weighs {:.2f} kg and has {}", "rod", named("mass", 0.123), Counted{"nodes", 1, "node"});
  EXPECT_EQ(told.text, "rod weighs 0.12 kg and has 1 node\n");
  EXPECT_EQ(told.report.numbers(),
            nlohmann::json::parse(R"({"bodies": {"rod": {"mass": 0.123, "nodes": 1}}})"));
}

}  // namespace
}  // namespace kurbel
