#include <algorithm>

#include "natural_coordinates/absolute_criteria.hpp"
#include "problem/checks.hpp"
#include "problem/varied_numbers.hpp"

namespace kurbel {

namespace {

bool mass_varies(const Problem& problem) {
  using Kind = SystemQuantity::Kind;
  constexpr int without_mass[] = {PlanarBeamSpec::youngs_modulus, PlanarBeamSpec::poisson_ratio};
  return std::ranges::any_of(varied_quantities(problem), [&](const absolute::VariedQuantity& varied) {
    const SystemQuantity& quantity = varied.quantity;
    return quantity.kind == Kind::point_mass || quantity.kind == Kind::attached_mass ||
           (quantity.kind == Kind::planar_beam_number &&
            std::ranges::find(without_mass, quantity.component) == std::end(without_mass));
  });
}

void check_term(const Problem& problem, const absolute::Observables<double>& observables,
                const CriterionTerm& term, const std::string& path) {
  if (term.quantity == Quantity::kinetic_energy) return;
  if (term.quantity == Quantity::control_energy) return check_criterion_control(problem, term, path);
  if (term.quantity != Quantity::mass) {
    observables.of(term, path);
  } else if (!mass_varies(problem)) {
    throw problem.error(path + ".type",
                        "= \"mass\" needs a quantity in [variables.NAME] that changes the mass");
  }
}

}  // namespace

void check_absolute_coordinates(const Problem& problem) {
  try {
    const auto assembly = absolute::assemble<double>(problem.system, varied_quantities(problem));
    const absolute::Observables<double> observables(problem.system, assembly);
    for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
      check_term(problem, observables, term, path);
    });
  } catch (const absolute::SpecError& e) {
    throw problem.error(e.key, e.message);
  }
}

}  // namespace kurbel
