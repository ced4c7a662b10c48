#include "fem/design_map.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "fem/box_filter.hpp"
#include "fem/box_helmholtz_filter.hpp"
#include "fem/manufacturing.hpp"
#include "fem/symmetry.hpp"

namespace kurbel::fem {

HeavisideProjection::HeavisideProjection(double beta, double eta, double low)
    : beta_(beta), eta_(eta), low_(low) {
  if (!(beta >= 0.0) || !std::isfinite(beta))
    throw InputError(fmt::format("projection.beta = {} is negative", beta));
  if (!(eta > 0.0 && eta < 1.0)) throw InputError(fmt::format("projection.eta = {} is outside (0, 1)", eta));
  if (!(low >= 0.0 && low < 1.0)) throw InputError(fmt::format("simp.p_min = {} is outside [0, 1)", low));
}

VectorXd HeavisideProjection::value(const VectorXd& in) const {
  if (beta_ == 0.0) return in;
  const double below = std::tanh(beta_ * eta_), range = below + std::tanh(beta_ * (1.0 - eta_));
  return in.unaryExpr([&](double x) {
    const double s = (x - low_) / (1.0 - low_);
    return low_ + (1.0 - low_) * (below + std::tanh(beta_ * (s - eta_))) / range;
  });
}

VectorXd HeavisideProjection::pullback(const VectorXd& in, const VectorXd& out_bar) const {
  if (beta_ == 0.0) return out_bar;
  const double range = std::tanh(beta_ * eta_) + std::tanh(beta_ * (1.0 - eta_));
  return in.binaryExpr(out_bar, [&](double x, double bar) {
    const double t = std::tanh(beta_ * ((x - low_) / (1.0 - low_) - eta_));
    return bar * beta_ * (1.0 - t * t) / range;
  });
}

SensitivityFilter::SensitivityFilter(const Mesh& mesh, double radius)
    : weights_(make_density_filter(mesh, radius)) {}

VectorXd SensitivityFilter::smooth(const VectorXd& x, const VectorXd& gradient) const {
  return weights_->value(x.cwiseProduct(gradient)).cwiseQuotient(x.cwiseMax(1e-3));
}

PassiveElements::PassiveElements(const Mesh& mesh, const std::vector<Region>& regions, double p_min,
                                 const VectorXd& start)
    : fixed_(VectorXd::Constant(mesh.n_elements(), std::numeric_limits<double>::quiet_NaN())) {
  if (start.size() != mesh.n_elements()) {
    throw InputError(fmt::format("{} start densities for {} elements", start.size(), mesh.n_elements()));
  }
  for (const Region& region : regions) {
    for (const int e : mesh.elements_in(region.place)) {
      fixed_[e] = region.kind == Region::Kind::solid    ? 1.0
                  : region.kind == Region::Kind::voided ? p_min
                                                        : start[e];
    }
  }
  for (Eigen::Index e = 0; e < fixed_.size(); ++e) {
    if (std::isnan(fixed_[e])) active_.push_back(e);
  }
}

VectorXd PassiveElements::scatter(const VectorXd& active) const {
  VectorXd full = fixed_;
  full(active_) = active;
  return full;
}

void PassiveElements::overwrite(VectorXd& rho) const {
  for (Eigen::Index e = 0; e < fixed_.size(); ++e) {
    if (!std::isnan(fixed_[e])) rho[e] = fixed_[e];
  }
}

DensityDesign::DensityDesign(const Mesh& mesh, const std::vector<Region>& regions, double p_min,
                             const FilterSpec& filter, double beta, double eta, const VectorXd& start)
    : passive_(mesh, regions, p_min, start), p_min_(p_min), beta_(beta), eta_(eta) {
  projection(0.0);  // refuses what is out of range
  if (passive_.n_active() == 0)
    throw InputError("regions: they fix the density of all elements; nothing to design");
  if (filter.kind == FilterSpec::Kind::density && filter.kernel == FilterSpec::Kernel::helmholtz) {
    density_filter_ = make_helmholtz_filter(mesh, filter.radius);
  } else if (filter.kind == FilterSpec::Kind::density) {
    density_filter_ = make_density_filter(mesh, filter.radius);
  } else if (filter.kind == FilterSpec::Kind::sensitivity) {
    sensitivity_filter_ = std::make_unique<SensitivityFilter>(mesh, filter.radius);
  }
}

void DensityDesign::make_symmetric(const Mesh& mesh, const std::vector<SymmetryPlane>& planes) {
  symmetry_ = std::make_unique<SymmetricDensities>(mesh, planes, passive_.active());
}

void DensityDesign::make_manufacturable(const Mesh& mesh, const ManufacturingSpec& spec) {
  manufacturing_ = std::make_unique<Manufacturing>(mesh, spec, passive_.active(), p_min_);
}

void DensityDesign::set_beta(double beta) {
  HeavisideProjection(beta, eta_, p_min_);
  beta_ = beta;
}

VectorXd DensityDesign::symmetric(const VectorXd& active) const {
  const VectorXd full = passive_.scatter(active);
  return symmetry_ ? symmetry_->value(full) : full;
}

VectorXd DensityDesign::filtered(const VectorXd& full) const {
  return density_filter_ ? density_filter_->value(full) : full;
}

/// Densities that do not vary shade and support others as they are, not as the filter would have them.
VectorXd DensityDesign::manufacturable(const VectorXd& filtered) const {
  if (!manufacturing_) return filtered;
  VectorXd with_fixed = filtered;
  passive_.overwrite(with_fixed);
  return manufacturing_->value(with_fixed);
}

VectorXd DensityDesign::value(const VectorXd& active, double shift) const {
  VectorXd rho = projection(shift).value(manufacturable(filtered(symmetric(active))));
  passive_.overwrite(rho);
  return rho;
}

VectorXd DensityDesign::to_filtered(const VectorXd& active, const VectorXd& rho_bar, double shift) const {
  VectorXd bar = VectorXd::Zero(rho_bar.size());
  bar(passive_.active()) = rho_bar(passive_.active());
  VectorXd out = filtered(symmetric(active));
  if (!manufacturing_) return projection(shift).pullback(out, bar);
  passive_.overwrite(out);
  return manufacturing_->pullback(out, projection(shift).pullback(manufacturing_->value(out), bar));
}

VectorXd DensityDesign::pullback(const VectorXd& active, const VectorXd& rho_bar, double shift) const {
  VectorXd bar = to_filtered(active, rho_bar, shift);
  if (density_filter_) bar = density_filter_->pullback({}, bar);
  if (symmetry_) bar = symmetry_->pullback({}, bar);
  return passive_.gather(bar);
}

VectorXd DensityDesign::search_gradient(const VectorXd& active, const VectorXd& rho_bar, double shift) const {
  if (!sensitivity_filter_) return pullback(active, rho_bar, shift);
  VectorXd bar = sensitivity_filter_->smooth(symmetric(active), to_filtered(active, rho_bar, shift));
  if (symmetry_) bar = symmetry_->pullback({}, bar);
  return passive_.gather(bar);
}

}  // namespace kurbel::fem
