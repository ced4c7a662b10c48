#include "fem/crossing_faces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <unsupported/Eigen/BVH>

namespace kurbel::fem {

namespace {

using Eigen::Index;
using Bounds = Eigen::AlignedBox3d;

/// Twice the area of a triangle in the plane, positive if it turns counterclockwise.
double turn(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  return (b - a).cross(c - a).z();
}

/// Six times the volume of a tetrahedron.
double turn(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  return (b - a).cross(c - a).dot(d - a);
}

/// Finds faces that pass through others. Those with a point in common do so if an edge of one without this
/// point passes through the other.
class CrossingFaces {
 public:
  CrossingFaces(const MatrixXd& points, const Eigen::MatrixXi& corners, double flat)
      : points_(points), corners_(corners), flat_(flat) {
    for (Index f = 0; f < corners.cols(); ++f) {
      faces_.push_back(static_cast<int>(f));
      Bounds box;
      for (const int point : corners.col(f)) box.extend(at(point));
      boxes_.push_back(box);
    }
  }

  using Pair = std::pair<int, int>;

  std::vector<Pair> find() {
    const Tree tree(faces_.begin(), faces_.end(), boxes_.begin(), boxes_.end());
    Eigen::BVIntersect(tree, tree, *this);
    return std::move(crossing_);
  }

  // Callbacks of Eigen::BVIntersect.
  bool intersectVolumeVolume(const Bounds& a, const Bounds& b) const { return a.intersects(b); }
  bool intersectVolumeObject(const Bounds& box, int face) const { return box.intersects(box_of(face)); }
  bool intersectObjectVolume(int face, const Bounds& box) const { return box.intersects(box_of(face)); }
  bool intersectObjectObject(int f, int g) {
    if (f != g && box_of(f).intersects(box_of(g)) && passes_through(f, g)) crossing_.emplace_back(f, g);
    return false;  // goes on
  }

 private:
  using Tree = Eigen::KdBVH<double, 3, int>;

  Vector3d at(int point) const { return points_.col(point); }
  const Bounds& box_of(int face) const { return boxes_[static_cast<std::size_t>(face)]; }

  bool passes_through(int f, int g) const {
    const auto edges = corners_.col(f), face = corners_.col(g);
    const Index n = edges.size(), n_edges = n == 2 ? 1 : n;
    const double size = std::max(box_of(f).diagonal().norm(), box_of(g).diagonal().norm());
    for (Index k = 0; k < n_edges; ++k) {
      const int p = edges[k], q = edges[(k + 1) % n];
      if ((face.array() == p || face.array() == q).any()) continue;
      if (n == 2 ? are_crossing(at(p), at(q), at(face[0]), at(face[1]), size)
                 : is_pierced(at(p), at(q), at(face[0]), at(face[1]), at(face[2]), size))
        return true;
    }
    return false;
  }

  bool are_crossing(const Vector3d& p, const Vector3d& q, const Vector3d& a, const Vector3d& b,
                    double size) const {
    const double least = flat_ * size * size;
    const auto differ = [&](double s, double t) { return std::min(s, t) < -least && std::max(s, t) > least; };
    return differ(turn(p, q, a), turn(p, q, b)) && differ(turn(a, b, p), turn(a, b, q));
  }

  bool is_pierced(const Vector3d& p, const Vector3d& q, const Vector3d& a, const Vector3d& b,
                  const Vector3d& c, double size) const {
    const double least = flat_ * size * size * size;
    const auto [below, above] = std::minmax({turn(a, b, c, p), turn(a, b, c, q)});
    if (below > -least || above < least) return false;
    const auto [lowest, highest] = std::minmax({turn(p, q, a, b), turn(p, q, b, c), turn(p, q, c, a)});
    return lowest > least || highest < -least;
  }

  const MatrixXd& points_;
  const Eigen::MatrixXi& corners_;
  double flat_;
  std::vector<int> faces_;
  std::vector<Pair> crossing_;
  std::vector<Bounds> boxes_;
};

}  // namespace

std::vector<std::pair<int, int>> crossing_faces(const MatrixXd& points, const Eigen::MatrixXi& corners,
                                                double flat) {
  return CrossingFaces(points, corners, flat).find();
}

}  // namespace kurbel::fem
