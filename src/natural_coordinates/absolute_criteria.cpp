#include "natural_coordinates/absolute_criteria.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/instantiate.hpp"
#include "base/spelling.hpp"
#include "natural_coordinates/absolute_layout.hpp"
#include "natural_coordinates/ancf_beam.hpp"
#include "natural_coordinates/point_elements.hpp"
#include "natural_coordinates/system_function.hpp"
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
  return slot.template value<S>(system_.parameters());
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

template <class Item>
std::size_t find(const std::vector<Item>& items, const std::string& name, const std::string& key,
                 const char* kind) {
  std::vector<std::string> known;
  for (const Item& item : items) {
    if (item.name == name) return known.size();
    known.push_back(item.name);
  }
  throw SpecError(key, fmt::format("= \"{}\" is no {}{}", name, kind, spelling_advice(name, known, "\"")));
}

template <class S>
Binding element_of_beam(const CriterionTerm& term, const SystemSpec& spec, const Assembly<S>& assembly,
                        const std::string& path) {
  const std::size_t beam = find(spec.planar_beams, term.beam, path + ".beam", "beam");
  for (const BeamElement& e : assembly.beam_elements) {
    if (e.beam == beam && e.element == term.element) return e.binding;
  }
  throw SpecError(path + ".element", fmt::format("= {} is no element of {}, which has 0 to {}", term.element,
                                                 term.beam, spec.planar_beams[beam].n_elements - 1));
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
std::shared_ptr<const Observable<S>> Observables<S>::of(const CriterionTerm& term,
                                                        const std::string& path) const {
  for (const auto& [other, observable] : known_) {
    if (is_same_observable(other, term) && axes_of(other) == axes_of(term)) return observable;
  }
  return known_.emplace_back(term, make(term, path)).second;
}

template <class S>
std::shared_ptr<const Observable<S>> Observables<S>::make(const CriterionTerm& term,
                                                          const std::string& path) const {
  const auto bound = [&](std::shared_ptr<const StateFunction<S>> function, Binding binding) {
    return std::make_shared<SystemFunction<S>>(*assembly_.system, std::move(function), std::move(binding));
  };
  const auto place = [&](const MarkerRef& marker, const char* key) {
    const auto& position = assembly_.layout->place(marker, path + key).position;
    return std::vector<int>(position.begin(), position.end());
  };
  if (term.quantity == Quantity::position || term.quantity == Quantity::velocity) {
    using State = typename PointState<S>::Kind;
    const State kind = term.quantity == Quantity::position ? State::position : State::velocity;
    return bound(std::make_shared<PointState<S>>(kind, axes_of(term)),
                 {place(term.marker, ".marker"), {}, {}});
  }
  if (term.quantity == Quantity::distance) {
    if (term.marker == term.from)
      throw SpecError(
          path + ".marker",
          fmt::format("= \"{}\" is the place from which the distance is measured", text_of(term.marker)));
    Binding binding{place(term.marker, ".marker"), {}, {}};
    const std::vector<int> from = place(term.from, ".from");
    binding.coordinates.insert(binding.coordinates.end(), from.begin(), from.end());
    return bound(std::make_shared<PointDistance<S>>(), std::move(binding));
  }
  if (term.quantity == Quantity::spring_force) {
    const std::size_t spring = find(spec_.springs, term.spring, path + ".spring", "spring");
    return bound(std::make_shared<SpringReaction<S>>(spec_.springs[spring].law, axes_of(term)),
                 assembly_.springs[spring]);
  }
  Binding element = element_of_beam(term, spec_, assembly_, path);
  const auto beam = std::ranges::find(spec_.planar_beams, term.beam, &PlanarBeamSpec::name);
  return bound(std::make_shared<AncfStress<S>>(term.along.value(), term.across.value(), beam->coupling),
               std::move(element));
}

template <class S>
Criterion<S> make_criterion(const AbsoluteSteps<S>& steps, const Observables<S>& observables,
                            const std::vector<CriterionTerm>& terms) {
  const Assembly<S>& assembly = observables.assembly();
  const AbsoluteSystem<S>& system = *assembly.system;
  const StepResidual<S>& residual = steps.residual();
  Criterion<S> criterion(residual, steps.layout());
  for (const CriterionTerm& term : terms) {
    const auto add = [&](std::shared_ptr<const Integrand<S>> integrand) {
      criterion.add(term.weight, std::move(integrand), term.time, term.exponent, term.steps);
    };
    if (term.quantity == Quantity::mass) {
      criterion.add(term.weight, std::make_shared<ParameterProducts<S>>(system, assembly.mass_products));
    } else if (term.quantity == Quantity::control_energy) {
      const double span = residual.time(residual.n_steps()) - residual.time(0);
      add_control_energy(observables.spec(), system, span, term, criterion);
    } else if (term.quantity == Quantity::kinetic_energy) {
      add(std::make_shared<KineticEnergyIntegrand<S>>(system));
    } else {
      add(make_deviation<S>(observables.of(term), term, axes_of(term)));
    }
  }
  return criterion;
}

template class Observables<InstantiatedScalar>;
#define KURBEL_INSTANTIATE(S)                                                          \
  template Criterion<S> make_criterion(const AbsoluteSteps<S>&, const Observables<S>&, \
                                       const std::vector<CriterionTerm>&);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace absolute

template class KineticEnergyIntegrand<InstantiatedScalar>;
template class ParameterProducts<InstantiatedScalar>;

}  // namespace kurbel
