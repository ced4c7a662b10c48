#include "fem/frame.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/symmetric_eigen.hpp"
#include "fem/faces.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

// Lowest over highest singular value of the conditions on rigid motions; its square stands above rounding.
constexpr double determinate = 1e-6;

const MarkerSpec* find_marker(const FlexibleBodySpec& spec, const std::string& name) {
  const auto it = std::find_if(spec.markers.begin(), spec.markers.end(),
                               [&](const MarkerSpec& m) { return m.name == name; });
  return it == spec.markers.end() ? nullptr : &*it;
}

Vector3d mean_position(const MarkerSpec& marker, const Mesh& mesh) {
  const NodeOrder order(mesh.n_nodes(), {});
  return MarkerOperator(marker.name, marker_nodes(marker, mesh), mesh.positions(), mesh.dim(), order)
      .position();
}

/// Translations, then rotations about the centre (about z in 2D), on the free degrees of freedom.
MatrixXd rigid_modes(const Mesh& mesh, const NodeOrder& order, const Vector3d& centre) {
  const int dim = mesh.dim();
  MatrixXd R = MatrixXd::Zero(order.n_free() * dim, dim == 2 ? 3 : 6);
  for (Index i = 0; i < order.n_free(); ++i) {
    const Vector3d x = mesh.positions().col(order.node_at(i)) - centre;
    R.block(i * dim, 0, dim, dim).setIdentity();
    for (int a = 0; a < R.cols() - dim; ++a) {
      const Vector3d turn = Vector3d::Unit(dim == 2 ? 2 : a).cross(x);
      for (int d = 0; d < dim; ++d) R(i * dim + d, dim + a) = turn[d];
    }
  }
  return R;
}

/// The node farthest from the line x + s d; from x itself if d is zero.
Index farthest(const Mesh& mesh, const Vector3d& x, const Vector3d& d) {
  Index node = 0;
  const Vector3d t = d.squaredNorm() > 0.0 ? d.normalized() : d;
  const auto distances = (mesh.positions().colwise() - x).eval();
  (distances - t * (t.transpose() * distances)).colwise().squaredNorm().maxCoeff(&node);
  return node;
}

/// All directions of a corner, those across the line to a far node, and the one across the plane with a
/// third.
std::vector<Index> determinate_dofs(const Mesh& mesh, const NodeOrder& order) {
  const int dim = mesh.dim();
  const auto dof = [&](Index node, Index d) {
    return Index{order.position_of(static_cast<int>(node))} * dim + d;
  };
  const Vector3d a = mesh.positions().col(0);
  const Index far = farthest(mesh, a, Vector3d::Zero());
  const Vector3d along = mesh.positions().col(far) - a;
  Index dominant = 0;
  along.cwiseAbs().maxCoeff(&dominant);
  std::vector<Index> dofs;
  for (Index d = 0; d < dim; ++d) dofs.push_back(dof(0, d));
  for (Index d = 0; d < dim; ++d) {
    if (d != dominant) dofs.push_back(dof(far, d));
  }
  if (dim == 2) return dofs;
  const Index third = farthest(mesh, a, along);
  Index across = 0;
  along.cross(mesh.positions().col(third) - a).cwiseAbs().maxCoeff(&across);
  dofs.push_back(dof(third, across));
  return dofs;
}

std::vector<MarkerOperator> marker_operators(const FlexibleBodySpec& spec, const Mesh& mesh,
                                             const NodeOrder& order) {
  std::vector<MarkerOperator> markers;
  for (const MarkerSpec& marker : spec.markers)
    markers.emplace_back(marker.name, marker_nodes(marker, mesh), mesh.positions(), mesh.dim(), order);
  return markers;
}

/// Loads of one kind at one marker.
bool same_place(const UnitLoad& a, const UnitLoad& b) {
  return a.marker == b.marker && (a.component < 3) == (b.component < 3);
}

}  // namespace

std::vector<int> clamped_nodes(const FlexibleBodySpec& spec, const Mesh& mesh) {
  if (spec.frame.type != FrameSpec::Type::tangent || !spec.is_clamped) return {};
  return mesh.nodes_in(spec.clamp);
}

std::vector<UnitLoad> chord_conditions(const FlexibleBodySpec& spec, const Mesh& mesh) {
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(find_marker(spec, name) - spec.markers.data());
  };
  const auto position = [&](const std::string& name) {
    return mean_position(*find_marker(spec, name), mesh);
  };
  const FrameSpec& frame = spec.frame;
  const std::size_t origin = index(frame.origin), end = index(frame.end);
  const Vector3d t = (position(frame.end) - position(frame.origin)).normalized();
  std::vector<UnitLoad> conditions;
  const auto add = [&](std::size_t marker, int component, const Vector3d& direction) {
    conditions.push_back({marker, component, "", direction});
  };
  for (int d = 0; d < mesh.dim(); ++d) add(origin, d, Vector3d::Unit(d));
  if (mesh.dim() == 2) {
    add(end, 0, Vector3d(-t[1], t[0], 0.0));
    return conditions;
  }
  Vector3d n = t.unitOrthogonal();
  if (!frame.third.empty()) n = t.cross(position(frame.third) - position(frame.origin)).normalized();
  add(end, 0, n);
  add(end, 0, t.cross(n));
  if (frame.third.empty()) {
    add(origin, 3, t);
  } else {
    add(index(frame.third), 0, n);
  }
  return conditions;
}

std::string chord_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  const FrameSpec& frame = spec.frame;
  std::vector<std::string> names = {frame.origin, frame.end};
  if (!frame.third.empty()) names.push_back(frame.third);
  const NodeOrder order(mesh.n_nodes(), {});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!find_marker(spec, names[i]))
      return fmt::format("names the marker \"{}\", which does not exist", names[i]);
    if (std::count(names.begin(), names.end(), names[i]) > 1)
      return fmt::format("names \"{}\" twice", names[i]);
  }
  const Vector3d size = mesh.positions().rowwise().maxCoeff() - mesh.positions().rowwise().minCoeff();
  const double length = size.norm();
  const auto at = [&](const std::string& name) { return mean_position(*find_marker(spec, name), mesh); };
  const Vector3d chord = at(frame.end) - at(frame.origin);
  if (chord.norm() < determinate * length)
    return fmt::format("needs a distance between \"{}\" and \"{}\"", frame.origin, frame.end);
  if (!frame.third.empty() &&
      chord.normalized().cross(at(frame.third) - at(frame.origin)).norm() < determinate * length) {
    return fmt::format("needs three markers that are not on one line");
  }
  MatrixXd R = rigid_modes(mesh, order, at(frame.origin));
  R.rightCols(mesh.dim() == 2 ? 1 : 3) /= length;
  const MatrixXd C_R =
      load_matrix(chord_conditions(spec, mesh), marker_operators(spec, mesh, order), order, mesh.dim())
          .transpose() *
      R;
  const VectorXd squares = symmetric_eigenvalues(C_R.transpose() * C_R);  // of singular values
  if (!(squares[0] > determinate * determinate * squares.tail<1>()[0])) {
    return fmt::format(
        "does not hold the body: the nodes of \"{}\" have no rotation about the chord; name a "
        "third marker (third)",
        frame.origin);
  }
  return {};
}

std::vector<UnitLoad> elastic_loads(const FlexibleBodySpec& spec, const Mesh& mesh) {
  std::vector<UnitLoad> loads = unit_loads(spec);
  if (spec.frame.type != FrameSpec::Type::chord) return loads;
  std::vector<UnitLoad> held = chord_conditions(spec, mesh), elastic;
  for (UnitLoad load : loads) {
    if (!load.others.empty()) {
      elastic.push_back(load);
      continue;
    }
    for (int pass = 0; pass < 2; ++pass) {
      for (const UnitLoad& other : held) {
        if (same_place(load, other)) load.direction -= other.direction * other.direction.dot(load.direction);
      }
    }
    if (load.direction.norm() < determinate) continue;
    load.direction.normalize();
    elastic.push_back(load);
    held.push_back(load);
  }
  return elastic;
}

std::string describe_frame(const FrameSpec& frame) {
  if (frame.type == FrameSpec::Type::tangent) return "tangent";
  if (frame.type == FrameSpec::Type::buckens) return "Buckens";
  const std::string third = frame.third.empty() ? "" : " and " + frame.third;
  return fmt::format("chord from {} to {}{}", frame.origin, frame.end, third);
}

ReferenceFrame::ReferenceFrame(const FlexibleBodySpec& spec, const Mesh& mesh, const NodeOrder& order)
    : type_(spec.frame.type), dim_(mesh.dim()) {
  if (is_tangent()) return;
  // Eigen sums in an order that depends on the alignment of the result.
  alignas(16) const Vector3d centre = mesh.positions().rowwise().mean();
  centre_ = centre;
  R_ = rigid_modes(mesh, order, centre_);
  orthonormal_.setIdentity(R_.cols(), R_.cols());
  springs_ = determinate_dofs(mesh, order);
  if (is_buckens()) return;
  const MatrixXd C_T =
      load_matrix(chord_conditions(spec, mesh), marker_operators(spec, mesh, order), order, dim_);
  projection_.R = R_;
  projection_.C_T = C_T * gram(R_, C_T).inverse();
}

void ReferenceFrame::update(const NodalMass& m) {
  if (!is_buckens()) return;
  MatrixXd M_R(R_.rows(), R_.cols());
  m.multiply_free(R_, M_R);
  const MatrixXd inertia = gram(R_, M_R);
  const MatrixXd symmetric = 0.5 * (inertia + inertia.transpose());
  const Eigen::LLT<MatrixXd> llt(symmetric);
  orthonormal_ = llt.matrixU().solve(MatrixXd::Identity(R_.cols(), R_.cols()));
  projection_.R = R_ * orthonormal_;
  projection_.C_T = M_R * orthonormal_;
}

MatrixXd ReferenceFrame::balanced(const MatrixXd& loads) const {
  if (is_tangent()) return loads;
  return loads - projection_.C_T * gram(projection_.R, loads);
}

MatrixXd ReferenceFrame::affine_field(const VectorXd& x) const {
  const VectorXd motion = orthonormal_ * x;
  MatrixXd A = MatrixXd::Zero(dim_, 1 + dim_);
  A.col(0) = motion.head(dim_);
  for (int a = 0; a < motion.size() - dim_; ++a) {
    const Vector3d axis = motion[dim_ + a] * Vector3d::Unit(dim_ == 2 ? 2 : a);
    Matrix3d turn;
    turn << 0.0, -axis[2], axis[1], axis[2], 0.0, -axis[0], -axis[1], axis[0], 0.0;
    A.rightCols(dim_) += turn.topLeftCorner(dim_, dim_);
    A.col(0) -= (turn * centre_).head(dim_);
  }
  return A;
}

}  // namespace kurbel::fem
