#include "analysis/eigenfrequency_question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/over_modes.hpp"
#include "fem/statics.hpp"
#include "problem/checks.hpp"

namespace kurbel {

using Eigen::Index;

namespace {

constexpr int least_modes = 6;  ///< that are told, even if no criterion counts them

}  // namespace

EigenfrequencyQuestion::EigenfrequencyQuestion(const Problem& problem,
                                               const std::vector<fem::FlexibleBody*>& bodies)
    : problem_(problem), bodies_(bodies) {
  std::vector<Index> n_dofs;
  for (const fem::FlexibleBody* body : bodies) {
    const fem::HeldPencil pencil = body->held().pencil();
    n_dofs.push_back(pencil.n_dofs() - pencil.K.n_conditions());
    n_modes_.push_back(static_cast<int>(std::min<Index>(least_modes, n_dofs.back())));
  }
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    if (term.quantity != Quantity::frequency) return;
    const std::size_t i = *problem.find_body(term.body);
    if (term.last_mode > n_dofs[i])
      throw problem.error(
          path + ".modes",
          fmt::format("requests frequency {}, but {} has only {}, one for each degree of freedom",
                      term.last_mode, term.body, n_dofs[i]));
    n_modes_[i] = std::max(n_modes_[i], term.last_mode);
  });
}

Status EigenfrequencyQuestion::answer(const std::vector<fem::BodyDesign>& designs,
                                      std::unique_ptr<BodyAnswer>& out) {
  out.reset();
  std::vector<fem::NormalModes> modes(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    fem::FlexibleBody& body = *bodies_[i];
    if (Status s = body.hold(designs[i]); s.failed()) return s;
    if (Status s = find_lowest_modes(body.held().pencil(), n_modes_[i], modes[i]); s.failed())
      return body.located(
          {s.failure().what, "", "count fewer frequencies, or raise the lowest density (simp.p_min)"});
    if (Status s = body.solved(); s.failed()) return s;
  }
  out = std::make_unique<EigenfrequencyAnswer>(*this, designs, std::move(modes));
  return {};
}

EigenfrequencyAnswer::EigenfrequencyAnswer(const EigenfrequencyQuestion& question,
                                           std::vector<fem::BodyDesign> designs,
                                           std::vector<fem::NormalModes> modes)
    : question_(question), designs_(std::move(designs)), modes_(std::move(modes)) {
  for (const fem::NormalModes& own : modes_) f_.emplace_back(own.lambda.unaryExpr(&fem::frequency_hz));
}

std::vector<const EigenfrequencyAnswer::Terms*> EigenfrequencyAnswer::functions(
    const RequestedFunctions& requested) const {
  const Problem& problem = question_.problem();
  const bool is_last = requested.stage >= problem.first_stages.size();
  std::vector<const Terms*> all = {is_last ? &problem.objective
                                           : &problem.first_stages[requested.stage].objective};
  for (const std::size_t i : requested.functions) all.push_back(&problem.constraints.criteria[i].terms);
  return all;
}

std::size_t EigenfrequencyAnswer::body_of(const CriterionTerm& term) const {
  return *question_.problem().find_body(term.body);
}

CriterionValues EigenfrequencyAnswer::value(const CriterionTerm& term) const {
  const std::size_t i = body_of(term);
  if (term.quantity == Quantity::mass) {
    const double mass = question_.body(i).mass(designs_[i]);
    return {mass, mass, mass};
  }
  return value_over_modes(term, f_[i]);
}

std::vector<CriterionValues> EigenfrequencyAnswer::values(const RequestedFunctions& requested) const {
  std::vector<CriterionValues> all;
  for (const Terms* terms : functions(requested)) {
    CriterionValues& sum = all.emplace_back();
    for (const CriterionTerm& term : *terms) {
      const CriterionValues own = value(term);
      sum.value += term.weight * own.value;
      sum.low += term.weight * own.low;
      sum.high += term.weight * own.high;
    }
  }
  return all;
}

/// Derivatives of a function by the frequencies of a body; empty if it counts none.
VectorXd EigenfrequencyAnswer::slopes(const Terms& terms, std::size_t body) const {
  VectorXd f_bar;
  for (const CriterionTerm& term : terms) {
    if (term.quantity != Quantity::frequency || body_of(term) != body) continue;
    if (f_bar.size() == 0) f_bar.setZero(f_[body].size());
    VectorXd own;
    value_over_modes(term, f_[body], &own);
    f_bar += term.weight * own;
  }
  return f_bar;
}

/// Fails if two frequencies coincide in which the derivatives of a function differ noticeably.
Status EigenfrequencyAnswer::require_smooth(const Terms& terms, std::size_t body,
                                            const VectorXd& f_bar) const {
  constexpr double of_frequencies =
      0.5 * fem::closed_gap;  // a gap of eigenvalues is twice that of frequencies
  const Spectrum spectrum{f_[body], fem::frequency_hz(modes_[body].lambda_next), of_frequencies};
  const std::optional<Index> k = kink_over_modes(spectrum, f_bar, steepest_over_modes(terms));
  if (!k) return {};
  return question_.body(body).located(
      {fmt::format("frequencies {} and {} coincide at {:.8g} Hz, so that a function that depends on them in "
                   "different ways has no derivative",
                   *k + 1, *k + 2, f_[body][*k]),
       "", advice_on_kinks});
}

/// Adds the derivatives of a function by the design of one body.
Status EigenfrequencyAnswer::differentiate(const Terms& terms, std::size_t body, fem::BodyDesign& bar) const {
  for (const CriterionTerm& term : terms) {
    if (term.quantity == Quantity::mass && body_of(term) == body)
      add_mass_bar(question_.body(body), designs_[body], term.weight, bar);
  }
  const VectorXd f_bar = slopes(terms, body);
  if (f_bar.size() == 0) return {};
  if (Status s = require_smooth(terms, body, f_bar); s.failed()) return s;
  constexpr double squared_turn = 4.0 * EIGEN_PI * EIGEN_PI;  // lambda = (2 pi f)^2
  const VectorXd lambda_bar = f_bar.array() / (2.0 * squared_turn * f_[body].array());
  const std::optional<fem::HeldElements> moved = moved_elements(question_.body(body), designs_[body]);
  add_to_bar(
      question_.body(body), designs_[body],
      pull_back_eigenvalues(question_.body(body).held(), modes_[body], lambda_bar, moved ? &*moved : nullptr),
      bar);
  return {};
}

Status EigenfrequencyAnswer::gradients(const RequestedFunctions& requested,
                                       std::vector<std::vector<fem::BodyDesign>>& bars) {
  bars.clear();
  for (const Terms* terms : functions(requested)) {
    std::vector<fem::BodyDesign>& of_function = bars.emplace_back();
    for (std::size_t i = 0; i < designs_.size(); ++i) {
      of_function.push_back(zero_bar(designs_[i]));
      if (Status s = differentiate(*terms, i, of_function.back()); s.failed()) return s;
    }
  }
  return {};
}

MotionSummary EigenfrequencyAnswer::summarize() const {
  MotionSummary summary;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const std::string& name = question_.problem().bodies[i].name;
    summary.lines.push_back(
        fmt::format("body {}: lowest frequencies {:.6g} Hz", name, fmt::join(f_[i], ", ")));
    for (Index k = 0; k < f_[i].size(); ++k)
      summary.numbers.emplace_back(fmt::format("{}.frequency_{}", name, k + 1), f_[i][k]);
  }
  return summary;
}

std::vector<NodalField> EigenfrequencyAnswer::fields(std::size_t body) const {
  std::vector<NodalField> fields;
  for (Index k = 0; k < modes_[body].lambda.size(); ++k)
    fields.push_back(
        nodal_field(question_.body(body), modes_[body].Phi.col(k), fmt::format("mode_{}", k + 1), ""));
  return fields;
}

}  // namespace kurbel
