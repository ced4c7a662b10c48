#include "shape/boundary.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/joined_groups.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using Corners = std::vector<int>;  ///< of a polygon, or the ends of a line: points of a boundary

class Cutter {
 public:
  Cutter(const Simplices& in, double level, const std::vector<int>& solid)
      : in_(in), level_(level), density_(in.density) {
    for (const int point : solid) density_[point] = 1.0;
  }

  Boundary cut() {
    leave_out_crumbs();
    for (Index s = 0; s < in_.corners.cols(); ++s) {
      if (role(s) == CellRole::varied) cut_through(s);
      if (in_.is_flat()) add_inner(s);
    }
    for (const Simplices::Face& face : in_.faces) add_face_of_mesh(face);
    blend();
    return finished();
  }

 private:
  CellRole role(Index s) const { return in_.role[static_cast<std::size_t>(s)]; }
  bool is_inside(int point) const { return density_[point] >= level_; }
  Vector3d at(int point) const { return in_.points.col(point); }

  /// Empties pieces that nothing holds, unless they are so much that the body itself is in pieces.
  void leave_out_crumbs() {
    constexpr double most = 0.1;
    JoinedGroups pieces(static_cast<std::size_t>(density_.size()));
    for (const auto& simplex : in_.corners.colwise()) {
      for (const int a : simplex) {
        for (const int b : simplex) {
          if (is_inside(a) && is_inside(b))
            pieces.join(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
        }
      }
    }
    std::set<int> inside;  // corners; meshes of quadratic cells have other points, too
    for (const int point : in_.corners.reshaped()) {
      if (is_inside(point)) inside.insert(point);
    }
    const auto group = [&](int point) { return pieces.group_of(static_cast<std::size_t>(point)); };
    std::set<std::size_t> held, loose;
    for (const int point : inside) {
      if (in_.is_held[static_cast<std::size_t>(point)]) held.insert(group(point));
    }
    std::vector<int> points;
    for (const int point : inside) {
      if (!held.contains(group(point))) points.push_back(point), loose.insert(group(point));
    }
    if (static_cast<double>(points.size()) > most * static_cast<double>(inside.size())) return;
    for (const int p : points) density_[p] = 0.0;
    n_crumbs_ = static_cast<int>(loose.size());
  }

  /// The point of the boundary at a point of the mesh, or on an edge between two.
  int vertex(int a, int b) {
    const auto [entry, is_new] = vertices_.try_emplace(std::minmax(a, b), static_cast<int>(points_.size()));
    if (!is_new) return entry->second;
    const auto [from, to] = entry->first;
    double share = 0.0;
    if (from != to) {
      constexpr double least = 1e-3;
      share = std::clamp((level_ - density_[from]) / (density_[to] - density_[from]), least, 1.0 - least);
    }
    points_.push_back(at(from) + share * (at(to) - at(from)));
    const auto is_at_both = [&](const std::vector<bool>& kind) {
      const auto has = [&](int end) {
        const auto i = static_cast<std::size_t>(end);
        return kind[i] || in_.is_walled[i];
      };
      return has(from) && has(to);
    };
    is_held_.push_back(is_at_both(in_.is_held)), is_blended_.push_back(is_at_both(in_.is_blended));
    ends_.push_back(is_inside(from) ? Boundary::Ends{from, to} : Boundary::Ends{to, from});
    return entry->second;
  }

  /// Adds a convex polygon as triangles, or an edge, turned so that `inner` is on the side of the solid.
  void add(Corners corners, const Vector3d& inner, bool is_cut) {
    if (static_cast<Index>(corners.size()) < in_.corners.rows() - 1) return;
    if (is_outward_of(corners, inner)) std::ranges::reverse(corners);
    const std::size_t n_triangles = in_.is_flat() ? 1 : corners.size() - 2;
    for (std::size_t t = 0; t < n_triangles; ++t) {
      faces_.push_back({corners[0], corners[t + 1], in_.is_flat() ? -1 : corners[t + 2]});
      is_cut_.push_back(is_cut);
    }
  }

  bool is_outward_of(const Corners& corners, const Vector3d& inner) const {
    const auto edge = [&](std::size_t k) {
      return Vector3d(points_[static_cast<std::size_t>(corners[k])] -
                      points_[static_cast<std::size_t>(corners[0])]);
    };
    const Vector3d towards = inner - points_[static_cast<std::size_t>(corners[0])];
    if (in_.is_flat()) return edge(1).cross(towards).z() < 0.0;
    Vector3d normal = Vector3d::Zero();
    for (std::size_t k = 2; k < corners.size(); ++k) normal += edge(k - 1).cross(edge(k));
    return normal.dot(towards) > 0.0;
  }

  /// Adds the surface where the level passes through a simplex.
  void cut_through(Index s) {
    std::vector<int> inside, outside;
    for (const int corner : in_.corners.col(s)) (is_inside(corner) ? inside : outside).push_back(corner);
    if (inside.empty() || outside.empty()) return;
    Corners corners;
    if (inside.size() == 2 && outside.size() == 2) {
      for (const auto& [i, o] : {std::pair(0, 0), std::pair(0, 1), std::pair(1, 1), std::pair(1, 0)})
        corners.push_back(vertex(inside[static_cast<std::size_t>(i)], outside[static_cast<std::size_t>(o)]));
    } else {
      for (const int i : inside) {
        for (const int o : outside) corners.push_back(vertex(i, o));
      }
    }
    add(std::move(corners), at(inside.front()), true);
  }

  /// The part of a polygon, or of a line, on one side of the level.
  Corners part(const std::vector<int>& of, bool of_inside) {
    Corners corners;
    const std::size_t n_edges = of.size() == 2 ? 1 : of.size();
    for (std::size_t k = 0; k < of.size(); ++k) {
      const int here = of[k], next = of[(k + 1) % of.size()];
      if (is_inside(here) == of_inside) corners.push_back(vertex(here, here));
      if (k < n_edges && is_inside(here) != is_inside(next)) corners.push_back(vertex(here, next));
    }
    return corners;
  }

  std::vector<int> corners_of(const Simplices::Face& face) const {
    std::vector<int> corners;
    for (Index j = 0; j < in_.corners.rows(); ++j) {
      if (j != face.opposite) corners.push_back(in_.corners(j, face.simplex));
    }
    return corners;
  }

  void add_inner(Index s) {
    const auto all = in_.corners.col(s);
    for (const bool of_inside : {true, false}) {
      if (!of_inside && role(s) != CellRole::solid) continue;
      const Corners corners = part({all.begin(), all.end()}, of_inside);
      for (std::size_t t = 2; t < corners.size(); ++t)
        inner_.push_back({corners[0], corners[t - 1], corners[t]});
    }
  }

  /// A face of a solid simplex is bare where the varied one beside it is not solid.
  void add_face_of_mesh(const Simplices::Face& of) {
    const Vector3d inner = at(in_.corners(of.opposite, of.simplex));
    if (of.is_outer) add(part(corners_of(of), true), inner, false);
    if (role(of.simplex) != CellRole::solid) return;
    std::size_t face = faces_.size();
    add(part(corners_of(of), false), inner, false);
    for (; face < faces_.size() && !of.is_outer; ++face) bare_.push_back(face);
  }

  /// Releases the border of the solid place next to what is cut, so that smoothing rounds the corner between them.
  void blend() {
    constexpr int reach = 2;  // faces
    std::vector<bool> is_free(points_.size(), false);
    const auto blended = [&](int c) { return c < 0 || is_blended_[static_cast<std::size_t>(c)]; };
    const auto free = [&](int c) { return c >= 0 && is_free[static_cast<std::size_t>(c)]; };
    const auto release = [&](std::size_t face) {
      for (const int c : faces_[face]) {
        if (c >= 0 && blended(c)) is_free[static_cast<std::size_t>(c)] = true;
      }
    };
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      if (is_cut_[f]) release(f);
    }
    for (int ring = 0; ring < reach; ++ring) {
      std::vector<std::size_t> next;
      std::ranges::copy_if(bare_, std::back_inserter(next), [&](std::size_t f) {
        return std::ranges::all_of(faces_[f], blended) && std::ranges::any_of(faces_[f], free);
      });
      for (const std::size_t f : next) release(f), is_cut_[f] = true;
    }
    for (std::size_t i = 0; i < is_free.size(); ++i) {
      if (is_free[i]) is_held_[i] = false;
    }
  }

  Boundary finished() const {
    Boundary out;
    out.points.resize(3, static_cast<Index>(points_.size()));
    for (std::size_t i = 0; i < points_.size(); ++i) out.points.col(static_cast<Index>(i)) = points_[i];
    out.faces = matrix_of(faces_, in_.corners.rows() - 1), out.inner = matrix_of(inner_, 3);
    out.is_cut = is_cut_, out.is_held = is_held_, out.n_crumbs = n_crumbs_;
    out.ends = ends_;
    if (!in_.is_flat()) out.crowded = crowded();
    return out;
  }

  /// The points of the mesh, inside of the solid, at edges of more than two triangles.
  std::vector<int> crowded() const {
    std::map<std::pair<int, int>, int> n_faces;
    for (const auto& face : faces_) {
      for (std::size_t k = 0; k < face.size(); ++k)
        ++n_faces[std::minmax(face[k], face[(k + 1) % face.size()])];
    }
    std::set<int> at_crowded;
    for (const auto& [edge, n] : n_faces) {
      if (n > 2) at_crowded.insert({edge.first, edge.second});
    }
    std::vector<int> points;
    for (const auto& [ends, vertex] : vertices_) {
      if (at_crowded.contains(vertex)) points.push_back(is_inside(ends.first) ? ends.first : ends.second);
    }
    return points;
  }

  static Eigen::MatrixXi matrix_of(const std::vector<std::array<int, 3>>& columns, Index rows) {
    Eigen::MatrixXi matrix(rows, static_cast<Index>(columns.size()));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (Index k = 0; k < rows; ++k)
        matrix(k, static_cast<Index>(c)) = columns[c][static_cast<std::size_t>(k)];
    }
    return matrix;
  }

  const Simplices& in_;
  double level_;
  VectorXd density_;
  std::map<std::pair<int, int>, int> vertices_;
  std::vector<Vector3d> points_;
  std::vector<std::array<int, 3>> faces_, inner_;
  std::vector<std::size_t> bare_;  ///< faces of solid simplices within the mesh
  std::vector<bool> is_cut_, is_held_, is_blended_;
  std::vector<Boundary::Ends> ends_;
  int n_crumbs_ = 0;
};

/// Unit normals of the faces of the mesh around a point, those that differ.
class FaceNormals {
 public:
  /// Ignores what the normals so far span but for 15 degrees, as around a bore of flat faces.
  void add(Vector3d normal) {
    constexpr double least_sine = 0.26;
    for (const Vector3d& other : basis_) normal -= other.dot(normal) * other;
    if (normal.norm() > least_sine) basis_.push_back(normal.normalized());
  }
  Vector3d tangential(Vector3d v) const {
    for (const Vector3d& normal : basis_) v -= normal.dot(v) * normal;
    return v;
  }

 private:
  std::vector<Vector3d> basis_;
};

/// The points with which a point has faces in common.
class Neighbours {
 public:
  explicit Neighbours(Index n) : of_(static_cast<std::size_t>(n)) {}
  template <class Face>
  void add(const Face& face) {
    for (const int a : face) {
      for (const int b : face) {
        if (a != b) of_[static_cast<std::size_t>(a)].push_back(b);
      }
    }
  }
  bool has(Index i) const { return !of_[static_cast<std::size_t>(i)].empty(); }
  Vector3d mean(const MatrixXd& points, Index i) const {
    Vector3d sum = Vector3d::Zero();
    for (const int j : of_[static_cast<std::size_t>(i)]) sum += points.col(j);
    return sum / static_cast<double>(of_[static_cast<std::size_t>(i)].size());
  }

 private:
  std::vector<std::vector<int>> of_;
};

Vector3d unit_normal(const Boundary& boundary, Index face) {
  const auto edge = [&](Index k) {
    return Vector3d(boundary.points.col(boundary.faces(k, face)) -
                    boundary.points.col(boundary.faces(0, face)));
  };
  const Vector3d second = boundary.faces.rows() == 2 ? Vector3d::UnitZ() : edge(2);
  return edge(1).cross(second).normalized();
}

}  // namespace

Boundary cut_at(const Simplices& simplices, double level, const std::vector<int>& solid) {
  return Cutter(simplices, level, solid).cut();
}

void smooth(Boundary& boundary, int passes, const Eigen::AlignedBox3d& box) {
  constexpr double forth = 0.5, back = -0.53;  // a pass band of 0.11
  const Index n = boundary.points.cols();
  std::vector<FaceNormals> normals(static_cast<std::size_t>(n));
  Neighbours of_faces(n), of_inner(n);
  for (Index f = 0; f < boundary.faces.cols(); ++f) {
    of_faces.add(boundary.faces.col(f));
    if (boundary.is_cut[static_cast<std::size_t>(f)]) continue;
    for (const int point : boundary.faces.col(f))
      normals[static_cast<std::size_t>(point)].add(unit_normal(boundary, f));
  }
  for (const auto& triangle : boundary.inner.colwise()) of_inner.add(triangle);
  MatrixXd moved = boundary.points;
  for (int step = 0; step < 2 * passes; ++step) {
    const double weight = step % 2 == 0 ? forth : back;
    for (Index i = 0; i < n; ++i) {
      const auto index = static_cast<std::size_t>(i);
      if (boundary.is_held[index]) continue;
      if (!of_faces.has(i))
        moved.col(i) = of_inner.mean(boundary.points, i);
      else
        moved.col(i) +=
            weight * normals[index].tangential(of_faces.mean(boundary.points, i) - boundary.points.col(i));
      moved.col(i) = moved.col(i).cwiseMax(box.min()).cwiseMin(box.max());
    }
    boundary.points = moved;
  }
}

}  // namespace kurbel
