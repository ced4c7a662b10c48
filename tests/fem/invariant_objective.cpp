#include "invariant_objective.hpp"

#include <Eigen/LU>

namespace kurbel::fem::test {

namespace {

template <class Taylor, class Visit>
void visit_taylor(Taylor& t, const Visit& visit) {
  for (auto& x : t.M0.reshaped()) visit(x);
  for (auto& m : t.M1) {
    for (auto& x : m.reshaped()) visit(x);
  }
  for (auto& m : t.Mn) {
    for (auto& x : m.reshaped()) visit(x);
  }
}

template <class SidType, class Visit>
void visit_coefficients(SidType& s, const Visit& visit) {
  for (auto* t : {&s.mdCM, &s.J, &s.Ct, &s.Cr, &s.Me, &s.Gr, &s.Ge, &s.Oe, &s.Ke, &s.De})
    visit_taylor(*t, visit);
}

/// sum(A .* B) with fixed pseudo-random weights A.
template <class Derived>
typename Derived::Scalar weighted(const Eigen::MatrixBase<Derived>& B, unsigned seed) {
  return random_matrix(B.rows(), B.cols(), seed)
      .template cast<typename Derived::Scalar>()
      .cwiseProduct(B)
      .sum();
}

}  // namespace

void visit_entries(Sid& s, const std::function<void(double&)>& visit) {
  visit(s.refmod.mass);
  visit_coefficients(s, visit);
  for (SidNode& node : s.frame) visit_taylor(node.phi, visit);
  for (SidNode& node : s.frame) visit_taylor(node.psi, visit);
}

void visit_entries(SidOf<Complex>& s, const std::function<void(Complex&)>& visit) {
  visit(s.mass);
  visit_coefficients(s, visit);
  for (auto& phi : s.phi) visit_taylor(phi, visit);
  for (auto& psi : s.psi) visit_taylor(psi, visit);
}

template <class S>
S invariant_objective(const SidOf<S>& sid) {
  const Eigen::Index n_q = sid.Ke.M0.rows();
  const double rate = 2000.0;  // 1/s, of the size of the lowest frequencies
  MatrixX<S> P(6 * sid.phi.size(), n_q);
  for (std::size_t i = 0; i < sid.phi.size(); ++i) P.middleRows(6 * i, 6) << sid.phi[i].M0, sid.psi[i].M0;
  MatrixX<S> B(n_q, 12);
  B << sid.Ct.M0, sid.Cr.M0, sid.Oe.M0;
  const MatrixX<S> D = sid.Ke.M0 + rate * sid.De.M0 + rate * rate * sid.Me.M0;
  const MatrixX<S> static_answer = sid.Ke.M0.partialPivLu().solve(P.transpose());
  const MatrixX<S> dynamic_answer = D.partialPivLu().solve(P.transpose());
  const MatrixX<S> inertia_answer = D.partialPivLu().solve(B);

  // Elastic coordinates of a centimetre's size, as answers to loads.
  const VectorX<S> q = 1e5 * dynamic_answer * random_matrix(P.rows(), 1, 1).template cast<S>();
  const VectorX<S> r = 1e2 * inertia_answer * random_matrix(12, 1, 2).template cast<S>();
  const MatrixX<S> Gr = sid.Gr.at(q), Cr = sid.Cr.at(q), Oe = sid.Oe.at(q);
  MatrixX<S> Gr_r = MatrixX<S>::Zero(3, 3), Ge_r = MatrixX<S>::Zero(1, 3);
  for (Eigen::Index k = 0; k < n_q; ++k) {
    Gr_r += Gr.middleCols(3 * k, 3) * r[k];
    Ge_r += q.transpose() * sid.Ge.M0.middleCols(3 * k, 3) * r[k];
  }
  return 1e6 * weighted(P * static_answer, 3) + 1e6 * weighted(P * dynamic_answer, 4) +
         10.0 * weighted(B.transpose() * inertia_answer, 5) + weighted(sid.mdCM.at(q), 6) +
         weighted(sid.J.at(q), 7) + weighted(r.transpose() * Cr, 8) + weighted(r.transpose() * Oe, 9) +
         weighted(Gr_r, 10) + weighted(Ge_r, 11) + sid.mass;
}

template double invariant_objective(const SidOf<double>&);
template Complex invariant_objective(const SidOf<Complex>&);

Sid complex_step_bar(const Sid& sid) {
  return complex_step_bar(sid, [](const SidOf<Complex>& s) { return invariant_objective(s); });
}

Sid complex_step_bar(const Sid& sid, const std::function<Complex(const SidOf<Complex>&)>& objective) {
  constexpr double step = 1e-100;
  std::vector<double> derivatives;
  SidOf<Complex> complex_sid(sid);
  visit_entries(complex_sid, [&](Complex& entry) {
    const Complex value = entry;
    entry += Complex(0.0, step);
    derivatives.push_back(objective(complex_sid).imag() / step);
    entry = value;
  });
  Sid bar = sid;
  for (SidNode& node : bar.frame) {
    for (Taylor* t : {&node.origin, &node.AP}) {
      t->M0.setZero();
      for (MatrixXd& m : t->M1) m.setZero();
    }
  }
  std::size_t i = 0;
  visit_entries(bar, [&](double& entry) { entry = derivatives[i++]; });
  return bar;
}

}  // namespace kurbel::fem::test
