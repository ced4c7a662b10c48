#include "fem/mesh_source.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.hpp"
#include "fem/element.hpp"
#include "fem/surface_morph.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// x = origin + size xi.
class AffineSource : public MeshSource {
 public:
  explicit AffineSource(const MeshSpec& spec) : spec_(spec) {}

  MeshShape pullback(const MeshShape&, const Mesh::Points& positions_bar) const override {
    const Mesh::Points x = positions(spec_.size);
    Vector3d size_bar = Vector3d::Zero();
    for (int d = 0; d < spec_.dim; ++d)
      size_bar[d] = (x.row(d).array() - spec_.origin[d]).matrix().dot(positions_bar.row(d)) / spec_.size[d];
    return size_bar;
  }

  MeshShape pull_back_measures(const MeshShape& shape, const VectorXd& measures_bar) const override {
    const double sum = measures_bar.dot(measures(shape, measures_bar.size()));
    Vector3d size_bar = Vector3d::Zero();
    for (int d = 0; d < spec_.dim; ++d) size_bar[d] = sum / shape.size[d];
    return size_bar;
  }

 protected:
  const MeshSpec spec_;
};

class BoxSource final : public AffineSource {
 public:
  using AffineSource::AffineSource;

  Mesh::Points positions(const MeshShape& shape) const override {
    const Vector3d& size = shape.size;
    require_valid(size);
    const std::array<int, 3>& n = spec_.divisions;
    const int n_z = spec_.dim == 3 ? n[2] : 0;
    Mesh::Points positions(3, static_cast<Index>(n[0] + 1) * (n[1] + 1) * (n_z + 1));
    Index node = 0;
    for (int k = 0; k <= n_z; ++k) {
      const double z = spec_.dim == 3 ? spec_.origin[2] + size[2] * k / n[2] : 0.0;
      for (int j = 0; j <= n[1]; ++j) {
        const double y = spec_.origin[1] + size[1] * j / n[1];
        for (int i = 0; i <= n[0]; ++i) positions.col(node++) << spec_.origin[0] + size[0] * i / n[0], y, z;
      }
    }
    return positions;
  }

  double n_nodes() const override {
    double n = 1.0;
    for (int d = 0; d < spec_.dim; ++d) n *= spec_.divisions[static_cast<std::size_t>(d)] + 1.0;
    return n;
  }

  Vector3d element_size(const Vector3d& size) const override {
    Vector3d edges = edges_of(size);
    if (spec_.dim == 2) edges[2] = spec_.thickness;
    return edges;
  }

  VectorXd measures(const MeshShape& shape, Index n_elements) const override {
    return VectorXd::Constant(n_elements, edges_of(shape.size).prod());
  }

 private:
  /// In 2D the third is 1.
  Vector3d edges_of(const Vector3d& size) const {
    Vector3d edges = Vector3d::Ones();
    for (int d = 0; d < spec_.dim; ++d) edges[d] = size[d] / spec_.divisions[static_cast<std::size_t>(d)];
    return edges;
  }

  void require_valid(const Vector3d& size) const {
    if (spec_.dim != 2 && spec_.dim != 3) {
      throw InputError(fmt::format("mesh: dimension {} is neither 2 nor 3", spec_.dim));
    }
    for (int d = 0; d < spec_.dim; ++d) {
      if (spec_.divisions[static_cast<std::size_t>(d)] < 1) {
        throw InputError(
            fmt::format("mesh.divisions: {} is less than 1", spec_.divisions[static_cast<std::size_t>(d)]));
      }
      if (!(size[d] > 0.0) || !std::isfinite(size[d])) {
        throw InputError(fmt::format("mesh.size: {} is not a positive length", size[d]));
      }
    }
    if (spec_.dim == 2 && !(spec_.thickness > 0.0)) {
      throw InputError(fmt::format("mesh.thickness: {} is not a positive length", spec_.thickness));
    }
    if (!spec_.origin.allFinite()) throw InputError("mesh.origin: not finite");
    if (n_nodes() * spec_.dim > 2e9)
      throw InputError(fmt::format("mesh.divisions: {:.3g} nodes are too many", n_nodes()));
  }
};

/// A given mesh, moved and stretched: origin + size_d (x_d - lowest x_d) / extent_d.
class GivenMesh : public AffineSource {
 public:
  explicit GivenMesh(const MeshSpec& spec)
      : AffineSource(spec),
        lowest_(spec.given->positions().rowwise().minCoeff()),
        extent_(spec.given->positions().rowwise().maxCoeff() - lowest_) {}

  Mesh::Points positions(const MeshShape& shape) const override {
    const Mesh::Points& given = spec_.given->positions();
    const Vector3d stretch = stretch_of(shape.size);
    if (stretch == Vector3d::Ones() && lowest_ == spec_.origin) return given;
    return (stretch.asDiagonal() * (given.colwise() - lowest_)).colwise() + spec_.origin;
  }

  double n_nodes() const override { return static_cast<double>(spec_.given->n_nodes()); }

  Vector3d element_size(const Vector3d& size) const override {
    Vector3d edges = spec_.given->element_size().cwiseProduct(stretch_of(size));
    if (spec_.dim == 2) edges[2] = spec_.thickness;
    return edges;
  }

  VectorXd measures(const MeshShape& shape, Index) const override {
    return spec_.given->measures() * stretch_of(shape.size).prod();
  }

 private:
  /// In 2D the third is 1.
  Vector3d stretch_of(const Vector3d& size) const {
    Vector3d stretch = Vector3d::Ones();
    for (int d = 0; d < spec_.dim; ++d) stretch[d] = size[d] / extent_[d];
    return stretch;
  }

  Vector3d lowest_, extent_;
};

/// A given mesh whose surface has been moved.
class MorphedMesh final : public GivenMesh {
 public:
  using GivenMesh::GivenMesh;

  Mesh::Points positions(const MeshShape& shape) const override {
    Mesh::Points x = GivenMesh::positions(shape);
    if (!shape.offsets.isZero(0.0)) x += spec_.morph->displacements(shape.offsets);
    return x;
  }

  MeshShape pullback(const MeshShape& shape, const Mesh::Points& positions_bar) const override {
    MeshShape bar = GivenMesh::pullback(shape, positions_bar);
    bar.offsets = spec_.morph->pullback(positions_bar);
    return bar;
  }

  VectorXd measures(const MeshShape& shape, Index n_elements) const override {
    const Mesh::Points x = positions(shape);
    return VectorXd::NullaryExpr(n_elements, [&](Index e) {
      return element_measure(spec_.given->kind_of(e), x(Eigen::all, spec_.given->nodes_of(e)));
    });
  }

  MeshShape pull_back_measures(const MeshShape& shape, const VectorXd& measures_bar) const override {
    const Mesh::Points x = positions(shape);
    Mesh::Points x_bar = Mesh::Points::Zero(3, x.cols());
    for (Index e = 0; e < measures_bar.size(); ++e) {
      const Mesh::Nodes nodes = spec_.given->nodes_of(e);
      x_bar(Eigen::all, nodes) +=
          measures_bar[e] * differentiate_measure(spec_.given->kind_of(e), x(Eigen::all, nodes));
    }
    return pullback(shape, x_bar);
  }
};

}  // namespace

std::unique_ptr<const MeshSource> mesh_source(const MeshSpec& spec) {
  if (spec.morph) return std::make_unique<const MorphedMesh>(spec);
  if (spec.given) return std::make_unique<const GivenMesh>(spec);
  return std::make_unique<const BoxSource>(spec);
}

}  // namespace kurbel::fem
