#include "differences.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace kurbel::random_problems {

DirectionalDerivative differentiate(const std::function<std::optional<VectorXd>(const VectorXd&)>& f,
                                    const VectorXd& x, const VectorXd& direction,
                                    const DifferenceSteps& steps) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  DirectionalDerivative best;
  std::vector<VectorXd> above, row;
  double h = steps.largest;
  for (int k = 0; k < steps.count; ++k, h /= steps.ratio) {
    const auto forward = f(x + h * direction), backward = f(x - h * direction);
    if (!forward || !backward) {
      above.clear();
      continue;
    }
    const VectorXd rounding = epsilon / h * (forward->cwiseAbs() + backward->cwiseAbs());
    row.assign(1, (*forward - *backward) / (2.0 * h));
    if (best.value.size() == 0) best = {row[0], VectorXd::Constant(row[0].size(), infinity)};
    for (std::size_t j = 0; j < above.size(); ++j) {
      const double factor = std::pow(steps.ratio, 2.0 * (double(j) + 1.0));
      row.push_back((factor * row[j] - above[j]) / (factor - 1.0));
      const VectorXd error =
          (row[j + 1] - row[j]).cwiseAbs().cwiseMax((row[j + 1] - above[j]).cwiseAbs()) + rounding;
      for (Eigen::Index i = 0; i < error.size(); ++i) {
        if (error[i] < best.error[i]) best.value[i] = row[j + 1][i], best.error[i] = error[i];
      }
    }
    above = row;
  }
  return best;
}

Judgement judge(double exact, double difference, double error, double size, double rounding) {
  const double off = std::abs(exact - difference);
  if (off <= 1e-6 * size + rounding + 3.0 * std::min(error, 1e-4 * size)) return Judgement::agrees;
  // A NaN differs.
  return off <= 1e-5 * size + rounding + 10.0 * error ? Judgement::cannot_tell : Judgement::differs;
}

}  // namespace kurbel::random_problems
