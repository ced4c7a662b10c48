#include <cmath>

#include "formulation/absolute_motion.hpp"
#include "formulation/drawn_frames.hpp"
#include "natural_coordinates/ancf_beam.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

/// Quadrilaterals along an element and across its height.
constexpr Index cells_along = 8, cells_across = 2;
constexpr Index points_per_element = (cells_along + 1) * (cells_across + 1);

double along(Index point) {
  return static_cast<double>(point / (cells_across + 1)) / static_cast<double>(cells_along);
}

double across(Index point) {
  return static_cast<double>(point % (cells_across + 1)) / static_cast<double>(cells_across) - 0.5;
}

/// Quadrilaterals, and lines along the axis: from afar these are all that is seen of a slender beam.
UnstructuredGrid grid_of_elements(std::size_t n_elements) {
  const auto n_e = static_cast<Index>(n_elements);
  UnstructuredGrid grid;
  grid.points.setZero(3, n_e * points_per_element);
  CellBlock cells{CellBlock::Kind::quadrilateral, Eigen::MatrixXi(4, n_e * cells_along * cells_across)};
  CellBlock axes{CellBlock::Kind::polyline, Eigen::MatrixXi(cells_along + 1, n_e)};
  Index cell = 0;
  for (Index e = 0; e < n_e; ++e) {
    for (Index i = 0; i < cells_along; ++i) {
      for (Index j = 0; j < cells_across; ++j) {
        const auto first = static_cast<int>(e * points_per_element + i * (cells_across + 1) + j);
        const auto next = first + static_cast<int>(cells_across) + 1;
        cells.corners.col(cell++) << first, next, next + 1, first + 1;
      }
    }
  }
  for (Index e = 0; e < n_e; ++e) {
    for (Index i = 0; i <= cells_along; ++i)
      axes.corners(i, e) =
          static_cast<int>(e * points_per_element + i * (cells_across + 1) + cells_across / 2);
  }
  grid.cells = {std::move(cells), std::move(axes)};
  return grid;
}

/// A state of a system in absolute coordinates as blocks: beams by name with their equivalent stress, and
/// points, masses, joints, springs and supports as simple shapes.
class AbsoluteDrawing {
 public:
  AbsoluteDrawing(const SystemSpec& spec, const absolute::Assembly<double>& assembly)
      : spec_(spec), assembly_(assembly) {}

  /// @param y  a column of the trajectory
  std::vector<NamedBlock> at(const VectorXd& y, const ShapeSizes& sizes) const {
    std::vector<NamedBlock> blocks = beams(y);
    UnstructuredGrid points, masses, joints, springs, ground;
    const Vector3d down = spec_.gravity.norm() > 0.0 ? spec_.gravity.normalized() : -Vector3d::UnitY();
    const auto support = [&](const Vector3d& place) {
      append(ground, pyramid(place, down, sizes.support()));
    };
    for (std::size_t i = 0; i < spec_.point_masses.size(); ++i) {
      const Vector3d place = position(assembly_.points[i], y);
      if (spec_.point_masses[i].moves()) {
        append(points, sphere(place, 0.5 * sizes.box()));
      } else {
        support(place);
      }
    }
    for (const Binding& mass : assembly_.masses) append(masses, sphere(position(mass, y), 0.5 * sizes.box()));
    for (std::size_t i = 0; i < spec_.joints.size(); ++i) {
      const JointSpec& joint = spec_.joints[i];
      const Vector3d place = position(assembly_.joints[i], y);
      if (is_hinge(joint)) append(joints, cylinder(place, Vector3d::UnitZ(), sizes.pin(), 4.0 * sizes.pin()));
      if (text_of(joint.from) == "ground" || text_of(joint.to) == "ground") support(place);
    }
    for (std::size_t i = 0; i < spec_.springs.size(); ++i) {
      const Vector3d to = position(assembly_.springs[i], y), from = position(assembly_.springs[i], y, 3);
      append(springs, coil(from, to, sizes.coil()));
      if (text_of(spec_.springs[i].from) == "ground") support(from);
      if (text_of(spec_.springs[i].to) == "ground") support(to);
    }
    blocks.push_back({"points", std::move(points)});
    blocks.push_back({"masses", std::move(masses)});
    blocks.push_back({"joints", std::move(joints)});
    blocks.push_back({"springs", std::move(springs)});
    blocks.push_back({"ground", std::move(ground)});
    blocks.back().moves = false;
    std::erase_if(blocks, [](const NamedBlock& block) { return block.grid.n_cells() == 0; });
    return blocks;
  }

  /// Every place of a state.
  std::vector<Vector3d> places(const VectorXd& y) const {
    std::vector<Vector3d> places;
    for (const auto* bindings : {&assembly_.points, &assembly_.masses, &assembly_.joints}) {
      for (const Binding& binding : *bindings) places.push_back(position(binding, y));
    }
    for (const Binding& spring : assembly_.springs) {
      places.push_back(position(spring, y));
      places.push_back(position(spring, y, 3));
    }
    for (const absolute::BeamElement& element : assembly_.beam_elements) {
      for (const double end : {0.0, 1.0}) places.push_back(axis_point(element, y, end));
    }
    return places;
  }

 private:
  /// Of what is at a place; of the second end of a spring, after the 3 coordinates of the first.
  Vector3d position(const Binding& binding, const VectorXd& y, Index first = 0) const {
    VectorXd q(static_cast<Index>(binding.coordinates.size())), v(q.size());
    gather(binding, y, q, v);
    return q.segment<3>(first);
  }

  Vector3d axis_point(const absolute::BeamElement& element, const VectorXd& y, double where) const {
    VectorXd q(12), v(12), xi(6);
    gather(element.binding, y, q, v);
    assembly_.system->gather_parameters(element.binding, xi);
    Vector3d point = Vector3d::Zero();
    point.head<2>() = ancf_position(q, where, 0.0, xi[1], xi[2]);
    return point;
  }

  void gather(const Binding& binding, const VectorXd& y, VectorXd& q, VectorXd& v) const {
    const Index n_q = assembly_.system->n_q();
    assembly_.system->gather(binding, y.head(n_q), y.segment(n_q, n_q), q, v);
  }

  std::vector<NamedBlock> beams(const VectorXd& y) const {
    std::vector<NamedBlock> blocks;
    for (const PlanarBeamSpec& beam : spec_.planar_beams) {
      NamedBlock block{beam.name, grid_of_elements(beam.n_elements)};
      block.point_arrays.push_back({"stress", MatrixXd(1, block.grid.points.cols()), "Pa"});
      blocks.push_back(std::move(block));
    }
    VectorXd q(12), v(12), xi(6), sigma(1);
    const VectorXd none;
    for (const absolute::BeamElement& element : assembly_.beam_elements) {
      gather(element.binding, y, q, v);
      assembly_.system->gather_parameters(element.binding, xi);
      NamedBlock& block = blocks[element.beam];
      const Index first = static_cast<Index>(element.element) * points_per_element;
      for (Index i = 0; i < points_per_element; ++i) {
        block.grid.points.col(first + i).head<2>() = ancf_position(q, along(i), across(i), xi[1], xi[2]);
        const AncfStress<double> function(along(i), across(i), spec_.planar_beams[element.beam].coupling);
        function.value({q, v, none, xi}, sigma);
        block.point_arrays[0].values(0, first + i) = sigma[0];
      }
    }
    return blocks;
  }

  const SystemSpec& spec_;
  const absolute::Assembly<double>& assembly_;
};

}  // namespace

/// Without a scale: deformation and motion are one in these coordinates, there is no position without it.
std::vector<std::string> AbsoluteMotion::draw(const std::filesystem::path& pvd,
                                              const Trajectory<double>& trajectory,
                                              std::vector<std::optional<MotionBody>>) const {
  const AbsoluteDrawing drawing(problem_.system, model().assembly());
  draw_frames(pvd, trajectory, problem_.output.motion_frames,
              {[&](Index k) { return drawing.places(trajectory.y.col(k)); },
               [&](Index k, const ShapeSizes& sizes) { return drawing.at(trajectory.y.col(k), sizes); }});
  return {};
}

}  // namespace kurbel
