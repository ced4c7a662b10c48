/// @file
/// The shipped problems, made small for tests.
#pragma once

#include <random>

#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel::test {

/// The flagship crank on a coarse mesh, without filter.
inline std::vector<std::string> coarse_crank() {
  return {"bodies.crank.mesh.divisions=[30,6]", "filter.type=\"none\"", "integrator.step=5e-3"};
}

/// The crank in 3D on a coarse mesh, without filter.
inline std::vector<std::string> coarse_crank_3d() {
  return {"bodies.crank.mesh.divisions=[20,4,2]", "bodies.crank.regions.bearing.x=[0.189,0.2]",
          "filter.type=\"none\"", "integrator.step=5e-3"};
}

/// Densities in [0.04, 1], a fifth of them below 0.1, none within 0.02 of the kink that SIMP has there.
inline VectorXd random_densities(Eigen::Index n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  return VectorXd::NullaryExpr(n, [&] {
    const double u = uniform(engine), v = uniform(engine);
    return u < 0.2 ? 0.04 + 0.04 * v : 0.12 + 0.88 * v;
  });
}

/// psi and its gradient in the variables of a design space.
struct Evaluated {
  double psi = 0.0;
  VectorXd gradient;
  double invariance_defect = 0.0;
};
inline Evaluated evaluate(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x) {
  ChainResult result;
  Design bar;
  const Design design = space.at(x);
  for (const Status& s :
       {chain.reduce(design, result), chain.simulate(result), chain.gradient(result, bar)}) {
    if (s.failed()) throw std::runtime_error(s.message());
  }
  return {result.psi, space.pullback(x, bar), result.invariance_defect};
}
inline std::optional<double> psi_at(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x) {
  ChainResult result;
  if (chain.reduce(space.at(x), result).failed() || chain.simulate(result).failed()) return std::nullopt;
  return result.psi;
}

}  // namespace kurbel::test
