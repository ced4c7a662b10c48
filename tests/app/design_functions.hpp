/// @file
/// Objective and constraints of a design as one vector, with gradients and differences.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>

#include "evaluation/problem_nlp.hpp"

namespace kurbel::test {

/// A problem as a nonlinear program, at its start.
struct ProgramOfText {
  explicit ProgramOfText(const std::string& text)
      : chain(read_problem(TomlDocument::parse(text, "motion.toml", "."))),
        space(DesignSpace::of_problem(chain.bodies(), {})),
        nlp(chain, space, interrupted),
        x(nlp.reduced(space.start())) {}
  EvaluationChain chain;
  DesignSpace space;
  const std::atomic<bool> interrupted = false;
  ProblemNlp nlp;
  VectorXd x;
};

/// The objective and all constraints at one design.
struct Functions {
  VectorXd values;
  MatrixXd gradients;  ///< a row for each
};
inline Functions functions_at(ProblemNlp& nlp, const VectorXd& x) {
  Evaluation at;
  if (const Status s = nlp.evaluate(x, at); s.failed()) throw std::runtime_error(s.message());
  Functions f{VectorXd(1 + at.constraints.size()), MatrixXd(1 + at.constraints.size(), x.size())};
  f.values << at.objective, at.constraints;
  f.gradients << at.gradient.transpose(), at.constraint_gradients;
  return f;
}

/// Values of objective and constraints with their gradients by all variables, at the start.
inline Functions functions_of(const std::string& text) {
  ProgramOfText program(text);
  return functions_at(program.nlp, program.x);
}

/// Derivatives along d by symmetric differences with halved steps, extrapolated: error h^8.
inline VectorXd differences(ProblemNlp& nlp, const VectorXd& x, const VectorXd& d, double h) {
  std::vector<VectorXd> row;
  for (int i = 0; i < 4; ++i, h *= 0.5)
    row.push_back((functions_at(nlp, x + h * d).values - functions_at(nlp, x - h * d).values) / (2.0 * h));
  for (double factor = 4.0; row.size() > 1; factor *= 4.0) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) row[i] = (factor * row[i + 1] - row[i]) / (factor - 1.0);
    row.pop_back();
  }
  return row.front();
}

}  // namespace kurbel::test
