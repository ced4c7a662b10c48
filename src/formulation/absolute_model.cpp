#include "formulation/absolute_model.hpp"

#include "base/instantiate.hpp"

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
AbsoluteModel<S>::AbsoluteModel(const Problem& problem)
    : problem_(problem), assembly_(absolute::assemble<S>(problem.absolute, problem.grids())) {
  integrator_ = std::make_unique<RungeKutta<S>>(*assembly_.system, problem.integrator);
  for (const Stage& stage : problem.stages()) {
    costs_.push_back(std::make_unique<WeightedSum<S>>());
    for (const CostTerm& term : stage.cost) costs_.back()->add(term.weight, make_cost_term(term));
  }
  for (const PathConstraint& c : problem.constraints.paths) {
    for (const int step : c.steps) {
      for (Eigen::Index row = 0; row < c.upper.size(); ++row)
        functions_.emplace_back(assembly_.functions[c.output], row, step, 0.0, 1.0);
    }
  }
}

template <class S>
std::unique_ptr<Objective<S>> AbsoluteModel<S>::make_cost_term(const CostTerm& term) const {
  using When = typename TrackingError<S>::When;
  const auto error = [&](When when) {
    return std::make_unique<TrackingError<S>>(*integrator_, assembly_.functions[term.output], term.target,
                                              when);
  };
  switch (term.type) {
    case CostTerm::Type::control_energy:
      return std::make_unique<ControlEnergy<S>>(*assembly_.system);
    case CostTerm::Type::mass:
      return std::make_unique<ParameterProducts<S>>(*assembly_.system, mass_products(problem_.absolute));
    case CostTerm::Type::final_value:
      return std::make_unique<FunctionValue<S>>(assembly_.functions[term.output], 0, integrator_->n_steps(),
                                                0.0, 1.0);
    case CostTerm::Type::tracking:
      return error(When::always);
    case CostTerm::Type::final_error:
      break;
  }
  return error(When::finally);
}

template <class S>
void AbsoluteModel<S>::set_parameters(const Vec& z) {
  if (assembly_.system->parameters() != z) assembly_.system->set_parameters(z);
}

template class AbsoluteModel<InstantiatedScalar>;

}  // namespace kurbel
