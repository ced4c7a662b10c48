/// @file
/// Evaluates the derivatives of basis_derivatives.hpp, element by element.
///
/// The header has Phi, Psi, Psi', lambda, w, Z, alpha, D, Q and the fields f and v. The code adds:
///
///     n, n_a, n_q    numbers of normal modes, of attachment modes, and of both
///     F, X           the fields f and K^-1 f, n_free_dofs x n_f
///     answers        Psi, the static answers
///     k, m           stiffness for E = 1 and mass for rho = 1 of an element, m for one direction
///     dE, drho       derivatives of E_e and rho_e by the density of the element
///     u, v           a mode or an answer, and solutions for fields; u_e, v_e: at the corners of an element
///     A              d U = U A + [w, Z], A = [a, alpha; 0, D]
///     F_U, f_dU      F^T U; F^T [w, Z], in the end F^T d U
///     dK, dM         U^T dK U, U^T dM U
///     U_M            U^T M [w, Z]
///     G              derivative of the Gram matrix W^T m W
///     R              rigid-body modes of Buckens' frame in ShapeProjection; R of the header in ElementDerivative
#include "fem/basis_derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "fem/complement_solver.hpp"
#include "fem/pullback.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr Index solved_together = 24;
constexpr Index grain = 256;

/// Indices of the fields f, whose products with d U are needed.
struct Functionals {
  int dim;
  Index n, n_a, n_fields, n_markers, marker_rows;

  Index n_q() const { return n + n_a; }
  Index field(Index a, int d) const { return a * dim + d; }  ///< (m W_a) in direction d
  Index marker(Index m, Index row) const { return n_fields * dim + m * marker_rows + row; }
  Index K_Psi(Index j) const { return marker(n_markers, 0) + j; }
  Index size() const { return K_Psi(n_a); }
  Index shape_field(int d, Index k) const { return 1 + dim + d * n_q() + k; }
};

MatrixXd assemble_functionals(const Functionals& at, const HeldBody& body, const ReducedBody& reduced,
                              const NormalBasis& basis) {
  const NodeOrder& order = body.assembly.order();
  MatrixXd F = MatrixXd::Zero(body.assembly.n_free_dofs(), at.size());
  for (Index i = 0; i < order.n_free(); ++i) {
    for (Index a = 0; a < at.n_fields; ++a) {
      for (int d = 0; d < at.dim; ++d) F(i * at.dim + d, at.field(a, d)) = reduced.m_W(i, a);
    }
  }
  for (std::size_t m = 0; m < body.markers.size(); ++m) {
    MatrixXd Phi_bar = MatrixXd::Zero(3, at.marker_rows), Psi_bar = Phi_bar;
    Phi_bar.leftCols(at.dim).diagonal().setOnes();
    if (at.dim == 2) {
      Psi_bar(2, 2) = 1.0;
    } else {
      Psi_bar.rightCols(3).setIdentity();
    }
    MatrixXd rows = MatrixXd::Zero(F.rows(), at.marker_rows);
    body.markers[m].add_transpose(Phi_bar, Psi_bar, order, at.dim, rows);
    F.middleCols(at.marker(static_cast<Index>(m), 0), at.marker_rows) = rows;
  }
  F.rightCols(at.n_a) = basis.attachment().K_Psi;
  return F;
}

/// Gathers a field on the free degrees of freedom at the corners of an element, in rows corner * dim + direction.
template <class Field, class Local>
void gather(const Assembly& assembly, const Field& field, Index e, Local& local) {
  const int dim = assembly.dim();
  const Assembly::Corners corners = assembly.corners(e);
  local.resize(corners.size() * dim, field.cols());
  for (Index a = 0; a < corners.size(); ++a) {
    const Index position = corners[a];
    for (int d = 0; d < dim; ++d) {
      if (position < assembly.order().n_free()) {
        local.row(a * dim + d) = field.row(position * dim + d);
      } else {
        local.row(a * dim + d).setZero();
      }
    }
  }
}

/// Projects the changes of the basis on the fields f: f^T w_i and f^T d Psi_j by element in row e, column
/// k * n_f + f of `out`.
class ShapeProjection {
 public:
  /// @param by_density  d E_e / d p_e, d rho_e / d p_e
  /// @param F           the fields, n_free_dofs x n_f
  ShapeProjection(const HeldBody& body, const NormalBasis& basis, const ElementFactors& by_density,
                  const Functionals& at, const MatrixXd& F)
      : body_(body), basis_(basis), by_density_(by_density), at_(at), F_(F) {
    out.setZero(body.assembly.n_elements(), at.size() * at.n_q());
  }

  Status solve() {
    const AttachmentModes& attachment = basis_.attachment();
    MatrixXd answers;  // Psi = Phi C + Psi' T^-1
    if (at_.n_a > 0) answers = basis_.normal().Phi * attachment.C + attachment.Psi * attachment.T.inverse();
    for (Index first = 0; first < at_.size(); first += solved_together) {
      const MatrixXd F = F_.middleCols(first, std::min(solved_together, at_.size() - first));
      if (Status s = project_modes(F, first); s.failed()) return s;
      if (at_.n_a > 0) project_answers(F, answers, first);
    }
    return {};
  }

  NodalFields out;
  int cg_iterations = 0;

 private:
  Status project_modes(const MatrixXd& F, Index first) {
    const NormalModes& normal = basis_.normal();
    const VectorXd size = norms(F);
    for (Index i = 0; i < at_.n; ++i) {
      ShiftedSystems systems{VectorXd::Constant(F.cols(), normal.lambda[i]), size, F};
      if (Status s = solve_in_complement(body_.pencil(), normal, systems); s.failed()) return s;
      cg_iterations += systems.iterations;
      contract(systems.v, normal.Phi.col(i), normal.lambda[i], by_density_, i * at_.size() + first);
    }
    return {};
  }

  void project_answers(const MatrixXd& F, const MatrixXd& answers, Index first) {
    MatrixXd v;
    body_.pencil().K.solve(F, v);
    const NodalFields X = v;
    for (Index j = 0; j < at_.n_a; ++j)
      contract(X, answers.col(j), 0.0, by_density_, (at_.n + j) * at_.size() + first);
    if (body_.frame.is_buckens()) project_inertia_relief(F, X, answers, first);
  }

  /// Adds the terms that d Psi_j has in Buckens' frame besides (modal_basis.hpp):
  /// - X^T dM R (R^T b_j) - (R^T f)^T R^T dM Psi_j.
  void project_inertia_relief(const MatrixXd& F, const NodalFields& X, const MatrixXd& answers, Index first) {
    const MatrixXd& R = body_.frame.projection()->R;
    const MatrixXd relief = R * gram(R, body_.B_T);
    const NodalFields R_f = R * gram(R, F);
    const ElementFactors mass_only{VectorXd::Zero(by_density_.mass.size()), by_density_.mass};
    for (Index j = 0; j < at_.n_a; ++j) {
      const Index column = (at_.n + j) * at_.size() + first;
      contract(X, relief.col(j), -1.0, mass_only, column);
      contract(R_f, answers.col(j), -1.0, mass_only, column);
    }
  }

  /// Adds the part of every element e, out(e, first + f) -= v_f^T (dE_e k - lambda drho_e m) u.
  void contract(const NodalFields& v, const VectorXd& u, double lambda, const ElementFactors& change,
                Index first) {
    const Assembly& assembly = body_.assembly;
    const int dim = assembly.dim();
    parallel_for(assembly.n_elements(), grain, [&](Index begin, Index end) {
      NodalFields v_e;
      VectorXd u_e, y;
      for (Index e = begin; e < end; ++e) {
        const auto& [k, m] = assembly.matrices(e);
        const Index n_corners = m.rows();
        gather(assembly, u, e, u_e);
        gather(assembly, v, e, v_e);
        y.noalias() = change.stiffness[e] * (k * u_e);
        for (int d = 0; d < dim; ++d) {
          for (Index a = 0; a < n_corners; ++a) {
            for (Index b = 0; b < n_corners; ++b)
              y[a * dim + d] -= lambda * change.mass[e] * m(a, b) * u_e[b * dim + d];
          }
        }
        out.row(e).segment(first, v.cols()).noalias() -= y.transpose() * v_e;
      }
    });
  }

  const HeldBody& body_;
  const NormalBasis& basis_;
  const ElementFactors& by_density_;
  const Functionals& at_;
  const MatrixXd& F_;
};

/// Derivatives of the reduced model by the density of one element, with the scratch memory of a thread.
class ElementDerivative {
 public:
  ElementDerivative(const Assembly& assembly, const Functionals& at, const ReducedNumbers& numbers,
                    const ReducedBody& reduced, const AttachmentModes& attachment, const MatrixXd& F_U)
      : assembly_(assembly),
        at_(at),
        numbers_(numbers),
        reduced_(reduced),
        attachment_(attachment),
        F_U_(F_U),
        A_(at.n_q(), at.n_q()),
        d_lambda_(at.n_q()) {}

  /// @param projected  f^T w_i and f^T d Psi_j, n_f x n_q
  template <class Row>
  void write(Index e, double dE, double drho, const Eigen::Map<const MatrixXd>& projected, Row&& out) {
    explicit_part(e, dE, drho);
    f_dU_.resize(at_.size(), at_.n_q());
    f_dU_.leftCols(at_.n) = projected.leftCols(at_.n);
    A_.setZero();
    normal_block();
    if (at_.n_a > 0) {
      f_dU_.rightCols(at_.n_a) =
          (projected.rightCols(at_.n_a) - projected.leftCols(at_.n) * attachment_.C) * attachment_.T;
      attachment_block();
    }
    f_dU_.noalias() += F_U_ * A_;
    collect(out);
  }

 private:
  /// Computes W^T dm W, U^T dK U and U^T dM U.
  void explicit_part(Index e, double dE, double drho) {
    const int dim = at_.dim;
    const auto& [k, m] = assembly_.matrices(e);
    const Assembly::Corners corners = assembly_.corners(e);
    W_e_.resize(corners.size(), reduced_.W.cols());
    U_e_.resize(corners.size() * dim, at_.n_q());
    for (Index a = 0; a < W_e_.rows(); ++a) {
      W_e_.row(a) = reduced_.W.row(corners[a]);
      for (int d = 0; d < dim; ++d)
        U_e_.row(a * dim + d) = W_e_.row(a).segment(at_.shape_field(d, 0), at_.n_q());
    }
    G_.noalias() = drho * (W_e_.transpose() * (m * W_e_));
    dK_.noalias() = dE * (U_e_.transpose() * (k * U_e_));
    dM_.setZero(at_.n_q(), at_.n_q());
    for (int d = 0; d < dim; ++d) {
      const Index first = at_.shape_field(d, 0);
      dM_ += G_.block(first, first, at_.n_q(), at_.n_q());
    }
  }

  void normal_block() {
    const VectorXd& lambda = reduced_.lambda;
    for (Index i = 0; i < at_.n; ++i) {
      for (Index j = 0; j < at_.n; ++j) {
        if (j != i) A_(j, i) = (dK_(j, i) - lambda[i] * dM_(j, i)) / (lambda[i] - lambda[j]);
      }
      A_(i, i) = -0.5 * dM_(i, i);
      d_lambda_[i] = dK_(i, i) - lambda[i] * dM_(i, i);
    }
  }

  void attachment_block() {
    const Index n = at_.n, n_a = at_.n_a;
    const VectorXd& lambda = reduced_.lambda;
    U_M_.setZero(at_.n_q(), at_.n_q());  // U^T M [w, Z]
    for (Index k = 0; k < at_.n_q(); ++k) {
      for (int d = 0; d < at_.dim; ++d) U_M_.row(k) += f_dU_.row(at_.field(at_.shape_field(d, k), d));
    }
    A_.topRightCorner(n, n_a) = -(U_M_.topRightCorner(n, n_a) + U_M_.bottomLeftCorner(n_a, n).transpose() +
                                  dM_.topRightCorner(n, n_a));
    const MatrixXd M_Z = U_M_.bottomRightCorner(n_a, n_a);
    const MatrixXd K_Z = f_dU_.bottomRightCorner(n_a, n_a);
    const MatrixXd R = dM_.bottomRightCorner(n_a, n_a) + M_Z + M_Z.transpose();
    const MatrixXd Q = dK_.bottomRightCorner(n_a, n_a) + K_Z + K_Z.transpose();
    for (Index j = 0; j < n_a; ++j) {
      for (Index i = 0; i < n_a; ++i) {
        if (i != j) A_(n + i, n + j) = (lambda[n + j] * R(i, j) - Q(i, j)) / (lambda[n + i] - lambda[n + j]);
      }
      A_(n + j, n + j) = -0.5 * R(j, j);
      d_lambda_[n + j] = Q(j, j) - lambda[n + j] * R(j, j);
    }
  }

  template <class Row>
  void collect(Row& out) {
    for (Index a = 0; a < at_.n_fields; ++a) {
      for (int d = 0; d < at_.dim; ++d) {
        for (Index k = 0; k < at_.n_q(); ++k) {
          const Index b = at_.shape_field(d, k);
          const double value = f_dU_(at_.field(a, d), k);
          G_(a, b) += value;
          G_(b, a) += value;
        }
      }
    }
    for (Index a = 0; a < at_.n_fields; ++a) {
      for (Index b = a; b < at_.n_fields; ++b) out[numbers_.compact_gram(a, b)] = 0.5 * (G_(a, b) + G_(b, a));
    }
    for (Index k = 0; k < at_.n_q(); ++k) out[numbers_.lambda(k)] = d_lambda_[k];
    for (Index m = 0; m < at_.n_markers; ++m) {
      for (int d = 0; d < 6; ++d) {
        Index row = d;
        if (at_.dim == 2) {
          if (numbers_.marker(m, d, 0) < 0) continue;
          row = d == 5 ? 2 : d;
        }
        for (Index k = 0; k < at_.n_q(); ++k) out[numbers_.marker(m, d, k)] = f_dU_(at_.marker(m, row), k);
      }
    }
  }

  const Assembly& assembly_;
  const Functionals& at_;
  const ReducedNumbers& numbers_;
  const ReducedBody& reduced_;
  const AttachmentModes& attachment_;
  const MatrixXd& F_U_;
  NodalFields W_e_;
  MatrixXd U_e_, A_, G_, dK_, dM_, f_dU_, U_M_;
  VectorXd d_lambda_;
};

/// Fails at the first pair of coinciding eigenvalues of a block.
Status find_coincidence(const VectorXd& lambda, const char* kind) {
  for (Index i = 0; i + 1 < lambda.size(); ++i) {
    if (lambda[i + 1] - lambda[i] > coincident * lambda[i + 1]) continue;
    return Failure{
        fmt::format("the {0} modes {1} and {2} coincide, at {3:.8g} Hz and {4:.8g} Hz: coefficients "
                    "written in their basis have no derivative",
                    kind, i + 1, i + 2, frequency_hz(lambda[i]), frequency_hz(lambda[i + 1])),
        "", "use sensitivity.path = \"pull-back\", whose gradient exists there, or other modes"};
  }
  return {};
}

}  // namespace

ReducedNumbers::ReducedNumbers(int dim, Index n_q, Index n_markers)
    : dim_(dim), n_q_(n_q), n_markers_(n_markers) {
  const GramIndex full{n_q};
  const std::vector<Index> place = compact_fields(dim, full);
  n_fields_ = static_cast<Index>(place.size());
  n_gram_ = n_fields_ * (n_fields_ + 1) / 2;
  compact_.assign(static_cast<std::size_t>(full.size()), -1);
  for (Index a = 0; a < n_fields_; ++a)
    compact_[static_cast<std::size_t>(place[static_cast<std::size_t>(a)])] = a;
}

Index ReducedNumbers::gram(Index i, Index j) const {
  const Index a = compact_[static_cast<std::size_t>(i)], b = compact_[static_cast<std::size_t>(j)];
  return a < 0 || b < 0 ? -1 : compact_gram(a, b);
}

Index ReducedNumbers::compact_gram(Index a, Index b) const {
  const auto [low, high] = std::minmax(a, b);
  return high * (high + 1) / 2 + low;
}

Index ReducedNumbers::marker(Index m, int d, Index k) const {
  const Index row = dim_ == 3 ? d : d < 2 ? d : d == 5 ? 2 : -1;
  return row < 0 ? -1 : n_gram_ + n_q_ + (m * marker_rows() + row) * n_q_ + k;
}

Status differentiate_reduction(const HeldBody& body, const NormalBasis& basis, const ReducedBody& reduced,
                               const ElementFactors& by_density, MatrixXd& out, int& cg_iterations) {
  const Assembly& assembly = body.assembly;
  if (Status s = find_coincidence(basis.normal().lambda, "normal"); s.failed()) return s;
  if (Status s = find_coincidence(basis.attachment().lambda, "attachment"); s.failed()) return s;
  const Index n_q = reduced.lambda.size(), n_markers = static_cast<Index>(body.markers.size());
  const ReducedNumbers numbers(assembly.dim(), n_q, n_markers);
  const Functionals at{.dim = assembly.dim(),
                       .n = basis.normal().lambda.size(),
                       .n_a = basis.attachment().lambda.size(),
                       .n_fields = numbers.n_fields(),
                       .n_markers = n_markers,
                       .marker_rows = numbers.marker_rows()};
  const MatrixXd F = assemble_functionals(at, body, reduced, basis);
  MatrixXd F_U(at.size(), n_q);
  F_U.leftCols(at.n) = gram(F, basis.normal().Phi);
  F_U.rightCols(at.n_a) = gram(F, basis.attachment().Psi);
  ShapeProjection projection(body, basis, by_density, at, F);
  Status status = projection.solve();
  cg_iterations = projection.cg_iterations;
  if (status.failed()) return status;
  out.resize(assembly.n_elements(), numbers.size());
  parallel_for(out.rows(), grain, [&](Index begin, Index end) {
    ElementDerivative element(assembly, at, numbers, reduced, basis.attachment(), F_U);
    for (Index e = begin; e < end; ++e) {
      const Eigen::Map<const MatrixXd> of_element(projection.out.row(e).data(), at.size(), n_q);
      element.write(e, by_density.stiffness[e], by_density.mass[e], of_element, out.row(e));
    }
  });
  return {};
}

}  // namespace kurbel::fem
