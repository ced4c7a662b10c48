#include "app/design_check.hpp"

#include "app/gradient_report.hpp"

namespace kurbel {

namespace {

/// psi, the functions of the motion that are bounded, and volume and mass where they are bounded, as
/// functions of the variables.
class DesignFunctions {
 public:
  DesignFunctions(EvaluationChain& chain, const DesignSpace& space) : chain_(chain), space_(space) {
    const ConstraintOptions& constraints = chain.problem().constraints;
    const auto add = [&](const std::string& name) { names_.push_back({name, name}); };
    add("psi");
    for (std::size_t j = 0; j < chain.requested().functions.size(); ++j)
      names_.push_back({chain.function(j).name, chain.function(j).label()});
    n_of_motion_ = static_cast<Eigen::Index>(names_.size());
    if (constraints.volume_fraction) add("volume_fraction");
    if (constraints.mass) add("mass");
  }

  /// Functions of one constraint are a group.
  const std::vector<CheckedNames::Function>& names() const { return names_; }

  std::optional<VectorXd> values(const VectorXd& x) const {
    const Design design = space_.at(x);
    ChainResult result;
    if (chain_.reduce(design, result).failed()) return {};
    if (chain_.simulate(result).failed()) return {};
    VectorXd values(static_cast<Eigen::Index>(names_.size()));
    values[0] = result.psi;
    values.segment(1, n_of_motion_ - 1) = result.criteria;
    Eigen::Index next = n_of_motion_;
    const ConstraintOptions& constraints = chain_.problem().constraints;
    if (constraints.volume_fraction) values[next++] = space_.volume_fraction(design);
    if (constraints.mass) values[next++] = space_.mass(design);
    return values;
  }

  MatrixXd gradients(const VectorXd& x, const std::vector<Design>& bars) const {
    MatrixXd gradients(x.size(), static_cast<Eigen::Index>(names_.size()));
    for (Eigen::Index j = 0; j < n_of_motion_; ++j)
      gradients.col(j) = space_.pullback(x, bars[static_cast<std::size_t>(j)]);
    Eigen::Index next = n_of_motion_;
    const Design design = space_.at(x);
    const ConstraintOptions& constraints = chain_.problem().constraints;
    if (constraints.volume_fraction)
      gradients.col(next++) = space_.pullback(x, space_.volume_fraction_bar(design));
    if (constraints.mass) gradients.col(next++) = space_.pullback(x, space_.mass_bar(design));
    return gradients;
  }

 private:
  EvaluationChain& chain_;
  const DesignSpace& space_;
  std::vector<CheckedNames::Function> names_;
  Eigen::Index n_of_motion_;
};

/// The law of the mass has a kink at simp.threshold: which densities are below it. A straight line of
/// variables lets each density rise or fall all along, so that its end tells of the whole line.
std::vector<bool> below_threshold(const EvaluationChain& chain, const BodyFields& densities) {
  std::vector<bool> below;
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (!chain.body(i)) continue;
    for (const double p : densities[i]) below.push_back(p < chain.body(i)->spec().simp.threshold);
  }
  return below;
}

}  // namespace

int check_design_gradients(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x,
                           const std::vector<Design>& bars, const CommandLine& args, Report& report) {
  const DesignFunctions functions(chain, space);
  GradientCheckOptions options;
  options.n_elements = args.check;
  options.seed = args.seed;
  // psi carries the rounding errors of the finite-element solution, some 1e-10 of it on fine meshes: large
  // steps first, and extrapolation for their truncation error; smaller ones only for what these do not tell.
  // No round number, for a function may take another branch where inputs are not round.
  options.largest_step = 0.0954, options.step_ratio = 2.0, options.n_steps = 10, options.sufficient = 1e-7;
  // Bounds may span decades, of which the largest steps know nothing.
  options.n_sweeps = 3, options.n_noise_samples = 3;
  const std::vector<bool> below = below_threshold(chain, space.densities(x));
  options.is_smooth_up_to = [&](const VectorXd& to) {
    return below_threshold(chain, space.densities(to)) == below;
  };
  for (const auto& [name, place] : space.variables().scalars())
    options.always.push_back(space.n_densities() + place);
  const auto rows = check_gradients([&](const VectorXd& at) { return functions.values(at); }, x,
                                    functions.gradients(x, bars), space.lower(), space.upper(), options);
  CheckedNames names;
  names.functions = functions.names();
  names.variable = [&](Eigen::Index variable) { return space.name_of(variable); };
  return report_gradient_check(rows, names, args, report);
}

}  // namespace kurbel
