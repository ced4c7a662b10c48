#include "fem/surface_loads.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fem/faces.hpp"
#include "fem/selection.hpp"
#include "fem/shape_functions.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// int N_i p n dA of the nodes of a face, and its area.
struct FaceForces {
  Mesh::Points forces;
  double area = 0.0;
};

/// @param x       places of the nodes of the face
/// @param inside  a point within the element, on the other side of the face than its normal
template <class Kind, class Pressure>
FaceForces integrate(const Mesh::Points& x, const Vector3d& inside, const Pressure& pressure) {
  FaceForces face{Mesh::Points::Zero(3, Kind::n)};
  const Vector3d outward = x.rowwise().mean() - inside;
  for (const auto& [xi, weight] : Kind::mass_rule()) {
    const auto shape = Kind::shape(xi);
    const Eigen::Matrix<double, 3, Kind::dim> tangents = x * shape.dN.transpose();
    Vector3d normal;
    if constexpr (Kind::dim == 1) {
      normal = Vector3d(tangents.col(0)).cross(Vector3d::UnitZ());
    } else {
      normal = tangents.col(0).cross(tangents.col(1));
    }
    if (normal.dot(outward) < 0.0) normal *= -1.0;
    const double dA = weight * normal.norm();
    normal.normalize();
    face.area += dA;
    face.forces -= (dA * pressure(normal) * normal) * shape.N.transpose();
  }
  return face;
}

}  // namespace

NodalForces nodal_forces(const SurfaceLoad& load, const Mesh& mesh, double thickness) {
  const bool is_bearing = load.kind == SurfaceLoad::Kind::bearing;
  const auto pressure = [&](const Vector3d& normal) {
    return is_bearing ? std::max(0.0, -normal.dot(load.direction)) : 1.0;
  };
  std::map<int, Vector3d> by_node;
  NodalForces out;
  for (const ElementFace& face : faces_in(mesh, load.place)) {
    const std::vector<int> nodes = nodes_of(mesh, face);
    const Mesh::Points x = mesh.positions()(Eigen::all, nodes);
    const std::size_t n_corners = topology(mesh.kind_of(face.element)).n_face_corners(face.index);
    const FaceForces part = with_face_kind(n_corners, nodes.size(), [&]<class Kind>(Kind) {
      return integrate<Kind>(x, mesh.centres().col(face.element), pressure);
    });
    out.area += thickness * part.area;
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      by_node.try_emplace(nodes[a], Vector3d::Zero()).first->second +=
          thickness * part.forces.col(static_cast<Index>(a));
    }
  }
  out.forces.resize(3, std::ssize(by_node));
  for (const auto& [node, force] : by_node) {
    out.forces.col(std::ssize(out.nodes)) = force;
    out.nodes.push_back(node);
  }
  if (!is_bearing || out.nodes.empty()) return out;
  const double resultant = load.direction.dot(out.forces.rowwise().sum());
  if (!(resultant > 1e-9 * out.area)) return {{}, Mesh::Points(3, 0), out.area};
  out.forces /= resultant;
  return out;
}

std::vector<LoadShare> shares_of(const NodalForces& forces) {
  constexpr double rounding = 1e-9;
  std::vector<LoadShare> shares;
  if (forces.nodes.empty()) return shares;
  const double least = rounding * forces.forces.cwiseAbs().maxCoeff();
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      LoadShare share{.axis = axis, .set = {}};
      for (std::size_t i = 0; i < forces.nodes.size(); ++i) {
        const double f = sign * forces.forces(axis, static_cast<Index>(i));
        if (f <= least) continue;
        share.set.nodes.push_back(forces.nodes[i]);
        share.set.weights.push_back(f);
        share.force += sign * f;
      }
      if (!share.set.nodes.empty()) shares.push_back(std::move(share));
    }
  }
  return shares;
}

bool is_same_mean(const NodeSet& a, const NodeSet& b) {
  constexpr double rounding = 1e-9;
  const auto total = [](const NodeSet& set) {
    return std::accumulate(set.weights.begin(), set.weights.end(), 0.0);
  };
  // A node without weight may be in one of them alone.
  std::map<int, double> difference;
  const auto add = [&](const NodeSet& set, double factor) {
    for (std::size_t i = 0; i < set.nodes.size(); ++i) difference[set.nodes[i]] += factor * set.weights[i];
  };
  add(a, 1.0 / total(a));
  add(b, -1.0 / total(b));
  return std::ranges::all_of(difference, [&](const auto& at) {
    return std::abs(at.second) <= rounding / static_cast<double>(a.nodes.size());
  });
}

namespace {

VectorXd forces_on_nodes(const CombinedLoadSpec& load, const std::vector<MarkerSpec>& markers,
                         const Mesh& mesh) {
  VectorXd f = VectorXd::Zero(3 * mesh.n_nodes());
  for (const CombinedLoadSpec::Force& force : load.forces) {
    const auto marker = std::ranges::find(markers, force.marker, &MarkerSpec::name);
    const NodeSet set = marker_nodes(*marker, mesh);
    const double total = std::accumulate(set.weights.begin(), set.weights.end(), 0.0);
    for (std::size_t i = 0; i < set.nodes.size(); ++i)
      f.segment<3>(3 * set.nodes[i]) += set.weights[i] / total * force.force;
  }
  return f;
}

}  // namespace

bool is_combination(const CombinedLoadSpec& load, const std::vector<CombinedLoadSpec>& others,
                    const std::vector<MarkerSpec>& markers, const Mesh& mesh) {
  constexpr double rounding = 1e-6;
  if (others.empty()) return false;
  const VectorXd f = forces_on_nodes(load, markers, mesh);
  MatrixXd F(f.size(), std::ssize(others));
  for (std::size_t i = 0; i < others.size(); ++i)
    F.col(static_cast<Eigen::Index>(i)) = forces_on_nodes(others[i], markers, mesh);
  const VectorXd shares = F.colPivHouseholderQr().solve(f);
  return (f - F * shares).norm() <= rounding * f.norm();
}

}  // namespace kurbel::fem
