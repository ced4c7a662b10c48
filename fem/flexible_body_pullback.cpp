/// @file
/// The pull-back of functions of the reduced body to its design.
#include <algorithm>
#include <iterator>
#include <span>

#include "base/timer.hpp"
#include "fem/flexible_body.hpp"
#include "fem/mesh_source.hpp"
#include "fem/pullback.hpp"
#include "fem/shape_pullback.hpp"

namespace kurbel::fem {

namespace {

GramModel gram_model(const ReducedBody& reduced) {
  return {reduced.G, reduced.lambda.asDiagonal(), reduced.markers, reduced.stiffening.moments,
          reduced.stiffening.markers};
}

/// The number of functions that are pulled back together. Held at once are some ten blocks with a column for each mode and
/// function, which may take a quarter of the memory of the inverse: a solution for many columns reads a large factor once.
std::size_t pulled_back_together(Eigen::Index n_dofs, Eigen::Index n_modes, double memory_of_inverse) {
  constexpr double n_blocks = 10.0, least = 5e6;  // entries of one of these blocks
  const double most = std::max(least, 0.25 * memory_of_inverse / (n_blocks * sizeof(double)));
  const Eigen::Index of_function = std::max<Eigen::Index>(1, n_dofs * n_modes);
  return static_cast<std::size_t>(std::max(1.0, most / static_cast<double>(of_function)));
}

}  // namespace

/// Finds d psi / d U of every function at fixed matrices.
std::vector<BasisBar> FlexibleBody::basis_bars(const BodyDesign& design, const ReducedBody& reduced,
                                               const std::vector<FunctionBar>& functions,
                                               const std::vector<GramBar>& gram_bars) const {
  std::vector<BasisBar> bars;
  const StressedBody stressed = this->stressed(design);
  for (std::size_t f = 0; f < functions.size(); ++f) {
    bars.push_back(pull_back_basis(held(), reduced, gram_bars[f]));
    MatrixXd of_stress = MatrixXd::Zero(bars[f].U.rows(), n_q());
    for (const StressBar& s : functions[f].stress) add_basis_bar(stressed, s, of_stress);
    bars[f].add(of_stress);
  }
  return bars;
}

/// The results of a pull-back for one function, before it comes to the elements.
struct FlexibleBody::Adjoint {
  const FunctionBar& function;
  const GramBar& gram;
  const ModeAdjoint& modes;
  const GeometricStiffeningBar* stiffening;  ///< none without
};

void FlexibleBody::to_design(const BodyDesign& design, const ReducedBody& reduced, const Adjoint& found,
                             Wanted wanted, BodyDesign& bar, PullbackReport& report) const {
  const ElementFields fields = element_fields(held(), reduced, found.gram, found.modes);
  ElementFactors sums = sum_over_elements(assembly_, fields);
  if (found.stiffening) {
    sums.mass += found.stiffening->mass;
    sums.stiffness += found.stiffening->stiffness;
  }
  pull_back_element_factors(spec_, design, sums, bar);
  const StressedBody stressed = this->stressed(design);
  for (const StressBar& s : found.function.stress) add_design_bar(stressed, s, bar);
  if (wanted == Wanted::all && shape_may_vary()) {
    report.x_bar = pull_back_positions(held(), reduced, {found.gram, found.modes, fields},
                                       element_factors(spec_, design), *stressed.shapes);
    for (const StressBar& s : found.function.stress) add_position_bar(stressed, reduced, s, report.x_bar);
    bar.set_shape(mesh_source(spec_.mesh)->pullback(placed_, report.x_bar));
  }
}

Status FlexibleBody::pullback(const BodyDesign& design, const ReducedBody& reduced,
                              const std::vector<FunctionBar>& functions, Wanted wanted,
                              std::vector<BodyDesign>& bars, std::vector<PullbackReport>& reports) {
  if (const std::size_t n = pulled_back_together(assembly_.n_free_dofs(), n_q(), K_->memory());
      functions.size() > n) {
    bars.clear(), reports.clear();
    for (std::size_t first = 0; first < functions.size(); first += n) {
      const auto some = std::span(functions).subspan(first, std::min(n, functions.size() - first));
      std::vector<BodyDesign> own_bars;
      std::vector<PullbackReport> own_reports;
      if (Status s = pullback(design, reduced, std::vector<FunctionBar>(some.begin(), some.end()), wanted,
                              own_bars, own_reports);
          s.failed())
        return s;
      std::ranges::move(own_bars, std::back_inserter(bars));
      std::ranges::move(own_reports, std::back_inserter(reports));
    }
    return {};
  }
  const Timer timer;
  ReductionTimes times;
  if (Status s = prepare(design, times); s.failed()) return s;
  bars.resize(functions.size());
  reports.assign(functions.size(), {});
  std::vector<GramBar> gram_bars;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    gram_bars.push_back(gram_bar(reduced, functions[f].sid));
    const Invariance invariance = invariance_of(gram_model(reduced), gram_bars[f], functions[f].stress);
    reports[f].invariance_defect = invariance.defect, reports[f].invariance_terms = invariance.terms;
  }
  std::vector<BasisBar> basis_bars = this->basis_bars(design, reduced, functions, gram_bars);
  std::vector<GeometricStiffeningBar> stiffening;
  if (spec_.geometric_stiffening) {
    const ElementFactors factors = element_factors(spec_, design);
    stiffening = pull_back_geometric_stiffening(stress_model(factors.stiffness), *K_, reduced.W,
                                                reduced.stiffening, gram_bars);
  }
  for (std::size_t f = 0; f < functions.size(); ++f) {
    if (!stiffening.empty()) basis_bars[f].add(stiffening[f].U);
    take_out_span(assembly_, reduced, basis_bars[f]);
  }
  std::vector<ModeAdjoint> adjoints;
  if (Status s = reduced.basis->solve_adjoints(held(), basis_bars, adjoints); s.failed())
    return located(s.failure());
  for (std::size_t f = 0; f < functions.size(); ++f) {
    reports[f].cg_iterations = adjoints[f].cg_iterations;
    const Adjoint found{functions[f], gram_bars[f], adjoints[f],
                        stiffening.empty() ? nullptr : &stiffening[f]};
    to_design(design, reduced, found, wanted, bars[f], reports[f]);
  }
  const double seconds = timer.seconds();
  for (PullbackReport& report : reports) report.seconds = seconds / static_cast<double>(functions.size());
  return solved();
}

Status FlexibleBody::pullback(const BodyDesign& design, const ReducedBody& reduced, const Sid& sid_bar,
                              BodyDesign& bar, PullbackReport* report, const std::vector<StressBar>& stress) {
  std::vector<BodyDesign> bars;
  std::vector<PullbackReport> reports;
  if (Status s = pullback(design, reduced, {{sid_bar, stress}}, Wanted::all, bars, reports); s.failed())
    return s;
  bar = std::move(bars.front());
  if (report) *report = std::move(reports.front());
  return {};
}

Status FlexibleBody::pullback(const VectorXd& rho, const ReducedBody& reduced, const Sid& sid_bar,
                              VectorXd& rho_bar, PullbackReport* report,
                              const std::vector<StressBar>& stress) {
  std::vector<BodyDesign> bars;
  std::vector<PullbackReport> reports;
  if (Status s = pullback(nominal(rho), reduced, {{sid_bar, stress}}, Wanted::densities, bars, reports);
      s.failed())
    return s;
  rho_bar = std::move(bars.front().density);
  if (report) *report = std::move(reports.front());
  return {};
}

Invariance FlexibleBody::invariance(const ReducedBody& reduced, const Sid& sid_bar) const {
  return invariance_of(gram_model(reduced), gram_bar(reduced, sid_bar));
}

}  // namespace kurbel::fem
