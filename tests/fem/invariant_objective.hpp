/// @file
/// A scalar of every SID coefficient that does not depend on the coordinates chosen in the span of the basis.
#pragma once

#include <functional>
#include <vector>

#include "fixtures.hpp"
#include "sid/sid.hpp"

namespace kurbel::fem::test {

/// Coefficients of M(q) for any scalar.
template <class S>
struct TaylorOf {
  MatrixX<S> M0;
  std::vector<MatrixX<S>> M1, Mn;

  explicit TaylorOf(const Taylor& t) : M0(t.M0.cast<S>()) {
    for (const MatrixXd& m : t.M1) M1.push_back(m.cast<S>());
    for (const MatrixXd& m : t.Mn) Mn.push_back(m.cast<S>());
  }

  MatrixX<S> at(const VectorX<S>& q) const {
    MatrixX<S> sum = M0;
    for (std::size_t k = 0; k < M1.size(); ++k) sum += M1[k] * q[k];
    for (std::size_t k = 0; k < Mn.size(); ++k) sum += Mn[k] * (q[k / q.size()] * q[k % q.size()]);
    return sum;
  }
};

template <class S>
struct SidOf {
  S mass;
  TaylorOf<S> mdCM, J, Ct, Cr, Me, Gr, Ge, Oe, Ke, De;
  std::vector<TaylorOf<S>> phi, psi;

  explicit SidOf(const Sid& s)
      : mass(s.refmod.mass),
        mdCM(s.mdCM),
        J(s.J),
        Ct(s.Ct),
        Cr(s.Cr),
        Me(s.Me),
        Gr(s.Gr),
        Ge(s.Ge),
        Oe(s.Oe),
        Ke(s.Ke),
        De(s.De) {
    for (const SidNode& node : s.frame) {
      phi.emplace_back(node.phi);
      psi.emplace_back(node.psi);
    }
  }
};

/// Visits all entries that the objective may depend on, in a fixed order; works on Sid and on SidOf.
void visit_entries(Sid& sid, const std::function<void(double&)>& visit);
void visit_entries(SidOf<Complex>& sid, const std::function<void(Complex&)>& visit);

/// Answers to marker loads and to inertia loads, statically and under exponential growth in time, and the
/// deformed body's integrals at such answers.
template <class S>
S invariant_objective(const SidOf<S>& sid);

/// d objective / d entry by complex step, in the shape of a SID.
Sid complex_step_bar(const Sid& sid);
/// The same of another objective.
Sid complex_step_bar(const Sid& sid, const std::function<Complex(const SidOf<Complex>&)>& objective);

}  // namespace kurbel::fem::test
