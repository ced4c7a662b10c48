#include "evaluation/control_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"
#include "sensitivity/direct_differentiation.hpp"

namespace kurbel {

namespace {

/// The mass of everything that has some, as products of parameters.
std::vector<std::vector<ParameterSlot>> mass_products(const absolute::SystemSpec& spec) {
  using Beam = absolute::BeamSpec;
  std::vector<std::vector<ParameterSlot>> products;
  for (const Beam& beam : spec.beams) {
    for (std::size_t e = 0; e < beam.n_elements; ++e) {
      products.push_back({beam.elements[Beam::density][e], beam.elements[Beam::width][e],
                          beam.elements[Beam::height][e], beam.elements[Beam::length][e]});
    }
  }
  // Of points and attached masses, only what is designed; the others would be a constant.
  for (const auto& point : spec.points) {
    if (point.mass.variable >= 0) products.push_back({point.mass});
  }
  for (const auto& mass : spec.masses) {
    if (mass.mass.variable >= 0) products.push_back({mass.mass});
  }
  return products;
}

}  // namespace

template <class S>
ControlModel<S>::ControlModel(const ControlProblem& problem, const ControlStage& stage)
    : assembly_(absolute::assemble<S>(problem.system, problem.grids())) {
  integrator_ = std::make_unique<RungeKutta<S>>(*assembly_.system, problem.integrator);
  for (const CostTerm& term : stage.cost) cost_.add(term.weight, make_cost_term(problem, term));
  for (const std::size_t c : stage.constraints) {
    if (problem.constraints[c].equality) add_rows(problem, c);
  }
  for (const std::size_t c : stage.constraints) {
    if (!problem.constraints[c].equality) add_rows(problem, c);
  }
}

template <class S>
std::unique_ptr<Objective<S>> ControlModel<S>::make_cost_term(const ControlProblem& problem,
                                                              const CostTerm& term) const {
  switch (term.type) {
    case CostTerm::Type::control_energy:
      return std::make_unique<ControlEnergy<S>>(*assembly_.system);
    case CostTerm::Type::mass:
      return std::make_unique<ParameterProducts<S>>(*assembly_.system, mass_products(problem.system));
    case CostTerm::Type::final_value:
      return std::make_unique<FunctionValue<S>>(assembly_.functions[term.output], 0, integrator_->n_steps(),
                                                0.0, 1.0);
    case CostTerm::Type::final_error:
    case CostTerm::Type::tracking:
      break;
  }
  using When = typename TrackingError<S>::When;
  return std::make_unique<TrackingError<S>>(
      *integrator_, assembly_.functions[term.output], term.target,
      term.type == CostTerm::Type::tracking ? When::always : When::finally);
}

template <class S>
void ControlModel<S>::add_rows(const ControlProblem& problem, std::size_t constraint) {
  const PathConstraint& c = problem.constraints[constraint];
  const auto add = [&](Eigen::Index row, int step, double limit, double scale) {
    if (!std::isfinite(limit)) return;
    rows_.push_back({constraint, row, step, c.equality});
    constraints_.emplace_back(assembly_.functions[c.output], row, step, limit, scale);
  };
  for (const int step : c.steps) {
    for (Eigen::Index row = 0; row < c.upper.size(); ++row) {
      add(row, step, c.upper[row], 1.0 / c.scale[row]);
      if (!c.equality) add(row, step, c.lower[row], -1.0 / c.scale[row]);
    }
  }
}

template <class S>
Eigen::Index ControlModel<S>::n_equalities() const {
  return std::count_if(rows_.begin(), rows_.end(), [](const ConstraintRow& row) { return row.equality; });
}

template <class S>
Status ControlModel<S>::simulate(const Vec& z, Trajectory<S>& trajectory) {
  assembly_.system->set_parameters(z);
  return kurbel::simulate(*integrator_, trajectory);
}

template <class S>
S ControlModel<S>::cost(const Trajectory<S>& trajectory) const {
  return cost_.value(trajectory);
}

template <class S>
VectorX<S> ControlModel<S>::constraints(const Trajectory<S>& trajectory) const {
  Vec c(static_cast<Eigen::Index>(constraints_.size()));
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    c[static_cast<Eigen::Index>(i)] = constraints_[i].value(trajectory);
  }
  return c;
}

template <class S>
std::vector<const Objective<S>*> ControlModel<S>::objectives() const {
  std::vector<const Objective<S>*> all = {&cost_};
  for (const auto& constraint : constraints_) all.push_back(&constraint);
  return all;
}

template <class S>
ControlSensitivity ControlModel<S>::cheaper_method() const {
  const double n_steps = static_cast<double>(integrator_->n_steps());
  double columns = 0.0;
  for (const Objective<S>* objective : objectives()) {
    columns += std::min(1.0, static_cast<double>(objective->last_step()) / n_steps);
  }
  return columns < static_cast<double>(n_z()) ? ControlSensitivity::adjoint : ControlSensitivity::direct;
}

template <class S>
MatrixX<S> ControlModel<S>::gradients(ControlSensitivity method, const Trajectory<S>& trajectory,
                                      const AdjointObserver<S>& observer) {
  method = resolve(method);
  if (method == ControlSensitivity::adjoint || observer) {
    return discrete_adjoint(*integrator_, trajectory, objectives(), observer);
  }
  if (method == ControlSensitivity::direct)
    return direct_differentiation(*integrator_, trajectory, objectives());
  // Central differences; a step of about the third root of the rounding unit balances truncation and
  // rounding. Parameters are positive; nodes of controls may be zero and are taken as of order one at least.
  constexpr double relative_step = 2e-5;
  const Vec z = assembly_.system->parameters();
  const Eigen::Index n_xi = assembly_.system->n_xi();
  Matrix gradients = Matrix::Zero(n_z(), 1 + static_cast<Eigen::Index>(constraints_.size()));
  Trajectory<S> shifted;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double size = std::abs(z[i]);
    const double step = relative_step * (i < n_xi && size > 0.0 ? size : std::max(1.0, size));
    for (const double side : {1.0, -1.0}) {
      Vec z_shifted = z;
      z_shifted[i] += side * step;
      if (simulate(z_shifted, shifted)) {
        gradients.row(i).setConstant(S(std::numeric_limits<double>::quiet_NaN()));
        break;
      }
      gradients(i, 0) += side / (2.0 * step) * cost(shifted);
      gradients.row(i).tail(rows_.size()) += side / (2.0 * step) * constraints(shifted).transpose();
    }
  }
  assembly_.system->set_parameters(z);
  return gradients;
}

template class ControlModel<InstantiatedScalar>;

}  // namespace kurbel
