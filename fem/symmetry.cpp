#include "fem/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "fem/density_field.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;
using Weights = DensityField::Weights;

/// x -> R x + t.
struct Reflection {
  Matrix3d R = Matrix3d::Identity();
  Vector3d t = Vector3d::Zero();
  Vector3d operator()(const Vector3d& x) const { return R * x + t; }
};

Reflection operator*(const Reflection& a, const Reflection& b) {
  return {a.R * b.R, a.R * b.t + a.t};
}

std::string text_of(const SymmetryPlane& plane) {
  return fmt::format("the plane through ({:g}, {:g}, {:g}) m with the normal ({:g}, {:g}, {:g})",
                     plane.point[0], plane.point[1], plane.point[2], plane.normal[0], plane.normal[1],
                     plane.normal[2]);
}

Reflection reflection_at(const SymmetryPlane& plane) {
  const Vector3d n = plane.normal.normalized();
  return {Matrix3d::Identity() - 2.0 * n * n.transpose(), 2.0 * n.dot(plane.point) * n};
}

/// All that the planes generate, the identity first.
std::vector<Reflection> group_of(const std::vector<SymmetryPlane>& planes) {
  constexpr double right_angle = 1e-9;
  std::vector<Reflection> group(1);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(planes[i].normal.normalized().dot(planes[j].normal.normalized())) > right_angle)
        throw InputError(fmt::format(
            "its planes {} and {} are not at right angles; kurbel has no other symmetries about planes",
            j + 1, i + 1));
    }
    const Reflection own = reflection_at(planes[i]);
    for (std::size_t k = 0, n = group.size(); k < n; ++k) group.push_back(own * group[k]);
  }
  return group;
}

bool is_symmetric(const Mesh& mesh, const std::vector<Index>& active, const std::vector<Reflection>& group,
                  const DensityField& field) {
  return std::ranges::all_of(active, [&](Index e) {
    return std::ranges::all_of(
        group, [&](const Reflection& g) { return field.centred_at(g(mesh.centres().col(e))) >= 0; });
  });
}

void require_symmetric(const Mesh& mesh, const std::vector<Index>& active, const SymmetryPlane& plane,
                       const DensityField& field) {
  constexpr double most = 0.01;
  const Reflection image = reflection_at(plane);
  double outside = 0.0, all = 0.0;
  Index n = 0, first = -1;
  for (const Index e : active) {
    all += mesh.volumes()[e];
    if (!field.at(image(mesh.centres().col(e))).empty()) continue;
    outside += mesh.volumes()[e];
    if (n++ == 0) first = e;
  }
  if (outside <= most * all) return;
  const Vector3d x = mesh.centres().col(first);
  throw InputError(fmt::format(
      "what is designed is not symmetric about {}: the images of {} of its elements, {:.3g} % of its "
      "volume, lie outside, such as that of the one at ({:.4g}, {:.4g}, {:.4g}) m. Regions have to be "
      "symmetric, too",
      text_of(plane), n, 100.0 * outside / all, x[0], x[1], x[2]));
}

}  // namespace

SymmetricDensities::SymmetricDensities(const Mesh& mesh, const std::vector<SymmetryPlane>& planes,
                                       const std::vector<Index>& active)
    : S_(mesh.n_elements(), mesh.n_elements()) {
  const std::vector<Reflection> group = group_of(planes);
  const DensityField field(mesh, active);
  for (const SymmetryPlane& plane : planes) require_symmetric(mesh, active, plane, field);
  const bool by_pairs = is_symmetric(mesh, active, group, field);
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<bool> varies(static_cast<std::size_t>(mesh.n_elements()), false);
  for (const Index e : active) {
    varies[static_cast<std::size_t>(e)] = true;
    std::vector<Weights> images;
    for (const Reflection& g : group) {
      const Vector3d p = g(mesh.centres().col(e));
      Weights own = by_pairs ? Weights{{field.centred_at(p), 1.0}} : field.at(p);
      if (!own.empty()) images.push_back(std::move(own));
    }
    const double share = 1.0 / static_cast<double>(images.size());
    for (const Weights& image : images) {
      for (const auto& [f, w] : image) entries.emplace_back(e, f, share * w);
    }
  }
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    if (!varies[static_cast<std::size_t>(e)]) entries.emplace_back(e, e, 1.0);
  }
  S_.setFromTriplets(entries.begin(), entries.end());
}

}  // namespace kurbel::fem
