/// @file
/// An optimizer of one's own: steepest descent within bounds, with a line search, on
///     F(x) = psi / psi_0 + 50 (sum_eq g_i^2 + sum_ineq max(g_i, 0)^2)
/// Usage: steepest_descent FILE.toml. Exit code 0 if it gains.
#include <iostream>
#include <kurbel/kurbel.hpp>

namespace {

constexpr double penalty = 50.0;

/// F and its gradient.
double merit(kurbel::Study& study, const Eigen::VectorXd& x, double psi_0, Eigen::VectorXd& gradient) {
  kurbel::Evaluation at;
  if (const kurbel::Status status = study.evaluate(x, at); status.failed())
    throw std::runtime_error(status.message());
  const Eigen::Index n_equalities = study.program().n_equalities();
  Eigen::VectorXd g = at.constraints;
  g.tail(g.size() - n_equalities) = g.tail(g.size() - n_equalities).cwiseMax(0.0);
  gradient = at.gradient / psi_0 + 2.0 * penalty * at.constraint_gradients.transpose() * g;
  return at.objective / psi_0 + penalty * g.squaredNorm();
}

int run(const std::string& file) {
  kurbel::Study study = kurbel::Study::read(file);
  kurbel::Evaluation start;
  if (const kurbel::Status status = study.evaluate(study.start(), start); status.failed())
    throw std::runtime_error(status.message());
  Eigen::VectorXd x = study.start(), gradient, trial_gradient;
  double F = merit(study, x, start.objective, gradient), step = 0.1 / gradient.cwiseAbs().maxCoeff();
  const double F_0 = F;
  for (int iteration = 1; iteration <= 15; ++iteration, step *= 2.0) {
    for (;; step /= 2.0) {  // until F falls by a part of what its slope promises
      const Eigen::VectorXd trial = (x - step * gradient).cwiseMax(study.lower()).cwiseMin(study.upper());
      const double trial_F = merit(study, trial, start.objective, trial_gradient);
      const double promised = gradient.dot(trial - x);
      if (trial_F > F + 0.1 * promised && step > 1e-12) continue;
      x = trial, F = trial_F, gradient = trial_gradient;
      break;
    }
    std::cout << "iteration " << iteration << ": F = " << F << ", step " << step << "\n";
  }
  return F < 0.9 * F_0 ? 0 : 1;
}

}  // namespace

int main(int n, char** arguments) {
  try {
    return n == 2 ? run(arguments[1]) : 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
