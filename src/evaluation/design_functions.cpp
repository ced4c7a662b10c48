/// @file
/// Functions of the design alone: volume, grey level, mass, the width of members and the distortion of meshes, with their
/// derivatives.
#include <algorithm>
#include <limits>

#include "evaluation/design_space.hpp"
#include "fem/moved_mesh.hpp"

namespace kurbel {

/// act(body, its design, its sensitivities) for the bodies with a mesh that are designed; all others get
/// zeros.
template <class PerBody>
Design DesignSpace::sum_bar(const Design& design, const PerBody& act) const {
  Design bar{std::vector<fem::BodyDesign>(design.bodies.size()), VectorXd::Zero(design.system.size())};
  for (const std::size_t i : bodies_) act(model(i), design.bodies[i], bar.bodies[i]);
  return bar;
}

double DesignSpace::volume_fraction(const Design& design) const {
  if (bodies_.empty()) return std::numeric_limits<double>::quiet_NaN();
  double material = 0.0, total = 0.0;
  for (const std::size_t i : bodies_) {
    const fem::FlexibleBody& body = model(i);
    material += element_volumes(body.spec(), design.bodies[i]).dot(design.bodies[i].density);
    total += body.mesh().volumes().sum();
  }
  return material / total;
}

double DesignSpace::grey_level(const Design& design) const {
  double grey = 0.0, total = 0.0;
  for (const std::size_t i : bodies_) {
    const VectorXd& volumes = model(i).mesh().volumes();
    const auto rho = design.bodies[i].density.array();
    grey += 4.0 * (volumes.array() * rho * (1.0 - rho)).sum();
    total += volumes.sum();
  }
  return total > 0.0 ? grey / total : std::numeric_limits<double>::quiet_NaN();
}

Design DesignSpace::grey_level_bar(const Design& design) const {
  double total = 0.0;
  for (const std::size_t i : bodies_) total += model(i).mesh().volumes().sum();
  return sum_bar(design, [&](const fem::FlexibleBody& body, const fem::BodyDesign& at, fem::BodyDesign& bar) {
    bar = zero_bar(at);
    bar.density = 4.0 / total * body.mesh().volumes().array() * (1.0 - 2.0 * at.density.array());
  });
}

Design DesignSpace::volume_fraction_bar(const Design& design) const {
  double total = 0.0;
  for (const std::size_t i : bodies_) total += model(i).mesh().volumes().sum();
  return sum_bar(design, [&](const fem::FlexibleBody& body, const fem::BodyDesign& at, fem::BodyDesign& bar) {
    pull_back_element_volumes(body.spec(), at, at.density / total, bar);
    bar.density = element_volumes(body.spec(), at) / total;
  });
}

double DesignSpace::mass(const Design& design) const {
  double sum = 0.0;
  for (const std::size_t i : bodies_) sum += model(i).mass(design.bodies[i]);
  return sum;
}

Design DesignSpace::mass_bar(const Design& design) const {
  return sum_bar(design, [&](const fem::FlexibleBody& body, const fem::BodyDesign& at, fem::BodyDesign& bar) {
    differentiate_mass(body.spec(), at, bar);
  });
}

const fem::LargestMembers* DesignSpace::largest_members(std::size_t body) const {
  const auto found = std::ranges::find(density_bodies_, body, &DensityBody::body);
  return found == density_bodies_.end() ? nullptr : found->largest_members.get();
}

std::vector<std::size_t> DesignSpace::bodies_with_bounded_members() const {
  std::vector<std::size_t> bodies;
  for (const DensityBody& of : density_bodies_) {
    if (of.largest_members) bodies.push_back(of.body);
  }
  return bodies;
}

double DesignSpace::excess_of_members(const Design& design, std::size_t body) const {
  const fem::LargestMembers* members = largest_members(body);
  return members ? members->excess(design.bodies[body].density) : 0.0;
}

Design DesignSpace::excess_of_members_bar(const Design& design, std::size_t body) const {
  Design bar = sum_bar(design, [](const fem::FlexibleBody&, const fem::BodyDesign& at, fem::BodyDesign& of) {
    of = zero_bar(at);
  });
  if (const fem::LargestMembers* members = largest_members(body))
    bar.bodies[body].density = members->gradient(design.bodies[body].density);
  return bar;
}

double DesignSpace::distortion(const Design& design, std::size_t body) const {
  return fem::distortion(model(body).spec().mesh, design.bodies[body].shape());
}

Design DesignSpace::distortion_bar(const Design& design, std::size_t body) const {
  Design bar = sum_bar(design, [](const fem::FlexibleBody&, const fem::BodyDesign& at, fem::BodyDesign& of) {
    of = zero_bar(at);
  });
  bar.bodies[body].set_shape(
      fem::differentiate_distortion(model(body).spec().mesh, design.bodies[body].shape()));
  return bar;
}

}  // namespace kurbel
