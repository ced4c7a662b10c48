/// @file
/// Free vibration of flexible bodies at rest: for every body
///
///     K phi_i = lambda_i M phi_i,    phi_i^T M phi_j = delta_ij,    f_i = sqrt(lambda_i) / (2 pi)
///
///     of f_first, ..., f_last: sum f_i or ln(sum exp(k f_i) / n) / k (ModesFunctional); mass
///
/// A function psi of the frequencies in which those that coincide have equal derivatives is differentiable, with
///
///     d psi = sum_i (d psi / d lambda_i) phi_i^T (dK - lambda_i dM) phi_i
///
/// in any basis of the space of a multiple eigenvalue. Where frequencies that coincide have different derivatives, as where
/// one of two equal frequencies counts alone, psi has a kink; then gradients() fails.
#pragma once

#include "analysis/body_question.hpp"
#include "fem/modes.hpp"

namespace kurbel {

class EigenfrequencyQuestion final : public BodyQuestion {
 public:
  /// @throws InputError if a criterion counts more frequencies than a body has degrees of freedom
  EigenfrequencyQuestion(const Problem& problem, const std::vector<fem::FlexibleBody*>& bodies);
  Status answer(const std::vector<fem::BodyDesign>& designs, std::unique_ptr<BodyAnswer>& out) override;

  const Problem& problem() const { return problem_; }
  fem::FlexibleBody& body(std::size_t i) const { return *bodies_[i]; }

 private:
  const Problem& problem_;
  std::vector<fem::FlexibleBody*> bodies_;
  std::vector<int> n_modes_;  ///< by body
};

class EigenfrequencyAnswer final : public BodyAnswer {
 public:
  EigenfrequencyAnswer(const EigenfrequencyQuestion& question, std::vector<fem::BodyDesign> designs,
                       std::vector<fem::NormalModes> modes);

  std::vector<CriterionValues> values(const RequestedFunctions& requested) const override;
  Status gradients(const RequestedFunctions& requested,
                   std::vector<std::vector<fem::BodyDesign>>& bars) override;
  MotionSummary summarize() const override;
  std::vector<NodalField> fields(std::size_t body) const override;

 private:
  using Terms = std::vector<CriterionTerm>;
  std::vector<const Terms*> functions(const RequestedFunctions& requested) const;
  std::size_t body_of(const CriterionTerm& term) const;
  CriterionValues value(const CriterionTerm& term) const;
  VectorXd slopes(const Terms& terms, std::size_t body) const;
  Status require_smooth(const Terms& terms, std::size_t body, const VectorXd& f_bar) const;
  Status differentiate(const Terms& terms, std::size_t body, fem::BodyDesign& bar) const;

  const EigenfrequencyQuestion& question_;
  std::vector<fem::BodyDesign> designs_;
  std::vector<fem::NormalModes> modes_;
  std::vector<VectorXd> f_;  ///< Hz, by body
};

}  // namespace kurbel
