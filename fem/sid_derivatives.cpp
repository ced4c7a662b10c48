#include "fem/sid_derivatives.hpp"

#include <algorithm>
#include <cassert>

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

Index index_of(double entry) {
  return static_cast<Index>(entry + 0.5);
}

}  // namespace

SidDerivatives::SidDerivatives(const Sid& sid, const ReducedNumbers& numbers, double alpha, double beta,
                               MatrixXd numbers_by_variable)
    : coefficients_(sid_coefficients(sid)), by_variable_(std::move(numbers_by_variable)) {
  const Sid names = numbered(sid, coefficients_);
  Index n_entries = 0;
  for (const SidCoefficient& c : coefficients_) n_entries += c.size();
  std::vector<std::vector<Term>> flat(static_cast<std::size_t>(n_entries));
  const auto terms_of = [&](double entry) -> std::vector<Term>& {
    return flat[static_cast<std::size_t>(index_of(entry))];
  };
  const auto add = [&](double entry, double factor, Index number) {
    if (number >= 0) terms_of(entry).push_back({factor, number});
  };
  for_each_gram_term(
      names, [&](double entry, double factor, Index i, Index j) { add(entry, factor, numbers.gram(i, j)); });
  const Index n_q = sid.n_q();
  for (Index k = 0; k < n_q; ++k) {
    for (Index l = 0; l < n_q; ++l) {
      for (const Term& term : terms_of(names.Me.M0(k, l))) {
        if (alpha != 0.0) add(names.De.M0(k, l), alpha * term.factor, term.number);
      }
    }
    add(names.Ke.M0(k, k), 1.0, numbers.lambda(k));
    if (beta != 0.0) add(names.De.M0(k, k), beta, numbers.lambda(k));
  }
  for (std::size_t m = 0; m < names.frame.size(); ++m) {
    const SidNode& node = names.frame[m];
    const auto number = [&](int d, Index k) { return numbers.marker(static_cast<Index>(m), d, k); };
    for (Index k = 0; k < n_q; ++k) {
      const MatrixXd& A = node.AP.M1[static_cast<std::size_t>(k)];
      for (int d = 0; d < 3; ++d) {
        add(node.phi.M0(d, k), 1.0, number(d, k));
        add(node.psi.M0(d, k), 1.0, number(3 + d, k));
        add(node.origin.M1[static_cast<std::size_t>(k)](d, 0), 1.0, number(d, k));
        const int next = (d + 1) % 3, after_next = (d + 2) % 3;  // Psi_k~
        add(A(after_next, next), 1.0, number(3 + d, k));
        add(A(next, after_next), -1.0, number(3 + d, k));
      }
    }
  }
  auto entry = flat.begin();
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
