#include "fem/stress.hpp"

#include <algorithm>
#include <cmath>

#include "fem/faces.hpp"
#include "fem/flexible_body.hpp"
#include "fem/frame.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// p^r E0 of an element.
double factor(const BodyDesign& design, const StressPoints& points, int element) {
  return std::pow(design.density[element], points.relaxation) * design.youngs_modulus[element];
}

/// D B(0) of successive elements.
class CentreStress {
 public:
  explicit CentreStress(const ShapeClasses& shapes) : shapes_(shapes) {}
  const MatrixXd& of(int element) {
    return of_shape_.at(shapes_.of(element), [this](int c) { return shapes_.centre_stress(c); });
  }

 private:
  const ShapeClasses& shapes_;
  OfShape<MatrixXd> of_shape_;
};

/// Rows of the basis at the corners of an element, (corners dim) x n_q.
MatrixXd corner_shapes(const Assembly& assembly, const ReducedBody& reduced, int element) {
  const int dim = assembly.dim();
  const Assembly::Corners corners = assembly.corners(element);
  const Index n_q = reduced.lambda.size();
  MatrixXd U(corners.size() * dim, n_q);
  for (Index a = 0; a < corners.size(); ++a) {
    const auto row = reduced.W.row(corners[a]);
    for (int d = 0; d < dim; ++d) U.row(a * dim + d) = row.segment(1 + dim + d * n_q, n_q);
  }
  return U;
}

/// All components of point i, n_components x n_q.
MatrixXd components(const MatrixXd& S, const StressModes& modes, Index i) {
  return S(Eigen::seqN(i, modes.n_components, modes.n_points()), Eigen::all);
}

}  // namespace

std::vector<int> stress_elements(const FlexibleBodySpec& spec, const Mesh& mesh,
                                 const std::vector<std::string>& left_out) {
  std::vector<bool> out(static_cast<std::size_t>(mesh.n_elements()), false);
  std::vector<bool> touched(static_cast<std::size_t>(mesh.n_nodes()), false);
  const auto touch = [&](const std::vector<int>& nodes) {
    for (const int node : nodes) touched[static_cast<std::size_t>(node)] = true;
  };
  const auto named = [&](const std::string& name) {
    return std::find(left_out.begin(), left_out.end(), name) != left_out.end();
  };
  for (const Region& region : spec.regions) {
    if (!named(region.name)) continue;
    for (const int e : mesh.elements_in(region.place)) out[static_cast<std::size_t>(e)] = true;
  }
  for (const MarkerSpec& marker : spec.markers) {
    if (named(marker.name)) touch(marker_nodes(marker, mesh).nodes);
  }
  if (named("clamp")) touch(clamped_nodes(spec, mesh));
  std::vector<int> elements;
  for (int e = 0; e < mesh.n_elements(); ++e) {
    const Mesh::Nodes corners = mesh.nodes_of(e);
    const bool touches = std::any_of(corners.begin(), corners.end(),
                                     [&](int node) { return touched[static_cast<std::size_t>(node)]; });
    if (!out[static_cast<std::size_t>(e)] && !touches) elements.push_back(e);
  }
  return elements;
}

StressModes stress_modes(const StressedBody& body, const ReducedBody& reduced, const StressPoints& points) {
  const Index n = static_cast<Index>(points.elements.size()), n_components = 3 * (body.assembly.dim() - 1);
  StressModes modes{n_components, MatrixXd(n_components * n, reduced.lambda.size())};
  CentreStress stress(*body.shapes);
  for (Index i = 0; i < n; ++i) {
    const int e = points.elements[static_cast<std::size_t>(i)];
    const MatrixXd& D_B = stress.of(e);
    modes.S(Eigen::seqN(i, modes.n_components, n), Eigen::all) =
        factor(body.design, points, e) * D_B * corner_shapes(body.assembly, reduced, e);
  }
  return modes;
}

void add_basis_bar(const StressedBody& body, const StressBar& stress, MatrixXd& U_bar) {
  const Assembly& assembly = body.assembly;
  const int dim = assembly.dim();
  CentreStress centre_stress(*body.shapes);
  for (Index i = 0; i < stress.modes.n_points(); ++i) {
    const int e = stress.points.elements[static_cast<std::size_t>(i)];
    const MatrixXd& D_B = centre_stress.of(e);
    const MatrixXd U_e_bar =
        factor(body.design, stress.points, e) * D_B.transpose() * components(stress.S_bar, stress.modes, i);
    const Assembly::Corners corners = assembly.corners(e);
    for (Index a = 0; a < corners.size(); ++a) {
      const Index node = corners[a];
      if (node < assembly.order().n_free())
        U_bar.middleRows(node * dim, dim) += U_e_bar.middleRows(a * dim, dim);
    }
  }
}

void add_design_bar(const BodyDesign& design, const StressBar& stress, BodyDesign& bar) {
  for (Index i = 0; i < stress.modes.n_points(); ++i) {
    const int e = stress.points.elements[static_cast<std::size_t>(i)];
    const double sum = components(stress.S_bar, stress.modes, i)
                           .cwiseProduct(components(stress.modes.S, stress.modes, i))
                           .sum();
    bar.density[e] += stress.points.relaxation / design.density[e] * sum;
    bar.youngs_modulus[e] += sum / design.youngs_modulus[e];
  }
}

void add_position_bar(const StressedBody& body, const ReducedBody& reduced, const StressBar& stress,
                      Mesh::Points& x_bar) {
  const Assembly& assembly = body.assembly;
  const ShapeClasses& shapes = *body.shapes;
  const int dim = assembly.dim();
  OfShape<std::vector<MatrixXd>> derivatives;
  for (Index i = 0; i < stress.modes.n_points(); ++i) {
    const int e = stress.points.elements[static_cast<std::size_t>(i)];
    const MatrixXd U_S = factor(body.design, stress.points, e) * corner_shapes(assembly, reduced, e) *
                         components(stress.S_bar, stress.modes, i).transpose();
    const std::vector<MatrixXd>& dD_B = derivatives.at(shapes.of(e), [&](int c) {
      return differentiate_centre_stress(shapes.element(c), shapes.corners(c), dim);
    });
    const Assembly::Corners corners = assembly.corners(e);
    for (Index a = 0; a < corners.size(); ++a) {
      for (int d = 0; d < dim; ++d) {
        x_bar(d, assembly.order().node_at(corners[a])) +=
            U_S.cwiseProduct(dD_B[static_cast<std::size_t>(a * dim + d)]).sum();
      }
    }
  }
}

}  // namespace kurbel::fem
