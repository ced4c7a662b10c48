/// Boundaries through the middles of curved edges.
#include <algorithm>
#include <array>

#include "shape/boundary.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

class Rounding {
 public:
  Rounding(Boundary& boundary, const Simplices& simplices) : boundary_(boundary), simplices_(simplices) {}

  void run() {
    std::vector<bool> is_cut;
    boundary_.faces = divided(boundary_.faces, [&](Index face) {
      is_cut.push_back(boundary_.is_cut[static_cast<std::size_t>(face)]);
    });
    boundary_.is_cut = std::move(is_cut);
    boundary_.inner = divided(boundary_.inner, [](Index) {});
    const Index n = boundary_.points.cols();
    boundary_.points.conservativeResize(3, n + std::ssize(new_points_));
    for (std::size_t i = 0; i < new_points_.size(); ++i)
      boundary_.points.col(n + static_cast<Index>(i)) = new_points_[i];
    boundary_.is_held.resize(static_cast<std::size_t>(boundary_.points.cols()), true);
    boundary_.ends.resize(boundary_.is_held.size(), {-1, -1});
  }

 private:
  /// The point of the mesh that a point of the boundary is; -1: none.
  int point_of_mesh(int point) const {
    const Boundary::Ends& ends = boundary_.ends[static_cast<std::size_t>(point)];
    return ends.inside == ends.outside ? ends.inside : -1;
  }

  /// The point in the middle of an edge of the boundary; -1: the edge is straight, or not one of the mesh.
  int middle(int a, int b) {
    const int from = point_of_mesh(a), to = point_of_mesh(b);
    if (from < 0 || to < 0) return -1;
    const auto found = simplices_.middles.find(std::minmax(from, to));
    if (found == simplices_.middles.end()) return -1;
    const auto [entry, is_new] = numbers_.try_emplace(
        found->second, static_cast<int>(boundary_.points.cols() + std::ssize(new_points_)));
    if (is_new) new_points_.emplace_back(simplices_.points.col(found->second));
    return entry->second;
  }

  /// Edges in two, triangles in up to four, which turn as the whole.
  /// @param add  is told from which column each of the new ones comes
  template <class Add>
  Eigen::MatrixXi divided(const Eigen::MatrixXi& faces, const Add& add) {
    std::vector<std::array<int, 3>> parts;
    for (Index f = 0; f < faces.cols(); ++f) {
      const std::size_t before = parts.size();
      if (faces.rows() == 2)
        divide_edge(faces(0, f), faces(1, f), parts);
      else
        divide_triangle({faces(0, f), faces(1, f), faces(2, f)}, parts);
      for (std::size_t k = before; k < parts.size(); ++k) add(f);
    }
    Eigen::MatrixXi out(faces.rows(), std::ssize(parts));
    for (Index f = 0; f < out.cols(); ++f) {
      for (Index k = 0; k < out.rows(); ++k)
        out(k, f) = parts[static_cast<std::size_t>(f)][static_cast<std::size_t>(k)];
    }
    return out;
  }

  void divide_edge(int a, int b, std::vector<std::array<int, 3>>& parts) {
    const int m = middle(a, b);
    if (m >= 0) {
      parts.push_back({a, m, -1});
      parts.push_back({m, b, -1});
    } else {
      parts.push_back({a, b, -1});
    }
  }

  void divide_triangle(std::array<int, 3> t, std::vector<std::array<int, 3>>& parts) {
    std::array<int, 3> m{};
    for (std::size_t k = 0; k < 3; ++k) m[k] = middle(t[k], t[(k + 1) % 3]);
    const auto n = 3 - std::ranges::count(m, -1);
    // Turned so that the first edges are those in two parts.
    while (n > 0 && n < 3 && (m[0] < 0 || m[2] >= 0)) {
      std::ranges::rotate(t, t.begin() + 1);
      std::ranges::rotate(m, m.begin() + 1);
    }
    switch (n) {
      case 0:
        parts.push_back(t);
        break;
      case 1:
        parts.insert(parts.end(), {{t[0], m[0], t[2]}, {m[0], t[1], t[2]}});
        break;
      case 2:
        parts.insert(parts.end(), {{m[0], t[1], m[1]}, {t[0], m[0], m[1]}, {t[0], m[1], t[2]}});
        break;
      default:
        parts.insert(parts.end(),
                     {{t[0], m[0], m[2]}, {m[0], t[1], m[1]}, {m[2], m[1], t[2]}, {m[0], m[1], m[2]}});
    }
  }

  Boundary& boundary_;
  const Simplices& simplices_;
  std::vector<Vector3d> new_points_;
  std::map<int, int> numbers_;  ///< of new points by that of the mesh
};

}  // namespace

void round_curved_edges(Boundary& boundary, const Simplices& simplices) {
  if (!simplices.middles.empty()) Rounding(boundary, simplices).run();
}

}  // namespace kurbel
