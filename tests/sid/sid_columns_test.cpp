#include "sid/sid_columns.hpp"

#include <fmt/format.h>

#include <sstream>

#include "sid_text/column_orders.hpp"
#include "sid_text/sid_text.hpp"
#include "tests/input_error.hpp"
#include "tests/sid/beam_sid_text.hpp"
#include "tests/sid/point_mass_sid.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

/// The columns that a program writes in another order than ours.
struct Orders {
  bool Gr_by_shape = false, Ge_by_shape = false, Oe_exchanged = false;
};

std::vector<Orders> all_orders() {
  std::vector<Orders> all;
  for (int i = 0; i < 8; ++i) all.push_back({(i & 1) != 0, (i & 2) != 0, (i & 4) != 0});
  return all;
}

std::ostream& operator<<(std::ostream& out, const Orders& o) {
  return out << "Gr by " << (o.Gr_by_shape ? "shape" : "direction") << ", Ge by "
             << (o.Ge_by_shape ? "shape" : "direction") << (o.Oe_exchanged ? ", Oe exchanged" : "");
}

/// As a program with these orders writes it, which states none of them.
std::string text_of(const Sid& sid, const Orders& orders) {
  Sid given = sid;  // the writer orders by direction what is ordered by shape
  if (orders.Gr_by_shape) order_by_shape(given.Gr, sid.n_q());
  if (orders.Ge_by_shape) order_by_shape(given.Ge, sid.n_q());
  if (orders.Oe_exchanged) exchange_last_columns(given.Oe);
  std::string text = sid_to_text(given);
  return text.replace(0, text.find('\n'), "another program");
}

/// Every coefficient with six decimals.
std::string with_six_decimals(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line); out += line + "\n") {
    const std::size_t at = line.find('='), m = line.find_first_not_of(' ');
    const bool entry = at != std::string::npos && line[m] == 'm' && line.find('(') < at;
    if (!entry) continue;
    std::string number = line.substr(at + 1);
    number.replace(number.find('D'), 1, "E");
    line = line.substr(0, at) + fmt::format("= {:.6f}", std::stod(number));
  }
  return out;
}

TEST(SidColumns, EachMemberKeepsItsOwnOrder) {
  for (const Index n_q : {2, 3, 5}) {
    for (const Sid& sid : {random_sid(n_q), random_stiffened_sid(n_q)}) {
      for (const Orders& orders : all_orders()) {
        EXPECT_TRUE(identical(read_sid_text(text_of(sid, orders), "a"), sid)) << n_q << ": " << orders;
      }
    }
  }
}

TEST(SidColumns, AreToldWithoutFirstOrderTermsOfTheInertia) {
  Sid sid = random_sid(3);
  for (auto* terms : {&sid.J.M1, &sid.J.Mn, &sid.Gr.M1, &sid.Oe.M1}) {
    for (MatrixXd& m : *terms) m.setZero();
  }
  for (const Orders& orders : all_orders())
    EXPECT_TRUE(identical(read_sid_text(text_of(sid, orders), "a"), sid)) << orders;
}

TEST(SidColumns, AreToldFromTermsOfHigherOrderWhereTheFirstVanish) {
  Sid sid = random_sid(3);  // as of a body with point symmetry
  sid.Gr.M0.setZero();
  sid.Oe.M0.setZero();
  sid.Cr.M0.setZero();
  for (MatrixXd& m : sid.J.M1) m.setZero();
  for (const Orders& orders : all_orders())
    EXPECT_TRUE(identical(read_sid_text(text_of(sid, orders), "a"), sid)) << orders;
}

TEST(SidColumns, AreToldInFilesWithSixDecimals) {
  const Sid sid = random_sid(3);
  for (const Orders& orders : all_orders()) {
    SidPrecision precision;
    const Sid read = read_sid_text(with_six_decimals(text_of(sid, orders)), "a", &precision);
    EXPECT_LT((read.Gr.M0 - sid.Gr.M0).cwiseAbs().maxCoeff(), 0.6e-6) << orders;
    EXPECT_LT((read.Ge.M0 - sid.Ge.M0).cwiseAbs().maxCoeff(), 0.6e-6) << orders;
    EXPECT_LT((read.Oe.M0 - sid.Oe.M0).cwiseAbs().maxCoeff(), 0.6e-6) << orders;
    EXPECT_DOUBLE_EQ(precision.absolute, 0.5e-6);
    for (const SidIdentity& identity : sid_identities(read, precision))
      EXPECT_TRUE(identity.holds()) << orders << ": " << identity.name << " " << identity.violation;
    EXPECT_NO_THROW(require_usable(read, precision, false)) << orders;
  }
}

TEST(SidColumns, WithoutDecisionAreThoseOfFembs) {
  Sid sid = random_sid(3);  // only Gr and Ge are there: nothing tells how they are ordered
  for (Taylor* t : {&sid.J, &sid.Cr, &sid.Oe}) {
    if (t != &sid.J) t->M0.setZero();
    for (auto* terms : {&t->M1, &t->Mn}) {
      for (MatrixXd& m : *terms) m.setZero();
    }
  }
  for (MatrixXd& m : sid.Gr.M1) m.setZero();
  EXPECT_TRUE(identical(read_sid_text(text_of(sid, {}), "a"), sid));
}

TEST(SidColumns, ThatFitNeitherOrderAreRefusedByMemberAndIdentity) {
  const auto message = [](const auto& spoil) {
    Sid sid = random_sid(3);
    spoil(sid);
    const Sid read = read_sid_text(text_of(sid, {}), "a");
    return input_error_message([&] { require_usable(read, {}, false); });
  };
  using ::testing::HasSubstr;
  const auto reversed = [](Taylor& t) { t.M0 = t.M0.rowwise().reverse().eval(); };
  const std::string Gr = message([&](Sid& s) { reversed(s.Gr); });
  EXPECT_THAT(Gr, HasSubstr("columns of Gr fit neither order: J.M1 = sym Gr.M0 is violated by "));
  EXPECT_THAT(Gr, HasSubstr("in the other order"));
  EXPECT_THAT(message([&](Sid& s) { reversed(s.Ge); }), HasSubstr("columns of Ge fit neither order: Ge.M0"));
  EXPECT_THAT(message([&](Sid& s) { reversed(s.Oe); }), HasSubstr("columns of Oe fit neither order: Oe.M0"));
}

TEST(SidColumns, DoNotMatterToBodiesThatLeaveMembersOut) {
  Sid sid = random_sid(3);
  sid.Gr.M0.setZero();
  sid.Oe.M0.setZero();
  EXPECT_NO_THROW(require_usable(sid, {}, false));
  EXPECT_NO_THROW(require_usable(read_sid_text(beam_text, "a"), {}, false));
}

}  // namespace
}  // namespace kurbel
