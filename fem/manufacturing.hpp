/// @file
/// Densities that can be made in a given way: maps between filter and projection, each on the cells of a lattice (fem/lattice.hpp), which on
/// a mesh of equal boxes in rows are its elements.
///
///     extrusion   out_i = mean of the column of cell i along the axis
///     casting     out_i = max over the cells of the column from i on in the direction in which the mould opens; two-sided: on each side of
///                 the parting, away from it; without a parting the smaller one of the maxima in both directions, which fills what lies
///                 between material and leaves the parting to every line
///     overhang    out_i = min(in_i, max over the cells below i and beside that), layer by layer from the lowest one on, which stands on the
///                 plate [Langelaar 2016, 2017]
///
/// with the smooth extremes of fem/smooth_extremes.hpp. What is monotone stays so at any threshold of a projection behind it, to the last bit; what
/// stands on something does but for the factor by which the smooth maximum may exceed the exact one, n^(1/12) of n grey cells. Densities that do
/// not vary go in and stay: they shade and support others.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fem/design_map.hpp"
#include "fem/faces.hpp"
#include "fem/lattice.hpp"

namespace kurbel::fem {

/// A map of the values of cells, behind one from elements to cells and before one back.
class CellMap : public DesignMap {
 public:
  explicit CellMap(Lattice lattice) : lattice_(std::move(lattice)) {}
  VectorXd value(const VectorXd& in) const final;
  VectorXd pullback(const VectorXd& in, const VectorXd& out_bar) const final;

  const Lattice& lattice() const { return lattice_; }
  virtual VectorXd value_of_cells(const VectorXd& in) const = 0;
  virtual VectorXd pullback_of_cells(const VectorXd& in, const VectorXd& out_bar) const = 0;

 private:
  Lattice lattice_;
};

class Extrusion final : public CellMap {
 public:
  /// @param elements  that vary; the others have no part in it, and no value
  Extrusion(const Mesh& mesh, int axis, const std::vector<Eigen::Index>& elements);
  VectorXd value_of_cells(const VectorXd& in) const override;
  VectorXd pullback_of_cells(const VectorXd& in, const VectorXd& out_bar) const override;

 private:
  std::vector<std::vector<Eigen::Index>> columns_;
};

class Casting final : public CellMap {
 public:
  Casting(const Mesh& mesh, const ManufacturingSpec::Casting& spec);
  VectorXd value_of_cells(const VectorXd& in) const override;
  VectorXd pullback_of_cells(const VectorXd& in, const VectorXd& out_bar) const override;

 private:
  using Columns = std::vector<std::vector<Eigen::Index>>;
  Columns halves_;    ///< of cells from the opening of a half of the mould to the parting
  Columns opposite_;  ///< without a parting: the same cells the other way
};

/// How deep the centres of elements lie in a mould: from 0 at its opening to 1 at the far side of the mesh, or, of two sides, to 1 at the
/// parting, which is in the middle of the mesh if none is given.
///
/// A cast body starts from a ramp along its depth. A uniform start becomes a sheet of grey, drawn along the plane in which it is bent: to move
/// the density d from the front half of a sheet of density p to its back half gains p^(s-2) d^2 s (s-1) / 3 of bending stiffness and loses
/// p^(s-2) d^2 s^2 / 2, because the neutral axis moves along. So the way to a slab leads downhill first, whatever the penalty s is.
VectorXd depths_in_mould(const Mesh& mesh, const ManufacturingSpec::Casting& spec);

class Overhang final : public CellMap {
 public:
  /// @param varies  by element: others are built whatever is below them
  /// @param least   density, which gaps of the mesh have
  Overhang(const Mesh& mesh, const ManufacturingSpec::Overhang& spec, const std::vector<bool>& varies,
           double least);
  VectorXd value_of_cells(const VectorXd& in) const override;
  VectorXd pullback_of_cells(const VectorXd& in, const VectorXd& out_bar) const override;

 private:
  struct Cell {
    Eigen::Index cell;
    std::vector<Eigen::Index> below;
  };
  std::vector<Cell> above_;  ///< the plate, layer by layer; those that do not vary are omitted
  double least_;
};

/// All that a body asks for, one after the other: extrusion, casting, overhang, and extrusion once more, which takes the differences that the
/// ends of the mesh make.
class Manufacturing final : public DesignMap {
 public:
  /// @param active  elements that vary
  Manufacturing(const Mesh& mesh, const ManufacturingSpec& spec, const std::vector<Eigen::Index>& active,
                double p_min);
  /// @param in  n_elements, with the densities of those that do not vary
  VectorXd value(const VectorXd& in) const override;
  /// Zero for elements that do not vary.
  VectorXd pullback(const VectorXd& in, const VectorXd& out_bar) const override;

 private:
  std::vector<VectorXd> steps(const VectorXd& in) const;
  VectorXd only_varied(const VectorXd& bar) const { return varies_.select(bar, VectorXd::Zero(bar.size())); }

  Eigen::Array<bool, Eigen::Dynamic, 1> varies_;
  std::vector<std::shared_ptr<const DesignMap>> maps_;
};

/// The parts of a solid that cannot be made as its body requires, by volume relative to that of the solid, on the cells of a lattice, which are solid from
/// a density of one half on. Each number: in elements that vary, and in others, as are those of regions.
struct Unmakeable {
  struct Share {
    double varied = 0.0, fixed = 0.0;
  };
  std::optional<Share> not_extruded;  ///< other than most of its column
  std::optional<Share> undercut;      ///< void that a mould would have to fill and could not leave
  std::optional<Share> unsupported;   ///< solid that stands on nothing, or on such
};
Unmakeable unmakeable(const Mesh& mesh, const ManufacturingSpec& spec,
                      const std::vector<Eigen::Index>& active, const ElementSet& solid);

}  // namespace kurbel::fem
