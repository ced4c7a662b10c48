#include "shape/shape_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unsupported/Eigen/Splines>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "parts/gmsh_reader.hpp"
#include "shape/outline_loops.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

constexpr double per_metre = 1e3;

double mean_length(const Boundary& outline) {
  double sum = 0.0;
  for (const auto& face : outline.faces.colwise())
    sum += (outline.points.col(face[0]) - outline.points.col(face[1])).norm();
  return sum / static_cast<double>(outline.faces.cols());
}

/// A flat shape as a geometry of Gmsh by OpenCASCADE: a solid for each piece.
class SplineGeometry {
 public:
  SplineGeometry(const Boundary& outline, double thickness) : outline_(outline), thickness_(thickness) {
    text_ = "SetFactory(\"OpenCASCADE\");\n";
    for (const auto& [piece, loops] : find_outline_loops(outline, mean_length(outline)).of_piece) add(loops);
    // At last, for it makes points, curves and surfaces with numbers of their own.
    text_ += fmt::format("Extrude {{0, 0, {}}} {{ Surface{{1:{}}}; }}\n", per_metre * thickness, n_surfaces_);
  }

  const std::string& text() const { return text_; }

 private:
  void add(const std::vector<OutlineLoop>& loops) {
    std::vector<int> numbers;
    for (const OutlineLoop& loop : loops) numbers.push_back(add_loop(loop));
    text_ += fmt::format("Plane Surface({}) = {{{}}};\n", ++n_surfaces_, fmt::join(numbers, ", "));
  }

  int add_loop(const OutlineLoop& loop) {
    const int first = n_curves_ + 1;
    for (const std::vector<int>& run : runs_of(loop)) add_curve(run);
    text_ += fmt::format("Curve Loop({}) = {{{}:{}}};\n", ++n_loops_, first, n_curves_);
    return n_loops_;
  }

  /// The parts of a loop between points that are not smooth, with both ends; of an entirely smooth one, the loop.
  static std::vector<std::vector<int>> runs_of(const OutlineLoop& loop) {
    const std::size_t n = loop.points.size();
    const std::size_t start = static_cast<std::size_t>(
        std::find(loop.is_smooth.begin(), loop.is_smooth.end(), false) - loop.is_smooth.begin());
    const std::size_t begin = start == n ? 0 : start;
    std::vector<std::vector<int>> runs = {{loop.points[begin]}};
    for (std::size_t k = 1; k <= n; ++k) {
      const std::size_t i = (begin + k) % n;
      runs.back().push_back(loop.points[i]);
      if (k < n && !loop.is_smooth[i]) runs.push_back({loop.points[i]});
    }
    return runs;
  }

  void add_curve(const std::vector<int>& run) {
    if (run.size() == 2) {
      text_ += fmt::format("Line({}) = {{{}, {}}};\n", ++n_curves_, corner(run[0]), corner(run[1]));
      return;
    }
    // OpenCASCADE's own spline meets its points and swings in between, unless they are close.
    const MatrixXd fine = refined(run);
    std::vector<int> numbers = {corner(run.front())};
    for (Index k = 1; k + 1 < fine.cols(); ++k) numbers.push_back(add_point(fine.col(k)));
    numbers.push_back(corner(run.back()));
    text_ += fmt::format("Spline({}) = {{{}}};\n", ++n_curves_, fmt::join(numbers, ", "));
  }

  /// Points of the cubic spline through those of a run, by the length of chords.
  MatrixXd refined(const std::vector<int>& run) const {
    constexpr Index parts = 5;
    const Index n = std::ssize(run), beyond = run.front() == run.back() ? std::min<Index>(3, n - 2) : 0;
    MatrixXd points(2,
                    n + 2 * beyond);  // a closed run goes on beyond its ends, so that it has no corner there
    for (Index k = 0; k < points.cols(); ++k) {
      const Index i = beyond > 0 ? (k - beyond + n - 1) % (n - 1) : k;
      points.col(k) = outline_.points.col(run[static_cast<std::size_t>(i)]).head<2>();
    }
    Eigen::RowVectorXd chords;
    Eigen::ChordLengths(points, chords);
    using Curve = Eigen::Spline<double, 2>;
    const Curve curve = Eigen::SplineFitting<Curve>::Interpolate(points, std::min<Index>(3, n - 1), chords);
    MatrixXd fine(2, parts * (n - 1) + 1);
    for (Index k = 0; k < fine.cols(); ++k) {
      const Index i = beyond + std::min(k / parts, n - 2);
      const double share = static_cast<double>(k - (i - beyond) * parts) / parts;
      fine.col(k) = curve(chords[i] + share * (chords[i + 1] - chords[i]));
    }
    return fine;
  }

  /// The number of a point of the outline.
  int corner(int point) {
    const auto [known, is_new] = numbers_.emplace(point, 0);
    if (is_new) known->second = add_point(outline_.points.col(point).head<2>());
    return known->second;
  }

  int add_point(const Eigen::Vector2d& x) {
    text_ += fmt::format("Point({}) = {{{}, {}, {}}};\n", ++n_points_, per_metre * x.x(), per_metre * x.y(),
                         -0.5 * per_metre * thickness_);
    return n_points_;
  }

  const Boundary& outline_;
  double thickness_;
  std::map<int, int> numbers_;  ///< of points of the outline
  int n_points_ = 0, n_curves_ = 0, n_loops_ = 0, n_surfaces_ = 0;
  std::string text_;
};

}  // namespace

double write_step(const std::filesystem::path& path, const Shape& shape, double thickness,
                  const std::filesystem::path& scratch) {
  if (shape.crossing) throw ShapeFailure(crossing_message(shape));
  require_gmsh();
  const std::filesystem::path geometry = scratch / "outline.geo", made = scratch / "outline.step";
  write_text_file(geometry, SplineGeometry(shape.outline, thickness).text());
  double area = 0.0;
  try {
    area = 0.5 * make_step(geometry, made, mean_length(shape.outline));  // above and below
  } catch (const InputError& error) {
    throw ShapeFailure(fmt::format("its splines bound no solid: \"{}\". {}", error.what(), remedy_of(shape)));
  }
  write_text_file(path, read_text_file(made));
  return area * thickness;
}

}  // namespace kurbel
