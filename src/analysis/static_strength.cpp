/// Functions of stresses and of buckling loads, with what they add to the derivatives of a load case.
#include <fmt/format.h>

#include <limits>

#include "analysis/over_modes.hpp"
#include "analysis/static_question.hpp"
#include "fem/statics.hpp"
#include "floating_frame/von_mises.hpp"

namespace kurbel {

using Eigen::Index;

/// Stresses under one load case, one column.
StressModes StaticAnswer::stresses(std::size_t body, std::size_t of_case,
                                   const fem::StressPoints& points) const {
  const MatrixXd u = bodies_[body].u.col(static_cast<Index>(of_case));
  return fem::stress_modes(question_.body(body).stressed(designs_[body]), u, points);
}

CriterionValues StaticAnswer::value_of_stress(const Part& part, std::size_t body, double slope,
                                              Seed* seed) const {
  const fem::StressPoints& points = question_.points_of(part.of_case, *part.term);
  const StressModes modes = stresses(body, part.of_case, points);
  const VonMisesNorm<double> norm(modes.S, modes.n_components, part.term->element_exponent);
  const MatrixXd one = MatrixXd::Ones(1, 1);
  VectorXd largest;
  const double value = norm.values(one, nullptr, &largest)[0];
  if (seed) {
    const MatrixXd S_bar = norm.pull_back(one, VectorXd::Constant(1, slope));
    const fem::StressBar bar{points, modes, S_bar};
    const fem::StressedBody stressed = question_.body(body).stressed(designs_[body]);
    MatrixXd g = MatrixXd::Zero(bodies_[body].u.rows(), 1);
    fem::add_basis_bar(stressed, bar, g);
    seed->u(g.rows()).col(static_cast<Index>(part.of_case)) += g;
    fem::add_design_bar(stressed, bar, seed->design(designs_[body]));
    if (designs_[body].offsets.size() > 0) {
      const MatrixXd u = bodies_[body].u.col(static_cast<Index>(part.of_case));
      fem::add_position_bar(stressed, u, bar, seed->positions(question_.body(body).mesh().n_nodes()));
    }
  }
  return {value, largest[0], largest[0]};
}

CriterionValues StaticAnswer::value_of_buckling(const Part& part, std::size_t body, double slope,
                                                Seed* seed) const {
  const fem::BucklingModes& modes = bodies_[body].buckling[part.of_case];
  const VectorXd mu = modes.kappa.cwiseInverse();
  VectorXd slopes;
  const CriterionValues values = value_over_modes(*part.term, mu, &slopes);
  if (seed) {
    const double infinite = std::numeric_limits<double>::infinity(),
                 next = modes.kappa_next > 0.0 ? 1.0 / modes.kappa_next : infinite;
    const auto kink = kink_over_modes({mu, next, fem::closed_gap}, slopes, steepest_over_modes({*part.term}));
    if (kink)
      seed->kink = question_.body(body).located(
          {fmt::format("buckling loads {} and {} coincide at the factor {:.8g}, so that a function that "
                       "depends on them in different ways has no derivative",
                       *kink + 1, *kink + 2, mu[*kink]),
           "", advice_on_kinks});
    add_buckling(part, body, -slope * slopes.cwiseProduct(mu.cwiseAbs2()), *seed);
  }
  return values;
}

/// Adds d psi = sum_i kappa_bar_i d kappa_i,    d kappa_i = -phi_i^T (dK_G + kappa_i dK) phi_i.
void StaticAnswer::add_buckling(const Part& part, std::size_t body, const VectorXd& kappa_bar,
                                Seed& seed) const {
  const fem::FlexibleBody& model = question_.body(body);
  const fem::BodyDesign& design = designs_[body];
  const auto c = static_cast<Index>(part.of_case);
  const fem::BucklingModes& modes = bodies_[body].buckling[part.of_case];
  const fem::GeometricStiffnessBar bar =
      pull_back_geometric_stiffness(model.stressed(design), question_.geometric_moduli(body, design),
                                    bodies_[body].u.col(c), modes.Phi, -kappa_bar);
  seed.u(bar.u.size()).col(c) += bar.u;

  fem::StaticBars by_stiffness{modes.Phi, MatrixXd::Zero(3, modes.Phi.cols())};
  by_stiffness.of_stiffness = modes.Phi * kappa_bar.cwiseProduct(modes.kappa).asDiagonal();
  by_stiffness.of_weight = MatrixXd::Zero(modes.Phi.rows(), modes.Phi.cols());
  fem::ElementFactors factors = pull_back_static(question_.body(body).held(), by_stiffness).factors;
  factors.stiffness += bar.E_G;
  if (seed.of_factors.stiffness.size() == 0) {
    seed.of_factors = std::move(factors);
  } else {
    seed.of_factors.stiffness += factors.stiffness, seed.of_factors.mass += factors.mass;
  }

  const double r = question_.void_share(body), t0 = model.spec().mesh.thickness;
  fem::BodyDesign& of_design = seed.design(design);
  if (design.thickness.size() == 0) {
    of_design.youngs_modulus -= r * bar.E_G;
  } else {
    of_design.youngs_modulus -= r / t0 * bar.E_G.cwiseProduct(design.thickness);
    of_design.thickness -= r / t0 * bar.E_G.cwiseProduct(design.youngs_modulus);
  }
}

fem::BodyDesign& StaticAnswer::Seed::design(const fem::BodyDesign& at) {
  if (of_design.density.size() == 0) of_design = zero_bar(at);
  return of_design;
}

fem::Mesh::Points& StaticAnswer::Seed::positions(Index n_nodes) {
  if (of_positions.size() == 0) of_positions.setZero(3, n_nodes);
  return of_positions;
}

MatrixXd& StaticAnswer::Seed::u(Index n_dofs) {
  if (of_u.size() == 0) of_u.setZero(n_dofs, of_compliance.size());
  return of_u;
}

}  // namespace kurbel
