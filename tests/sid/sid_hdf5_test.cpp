#include "sid/sid_hdf5.hpp"

#include <limits>

#include "base/files.hpp"
#include "input/sid_file.hpp"
#include "tests/input_error.hpp"
#include "tests/sid/point_mass_sid.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Eigen::Index;
using ::testing::ElementsAre;

Sid rigid_rod() {
  return make_rigid_sid(0.5, {0.25, 0.0, 0.0}, Vector3d(0.0, 0.0104, 0.0104).asDiagonal(),
                        {make_sid_node("end", {0.5, 0.0, 0.0}, Matrix3d::Identity(), 0)});
}

/// A file with the body "crank", changed by hand.
template <class Change>
fs::path changed_file(const TemporaryFolder& folder, const Change& change) {
  write_sid_file(folder / "crank.h5", {{"crank", random_sid(3)}});
  Hdf5File file = Hdf5File::open(folder / "crank.h5");
  change(file);
  file.commit();
  return folder / "crank.h5";
}

template <class Change>
void expect_refused(const Change& change, const std::vector<std::string>& parts) {
  const TemporaryFolder folder;
  const fs::path path = changed_file(folder, change);
  expect_input_error([&] { read_sid_file(path); }, parts);
}

TEST(SidHdf5, RoundTripIsBitwise) {
  const TemporaryFolder folder;
  const Sid crank = random_sid(4), rod = rigid_rod(), beam = random_sid(1, 2);
  write_sid_file(folder / "a.h5", {{"rod", rod}, {"crank", crank}, {"beam", beam}});
  const std::vector<NamedSid> bodies = read_sid_file(folder / "a.h5");
  ASSERT_EQ(bodies.size(), 3u);
  EXPECT_EQ(bodies[0].name, "rod");
  EXPECT_TRUE(identical(bodies[0].sid, rod));
  EXPECT_EQ(bodies[1].name, "crank");
  EXPECT_TRUE(identical(bodies[1].sid, crank));
  EXPECT_EQ(bodies[2].name, "beam");
  EXPECT_TRUE(identical(bodies[2].sid, beam));
}

TEST(SidHdf5, RoundTripKeepsASecondOrderDisplacement) {
  const TemporaryFolder folder;
  const Sid stiffened = random_stiffened_sid(4), linear = random_sid(4);
  write_sid_file(folder / "a.h5", {{"stiffened", stiffened}, {"linear", linear}});
  const std::vector<NamedSid> bodies = read_sid_file(folder / "a.h5");
  for (const NamedSid& body : bodies)
    EXPECT_TRUE(identical(body.sid, body.name == "linear" ? linear : stiffened)) << body.name;
}

TEST(SidHdf5, ComparisonOfSidsSeesEveryMember) {
  const Sid sid = random_sid(2);
  EXPECT_TRUE(identical(sid, random_sid(2)));
  Sid other = sid;
  other.Cr.M1[1](0, 2) = std::nextafter(other.Cr.M1[1](0, 2), 2.0);
  EXPECT_FALSE(identical(sid, other));
  other = sid;
  other.frame[1].AP.M1[0](1, 0) += 1.0;
  EXPECT_FALSE(identical(sid, other));
  other = sid;
  other.Me.structure = Taylor::Structure::symmetric;
  EXPECT_FALSE(identical(sid, other));
}

TEST(SidHdf5, StructuresComeBack) {
  const TemporaryFolder folder;
  Sid sid = random_sid(3);
  sid.Me.M0.setIdentity();
  sid.Me.structure = Taylor::Structure::unit;
  sid.Ke.M0 = Vector3d(1.0, 2.0, 3.0).asDiagonal();
  sid.Ke.structure = Taylor::Structure::diagonal;
  sid.J.structure = Taylor::Structure::symmetric;
  sid.ksigma.M0.setZero();
  sid.ksigma.structure = Taylor::Structure::zero;
  write_sid_file(folder / "a.h5", {{"crank", sid}});
  EXPECT_TRUE(identical(read_sid_file(folder / "a.h5", "crank"), sid));
}

TEST(SidHdf5, FollowsWallrappsClasses) {
  const TemporaryFolder folder;
  const Sid sid = random_sid(3);
  write_sid_file(folder / "a.h5", {{"crank", sid}});
  const Hdf5File file = Hdf5File::open(folder / "a.h5");
  EXPECT_THAT(file.members("bodies/crank"), ElementsAre("refmod", "frame", "mdCM", "J", "Ct", "Cr", "Me",
                                                        "Gr", "Ge", "Oe", "ksigma", "Ke", "De"));
  EXPECT_EQ(file.integer_attribute("bodies/crank/refmod", "nelastq"), 3);
  EXPECT_EQ(file.integer_attribute("bodies/crank/J", "order"), 2);
  EXPECT_EQ(file.integer_attribute("bodies/crank/Gr", "ncol"), 9);
  EXPECT_EQ(file.integer_attribute("bodies/crank/J", "nqn"), 9);
  EXPECT_EQ(file.text_attribute("bodies/crank/frame/1", "name"), "tip");
  const Hdf5Array M1 = file.read_array("bodies/crank/Cr/M1");
  EXPECT_THAT(M1.shape, ElementsAre(3, 3, 3));
  EXPECT_EQ(M1.values[(2 * 3 + 0) * 3 + 1], sid.Cr.M1[1](2, 0));  // M1[i, j, k], row-major
  EXPECT_EQ(file.read_array("bodies/crank/J/Mn").values[(1 * 3 + 2) * 9 + 5], sid.J.Mn[5](1, 2));
}

TEST(SidHdf5, TakesOeInEitherOrder) {
  const TemporaryFolder folder;
  Sid exchanged = random_sid(3);
  exchanged.Oe.M0.col(4).swap(exchanged.Oe.M0.col(5));
  for (MatrixXd& m : exchanged.Oe.M1) m.col(4).swap(m.col(5));
  write_sid_file(folder / "a.h5", {{"crank", exchanged}});
  Hdf5File file = Hdf5File::open(folder / "a.h5");
  file.set_attribute("bodies/crank/Oe", "columns",
                     std::vector<std::string>{"w1^2", "w2^2", "w3^2", "w1 w2", "w1 w3", "w2 w3"});
  EXPECT_TRUE(identical(read_sid(file, "crank"), random_sid(3)));
}

TEST(SidHdf5, RefusesOeOfUnknownOrder) {
  expect_refused(
      [](Hdf5File& file) {
        file.set_attribute("bodies/crank/Oe", "columns", std::vector<std::string>{"w1^2", "w1 w2"});
      },
      {"crank.h5", "bodies/crank/Oe", "columns must be w1^2"});
}

TEST(SidHdf5, FillsInWhatIsZeroOrUnit) {
  const TemporaryFolder folder;
  const fs::path path = changed_file(folder, [](Hdf5File& file) {
    file.set_attribute("bodies/crank/Cr", "order", std::int64_t{0});
    file.remove("bodies/crank/Cr/M1");
    file.set_attribute("bodies/crank/De", "structure", std::int64_t{0});
    file.remove("bodies/crank/De/M0");
    file.set_attribute("bodies/crank/Me", "structure", std::int64_t{4});
    file.remove("bodies/crank/Me/M0");
  });
  Sid expected = random_sid(3);
  for (MatrixXd& m : expected.Cr.M1) m.setZero();
  expected.De.M0.setZero();
  expected.De.structure = Taylor::Structure::zero;
  expected.Me.M0.setIdentity();
  expected.Me.structure = Taylor::Structure::unit;
  EXPECT_TRUE(identical(read_sid_file(path, ""), expected));
}

TEST(SidHdf5, NamesTheDatasetOfAWrongShape) {
  const auto write = [](const char* object, Index rows, Index cols) {
    return [=](Hdf5File& file) { file.write_matrix(object, MatrixXd::Zero(rows, cols)); };
  };
  expect_refused(write("bodies/crank/Me/M0", 3, 2), {"crank.h5", "bodies/crank/Me/M0", "3 x 2", "3 x 3"});
  expect_refused(write("bodies/crank/frame/0/phi/M0", 3, 4),
                 {"bodies/crank/frame/0/phi/M0", "3 x 4", "3 x 3"});
  expect_refused(write("bodies/crank/J/M1", 3, 3), {"bodies/crank/J/M1", "3 x 3", "3 x 3 x 3"});
  expect_refused([](Hdf5File& file) { file.set_attribute("bodies/crank/Gr", "ncol", std::int64_t{6}); },
                 {"bodies/crank/Gr", "ncol = 6", "expected 9"});
  expect_refused(
      [](Hdf5File& file) { file.set_attribute("bodies/crank/refmod", "nelastq", std::int64_t{2}); },
      {"bodies/crank/refmod", "nelastq = 2", "3 elastic coordinates"});
}

TEST(SidHdf5, NamesWhatIsMissing) {
  for (const char* object : {"bodies/crank/Ke", "bodies/crank/Ke/M0", "bodies/crank/J/Mn",
                             "bodies/crank/refmod/mass", "bodies/crank/frame/1/psi"}) {
    expect_refused([object](Hdf5File& file) { file.remove(object); }, {object, "missing"});
  }
}

TEST(SidHdf5, RefusesValuesThatMeanNothing) {
  expect_refused(
      [](Hdf5File& file) {
        MatrixXd K = file.read_matrix("bodies/crank/Ke/M0");
        K(1, 1) = std::numeric_limits<double>::quiet_NaN();
        file.write_matrix("bodies/crank/Ke/M0", K);
      },
      {"bodies/crank/Ke/M0", "nan"});
  expect_refused([](Hdf5File& file) { file.write_number("bodies/crank/refmod/mass", -1.0); },
                 {"bodies/crank/refmod/mass", "-1 is not a mass"});
  expect_refused([](Hdf5File& file) { file.set_attribute("bodies/crank/Ke", "structure", std::int64_t{7}); },
                 {"bodies/crank/Ke", "structure = 7"});
  expect_refused([](Hdf5File& file) { file.set_attribute("bodies/crank/Ke", "structure", std::int64_t{1}); },
                 {"bodies/crank/Ke/M0", "contradicts structure = 1"});
}

TEST(SidHdf5, RefusesTermsThatOurEquationsLeaveOut) {
  const auto add_M1 = [](const std::string& member, double value) {
    return [=](Hdf5File& file) {
      file.set_attribute("bodies/crank/" + member, "order", std::int64_t{1});
      file.write_array("bodies/crank/" + member + "/M1", {{3, 3, 3}, std::vector<double>(27, value)});
    };
  };
  expect_refused(add_M1("Me", 1.0), {"bodies/crank/Me/M1", "is not zero", "order 0"});
  for (const char* member : {"Me", "Ct"}) {
    const TemporaryFolder folder;
    EXPECT_TRUE(identical(read_sid_file(changed_file(folder, add_M1(member, 0.0)), "crank"), random_sid(3)));
  }
}

TEST(SidHdf5, FindsABodyByName) {
  const TemporaryFolder folder;
  write_sid_file(folder / "two.h5", {{"crank", random_sid(2)}, {"rod", rigid_rod()}});
  EXPECT_TRUE(identical(read_sid_file(folder / "two.h5", "rod"), rigid_rod()));
  expect_input_error([&] { read_sid_file(folder / "two.h5", "piston"); },
                     {"two.h5", "'piston'", "crank, rod"});
  expect_input_error([&] { read_sid_file(folder / "two.h5", ""); }, {"two.h5", "name one", "crank, rod"});
  write_sid_file(folder / "none.h5", {});
  expect_input_error([&] { read_sid_file(folder / "none.h5"); }, {"none.h5", "holds no body"});
}

TEST(SidHdf5, RefusesNamesThatArePaths) {
  const TemporaryFolder folder;
  for (const char* name : {"", ".", "a/b"}) {
    expect_input_error([&] { write_sid_file(folder / "a.h5", {{name, rigid_rod()}}); }, {"cannot be named"});
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(SidHdf5, RefusesATruncatedFile) {
  const TemporaryFolder folder;
  write_sid_file(folder / "a.h5", {{"crank", random_sid(3)}});
  const std::string whole = read_text_file(folder / "a.h5");
  write_text_file(folder / "a.h5", whole.substr(0, whole.size() / 2));
  expect_input_error([&] { read_sid_file(folder / "a.h5"); }, {"a.h5", "truncated or not an HDF5 file"});
}

}  // namespace
}  // namespace kurbel
