#include "sid/augmented_sid.hpp"

#include <limits>

#include "input/sid_file.hpp"
#include "tests/input_error.hpp"
#include "tests/sid/point_mass_sid.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Eigen::Index;
using ::testing::Contains;
using ::testing::ElementsAre;

constexpr Index n_variables = 5;

/// Numbers that tell coefficient, entry and variable apart.
RowMatrix labelled(const SidCoefficient& c) {
  const double label = double(std::hash<std::string>()(c.group + c.array()) % 1000);
  return RowMatrix::NullaryExpr(
      c.size(), n_variables, [&](Index i, Index v) { return label + 0.01 * double(i) + 1e-5 * double(v); });
}

fs::path written(const TemporaryFolder& folder, const Sid& sid, const std::vector<std::string>& names = {}) {
  Hdf5File file = Hdf5File::create(folder / "a.h5");
  FileHeader header;
  header.content = "sid";
  write_file_header(file, header);
  write_augmented_sid(file, "crank", sid,
                      {n_variables, {}, chosen_coefficients(sid_coefficients(sid), names, "test")}, labelled);
  file.commit();
  return folder / "a.h5";
}

TEST(SidCoefficients, AreAllNumbersOfABodyOnce) {
  const Sid sid = random_sid(3);
  Sid copy = Sid::zeros(sid.refmod.ielastq, {"pin", "tip"});
  copy.frame[1].rframe = sid.frame[1].rframe;
  for (const SidCoefficient& c : sid_coefficients(sid)) {
    EXPECT_EQ(c.size(), coefficient_values(sid, c).size());
    set_coefficient_values(copy, c, coefficient_values(sid, c));
  }
  EXPECT_TRUE(identical(copy, sid));
}

TEST(AugmentedSid, RoundTripIsBitwise) {
  const TemporaryFolder folder;
  const Sid sid = random_sid(3);
  const AugmentedSid back = read_augmented_sid(Hdf5File::open(written(folder, sid)), "crank");
  EXPECT_TRUE(identical(back.sid, sid));
  EXPECT_EQ(back.n_variables, n_variables);
  EXPECT_TRUE(back.dropped.empty());
  ASSERT_EQ(back.derivatives.size(), sid_coefficients(sid).size());
  for (const AugmentedSid::Derivative& d : back.derivatives)
    EXPECT_EQ(d.values, labelled(d.coefficient)) << d.coefficient.group << d.coefficient.array();
}

TEST(AugmentedSid, FollowsTheClassesOfP0) {
  const TemporaryFolder folder;
  const Sid sid = random_sid(3);
  const Hdf5File file = Hdf5File::open(written(folder, sid));
  const std::string body = "bodies/crank/";
  EXPECT_EQ(file.integer_attribute(body + "refmod/mass", "nd"), n_variables);
  EXPECT_EQ(file.integer_attribute(body + "refmod/mass", "order"), 0);
  EXPECT_EQ(file.read_matrix(body + "refmod/mass/M0")(0, 0), sid.refmod.mass);
  EXPECT_THAT(file.read_array(body + "refmod/mass/dM0").shape, ElementsAre(1, 1, 5));
  EXPECT_THAT(file.read_array(body + "J/dM0").shape, ElementsAre(3, 3, 5));
  EXPECT_THAT(file.read_array(body + "J/dM1").shape, ElementsAre(3, 3, 3, 5));
  EXPECT_THAT(file.read_array(body + "J/dMn").shape, ElementsAre(3, 3, 9, 5));
  EXPECT_THAT(file.read_array(body + "frame/1/phi/dM0").shape, ElementsAre(3, 3, 5));
  // [row, column, term, variable], the last index fastest
  const SidCoefficient Cr_M1{"Cr", "Cr", 1, 3, 3, 3};
  EXPECT_EQ(file.read_array(body + "Cr/dM1").values[((2 * 3 + 1) * 3 + 2) * 5 + 4],
            labelled(Cr_M1)((2 * 3 + 1) * 3 + 2, 4));
}

TEST(AugmentedSid, ReadsAsAnOrdinaryBody) {
  const TemporaryFolder folder;
  const Sid sid = random_sid(3);
  EXPECT_TRUE(identical(read_sid_file(written(folder, sid), "crank"), sid));
}

TEST(AugmentedSid, ChosenCoefficientsAloneAreKept) {
  const TemporaryFolder folder;
  const AugmentedSid back =
      read_augmented_sid(Hdf5File::open(written(folder, random_sid(2), {"J.M1", "Ke", "phi"})), "crank");
  std::vector<std::string> kept;
  for (const AugmentedSid::Derivative& d : back.derivatives)
    kept.push_back(d.coefficient.group + "/" + d.coefficient.array());
  EXPECT_THAT(kept, ElementsAre("frame/0/phi/M0", "frame/1/phi/M0", "J/M1", "Ke/M0"));
  EXPECT_THAT(back.dropped, Contains("J.M0"));
  const auto all = sid_coefficients(random_sid(2));
  expect_input_error([&] { chosen_coefficients(all, {"Ko"}, "here"); }, {"here", "named Ko", "allowed: AP"});
}

TEST(AugmentedSid, GradientIsTheSumOverEntries) {
  AugmentedSid body;
  body.sid = random_sid(1);
  body.n_variables = n_variables;
  Sid bar = Sid::zeros({"q1"}, {"pin", "tip"});
  bar.refmod.mass = 2.0;
  bar.J.Mn[0](2, 1) = 3.0;
  for (const SidCoefficient& c : sid_coefficients(body.sid)) body.derivatives.push_back({c, labelled(c)});
  const RowMatrix mass = labelled({"refmod/mass", "mass", 0, 1, 1, 1}), J = labelled({"J", "J", 2, 3, 3, 1});
  EXPECT_LT((assemble_gradient(body, bar) - (2.0 * mass.row(0) + 3.0 * J.row(7)).transpose()).norm(), 1e-10);
}

template <class Change>
void expect_refused(const Change& change, const std::vector<std::string>& parts) {
  const TemporaryFolder folder;
  const fs::path path = written(folder, random_sid(2));
  Hdf5File file = Hdf5File::open(path);
  change(file);
  expect_input_error([&] { read_augmented_sid(file, "crank"); }, parts);
}

TEST(AugmentedSid, RefusesWhatDoesNotFit) {
  expect_refused([](Hdf5File& file) { file.remove("bodies/crank/J/dM1"); },
                 {"a.h5", "bodies/crank/J/dM1", "missing, and not among those dropped"});
  expect_refused(
      [](Hdf5File& file) {
        file.write_array("bodies/crank/Ke/dM0", {{2, 2, 4}, std::vector<double>(16, 0.0)});
      },
      {"bodies/crank/Ke/dM0", "2 x 2 x 4", "expected 2 x 2 x 5"});
  expect_refused(
      [](Hdf5File& file) {
        file.write_array("bodies/crank/refmod/mass/dM0",
                         {{1, 1, 5}, std::vector<double>(5, std::numeric_limits<double>::infinity())});
      },
      {"bodies/crank/refmod/mass/dM0", "not finite"});
  expect_refused([](Hdf5File& file) { file.write_texts("bodies/crank/variables", {"one"}); },
                 {"bodies/crank/variables", "names 1 design variables; expected 5"});
  const TemporaryFolder folder;
  write_sid_file(folder / "plain.h5", {{"crank", random_sid(2)}});
  expect_input_error([&] { read_augmented_sid(Hdf5File::open(folder / "plain.h5"), "crank"); },
                     {"plain.h5", "no design derivatives", "--derivatives"});
}

}  // namespace
}  // namespace kurbel
