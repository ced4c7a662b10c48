/// @file
/// Stresses at the points of elements where those of the displacement method are most accurate: at the centres of linear
/// elements, at the quadrature points of quadratic ones,
///
///     sigma_i = S_i q,   S_i = p_e^r E0_e D B_e(xi_i) U_e
///
/// with the rows U_e of the basis at the nodes of the element. The exponent r relaxes: a solid element has its stress, a
/// void one none. With r = 0 the strains of empty elements would count as those of solid ones; with the s of
/// SIMP the stress of thin material would be that of the homogenized medium, which intermediate densities
/// make as small as one likes. In between, r = s - q is the qp-relaxation, customarily 1/2.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fem/assembly.hpp"
#include "fem/body_design.hpp"
#include "fem/shape_classes.hpp"
#include "sid/stress_modes.hpp"

namespace kurbel::fem {

struct ReducedBody;

/// The elements at whose points stresses are requested, and the exponent of the density in their relaxed stress.
struct StressPoints {
  std::vector<int> elements;  ///< ascending
  double relaxation = 0.0;    ///< r
};

/// d psi / d S at some points.
struct StressBar {
  const StressPoints& points;
  const StressModes& modes;  ///< at the design
  const MatrixXd& S_bar;     ///< in the shape of modes.S
};

/// The elements at which a criterion sees stresses.
/// @param left_out  names of regions (their elements), of markers and supports (elements that touch their nodes),
///                  or "clamp" (elements that touch clamped nodes); others are ignored
std::vector<int> stress_elements(const FlexibleBodySpec& spec, const Mesh& mesh,
                                 const std::vector<std::string>& left_out);

/// A body at a design, as far as stresses see it.
struct StressedBody {
  std::shared_ptr<const ShapeClasses> shapes;  ///< at the size of the design
  const Assembly& assembly;
  const BodyDesign& design;
};

/// The element of every point, in the order of the points: those of an element one after another.
std::vector<int> elements_of_points(const Mesh& mesh, const StressPoints& points);

/// @param reduced  at the design
StressModes stress_modes(const StressedBody& body, const ReducedBody& reduced, const StressPoints& points);
/// The same of displacements of the free degrees of freedom, in place of a basis.
/// @param U  n_free_dofs x n_q, m; then the entries of S are stresses
StressModes stress_modes(const StressedBody& body, const MatrixXd& U, const StressPoints& points);

/// Adds U_bar_e = sum_i p_e^r E0_e (D B_e(xi_i))^T S_bar_i.
/// @param U_bar  n_free_dofs x n_q
void add_basis_bar(const StressedBody& body, const StressBar& stress, MatrixXd& U_bar);

/// Adds the sensitivities by p and E0 at fixed shapes.
void add_design_bar(const StressedBody& body, const StressBar& stress, BodyDesign& bar);

/// Adds those by the positions of the nodes, which B depends on, at fixed shapes.
/// @param x_bar  3 x n_nodes by number
void add_position_bar(const StressedBody& body, const ReducedBody& reduced, const StressBar& stress,
                      Mesh::Points& x_bar);
/// The same at fixed displacements of the free degrees of freedom.
/// @param U  as of stress_modes()
void add_position_bar(const StressedBody& body, const MatrixXd& U, const StressBar& stress,
                      Mesh::Points& x_bar);

}  // namespace kurbel::fem
