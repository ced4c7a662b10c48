/// @file
/// Tables of the kinds of elements and of their faces: shape functions on the element of reference, and the points at
/// which stiffness and mass are integrated.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "fem/element_kind.hpp"

namespace kurbel::fem {

/// Coordinate d of a corner of the cube [-1, 1]^3.
constexpr int corner_sign(int corner, int d) {
  return 2 * corner_ends[static_cast<std::size_t>(corner)][static_cast<std::size_t>(d)] - 1;
}

/// A point of the element of reference and its share of the integral over it.
template <int dim>
struct QuadraturePoint {
  Eigen::Matrix<double, dim, 1> xi;
  double weight;
};
template <int dim>
using Rule = std::vector<QuadraturePoint<dim>>;

/// Shape functions and their derivatives by the reference coordinates.
template <int dim, int n>
struct ShapeFunctions {
  Eigen::Matrix<double, n, 1> N;
  Eigen::Matrix<double, dim, n> dN;
};

/// Products of linear functions on the reference cube [-1, 1]^dim.
template <int dimension, int n_corners>
struct Cube {
  static constexpr int dim = dimension, n = n_corners;
  static constexpr bool has_incompatible_modes = true;
  using Point = Eigen::Matrix<double, dim, 1>;

  static Point centre() { return Point::Zero(); }

  static ShapeFunctions<dim, n> shape(const Point& xi) {
    ShapeFunctions<dim, n> out;
    for (int a = 0; a < n; ++a) {
      out.N[a] = 1.0;
      for (int d = 0; d < dim; ++d) out.N[a] *= 0.5 * (1.0 + corner_sign(a, d) * xi[d]);
      for (int k = 0; k < dim; ++k) {
        out.dN(k, a) = 0.5 * corner_sign(a, k);
        for (int d = 0; d < dim; ++d) {
          if (d != k) out.dN(k, a) *= 0.5 * (1.0 + corner_sign(a, d) * xi[d]);
        }
      }
    }
    return out;
  }

  /// Gauss' rule with two points along each axis.
  static Rule<dim> stiffness_rule() {
    Rule<dim> rule;
    for (int number = 0; number < n; ++number) {
      Point xi;
      for (int d = 0; d < dim; ++d) xi[d] = corner_sign(number, d) / std::sqrt(3.0);
      rule.push_back({xi, 1.0});
    }
    return rule;
  }
  static Rule<dim> mass_rule() { return stiffness_rule(); }
};

/// Linear functions on the simplex 0 <= xi, sum xi <= 1.
template <int dimension>
struct Simplex {
  static constexpr int dim = dimension, n = dim + 1;
  static constexpr bool has_incompatible_modes = false;
  static constexpr double measure = dim == 2 ? 1.0 / 2.0 : 1.0 / 6.0;
  using Point = Eigen::Matrix<double, dim, 1>;

  static Point centre() { return Point::Constant(1.0 / n); }

  static ShapeFunctions<dim, n> shape(const Point& xi) {
    ShapeFunctions<dim, n> out;
    out.N << 1.0 - xi.sum(), xi;
    out.dN << -Point::Ones(), Eigen::Matrix<double, dim, dim>::Identity();
    return out;
  }

  static Rule<dim> stiffness_rule() { return {{centre(), measure}}; }
  /// Exact for polynomials of degree two: a point for every corner, with the coordinate `near` of it and `far` of
  /// the others.
  static Rule<dim> mass_rule() {
    const double root = std::sqrt(5.0), far = dim == 2 ? 1.0 / 6.0 : (5.0 - root) / 20.0;
    const double near = 1.0 - dim * far;
    Rule<dim> rule = {{Point::Constant(far), measure / n}};
    for (int d = 0; d < dim; ++d) {
      Point xi = Point::Constant(far);
      xi[d] = near;
      rule.push_back({xi, measure / n});
    }
    return rule;
  }
};

/// Gauss' rule with three points along each axis of the cube [-1, 1]^dim.
template <int dim>
Rule<dim> gauss_3() {
  const std::array<double, 3> places = {-std::sqrt(0.6), 0.0, std::sqrt(0.6)},
                              weights = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
  Rule<dim> rule = {{Eigen::Matrix<double, dim, 1>::Zero(), 1.0}};
  for (int d = 0; d < dim; ++d) {
    Rule<dim> refined;
    for (const QuadraturePoint<dim>& point : rule) {
      for (std::size_t i = 0; i < 3; ++i) {
        refined.push_back(point);
        refined.back().xi[d] = places[i];
        refined.back().weight *= weights[i];
      }
    }
    rule = std::move(refined);
  }
  return rule;
}

/// Quadratic functions of the serendipity family on the cube [-1, 1]^dim, of which the element of one dimension is a
/// parabola:
///
///     corner a:           N_a = 2^-dim prod_d (1 + p_d xi_d) (sum_d p_d xi_d + 1 - dim),  p in {-1, 1}^dim
///     middle of an edge:  N_a = 2^(1 - dim) (1 - xi_k^2) prod_{d != k} (1 + p_d xi_d),    edge along axis k
template <int dimension, int n_nodes>
struct Serendipity {
  static constexpr int dim = dimension, n = n_nodes, n_corners = 1 << dim;
  static constexpr bool has_incompatible_modes = false;
  using Point = Eigen::Matrix<double, dim, 1>;

  static Point centre() { return Point::Zero(); }

  static ShapeFunctions<dim, n> shape(const Point& xi) {
    ShapeFunctions<dim, n> out;
    for (int a = 0; a < n; ++a) {
      const std::array<int, dim> p = place_of(a);
      // Factors f_d(xi_d) and their derivatives.
      Point f, df;
      double sum = 1.0 - dim;
      for (int d = 0; d < dim; ++d) {
        const int p_d = p[static_cast<std::size_t>(d)];
        f[d] = p_d == 0 ? 1.0 - xi[d] * xi[d] : 0.5 * (1.0 + p_d * xi[d]);
        df[d] = p_d == 0 ? -2.0 * xi[d] : 0.5 * p_d;
        sum += p_d * xi[d];
      }
      const bool is_corner = a < n_corners;
      out.N[a] = f.prod() * (is_corner ? sum : 1.0);
      for (int k = 0; k < dim; ++k) {
        Point factors = f;
        factors[k] = df[k];
        out.dN(k, a) = factors.prod() * (is_corner ? sum : 1.0);
        if (is_corner) out.dN(k, a) += p[static_cast<std::size_t>(k)] * f.prod();
      }
    }
    return out;
  }

  static Rule<dim> stiffness_rule() { return gauss_3<dim>(); }
  static Rule<dim> mass_rule() { return gauss_3<dim>(); }

 private:
  /// Coordinates of a node: -1, 1, or 0 along the edge whose middle it is.
  static std::array<int, dim> place_of(int a) {
    std::array<int, dim> p;
    for (int d = 0; d < dim; ++d) {
      const auto& [from, to] = cube_edges[static_cast<std::size_t>(std::max(a - n_corners, 0))];
      p[static_cast<std::size_t>(d)] =
          a < n_corners ? corner_sign(a, d) : (corner_sign(from, d) + corner_sign(to, d)) / 2;
    }
    return p;
  }
};

/// Quadratic functions on the simplex 0 <= xi, sum xi <= 1: L (2 L - 1) at the corners, 4 L_i L_j in the middle of the
/// edge ij, with the linear functions L.
template <int dimension>
struct QuadraticSimplex {
  static constexpr int dim = dimension, n_corners = dim + 1, n = n_corners * (n_corners + 1) / 2;
  static constexpr bool has_incompatible_modes = false;
  using Linear = Simplex<dim>;
  using Point = Eigen::Matrix<double, dim, 1>;

  static Point centre() { return Linear::centre(); }

  static ShapeFunctions<dim, n> shape(const Point& xi) {
    const auto [L, dL] = Linear::shape(xi);
    ShapeFunctions<dim, n> out;
    for (int a = 0; a < n_corners; ++a) {
      out.N[a] = L[a] * (2.0 * L[a] - 1.0);
      out.dN.col(a) = (4.0 * L[a] - 1.0) * dL.col(a);
    }
    for (int a = n_corners; a < n; ++a) {
      const auto& [i, j] = simplex_edges[static_cast<std::size_t>(a - n_corners)];
      out.N[a] = 4.0 * L[i] * L[j];
      out.dN.col(a) = 4.0 * (L[j] * dL.col(i) + L[i] * dL.col(j));
    }
    return out;
  }

  /// Exact for polynomials of degree two.
  static Rule<dim> stiffness_rule() { return Linear::mass_rule(); }
  /// Exact for degree four on triangles, five on tetrahedra; all weights are positive.
  static Rule<dim> mass_rule() {
    Rule<dim> rule;
    if constexpr (dim == 2) {
      // Cowper, 1973.
      add_corner_orbit(0.44594849091596488632, 0.2233815896780114657, rule);
      add_corner_orbit(0.09157621350977074346, 0.10995174365532186764, rule);
    } else {
      // Walkington, 2000: 14 points.
      add_corner_orbit(0.3108859192633006098, 0.1126879257180158508, rule);
      add_corner_orbit(0.092735250310891226402, 0.073493043116361949544, rule);
      constexpr double near = 0.5 - far_of_edges, weight = 0.042546020777081466438 * Linear::measure;
      for (const auto& [i, j] : simplex_edges) {
        Eigen::Vector4d L = Eigen::Vector4d::Constant(far_of_edges);
        L[i] = L[j] = near;
        rule.push_back({L.tail<dim>(), weight});
      }
    }
    return rule;
  }

 private:
  static constexpr double far_of_edges = 0.045503704125649649492;

  /// Adds a point for every corner, with all linear functions but one of the value `far`.
  static void add_corner_orbit(double far, double weight, Rule<dim>& rule) {
    for (int a = 0; a < n_corners; ++a) {
      Point xi = Point::Constant(far);
      if (a > 0) xi[a - 1] = 1.0 - dim * far;
      rule.push_back({xi, weight * Linear::measure});
    }
  }
};

/// Products of the linear functions on the triangle, with L_1 = eta and L_2 = xi for VTK's orientation, and of those on
/// zeta in [-1, 1].
struct Wedge6 {
  static constexpr int dim = 3, n = 6;
  static constexpr bool has_incompatible_modes = false;
  using Point = Eigen::Vector3d;

  static Point centre() { return {1.0 / 3.0, 1.0 / 3.0, 0.0}; }

  static ShapeFunctions<dim, n> shape(const Point& xi) {
    const Eigen::Vector3d L(1.0 - xi[0] - xi[1], xi[1], xi[0]);
    Eigen::Matrix<double, 2, 3> dL;
    dL << -1.0, 0.0, 1.0, -1.0, 1.0, 0.0;
    ShapeFunctions<dim, n> out;
    for (int a = 0; a < n; ++a) {
      const double side = a < 3 ? -1.0 : 1.0, height = 0.5 * (1.0 + side * xi[2]);
      out.N[a] = L[a % 3] * height;
      out.dN.col(a) << dL.col(a % 3) * height, 0.5 * side * L[a % 3];
    }
    return out;
  }

  static Rule<dim> stiffness_rule() { return product(Simplex<2>::mass_rule(), Cube<1, 2>::mass_rule()); }
  static Rule<dim> mass_rule() { return product(QuadraticSimplex<2>::mass_rule(), gauss_3<1>()); }

 private:
  static Rule<dim> product(const Rule<2>& triangle, const Rule<1>& height) {
    Rule<dim> rule;
    for (const auto& [xi, weight] : triangle) {
      for (const auto& [zeta, factor] : height) rule.push_back({{xi[0], xi[1], zeta[0]}, weight * factor});
    }
    return rule;
  }
};

/// The hexahedron whose upper face has shrunk to a point. Its functions are polynomials of the coordinates of the cube;
/// those of the pyramid itself, which are rational, need no rule of their own: products with the Jacobian, which
/// vanishes at the tip alone, are polynomials again.
struct Pyramid5 {
  static constexpr int dim = 3, n = 5;
  static constexpr bool has_incompatible_modes = false;
  using Cube8 = Cube<3, 8>;
  using Point = Eigen::Vector3d;

  /// The centroid, at a quarter of the height.
  static Point centre() { return {0.0, 0.0, -0.5}; }

  static ShapeFunctions<dim, n> shape(const Point& xi) {
    const auto [N, dN] = Cube8::shape(xi);
    return {
        (Eigen::Matrix<double, n, 1>() << N.head<4>(), N.tail<4>().sum()).finished(),
        (Eigen::Matrix<double, dim, n>() << dN.leftCols<4>(), dN.rightCols<4>().rowwise().sum()).finished()};
  }

  static Rule<dim> stiffness_rule() { return Cube8::stiffness_rule(); }
  static Rule<dim> mass_rule() { return gauss_3<dim>(); }
};

using Edge2 = Cube<1, 2>;
using Tri3 = Simplex<2>;
using Tet4 = Simplex<3>;
using Quad4 = Cube<2, 4>;
using Hex8 = Cube<3, 8>;
using Edge3 = Serendipity<1, 3>;
using Tri6 = QuadraticSimplex<2>;
using Tet10 = QuadraticSimplex<3>;
using Quad8 = Serendipity<2, 8>;
using Hex20 = Serendipity<3, 20>;

/// Calls act(Kind()) with the table of the kind.
template <class Act>
auto with_kind(ElementKind kind, const Act& act) {
  switch (kind) {
    case ElementKind::tri3:
      return act(Tri3());
    case ElementKind::quad4:
      return act(Quad4());
    case ElementKind::tet4:
      return act(Tet4());
    case ElementKind::hex8:
      break;
    case ElementKind::tri6:
      return act(Tri6());
    case ElementKind::quad8:
      return act(Quad8());
    case ElementKind::tet10:
      return act(Tet10());
    case ElementKind::hex20:
      return act(Hex20());
    case ElementKind::wedge6:
      return act(Wedge6());
    case ElementKind::pyramid5:
      return act(Pyramid5());
  }
  return act(Hex8());
}

/// The same for a face of an element, in 2D for an edge.
template <class Act>
auto with_face_kind(std::size_t n_corners, std::size_t n_nodes, const Act& act) {
  const bool is_quadratic = n_nodes > n_corners;
  if (n_corners == 2) return is_quadratic ? act(Edge3()) : act(Edge2());
  if (n_corners == 3) return is_quadratic ? act(Tri6()) : act(Tri3());
  return is_quadratic ? act(Quad8()) : act(Quad4());
}

}  // namespace kurbel::fem
