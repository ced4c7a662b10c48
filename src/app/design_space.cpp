#include "app/design_space.hpp"

#include <fmt/format.h>

#include "output/density_reader.hpp"

namespace kurbel {

namespace {

fem::FilterSpec filter_spec(const FilterOptions& options) {
  switch (options.type) {
    case FilterOptions::Type::density:
      return {fem::FilterSpec::Kind::density, options.radius};
    case FilterOptions::Type::sensitivity:
      return {fem::FilterSpec::Kind::sensitivity, options.radius};
    case FilterOptions::Type::none:
      break;
  }
  return {fem::FilterSpec::Kind::none, 0.0};
}

}  // namespace

DesignSpace DesignSpace::of_problem(const EvaluationChain& chain, const std::filesystem::path& density_file) {
  return DesignSpace(chain, density_file, Kind::problem);
}

DesignSpace DesignSpace::of_densities(const EvaluationChain& chain,
                                      const std::filesystem::path& density_file) {
  return DesignSpace(chain, density_file, Kind::densities);
}

DesignSpace::DesignSpace(const EvaluationChain& chain, const std::filesystem::path& density_file, Kind kind)
    : chain_(&chain), fixed_(chain.n_bodies()) {
  const Problem& problem = chain.problem();
  for (const std::string& name : problem.design.bodies) bodies_.push_back(problem.find_body(name).value());
  if (!density_file.empty() && bodies_.size() != 1) {
    throw InputError(
        fmt::format("--density {}: there are {} design bodies; give design.start_file or one design body",
                    density_file.string(), bodies_.size()));
  }

  std::vector<double> lower, start;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    const fem::FlexibleBody* body = chain.body(i);
    if (!body) continue;
    const Eigen::Index n = body->n_elements();
    const double p_min = body->spec().simp.p_min;
    const bool is_design = std::find(bodies_.begin(), bodies_.end(), i) != bodies_.end();
    VectorXd initial = VectorXd::Constant(n, is_design ? problem.design.start : 1.0);
    if (is_design && !density_file.empty()) {
      initial = read_density(density_file, n);
    } else if (is_design && !problem.design.start_file.empty()) {
      initial = read_density(problem.design.start_file, n);
    }
    constexpr double rounding = 1e-9;  // a filtered density may exceed 1 by it
    if (initial.minCoeff() <= 0.0 || initial.maxCoeff() > 1.0 + rounding) {
      throw InputError(
          fmt::format("body {}: densities must be in (0, 1], but those given are in [{:.3g}, {:.3g}]",
                      body->spec().name, initial.minCoeff(), initial.maxCoeff()));
    }
    const bool as_given = kind == Kind::densities;
    if (!is_design) {
      fixed_[i] = initial;
      fem::PassiveElements(body->mesh(), body->spec().regions, p_min, initial).overwrite(fixed_[i]);
      continue;
    }
    designs_.push_back(std::make_unique<fem::DensityDesign>(
        body->mesh(), as_given ? std::vector<fem::Region>{} : body->spec().regions, p_min,
        as_given ? filter_spec({}) : filter_spec(problem.filter),
        !as_given && problem.projection.type == ProjectionOptions::Type::heaviside
            ? problem.projection.beta_start
            : 0.0,
        problem.projection.eta, initial));
    const VectorXd active = designs_.back()->active_part(initial);
    start.insert(start.end(), active.begin(), active.end());
    lower.insert(lower.end(), active.size(), std::min(p_min, active.minCoeff()));
  }
  start_ = Eigen::Map<VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()));
  lower_ = Eigen::Map<VectorXd>(lower.data(), static_cast<Eigen::Index>(lower.size()));
  upper_ = start_.cwiseMax(1.0);
}

/// act(position of the body, its design map, first variable)
template <class Action>
void DesignSpace::for_each_body(const Action& act) const {
  Eigen::Index first = 0;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    act(bodies_[k], *designs_[k], first);
    first += designs_[k]->n_active();
  }
}

BodyFields DesignSpace::densities(const VectorXd& x) const {
  BodyFields fields = fixed_;
  for_each_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    fields[i] = map.value(x.segment(first, map.n_active()));
  });
  return fields;
}

BodyFields DesignSpace::design(const VectorXd& x) const {
  BodyFields fields(fixed_.size());
  for_each_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    fields[i] = map.full_design(x.segment(first, map.n_active()));
  });
  return fields;
}

BodyFields DesignSpace::scatter(const VectorXd& v) const {
  BodyFields fields(fixed_.size());
  for_each_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    fields[i] = VectorXd::Zero(map.elements().n_elements());
    fields[i](map.elements().active()) = v.segment(first, map.n_active());
  });
  return fields;
}

VectorXd DesignSpace::pullback(const VectorXd& x, const BodyFields& density_bar) const {
  VectorXd bar(n_variables());
  for_each_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    bar.segment(first, map.n_active()) = map.pullback(x.segment(first, map.n_active()), density_bar[i]);
  });
  return bar;
}

VectorXd DesignSpace::search_gradient(const VectorXd& x, const BodyFields& density_bar) const {
  VectorXd bar(n_variables());
  for_each_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    bar.segment(first, map.n_active()) =
        map.search_gradient(x.segment(first, map.n_active()), density_bar[i]);
  });
  return bar;
}

void DesignSpace::set_beta(double beta) {
  for (auto& design : designs_) design->set_beta(beta);
}

BodyFields DesignSpace::volume_fraction_bar() const {
  BodyFields bar(fixed_.size());
  double total = 0.0;
  for (const std::size_t i : bodies_) total += chain_->body(i)->mesh().volumes().sum();
  for (const std::size_t i : bodies_) bar[i] = chain_->body(i)->mesh().volumes() / total;
  return bar;
}

BodyFields DesignSpace::mass_bar() const {
  BodyFields bar(fixed_.size());
  for (const std::size_t i : bodies_) {
    const fem::FlexibleBody& body = *chain_->body(i);
    bar[i] = body.spec().material.density * body.mesh().volumes();
  }
  return bar;
}

namespace {

double inner_product(const std::vector<std::size_t>& bodies, const BodyFields& a, const BodyFields& b) {
  double sum = 0.0;
  for (const std::size_t i : bodies) sum += a[i].dot(b[i]);
  return sum;
}

}  // namespace

double DesignSpace::volume_fraction(const BodyFields& densities) const {
  return inner_product(bodies_, volume_fraction_bar(), densities);
}

double DesignSpace::mass(const BodyFields& densities) const {
  return inner_product(bodies_, mass_bar(), densities);
}

std::pair<std::size_t, Eigen::Index> DesignSpace::element_of(Eigen::Index variable) const {
  std::pair<std::size_t, Eigen::Index> found{0, 0};
  for_each_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    const Eigen::Index k = variable - first;
    if (k >= 0 && k < map.n_active()) found = {i, map.elements().active()[k]};
  });
  return found;
}

}  // namespace kurbel
