/// @file
/// Quantities in which a body may be varied besides the densities, and what the elements make of them.
///
///     E_e = E0_e E(p_e)/E0 t_e/t0,   rho_e = rho0_e rho(p_e)/rho0 t_e/t0                        [P0, eq. 78]
///
/// where t0 is the thickness of the mesh, which the element of reference has (3D: t_e/t0 = 1).
#pragma once

#include <string>

#include "base/types.hpp"
#include "fem/body_spec.hpp"
#include "fem/mesh_shape.hpp"

namespace kurbel::fem {

/// The quantities in which a body may be varied: the argument of FlexibleBody::reduce(), and, in the same shape, the
/// sensitivities.
struct BodyDesign {
  VectorXd density;                  ///< n_elements, p
  VectorXd youngs_modulus;           ///< n_elements, E0 of the solid, Pa
  VectorXd solid_density;            ///< n_elements, rho0 of the solid, kg/m^3
  VectorXd thickness;                ///< n_elements, m; 2D only, else empty
  Vector3d size = Vector3d::Zero();  ///< edge lengths of the mesh, m (third ignored in 2D)
  VectorXd offsets{};                ///< of a surface that moves, m; empty without

  MeshShape shape() const { return {size, offsets}; }
  void set_shape(MeshShape shape) { size = shape.size, offsets = std::move(shape.offsets); }
};

/// Zeros in the shape of a design.
BodyDesign zero_bar(const BodyDesign& design);

/// The densities, all else as in the specification.
BodyDesign nominal_design(const FlexibleBodySpec& spec, const VectorXd& density);

/// Entry by entry, to the last bit; designs of other lengths are unequal.
bool is_same(const BodyDesign& a, const BodyDesign& b);

/// @param where  begins the message, e.g. "body crank"
/// @throws InputError if an array has another length than the body has elements, or an entry (in 2D, other
/// than the third edge length) is not a positive number
void require_valid(const FlexibleBodySpec& spec, Eigen::Index n_elements, const BodyDesign& design,
                   const std::string& where);

/// Factors of the matrices of the element of reference, k for E = 1 and m for rho = 1, both of thickness t0.
struct ElementFactors {
  VectorXd stiffness;  ///< n_elements, E_e, Pa
  VectorXd mass;       ///< n_elements, rho_e, kg/m^3
};
ElementFactors element_factors(const FlexibleBodySpec& spec, const BodyDesign& design);

/// Transpose of the derivative of element_factors(). All arrays of `bar` are overwritten; size and offsets, which the
/// factors do not depend on, are set to zero.
/// @param factors_bar  d psi / d E_e, d psi / d rho_e
void pull_back_element_factors(const FlexibleBodySpec& spec, const BodyDesign& design,
                               const ElementFactors& factors_bar, BodyDesign& bar);

/// V_e = A_e t_e, in 3D the volume of the element, m^3.
VectorXd element_volumes(const FlexibleBodySpec& spec, const BodyDesign& design);

/// Transpose of the derivative of element_volumes(). `bar` is overwritten.
/// @param volumes_bar  n_elements
void pull_back_element_volumes(const FlexibleBodySpec& spec, const BodyDesign& design,
                               const VectorXd& volumes_bar, BodyDesign& bar);

/// sum_e V_e rho0_e rho(p_e)/rho0, kg.
double design_mass(const FlexibleBodySpec& spec, const BodyDesign& design);

/// d mass / d design. `bar` is overwritten.
void differentiate_mass(const FlexibleBodySpec& spec, const BodyDesign& design, BodyDesign& bar);

}  // namespace kurbel::fem
