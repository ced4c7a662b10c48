#include "sid_text/column_orders.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sid/sid_columns.hpp"
#include "sid/sid_comparison.hpp"
#include "sid_text/sid_text.hpp"

namespace kurbel {
namespace {

using Eigen::Index;
using Measure = std::function<SidIdentity(const Sid&)>;

/// Block k of Gr.M1[l], or zero.
Matrix3d Gr1(const Sid& sid, Index l, Index k) {
  if (sid.Gr.M1.empty()) return Matrix3d::Zero();
  return sid.Gr.M1[static_cast<std::size_t>(l)].middleCols(3 * k, 3);
}

/// Jn_kl, symmetric in (k, l).
Matrix3d Jn(const Sid& sid, Index k, Index l) {
  const Index n_q = sid.n_q();
  if (sid.J.Mn.empty()) return Matrix3d::Zero();
  return 0.5 *
         (sid.J.Mn[static_cast<std::size_t>(k * n_q + l)] + sid.J.Mn[static_cast<std::size_t>(l * n_q + k)]);
}

/// Compares what `add` adds for every pair (l, k) of shapes.
SidIdentity over_pairs(const Sid& sid, const std::function<void(Comparison&, Index, Index)>& add) {
  Comparison c("");
  for (Index l = 0; l < sid.n_q(); ++l) {
    for (Index k = 0; k < sid.n_q(); ++k) add(c, l, k);
  }
  return c.result();
}

SidIdentity Gr_and_Cr(const Sid& sid) {
  Comparison c("");
  for (Index k = 0; k < sid.n_q(); ++k) {
    const Matrix3d Gr_k = sid.Gr.M0.middleCols(3 * k, 3);
    c.add(Gr_k - Gr_k.transpose(), -2.0 * cross_matrix(sid.Cr.M0.row(k).transpose()));
  }
  return c.result();
}

SidIdentity Gr1_and_Jn(const Sid& sid) {
  return over_pairs(sid, [&](Comparison& c, Index l, Index k) {
    const Matrix3d G = Gr1(sid, l, k);
    c.add(G + G.transpose(), 4.0 * Jn(sid, k, l));
  });
}

SidIdentity Ge_and_Gr1(const Sid& sid) {
  return over_pairs(sid, [&](Comparison& c, Index l, Index k) {
    const Matrix3d G = Gr1(sid, l, k);
    c.add(G - G.transpose(), -cross_matrix(sid.Ge.M0.block(k, 3 * l, 1, 3).transpose()));
  });
}

SidIdentity Oe_and_J1(const Sid& sid) {
  Comparison c("");
  for (std::size_t k = 0; k < sid.J.M1.size(); ++k)
    c.add(sid.Oe.M0.row(static_cast<Index>(k)), quadratic_form(-0.5 * sid.J.M1[k]));
  return c.result();
}

SidIdentity Oe1_and(const Sid& sid, const std::function<Matrix3d(Index, Index)>& twice_Jn) {
  return over_pairs(sid, [&](Comparison& c, Index l, Index k) {
    if (sid.Oe.M1.empty()) return;
    c.add(sid.Oe.M1[static_cast<std::size_t>(l)].row(k), quadratic_form(-0.5 * twice_Jn(l, k)));
  });
}

/// Whether the exchanged data agree better by the first of the measures that tells; nothing if none does.
std::optional<bool> prefers(const Sid& exchanged, const Sid& given, const SidPrecision& precision,
                            const std::vector<Measure>& measures) {
  for (const Measure& measure : measures) {
    const SidIdentity a = measure(given), b = measure(exchanged);
    if (!a.compares) continue;
    const double certain = std::max(a.tolerance, 8.0 * precision.relative);
    if (std::abs(a.violation - b.violation) > certain) return b.violation < a.violation;
  }
  return {};
}

}  // namespace

void choose_column_orders(const std::string& comments, const SidPrecision& precision, Sid& sid) {
  const auto says = [&](std::string_view words) { return comments.find(words) != std::string::npos; };
  const auto with = [&](const auto& identity) -> Measure {
    return [&precision, &identity](const Sid& s) { return identity(s, precision); };
  };
  const auto decide = [&](const auto& exchange, const std::vector<Measure>& measures) -> std::optional<bool> {
    Sid exchanged = sid;
    exchange(exchanged);
    return prefers(exchanged, sid, precision, measures);
  };
  std::optional<bool> by_shape;  // stated for both
  if (says(sid_text::columns_by_direction)) by_shape = false;
  if (says(sid_text::columns_by_shape)) by_shape = true;

  // As read, Gr and Ge are taken for ordered by shape.
  bool Gr_by_direction = !by_shape.value_or(false), Ge_by_direction = Gr_by_direction;
  if (!by_shape) {
    const auto exchange = [&](Sid& s) { order_by_shape(s.Gr, s.n_q()); };
    Gr_by_direction = decide(exchange, {with(identity_of_Gr), Gr_and_Cr, Gr1_and_Jn}).value_or(true);
  }
  if (Gr_by_direction) order_by_shape(sid.Gr, sid.n_q());
  if (!by_shape) {
    const auto exchange = [&](Sid& s) { order_by_shape(s.Ge, s.n_q()); };
    Ge_by_direction = decide(exchange, {with(identity_of_Ge), Ge_and_Gr1}).value_or(Gr_by_direction);
  }
  if (Ge_by_direction) order_by_shape(sid.Ge, sid.n_q());

  bool exchange_Oe = says(sid_text::products_13_23);
  if (!exchange_Oe && !says(sid_text::products_23_13)) {
    const Measure with_Jn = [](const Sid& s) {
      return Oe1_and(s, [&](Index l, Index k) -> Matrix3d { return 2.0 * Jn(s, k, l); });
    };
    const Measure with_Gr1 = [](const Sid& s) {
      return Oe1_and(s, [&](Index l, Index k) { return Gr1(s, l, k); });
    };
    exchange_Oe = decide([](Sid& s) { exchange_last_columns(s.Oe); },
                         {with(identity_of_Oe), Oe_and_J1, with_Jn, with_Gr1})
                      .value_or(false);
  }
  if (exchange_Oe) exchange_last_columns(sid.Oe);
}

}  // namespace kurbel
