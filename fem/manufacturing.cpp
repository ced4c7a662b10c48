#include "fem/manufacturing.hpp"

#include <algorithm>
#include <numeric>

#include "fem/smooth_extremes.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;
using Column = std::vector<Index>;

std::vector<Index> all_elements(const Mesh& mesh) {
  std::vector<Index> all(static_cast<std::size_t>(mesh.n_elements()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

/// out_k = max(in_k, out_k-1) along a column.
void cumulate(const Column& column, const VectorXd& in, VectorXd& out) {
  double so_far = 0.0;
  for (const Index cell : column) out[cell] = so_far = smooth_max(in[cell], so_far).value;
}

/// Adds to in_bar.
void pull_back_cumulated(const Column& column, const VectorXd& in, const VectorXd& out,
                         const VectorXd& out_bar, VectorXd& in_bar) {
  double bar = 0.0;  // of out_k through those behind it
  for (std::size_t k = column.size(); k-- > 0;) {
    const Index cell = column[k];
    const Extreme<double> max = smooth_max(in[cell], k > 0 ? out[column[k - 1]] : 0.0);
    const double total = bar + out_bar[cell];
    in_bar[cell] += max.by_a * total;
    bar = max.by_b * total;
  }
}

VectorXd cumulated(const std::vector<Column>& columns, const VectorXd& in) {
  VectorXd out(in.size());
  for (const Column& column : columns) cumulate(column, in, out);
  return out;
}

}  // namespace

VectorXd CellMap::value(const VectorXd& in) const {
  return lattice_.to_elements() * value_of_cells(lattice_.to_cells() * in);
}

VectorXd CellMap::pullback(const VectorXd& in, const VectorXd& out_bar) const {
  return lattice_.to_cells().transpose() *
         pullback_of_cells(lattice_.to_cells() * in, lattice_.to_elements().transpose() * out_bar);
}

Extrusion::Extrusion(const Mesh& mesh, int axis, const std::vector<Index>& elements)
    : CellMap(Lattice(mesh, grid_over(mesh), elements)), columns_(lattice().columns({axis, 1.0})) {}

VectorXd Extrusion::value_of_cells(const VectorXd& in) const {
  VectorXd out(in.size());
  for (const Column& column : columns_) out(column).setConstant(in(column).mean());
  return out;
}

VectorXd Extrusion::pullback_of_cells(const VectorXd&, const VectorXd& out_bar) const {
  return value_of_cells(out_bar);  // the mean is its own transpose
}

Casting::Casting(const Mesh& mesh, const ManufacturingSpec::Casting& spec)
    : CellMap(Lattice(mesh, grid_over(mesh), all_elements(mesh))) {
  const AxisDirection from_opening = {spec.draw.axis, -spec.draw.sign};
  if (!spec.two_sided) {
    halves_ = lattice().columns(from_opening);
  } else if (!spec.parting) {
    halves_ = lattice().columns(from_opening);
    opposite_ = lattice().columns(spec.draw);
  } else {
    for (const double sign : {-1.0, 1.0}) {
      for (Column& column : lattice().columns({spec.draw.axis, sign})) {
        std::erase_if(column, [&](Index cell) {
          const bool is_beyond = lattice().centre(cell)[spec.draw.axis] >= *spec.parting;
          return is_beyond != (sign < 0.0);
        });
        if (!column.empty()) halves_.push_back(std::move(column));
      }
    }
  }
}

VectorXd depths_in_mould(const Mesh& mesh, const ManufacturingSpec::Casting& spec) {
  const Index axis = spec.draw.axis;
  const auto along = mesh.positions().row(axis);
  const double low = along.minCoeff(), high = along.maxCoeff();
  const auto centres = mesh.centres().row(axis).transpose().array();
  if (spec.two_sided) {
    const double parting = spec.parting.value_or(0.5 * (low + high));
    const auto from_parting =
        (centres > parting)
            .select((centres - parting) / (high - parting), (parting - centres) / (parting - low));
    return 1.0 - from_parting;
  }
  const auto height = (centres - low) / (high - low);
  if (spec.draw.sign > 0.0) return 1.0 - height;
  return height;
}

VectorXd Casting::value_of_cells(const VectorXd& in) const {
  VectorXd out = cumulated(halves_, in);
  if (opposite_.empty()) return out;
  const VectorXd other = cumulated(opposite_, in);
  return out.binaryExpr(other, [](double a, double b) { return smooth_min(a, b).value; });
}

VectorXd Casting::pullback_of_cells(const VectorXd& in, const VectorXd& out_bar) const {
  VectorXd in_bar = VectorXd::Zero(in.size());
  const VectorXd one = cumulated(halves_, in);
  if (opposite_.empty()) {
    for (const Column& column : halves_) pull_back_cumulated(column, in, one, out_bar, in_bar);
    return in_bar;
  }
  const VectorXd other = cumulated(opposite_, in);
  VectorXd one_bar(in.size()), other_bar(in.size());
  for (Index i = 0; i < in.size(); ++i) {
    const Extreme<double> min = smooth_min(one[i], other[i]);
    one_bar[i] = min.by_a * out_bar[i], other_bar[i] = min.by_b * out_bar[i];
  }
  for (const Column& column : halves_) pull_back_cumulated(column, in, one, one_bar, in_bar);
  for (const Column& column : opposite_) pull_back_cumulated(column, in, other, other_bar, in_bar);
  return in_bar;
}

Overhang::Overhang(const Mesh& mesh, const ManufacturingSpec::Overhang& spec, const std::vector<bool>& varies,
                   double least)
    : CellMap(Lattice(mesh, stepped_grid_over(mesh, spec.build, spec.angle), all_elements(mesh))),
      least_(least) {
  constexpr double most = 0.5;
  const auto up = static_cast<std::size_t>(spec.build.axis);
  const auto step = static_cast<Index>(spec.build.sign);
  VectorXd share(mesh.n_elements());
  for (Index e = 0; e < share.size(); ++e) share[e] = varies[static_cast<std::size_t>(e)] ? 1.0 : 0.0;
  share = lattice().to_cells() * share;
  const auto layers = lattice().layers(spec.build);
  for (std::size_t layer = 1; layer < layers.size(); ++layer) {
    for (const Lattice::Place& place : layers[layer]) {
      Cell& above = above_.emplace_back(lattice().cell_at(place));
      if (share[above.cell] <= most) {
        above_.pop_back();
        continue;
      }
      Lattice::Place below = place;
      below[up] -= step;
      const auto add = [&](const Lattice::Place& at) {
        if (const Index cell = lattice().cell_at(at); cell >= 0) above.below.push_back(cell);
      };
      add(below);
      for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.dim()); ++d) {
        if (d == up) continue;
        for (const Index side : {-1, 1}) {
          Lattice::Place beside = below;
          beside[d] += side;
          add(beside);
        }
      }
    }
  }
}

VectorXd Overhang::value_of_cells(const VectorXd& in) const {
  VectorXd out = in;
  for (const Cell& above : above_) {
    double support = least_;
    for (const Index cell : above.below) support = smooth_max(out[cell], support).value;
    out[above.cell] = smooth_min(in[above.cell], support).value;
  }
  return out;
}

VectorXd Overhang::pullback_of_cells(const VectorXd& in, const VectorXd& out_bar) const {
  const VectorXd out = value_of_cells(in);
  VectorXd bar = out_bar;  // of out, and of in where the cells are not above others
  std::vector<Extreme<double>> maxima;
  for (std::size_t k = above_.size(); k-- > 0;) {
    const auto& [cell, below] = above_[k];
    maxima.clear();
    double support = least_;
    for (const Index lower : below) support = maxima.emplace_back(smooth_max(out[lower], support)).value;
    const Extreme<double> min = smooth_min(in[cell], support);
    double support_bar = min.by_b * bar[cell];
    for (std::size_t i = below.size(); i-- > 0;) {
      bar[below[i]] += maxima[i].by_a * support_bar;
      support_bar *= maxima[i].by_b;
    }
    bar[cell] *= min.by_a;
  }
  return bar;
}

Manufacturing::Manufacturing(const Mesh& mesh, const ManufacturingSpec& spec,
                             const std::vector<Index>& active, double p_min)
    : varies_(Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(mesh.n_elements(), false)) {
  varies_(active) = true;
  std::shared_ptr<const DesignMap> extrusion;
  if (spec.extrusion) maps_.push_back(extrusion = std::make_shared<Extrusion>(mesh, *spec.extrusion, active));
  if (spec.casting) maps_.push_back(std::make_shared<Casting>(mesh, *spec.casting));
  if (spec.overhang) {
    const std::vector<bool> varies(varies_.begin(), varies_.end());
    maps_.push_back(std::make_shared<Overhang>(mesh, *spec.overhang, varies, p_min));
  }
  if (extrusion && maps_.size() > 1) maps_.push_back(extrusion);
}

/// Inputs of each map, and the output of the last one.
std::vector<VectorXd> Manufacturing::steps(const VectorXd& in) const {
  std::vector<VectorXd> steps = {in};
  for (const auto& map : maps_) {
    const VectorXd out = map->value(steps.back());
    steps.emplace_back(varies_.select(out, in));
  }
  return steps;
}

VectorXd Manufacturing::value(const VectorXd& in) const {
  return steps(in).back();
}

VectorXd Manufacturing::pullback(const VectorXd& in, const VectorXd& out_bar) const {
  const std::vector<VectorXd> steps = this->steps(in);
  VectorXd bar = only_varied(out_bar);
  for (std::size_t k = maps_.size(); k-- > 0;) bar = only_varied(maps_[k]->pullback(steps[k], bar));
  return bar;
}

Unmakeable unmakeable(const Mesh& mesh, const ManufacturingSpec& spec, const std::vector<Index>& active,
                      const ElementSet& solid) {
  constexpr double solid_from = 0.5;
  VectorXd density(mesh.n_elements()), varies = VectorXd::Zero(mesh.n_elements());
  for (Index e = 0; e < density.size(); ++e) density[e] = solid[static_cast<std::size_t>(e)] ? 1.0 : 0.0;
  varies(active).setOnes();
  const auto to_solid = [](const VectorXd& c) {
    return c.unaryExpr([](double x) { return x >= solid_from ? 1.0 : 0.0; }).eval();
  };
  // A black and white field meets what is asked for where its map leaves it as it is.
  const auto changed = [&](const CellMap& map) {
    const VectorXd cells = to_solid(map.lattice().to_cells() * density);
    const VectorXd makeable = to_solid(map.value_of_cells(cells)),
                   varied = to_solid(map.lattice().to_cells() * varies);
    const VectorXd differs = (makeable - cells).cwiseAbs() / std::max(1.0, cells.sum());
    const double of_varied = differs.dot(varied);
    return Unmakeable::Share{of_varied, std::max(0.0, differs.sum() - of_varied)};
  };
  Unmakeable found;
  if (spec.extrusion) found.not_extruded = changed(Extrusion(mesh, *spec.extrusion, active));
  if (spec.casting) found.undercut = changed(Casting(mesh, *spec.casting));
  if (spec.overhang) {
    const std::vector<bool> all(solid.size(), true);
    found.unsupported = changed(Overhang(mesh, *spec.overhang, all, 0.0));
  }
  return found;
}

}  // namespace kurbel::fem
