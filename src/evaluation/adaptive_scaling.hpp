/// @file
/// Bounds that hold for the true extremes of aggregates, not for the aggregates.
///
///     g = scale (c psi + d - bound) + margin
///
/// with c = extreme / psi for sums of p-norms, d = extreme - psi otherwise (Kreisselmeier-Steinhauser, mixed
/// sums), both of the design at which they were found last. There g is that of the extreme itself; elsewhere
/// c and d are constants, and the gradient is exact. After C. Le et al., Struct. Multidisc. Optim. 41 (2010)
/// 605.
///
/// MMA and GCMMA begin each iteration anew, so c and d may be renewed at every design that they move to, without a restart.
///
/// Other optimizers remember values of g, in line searches, in conservative approximations, in filters: g must not
/// change during their work. Such an optimizer runs on one g until the extremes have drifted away from it, or until it ends.
/// Then c and d are found anew at the last accepted design, and the optimizer starts there again, without
/// evaluating that design twice. This ends when the extremes lie on g to within the margin, which keeps them
/// on the safe side of their bounds.
#pragma once

#include "evaluation/constraint_rows.hpp"
#include "optimizers/best_design.hpp"

namespace kurbel {

/// A row to be corrected: scale (value - bound), with the value and its extreme in the diagnostics.
struct AdaptiveRow {
  std::string name;  ///< of the constraint
  Eigen::Index row;
  std::size_t function;  ///< index in the diagnostics of ProblemNlp, where psi is 0
  double scale, bound;
  bool by_factor;  ///< c; else d
};

/// The adaptive rows of the stage of a chain.
std::vector<AdaptiveRow> adaptive_rows(const EvaluationChain& chain, const ConstraintRows& rows);

/// Puts the true extremes of these rows in place of their aggregates.
/// @param values       psi, then the functions of its stage
/// @param constraints  of ConstraintRows::values()
void set_extremes(const std::vector<AdaptiveRow>& rows, const std::vector<CriterionValues>& values,
                  VectorXd& constraints);

/// The values of the rows by which a design is judged: ConstraintRows::values() with the true extremes of
/// the adaptive rows. An optimization judges its result by the same numbers.
VectorXd judged_values(const EvaluationChain& chain, const ConstraintRows& rows, const DesignSpace& space,
                       const ChainResult& result);

/// The nonlinear program with corrected rows. Its Evaluation::diagnostics are those of criterion_values.hpp.
class AdaptiveNlp final : public ForwardingNlp {
 public:
  AdaptiveNlp(Nlp& nlp, std::vector<AdaptiveRow> rows, const OptimizerOptions& options);

  /// The first one that succeeds fixes the corrections.
  Status evaluate(const VectorXd& x, Evaluation& out) override;
  /// Accepts x. Where the extremes have drifted away from the rows, finds the corrections anew, there.
  void moved_to(const VectorXd& x, Evaluation& evaluation) override;

  /// True if any row is corrected.
  bool corrects() const { return !rows_.empty(); }
  /// The same evaluation with the extremes themselves in the rows.
  Evaluation with_extremes(const Evaluation& evaluation) const;
  /// Takes note of a design that the optimizer has accepted, last evaluated or not.
  void accept(const VectorXd& x, const Evaluation& evaluation);
  const VectorXd& accepted() const { return accepted_.x; }
  /// The same of the design that was accepted last; nothing if only its values are known.
  std::optional<Evaluation> accepted_with_extremes() const;
  /// Distance of the extremes from the corrected rows at the accepted design; rows far within their bounds do
  /// not count.
  double drift() const { return drift_; }
  /// Distance below its bound at which a constraint may have a multiplier: 1e-3, for the corrected rows `of_rows`.
  VectorXd widths(double of_rows) const;
  /// Finds the corrections anew, there.
  void renew();

  /// "strength times 1.31", for the log.
  std::string corrections() const;

  int n_evaluations() const { return n_evaluations_; }
  /// The best of all designs by their extremes.
  const BestDesign& best() const { return best_; }

 private:
  struct Correction {
    double factor = 1.0, shift = 0.0;
    double last_change = 0.0;
  };
  struct Point {
    VectorXd x;
    Evaluation evaluation;  ///< as the program gives it
  };
  void correct(Evaluation& evaluation) const;

  std::vector<AdaptiveRow> rows_;
  std::vector<Correction> corrections_;  ///< of each
  double tolerable_drift_;
  bool is_fixed_ = false;
  Point last_, accepted_;
  double drift_ = 0.0;
  int n_evaluations_ = 0;
  BestDesign best_;
};

/// Optimizer::minimize with corrections that are found anew as often as needed. Iterations count on, and
/// reports and result have the extremes in the rows; the best design is the best by them.
/// @param tell  called when the corrections are renewed; may be empty
OptimizerResult minimize_adaptively(const OptimizerOptions& options, AdaptiveNlp& nlp, const VectorXd& start,
                                    const IterationCallback& callback,
                                    const std::function<void(const std::string&)>& tell = {});

}  // namespace kurbel
