/// @file
/// Flexible bodies at rest under loads: for every body and load case c
///
///     K u_c = f_c,    f_c = B_c + M g_c    (forces at markers and on surfaces, gravity)
///
///     compliance f_c^T u_c; displacement and rotation of markers, z = C u_c; mass;
///     factors mu_i by which f_c grows until the body buckles, (K + mu_i K_G(u_c)) phi_i = 0 (fem/buckling.hpp);
///     p-norm over elements of the von Mises stress of sigma_i = p_e^r E0_e D B_e(xi_i) u_c (fem/stress.hpp)
///
/// With the seeds g = d psi / d u_c and a = d psi / d (f_c^T u_c), one block of solutions K Lambda = g serves all functions
/// of a body,
///
///     d psi = -(Lambda + a u)^T dK u + (Lambda + 2 a u)^T dM g_c + (partial psi at fixed u_c).
///
/// Load cases are [cases.*], or the problem itself is the only one.
#pragma once

#include "analysis/body_question.hpp"
#include "fem/buckling.hpp"
#include "formulation/stress_sets.hpp"

namespace kurbel {

class StaticQuestion final : public BodyQuestion {
 public:
  StaticQuestion(const Problem& problem, const std::vector<fem::FlexibleBody*>& bodies);
  Status answer(const std::vector<fem::BodyDesign>& designs, std::unique_ptr<BodyAnswer>& out) override;

  const Problem& problem() const { return problem_; }
  std::size_t n_bodies() const { return bodies_.size(); }
  fem::FlexibleBody& body(std::size_t i) const { return *bodies_[i]; }
  std::size_t n_cases() const { return cases_.size(); }
  const Problem& load_case(std::size_t c) const { return *cases_[c]; }
  /// Transpose of displacement (or rotation) of a marker by the free degrees of freedom, n_free_dofs x 3.
  MatrixXd operator_of(std::size_t body, const CriterionTerm& term) const;
  /// The elements that a von Mises term of a case sees.
  const fem::StressPoints& points_of(std::size_t c, const CriterionTerm& term) const {
    return stress_sets_[c].points(stress_sets_[c].find(term));
  }
  /// The elements of a body whose stress is shown: those that criteria of a case see, or else all, with the relaxation of
  /// criteria that state none.
  fem::StressPoints points_to_show(std::size_t c, std::size_t body) const;
  /// Moduli by which the stresses of elements count in K_G, E_e - r E0_e t_e / t0: without the stiffness of voids, which is
  /// there for the sake of K alone and would let them buckle.
  VectorXd geometric_moduli(std::size_t body, const fem::BodyDesign& design) const;
  /// r, zero where the material law has none.
  double void_share(std::size_t body) const;

 private:
  MatrixXd forces_at_markers(std::size_t body) const;
  MatrixXd forces(std::size_t body) const;
  void count_buckling_modes();
  Status find_buckling_modes(std::size_t body, const fem::BodyDesign& design, const MatrixXd& u,
                             std::vector<fem::BucklingModes>& out) const;

  const Problem& problem_;
  std::vector<fem::FlexibleBody*> bodies_;
  std::vector<const Problem*> cases_;
  std::vector<StressSets> stress_sets_;             ///< by case
  std::vector<MatrixXd> at_markers_;                ///< by body, n_free_dofs x n_cases
  std::vector<std::vector<int>> n_buckling_modes_;  ///< by body, then by case
};

class StaticAnswer final : public BodyAnswer {
 public:
  /// Loads and displacements of a body, n_free_dofs x n_cases.
  struct OfBody {
    MatrixXd f, u;
    std::vector<fem::BucklingModes> buckling{};  ///< by case; empty where none are counted
  };
  StaticAnswer(const StaticQuestion& question, std::vector<fem::BodyDesign> designs,
               std::vector<OfBody> bodies)
      : question_(question), designs_(std::move(designs)), bodies_(std::move(bodies)) {}

  std::vector<CriterionValues> values(const RequestedFunctions& requested) const override;
  Status gradients(const RequestedFunctions& requested,
                   std::vector<std::vector<fem::BodyDesign>>& bars) override;
  MotionSummary summarize() const override;
  std::vector<NodalField> fields(std::size_t body) const override;
  std::vector<ElementField> element_fields(std::size_t body) const override;

 private:
  /// A term of a function, of one case.
  struct Part {
    const CriterionTerm* term;
    std::size_t of_case;
    double weight;
  };
  std::vector<std::vector<Part>> parts(const RequestedFunctions& requested) const;
  /// Derivatives of a function by what is known of a body: all cases side by side.
  struct Seed {
    VectorXd of_compliance;  ///< a, n_cases
    MatrixXd of_u;           ///< g, n_free_dofs x n_cases; empty if zero
    double of_mass = 0.0;
    fem::BodyDesign of_design{};       ///< by design at fixed displacements; empty if zero
    fem::ElementFactors of_factors{};  ///< the same by E_e; empty if zero
    fem::Mesh::Points of_positions{};  ///< the same by positions of nodes; empty if zero
    Status kink{};                     ///< of a function that has no derivative here
    MatrixXd& u(Eigen::Index n_dofs);
    fem::BodyDesign& design(const fem::BodyDesign& at);
    fem::Mesh::Points& positions(Eigen::Index n_nodes);
  };
  CriterionValues value(const Part& part, double slope, Seed* seed) const;
  double value_of_vector(const Part& part, std::size_t body, double slope, Seed* seed) const;
  CriterionValues value_of_stress(const Part& part, std::size_t body, double slope, Seed* seed) const;
  CriterionValues value_of_buckling(const Part& part, std::size_t body, double slope, Seed* seed) const;
  void add_buckling(const Part& part, std::size_t body, const VectorXd& kappa_bar, Seed& seed) const;
  StressModes stresses(std::size_t body, std::size_t of_case, const fem::StressPoints& points) const;
  std::vector<CriterionValues> objectives_of_cases(std::size_t stage) const;
  std::size_t body_of(const CriterionTerm& term) const;
  Status pull_back(std::size_t body, const std::vector<Seed>& seeds,
                   std::vector<std::vector<fem::BodyDesign>>& bars);

  const StaticQuestion& question_;
  std::vector<fem::BodyDesign> designs_;
  std::vector<OfBody> bodies_;
};

}  // namespace kurbel
