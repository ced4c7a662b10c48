#include "evaluation/augmented_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/spelling.hpp"

namespace kurbel {

namespace {

fem::DesignVariable variable_of(const fem::FlexibleBody& body, const std::string& name) {
  const auto& regions = body.spec().regions;
  const auto region =
      std::find_if(regions.begin(), regions.end(), [&](const fem::Region& r) { return r.name == name; });
  if (region != regions.end()) {
    const std::vector<int> elements = body.mesh().elements_in(region->place);
    return {name, {elements.begin(), elements.end()}};
  }
  if (const auto element = parse_integer(name); element && *element >= 0 && *element < body.n_elements())
    return {name, {*element}};
  std::vector<std::string> known;
  for (const fem::Region& r : regions) known.push_back(r.name);
  throw InputError(fmt::format("--by: {} is neither a region of body {} nor an element, 0 ... {}{}", name,
                               body.spec().name, body.n_elements() - 1,
                               known.empty() ? "" : spelling_advice(name, known)));
}

std::vector<fem::DesignVariable> variables_of(const EvaluationChain& chain,
                                              const DerivativeRequest& request) {
  std::vector<const fem::FlexibleBody*> bodies;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (chain.body(i)) bodies.push_back(chain.body(i));
  }
  if (request.variables.empty()) return {};
  if (bodies.size() != 1) {
    throw InputError(fmt::format("--by: names belong to one flexible body, but there are {}", bodies.size()));
  }
  std::vector<fem::DesignVariable> variables;
  for (const std::string& name : request.variables) variables.push_back(variable_of(*bodies[0], name));
  return variables;
}

/// Measures shares, drops what is below the threshold.
void drop_by_influence(const Sid& sid_bar, double threshold, BodyAugmentation& body) {
  const VectorXd whole = body.derivatives.contract(sid_bar);
  VectorXd kept_gradient = VectorXd::Zero(whole.size());
  std::vector<SidCoefficient> kept;
  for (const SidCoefficient& c : body.augmentation.kept) {
    const VectorXd part = body.derivatives.derivative(c).transpose() * coefficient_values(sid_bar, c);
    const double share = whole.norm() > 0.0 ? part.norm() / whole.norm() : 0.0;
    body.shares.push_back({c, share});
    if (share < threshold) continue;
    kept.push_back(c);
    kept_gradient += part;
  }
  body.augmentation.kept = std::move(kept);
  body.gradient_error = whole.norm() > 0.0 ? (whole - kept_gradient).norm() / whole.norm() : 0.0;
}

void estimate(BodyAugmentation& body) {
  for (const SidCoefficient& c : body.augmentation.kept) {
    const double per_entry = double(body.augmentation.n_variables) * sizeof(double);
    body.bytes += double(c.size()) * per_entry;
    body.estimated_file_bytes += double(body.derivatives.n_dependent(c)) * per_entry;
  }
}

}  // namespace

Status prepare_augmentations(EvaluationChain& chain, const DerivativeRequest& request, ChainResult& at,
                             std::vector<std::optional<BodyAugmentation>>& out) {
  out.clear();
  out.resize(chain.n_bodies());
  for (const ProblemBody& body : chain.problem().bodies) {
    const auto refuse = [&](const char* key) {
      throw chain.problem().error(fmt::format("bodies.{}.{}", body.name, key),
                                  "has no derivatives in the augmented form; leave --derivatives out");
    };
    if (body.flexible.geometric_stiffening) refuse("geometric_stiffening");
    if (body.flexible.basis == fem::BasisType::craig_bampton) refuse("modes.basis");
  }
  const std::vector<fem::DesignVariable> variables = variables_of(chain, request);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (chain.body(i))
      chosen_coefficients(sid_coefficients(at.reduced[i].sid), request.coefficients, "--coefficients");
  }
  std::vector<Sid> sid_bars;
  if (request.drop_below) {
    require_gradient_problem(chain.problem());
    if (Status s = chain.simulate(at); s.failed()) return s;
    sid_bars = chain.sid_adjoint(at);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!chain.body(i)) continue;
    const fem::BodyDesign& design = at.design.bodies[i];
    if (!is_same(design, chain.body(i)->nominal(design.density))) {
      throw InputError(
          fmt::format("--derivatives are by densities, of {} as the input has it; leave out --variables",
                      chain.body(i)->spec().name));
    }
    BodyAugmentation& body = out[i].emplace();
    if (Status s = chain.body(i)->derivatives(design.density, at.reduced[i], body.derivatives); s.failed())
      return s;
    if (!variables.empty()) body.derivatives = body.derivatives.by(variables);
    body.augmentation.n_variables = body.derivatives.n_variables();
    for (const fem::DesignVariable& variable : variables)
      body.augmentation.variables.push_back(variable.name);
    body.augmentation.kept =
        chosen_coefficients(body.derivatives.coefficients(), request.coefficients, "--coefficients");
    if (request.drop_below) drop_by_influence(sid_bars[i], *request.drop_below, body);
    estimate(body);
  }
  return {};
}

std::vector<std::string> describe_augmentations(
    const EvaluationChain& chain, const std::vector<std::optional<BodyAugmentation>>& augmentations) {
  constexpr double MB = 1e6;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < augmentations.size(); ++i) {
    if (!augmentations[i]) continue;
    const BodyAugmentation& body = *augmentations[i];
    const std::string& name = chain.problem().bodies[i].name;
    lines.push_back(
        fmt::format("body {}: derivatives of {} of {} coefficients by {} design variables: up to about "
                    "{:.3g} MB in the file, "
                    "{:.3g} MB in memory",
                    name, body.augmentation.kept.size(), body.derivatives.coefficients().size(),
                    body.augmentation.n_variables, body.estimated_file_bytes / MB, body.bytes / MB));
    if (body.shares.empty()) continue;
    std::vector<std::string> dropped;
    for (const CoefficientShare& s : body.shares) {
      if (!contains(body.augmentation.kept, s.coefficient))
        dropped.push_back(fmt::format("{}/{} ({:.1e})", s.coefficient.group, s.coefficient.array(), s.share));
    }
    lines.push_back(fmt::format(
        "body {}: dropped by their share of the gradient: {}; without them the gradient is off by {:.1e}",
        name, dropped.empty() ? "none" : fmt::format("{}", fmt::join(dropped, ", ")), body.gradient_error));
  }
  return lines;
}

}  // namespace kurbel
