#include "integration/dae_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/instantiate.hpp"
#include "integration/generalized_alpha.hpp"
#include "integration/matrix_r.hpp"

namespace kurbel {

namespace {

template <class S>
std::vector<Eigen::Index> places_of(const std::vector<std::string>& labels, const SecondOrderDae<S>& model) {
  std::vector<std::string> all;
  for (Eigen::Index i = 0; i < model.n_v(); ++i) all.push_back(model.coordinate_label(i));
  std::vector<Eigen::Index> places;
  for (const std::string& label : labels) {
    const auto found = std::ranges::find(all, label);
    if (found == all.end()) {
      throw IndependentCoordinates(
          fmt::format("there is no coordinate {}; there are {}", label, fmt::join(all, ", ")));
    }
    places.push_back(found - all.begin());
  }
  std::ranges::sort(places);
  return places;
}

}  // namespace

template <class S>
std::unique_ptr<DaeSteps<S>> make_dae_steps(const SecondOrderDae<S>& model,
                                            const IntegratorOptions& options) {
  switch (options.method) {
    case IntegratorMethod::generalized_alpha:
      return std::make_unique<GeneralizedAlpha<S>>(model, options);
    case IntegratorMethod::trapezoidal:
      return std::make_unique<MatrixR<S>>(model, options, places_of(options.independent, model));
    case IntegratorMethod::explicit_euler:
    case IntegratorMethod::implicit_euler:
    case IntegratorMethod::runge_kutta_4:
      break;
  }
  throw InputError(
      "this method integrates no equations with constraints; use generalized-alpha or trapezoidal");
}

template std::unique_ptr<DaeSteps<InstantiatedScalar>> make_dae_steps(
    const SecondOrderDae<InstantiatedScalar>&, const IntegratorOptions&);

}  // namespace kurbel
