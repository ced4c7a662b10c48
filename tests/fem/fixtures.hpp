/// @file
/// Bodies and densities that the tests share.
#pragma once

#include <random>

#include "fem/flexible_body.hpp"

namespace kurbel::fem::test {

inline Box plane(int axis, double value) {
  Box box;
  box.lower[axis] = box.upper[axis] = value;
  return box;
}

inline MarkerSpec marker(const std::string& name, const Box& nodes) {
  return {name, nodes};
}

/// The element of a box.
inline std::unique_ptr<const Element> box_element(const MeshSpec& mesh, double poisson_ratio) {
  return make_element(mesh.dim == 2 ? ElementKind::quad4 : ElementKind::hex8, poisson_ratio, mesh.thickness,
                      mesh.element);
}

/// The weights of the density filter, max(0, radius - |x_e - x_f|) V_f, rows divided by their sums.
MatrixXd filter_matrix(const Mesh& mesh, double radius);

/// A marker at nodes that count alike.
inline MarkerOperator marker_at(const std::string& name, const std::vector<int>& nodes,
                                const Mesh::Points& positions, int dim, const NodeOrder& order) {
  return {name, {nodes, std::vector<double>(nodes.size(), 1.0)}, positions, dim, order};
}
inline MarkerOperator marker_at(const std::string& name, const std::vector<int>& nodes, const Mesh& mesh,
                                const NodeOrder& order) {
  return marker_at(name, nodes, mesh.positions(), mesh.dim(), order);
}

inline AttachmentSpec forces(const std::string& marker_name) {
  return {marker_name, {true, true, true}, {}};
}

/// The crank: 0.2 m x 0.04 m x 0.01 m of steel in plane stress, clamped at x = 0, marker "pin" at x = 0.2.
inline FlexibleBodySpec crank(int n_x, int n_y, int n_modes, bool attachment) {
  FlexibleBodySpec spec;
  spec.name = "crank";
  spec.mesh.dim = 2;
  spec.mesh.origin = {0.0, -0.02, 0.0};
  spec.mesh.size = {0.2, 0.04, 0.0};
  spec.mesh.divisions = {n_x, n_y, 1};
  spec.mesh.thickness = 0.01;
  spec.material = {2.1e11, 0.3, 7850.0};
  spec.clamp = plane(0, 0.0);
  spec.markers = {marker("pin", plane(0, 0.2))};
  spec.n_normal_modes = n_modes;
  if (attachment) spec.attachments = {forces("pin")};
  return spec;
}

/// A solid bar along x, clamped at x = 0, marker "tip" at its end; a square section has bending modes in
/// pairs.
inline FlexibleBodySpec bar(std::array<int, 3> divisions, const Vector3d& size, int n_modes,
                            bool attachment) {
  FlexibleBodySpec spec;
  spec.name = "bar";
  spec.mesh.dim = 3;
  spec.mesh.origin = {0.0, -0.5 * size[1], -0.5 * size[2]};
  spec.mesh.size = size;
  spec.mesh.divisions = divisions;
  spec.material = {2.1e11, 0.3, 7850.0};
  spec.clamp = plane(0, 0.0);
  spec.markers = {marker("tip", plane(0, size[0]))};
  spec.n_normal_modes = n_modes;
  if (attachment) spec.attachments = {{"tip", {true, true, true}, {true, true, true}}};
  return spec;
}

/// Buckens' frame: free in space.
inline FlexibleBodySpec free_body(FlexibleBodySpec spec) {
  spec.frame.type = FrameSpec::Type::buckens;
  spec.clamp = {};
  return spec;
}

/// A chord frame from the marker "root" (the face x = 0, added) to `end`.
inline FlexibleBodySpec on_chord(FlexibleBodySpec spec, const std::string& end) {
  spec.frame = {FrameSpec::Type::chord, "root", end, ""};
  spec.clamp = {};
  spec.markers.insert(spec.markers.begin(), marker("root", plane(0, 0.0)));
  return spec;
}

/// Densities in [low, 1], none close to the kink of SIMP at 0.1.
inline VectorXd random_densities(Eigen::Index n, double low, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, 1.0);
  return VectorXd::NullaryExpr(n, [&]() {
    const double p = uniform(random);
    return p > 0.09 && p < 0.11 ? p + 0.04 : p;
  });
}

inline MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return MatrixXd::NullaryExpr(rows, cols, [&]() { return uniform(random); });
}

/// The reduced model.
/// @throws std::runtime_error with the failure of the reduction, which fails the test
ReducedBody reduced(FlexibleBody& body, const VectorXd& rho);

}  // namespace kurbel::fem::test
