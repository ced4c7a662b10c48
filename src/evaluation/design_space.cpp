#include "evaluation/design_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "fem/faces.hpp"
#include "fem/length_scale.hpp"
#include "fem/manufacturing.hpp"
#include "fem/opening.hpp"
#include "floating_frame/free_lengths.hpp"
#include "floating_frame/given_attitudes.hpp"

namespace kurbel {

namespace {

constexpr int n_halvings = 40;  // of the interval in which a uniform start is sought: to 1e-12

}  // namespace

fem::FilterSpec filter_spec(const FilterOptions& options) {
  switch (options.type) {
    case FilterOptions::Type::density:
      return {fem::FilterSpec::Kind::density, options.radius,
              options.kernel == FilterOptions::Kernel::helmholtz ? fem::FilterSpec::Kernel::helmholtz
                                                                 : fem::FilterSpec::Kernel::cone};
    case FilterOptions::Type::sensitivity:
      return {fem::FilterSpec::Kind::sensitivity, options.radius};
    case FilterOptions::Type::none:
      break;
  }
  return {fem::FilterSpec::Kind::none, 0.0};
}

DesignSpace DesignSpace::of_problem(const FlexibleBodies& models, const std::filesystem::path& density_file) {
  return DesignSpace(models, GivenDensities(models.problem(), density_file), Kind::problem);
}

DesignSpace DesignSpace::of_densities(const FlexibleBodies& models,
                                      const std::filesystem::path& density_file) {
  return DesignSpace(models, GivenDensities(models.problem(), density_file), Kind::densities);
}

DesignSpace DesignSpace::to_evaluate(const FlexibleBodies& models,
                                     const std::filesystem::path& density_file) {
  const bool is_given = !density_file.empty() || !models.problem().design.start_file.empty();
  return is_given ? of_densities(models, density_file) : of_problem(models, density_file);
}

DesignSpace::DesignSpace(const FlexibleBodies& models, const GivenDensities& given, Kind kind)
    : models_(models), variables_(models), fixed_(models.size()) {
  const Problem& problem = models.problem();
  std::set<std::size_t> with_densities;
  for (const std::string& name : problem.design.bodies)
    with_densities.insert(problem.find_body(name).value());
  std::set<std::size_t> bodies = with_densities;
  for (const std::size_t i : variables_.bodies()) bodies.insert(i);
  bodies_.assign(bodies.begin(), bodies.end());
  std::size_t flexible = 0;
  for (std::size_t i = 0; i < models.size(); ++i) flexible += models[i] ? 1 : 0;
  given.require_enough_for(with_densities.empty() ? flexible : with_densities.size());
  std::vector<double> lower, start;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!models[i]) continue;
    if (with_densities.contains(i)) {
      add_densities(i, given, kind, lower, start);
    } else {
      fix_densities(i, given);
    }
  }
  start_ = Eigen::Map<VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()));
  lower_ = Eigen::Map<VectorXd>(lower.data(), static_cast<Eigen::Index>(lower.size()));
  upper_ = start_.cwiseMax(1.0);
  add_variables();
  if (problem.design.start_meets_bounds && given.is_empty() && n_densities() > 0) start_within_bounds();
  if (!problem.design.joint_ends.empty() && variables_.size() > 0) start_point_to_point();
}

void DesignSpace::start_at(double density) {
  for_each_density_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    VectorXd field = VectorXd::Constant(model(i).n_elements(), density);
    if (const auto& casting = model(i).spec().manufacturing.casting)
      field = (depths_in_mould(model(i).mesh(), *casting).array() + (2.0 * density - 1.0)).cwiseMin(1.0);
    const auto lower = lower_.segment(first, map.n_active());
    start_.segment(first, map.n_active()) = map.active_part(field).cwiseMax(lower);
  });
}

void DesignSpace::start_within_bounds() {
  const ConstraintOptions& bounds = models_.problem().constraints;
  const std::vector<std::size_t> with_members = bodies_with_bounded_members();
  if (!bounds.volume_fraction && !bounds.mass && with_members.empty()) return;
  const auto meets_bounds = [&](double density) {
    start_at(density);
    const Design design = at(start_);
    return (!bounds.volume_fraction || volume_fraction(design) <= *bounds.volume_fraction) &&
           (!bounds.mass || mass(design) <= *bounds.mass) &&
           std::ranges::none_of(with_members, [&](std::size_t body) {
             return excess_of_members(design, body) > fem::LargestMembers::most_excess;
           });
  };
  if (meets_bounds(1.0)) return;
  double low = lower_.head(n_densities()).minCoeff(), high = 1.0;
  for (int halving = 0; halving < n_halvings; ++halving) {
    const double middle = 0.5 * (low + high);
    (meets_bounds(middle) ? low : high) = middle;
  }
  meets_bounds(low);
}

void DesignSpace::start_point_to_point() {
  const Problem& problem = models_.problem();
  const auto refuse = [&](const std::string& why) { return problem.error("design.initial_guess", why); };
  SystemSpec spec = problem.system;
  const Design design = at(start_);
  for (std::size_t i = 0; i < models_.size(); ++i) {
    if (!models_[i]) continue;
    fem::ReducedBody reduced;
    Status status;
    if (problem.bodies[i].flexible.modes_up_to) status = models_[i]->count_modes(design.bodies[i]);
    if (!status.failed()) status = models_[i]->reduce(design.bodies[i], reduced);
    if (status.failed()) throw refuse(": " + status.message());
    spec.bodies[i].sid = reduced.sid;
  }
  turn_by_fixed_joints(spec);
  set_free_lengths(spec);
  double latest = spec.time.t1;
  for (const DesignVariable& variable : problem.design.variables) {
    if (is_end_of_motion(variable)) {
      spec.time.varies = true;
      latest = variable.sign > 0.0 ? variable.upper : -variable.lower;
    }
  }
  std::vector<ControlBounds> bounds;
  for (const ControlCurve& control : problem.controls) bounds.push_back({control.lower, control.upper});
  PointToPointGuess guess;
  Status status;
  try {
    status = guess_point_to_point(spec, problem.design.joint_ends, bounds, latest, guess);
  } catch (const InputError& error) {
    throw refuse(error.what());
  }
  if (status.failed()) throw refuse(": no motion of the rigid mechanism leads there: " + status.message());
  variables_.begin_with(guess.nodes, guess.t1);
  start_.tail(variables_.size()) = scaled(variables_.table().value);
  std::string text =
      fmt::format("Controls begin with a motion from point to point in {:.4g} s", guess.t1 - spec.time.t0);
  if (guess.load > 0.0 && std::isfinite(guess.load)) {
    text +=
        fmt::format("; the largest takes {:.0f} % of its bound{}", 100.0 * guess.load,
                    guess.load > 1.0 ? " and is clipped there. Raise the bounds of [controls.*], or allow "
                                       "more time, if the motion does not reach its end"
                                     : "");
  }
  origins_.push_back(std::move(text));
}

VectorXd DesignSpace::scaled(const VectorXd& value) const {
  return (value - offset_)
      .cwiseQuotient(range_)
      .cwiseMax(lower_.tail(value.size()))
      .cwiseMin(upper_.tail(value.size()));
}

void DesignSpace::add_variables() {
  const VariableTable& table = variables_.table();
  const Eigen::Index n = n_variables();
  for (VectorXd* v : {&start_, &lower_, &upper_}) v->conservativeResize(n + variables_.size());
  const auto bounded = (table.lower.array().isFinite() && table.upper.array().isFinite() &&
                        table.lower.array() < table.upper.array())
                           .eval();
  offset_ = bounded.select(table.lower, VectorXd::Zero(variables_.size()));
  range_ = bounded.select(table.upper - table.lower, VectorXd::Ones(variables_.size()));
  lower_.tail(variables_.size()) = (table.lower - offset_).cwiseQuotient(range_);
  upper_.tail(variables_.size()) = (table.upper - offset_).cwiseQuotient(range_);
  start_.tail(variables_.size()) = scaled(table.value);
}

/// Material everywhere but in the passive regions; where no densities vary at all, those of a file, if one is
/// given.
void DesignSpace::fix_densities(std::size_t i, const GivenDensities& given) {
  const fem::FlexibleBody& body = model(i);
  if (models_.problem().design.bodies.empty() && !given.is_empty()) {
    fixed_[i] = given.of_body(body).density;
    return;
  }
  const VectorXd solid = VectorXd::Ones(body.n_elements());
  fixed_[i] = solid;
  fem::PassiveElements(body.mesh(), body.spec().regions, body.spec().simp.p_min, solid).overwrite(fixed_[i]);
}

void DesignSpace::add_densities(std::size_t i, const GivenDensities& given, Kind kind,
                                std::vector<double>& lower, std::vector<double>& start) {
  const Problem& problem = models_.problem();
  const fem::FlexibleBody& body = model(i);
  const double p_min = body.spec().simp.p_min;
  DensitiesOfBody of;
  if (given.is_empty()) {
    of.density = VectorXd::Constant(body.n_elements(), problem.design.start);
  } else {
    of = given.of_body(body);
  }
  const bool as_given = kind == Kind::densities;
  const VectorXd& initial = as_given || of.design.size() == 0 ? of.density : of.design;
  auto map = std::make_unique<fem::DensityDesign>(
      body.mesh(), as_given ? std::vector<fem::Region>{} : body.spec().regions, p_min,
      as_given ? filter_spec({}) : filter_spec(problem.filter),
      !as_given && problem.projection.type == ProjectionOptions::Type::heaviside
          ? problem.projection.beta_start
          : 0.0,
      problem.projection.eta, initial);
  if (!as_given && !body.spec().symmetry.empty()) make_symmetric(body, *map);
  if (!as_given && body.spec().manufacturing.has_map())
    map->make_manufacturable(body.mesh(), body.spec().manufacturing);
  const VectorXd active = map->active_part(initial);
  start.insert(start.end(), active.begin(), active.end());
  lower.insert(lower.end(), static_cast<std::size_t>(active.size()), std::min(p_min, active.minCoeff()));
  density_bodies_.push_back({i, std::move(map)});
  if (body.spec().manufacturing.maximum_member) bound_members(density_bodies_.back());
  if (!given.is_empty()) tell_origin(i, given, of, as_given ? nullptr : density_bodies_.back().map.get());
}

void DesignSpace::bound_members(DensityBody& of) const {
  const Problem& problem = models_.problem();
  const fem::FlexibleBody& body = model(of.body);
  const double width = body.spec().manufacturing.maximum_member.value();
  const auto refuse = [&](const std::string& why) {
    return problem.error(fmt::format("bodies.{}.manufacturing.maximum_member", body.spec().name),
                         fmt::format("= {:g} m {}", width, why));
  };
  const std::vector<Eigen::Index> thin = fem::thin_axes(body.mesh(), width);
  if (std::ssize(thin) > body.mesh().dim() - 2)
    throw refuse(fmt::format("bounds nothing: along {} the body is thinner", "xyz"[thin.front()]));
  const auto require = [&](double least, const char* what) {
    if (width < least) throw refuse(fmt::format("has to be at least {:.4g} m, which is {}", least, what));
  };
  require(4.0 * fem::mean_edge(body.mesh()), "four elements. Refine the mesh");
  if (const double robust = problem.projection.robust; robust > 0.0) {
    const fem::LengthScale least =
        fem::length_scale(filter_spec(problem.filter), body.mesh().dim(), problem.projection.eta, robust);
    require(1.5 * least.member,
            "1.5 times the least member that projection.robust leaves. Lower filter.radius");
  }
  of.largest_members = std::make_unique<fem::LargestMembers>(body.mesh(), body.spec().regions, width);
}

void DesignSpace::make_symmetric(const fem::FlexibleBody& body, fem::DensityDesign& map) const {
  try {
    map.make_symmetric(body.mesh(), body.spec().symmetry);
  } catch (const InputError& error) {
    throw models_.problem().error(fmt::format("bodies.{}.symmetry", body.spec().name),
                                  fmt::format("cannot be: {}", error.what()));
  }
}

/// @param map  that of the problem; nullptr: the densities are evaluated as they are
void DesignSpace::tell_origin(std::size_t i, const GivenDensities& given, const DensitiesOfBody& of,
                              const fem::DensityDesign* map) {
  const std::string where = fmt::format("body {}", models_.problem().bodies[i].name);
  if (!map) {
    origins_.push_back(fmt::format("{}: evaluated at the densities in {}", where, given.path().string()));
    return;
  }
  const bool has_design = of.design.size() > 0;
  const VectorXd rho = map->value(map->active_part(has_design ? of.design : of.density));
  const double change = (rho - of.density).cwiseAbs().maxCoeff();
  constexpr double rounding = 1e-12;
  origins_.push_back(fmt::format(
      "{}: starts from the {} in {}{}", where,
      has_design ? "variables (array design)" : "densities, taken as variables,", given.path().string(),
      change > rounding
          ? fmt::format("; filter, projection and regions change its densities by up to {:.2g}", change)
          : ", and has its densities"));
}

/// act(position of the body, its design map, first variable)
template <class Action>
void DesignSpace::for_each_density_body(const Action& act) const {
  Eigen::Index first = 0;
  for (const DensityBody& density_body : density_bodies_) {
    act(density_body.body, *density_body.map, first);
    first += density_body.map->n_active();
  }
}

VariableTable DesignSpace::variable_table(const VectorXd& x) const {
  VariableTable table = variables_.table();
  const Eigen::Index first = n_densities();
  for (Eigen::Index i = 0; i < variables_.size(); ++i) {
    // The start itself, not its image under scaling and back, which rounds.
    if (x[first + i] == start_[first + i]) continue;
    table.value[i] = offset_[i] + x[first + i] * range_[i];
  }
  return table;
}

Design DesignSpace::at(const VectorXd& x, double shift) const {
  Design design{models_.nominal(densities(x, shift)), VectorXd(variables_.n_numbers())};
  variables_.apply(variable_table(x).value, design);
  return design;
}

BodyFields DesignSpace::densities(const VectorXd& x, double shift) const {
  BodyFields fields = fixed_;
  for_each_density_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    fields[i] = map.value(x.segment(first, map.n_active()), shift);
  });
  return fields;
}

BodyFields DesignSpace::design(const VectorXd& x) const {
  BodyFields fields = fixed_;
  for_each_density_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    fields[i] = map.full_design(x.segment(first, map.n_active()));
  });
  return fields;
}

VectorXd DesignSpace::with_design(const VectorXd& x, const BodyFields& fields) const {
  VectorXd out = x;
  for_each_density_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    out.segment(first, map.n_active()) = map.active_part(fields[i]);
  });
  return out;
}

BodyFields DesignSpace::scatter(const VectorXd& v) const {
  BodyFields fields(fixed_.size());
  for (const std::size_t i : bodies_) fields[i] = VectorXd::Zero(model(i).n_elements());
  for_each_density_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    fields[i](map.elements().active()) = v.segment(first, map.n_active());
  });
  return fields;
}

VectorXd DesignSpace::pullback(const VectorXd& x, const Design& bar, double shift) const {
  VectorXd x_bar(n_variables());
  for_each_density_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    x_bar.segment(first, map.n_active()) =
        map.pullback(x.segment(first, map.n_active()), bar.bodies[i].density, shift);
  });
  x_bar.tail(variables_.size()) = variables_.pullback(bar).cwiseProduct(range_);
  return x_bar;
}

VectorXd DesignSpace::search_gradient(const VectorXd& x, const Design& bar, double shift) const {
  VectorXd x_bar = pullback(x, bar, shift);
  for_each_density_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    x_bar.segment(first, map.n_active()) =
        map.search_gradient(x.segment(first, map.n_active()), bar.bodies[i].density, shift);
  });
  return x_bar;
}

void DesignSpace::set_beta(double beta) {
  for (DensityBody& density_body : density_bodies_) density_body.map->set_beta(beta);
}

std::string DesignSpace::name_of(Eigen::Index variable) const {
  if (variable >= n_densities())
    return variables_.table().names[static_cast<std::size_t>(variable - n_densities())];
  std::string name;
  for_each_density_body([&](std::size_t i, const fem::DensityDesign& map, Eigen::Index first) {
    const Eigen::Index k = variable - first;
    if (k >= 0 && k < map.n_active())
      name = fmt::format("{} {}", models_.problem().bodies[i].name, map.elements().active()[k]);
  });
  return name;
}

}  // namespace kurbel
