#include "formulation/effect_steps.hpp"

#include <algorithm>
#include <limits>

namespace kurbel {

VectorXd first_steps_of_effect(const NaturalSystem<double>& system, const StepResidual<double>& steps,
                               double alpha) {
  VectorXd first = VectorXd::Constant(steps.n_parameters(), -1.0);
  const std::vector<ControlSpec>& controls = system.spec().controls;
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const ParameterBlock& nodes = system.layout().control(i);
    auto of_nodes = first.segment(nodes.offset, nodes.size());
    of_nodes.setConstant(std::numeric_limits<double>::infinity());
    const auto mark = [&](Eigen::Index k, double t) {
      const Eigen::RowVectorXd w = controls[i].grid.weights({t});  // as a step that ends there has it
      for (Eigen::Index j = 0; j < w.size(); ++j) {
        if (w[j] != 0.0) of_nodes[j] = static_cast<double>(k);
      }
    };
    for (Eigen::Index k = steps.n_steps(); k >= 0; --k) {
      const double t = steps.time(k), h = k > 0 ? t - steps.time(k - 1) : 0.0;
      for (const double share : {1.0, 0.5, alpha}) mark(k, t - (1.0 - share) * h);
    }
  }
  return first;
}

int last_step_that_counts(const std::vector<CriterionTerm>& terms, int n_steps) {
  int last = 0;
  for (const CriterionTerm& term : terms)
    last = std::max(last, term.time == TimeFunctional::instants ? term.steps.back() : n_steps);
  return last;
}

}  // namespace kurbel
