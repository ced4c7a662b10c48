#include "fem/stress.hpp"

#include <algorithm>
#include <cmath>

#include "fem/faces.hpp"
#include "fem/flexible_body.hpp"
#include "fem/frame.hpp"
#include "fem/pullback.hpp"
#include "fem/shape_functions.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// p^r E0 of an element.
double factor(const BodyDesign& design, const StressPoints& points, int element) {
  return std::pow(design.density[element], points.relaxation) * design.youngs_modulus[element];
}

/// D B at the points of successive elements.
class SampledStress {
 public:
  explicit SampledStress(const ShapeClasses& shapes) : shapes_(shapes) {}
  const std::vector<MatrixXd>& of(int element) {
    return of_shape_.at(shapes_.of(element), [this](int c) { return shapes_.sampled_stress(c); });
  }

 private:
  const ShapeClasses& shapes_;
  OfShape<std::vector<MatrixXd>> of_shape_;
};

/// The number of points of an element, by its kind alone.
Index n_points_of(ElementKind kind) {
  if (!topology(kind).has_middle_nodes()) return 1;
  return with_kind(kind, []<class Kind>(Kind) { return std::ssize(Kind::stiffness_rule()); });
}

/// Rows of the basis at the corners of an element, (corners dim) x n_q.
/// @param W  fields as ReducedBody::W
MatrixXd corner_shapes(const Assembly& assembly, const NodalFields& W, int element) {
  const int dim = assembly.dim();
  const Assembly::Corners corners = assembly.corners(element);
  const Index n_q = (W.cols() - 1 - dim) / dim;
  MatrixXd U(corners.size() * dim, n_q);
  for (Index a = 0; a < corners.size(); ++a) {
    const auto row = W.row(corners[a]);
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
  for (const SupportSpec& support : spec.supports) {
    if (named(support.name)) touch(mesh.nodes_in(support.place));
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

std::vector<int> elements_of_points(const Mesh& mesh, const StressPoints& points) {
  std::vector<int> elements;
  for (const int e : points.elements)
    elements.insert(elements.end(), static_cast<std::size_t>(n_points_of(mesh.kind_of(e))), e);
  return elements;
}

namespace {

/// Displacements as fields by position, as in ReducedBody::W.
NodalFields as_fields(const Assembly& assembly, const MatrixXd& U) {
  const int dim = assembly.dim();
  NodalFields W = NodalFields::Zero(assembly.order().n_nodes(), 1 + dim + dim * U.cols());
  scatter_shapes(U, dim, U.cols(), 1 + dim, W);
  return W;
}

StressModes modes_of_fields(const StressedBody& body, const NodalFields& W, Index n_q,
                            const StressPoints& points) {
  const Index n_components = body.shapes->n_stresses();
  SampledStress stress(*body.shapes);
  Index n = 0;
  for (const int e : points.elements) n += n_points_of(body.shapes->kind_of(e));
  StressModes modes{n_components, MatrixXd(n_components * n, n_q)};
  Index i = 0;
  for (const int e : points.elements) {
    const MatrixXd U = corner_shapes(body.assembly, W, e);
    const double factor_e = factor(body.design, points, e);
    for (const MatrixXd& D_B : stress.of(e))
      modes.S(Eigen::seqN(i++, n_components, n), Eigen::all) = factor_e * D_B * U;
  }
  return modes;
}

}  // namespace

StressModes stress_modes(const StressedBody& body, const ReducedBody& reduced, const StressPoints& points) {
  return modes_of_fields(body, reduced.W, reduced.lambda.size(), points);
}

StressModes stress_modes(const StressedBody& body, const MatrixXd& U, const StressPoints& points) {
  return modes_of_fields(body, as_fields(body.assembly, U), U.cols(), points);
}

void add_basis_bar(const StressedBody& body, const StressBar& stress, MatrixXd& U_bar) {
  const Assembly& assembly = body.assembly;
  const int dim = assembly.dim();
  SampledStress sampled(*body.shapes);
  Index i = 0;
  for (const int e : stress.points.elements) {
    const Assembly::Corners corners = assembly.corners(e);
    MatrixXd U_e_bar = MatrixXd::Zero(corners.size() * dim, stress.S_bar.cols());
    const double factor_e = factor(body.design, stress.points, e);
    for (const MatrixXd& D_B : sampled.of(e))
      U_e_bar += factor_e * D_B.transpose() * components(stress.S_bar, stress.modes, i++);
    for (Index a = 0; a < corners.size(); ++a) {
      const Index node = corners[a];
      if (node < assembly.order().n_free())
        U_bar.middleRows(node * dim, dim) += U_e_bar.middleRows(a * dim, dim);
    }
  }
}

void add_design_bar(const StressedBody& body, const StressBar& stress, BodyDesign& bar) {
  const BodyDesign& design = body.design;
  Index i = 0;
  for (const int e : stress.points.elements) {
    double sum = 0.0;
    for (Index n = n_points_of(body.shapes->kind_of(e)); n > 0; --n, ++i) {
      sum += components(stress.S_bar, stress.modes, i)
                 .cwiseProduct(components(stress.modes.S, stress.modes, i))
                 .sum();
    }
    bar.density[e] += stress.points.relaxation / design.density[e] * sum;
    bar.youngs_modulus[e] += sum / design.youngs_modulus[e];
  }
}

namespace {

void add_position_bar_of_fields(const StressedBody& body, const NodalFields& W, const StressBar& stress,
                                Mesh::Points& x_bar) {
  const Assembly& assembly = body.assembly;
  const ShapeClasses& shapes = *body.shapes;
  const int dim = assembly.dim();
  Index i = 0;
  for (const int e : stress.points.elements) {
    const MatrixXd U = factor(body.design, stress.points, e) * corner_shapes(assembly, W, e);
    const Assembly::Corners nodes = assembly.corners(e);
    const Element& element = shapes.element(shapes.of(e));
    const Corners corners = shapes.corners(shapes.of(e));
    const auto n_points = static_cast<std::size_t>(n_points_of(shapes.kind_of(e)));
    for (std::size_t point = 0; point < n_points; ++point) {
      const MatrixXd bar =
          element.differentiate_stress(corners, point, components(stress.S_bar, stress.modes, i++), U);
      for (Index a = 0; a < nodes.size(); ++a)
        x_bar.col(assembly.order().node_at(nodes[a])).head(dim) += bar.col(a);
    }
  }
}

}  // namespace

void add_position_bar(const StressedBody& body, const ReducedBody& reduced, const StressBar& stress,
                      Mesh::Points& x_bar) {
  add_position_bar_of_fields(body, reduced.W, stress, x_bar);
}

void add_position_bar(const StressedBody& body, const MatrixXd& U, const StressBar& stress,
                      Mesh::Points& x_bar) {
  add_position_bar_of_fields(body, as_fields(body.assembly, U), stress, x_bar);
}

}  // namespace kurbel::fem
