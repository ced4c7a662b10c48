#include "shape/outline_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/errors.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

/// Points that the inner triangles of an outline join: for each the smallest number of a point that is joined to it.
std::vector<int> joined_points(const Boundary& outline) {
  std::vector<int> first(static_cast<std::size_t>(outline.points.cols()));
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int>(i);
  const auto root = [&](int i) {
    while (first[static_cast<std::size_t>(i)] != i) i = first[static_cast<std::size_t>(i)];
    return i;
  };
  for (const auto& triangle : outline.inner.colwise()) {
    for (const int corner : triangle) {
      const int a = root(triangle[0]), b = root(corner);
      first[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  for (int& i : first) i = root(i);
  return first;
}

/// Says that lines meet in a point, and what to do: no density separates lines of the mesh.
std::string touching_message(const Boundary& outline, int point) {
  const auto meets = [&](Index e) { return outline.faces(0, e) == point || outline.faces(1, e) == point; };
  bool is_of_mesh = true;
  for (Index e = 0; e < outline.faces.cols(); ++e)
    is_of_mesh = is_of_mesh && !(meets(e) && outline.is_cut[static_cast<std::size_t>(e)]);
  const Vector3d x = outline.points.col(point);
  return fmt::format("it touches itself in a point, ({:.4g}, {:.4g}) m{}", x.x(), x.y(),
                     is_of_mesh
                         ? ", as the mesh of the part or a border of its regions does. Change these there"
                         : ". Raise filter.radius, and optimize again");
}

/// Follows the lines of an outline until none is left.
class LoopFinder {
 public:
  LoopFinder(const Boundary& outline, double size) : outline_(outline), size_(size) {
    for (Index e = 0; e < outline.faces.cols(); ++e) {
      const Next next{outline.faces(1, e), outline.is_cut[static_cast<std::size_t>(e)]};
      if (next_.emplace(outline.faces(0, e), next).second) continue;
      throw ShapeFailure(touching_message(outline, outline.faces(0, e)));
    }
  }

  bool is_done() const { return next_.empty(); }
  OutlineLoop find() {
    OutlineLoop loop;
    auto next = next_.begin();
    bool is_cut = false;
    while (next != next_.end()) {
      loop.points.push_back(next->first);
      loop.is_smooth.push_back(is_cut && next->second.is_cut &&
                               !outline_.is_held[static_cast<std::size_t>(next->first)]);
      is_cut = next->second.is_cut;
      const int point = next->second.point;
      next_.erase(next);
      next = next_.find(point);
    }
    return thinned(loop);
  }

 private:
  struct Next {
    int point;
    bool is_cut;
  };

  double length(int a, int b) const { return (outline_.points.col(a) - outline_.points.col(b)).norm(); }

  OutlineLoop thinned(const OutlineLoop& loop) const {
    const std::vector<int>& points = loop.points;
    OutlineLoop kept;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::size_t after = (i + 1) % points.size();
      const bool is_close =
          (!kept.points.empty() && length(kept.points.back(), points[i]) < close_to(size_)) ||
          (!loop.is_smooth[after] && length(points[i], points[after]) < close_to(size_));
      if (loop.is_smooth[i] && is_close) continue;
      kept.points.push_back(points[i]);
      kept.is_smooth.push_back(loop.is_smooth[i]);
    }
    return kept.points.size() < 3 ? loop : kept;
  }

  const Boundary& outline_;
  double size_;
  std::map<int, Next> next_;
};

/// Twice the signed area within.
double area(const Boundary& outline, const std::vector<int>& loop) {
  double sum = 0.0;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vector3d a = outline.points.col(loop[i]), b = outline.points.col(loop[(i + 1) % loop.size()]);
    sum += a.x() * b.y() - a.y() * b.x();
  }
  return sum;
}

}  // namespace

OutlineLoops find_outline_loops(const Boundary& outline, double size) {
  OutlineLoops all{joined_points(outline)};
  LoopFinder finder(outline, size);
  while (!finder.is_done()) {
    OutlineLoop loop = finder.find();
    all.of_piece[all.piece[static_cast<std::size_t>(loop.points.front())]].push_back(std::move(loop));
  }
  for (auto& [piece, loops] : all.of_piece) {
    std::ranges::sort(loops, [&](const OutlineLoop& a, const OutlineLoop& b) {
      return area(outline, a.points) > area(outline, b.points);
    });
  }
  return all;
}

}  // namespace kurbel
