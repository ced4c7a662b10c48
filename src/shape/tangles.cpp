/// Boundaries that cross themselves: where they do, and what mends them.
#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fem/crossing_faces.hpp"
#include "shape/boundary.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

/// Twice the area of a triangle in the plane, positive if it turns counterclockwise.
double turn(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  return (b - a).cross(c - a).z();
}

/// The sign of the area of a triangle of a flat boundary.
bool is_positive(const Boundary& boundary, int a, int b, int c) {
  return turn(boundary.points.col(a), boundary.points.col(b), boundary.points.col(c)) > 0.0;
}

/// Triangles of a flat boundary that are turned over.
std::vector<Index> turned_triangles(const Boundary& boundary) {
  std::vector<Index> turned;
  for (Index t = 0; t < boundary.inner.cols(); ++t) {
    const auto corners = boundary.inner.col(t);
    if (!is_positive(boundary, corners[0], corners[1], corners[2])) turned.push_back(t);
  }
  return turned;
}

/// Exchanges diagonals of a flat boundary: where smoothing moved a point over an edge, its triangle is turned over, and the
/// other diagonal of that triangle and the one beyond the edge sets this right.
class DiagonalExchange {
 public:
  explicit DiagonalExchange(Boundary& boundary) : boundary_(boundary) {}

  void run() {
    const std::vector<Index> turned = turned_triangles(boundary_);
    if (turned.empty()) return;
    for (Index t = 0; t < boundary_.inner.cols(); ++t) enter(t);
    for (const Index t : turned) {
      if (is_positive(boundary_, corner(t, 0), corner(t, 1), corner(t, 2))) continue;  // as the other one
      for (Index k = 0; k < 3; ++k) {
        if (exchange(t, k)) break;
      }
    }
  }

 private:
  using Edge = std::pair<int, int>;  ///< in the direction of its triangle

  int corner(Index t, Index k) const { return boundary_.inner(k % 3, t); }

  void enter(Index t) {
    for (Index k = 0; k < 3; ++k) left_of_[{corner(t, k), corner(t, k + 1)}] = t;
  }

  bool exchange(Index t, Index k) {
    const int p = corner(t, k), q = corner(t, k + 1), r = corner(t, k + 2);
    const auto beyond = left_of_.find({q, p});
    if (beyond == left_of_.end()) return false;
    const Index other = beyond->second;
    const int s = boundary_.inner.col(other).sum() - p - q;
    if (!is_positive(boundary_, p, s, r) || !is_positive(boundary_, s, q, r)) return false;
    left_of_.erase({p, q});
    left_of_.erase({q, p});
    boundary_.inner.col(t) << p, s, r;
    boundary_.inner.col(other) << s, q, r;
    enter(t), enter(other);
    return true;
  }

  Boundary& boundary_;
  std::map<Edge, Index> left_of_;  ///< the triangle on the left of an edge
};

/// Tells whether a face of the mesh, which stays in its plane, is turned over.
bool is_turned_over(const auto& face, const MatrixXd& points, const MatrixXd& before) {
  const auto normal = [&](const MatrixXd& x) {
    const Vector3d a = x.col(face[0]), b = x.col(face[1]), c = x.col(face[2]);
    return Vector3d((b - a).cross(c - a));
  };
  return normal(points).dot(normal(before)) <= 0.0;
}

std::set<int> tangled_points(const Boundary& boundary, const MatrixXd& before) {
  std::set<int> points;
  const auto add = [&](const auto& corners) { points.insert(corners.begin(), corners.end()); };
  for (const auto& [f, g] : fem::crossing_faces(boundary.points, boundary.faces))
    add(boundary.faces.col(f)), add(boundary.faces.col(g));
  for (const Index t : turned_triangles(boundary)) add(boundary.inner.col(t));
  for (Index f = 0; boundary.faces.rows() == 3 && f < boundary.faces.cols(); ++f) {
    if (boundary.is_cut[static_cast<std::size_t>(f)]) continue;
    if (is_turned_over(boundary.faces.col(f), boundary.points, before)) add(boundary.faces.col(f));
  }
  return points;
}

/// Adds the points that have a face or triangle in common with these.
void grow(std::set<int>& points, const Boundary& boundary) {
  const std::set<int> first = points;
  for (const Eigen::MatrixXi* faces : {&boundary.faces, &boundary.inner}) {
    for (const auto& face : faces->colwise()) {
      if (std::ranges::any_of(face, [&](int point) { return first.contains(point); }))
        points.insert(face.begin(), face.end());
    }
  }
}

/// Tells whether two faces have a gap between them, and not a member.
bool is_gap(const Boundary& boundary, const MatrixXd& points, int f, int g) {
  const auto corner = [&](int face, Index k) { return Vector3d(points.col(boundary.faces(k, face))); };
  const auto middle = [&](int face) {
    return Vector3d(points(Eigen::all, boundary.faces.col(face)).rowwise().mean());
  };
  const Vector3d first = corner(f, 1) - corner(f, 0);
  const bool is_flat = boundary.faces.rows() == 2;
  const Vector3d outward = first.cross(is_flat ? Vector3d::UnitZ() : Vector3d(corner(f, 2) - corner(f, 0)));
  return outward.dot(middle(g) - middle(f)) > 0.0;
}

}  // namespace

std::set<int> narrow_points(const Boundary& boundary, const MatrixXd& before) {
  std::set<int> points;
  for (const auto& [f, g] : fem::crossing_faces(boundary.points, boundary.faces)) {
    const bool fills = is_gap(boundary, before, f, g);
    for (const int face : {f, g}) {
      for (const int point : boundary.faces.col(face)) {
        const Boundary::Ends& ends = boundary.ends[static_cast<std::size_t>(point)];
        points.insert(fills ? ends.outside : ends.inside);
      }
    }
  }
  return points;
}

void untangle(Boundary& boundary, const MatrixXd& before) {
  constexpr int most_times = 30;
  constexpr double least_share = 0.1;
  const MatrixXd smooth = boundary.points;
  VectorXd share = VectorXd::Ones(smooth.cols());
  for (int k = 0; k < most_times; ++k) {
    DiagonalExchange(boundary).run();
    std::set<int> points = tangled_points(boundary, before);
    if (points.empty()) return;
    grow(points, boundary);
    for (const int p : points) {
      share[p] = share[p] > least_share ? 0.5 * share[p] : 0.0;
      boundary.points.col(p) = before.col(p) + share[p] * (smooth.col(p) - before.col(p));
    }
  }
}

std::optional<Crossing> find_crossing(const Boundary& boundary) {
  std::optional<Crossing> found;
  for (const auto& [f, g] : fem::crossing_faces(boundary.points, boundary.faces)) {
    const bool is_of_mesh =
        !boundary.is_cut[static_cast<std::size_t>(f)] && !boundary.is_cut[static_cast<std::size_t>(g)];
    if (found && is_of_mesh) continue;
    found = {boundary.points(Eigen::all, boundary.faces.col(f)).rowwise().mean(), is_of_mesh};
    if (!is_of_mesh) break;
  }
  return found;
}

}  // namespace kurbel
