#include "fem/sid_derivatives.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "fem/basis_derivatives.hpp"
#include "fem/gram.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// A Sid whose entries are the numbers 0, 1, 2, ... in the order of the coefficients.
Sid numbered(const Sid& sid, const std::vector<SidCoefficient>& coefficients) {
  Sid out = sid;
  Index first = 0;
  for (const SidCoefficient& c : coefficients) {
    set_coefficient_values(out, c,
                           VectorXd::LinSpaced(c.size(), double(first), double(first + c.size() - 1)));
    first += c.size();
  }
  return out;
}

}  // namespace

/// Collects what every entry is made of.
class SidDerivatives::Collector {
 public:
  Collector(const Sid& sid, const ReducedNumbers& numbers, const std::vector<SidCoefficient>& coefficients)
      : names_(numbered(sid, coefficients)), numbers_(numbers) {
    Index n_entries = 0;
    for (const SidCoefficient& c : coefficients) n_entries += c.size();
    flat_.resize(static_cast<std::size_t>(n_entries));
  }

  void integrals() {
    for_each_gram_term(names_, [&](double entry, double factor, Index i, Index j) {
      add(entry, factor, numbers_.gram(i, j));
    });
  }

  /// Ke = diag(lambda), De = alpha Me + beta Ke; after integrals().
  void stiffness_and_damping(double alpha, double beta) {
    for (Index k = 0; k < names_.n_q(); ++k) {
      add(names_.Ke.M0(k, k), 1.0, numbers_.lambda(k));
      if (beta != 0.0) add(names_.De.M0(k, k), beta, numbers_.lambda(k));
      for (Index l = 0; l < names_.n_q() && alpha != 0.0; ++l) {
        for (const Term& term : terms_of(names_.Me.M0(k, l)))
          add(names_.De.M0(k, l), alpha * term.factor, term.number);
      }
    }
  }

  /// De += diag(2 zeta_k sqrt(lambda_k)).
  void modal_damping(const VectorXd& ratios, const VectorXd& lambda) {
    for (Index k = 0; k < ratios.size(); ++k)
      add(names_.De.M0(k, k), ratios[k] / std::sqrt(lambda[k]), numbers_.lambda(k));
  }

  /// origin.M1 = phi, AP.M1 = psi~.
  void markers() {
    for (std::size_t m = 0; m < names_.frame.size(); ++m) {
      const SidNode& node = names_.frame[m];
      for (Index k = 0; k < names_.n_q(); ++k) {
        const MatrixXd& A = node.AP.M1[static_cast<std::size_t>(k)];
        for (int d = 0; d < 3; ++d) {
          const Index phi = numbers_.marker(static_cast<Index>(m), d, k);
          const Index psi = numbers_.marker(static_cast<Index>(m), 3 + d, k);
          const int next = (d + 1) % 3, after_next = (d + 2) % 3;
          add(node.phi.M0(d, k), 1.0, phi);
          add(node.origin.M1[static_cast<std::size_t>(k)](d, 0), 1.0, phi);
          add(node.psi.M0(d, k), 1.0, psi);
          add(A(after_next, next), 1.0, psi);
          add(A(next, after_next), -1.0, psi);
        }
      }
    }
  }

  /// Terms of the same number in one, those that cancel left out.
  std::vector<std::vector<Term>>& merged() {
    for (std::vector<Term>& terms : flat_) {
      std::vector<Term> sums;
      for (const Term& term : terms) {
        const auto same = std::find_if(sums.begin(), sums.end(),
                                       [&](const Term& sum) { return sum.number == term.number; });
        if (same == sums.end()) {
          sums.push_back(term);
        } else {
          same->factor += term.factor;
        }
      }
      std::erase_if(sums, [](const Term& sum) { return sum.factor == 0.0; });
      terms = std::move(sums);
    }
    return flat_;
  }

 private:
  std::vector<Term>& terms_of(double entry) { return flat_[static_cast<std::size_t>(std::lround(entry))]; }
  void add(double entry, double factor, Index number) {
    if (number >= 0) terms_of(entry).push_back({factor, number});
  }

  Sid names_;
  const ReducedNumbers& numbers_;
  std::vector<std::vector<Term>> flat_;
};

SidDerivatives::SidDerivatives(const Sid& sid, const ReducedNumbers& numbers, double alpha, double beta,
                               const VectorXd& modal, MatrixXd numbers_by_variable)
    : coefficients_(sid_coefficients(sid)), by_variable_(std::move(numbers_by_variable)) {
  Collector collector(sid, numbers, coefficients_);
  collector.integrals();
  collector.stiffness_and_damping(alpha, beta);
  collector.modal_damping(modal, sid.Ke.M0.diagonal());
  collector.markers();
  auto entry = collector.merged().begin();
  for (const SidCoefficient& c : coefficients_) {
    terms_.emplace_back(std::make_move_iterator(entry), std::make_move_iterator(entry + c.size()));
    entry += c.size();
  }
}

std::size_t SidDerivatives::place_of(const SidCoefficient& coefficient) const {
  const auto it = std::find_if(coefficients_.begin(), coefficients_.end(), [&](const SidCoefficient& c) {
    return c.group == coefficient.group && c.order == coefficient.order;
  });
  assert(it != coefficients_.end());
  return static_cast<std::size_t>(it - coefficients_.begin());
}

RowMatrix SidDerivatives::derivative(const SidCoefficient& coefficient) const {
  const auto& entries = terms_[place_of(coefficient)];
  RowMatrix out = RowMatrix::Zero(coefficient.size(), n_variables());
  for (Index i = 0; i < out.rows(); ++i) {
    for (const Term& term : entries[static_cast<std::size_t>(i)])
      out.row(i) += term.factor * by_variable_.col(term.number).transpose();
  }
  return out;
}

Index SidDerivatives::n_dependent(const SidCoefficient& coefficient) const {
  const auto& entries = terms_[place_of(coefficient)];
  return std::count_if(entries.begin(), entries.end(), [](const auto& terms) { return !terms.empty(); });
}

VectorXd SidDerivatives::contract(const Sid& sid_bar) const {
  VectorXd gradient = VectorXd::Zero(n_variables());
  for (const SidCoefficient& c : coefficients_)
    gradient.noalias() += derivative(c).transpose() * coefficient_values(sid_bar, c);
  return gradient;
}

double SidDerivatives::bytes_of_arrays() const {
  double entries = 0.0;
  for (const SidCoefficient& c : coefficients_) entries += double(c.size());
  return entries * double(n_variables()) * sizeof(double);
}

SidDerivatives SidDerivatives::by(const std::vector<DesignVariable>& variables) const {
  SidDerivatives out;
  out.coefficients_ = coefficients_;
  out.terms_ = terms_;
  out.by_variable_ = MatrixXd::Zero(static_cast<Index>(variables.size()), by_variable_.cols());
  for (std::size_t v = 0; v < variables.size(); ++v) {
    for (const Index e : variables[v].elements)
      out.by_variable_.row(static_cast<Index>(v)) += by_variable_.row(e);
  }
  return out;
}

}  // namespace kurbel::fem
