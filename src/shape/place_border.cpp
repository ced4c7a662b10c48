/// Simplices that follow the border of a solid or void place.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "shape/boundary.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using Edge = std::pair<int, int>;  ///< its ends, the smaller number first

/// Points that are inside of the place, on its border, or outside. Edges between points inside and outside end at the
/// border instead: a point close to it moves there, other edges are divided there.
class BorderFollower {
 public:
  BorderFollower(Simplices& simplices, const std::function<bool(const Vector3d&)>& is_inside, CellRole own)
      : simplices_(simplices),
        is_inside_(is_inside),
        own_(own),
        side_(static_cast<std::size_t>(simplices.points.cols())),
        is_of_others_(side_.size()) {}

  void run() {
    for (std::size_t i = 0; i < side_.size(); ++i)
      side_[i] = is_inside(at(static_cast<int>(i))) ? Side::inside : Side::outside;
    put_other_cells_on_the_border();
    list_edges();
    move_close_points();
    give_densities();
    for (const Edge& edge : crossing_edges()) divide(edge);
    assign_roles();
    if (own_ == CellRole::empty) wall();
  }

 private:
  enum class Side { inside, border, outside };
  struct Move {
    double length;  ///< m
    int from, to;   ///< the point that would move, and the other end of its edge
  };

  Side& side(int point) { return side_[static_cast<std::size_t>(point)]; }
  Vector3d at(int point) const { return simplices_.points.col(point); }
  bool is_inside(const Vector3d& x) const { return is_inside_(x); }
  CellRole& role(Index s) { return simplices_.role[static_cast<std::size_t>(s)]; }
  bool is_crossing(const Edge& edge) {
    const Side a = side(edge.first), b = side(edge.second);
    return a != b && a != Side::border && b != Side::border;
  }

  /// Cells with the role of the place whose centre is not in it are those of a set, or frozen, and stay as they are; so do those
  /// without a point inside, which are larger than their place.
  void put_other_cells_on_the_border() {
    struct Cell {
      Vector3d sum = Vector3d::Zero();
      int n = 0;
      bool has_point_inside = false;
    };
    std::map<Index, Cell> cells;
    const auto cell = [&](Index s) { return simplices_.cell[static_cast<std::size_t>(s)]; };
    for (Index s = 0; s < simplices_.corners.cols(); ++s) {
      if (role(s) != own_) continue;
      Cell& own = cells[cell(s)];
      for (const int corner : simplices_.corners.col(s)) {
        own.sum += at(corner), ++own.n;
        if (side(corner) == Side::inside) own.has_point_inside = true;
      }
    }
    for (Index s = 0; s < simplices_.corners.cols(); ++s) {
      if (role(s) != own_) continue;
      const Cell& own = cells[cell(s)];
      if (own.has_point_inside && is_inside(own.sum / own.n)) continue;
      for (const int corner : simplices_.corners.col(s)) {
        if (side(corner) != Side::outside) continue;
        side(corner) = Side::border, is_of_others_[static_cast<std::size_t>(corner)] = true;
      }
    }
  }

  void list_edges() {
    for (Index s = 0; s < simplices_.corners.cols(); ++s) {
      for (const int corner : simplices_.corners.col(s)) around_[corner].push_back(s);
    }
    for (const Simplices::Face& face : simplices_.faces) {
      if (!face.is_outer) continue;
      const Vector3d normal = normal_of(face);
      for (Index k = 0; k < simplices_.corners.rows(); ++k) {
        if (k != face.opposite) outer_normals_[simplices_.corners(k, face.simplex)].push_back(normal);
      }
    }
  }

  Vector3d normal_of(const Simplices::Face& face) const {
    std::vector<Vector3d> x;
    for (Index k = 0; k < simplices_.corners.rows(); ++k) {
      if (k != face.opposite) x.push_back(at(simplices_.corners(k, face.simplex)));
    }
    const Vector3d second = simplices_.is_flat() ? Vector3d::UnitZ() : Vector3d(x[2] - x[0]);
    return (x[1] - x[0]).cross(second).normalized();
  }

  std::vector<Edge> crossing_edges() {
    std::vector<Edge> edges;
    for (const auto& simplex : simplices_.corners.colwise()) {
      for (const int a : simplex) {
        for (const int b : simplex) {
          if (a < b && is_crossing({a, b})) edges.emplace_back(a, b);
        }
      }
    }
    std::ranges::sort(edges);
    const auto rest = std::ranges::unique(edges);
    edges.erase(rest.begin(), rest.end());
    return edges;
  }

  /// The position of the border on an edge, as a share of the way from its inner point.
  double share_of(int inside, int outside) const {
    constexpr int bisections = 40;
    double below = 0.0, above = 1.0;
    for (int k = 0; k < bisections; ++k) {
      const double middle = 0.5 * (below + above);
      (is_inside(at(inside) + middle * (at(outside) - at(inside))) ? below : above) = middle;
    }
    return 0.5 * (below + above);
  }

  Edge from_inside(const Edge& edge) {
    return side(edge.first) == Side::inside ? edge : Edge(edge.second, edge.first);
  }

  /// Moves points along their edges, the shortest ways first, so that pieces between border and points are no slivers.
  void move_close_points() {
    constexpr double there = 1e-3, close = 0.25;  // of an edge
    std::vector<Move> moves;
    for (const Edge& edge : crossing_edges()) {
      if (!is_crossing(edge)) continue;  // an end was put on the border before
      const auto [inside, outside] = from_inside(edge);
      const double share = share_of(inside, outside), length = (at(outside) - at(inside)).norm();
      if (share < there) side(inside) = Side::border;
      if (share > 1.0 - there) side(outside) = Side::border;
      if (share < close) moves.push_back({share * length, inside, outside});
      if (share > 1.0 - close) moves.push_back({(1.0 - share) * length, outside, inside});
    }
    std::ranges::stable_sort(moves, {}, &Move::length);
    for (const Move& move : moves) {
      if (is_crossing({move.from, move.to})) try_move(move);
    }
  }

  void try_move(const Move& move) {
    constexpr double flat = 1e-6, least_volume = 0.3;
    const auto from = static_cast<std::size_t>(move.from);
    if (simplices_.is_held[from] || simplices_.is_walled[from]) return;
    const Vector3d before = at(move.from), way = at(move.to) - before;
    const auto leaves_face = [&](const Vector3d& normal) {
      return std::abs(normal.dot(way)) > flat * way.norm();
    };
    if (std::ranges::any_of(outer_normals_[move.from], leaves_face)) return;
    for (const Index s : around_[move.from]) volumes_.try_emplace(s, signed_volume(s));
    simplices_.points.col(move.from) = before + move.length * way.normalized();
    const auto is_flattened = [&](Index s) { return signed_volume(s) / volumes_[s] <= least_volume; };
    if (std::ranges::any_of(around_[move.from], is_flattened)) {
      simplices_.points.col(move.from) = before;
      return;
    }
    side(move.from) = Side::border;
    simplices_.is_blended[from] = true;
  }

  double signed_volume(Index s) const {
    const auto edge = [&](Index k) {
      return Vector3d(at(simplices_.corners(k, s)) - at(simplices_.corners(0, s)));
    };
    return edge(1).cross(edge(2)).dot(simplices_.is_flat() ? Vector3d::UnitZ() : edge(3));
  }

  /// Gives points on the border and outside, around which all cells have the role of the place, the density of the points beside
  /// them further out, layer by layer: the place neither makes material beside it nor takes any. Where none is beside them, there
  /// is none.
  void give_densities() {
    std::vector<char> is_known(side_.size(), 0);
    const auto knows = [&](int point) -> char& { return is_known[static_cast<std::size_t>(point)]; };
    for (Index s = 0; s < simplices_.corners.cols(); ++s) {
      if (role(s) == own_) continue;
      for (const int corner : simplices_.corners.col(s)) knows(corner) = 1;
    }
    for (std::size_t i = 0; i < side_.size(); ++i) {
      if (side_[i] == Side::inside && !is_known[i]) is_deep_.push_back(static_cast<int>(i));
    }
    const std::vector<Index> beside = simplices_beside();
    for (;;) {
      std::map<int, std::pair<double, int>> sums;
      for (const Index s : beside) {
        for (const int a : simplices_.corners.col(s)) {
          if (knows(a) || side(a) == Side::inside) continue;
          for (const int b : simplices_.corners.col(s)) {
            if (knows(b) && side(b) != Side::inside) sums[a].first += simplices_.density[b], ++sums[a].second;
          }
        }
      }
      if (sums.empty()) break;
      for (const auto& [point, sum] : sums)
        simplices_.density[point] = sum.first / sum.second, knows(point) = 1;
    }
    for (const Index s : beside) {
      for (const int corner : simplices_.corners.col(s)) {
        if (!knows(corner) && side(corner) != Side::inside) simplices_.density[corner] = 0.0;
      }
    }
  }

  /// Simplices with a corner outside.
  std::vector<Index> simplices_beside() {
    std::vector<Index> beside;
    for (Index s = 0; s < simplices_.corners.cols(); ++s) {
      const auto is_outside = [&](int corner) { return side(corner) == Side::outside; };
      if (std::ranges::any_of(simplices_.corners.col(s), is_outside)) beside.push_back(s);
    }
    return beside;
  }

  /// Adds a point on the border, and divides all simplices at this edge.
  void divide(const Edge& edge) {
    constexpr double least = 1e-3;
    const auto [inside, outside] = from_inside(edge);
    const double share = std::clamp(share_of(inside, outside), least, 1.0 - least);
    const int point = static_cast<int>(side_.size());
    side_.push_back(Side::border);
    simplices_.points.conservativeResize(3, point + 1);
    simplices_.points.col(point) = at(inside) + share * (at(outside) - at(inside));
    const bool is_deep = std::ranges::binary_search(is_deep_, inside);
    const double here = simplices_.density[inside], there = simplices_.density[outside];
    simplices_.density.conservativeResize(point + 1);
    simplices_.density[point] = is_deep ? there : here + share * (there - here);
    simplices_.is_held.push_back(false);
    simplices_.is_blended.push_back(true);
    const auto is_walled = [&](int end) { return simplices_.is_walled[static_cast<std::size_t>(end)]; };
    simplices_.is_walled.push_back(is_walled(inside) && is_walled(outside));
    const std::vector<Index> at_edge = simplices_with(inside, outside);
    Index next = simplices_.corners.cols();
    simplices_.corners.conservativeResize(Eigen::NoChange, next + std::ssize(at_edge));
    for (const Index s : at_edge) {
      simplices_.corners.col(next) = simplices_.corners.col(s);
      simplices_.role.push_back(role(s));
      simplices_.cell.push_back(simplices_.cell[static_cast<std::size_t>(s)]);
      replace(s, outside, point), replace(next, inside, point);
      std::erase(around_[outside], s);
      for (const int corner : simplices_.corners.col(next)) around_[corner].push_back(next);
      around_[point].push_back(s);
      ++next;
    }
  }

  std::vector<Index> simplices_with(int a, int b) {
    std::vector<Index> found;
    for (const Index s : around_[a]) {
      if ((simplices_.corners.col(s).array() == b).any()) found.push_back(s);
    }
    return found;
  }

  void replace(Index s, int corner, int by) {
    for (int& c : simplices_.corners.col(s)) {
      if (c == corner) c = by;
    }
  }

  /// A simplex on the border alone keeps the role of its cell.
  void assign_roles() {
    for (Index s = 0; s < simplices_.corners.cols(); ++s) {
      const auto has = [&](Side which) {
        return std::ranges::any_of(simplices_.corners.col(s), [&](int c) { return side(c) == which; });
      };
      if (has(Side::outside)) {
        if (role(s) == own_) role(s) = CellRole::varied;
      } else if (has(Side::inside)) {
        role(s) = own_;
      }
    }
  }

  void wall() {
    is_of_others_.resize(side_.size());
    for (std::size_t i = 0; i < side_.size(); ++i) {
      if (side_[i] == Side::border && !is_of_others_[i]) simplices_.is_walled[i] = true;
    }
  }

  Simplices& simplices_;
  const std::function<bool(const Vector3d&)>& is_inside_;
  CellRole own_;
  std::vector<Side> side_;                    ///< of points
  std::vector<bool> is_of_others_;            ///< points on the border for cells that are not of the place
  std::map<int, std::vector<Index>> around_;  ///< simplices by corner
  std::map<int, std::vector<Vector3d>> outer_normals_;  ///< of faces by corner
  std::map<Index, double> volumes_;  ///< of simplices before any of their corners moved, m^2 or m^3
  std::vector<int> is_deep_;         ///< points inside with cells of the place alone around; ascending
};

}  // namespace

void follow_place(Simplices& simplices, const std::function<bool(const Vector3d&)>& is_inside,
                  CellRole role) {
  BorderFollower(simplices, is_inside, role).run();
}

}  // namespace kurbel
