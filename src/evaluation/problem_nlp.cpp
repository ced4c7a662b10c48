#include "evaluation/problem_nlp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "evaluation/adjoint_error.hpp"

namespace kurbel {

namespace {

/// True if variable i is a node of a control.
bool is_of_control(const DesignSpace& space, Eigen::Index i) {
  return i >= space.n_densities() && space.variables().is_node(i - space.n_densities());
}

VectorXd stacked(const VectorXd& first, const VectorXd& second) {
  VectorXd all(first.size() + second.size());
  all << first, second;
  return all;
}

}  // namespace

ProblemNlp::ProblemNlp(EvaluationChain& chain, const DesignSpace& space, const std::atomic<bool>& interrupted)
    : chain_(chain), space_(space), interrupted_(interrupted) {
  chain_.ask(chain_.problem().first_stages.size());
  all_rows_ = rows_of_stage();
  if (chain_.problem().projection.type != ProjectionOptions::Type::none) all_rows_.add_grey_level(1.0);
  begin(chain_.requested().stage, space.start());
}

void ProblemNlp::begin(std::size_t stage, const VectorXd& x) {
  chain_.ask(stage);
  x_ = x;
  const Vary vary = chain_.problem().stages()[stage].vary;
  varying_.clear();
  for (Eigen::Index i = 0; i < space_.n_variables(); ++i) {
    if (vary == Vary::all || (vary == Vary::controls) == is_of_control(space_, i)) varying_.push_back(i);
  }
  lower_ = space_.lower()(varying_);
  upper_ = space_.upper()(varying_);
  bound_grey_level({});
  if (chain_.has_motion()) chain_.model().require_possible_start(space_.at(x).system, chain_.requested());
}

ConstraintRows ProblemNlp::rows_of_stage() const {
  using Designs = ConstraintRows::Designs;
  return ConstraintRows(chain_, chain_.problem().projection.robust > 0.0 ? Designs::robust : Designs::one);
}

void ProblemNlp::bound_grey_level(std::optional<double> bound) {
  rows_ = rows_of_stage();
  if (bound) rows_.add_grey_level(*bound);
  indices_.clear();
  for (const ConstraintRow& row : rows_) indices_.push_back(index_of(row));
}

Eigen::Index ProblemNlp::index_of(const ConstraintRow& row) const {
  const auto same = [&](const ConstraintRow& other) {
    return other.of == row.of && other.function == row.function && other.design == row.design &&
           (other.factor > 0.0) == (row.factor > 0.0);
  };
  return std::find_if(all_rows_.begin(), all_rows_.end(), same) - all_rows_.begin();
}

std::vector<std::pair<int, int>> ProblemNlp::constraint_sparsity() const {
  std::vector<std::pair<int, int>> entries;
  for (Eigen::Index r = 0; r < rows_.size(); ++r) {
    for (Eigen::Index v = 0; v < n_variables(); ++v) {
      if (may_depend(rows_[r], varying_[static_cast<std::size_t>(v)]))
        entries.emplace_back(static_cast<int>(r), static_cast<int>(v));
    }
  }
  if (std::ssize(entries) == rows_.size() * n_variables()) return {};
  return entries;
}

std::vector<int> ProblemNlp::variable_groups() const {
  std::vector<int> groups;
  for (const Eigen::Index i : varying_) groups.push_back(is_of_control(space_, i) ? 1 : 0);
  return groups;
}

bool ProblemNlp::may_depend(const ConstraintRow& row, Eigen::Index variable) const {
  if (row.of != ConstraintRow::Of::motion || variable < space_.n_densities() || !chain_.has_motion())
    return true;
  const Eigen::Index number = space_.variables().number(variable - space_.n_densities());
  return number < 0 || chain_.model().depends(row.function, number);
}

VectorXd ProblemNlp::full(const VectorXd& x) const {
  VectorXd all = x_;
  all(varying_) = x;
  return all;
}

Status ProblemNlp::evaluate(const VectorXd& varied, Evaluation& out) {
  return evaluate_designs(
      varied,
      [this](const VectorXd& x, double shift, ChainResult& result, Evaluation& of_shift) {
        return evaluate(x, shift, result, of_shift);
      },
      out);
}

Status ProblemNlp::find_values(const VectorXd& varied, Evaluation& out) {
  return evaluate_designs(
      varied,
      [this](const VectorXd& x, double shift, ChainResult& result, Evaluation& of_shift) {
        return find_values(x, shift, result, of_shift);
      },
      out);
}

/// Evaluates the design at eta and, if it is robust, the eroded and the dilated one.
Status ProblemNlp::evaluate_designs(const VectorXd& varied, const EvaluateOne& evaluate_one,
                                    Evaluation& out) {
  const VectorXd x = full(varied);
  if (Status s = evaluate_one(x, 0.0, result_, out); s.failed()) return s;
  if (!rows_.are_robust()) return {};
  const double robust = chain_.problem().projection.robust;
  VectorXd worst = worst_of_functions(out), of_designs = out.diagnostics;
  for (const auto& [design, shift] : {std::pair(DesignOf::eroded, robust), {DesignOf::dilated, -robust}}) {
    ChainResult result;
    Evaluation other;
    if (Status s = evaluate_one(x, shift, result, other); s.failed()) return s;
    take_worse(other, worst, out);
    take_rows(design, other, out);
    of_designs = stacked(of_designs, other.diagnostics);
  }
  out.diagnostics = stacked(out.diagnostics, of_designs);
  return {};
}

/// @param x      all variables
/// @param shift  of the threshold of the projection
Status ProblemNlp::evaluate(const VectorXd& x, double shift, ChainResult& result, Evaluation& out) {
  const Design design = space_.at(x, shift);
  if (Status s = chain_.reduce(design, result); s.failed()) return s;
  if (Status s = chain_.simulate_for_gradients(result); s.failed()) return s;
  std::vector<Design> bars;
  if (Status s = chain_.gradients(result, bars); s.failed()) return s;
  if (!adjoint_measured_) {
    if (Status s = measure_adjoint_errors(chain_, space_, x, result, bars); s.failed()) return s;
    adjoint_measured_ = true;
  }
  out.objective = result.psi;
  out.gradient = reduced(space_.search_gradient(x, bars.front(), shift));
  out.constraints = rows_.values(space_, result);
  out.constraint_gradients = rows_.gradients(space_, x, design, bars, shift)(Eigen::all, varying_);
  out.diagnostics = to_diagnostics(result.values);
  return {};
}

Status ProblemNlp::find_values(const VectorXd& x, double shift, ChainResult& result, Evaluation& out) {
  if (Status s = chain_.reduce(space_.at(x, shift), result); s.failed()) return s;
  if (Status s = chain_.simulate(result); s.failed()) return s;
  out.objective = result.psi;
  out.gradient.resize(0);
  out.constraints = rows_.values(space_, result);
  out.constraint_gradients.resize(out.constraints.size(), 0);
  out.diagnostics = to_diagnostics(result.values);
  return {};
}

/// Takes psi and the values of those functions that are worse in another design, and the true extremes of all designs: another design than
/// that with the worst aggregate may have the highest peak.
/// @param worst  of worst_of_functions(), of the designs so far
void ProblemNlp::take_worse(const Evaluation& other, VectorXd& worst, Evaluation& out) const {
  const auto take_diagnostics = [&](Eigen::Index function, bool is_worse) {
    const auto of_other = other.diagnostics.segment<3>(3 * function);
    auto own = out.diagnostics.segment<3>(3 * function);
    if (is_worse) own[0] = of_other[0];
    own[1] = std::min(own[1], of_other[1]), own[2] = std::max(own[2], of_other[2]);
  };
  const bool has_worse_objective = other.objective > out.objective;
  if (has_worse_objective) out.objective = other.objective, out.gradient = other.gradient;
  take_diagnostics(0, has_worse_objective);
  const VectorXd of_other = worst_of_functions(other);
  for (Eigen::Index j = 0; j < worst.size(); ++j) {
    if (std::isinf(worst[j])) continue;  // only an equality, of the design at eta
    take_diagnostics(1 + j, of_other[j] > worst[j]);
    worst[j] = std::max(worst[j], of_other[j]);
  }
}

/// The largest of the inequalities of each function of the motion; -infinity of those that have none.
VectorXd ProblemNlp::worst_of_functions(const Evaluation& evaluation) const {
  VectorXd worst = VectorXd::Constant(static_cast<Eigen::Index>(chain_.requested().functions.size()),
                                      -std::numeric_limits<double>::infinity());
  for (Eigen::Index i = rows_.n_equalities(); i < rows_.size(); ++i) {
    if (rows_[i].of != ConstraintRow::Of::motion) continue;
    double& of_function = worst[rows_[i].requested];
    of_function = std::max(of_function, evaluation.constraints[i]);
  }
  return worst;
}

void ProblemNlp::take_rows(DesignOf design, const Evaluation& other, Evaluation& out) const {
  for (Eigen::Index i = 0; i < rows_.size(); ++i) {
    if (rows_[i].design != design) continue;
    out.constraints[i] = other.constraints[i];
    out.constraint_gradients.row(i) = other.constraint_gradients.row(i);
  }
}

Evaluation ProblemNlp::expanded(const Evaluation& evaluation) const {
  Evaluation all;
  all.objective = evaluation.objective;
  all.gradient = VectorXd::Zero(space_.n_variables());
  all.gradient(varying_) = evaluation.gradient;
  all.constraints = VectorXd::Zero(n_all_constraints());
  all.constraints(indices_) = evaluation.constraints;
  all.constraint_gradients = MatrixXd::Zero(n_all_constraints(), space_.n_variables());
  all.constraint_gradients(indices_, varying_) = evaluation.constraint_gradients;
  all.diagnostics = expanded_diagnostics(evaluation.diagnostics);
  return all;
}

Evaluation ProblemNlp::reduced(const Evaluation& evaluation) const {
  return {evaluation.objective, evaluation.gradient(varying_), evaluation.constraints(indices_),
          evaluation.constraint_gradients(indices_, varying_), reduced_diagnostics(evaluation.diagnostics)};
}

/// The places of psi and of the requested functions among psi and all functions.
std::vector<Eigen::Index> ProblemNlp::places_of_functions() const {
  std::vector<Eigen::Index> places = {0};
  for (const std::size_t j : chain_.requested().functions) places.push_back(1 + static_cast<Eigen::Index>(j));
  return places;
}

Eigen::Index ProblemNlp::n_all_diagnostics() const {
  const Eigen::Index n_blocks = all_rows_.are_robust() ? 4 : 1;
  return 3 * n_blocks * (1 + std::ssize(chain_.functions()));
}

// Each column holds the three numbers of psi or of a function.
VectorXd ProblemNlp::expanded_diagnostics(const VectorXd& diagnostics) const {
  const std::vector<Eigen::Index> places = places_of_functions();
  const auto n_all = 1 + std::ssize(chain_.functions()), n = std::ssize(places);
  const Eigen::Index n_blocks = diagnostics.size() / (3 * n);
  MatrixXd all = MatrixXd::Constant(3, n_blocks * n_all, std::numeric_limits<double>::quiet_NaN());
  for (Eigen::Index b = 0; b < n_blocks; ++b)
    all.middleCols(b * n_all, n_all)(Eigen::all, places) =
        diagnostics.segment(3 * b * n, 3 * n).reshaped(3, n);
  return all.reshaped();
}

VectorXd ProblemNlp::reduced_diagnostics(const VectorXd& diagnostics) const {
  const std::vector<Eigen::Index> places = places_of_functions();
  const auto n_all = 1 + std::ssize(chain_.functions()), n = std::ssize(places);
  const Eigen::Index n_blocks = diagnostics.size() / (3 * n_all);
  MatrixXd own(3, n_blocks * n);
  for (Eigen::Index b = 0; b < n_blocks; ++b)
    own.middleCols(b * n, n) =
        diagnostics.segment(3 * b * n_all, 3 * n_all).reshaped(3, n_all)(Eigen::all, places);
  return own.reshaped();
}

}  // namespace kurbel
