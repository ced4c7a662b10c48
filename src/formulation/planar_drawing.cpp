#include "formulation/planar_drawing.hpp"

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

/// The coordinates of one element of a planar beam.
struct SeenByElement {
  VectorXd q{12}, v = VectorXd::Zero(12), xi{6};

  SeenByElement(const NaturalSystem<double>& system, const PlacedElement<double>& placed,
                const DaeInstant<double>& at) {
    const double* p = system.extended_parameters().data();
    for (std::size_t k = 0; k < placed.forms.size(); ++k)
      placed.put(placed.forms[k].at<double>(p, at.x), k, q);
    for (std::size_t k = 0; k < placed.parameters.size(); ++k)
      xi[static_cast<Index>(k)] = p[placed.parameters[k]];
  }
  Vector3d point(double along, double across) const {
    Vector3d place = Vector3d::Zero();
    place.head<2>() = ancf_position(q, along, across, xi[PlanarBeamSpec::height], xi[PlanarBeamSpec::length]);
    return place;
  }
};

}  // namespace

NamedBlock draw_planar_beam(const NaturalSystem<double>& system, std::size_t beam,
                            const DaeInstant<double>& at) {
  const PlanarBeamSpec& spec = system.spec().planar_beams[beam];
  NamedBlock block{spec.name, grid_of_elements(spec.n_elements)};
  block.point_arrays.push_back({"stress", MatrixXd(1, block.grid.points.cols()), "Pa"});
  VectorXd sigma(1);
  const VectorXd none;
  for (std::size_t e = 0; e < spec.n_elements; ++e) {
    const SeenByElement seen(system, system.planar_element(beam, e), at);
    const Index first = static_cast<Index>(e) * points_per_element;
    for (Index i = 0; i < points_per_element; ++i) {
      block.grid.points.col(first + i) = seen.point(along(i), across(i));
      AncfStress<double>(along(i), across(i), spec.coupling).value({seen.q, seen.v, none, seen.xi}, sigma);
      block.point_arrays[0].values(0, first + i) = sigma[0];
    }
  }
  return block;
}

}  // namespace kurbel
