#include "fem/body_design.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.hpp"
#include "fem/mesh_source.hpp"
#include "fem/simp.hpp"
#include "fem/surface_morph.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

bool is_same(const VectorXd& a, const VectorXd& b) {
  return a.size() == b.size() && a == b;
}

void require_positive(const VectorXd& values, Index n_elements, const std::string& where, const char* many,
                      const char* one) {
  if (values.size() != n_elements) {
    throw InputError(fmt::format("{}: {} {} for {} elements", where, values.size(), many, n_elements));
  }
  if (!(values.array() > 0.0).all() || !values.allFinite()) {
    throw InputError(fmt::format("{}: {} is not a positive number", where, one));
  }
}

/// Areas (2D) or volumes at the shape of the design.
VectorXd measures(const FlexibleBodySpec& spec, const BodyDesign& design) {
  return mesh_source(spec.mesh)->measures(design.shape(), design.density.size());
}

}  // namespace

BodyDesign nominal_design(const FlexibleBodySpec& spec, const VectorXd& density) {
  const Index n = density.size();
  return {density,
          VectorXd::Constant(n, spec.material.youngs_modulus),
          VectorXd::Constant(n, spec.material.density),
          VectorXd::Constant(spec.mesh.dim == 2 ? n : 0, spec.mesh.thickness),
          spec.mesh.size,
          VectorXd::Zero(spec.mesh.morph ? spec.mesh.morph->size() : 0)};
}

BodyDesign zero_bar(const BodyDesign& design) {
  const auto zeros = [](const VectorXd& like) { return VectorXd(VectorXd::Zero(like.size())); };
  return {zeros(design.density),
          zeros(design.youngs_modulus),
          zeros(design.solid_density),
          zeros(design.thickness),
          Vector3d::Zero(),
          zeros(design.offsets)};
}

bool is_same(const BodyDesign& a, const BodyDesign& b) {
  return is_same(a.density, b.density) && is_same(a.youngs_modulus, b.youngs_modulus) &&
         is_same(a.solid_density, b.solid_density) && is_same(a.thickness, b.thickness) &&
         a.shape() == b.shape();
}

void require_valid(const FlexibleBodySpec& spec, Index n_elements, const BodyDesign& design,
                   const std::string& where) {
  require_positive(design.density, n_elements, where, "densities", "a density");
  require_positive(design.youngs_modulus, n_elements, where, "values of E0", "a value of E0");
  require_positive(design.solid_density, n_elements, where, "values of rho0", "a value of rho0");
  require_positive(design.thickness, spec.mesh.dim == 2 ? n_elements : 0, where, "thicknesses",
                   "a thickness");
  for (int d = 0; d < spec.mesh.dim; ++d) {
    if (!(design.size[d] > 0.0) || !std::isfinite(design.size[d])) {
      throw InputError(
          fmt::format("{}: the edge length {} of the mesh is not a positive number", where, design.size[d]));
    }
  }
  const Index n_offsets = spec.mesh.morph ? spec.mesh.morph->size() : 0;
  if (design.offsets.size() != n_offsets)
    throw InputError(
        fmt::format("{}: {} offsets for the {} of the surface", where, design.offsets.size(), n_offsets));
  if (!design.offsets.allFinite()) throw InputError(fmt::format("{}: an offset is not finite", where));
}

ElementFactors element_factors(const FlexibleBodySpec& spec, const BodyDesign& design) {
  ElementFactors factors{VectorXd(design.density.size()), VectorXd(design.density.size())};
  for (Index e = 0; e < design.density.size(); ++e) {
    const double p = design.density[e];
    factors.stiffness[e] = design.youngs_modulus[e] * stiffness_factor(spec.simp, p).value;
    factors.mass[e] = design.solid_density[e] * mass_factor(spec.simp, p).value;
  }
  if (spec.mesh.dim == 2) {
    const auto relative_thickness = design.thickness.array() / spec.mesh.thickness;
    factors.stiffness.array() *= relative_thickness;
    factors.mass.array() *= relative_thickness;
  }
  return factors;
}

void pull_back_element_factors(const FlexibleBodySpec& spec, const BodyDesign& design,
                               const ElementFactors& factors_bar, BodyDesign& bar) {
  const Index n = design.density.size();
  const bool is_plane = spec.mesh.dim == 2;
  for (VectorXd* array : {&bar.density, &bar.youngs_modulus, &bar.solid_density}) array->resize(n);
  bar.thickness.resize(design.thickness.size());
  bar.size.setZero();
  bar.offsets.setZero(design.offsets.size());
  for (Index e = 0; e < n; ++e) {
    const SimpFactor E = stiffness_factor(spec.simp, design.density[e]);
    const SimpFactor rho = mass_factor(spec.simp, design.density[e]);
    const double E_bar = factors_bar.stiffness[e], rho_bar = factors_bar.mass[e];
    const double E0 = design.youngs_modulus[e], rho0 = design.solid_density[e];
    const double t = is_plane ? design.thickness[e] / spec.mesh.thickness : 1.0;
    bar.density[e] = t * (rho0 * rho.derivative * rho_bar + E0 * E.derivative * E_bar);
    bar.youngs_modulus[e] = t * E.value * E_bar;
    bar.solid_density[e] = t * rho.value * rho_bar;
    if (is_plane) {
      bar.thickness[e] = (rho0 * rho.value * rho_bar + E0 * E.value * E_bar) / spec.mesh.thickness;
    }
  }
}

VectorXd element_volumes(const FlexibleBodySpec& spec, const BodyDesign& design) {
  if (spec.mesh.dim == 3) return measures(spec, design);
  return measures(spec, design).cwiseProduct(design.thickness);
}

void pull_back_element_volumes(const FlexibleBodySpec& spec, const BodyDesign& design,
                               const VectorXd& volumes_bar, BodyDesign& bar) {
  const Index n = design.density.size();
  for (VectorXd* array : {&bar.density, &bar.youngs_modulus, &bar.solid_density}) array->setZero(n);
  bar.thickness.resize(design.thickness.size());
  if (spec.mesh.dim == 2) bar.thickness = measures(spec, design).cwiseProduct(volumes_bar);
  const VectorXd measures_bar =
      spec.mesh.dim == 2 ? VectorXd(volumes_bar.cwiseProduct(design.thickness)) : volumes_bar;
  bar.set_shape(mesh_source(spec.mesh)->pull_back_measures(design.shape(), measures_bar));
}

double design_mass(const FlexibleBodySpec& spec, const BodyDesign& design) {
  const VectorXd volumes = element_volumes(spec, design);
  double sum = 0.0;
  for (Index e = 0; e < volumes.size(); ++e) {
    sum += volumes[e] * design.solid_density[e] * mass_factor(spec.simp, design.density[e]).value;
  }
  return sum;
}

void differentiate_mass(const FlexibleBodySpec& spec, const BodyDesign& design, BodyDesign& bar) {
  const VectorXd volumes = element_volumes(spec, design);
  const Index n = volumes.size();
  VectorXd rho(n);
  for (Index e = 0; e < n; ++e) {
    rho[e] = design.solid_density[e] * mass_factor(spec.simp, design.density[e]).value;
  }
  pull_back_element_volumes(spec, design, rho, bar);
  for (Index e = 0; e < n; ++e) {
    const SimpFactor factor = mass_factor(spec.simp, design.density[e]);
    bar.density[e] = volumes[e] * design.solid_density[e] * factor.derivative;
    bar.solid_density[e] = volumes[e] * factor.value;
  }
}

}  // namespace kurbel::fem
