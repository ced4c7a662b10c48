#include "natural_coordinates/absolute_criteria.hpp"

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "sensitivity/control_energy.hpp"

namespace kurbel {

template <class S>
S KineticEnergyIntegrand<S>::value(const DaeInstant<S>& at) const {
  return 0.5 * (at.v.transpose() * system_.mass_matrix() * at.v).value();
}

template <class S>
void KineticEnergyIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                             Eigen::Ref<VectorX<S>> p_bar) const {
  system_.add_kinetic_energy_partials(at.v, weight, bar.v, p_bar);
}

template <class S>
S ParameterProducts<S>::at(const ParameterSlot& slot) const {
  return slot.variable < 0 ? S(slot.constant) : S(slot.factor * system_.parameters()[slot.variable]);
}

template <class S>
S ParameterProducts<S>::value() const {
  S sum(0);
  for (const auto& factors : products_) {
    S product(1);
    for (const ParameterSlot& slot : factors) product *= at(slot);
    sum += product;
  }
  return sum;
}

template <class S>
void ParameterProducts<S>::add_partials(double weight, Eigen::Ref<VectorX<S>> p_bar) const {
  for (const auto& factors : products_) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (factors[i].variable < 0) continue;
      S others(factors[i].factor);
      for (std::size_t j = 0; j < factors.size(); ++j) {
        if (j != i) others *= at(factors[j]);
      }
      p_bar[factors[i].variable] += weight * others;
    }
  }
}

namespace absolute {

namespace {

std::vector<std::vector<ParameterSlot>> mass_products(const SystemSpec& spec) {
  std::vector<std::vector<ParameterSlot>> products;
  for (const BeamSpec& beam : spec.beams) {
    for (std::size_t e = 0; e < beam.n_elements; ++e) {
      products.push_back({beam.elements[BeamSpec::density][e], beam.elements[BeamSpec::width][e],
                          beam.elements[BeamSpec::height][e], beam.elements[BeamSpec::length][e]});
    }
  }
  for (const auto& point : spec.points) {
    if (point.mass.variable >= 0) products.push_back({point.mass});
  }
  for (const auto& mass : spec.masses) {
    if (mass.mass.variable >= 0) products.push_back({mass.mass});
  }
  return products;
}

/// The nodes of one control, or of all of them.
template <class S>
std::vector<ControlNodes> control_nodes(const SystemSpec& spec, const AbsoluteSystem<S>& system,
                                        const std::string& name) {
  std::vector<ControlNodes> nodes;
  for (std::size_t i = 0; i < spec.controls.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    if (name.empty() || spec.controls[i].name == name)
      nodes.push_back({system.controls().grid(at), system.control_offset(at)});
  }
  if (nodes.empty()) throw InputError(fmt::format("there is no control {}", name));
  return nodes;
}

template <class S>
void add_control_energy(const SystemSpec& spec, const AbsoluteSystem<S>& system, double span,
                        const CriterionTerm& term, Criterion<S>& criterion) {
  const std::vector<ControlNodes> nodes = control_nodes(spec, system, term.control);
  if (term.time == TimeFunctional::integral || term.time == TimeFunctional::mean) {
    const double weight = term.time == TimeFunctional::mean ? term.weight / span : term.weight;
    return criterion.add(weight, std::make_shared<ControlEnergy<S>>(nodes, system.parameters()));
  }
  criterion.add(term.weight, std::make_shared<ControlEnergyIntegrand<S>>(nodes, system.parameters()),
                term.time, term.exponent, term.steps);
}

}  // namespace

template <class S>
Criterion<S> make_criterion(const AbsoluteSteps<S>& steps, const SystemSpec& spec,
                            const Assembly<S>& assembly, const std::vector<CriterionTerm>& terms) {
  const AbsoluteSystem<S>& system = *assembly.system;
  const StepResidual<S>& residual = steps.residual();
  Criterion<S> criterion(residual, steps.layout());
  for (const CriterionTerm& term : terms) {
    const auto add = [&](std::shared_ptr<const Integrand<S>> integrand) {
      criterion.add(term.weight, std::move(integrand), term.time, term.exponent, term.steps);
    };
    if (term.quantity == Quantity::mass) {
      criterion.add(term.weight, std::make_shared<ParameterProducts<S>>(system, mass_products(spec)));
    } else if (term.quantity == Quantity::control_energy) {
      add_control_energy(spec, system, residual.time(residual.n_steps()) - residual.time(0), term, criterion);
    } else if (term.quantity == Quantity::kinetic_energy) {
      add(std::make_shared<KineticEnergyIntegrand<S>>(system));
    } else {
      const FunctionSpec& function = spec.functions[term.function];
      add(make_deviation<S>(assembly.functions[term.function], term, function.axes));
    }
  }
  return criterion;
}

#define KURBEL_INSTANTIATE(S)                                                                          \
  template Criterion<S> make_criterion(const AbsoluteSteps<S>&, const SystemSpec&, const Assembly<S>&, \
                                       const std::vector<CriterionTerm>&);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace absolute

template class KineticEnergyIntegrand<InstantiatedScalar>;
template class ParameterProducts<InstantiatedScalar>;

}  // namespace kurbel
