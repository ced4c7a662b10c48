/// @file
/// A stage of a problem as its static substitute: compliance over time becomes compliance under the equivalent static
/// loads of one motion (analysis/equivalent_loads.hpp). Variables, bounds and constraints are those of the stage.
#pragma once

#include "analysis/equivalent_loads.hpp"
#include "evaluation/problem_nlp.hpp"

namespace kurbel {

/// Equivalent loads by body; empty where the objective sees none.
using LoadsOfBodies = std::vector<std::optional<EquivalentLoads>>;

/// Finds the loads of the objective of the requested stage.
/// @param at   of simulate() at this design, or of a gradient
/// @param out  as it was after a failure
Status find_equivalent_loads(EvaluationChain& chain, const ChainResult& at, LoadsOfBodies& out);

class StaticLoadsNlp final : public ForwardingNlp {
 public:
  /// @param outer    decides whether to stop; bounds are its own
  /// @param program  the stage
  /// @param loads    held while this is optimized
  StaticLoadsNlp(Nlp& outer, EvaluationChain& chain, const DesignSpace& space, const ProblemNlp& program,
                 const LoadsOfBodies& loads)
      : ForwardingNlp(outer), chain_(chain), space_(space), program_(program), loads_(loads) {}

  Status evaluate(const VectorXd& x, Evaluation& out) override;
  /// Does nothing: the functions of the motion are others.
  void moved_to(const VectorXd&, Evaluation&) override {}

 private:
  EvaluationChain& chain_;
  const DesignSpace& space_;
  const ProblemNlp& program_;
  const LoadsOfBodies& loads_;
};

}  // namespace kurbel
