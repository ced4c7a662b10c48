#include "sid_text/sid_text.hpp"

#include <cmath>

#include "base/files.hpp"
#include "input/sid_file.hpp"
#include "sid/sid_info.hpp"
#include "tests/input_error.hpp"
#include "tests/sid/beam_sid_text.hpp"
#include "tests/sid/point_mass_sid.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using ::testing::HasSubstr;
using Structure = Taylor::Structure;

Sid round_trip(const Sid& sid) {
  return read_sid_text(sid_to_text(sid), "a.SID_FEM");
}

/// Replaces the one place where `what` stands.
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  EXPECT_EQ(text.find(what, at + 1), std::string::npos) << what << " stands more than once";
  return text.replace(at, what.size(), by);
}

/// The beam of beam_sid_text.hpp from its definition.
Sid beam() {
  const MatrixXd shapes_1 = (MatrixXd(3, 2) << 0, 0, 1, 0, 0, 1).finished();
  const MatrixXd shapes_2 = (MatrixXd(3, 2) << 0, 0, 2, 0, 0, 3).finished();
  MatrixXd places(3, 2);
  places << 1, 2, 0, 0, 0, 0;
  const MatrixXd Ke = (MatrixXd(2, 2) << 500, 1, 1, 4000).finished();
  Sid sid = point_mass_sid(Eigen::Vector2d(1, 1), places, {shapes_1, shapes_2}, Ke);
  sid.De.M0.setZero();
  for (MatrixXd& m : sid.J.Mn) m.setZero();   // the text has them up to order 1 (J)
  for (MatrixXd& m : sid.Gr.M1) m.setZero();  // and 0 (Gr)
  return sid;
}

void expect_equal(const Taylor& a, const Taylor& b, const char* name) {
  EXPECT_EQ(a.M0, b.M0) << name;
  ASSERT_EQ(a.M1.size(), b.M1.size()) << name;
  for (std::size_t k = 0; k < a.M1.size(); ++k) EXPECT_EQ(a.M1[k], b.M1[k]) << name << ", q" << k + 1;
  ASSERT_EQ(a.Mn.size(), b.Mn.size()) << name;
  for (std::size_t k = 0; k < a.Mn.size(); ++k) EXPECT_EQ(a.Mn[k], b.Mn[k]) << name;
}

void expect_equal_members(const Sid& a, const Sid& b) {
  EXPECT_EQ(a.refmod.mass, b.refmod.mass);
  expect_equal(a.mdCM, b.mdCM, "mdCM");
  expect_equal(a.J, b.J, "J");
  expect_equal(a.Ct, b.Ct, "Ct");
  expect_equal(a.Cr, b.Cr, "Cr");
  expect_equal(a.Me, b.Me, "Me");
  expect_equal(a.Gr, b.Gr, "Gr");
  expect_equal(a.Ge, b.Ge, "Ge");
  expect_equal(a.Oe, b.Oe, "Oe");
  expect_equal(a.Ke, b.Ke, "Ke");
  expect_equal(a.De, b.De, "De");
}

TEST(SidText, RoundTripIsBitwise) {
  for (const Eigen::Index n_q : {0, 1, 2, 3, 6}) {
    EXPECT_TRUE(identical(round_trip(random_sid(n_q)), random_sid(n_q))) << "n_q = " << n_q;
  }
}

TEST(SidText, RoundTripKeepsASecondOrderDisplacement) {
  for (const Eigen::Index n_q : {1, 2, 6}) {
    EXPECT_TRUE(identical(round_trip(random_stiffened_sid(n_q)), random_stiffened_sid(n_q))) << n_q;
  }
}

TEST(SidText, RoundTripKeepsStructuresSignedZerosAndExtremeNumbers) {
  Sid sid = random_sid(3);
  sid.Me.M0.setIdentity();
  sid.Me.structure = Structure::unit;
  sid.Ke.M0 = Vector3d(5e-324, 2.5, 1.7976931348623157e308).asDiagonal();
  sid.Ke.structure = Structure::diagonal;
  sid.De.M0 = 0.5 * (sid.De.M0 + sid.De.M0.transpose()).eval();
  sid.De.M0(0, 1) = 0.0;
  sid.De.M0(1, 0) = -0.0;
  sid.De.structure = Structure::symmetric;
  sid.ksigma.M0.setZero();
  sid.ksigma.structure = Structure::zero;
  sid.Ct.M0(1, 2) = -0.0;
  sid.refmod.ielastq[1] = "Eigen Mode    2 :  = 3.1 Hz (a, b)";
  sid.frame[0].name = "17";
  for (auto* terms : {&sid.J.M1, &sid.J.Mn}) {
    for (MatrixXd& m : *terms) m = (0.5 * (m + m.transpose())).eval();
  }
  sid.J.M0 = (0.5 * (sid.J.M0 + sid.J.M0.transpose())).eval();
  sid.J.structure = Structure::symmetric;
  EXPECT_THAT(sid_to_text(sid), HasSubstr("nrow                      =   6"));
  EXPECT_TRUE(identical(round_trip(sid), sid));
}

TEST(SidText, ReadsAFileInTheStyleOfFembs) {
  const Sid sid = read_sid_text(beam_text, "beam.SID_FEM");
  expect_equal_members(sid, beam());
  ASSERT_EQ(sid.frame.size(), 2u);
  EXPECT_EQ(sid.frame[1].name, "12");
  EXPECT_EQ(sid.frame[1].rframe, "body ref");
  EXPECT_EQ(sid.frame[1].phi.M0, (MatrixXd(3, 2) << 0, 0, 2, 0, 0, 3).finished());
  EXPECT_EQ(sid.frame[0].AP.M0, MatrixXd::Identity(3, 3));
  EXPECT_EQ(sid.refmod.ielastq[1], "Eigen Mode    2 :        3.183 Hz");
  for (const SidIdentity& identity : sid_identities(sid)) EXPECT_TRUE(identity.holds()) << identity.name;
}

TEST(SidText, OursReadsAsWhatItStates) {
  const std::string text = sid_to_text(beam());
  EXPECT_THAT(text, HasSubstr("m1(row,q,col) Gr,Ge(direction,q) Oe(11,22,33,12,23,13)"));
  expect_equal_members(read_sid_text(text, "a"), beam());
}

/// The text of a body whose file keeps other conventions, without a statement of them.
std::string in_other_conventions(const Sid& sid, bool q_last, bool by_shape, bool exchanged) {
  Sid given = sid;
  if (exchanged) exchange_last_columns(given.Oe);
  std::string text = sid_to_text(given);
  text.replace(0, text.find('\n'), "a file of another program");
  if (by_shape) {
    // The writer orders by direction; what it would so order back comes out by shape.
    const Eigen::Index n_q = sid.n_q();
    for (Taylor* t : {&given.Gr, &given.Ge}) {
      std::vector<MatrixXd*> all = {&t->M0};
      for (MatrixXd& m : t->M1) all.push_back(&m);
      for (MatrixXd* m : all) {
        const MatrixXd original = *m;
        for (Eigen::Index k = 0; k < n_q; ++k) {
          for (int d = 0; d < 3; ++d) m->col(3 * k + d) = original.col(d * n_q + k);
        }
      }
    }
    text = sid_to_text(given);
    text.replace(0, text.find('\n'), "a file of another program");
  }
  if (!q_last) return text;
  for (const char* key : {"m1(", "mn("}) {
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      const std::size_t one = text.find(',', at), two = text.find(',', one + 1), end = text.find(')', two);
      const std::string q = text.substr(one + 1, two - one - 1), column = text.substr(two + 1, end - two - 1);
      text.replace(one + 1, end - one - 1, column + "," + q);
    }
  }
  return text;
}

TEST(SidText, FindsTheConventionsOfOtherPrograms) {
  for (const Eigen::Index n_q : {2, 3, 4}) {
    const Sid sid = random_sid(n_q);
    for (int i = 0; i < 8; ++i) {
      const std::string text = in_other_conventions(sid, i & 1, i & 2, i & 4);
      EXPECT_TRUE(identical(read_sid_text(text, "a"), sid)) << "n_q = " << n_q << ", case " << i;
    }
  }
}

TEST(SidText, OrdersColumnsOfGeAsThoseOfGrIfNothingElseTells) {
  Sid sid = random_sid(3);
  sid.Cr.M1.clear(), sid.Gr.M1.clear();  // both have identities with Ge
  for (const bool by_shape : {false, true}) {
    const Sid read = read_sid_text(in_other_conventions(sid, false, by_shape, false), "a");
    EXPECT_EQ(read.Gr.M0, sid.Gr.M0) << by_shape;
    EXPECT_EQ(read.Ge.M0, sid.Ge.M0) << by_shape;
  }
}

TEST(SidText, TakesEitherTriangleOfASymmetricMatrix) {
  const std::string upper = replaced(
      beam_text,
      "m0( 2, 1)             = 1.00000000000D+00\n                          m0( 2, 2)             = 4",
      "m0( 1, 2)             = 1.00000000000D+00\n                          m0( 2, 2)             = 4");
  EXPECT_EQ(read_sid_text(upper, "a").Ke.M0, beam().Ke.M0);
}

TEST(SidText, PassesOverCommentsAndStresses) {
  std::string text =
      replaced(beam_text, "           frame\n", "! a comment\n\n# another\n           frame\n");
  text = replaced(
      text, "                end node\n                new node                        =       12",
      "sigma\norder = 1\nnrow = 6\nncol = 1\nnq = 2\nnqn = 0\nstructure = 3\nm1(1,2,1) = 5\nend sigma\n"
      "                end node\n                new node                        =       12");
  expect_equal_members(read_sid_text(text, "a"), beam());
}

TEST(SidText, TakesTabsTrailingSpacesAndCarriageReturns) {
  std::string text;
  for (const char c : beam_text) text += c == '\n' ? " \t\r\n" : std::string(1, c);
  text = replaced(text, "    2    2    :No.", "\t2\t\t2  :No.");
  expect_equal_members(read_sid_text(text, "a"), beam());
}

TEST(SidText, ShowsEveryViolatedIdentity) {
  const auto violated = [](const std::string& from, const std::string& to) {
    std::vector<std::string> names;
    for (const SidIdentity& identity : sid_identities(read_sid_text(replaced(beam_text, from, to), "a"))) {
      if (!identity.holds()) names.push_back(identity.name);
    }
    return names;
  };
  using ::testing::Contains;
  EXPECT_THAT(violated("m0( 2, 3)             = 4", "m0( 2, 3)             = 5"), Contains("mdCM.M1 = Ct^T"));
  EXPECT_THAT(violated("m0( 1, 2)             =-1.4", "m0( 1, 2)             =-1.5"),
              Contains("Ge.M0 = 2 Cr.M1"));
  EXPECT_THAT(violated("m1( 4, 1, 1)          =-5", "m1( 4, 1, 1)          =-6"),
              Contains("J.M1 = sym Gr.M0"));
  EXPECT_THAT(violated("m0( 2, 6)             = 7", "m0( 2, 6)             = 8"),
              Contains("Oe.M0 = form of -Gr.M0/2"));
  EXPECT_THAT(violated("m1( 3, 2, 1)          = 3.00000000000D+00\n                     end origin",
                       "m1( 3, 2, 1)          = 4.00000000000D+00\n                     end origin"),
              Contains("node origin.M1 = phi"));
  EXPECT_THAT(violated("m1( 1, 2, 3)          =-2", "m1( 1, 2, 3)          =-3"),
              Contains("node AP.M1 = psi~ AP"));
  const std::string full = replaced(beam_text, "structure             =   2", "structure             =   3");
  const auto ke = sid_identities(read_sid_text(full, "a"));
  EXPECT_TRUE(std::any_of(ke.begin(), ke.end(), [](const SidIdentity& identity) {
    return identity.name == "Ke symmetric" && !identity.holds();
  }));
  EXPECT_THAT(violated("structure             =   1\n                          m0( 1, 1)             = 5",
                       "structure             =   3\n                          m0( 1, 2)             = 1\n"
                       "                          m0( 1, 1)             = 5"),
              Contains("Me symmetric"));
}

const std::string ksigma =
    beam_text.substr(beam_text.find("           ksigma"),
                     beam_text.find("           Ke\n") - beam_text.find("           ksigma"));

std::string all_replaced(std::string text, const std::string& what, const std::string& by) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
    ++count;
  }
  EXPECT_GT(count, 0u) << what;
  return text;
}

TEST(SidText, TakesAFrameThatIsCalledNew) {
  const std::string text = replaced(beam_text, "           frame\n", "           new frame\n");
  expect_equal_members(read_sid_text(text, "a"), beam());
  EXPECT_EQ(read_sid_text(text, "a").frame.size(), 2u);
}

TEST(SidText, DoesNotNeedTheNumberOfProducts) {
  const std::string text = all_replaced(beam_text, "nqn                   =   0\n", "\n");
  expect_equal_members(read_sid_text(text, "a"), beam());
  const std::string second_order = all_replaced(sid_to_text(random_sid(2)), "nqn ", "! nqn ");
  EXPECT_TRUE(identical(read_sid_text(second_order, "a"), random_sid(2)));
}

TEST(SidText, DoesNotNeedTheStructureWhereEntriesStand) {
  std::string text = all_replaced(beam_text, "structure             =   3\n", "\n");
  text = replaced(text, "structure             =   2\n", "\n");  // of Ke, given by one triangle
  expect_equal_members(read_sid_text(text, "a"), beam());
  EXPECT_EQ(read_sid_text(text, "a").Ke.structure, Structure::symmetric);
}

TEST(SidText, NeedsTheOrderAndTheShape) {
  for (const std::string key : {"order", "nrow", "ncol"}) {
    const std::string text = replaced(beam_text, ksigma, all_replaced(ksigma, key + " ", "! " + key));
    expect_input_error([&] { read_sid_text(text, "a"); }, {"ksigma has no " + key});
  }
}

struct BadText {
  const char* name;
  std::string from, to;  ///< a change of the beam's text
  std::string at;        ///< stands on the line that the message names, once in the changed text
  std::vector<std::string> message;
};

void PrintTo(const BadText& bad, std::ostream* out) {
  *out << bad.name;
}

/// Number of the line on which `what` stands once.
long line_of(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  EXPECT_EQ(text.find(what, at + 1), std::string::npos) << what << " stands more than once";
  return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

class SidTextRefusal : public ::testing::TestWithParam<BadText> {};

TEST_P(SidTextRefusal, NamesFileAndLine) {
  const BadText& bad = GetParam();
  const std::string text = replaced(beam_text, bad.from, bad.to);
  std::vector<std::string> parts = bad.message;
  parts.push_back("b.SID_FEM:" + std::to_string(line_of(text, bad.at)) + ": ");
  expect_input_error([&] { read_sid_text(text, "b.SID_FEM"); }, parts);
}

const std::string ct_entry = "m0( 2, 3)             = 4.00000000000D+00";
const std::string phi_of_node_1 =
    "order                 =   1\n                          nrow                  =   3\n"
    "                          ncol                  =   2\n"
    "                          nq                    =   2\n"
    "                          nqn                   =   0\n"
    "                          structure             =   0";

INSTANTIATE_TEST_SUITE_P(
    Malformed, SidTextRefusal,
    ::testing::Values(
        BadText{"NoPart", "\n part\n", "\n", " end part", {"no line `part`"}},
        BadText{"NoModal", "new modal  ", "new model  ", "new model", {"`new modal` is expected"}},
        BadText{"UnknownMember",
                "           ksigma\n",
                "           ksigme\n",
                "ksigme",
                {"ksigme", "did you mean ksigma?"}},
        BadText{
            "UnknownKey", "mass                            =", "mess =", "mess =", {"did you mean mass?"}},
        BadText{"BadNumber", "2.0000D+00", "2.0000X+00", "2.0000X+00", {"mass", "not a finite number"}},
        BadText{"NotFinite", "2.0000D+00", "NaN", "NaN", {"mass", "not a finite number"}},
        BadText{"NegativeMass", "= 2.0000D+00", "=-2.0000D+00", "-2.0000D+00", {"not a mass"}},
        BadText{"BadInteger",
                "nelastq                         =   2",
                "nelastq = two",
                "= two",
                {"two", "not an integer"}},
        BadText{"TooManyModes",
                "nelastq                         =   2",
                "nelastq = 100000",
                "nelastq =",
                {"nelastq = 100000", "more than the 2000"}},
        BadText{"MoreModesThanCoefficients",
                "nelastq                         =   2",
                "nelastq = 2000",
                "           refmod\n                mass",
                {"nelastq = 2000", "coefficients in all"}},
        BadText{"TooManyNames",
                "ielastq (   2)",
                "ielastq (   3)",
                "           refmod\n                mass",
                {"nelastq = 2", "ielastq (3)"}},
        BadText{"Unclosed",
                "           end De\n      end modal\n end part\n",
                "",
                "           De\n",
                {"not closed by `end De`"}},
        BadText{"WrongEnd", "           end Oe\n", "           end Ce\n", "end Ce", {"`end Oe` is expected"}},
        BadText{"Missing", ksigma, "", "end modal", {"ksigma is missing"}},
        BadText{"Twice",
                ct_entry,
                "m0( 1, 2)             = 4",
                "m0( 1, 2)             = 4\n",
                {"m0 of Ct is given twice"}},
        BadText{"OneIndexTooFew", ct_entry, "m0( 2) = 4", "m0( 2) = 4", {"2 indices"}},
        BadText{"IndexOutOfRange", ct_entry, "m0( 2, 4) = 4", "m0( 2, 4) = 4", {"column 4 of Ct", "1 ... 3"}},
        BadText{"TermOutOfRange",
                "m1( 2, 2, 2)          =-1",
                "m1( 2, 3, 7) =-1",
                "m1( 2, 3, 7)",
                {"elastic coordinate 3 of Oe", "1 ... 2"}},
        BadText{"OrderOfIndices",
                "m1( 1, 2, 5)          =",
                "m1( 1, 5, 2) =",
                "m1( 1, 5, 2)",
                {"(row, column, q)", "other than on line"}},
        BadText{"Shape",
                "nrow                  =   6",
                "nrow                  =   5",
                "nrow                  =   5",
                {"nrow = 5 of J must be 3"}},
        BadText{"Contradiction",
                "structure             =   2",
                "structure = 1",
                "structure = 1",
                {"structure = 1 of Ke contradicts its m0"}},
        BadText{"AboveItsOrder",
                "end ksigma",
                "m1(1,1,1) = 1\n end ksigma",
                "m1(1,1,1) = 1",
                {"m1 of ksigma in spite of order = 0"}},
        BadText{"HigherOrder",
                phi_of_node_1,
                "order = 2\nnrow = 3\nncol = 2\nnq = 2\nnqn = 4\nstructure = 3\nmn(1,1,2) = 1.0",
                "mn(1,1,2) = 1.0",
                {"mn of phi is not zero", "up to order 1 only"}},
        BadText{"AfterTheEnd", " end part\n", " end part\n  part\n", "  part\n", {"after the end"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SidFile, IsToldByItsContent) {
  const TemporaryFolder folder;
  const Sid sid = random_sid(2);
  write_sid_text_file(folder / "crank.h5", sid);
  write_sid_file(folder / "crank.SID_FEM", {{"crank", sid}});
  EXPECT_TRUE(identical(read_sid_file(folder / "crank.h5", ""), sid));
  EXPECT_TRUE(identical(read_sid_file(folder / "crank.h5", "crank"), sid));
  EXPECT_TRUE(identical(read_sid_file(folder / "crank.SID_FEM", "crank"), sid));
  EXPECT_EQ(read_sid_file(folder / "crank.h5")[0].name, "crank");
  expect_input_error([&] { read_sid_file(folder / "crank.h5", "rod"); }, {"no body is named 'rod'", "crank"});
}

TEST(SidText, RefusesNamesThatDoNotFitOnALine) {
  Sid sid = random_sid(1);
  sid.frame[0].name = "a\nb";
  expect_input_error([&] { sid_to_text(sid); }, {"does not fit"});
  sid.frame[0].name = "a ";
  expect_input_error([&] { sid_to_text(sid); }, {"does not fit"});
}

TEST(SidText, KnowsItsOwnFiles) {
  const TemporaryFolder folder;
  write_sid_text_file(folder / "ours.SID_FEM", random_sid(1));
  write_text_file(folder / "theirs.SID_FEM", beam_text);
  EXPECT_TRUE(is_own_sid_text(folder / "ours.SID_FEM"));
  EXPECT_FALSE(is_own_sid_text(folder / "theirs.SID_FEM"));
  EXPECT_FALSE(is_own_sid_text(folder / "none.SID_FEM"));
}

TEST(SidInfoOfText, TellsFrameAndBoundaryConditions) {
  const FrameConditions conditions = frame_conditions(read_sid_text(beam_text, "a"));
  EXPECT_THAT(conditions.rframes, ::testing::ElementsAre("body ref"));
  EXPECT_FALSE(conditions.mean_axes);
  EXPECT_THAT(conditions.clamped, ::testing::ElementsAre("1"));
}

}  // namespace
}  // namespace kurbel
