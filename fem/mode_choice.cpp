#include "fem/mode_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr Index most_modes = 200;
constexpr Index first_guess = 8;

Status check_separation(const std::vector<Index>& kept, const std::vector<Index>& others,
                        const VectorXd& lambda, const VectorXd& errors) {
  for (const Index i : kept) {
    for (const Index j : others) {
      const double error = errors.size() > 0 ? errors[i] + errors[j] : 0.0;
      if (std::abs(lambda[i] - lambda[j]) > std::max(closed_gap * lambda[i], error)) continue;
      return Failure{
          fmt::format("normal mode {} is kept and {} is left out, but both have the same frequency "
                      "({:.8g} Hz): which of them is kept does not depend smoothly on the design",
                      i + 1, j + 1, frequency_hz(lambda[i])),
          "", "put both into modes.list, or none"};
    }
  }
  return {};
}

}  // namespace

Status count_modes_up_to(double limit, const HeldPencil& body, Index most, int& n) {
  const double omega = 2.0 * std::numbers::pi * limit, lambda_limit = omega * omega;
  for (Index guess = std::min(first_guess, most);; guess = std::min(2 * guess, most)) {
    NormalModes modes;
    if (Status s = find_lowest_modes(body, static_cast<int>(guess), modes); s.failed()) return s;
    n = static_cast<int>((modes.lambda.array() <= lambda_limit).count());
    if (n > most_modes) {
      return Failure{fmt::format("more than {} normal modes lie below {:g} Hz", most_modes, limit), "",
                     "lower modes.up_to"};
    }
    if (modes.lambda_next > lambda_limit) return {};
  }
}

Status check_truncation(const NormalModes& modes, const VectorXd& errors) {
  if (errors.size() == 0) return {};
  const Index n = errors.size();
  const double last = modes.lambda[n - 1];
  if (!(modes.lambda_next - last <= 2.0 * errors[n - 1])) return {};
  return Failure{
      fmt::format("the last normal mode kept ({:.8g} Hz) and the first left out ({:.8g} Hz) have the same "
                  "frequency but for rounding errors: which of them is kept does not depend smoothly on the "
                  "design",
                  frequency_hz(last), frequency_hz(modes.lambda_next)),
      "", "take one normal mode more or less (modes.normal)"};
}

Status keep_modes(const std::vector<int>& list, NormalModes& modes, const VectorXd& errors) {
  std::vector<Index> kept, others;
  for (Index i = 0; i < modes.lambda.size(); ++i) {
    const bool listed = std::find(list.begin(), list.end(), static_cast<int>(i + 1)) != list.end();
    (listed ? kept : others).push_back(i);
  }
  if (Status s = check_separation(kept, others, modes.lambda, errors); s.failed()) return s;
  modes.left_out.lambda = modes.lambda(others);
  modes.left_out.Phi = modes.Phi(Eigen::all, others);
  modes.left_out.M_Phi = modes.M_Phi(Eigen::all, others);
  modes.lambda = modes.lambda(kept).eval();
  modes.Phi = modes.Phi(Eigen::all, kept).eval();
  modes.M_Phi = modes.M_Phi(Eigen::all, kept).eval();
  return {};
}

}  // namespace kurbel::fem
