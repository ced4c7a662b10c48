#include "analysis/static_question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fem/statics.hpp"
#include "problem/checks.hpp"

namespace kurbel {

using Eigen::Index;

namespace {

Vector3d at_rest(const std::array<TimeFunctionPtr, 3>& functions) {
  Vector3d value = Vector3d::Zero();
  for (std::size_t d = 0; d < 3; ++d) {
    if (functions[d]) value[static_cast<Index>(d)] = functions[d]->at(0.0).value;
  }
  return value;
}

const fem::MarkerOperator& find_marker(const fem::FlexibleBody& body, const std::string& name) {
  return *std::ranges::find(body.held().markers, name, &fem::MarkerOperator::name);
}

}  // namespace

StaticQuestion::StaticQuestion(const Problem& problem, const std::vector<fem::FlexibleBody*>& bodies)
    : problem_(problem), bodies_(bodies) {
  for (const ProblemCase& own : problem.cases) cases_.push_back(own.problem.get());
  if (cases_.empty()) cases_.push_back(&problem);
  for (const Problem* own : cases_) stress_sets_.emplace_back(*own);
  for (std::size_t i = 0; i < bodies.size(); ++i) at_markers_.push_back(forces_at_markers(i));
  count_buckling_modes();
}

void StaticQuestion::count_buckling_modes() {
  n_buckling_modes_.assign(bodies_.size(), std::vector<int>(cases_.size(), 0));
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    for_each_term(*cases_[c], [&](const CriterionTerm& term, const std::string& path) {
      if (term.quantity != Quantity::buckling_load) return;
      const std::size_t i = *problem_.find_body(term.body);
      const fem::HeldPencil pencil = bodies_[i]->held().pencil();
      const Index most = pencil.n_dofs() - pencil.K.n_conditions();
      if (term.last_mode >= most)
        throw problem_.error(
            path + ".modes",
            fmt::format("requests mode {}, but {} has {} degrees of freedom; choose a mode below that number",
                        term.last_mode, term.body, most));
      n_buckling_modes_[i][c] = std::max(n_buckling_modes_[i][c], term.last_mode);
    });
  }
}

double StaticQuestion::void_share(std::size_t body) const {
  const fem::Simp& simp = bodies_[body]->spec().simp;
  switch (simp.stiffness) {
    case fem::Simp::Stiffness::modified:
    case fem::Simp::Stiffness::ramp:
      return simp.void_stiffness;
    case fem::Simp::Stiffness::power:
      break;
  }
  return 0.0;
}

VectorXd StaticQuestion::geometric_moduli(std::size_t body, const fem::BodyDesign& design) const {
  const fem::FlexibleBodySpec& spec = bodies_[body]->spec();
  VectorXd of_void = void_share(body) * design.youngs_modulus;
  if (design.thickness.size() > 0) of_void.array() *= design.thickness.array() / spec.mesh.thickness;
  return element_factors(spec, design).stiffness - of_void;
}

Status StaticQuestion::find_buckling_modes(std::size_t body, const fem::BodyDesign& design, const MatrixXd& u,
                                           std::vector<fem::BucklingModes>& out) const {
  out.resize(cases_.size());
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    if (n_buckling_modes_[body][c] == 0) continue;
    const fem::GeometricStiffness K_G(bodies_[body]->stressed(design), geometric_moduli(body, design),
                                      u.col(static_cast<Index>(c)));
    const Status found =
        fem::find_buckling_modes(bodies_[body]->held().pencil(), K_G, n_buckling_modes_[body][c], out[c]);
    if (found.failed()) return bodies_[body]->located(found.failure());
  }
  return {};
}

MatrixXd StaticQuestion::forces_at_markers(std::size_t body) const {
  const fem::HeldBody held = bodies_[body]->held();
  const int dim = held.assembly.dim();
  MatrixXd f = MatrixXd::Zero(held.assembly.n_free_dofs(), std::ssize(cases_));
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    MatrixXd own = MatrixXd::Zero(f.rows(), 1);
    for (const MarkerLoadSpec& load : cases_[c]->system.loads) {
      if (load.marker.body != problem_.bodies[body].name) continue;
      find_marker(*bodies_[body], load.marker.marker)
          .add_transpose(at_rest(load.force), at_rest(load.torque), held.assembly.order(), dim, own);
    }
    f.col(static_cast<Index>(c)) = own;
  }
  return f;
}

MatrixXd StaticQuestion::operator_of(std::size_t body, const CriterionTerm& term) const {
  const fem::HeldBody held = bodies_[body]->held();
  const bool turns = term.quantity == Quantity::rotation;
  const MatrixXd none = MatrixXd::Zero(3, 3), all = MatrixXd::Identity(3, 3);
  MatrixXd C_T = MatrixXd::Zero(held.assembly.n_free_dofs(), 3);
  find_marker(*bodies_[body], term.marker.marker)
      .add_transpose(turns ? none : all, turns ? all : none, held.assembly.order(), held.assembly.dim(), C_T);
  return C_T;
}

fem::StressPoints StaticQuestion::points_to_show(std::size_t c, std::size_t body) const {
  if (const std::optional<fem::StressPoints> seen = stress_sets_[c].to_show(body)) return *seen;
  fem::StressPoints all{std::vector<int>(static_cast<std::size_t>(bodies_[body]->n_elements())),
                        CriterionTerm{}.relaxation};
  std::iota(all.elements.begin(), all.elements.end(), 0);
  return all;
}

/// Adds gravity to the forces at the markers, by the mass matrix that the body holds.
MatrixXd StaticQuestion::forces(std::size_t body) const {
  MatrixXd f = at_markers_[body];
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    const Vector3d& gravity = cases_[c]->system.gravity;
    if (!gravity.isZero(0.0))
      f.col(static_cast<Index>(c)) += fem::weight_of_body(bodies_[body]->held(), gravity);
  }
  return f;
}

Status StaticQuestion::answer(const std::vector<fem::BodyDesign>& designs, std::unique_ptr<BodyAnswer>& out) {
  out.reset();
  std::vector<StaticAnswer::OfBody> found(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (Status s = bodies_[i]->hold(designs[i]); s.failed()) return s;
    found[i].f = forces(i);
    bodies_[i]->held().pencil().K.solve(found[i].f, found[i].u);
    if (Status s = bodies_[i]->solved(); s.failed()) return s;
    const Status buckling = find_buckling_modes(i, designs[i], found[i].u, found[i].buckling);
    if (Status s = bodies_[i]->solved(); s.failed()) return s;  // a solver that fails finds no modes
    if (buckling.failed()) return buckling;
  }
  out = std::make_unique<StaticAnswer>(*this, designs, std::move(found));
  return {};
}

std::size_t StaticAnswer::body_of(const CriterionTerm& term) const {
  const std::string& name =
      traits_of(term.quantity).place == ObservedPlace::marker ? term.marker.body : term.body;
  return *question_.problem().find_body(name);
}

/// Returns what the form of a term makes of its vector less the target.
double StaticAnswer::value_of_vector(const Part& part, std::size_t body, double slope, Seed* seed) const {
  const CriterionTerm& term = *part.term;
  const auto c = static_cast<Index>(part.of_case);
  const MatrixXd C_T = question_.operator_of(body, term);
  Vector3d d = C_T.transpose() * bodies_[body].u.col(c) - at_rest(term.target), d_bar = Vector3d::Zero();
  const std::vector<int> axes = term.component ? std::vector<int>{*term.component} : axes_of(term);
  for (int axis = 0; axis < 3; ++axis) {
    if (std::ranges::find(axes, axis) == axes.end()) d[axis] = 0.0;
  }
  double value = 0.0;
  switch (form_of(term)) {
    case CriterionForm::magnitude:
      value = d.norm();
      if (value > 0.0) d_bar = d / value;
      break;
    case CriterionForm::half_square:
      value = 0.5 * d.squaredNorm(), d_bar = d;
      break;
    case CriterionForm::signed_value:
      value = d[axes.front()], d_bar[axes.front()] = 1.0;
      break;
  }
  if (seed) seed->u(C_T.rows()).col(c) += slope * (C_T * d_bar);
  return value;
}

/// @param slope  of the function by this term
/// @param seed   of the term's body, added to; nullptr: the value alone
CriterionValues StaticAnswer::value(const Part& part, double slope, Seed* seed) const {
  const std::size_t i = body_of(*part.term);
  const auto c = static_cast<Index>(part.of_case);
  const auto exact = [](double value) { return CriterionValues{value, value, value}; };
  if (part.term->quantity == Quantity::compliance) {
    if (seed) seed->of_compliance[c] += slope;
    return exact(bodies_[i].f.col(c).dot(bodies_[i].u.col(c)));
  }
  if (part.term->quantity == Quantity::mass) {
    if (seed) seed->of_mass += slope;
    return exact(question_.body(i).mass(designs_[i]));
  }
  if (part.term->quantity == Quantity::buckling_load) return value_of_buckling(part, i, slope, seed);
  if (part.term->quantity == Quantity::von_mises) return value_of_stress(part, i, slope, seed);
  return exact(value_of_vector(part, i, slope, seed));
}

/// Returns the terms of the functions requested, with the weights of their cases; the objective has none, for
/// `over_cases` joins its cases.
std::vector<std::vector<StaticAnswer::Part>> StaticAnswer::parts(const RequestedFunctions& requested) const {
  const Problem& problem = question_.problem();
  std::vector<std::vector<Part>> all(1 + requested.functions.size());
  const auto add = [](const std::vector<CriterionTerm>& terms, std::size_t c, double weight,
                      std::vector<Part>& to) {
    for (const CriterionTerm& term : terms) to.push_back({&term, c, weight * term.weight});
  };
  for (std::size_t j = 0; j < requested.functions.size(); ++j) {
    const CriterionConstraint& function = problem.constraints.criteria[requested.functions[j]];
    if (problem.cases.empty()) add(function.terms, 0, 1.0, all[j + 1]);
    for (const CaseShare& share : function.shares)
      add(question_.load_case(share.of_case).constraints.criteria[share.constraint].terms, share.of_case,
          share.weight, all[j + 1]);
  }
  return all;
}

namespace {

const std::vector<CriterionTerm>& objective_of(const Problem& problem, std::size_t stage) {
  return stage < problem.first_stages.size() ? problem.first_stages[stage].objective : problem.objective;
}

VectorXd weights_of(const Problem& problem) {
  VectorXd weights = VectorXd::Ones(std::max<Index>(1, std::ssize(problem.cases)));
  for (std::size_t c = 0; c < problem.cases.size(); ++c)
    weights[static_cast<Index>(c)] = problem.cases[c].weight;
  return weights;
}

void add(double weight, const CriterionValues& own, CriterionValues& sum) {
  sum.value += weight * own.value, sum.low += weight * own.low, sum.high += weight * own.high;
}

}  // namespace

std::vector<CriterionValues> StaticAnswer::objectives_of_cases(std::size_t stage) const {
  std::vector<CriterionValues> psi(question_.n_cases());
  for (std::size_t c = 0; c < question_.n_cases(); ++c) {
    for (const CriterionTerm& term : objective_of(question_.load_case(c), stage))
      add(term.weight, value({&term, c, term.weight}, 0.0, nullptr), psi[c]);
  }
  return psi;
}

std::vector<CriterionValues> StaticAnswer::values(const RequestedFunctions& requested) const {
  std::vector<CriterionValues> all;
  for (const std::vector<Part>& function : parts(requested)) {
    all.emplace_back();
    for (const Part& part : function) add(part.weight, value(part, 0.0, nullptr), all.back());
  }
  const Problem& problem = question_.problem();
  if (objective_of(question_.load_case(0), requested.stage).empty()) return all;
  all.front() =
      joined_over_cases(problem.over_cases, weights_of(problem), objectives_of_cases(requested.stage));
  return all;
}

Status StaticAnswer::gradients(const RequestedFunctions& requested,
                               std::vector<std::vector<fem::BodyDesign>>& bars) {
  const Problem& problem = question_.problem();
  std::vector<std::vector<Part>> functions = parts(requested);
  VectorXd psi(static_cast<Index>(question_.n_cases())), slopes;
  const std::vector<CriterionValues> objectives = objectives_of_cases(requested.stage);
  std::ranges::transform(objectives, psi.begin(), &CriterionValues::value);
  problem.over_cases.value(weights_of(problem), psi, &slopes);
  for (std::size_t c = 0; c < question_.n_cases(); ++c) {
    for (const CriterionTerm& term : objective_of(question_.load_case(c), requested.stage))
      functions.front().push_back({&term, c, slopes[static_cast<Index>(c)] * term.weight});
  }
  const Seed none{VectorXd::Zero(static_cast<Index>(question_.n_cases())), {}};
  std::vector<std::vector<Seed>> seeds(question_.n_bodies(), std::vector<Seed>(functions.size(), none));
  bars.assign(functions.size(), std::vector<fem::BodyDesign>(question_.n_bodies()));
  for (std::size_t j = 0; j < functions.size(); ++j) {
    for (const Part& part : functions[j]) {
      Seed& seed = seeds[body_of(*part.term)][j];
      value(part, part.weight, &seed);
      if (seed.kink.failed()) return seed.kink;
    }
  }
  for (std::size_t i = 0; i < question_.n_bodies(); ++i) {
    if (Status s = pull_back(i, seeds[i], bars); s.failed()) return s;
  }
  return {};
}

/// Adds the derivatives of all functions by the design of one body; their adjoint systems are solved in one block.
Status StaticAnswer::pull_back(std::size_t i, const std::vector<Seed>& seeds,
                               std::vector<std::vector<fem::BodyDesign>>& bars) {
  fem::FlexibleBody& body = question_.body(i);
  if (Status s = body.hold(designs_[i]); s.failed()) return s;
  const auto n_cases = static_cast<Index>(question_.n_cases());
  const auto n_seeds = std::ranges::count_if(seeds, [](const Seed& seed) { return seed.of_u.size() > 0; });
  MatrixXd g(bodies_[i].u.rows(), n_seeds * n_cases), Lambda;
  Index first = 0;
  for (const Seed& seed : seeds) {
    if (seed.of_u.size() == 0) continue;
    g.middleCols(first, n_cases) = seed.of_u;
    first += n_cases;
  }
  if (n_seeds > 0) body.held().pencil().K.solve(g, Lambda);
  if (Status s = body.solved(); s.failed()) return s;
  fem::StaticBars all{bodies_[i].u, MatrixXd::Zero(3, n_cases)};
  for (Index c = 0; c < n_cases; ++c)
    all.gravity.col(c) = question_.load_case(static_cast<std::size_t>(c)).system.gravity;
  const std::optional<fem::HeldElements> moved = moved_elements(body, designs_[i]);
  first = 0;
  for (std::size_t j = 0; j < seeds.size(); ++j) {
    const Seed& seed = seeds[j];
    fem::BodyDesign& bar = bars[j][i] = zero_bar(designs_[i]);
    if (seed.of_mass != 0.0) add_mass_bar(body, designs_[i], seed.of_mass, bar);
    if (seed.of_design.density.size() > 0) add(seed.of_design, 1.0, bar);
    if (seed.of_factors.stiffness.size() > 0) add_to_bar(body, designs_[i], {seed.of_factors}, bar);
    const bool has_adjoint = seed.of_u.size() > 0;
    if (!has_adjoint && seed.of_compliance.isZero(0.0)) continue;
    const MatrixXd of_compliance = bodies_[i].u * seed.of_compliance.asDiagonal();
    all.of_stiffness = of_compliance;
    if (has_adjoint) all.of_stiffness += Lambda.middleCols(first, n_cases);
    all.of_weight = all.of_stiffness + of_compliance;
    if (has_adjoint) first += n_cases;
    fem::MatricesBar matrices = pull_back_static(body.held(), all, moved ? &*moved : nullptr);
    if (seed.of_positions.size() > 0) matrices.positions += seed.of_positions;
    add_to_bar(body, designs_[i], matrices, bar);
  }
  return {};
}

namespace {

std::string name_of_case(const Problem& problem, std::size_t c) {
  return problem.cases.empty() ? "" : problem.cases[c].name;
}

}  // namespace

MotionSummary StaticAnswer::summarize() const {
  MotionSummary summary;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    for (std::size_t c = 0; c < question_.n_cases(); ++c) {
      const auto column = static_cast<Index>(c);
      const std::string name = question_.problem().bodies[i].name,
                        of_case = name_of_case(question_.problem(), c);
      const double compliance = bodies_[i].f.col(column).dot(bodies_[i].u.col(column));
      const double largest =
          nodal_field(question_.body(i), bodies_[i].u.col(column), "", "").values.colwise().norm().maxCoeff();
      summary.lines.push_back(fmt::format("body {}{}: compliance {:.9g} J, largest displacement {:.6g} m",
                                          name, of_case.empty() ? "" : ", case " + of_case, compliance,
                                          largest));
      const std::string key = of_case.empty() ? name : of_case + "." + name;
      summary.numbers.emplace_back(key + ".compliance", compliance);
      summary.numbers.emplace_back(key + ".largest_displacement", largest);
      const VectorXd mu = bodies_[i].buckling[c].kappa.cwiseInverse();
      if (mu.size() == 0) continue;
      summary.lines.push_back(fmt::format("body {}{}: buckles at {:.6g} times the load", name,
                                          of_case.empty() ? "" : ", case " + of_case, fmt::join(mu, ", ")));
      for (Index k = 0; k < mu.size(); ++k)
        summary.numbers.emplace_back(fmt::format("{}.buckling_load_{}", key, k + 1), mu[k]);
    }
  }
  return summary;
}

std::vector<NodalField> StaticAnswer::fields(std::size_t body) const {
  std::vector<NodalField> fields;
  for (std::size_t c = 0; c < question_.n_cases(); ++c) {
    const std::string of_case = name_of_case(question_.problem(), c);
    fields.push_back(nodal_field(question_.body(body), bodies_[body].u.col(static_cast<Index>(c)),
                                 of_case.empty() ? "displacement" : "displacement_" + of_case, "m"));
    const fem::BucklingModes& buckling = bodies_[body].buckling[c];
    for (Index k = 0; k < buckling.kappa.size(); ++k)
      fields.push_back(nodal_field(question_.body(body), buckling.Phi.col(k),
                                   fmt::format("buckling_{}{}{}", k + 1, of_case.empty() ? "" : "_", of_case),
                                   ""));
  }
  return fields;
}

std::vector<ElementField> StaticAnswer::element_fields(std::size_t body) const {
  std::vector<ElementField> fields;
  for (std::size_t c = 0; c < question_.n_cases(); ++c) {
    const fem::StressPoints points = question_.points_to_show(c, body);
    const VectorXd of_points = von_mises(stresses(body, c, points), VectorXd::Ones(1));
    const std::vector<int> elements = fem::elements_of_points(question_.body(body).mesh(), points);
    VectorXd largest =
        VectorXd::Constant(question_.body(body).n_elements(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < elements.size(); ++i)
      largest[elements[i]] = std::fmax(largest[elements[i]], of_points[static_cast<Index>(i)]);
    const std::string of_case = name_of_case(question_.problem(), c);
    fields.push_back({of_case.empty() ? "von_mises" : "von_mises_" + of_case, "Pa", std::move(largest)});
  }
  return fields;
}

}  // namespace kurbel
