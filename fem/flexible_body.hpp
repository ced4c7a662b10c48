/// @file
/// A finite-element body and its reduction: design -> standard input data, and the way back for
/// sensitivities.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "fem/assembly.hpp"
#include "fem/body_design.hpp"
#include "fem/body_spec.hpp"
#include "fem/frame.hpp"
#include "fem/geometric_stiffening.hpp"
#include "fem/gram.hpp"
#include "fem/markers.hpp"
#include "fem/mesh.hpp"
#include "fem/modal_basis.hpp"
#include "fem/shape_classes.hpp"
#include "fem/sid_derivatives.hpp"
#include "fem/stress.hpp"
#include "sid/sid.hpp"

namespace kurbel::fem {

/// Wall-clock seconds of the parts of a reduction.
struct ReductionTimes {
  double assembly = 0.0, factor = 0.0, modes = 0.0, gram = 0.0;
};

/// The reduced model at one design, and what its pull-back reuses.
struct ReducedBody {
  Sid sid;
  VectorXd lambda;          ///< n_q: diagonal of Ke, (rad/s)^2
  VectorXd frequencies_hz;  ///< of the normal (fixed-interface) modes, ascending
  /// The first omitted one; infinite if none, NaN without normal modes.
  double next_frequency_hz = 0.0;
  MatrixXd shapes;  ///< 3 n_nodes x n_q, zero where clamped; direction d of node a in row 3 a + d
  ReductionTimes times;

  std::shared_ptr<const ModalBasis> basis;
  NodalFields W, m_W;  ///< fields of the Gram matrix without those that vanish in 2D, and m W
  MatrixXd G;          ///< Gram matrix
  std::vector<MarkerShapes> markers;
  GeometricStiffening stiffening;  ///< empty unless the specification asks for it
};

/// Diagnostics of a pull-back.
struct PullbackReport {
  double invariance_defect = 0.0;  ///< U^T U_bar, relative; rounding error if psi depends on span(U) only
  double invariance_terms = 0.0;   ///< what it is relative to, in the unit of psi
  int cg_iterations = 0;
  double seconds = 0.0;
  /// d psi / d (positions of the nodes), 3 x n_nodes, every node for itself; empty after a pull-back to the
  /// densities alone. The size is one way to move the nodes, a change of shape another.
  Mesh::Points x_bar;
};

/// The adjoint seeds of one function psi on a body.
struct FunctionBar {
  Sid sid;  ///< d psi / d SID, in the shape of ReducedBody::sid; entries taken as independent
  std::vector<StressBar> stress{};  ///< of a psi that sees stresses besides
};

/// Mesh, stiffness with its inverse, and workspace of one body. Not copyable; one thread at a time.
class FlexibleBody {
 public:
  /// @throws InputError, naming body and key, if find_problem() finds one
  explicit FlexibleBody(FlexibleBodySpec spec);
  /// Constructs the body with another inverse than that of the specification.
  FlexibleBody(FlexibleBodySpec spec, const MakeInverse& make_inverse);
  ~FlexibleBody();

  const FlexibleBodySpec& spec() const { return spec_; }
  /// The mesh of the specification: node sets, regions and the weights of filters are taken from it for every
  /// design. What changes with the shape are positions().
  const Mesh& mesh() const { return *mesh_; }
  /// Places of the nodes when the mesh has this shape, 3 x n_nodes, m (MeshSource::positions).
  Mesh::Points positions(const MeshShape& shape) const;
  Eigen::Index n_elements() const { return mesh_->n_elements(); }
  /// Precondition: count_modes() where the spec has modes_up_to.
  Eigen::Index n_q() const { return spec_.n_normal_modes + static_cast<Eigen::Index>(loads_.size()); }

  /// True if the shape of the mesh may be another than that of the specification. Otherwise a pull-back leaves size and
  /// offsets of bar zero.
  bool shape_may_vary() const { return fem::shape_may_vary(spec_); }

  /// The densities, all else as in the specification.
  BodyDesign nominal(const VectorXd& density) const { return nominal_design(spec_, density); }

  /// sum_e V_e rho0_e rho(p_e)/rho0, kg; element volumes and derivatives of both are in body_design.hpp.
  double mass(const BodyDesign& design) const { return design_mass(spec_, design); }
  /// The same at nominal(rho).
  double mass(const VectorXd& rho) const { return mass(nominal(rho)); }

  /// Takes the matrices of a design, K with its inverse and m, for questions that need no reduction. Fails as reduce().
  Status hold(const BodyDesign& design);
  /// The body as it is held: after hold() with the matrices of its design.
  HeldBody held() const { return {*K_, m_, frame_, assembly_, markers_, loads_, B_T_}; }
  /// Fails if a solution with the stiffness of this design missed its tolerance.
  Status solved() const;
  /// The failure, with the name of the body.
  Failure located(Failure failure) const;

  /// Fixes the number of normal modes of a spec with modes_up_to, at this design and for good, so that
  /// what depends on the design stays differentiable. Without such a spec, or called again, it does nothing.
  /// Fails when there is no mode at all.
  Status count_modes(const BodyDesign& design);

  /// Design -> SIMP -> K, m -> [Phi, Psi'] -> Gram matrix -> SID, with Me = E and Ke diagonal.
  /// Fails when the body is not held by its clamp, when a mode kept and one left out have the same frequency,
  /// when attachment modes are dependent, or as add_modal_damping. Counts the modes first if nothing has.
  /// @throws InputError as require_valid(), or if the size is not the one of the specification and must be
  /// (shape_may_vary)
  Status reduce(const BodyDesign& design, ReducedBody& out);
  /// The same at nominal(rho).
  Status reduce(const VectorXd& rho, ReducedBody& out) { return reduce(nominal(rho), out); }

  /// The body as stresses see it. Refers to the design.
  StressedBody stressed(const BodyDesign& design) const {
    return {shapes_at(design.shape()), assembly_, design};
  }

  /// Stresses at the centres of elements by the elastic coordinates.
  /// @param reduced  result of reduce() at design
  StressModes stress_modes(const BodyDesign& design, const ReducedBody& reduced,
                           const StressPoints& points) const {
    return fem::stress_modes(stressed(design), reduced, points);
  }

  /// Gamma of the displacement Phi q + q^T Gamma q / 2 that goes with geometric stiffening.
  /// @param design, reduced  as for stress_modes()
  /// @param out  3 n_nodes x n_q^2, rows as ReducedBody::shapes, Gamma_kl in column l n_q + k; empty without
  Status second_order_shapes(const BodyDesign& design, const ReducedBody& reduced, MatrixXd& out);

  /// The part of the gradient that a pull-back gives.
  enum class Wanted { all, densities };

  /// d psi / d design from d psi / d SID (docs/theory.md) for all functions psi, exact also where kept eigenvalues
  /// coincide; their linear systems are solved together. Precondition: psi depends on the span of the basis only, not
  /// on the coordinates chosen in it; then U^T U_bar = 0, which the reports measure.
  /// @param design   as given to reduce()
  /// @param reduced  result of reduce() at design
  /// @param bars     in the shape of the design, one per function, overwritten; of Wanted::densities the densities alone
  ///                 are set
  Status pullback(const BodyDesign& design, const ReducedBody& reduced,
                  const std::vector<FunctionBar>& functions, Wanted wanted, std::vector<BodyDesign>& bars,
                  std::vector<PullbackReport>& reports);
  /// The same of one function, all of its gradient.
  Status pullback(const BodyDesign& design, const ReducedBody& reduced, const Sid& sid_bar, BodyDesign& bar,
                  PullbackReport* report = nullptr, const std::vector<StressBar>& stress = {});
  /// The same at nominal(rho), for the densities alone.
  /// @param rho_bar  n_elements, overwritten
  Status pullback(const VectorXd& rho, const ReducedBody& reduced, const Sid& sid_bar, VectorXd& rho_bar,
                  PullbackReport* report = nullptr, const std::vector<StressBar>& stress = {});

  /// The statement of a PullbackReport on U^T U_bar, without the pull-back.
  Invariance invariance(const ReducedBody& reduced, const Sid& sid_bar) const;

  /// Derivatives of the coefficients in `reduced` by the density of every element, in the basis as it is.
  /// Fails where two kept eigenvalues coincide, in a Craig-Bampton basis, and with geometric
  /// stiffening.
  /// @param rho, reduced  as for pullback()
  Status derivatives(const VectorXd& rho, const ReducedBody& reduced, SidDerivatives& out,
                     PullbackReport* report = nullptr);

 private:
  Status prepare(const BodyDesign& design, ReductionTimes& times);
  void place_nodes(const MeshShape& shape);
  void place_markers();
  std::shared_ptr<const ShapeClasses> shapes_at(const MeshShape& shape) const;
  Status check_moved_surface(const BodyDesign& design) const;
  struct Adjoint;
  std::vector<BasisBar> basis_bars(const BodyDesign& design, const ReducedBody& reduced,
                                   const std::vector<FunctionBar>& functions,
                                   const std::vector<GramBar>& gram_bars) const;
  void to_design(const BodyDesign& design, const ReducedBody& reduced, const Adjoint& found, Wanted wanted,
                 BodyDesign& bar, PullbackReport& report) const;
  ModeChoice choice() const { return {spec_.n_normal_modes, spec_.mode_list}; }
  Status collect(ReducedBody& out) const;
  StressModel stress_model(const VectorXd& E) const { return {assembly_, *shapes_, marker_forces_, E}; }
  MatrixXd by_node(const NodalFields& fields, Eigen::Index first, Eigen::Index n) const;
  GramBar gram_bar(const ReducedBody& reduced, const Sid& sid_bar) const;
  VectorXd damping_ratios() const;

  FlexibleBodySpec spec_;
  std::shared_ptr<const Mesh> mesh_;
  std::shared_ptr<const ShapeClasses> shapes_;  // at placed_
  Assembly assembly_;
  ReferenceFrame frame_;
  std::vector<UnitLoad> loads_;
  MeshShape placed_;  // of the mesh in shapes_, assembly_, positions_, markers_ and B_T_
  Mesh::Points positions_;
  std::vector<MarkerOperator> markers_;
  MatrixXd B_T_, marker_forces_;
  std::unique_ptr<StiffnessInverse> K_;
  NodalMass m_;
  bool modes_counted_;
  std::optional<BodyDesign> prepared_;  // design of K_ and m_, if there is one
};

}  // namespace kurbel::fem
