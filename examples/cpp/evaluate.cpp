/// @file
/// Reads a problem, evaluates its start and compares the gradient with a difference along
/// one direction; then lets the problem's own optimizer run and listens. Usage: evaluate FILE.toml. Exit code 0 if both agree and
/// the optimizer gains.
#include <cmath>
#include <iostream>
#include <kurbel/kurbel.hpp>

namespace {

/// Prints what the study tells.
class Listener final : public kurbel::StudyEvents {
 public:
  void warning(const std::string& text) override { std::cout << "warning: " << text << "\n"; }
  void iterated(const kurbel::StudyIteration& at) override {
    std::cout << "iteration " << at.iteration << ": psi = " << at.report.evaluation->objective << "\n";
  }
};

double objective(kurbel::Study& study, const Eigen::VectorXd& x) {
  kurbel::ChainResult result;
  if (const kurbel::Status status = study.simulate(x, result); status.failed())
    throw std::runtime_error(status.message());
  return result.psi;
}

int run(const std::string& file) {
  kurbel::Study study = kurbel::Study::read(file, {"optimizer.stop.iterations=2"});
  std::cout << study.problem().title << ": " << study.n_variables() << " variables, the first is "
            << study.variable(0).name << "\n";
  for (const kurbel::StudyFunction& function : kurbel::functions_of(study))
    std::cout << function.name << ", bound " << function.bound << " " << function.unit << "\n";
  const Eigen::VectorXd x = study.start();
  kurbel::Evaluation at;
  if (const kurbel::Status status = study.evaluate(x, at); status.failed())
    throw std::runtime_error(status.message());
  const Eigen::VectorXd direction = at.gradient.normalized();
  const double h = 1e-3 * (study.upper() - study.lower()).minCoeff();
  const double difference =
      (objective(study, x + h * direction) - objective(study, x - h * direction)) / (2.0 * h);
  const double slope = at.gradient.dot(direction);
  std::cout << "psi = " << at.objective << ", slope " << slope << ", by differences " << difference << "\n";

  Listener listener;
  const kurbel::StudyResult result = study.optimize(listener);
  std::cout << "ended with psi = " << result.optimum.evaluation.objective << "\n";
  const bool is_better = result.optimum.evaluation.objective < at.objective;
  return is_better && std::abs(slope - difference) < 1e-4 * std::abs(slope) ? 0 : 1;
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
