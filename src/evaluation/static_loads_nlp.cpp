#include "evaluation/static_loads_nlp.hpp"

#include <algorithm>

namespace kurbel {

using Eigen::Index;

namespace {

/// w_k of a term, psi = sum_k w_k F(t_k); of functionals that check_strategy() lets pass.
VectorXd weights_of(const CriterionTerm& term, const StepResidual<double>& steps) {
  const Index n = steps.n_steps() + 1;
  VectorXd weights = VectorXd::Zero(n);
  switch (term.time) {
    case TimeFunctional::integral:
    case TimeFunctional::mean:
      for (Index k = 0; k < n; ++k) weights[k] = steps.quadrature_weight(k);
      if (term.time == TimeFunctional::mean) weights /= steps.time(n - 1) - steps.time(0);
      break;
    case TimeFunctional::final_value:
      weights[n - 1] = 1.0;
      break;
    case TimeFunctional::instants:
      for (const int step : term.steps) weights[step] += 1.0;
      break;
    case TimeFunctional::p_norm:
    case TimeFunctional::kreisselmeier_steinhauser:
    case TimeFunctional::change:
      break;
  }
  return term.weight * weights;
}

}  // namespace

Status find_equivalent_loads(EvaluationChain& chain, const ChainResult& at, LoadsOfBodies& out) {
  const Problem& problem = chain.problem();
  const std::optional<BodyTrajectories> moved = at.motion->body_trajectories(at.trajectory);
  std::vector<VectorXd> weights(chain.n_bodies());
  const Stage stage = problem.stages()[chain.requested().stage];
  for (const CriterionTerm& term : stage.objective) {
    VectorXd& of_body = weights[*problem.find_body(term.body)];
    const VectorXd own = weights_of(term, at.motion->steps());
    of_body = of_body.size() == 0 ? own : VectorXd(of_body + own);
  }
  LoadsOfBodies found(chain.n_bodies());
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (weights[i].size() == 0) continue;
    const auto body = std::ranges::find(moved->bodies, problem.bodies[i].name, &BodyTrajectories::Body::name);
    const MatrixXd q = body->pose.bottomRows(body->pose.rows() - 7);
    if (Status s = find_equivalent_loads(*chain.body(i), at.design.bodies[i], at.reduced[i], q, weights[i],
                                         found[i].emplace());
        s.failed())
      return s;
  }
  out = std::move(found);
  return {};
}

Status StaticLoadsNlp::evaluate(const VectorXd& varied, Evaluation& out) {
  const VectorXd x = program_.full(varied);
  ChainResult result;
  result.design = space_.at(x);
  std::vector<Design> bars = {
      {std::vector<fem::BodyDesign>(chain_.n_bodies()), VectorXd::Zero(result.design.system.size())}};
  for (std::size_t i = 0; i < chain_.n_bodies(); ++i) {
    if (!chain_.body(i)) continue;
    const fem::BodyDesign& design = result.design.bodies[i];
    bars.front().bodies[i] = zero_bar(design);
    if (!loads_[i]) continue;
    if (Status s = add_compliance(*chain_.body(i), design, loads_[i]->F, result.psi, bars.front().bodies[i]);
        s.failed())
      return s;
  }
  out.objective = result.psi;
  out.gradient = program_.reduced(space_.search_gradient(x, bars.front()));
  out.constraints = program_.rows().values(space_, result);
  const MatrixXd gradients = program_.rows().gradients(space_, x, result.design, bars);
  out.constraint_gradients.resize(gradients.rows(), n_variables());
  for (Index i = 0; i < gradients.rows(); ++i)
    out.constraint_gradients.row(i) = program_.reduced(VectorXd(gradients.row(i)));
  return {};
}

}  // namespace kurbel
