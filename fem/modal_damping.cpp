#include "fem/modal_damping.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "fem/modes.hpp"

namespace kurbel::fem {

using Eigen::Index;

VectorXd damping_ratios(const std::vector<double>& given, Index n_q) {
  if (given.size() == 1) return VectorXd::Constant(n_q, given[0]);
  assert(given.empty() || static_cast<Index>(given.size()) == n_q);
  return Eigen::Map<const VectorXd>(given.data(), static_cast<Index>(given.size()));
}

Status add_modal_damping(const VectorXd& ratios, const VectorXd& lambda, Sid& sid) {
  for (Index i = 0; i < ratios.size(); ++i) {
    for (Index j = 0; j < i; ++j) {
      if (ratios[i] == ratios[j] || std::abs(lambda[i] - lambda[j]) > coincident * lambda[i]) continue;
      return Failure{fmt::format("the elastic coordinates \"{}\" and \"{}\" have the same frequency ({:.8g} "
                                 "Hz) but different damping ratios: their modes are not unique",
                                 sid.refmod.ielastq[static_cast<std::size_t>(j)],
                                 sid.refmod.ielastq[static_cast<std::size_t>(i)], frequency_hz(lambda[i])),
                     "", "give both the same ratio (damping.modal)"};
    }
    sid.De.M0(i, i) += 2.0 * ratios[i] * std::sqrt(lambda[i]);
  }
  return {};
}

void pull_back_modal_damping(const VectorXd& ratios, const VectorXd& lambda, Sid& sid_bar) {
  const VectorXd omega = lambda.cwiseSqrt();
  for (Index i = 0; i < ratios.size(); ++i) {
    for (Index j = 0; j < ratios.size(); ++j) {
      double by_Ke = 2.0 * ratios[i] / (omega[i] + omega[j]), by_Me = by_Ke * omega[i] * omega[j];
      if (ratios[i] != ratios[j]) {
        const double f_i = 2.0 * ratios[i] * omega[i], f_j = 2.0 * ratios[j] * omega[j];
        by_Ke = (f_j - f_i) / (lambda[j] - lambda[i]);
        by_Me = (f_i * lambda[j] - f_j * lambda[i]) / (lambda[j] - lambda[i]);
      }
      sid_bar.Ke.M0(i, j) += by_Ke * sid_bar.De.M0(i, j);
      sid_bar.Me.M0(i, j) += by_Me * sid_bar.De.M0(i, j);
    }
  }
}

}  // namespace kurbel::fem
