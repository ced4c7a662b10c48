#include "fem/moved_mesh.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "fem/crossing_faces.hpp"
#include "fem/element.hpp"
#include "fem/faces.hpp"
#include "fem/mesh_source.hpp"
#include "fem/selection.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double exponent = 8.0, least = 0.1;  ///< p, and d without offsets

MeshShape without_offsets(MeshShape shape) {
  shape.offsets.setZero();
  return shape;
}

Mesh::Nodes corners_of(const Mesh& mesh, Index element) {
  return {mesh.nodes_of(element).data(), topology(mesh.kind_of(element)).n_corners};
}

/// m_e; NaN of an element that is turned inside out.
VectorXd corner_measures(const Mesh& mesh, const Mesh::Points& x) {
  return VectorXd::NullaryExpr(mesh.n_elements(), [&](Index e) {
    return element_measure(with_corners_alone(mesh.kind_of(e)), x(Eigen::all, corners_of(mesh, e)));
  });
}

/// max(0, m0 / m - 1) by element; infinity if it is turned inside out.
VectorXd shrinkages(const VectorXd& before, const VectorXd& measures) {
  return before.binaryExpr(measures, [](double m0, double m) {
    return m > 0.0 ? std::max(0.0, m0 / m - 1.0) : std::numeric_limits<double>::infinity();
  });
}

/// d, without overflow.
double norm_of(const VectorXd& shrinkage) {
  const double largest = std::max(least, shrinkage.maxCoeff());
  if (std::isinf(largest)) return largest;
  return largest *
         std::pow(std::pow(least / largest, exponent) + (shrinkage / largest).array().pow(exponent).sum(),
                  1.0 / exponent);
}

/// Edges (2D) or triangles of the surface, by the numbers of their corners; quadrilaterals as two.
Eigen::MatrixXi faces_of_surface(const Mesh& mesh) {
  std::vector<int> corners;
  Index n = 0;
  for (const ElementFace& face : surface_faces(mesh)) {
    const auto [a, b, c, d] = face.corners;
    if (mesh.dim() == 2) {
      corners.insert(corners.end(), {a, b}), n += 1;
      continue;
    }
    corners.insert(corners.end(), {a, b, c}), n += 1;
    if (d >= 0) corners.insert(corners.end(), {a, c, d}), n += 1;
  }
  return Eigen::Map<const Eigen::MatrixXi>(corners.data(), mesh.dim(), n);
}

}  // namespace

double distortion(const MeshSpec& spec, const MeshShape& shape) {
  const Mesh& mesh = *spec.given;
  const auto source = mesh_source(spec);
  return norm_of(shrinkages(corner_measures(mesh, source->positions(without_offsets(shape))),
                            corner_measures(mesh, source->positions(shape))));
}

MeshShape differentiate_distortion(const MeshSpec& spec, const MeshShape& shape) {
  const Mesh& mesh = *spec.given;
  const auto source = mesh_source(spec);
  const Mesh::Points x0 = source->positions(without_offsets(shape)), x = source->positions(shape);
  const VectorXd before = corner_measures(mesh, x0), now = corner_measures(mesh, x);
  const VectorXd shrinkage = shrinkages(before, now);
  const double norm = norm_of(shrinkage);
  if (std::isinf(norm)) return {Vector3d::Zero(), VectorXd(VectorXd::Zero(shape.offsets.size()))};
  Mesh::Points x_bar = Mesh::Points::Zero(3, x.cols()), x0_bar = x_bar;
  for (Index e = 0; e < shrinkage.size(); ++e) {
    if (shrinkage[e] == 0.0) continue;
    const double of_ratio = std::pow(shrinkage[e] / norm, exponent - 1.0);
    const ElementKind kind = with_corners_alone(mesh.kind_of(e));
    const Mesh::Nodes nodes = corners_of(mesh, e);
    x0_bar(Eigen::all, nodes) += of_ratio / now[e] * differentiate_measure(kind, x0(Eigen::all, nodes));
    x_bar(Eigen::all, nodes) -=
        of_ratio * before[e] / (now[e] * now[e]) * differentiate_measure(kind, x(Eigen::all, nodes));
  }
  MeshShape bar = source->pullback(shape, x_bar);
  bar.size += source->pullback(without_offsets(shape), x0_bar).size;
  return bar;
}

std::optional<Index> inverted_element(const MeshSpec& spec, const MeshShape& shape) {
  const Mesh& mesh = *spec.given;
  const auto source = mesh_source(spec);
  const VectorXd whole = source->measures(shape, mesh.n_elements());
  const VectorXd by_corners = corner_measures(mesh, source->positions(shape));
  for (Index e = 0; e < whole.size(); ++e) {
    if (!(whole[e] > 0.0) || !(by_corners[e] > 0.0)) return e;
  }
  return {};
}

std::optional<Vector3d> crossing_of_surface(const MeshSpec& spec, const MeshShape& shape) {
  const auto source = mesh_source(spec);
  const Eigen::MatrixXi faces = faces_of_surface(*spec.given);
  const Mesh::Points x = source->positions(shape);
  const auto crossing = crossing_faces(x, faces);
  if (crossing.empty() || !crossing_faces(source->positions(without_offsets(shape)), faces).empty())
    return {};
  return Vector3d(x(Eigen::all, faces.col(crossing.front().first)).rowwise().mean());
}

}  // namespace kurbel::fem
