#include "fem/gram.hpp"

#include <algorithm>
#include <cassert>
#include <type_traits>

#include "fem/tilde.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr int next(int d) {
  return (d + 1) % 3;
}
constexpr int after_next(int d) {
  return (d + 2) % 3;
}

/// Visits every term "entry += factor * G(i, j)" of the map from the Gram matrix to the coefficients. A
/// coefficient that is absent (empty) is passed over.
template <class SidType, class Visit>
class GramTerms {
 public:
  GramTerms(SidType& sid, const Visit& visit) : sid_(sid), visit_(visit), at_{sid.n_q()} {}

  void visit_all() {
    visit_(sid_.refmod.mass, 1.0, at_.one(), at_.one());
    zeroth_order();
    for (Index l = 0; l < at_.n_q; ++l) first_order(l);
    for (Index k = 0; k < at_.n_q && !sid_.J.Mn.empty(); ++k) {
      for (Index l = 0; l < at_.n_q; ++l) second_order_inertia(sid_.J.Mn[k * at_.n_q + l], k, l);
    }
  }

  /// The terms of Gamma_kl for one l: G(c, 4 + d n_q + k) stands for its moments.
  void second_order_displacement(Index l) {
    const auto position = [](int d) { return GramIndex::position(d); };
    for (Index k = 0; k < at_.n_q; ++k) {
      for (int d = 0; d < 3; ++d) visit_(sid_.Ct.M1[l](k, d), 1.0, at_.one(), at_.shape(d, k));
      first_order_inertia(sid_.J.Mn[k * at_.n_q + l], k, 0.5);
    }
    moment_terms(sid_.Cr.M1[l], 1.0, 0, position);
    gyroscopic_terms(sid_.Gr.M1[l], position);
    centrifugal_terms(sid_.Oe.M1[l], position);
  }

 private:
  using Matrix = std::conditional_t<std::is_const_v<SidType>, const MatrixXd, MatrixXd>;

  void zeroth_order() {
    const auto position = [](int d) { return GramIndex::position(d); };
    for (int d = 0; d < 3; ++d) {
      visit_(sid_.mdCM.M0(d, 0), 1.0, at_.one(), at_.position(d));
      visit_(sid_.J.M0(d, d), 1.0, at_.position(next(d)), at_.position(next(d)));
      visit_(sid_.J.M0(d, d), 1.0, at_.position(after_next(d)), at_.position(after_next(d)));
      for (int c = 0; c < 3; ++c) {
        if (c != d) visit_(sid_.J.M0(d, c), -1.0, at_.position(d), at_.position(c));
      }
    }
    for (Index k = 0; k < at_.n_q; ++k) {
      for (int d = 0; d < 3; ++d) visit_(sid_.Ct.M0(k, d), 1.0, at_.one(), at_.shape(d, k));
      for (Index l = 0; l < at_.n_q; ++l) {
        for (int d = 0; d < 3; ++d) visit_(sid_.Me.M0(k, l), 1.0, at_.shape(d, k), at_.shape(d, l));
      }
    }
    moment_terms(sid_.Cr.M0, 1.0, 0, position);
    gyroscopic_terms(sid_.Gr.M0, position);
    centrifugal_terms(sid_.Oe.M0, position);
  }

  void first_order(Index l) {
    const auto shape_l = [this, l](int d) { return at_.shape(d, l); };
    if (!sid_.mdCM.M1.empty()) {
      for (int d = 0; d < 3; ++d) visit_(sid_.mdCM.M1[l](d, 0), 1.0, at_.one(), at_.shape(d, l));
    }
    if (!sid_.J.M1.empty()) first_order_inertia(sid_.J.M1[l], l);
    if (!sid_.Cr.M1.empty()) moment_terms(sid_.Cr.M1[l], 1.0, 0, shape_l);
    if (!sid_.Gr.M1.empty()) gyroscopic_terms(sid_.Gr.M1[l], shape_l);
    if (!sid_.Oe.M1.empty()) centrifugal_terms(sid_.Oe.M1[l], shape_l);
    moment_terms(sid_.Ge.M0, 2.0, 3 * l, shape_l);
  }

  void first_order_inertia(Matrix& J1, Index k, double factor = 1.0) {
    for (int d = 0; d < 3; ++d) {
      visit_(J1(d, d), 2.0 * factor, at_.position(next(d)), at_.shape(next(d), k));
      visit_(J1(d, d), 2.0 * factor, at_.position(after_next(d)), at_.shape(after_next(d), k));
      for (int c = 0; c < 3; ++c) {
        if (c == d) continue;
        visit_(J1(d, c), -factor, at_.position(d), at_.shape(c, k));
        visit_(J1(d, c), -factor, at_.position(c), at_.shape(d, k));
      }
    }
  }

  void second_order_inertia(Matrix& Jn, Index k, Index l) {
    for (int d = 0; d < 3; ++d) {
      visit_(Jn(d, d), 1.0, at_.shape(next(d), k), at_.shape(next(d), l));
      visit_(Jn(d, d), 1.0, at_.shape(after_next(d), k), at_.shape(after_next(d), l));
      for (int c = 0; c < 3; ++c) {
        if (c == d) continue;
        visit_(Jn(d, c), -0.5, at_.shape(d, k), at_.shape(c, l));
        visit_(Jn(d, c), -0.5, at_.shape(c, k), at_.shape(d, l));
      }
    }
  }

  /// Row k of the three columns from `first_column` on: factor int rho (r x Phi_k)^T for the field r.
  template <class Field>
  void moment_terms(Matrix& rows, double factor, Index first_column, const Field& r) {
    for (Index k = 0; k < at_.n_q; ++k) {
      for (int d = 0; d < 3; ++d) {
        visit_(rows(k, first_column + d), factor, r(next(d)), at_.shape(after_next(d), k));
        visit_(rows(k, first_column + d), -factor, r(after_next(d)), at_.shape(next(d), k));
      }
    }
  }

  /// Block k: 2 int rho r~ Phi_k~^T = 2 int rho ((r . Phi_k) E - Phi_k r^T).
  template <class Field>
  void gyroscopic_terms(Matrix& blocks, const Field& r) {
    for (Index k = 0; k < at_.n_q; ++k) {
      for (int d = 0; d < 3; ++d) {
        visit_(blocks(d, 3 * k + d), 2.0, r(next(d)), at_.shape(next(d), k));
        visit_(blocks(d, 3 * k + d), 2.0, r(after_next(d)), at_.shape(after_next(d), k));
        for (int c = 0; c < 3; ++c) {
          if (c != d) visit_(blocks(d, 3 * k + c), -2.0, r(c), at_.shape(d, k));
        }
      }
    }
  }

  /// Row k: int rho Phi_k^T w~ w~ r = int rho ((Phi_k . w)(r . w) - (Phi_k . r) w^2) on the products of w.
  template <class Field>
  void centrifugal_terms(Matrix& rows, const Field& r) {
    for (Index k = 0; k < at_.n_q; ++k) {
      for (int d = 0; d < 3; ++d) {
        visit_(rows(k, d), -1.0, r(next(d)), at_.shape(next(d), k));
        visit_(rows(k, d), -1.0, r(after_next(d)), at_.shape(after_next(d), k));
        const int column = d == 0 ? 3 : d == 1 ? 4 : 5;  // w1 w2, w2 w3, w1 w3
        visit_(rows(k, column), 1.0, r(d), at_.shape(next(d), k));
        visit_(rows(k, column), 1.0, r(next(d)), at_.shape(d, k));
      }
    }
  }

  SidType& sid_;
  const Visit& visit_;
  GramIndex at_;
};

void set_marker(const MarkerShapes& marker, SidNode& node) {
  const Index n_q = marker.Phi.cols();
  node = make_sid_node(marker.name, marker.R, Matrix3d::Identity(), n_q);
  node.phi.M0 = marker.Phi;
  node.psi.M0 = marker.Psi;
  for (Index k = 0; k < n_q; ++k) {
    node.origin.M1[k] = marker.Phi.col(k);
    node.AP.M1[k] = tilde(marker.Psi.col(k));
  }
}

void set_structures(Sid& sid) {
  using Structure = Taylor::Structure;
  for (Taylor* t : {&sid.J, &sid.Me, &sid.De}) t->structure = Structure::symmetric;
  sid.Ke.structure = sid.Ke.M0.isDiagonal(0.0) ? Structure::diagonal : Structure::symmetric;
  sid.ksigma.structure = Structure::zero;
}

}  // namespace

Sid sid_from_gram(const MatrixXd& G, const MatrixXd& Ke, double alpha, double beta,
                  const std::vector<MarkerShapes>& markers, const std::vector<std::string>& names) {
  Sid sid = Sid::zeros(names, {});
  assert(G.rows() == GramIndex{sid.n_q()}.size() && G.cols() == G.rows());
  const auto add = [&](double& entry, double factor, Index i, Index j) { entry += factor * G(i, j); };
  GramTerms<Sid, decltype(add)>(sid, add).visit_all();
  sid.Ke.M0 = Ke;
  sid.De.M0 = alpha * sid.Me.M0 + beta * Ke;
  sid.frame.resize(markers.size());
  for (std::size_t i = 0; i < markers.size(); ++i) set_marker(markers[i], sid.frame[i]);
  set_structures(sid);
  return sid;
}

void add_second_order_displacement(const SecondOrderMoments& moments, Sid& sid) {
  const Index n_q = sid.n_q();
  sid.Ct.M1.assign(static_cast<std::size_t>(n_q), MatrixXd::Zero(n_q, 3));
  for (Index l = 0; l < n_q; ++l) {
    const MatrixXd& own = moments[static_cast<std::size_t>(l)];
    const auto add = [&](double& entry, double factor, Index i, Index j) { entry += factor * own(i, j - 4); };
    GramTerms<Sid, decltype(add)>(sid, add).second_order_displacement(l);
  }
}

void for_each_gram_term(const Sid& sid, const std::function<void(double, double, Index, Index)>& visit) {
  GramTerms<const Sid, std::function<void(double, double, Index, Index)>>(sid, visit).visit_all();
}

GramBar gram_from_sid_bar(const Sid& sid_bar, double alpha, double beta) {
  Sid bar = sid_bar;
  bar.Me.M0 += alpha * sid_bar.De.M0;
  GramBar out;
  const Index size = GramIndex{bar.n_q()}.size();
  out.G = MatrixXd::Zero(size, size);
  const auto add = [&](double entry_bar, double factor, Index i, Index j) {
    out.G(i, j) += factor * entry_bar;
  };
  GramTerms<const Sid, decltype(add)>(bar, add).visit_all();
  for (Index l = 0; l < static_cast<Index>(bar.Ct.M1.size()); ++l) {
    MatrixXd own = MatrixXd::Zero(4, 3 * bar.n_q());
    const auto add_own = [&](double entry_bar, double factor, Index i, Index j) {
      own(i, j - 4) += factor * entry_bar;
    };
    GramTerms<const Sid, decltype(add_own)>(bar, add_own).second_order_displacement(l);
    out.second_order.push_back(std::move(own));
  }
  out.Ke = bar.Ke.M0 + beta * bar.De.M0;
  for (const SidNode& node : bar.frame) {
    MatrixXd Phi = node.phi.M0, Psi = node.psi.M0;
    for (std::size_t k = 0; k < node.origin.M1.size(); ++k) Phi.col(k) += node.origin.M1[k];
    for (std::size_t k = 0; k < node.AP.M1.size(); ++k) {
      const MatrixXd& A = node.AP.M1[k];
      Psi.col(k) += Vector3d(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
    }
    out.marker_R.push_back(node.origin.M0);
    out.marker_Phi.push_back(std::move(Phi));
    out.marker_Psi.push_back(std::move(Psi));
    out.marker_second_order.push_back(node.phi.M1);
  }
  return out;
}

Invariance invariance_of(const GramModel& model, const GramBar& bar, const std::vector<StressBar>& stress) {
  const auto& [G, Ke, markers, second_order, marker_second_order] = model;
  const GramIndex at{Ke.cols()};
  const Index n_q = at.n_q;
  MatrixXd sum = MatrixXd::Zero(n_q, n_q), terms = MatrixXd::Zero(n_q, n_q);
  const auto add = [&](const auto& U, const auto& U_bar) {
    sum += U.transpose() * U_bar;
    terms += U.cwiseAbs().transpose() * U_bar.cwiseAbs();
  };
  const MatrixXd G_bar = bar.G + bar.G.transpose();
  for (int d = 0; d < 3; ++d) {
    add(G.middleCols(at.shape(d, 0), n_q), G_bar.middleCols(at.shape(d, 0), n_q));
  }
  add(Ke, (bar.Ke + bar.Ke.transpose()).eval());
  for (std::size_t i = 0; i < markers.size(); ++i) {
    add(markers[i].Phi, bar.marker_Phi[i]);
    add(markers[i].Psi, bar.marker_Psi[i]);
  }
  for (const StressBar& s : stress) add(s.modes.S, s.S_bar);
  const auto add_forms = [&](const auto& form, const auto& form_bar, Index row, Index first) {
    MatrixXd Q(n_q, n_q), Q_bar(n_q, n_q);
    for (Index l = 0; l < n_q; ++l) {
      Q.row(l) = form[static_cast<std::size_t>(l)].row(row).segment(first, n_q);
      Q_bar.row(l) = form_bar[static_cast<std::size_t>(l)].row(row).segment(first, n_q);
    }
    add(Q, (Q_bar + Q_bar.transpose()).eval());
  };
  for (Index j = 0; j < 12 && !second_order.empty(); ++j)  // moment c, direction d
    add_forms(second_order, bar.second_order, j / 3, j % 3 * n_q);
  for (std::size_t i = 0; i < marker_second_order.size(); ++i) {
    for (Index d = 0; d < 3 && !marker_second_order[i].empty(); ++d)
      add_forms(marker_second_order[i], bar.marker_second_order[i], d, 0);
  }
  const double scale = terms.size() > 0 ? terms.maxCoeff() : 0.0;
  return {scale > 0.0 ? sum.cwiseAbs().maxCoeff() / scale : 0.0, scale};
}

}  // namespace kurbel::fem
