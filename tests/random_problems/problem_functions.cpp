#include "problem_functions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "evaluation/problem_nlp.hpp"
#include "sid/sid_hdf5.hpp"
#include "sid_text/sid_text.hpp"

namespace kurbel::random_problems {

namespace {

double largest(const MatrixXd& m) {
  return m.size() > 0 ? m.cwiseAbs().maxCoeff() : 0.0;
}

Problem read(const std::string& text, const std::filesystem::path& folder,
             const std::vector<std::string>& overrides) {
  return read_problem(TomlDocument::parse(text, "problem.toml", folder, overrides));
}

}  // namespace

struct ProblemFunctions::Chain {
  Chain(const std::string& text, const std::filesystem::path& folder,
        const std::vector<std::string>& overrides)
      : problem(read(text, folder, overrides)),
        chain((require_gradient_problem(problem), problem)),
        space(DesignSpace::of_problem(chain.bodies(), {})) {}

  Problem problem;
  EvaluationChain chain;
  DesignSpace space;
};

ProblemFunctions::ProblemFunctions(const std::string& text, const std::filesystem::path& folder,
                                   const std::vector<std::string>& overrides)
    : chain_(std::make_unique<Chain>(text, folder, overrides)) {
  const ConstraintOptions& constraints = chain_->problem.constraints;
  names_ = {"objective"};
  for (const CriterionConstraint& criterion : constraints.criteria) names_.push_back(criterion.label());
  if (constraints.volume_fraction) names_.emplace_back("volume_fraction");
  if (constraints.mass) names_.emplace_back("mass");
  for (Eigen::Index i = 0; i < chain_->space.n_variables(); ++i) {
    const std::string full = chain_->space.name_of(i);
    const std::string name = full.substr(0, full.find(' '));
    if (groups_.empty() || groups_.back().name != name) groups_.push_back({name, {}});
    groups_.back().variables.push_back(i);
  }
}

ProblemFunctions::~ProblemFunctions() = default;

const VectorXd& ProblemFunctions::start() const {
  return chain_->space.start();
}
const VectorXd& ProblemFunctions::lower() const {
  return chain_->space.lower();
}
const VectorXd& ProblemFunctions::upper() const {
  return chain_->space.upper();
}

std::optional<FunctionValues> ProblemFunctions::evaluate(const VectorXd& x, bool with_gradients) {
  const DesignSpace& space = chain_->space;
  const ConstraintOptions& constraints = chain_->problem.constraints;
  const Design design = space.at(x);
  ChainResult result;
  std::vector<Design> bars;
  Status status = chain_->chain.reduce(design, result);
  if (!status.failed()) status = chain_->chain.simulate(result);
  if (!status.failed() && with_gradients) status = chain_->chain.gradients(result, bars);
  if (status.failed()) {
    failure_ = status.message();
    return {};
  }
  FunctionValues at;
  at.values.resize(static_cast<Eigen::Index>(names_.size()));
  const Eigen::Index n_criteria = 1 + result.criteria.size();
  at.values[0] = result.psi;
  at.values.segment(1, result.criteria.size()) = result.criteria;
  if (constraints.volume_fraction) at.values[n_criteria] = space.volume_fraction(design);
  if (constraints.mass) at.values[at.values.size() - 1] = space.mass(design);
  at.n_redundant = result.motion->start_report(result.trajectory.y.col(0)).n_redundant;
  if (!with_gradients) return at;
  if (constraints.volume_fraction) bars.push_back(space.volume_fraction_bar(design));
  if (constraints.mass) bars.push_back(space.mass_bar(design));
  at.gradients.resize(at.values.size(), space.n_variables());
  for (std::size_t j = 0; j < bars.size(); ++j)
    at.gradients.row(static_cast<Eigen::Index>(j)) = space.pullback(x, bars[j]);
  at.invariance_defect = result.invariance_defect;
  return at;
}

bool ProblemFunctions::leaves_joints(const VectorXd& x) {
  ChainResult result;
  if (chain_->chain.reduce(chain_->space.at(x), result).failed()) return false;
  if (chain_->chain.simulate(result).failed()) return false;
  // Each warning of a motion with cases begins with the name of its case.
  return std::ranges::any_of(result.motion->warnings(result.trajectory), [](const std::string& warning) {
    return warning.find("explicit steps leave ") != std::string::npos ||
           warning.find("the steps hold the positions of ") != std::string::npos;
  });
}

bool ProblemFunctions::is_smooth_between(const VectorXd& x, const VectorXd& y) const {
  const BodyFields at_x = chain_->space.densities(x), at_y = chain_->space.densities(y);
  for (std::size_t i = 0; i < at_x.size(); ++i) {
    if (at_x[i].size() == 0) continue;
    const double threshold = chain_->problem.bodies[i].flexible.simp.threshold;
    for (Eigen::Index e = 0; e < at_x[i].size(); ++e) {
      if (at_x[i][e] == at_y[i][e]) continue;
      if ((at_x[i][e] - threshold) * (at_y[i][e] - threshold) <= 0.0) return false;
    }
  }
  return true;
}

std::string ProblemFunctions::defect_of_program(const VectorXd& x, const FunctionValues& at) {
  const std::atomic<bool> interrupted = false;
  ProblemNlp nlp(chain_->chain, chain_->space, interrupted);
  Evaluation evaluation;
  if (const Status s = nlp.evaluate(x, evaluation); s.failed()) return "the program fails: " + s.message();
  if (evaluation.objective != at.values[0])
    return fmt::format("objective {:.17g}, alone {:.17g}", evaluation.objective, at.values[0]);
  if (!evaluation.constraints.allFinite() || !evaluation.constraint_gradients.allFinite())
    return "a constraint is not finite";
  const bool as_is = chain_->problem.filter.type != FilterOptions::Type::sensitivity;
  if (as_is && evaluation.gradient != at.gradients.row(0).transpose()) return "the gradient of the objective";
  ProblemNlp from_elsewhere(chain_->chain, chain_->space, interrupted);
  Evaluation again;
  if (from_elsewhere.evaluate(start(), again).failed()) return "";
  if (const Status s = from_elsewhere.evaluate(x, again); s.failed())
    return "the program fails: " + s.message();
  const double values = std::max(std::abs(again.objective - evaluation.objective),
                                 largest(again.constraints - evaluation.constraints)),
               slopes = std::max(largest(again.gradient - evaluation.gradient),
                                 largest(again.constraint_gradients - evaluation.constraint_gradients));
  if (values == 0.0 && slopes == 0.0) return "";
  return fmt::format("coming from another design, functions differ by {:.2g}, gradients by {:.2g}", values,
                     slopes);
}

void use_threads(int n) {
  set_threads(n);
}

void write_sid_of(const SidSource& source, const std::filesystem::path& folder) {
  const Problem problem = read(to_toml(source.input), folder, {});
  EvaluationChain chain(problem);
  ChainResult result;
  BodyFields densities = {VectorXd::Ones(chain.body(0)->n_elements())};
  if (const Status s = chain.reduce(densities, result); s.failed()) throw std::runtime_error(s.message());
  const std::filesystem::path file = folder / source.file;
  if (file.extension() == ".h5") {
    write_sid_file(file, {{source.body, result.reduced[0].sid}});
  } else {
    write_sid_text_file(file, result.reduced[0].sid);
  }
}

}  // namespace kurbel::random_problems
