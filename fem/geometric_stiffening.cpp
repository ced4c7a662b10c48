#include "fem/geometric_stiffening.hpp"

#include <array>

#include "base/parallel.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// The products (grad phi_k)^T grad phi_l at a point that the components of a stress multiply, one column per
/// component: xx, yy, xy or xx, yy, zz, yz, zx, xy.
class GradientProducts {
 public:
  GradientProducts(int dim, Index n_q)
      : dim_(dim),
        n_q_(n_q),
        gradients_(static_cast<std::size_t>(dim), MatrixXd(dim, n_q)),
        P_(n_q * n_q, 3 * (dim - 1)) {}

  static constexpr std::array<std::array<int, 2>, 3> components_2d = {{{0, 0}, {1, 1}, {0, 1}}};
  static constexpr std::array<std::array<int, 2>, 6> components_3d = {
      {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {2, 0}, {0, 1}}};

  int n_components() const { return 3 * (dim_ - 1); }
  std::array<int, 2> axes(int component) const {
    return dim_ == 2 ? components_2d[static_cast<std::size_t>(component)]
                     : components_3d[static_cast<std::size_t>(component)];
  }

  /// @param U_e  shapes at the corners, row corner * dim + direction
  void compute(const StressPoint& point, const MatrixXd& U_e) {
    for (int i = 0; i < dim_; ++i) {
      MatrixXd& H = gradients_[static_cast<std::size_t>(i)];
      H.setZero();
      for (Index a = 0; a < point.gradient.cols(); ++a)
        H += point.gradient(i, a) * U_e.middleRows(a * dim_, dim_);
    }
    for (int s = 0; s < n_components(); ++s) {
      const auto [i, j] = axes(s);
      Eigen::Map<MatrixXd> P(P_.col(s).data(), n_q_, n_q_);
      P.noalias() = gradient(i).transpose() * gradient(j);
      if (i != j) P += P.transpose().eval();
    }
  }

  /// d phi / d x_i of all shapes, dim x n_q.
  const MatrixXd& gradient(int i) const { return gradients_[static_cast<std::size_t>(i)]; }
  /// n_q^2 x n_components.
  const MatrixXd& products() const { return P_; }

 private:
  int dim_;
  Index n_q_;
  std::vector<MatrixXd> gradients_;
  MatrixXd P_;
};

/// Field c and direction d of answer j.
struct Answer {
  Index c;
  int d;
};
Answer answer(Index j, int dim) {
  return {j / dim, static_cast<int>(j % dim)};
}
Index n_answers(int dim) {
  return (1 + dim) * dim;
}

/// Fields at the corners of an element, row corner * dim + direction; direction d of field k is column first
/// + d n + k of the nodal fields, n = out.cols().
void gather(const Assembly& assembly, Index e, const NodalFields& fields, Index first, MatrixXd& out) {
  const int dim = assembly.dim();
  const Assembly::Corners corners = assembly.corners(e);
  out.resize(corners.size() * dim, out.cols());
  for (Index a = 0; a < corners.size(); ++a) {
    const auto node = fields.row(corners[a]);
    for (int d = 0; d < dim; ++d) out.row(a * dim + d) = node.segment(first + d * out.cols(), out.cols());
  }
}

/// Calls act(run, first, last) on runs of elements; those that run concurrently share no node.
template <class Action>
void for_each_run(const StressModel& model, const Action& act) {
  constexpr Index elements_per_thread = 256;
  model.assembly.batches().for_each(elements_per_thread, act);
}

/// The stress points of successive elements.
class PointsOfElements {
 public:
  explicit PointsOfElements(const StressModel& model) : shapes_(model.shapes) {}
  const std::vector<StressPoint>& of(Index e) {
    return of_shape_.at(shapes_.of(e), [this](int c) { return shapes_.stress_points(c); });
  }

 private:
  const ShapeClasses& shapes_;
  OfShape<std::vector<StressPoint>> of_shape_;
};

NodalFields on_all_nodes(const Assembly& assembly, const MatrixXd& free, Index n_j) {
  const int dim = assembly.dim();
  NodalFields fields = NodalFields::Zero(assembly.order().n_nodes(), dim * n_j);
  for (Index i = 0; i < assembly.order().n_free(); ++i) {
    for (int d = 0; d < dim; ++d) fields.row(i).segment(d * n_j, n_j) = free.row(i * dim + d);
  }
  return fields;
}

/// Column j holds Q_j; in the moments the entry (c, d n_q + k) of matrix l is Q_cd,kl.
SecondOrderMoments moments_of(const MatrixXd& Q, int dim, Index n_q) {
  SecondOrderMoments moments(static_cast<std::size_t>(n_q), MatrixXd::Zero(4, 3 * n_q));
  for (Index j = 0; j < n_answers(dim); ++j) {
    const auto [c, d] = answer(j, dim);
    for (Index l = 0; l < n_q; ++l) {
      moments[static_cast<std::size_t>(l)].row(c).segment(d * n_q, n_q) = Q.col(j).segment(l * n_q, n_q);
    }
  }
  return moments;
}

/// Behind the columns of the inertia loads stand those of the forces at the markers.
std::vector<SecondOrderShapes> marker_shapes_of(const MatrixXd& Q, const MatrixXd& forces, int dim,
                                                Index n_q) {
  std::vector<SecondOrderShapes> markers(static_cast<std::size_t>(forces.cols() / dim));
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const Index first = static_cast<Index>(i) * dim;
    if (forces.middleCols(first, dim).isZero(0.0)) continue;
    markers[i].assign(static_cast<std::size_t>(n_q), MatrixXd::Zero(3, n_q));
    for (int d = 0; d < dim; ++d) {
      const auto Q_j = Q.col(n_answers(dim) + first + d);
      for (Index l = 0; l < n_q; ++l)
        markers[i][static_cast<std::size_t>(l)].row(d) = -Q_j.segment(l * n_q, n_q);
    }
  }
  return markers;
}

/// The transpose of both, with every L_j symmetrised.
MatrixXd symmetric_bars(const GramBar& bar, int dim, Index n_q) {
  const auto n_markers = static_cast<Index>(bar.marker_second_order.size());
  MatrixXd L = MatrixXd::Zero(n_q * n_q, n_answers(dim) + n_markers * dim);
  const auto set = [&](Index j, const std::vector<MatrixXd>& form, double factor, Index row, Index first) {
    Eigen::Map<MatrixXd> L_j(L.col(j).data(), n_q, n_q);
    for (Index l = 0; l < n_q; ++l)
      L_j.col(l) = factor * form[static_cast<std::size_t>(l)].row(row).segment(first, n_q);
    L_j = (0.5 * (L_j + L_j.transpose())).eval();
  };
  for (Index j = 0; j < n_answers(dim); ++j) {
    const auto [c, d] = answer(j, dim);
    set(j, bar.second_order, 1.0, c, d * n_q);
  }
  for (Index i = 0; i < n_markers; ++i) {
    const SecondOrderShapes& shapes = bar.marker_second_order[static_cast<std::size_t>(i)];
    for (int d = 0; d < dim && !shapes.empty(); ++d) set(n_answers(dim) + i * dim + d, shapes, -1.0, d, 0);
  }
  return L;
}

/// Adds E_e times the rows of the free corners.
void scatter(const StressModel& model, Index e, const MatrixXd& at_corners, MatrixXd& free) {
  const int dim = model.assembly.dim();
  const Assembly::Corners corners = model.assembly.corners(e);
  for (Index a = 0; a < corners.size(); ++a) {
    const Index node = corners[a];
    if (node >= model.assembly.order().n_free()) continue;
    free.middleRows(node * dim, dim) += model.E[e] * at_corners.middleRows(a * dim, dim);
  }
}

/// Sensitivities of one element at fixed answers, by the shapes and answers at its corners and by E_e.
class ElementBars {
 public:
  ElementBars(const StressModel& model, Index n_q, Index n_j)
      : dim_(model.assembly.dim()),
        n_q_(n_q),
        products_(dim_, n_q),
        U(0, n_q),
        u(0, n_j),
        sigma_(products_.n_components(), n_j),
        N_(sigma_),
        S_(n_q * n_q, sigma_.rows()),
        H_bar_(dim_, n_q) {}

  /// @param L  n_q^2 x n_j
  void compute(const std::vector<StressPoint>& points, const MatrixXd& L) {
    U_bar.setZero(U.rows(), U.cols()), u_bar.setZero(u.rows(), u.cols());
    by_E = 0.0;
    for (const StressPoint& point : points) {
      products_.compute(point, U);
      N_.noalias() = point.weight * (products_.products().transpose() * L);
      sigma_.noalias() = point.stress * u;
      by_E += sigma_.cwiseProduct(N_).sum();
      u_bar.noalias() += point.stress.transpose() * N_;
      S_.noalias() = (2.0 * point.weight) * (L * sigma_.transpose());
      add_shape_bars(point);
    }
  }

 private:
  void add_shape_bars(const StressPoint& point) {
    for (int i = 0; i < dim_; ++i) {
      H_bar_.setZero();
      for (int s = 0; s < products_.n_components(); ++s) {
        const auto [a, b] = products_.axes(s);
        if (a != i && b != i) continue;
        const Eigen::Map<const MatrixXd> S(S_.col(s).data(), n_q_, n_q_);
        H_bar_.noalias() += products_.gradient(a == i ? b : a) * S;
      }
      for (Index a = 0; a < point.gradient.cols(); ++a)
        U_bar.middleRows(a * dim_, dim_) += point.gradient(i, a) * H_bar_;
    }
  }

  int dim_;
  Index n_q_;
  GradientProducts products_;

 public:
  MatrixXd U, u;          ///< shapes and answers, given
  MatrixXd U_bar, u_bar;  ///< for E_e = 1
  double by_E = 0.0;

 private:
  MatrixXd sigma_, N_, S_, H_bar_;
};

/// Adds what the answers' own dependence on the elements brings, by the adjoint answers w.
void add_answer_bars(const StressModel& model, const NodalFields& W, const NodalFields& u,
                     const NodalFields& w, GeometricStiffeningBar& out) {
  const Assembly& assembly = model.assembly;
  const int dim = assembly.dim();
  const Index n_j = u.cols() / dim;
  for_each_run(model, [&](Index, Index first, Index last) {
    MatrixXd u_e(0, n_j), w_e(0, n_j), k_u, x, m_x;
    for (Index e = first; e < last; ++e) {
      const auto& [k, m] = assembly.matrices(e);
      const Assembly::Corners corners = assembly.corners(e);
      gather(assembly, e, u, 0, u_e), gather(assembly, e, w, 0, w_e);
      k_u.noalias() = k * u_e;
      out.stiffness[e] -= w_e.cwiseProduct(k_u).sum();
      x.resize(corners.size(), 1 + dim);
      for (Index a = 0; a < corners.size(); ++a) x.row(a) = W.row(corners[a]).head(1 + dim);
      m_x.noalias() = m * x;
      out.mass[e] = 0.0;
      for (Index j = 0; j < n_answers(dim); ++j) {
        const auto [c, d] = answer(j, dim);
        for (Index a = 0; a < corners.size(); ++a) out.mass[e] -= w_e(a * dim + d, j) * m_x(a, c);
      }
    }
  });
}

}  // namespace

GeometricStiffening find_geometric_stiffening(const StressModel& model, const Flexibility& K,
                                              const NodalFields& W, const NodalFields& m_W) {
  const Assembly& assembly = model.assembly;
  const int dim = assembly.dim();
  const Index n_inertia = n_answers(dim), n_j = n_inertia + model.forces.cols();
  const Index n_q = (W.cols() - 1 - dim) / dim, n_free = assembly.order().n_free();
  MatrixXd loads = MatrixXd::Zero(n_free * dim, n_j), answers;
  loads.rightCols(model.forces.cols()) = model.forces;
  for (Index j = 0; j < n_inertia; ++j) {
    const auto [c, d] = answer(j, dim);
    for (Index i = 0; i < n_free; ++i) loads(i * dim + d, j) = -m_W(i, c);
  }
  K.solve(loads, answers);
  GeometricStiffening out;
  out.u = on_all_nodes(assembly, answers, n_j);

  std::vector<MatrixXd> by_run(static_cast<std::size_t>(assembly.batches().size()));
  for_each_run(model, [&](Index run, Index first, Index last) {
    MatrixXd& Q = by_run[static_cast<std::size_t>(run)];
    Q.setZero(n_q * n_q, n_j);
    GradientProducts products(dim, n_q);
    PointsOfElements points(model);
    MatrixXd U(0, n_q), u(0, n_j), sigma(products.n_components(), n_j);
    for (Index e = first; e < last; ++e) {
      gather(assembly, e, W, 1 + dim, U), gather(assembly, e, out.u, 0, u);
      for (const StressPoint& point : points.of(e)) {
        products.compute(point, U);
        sigma.noalias() = (model.E[e] * point.weight) * (point.stress * u);
        Q.noalias() += products.products() * sigma;
      }
    }
  });
  MatrixXd Q = MatrixXd::Zero(n_q * n_q, n_j);
  for (const MatrixXd& share : by_run) Q += share;
  out.moments = moments_of(Q, dim, n_q);
  out.markers = marker_shapes_of(Q, model.forces, dim, n_q);
  return out;
}

NodalFields second_order_fields(const StressModel& model, const Flexibility& K, const NodalFields& W) {
  const Assembly& assembly = model.assembly;
  const int dim = assembly.dim();
  const Index n_q = (W.cols() - 1 - dim) / dim;
  MatrixXd loads = MatrixXd::Zero(assembly.n_free_dofs(), n_q * n_q), answers;
  for_each_run(model, [&](Index, Index first, Index last) {
    GradientProducts products(dim, n_q);
    PointsOfElements points(model);
    MatrixXd U(0, n_q), load;
    for (Index e = first; e < last; ++e) {
      gather(assembly, e, W, 1 + dim, U);
      load.setZero(U.rows(), n_q * n_q);
      for (const StressPoint& point : points.of(e)) {
        products.compute(point, U);
        load.noalias() -= point.weight * (point.stress.transpose() * products.products().transpose());
      }
      scatter(model, e, load, loads);
    }
  });
  K.solve(loads, answers);
  return on_all_nodes(assembly, answers, n_q * n_q);
}

std::vector<GeometricStiffeningBar> pull_back_geometric_stiffening(const StressModel& model,
                                                                   const Flexibility& K, const NodalFields& W,
                                                                   const GeometricStiffening& stiffening,
                                                                   const std::vector<GramBar>& bars) {
  const Assembly& assembly = model.assembly;
  const int dim = assembly.dim();
  const Index n_q = (W.cols() - 1 - dim) / dim, n_dofs = assembly.n_free_dofs();
  std::vector<GeometricStiffeningBar> of_functions(bars.size());
  MatrixXd u_bars(n_dofs, 0), answers;
  for (std::size_t f = 0; f < bars.size(); ++f) {
    const MatrixXd L = symmetric_bars(bars[f], dim, n_q);
    const Index n_j = L.cols();
    GeometricStiffeningBar& out = of_functions[f];
    out.U.setZero(n_dofs, n_q);
    out.mass.resize(model.E.size()), out.stiffness.resize(model.E.size());
    MatrixXd u_bar = MatrixXd::Zero(n_dofs, n_j);
    for_each_run(model, [&](Index, Index first, Index last) {
      ElementBars element(model, n_q, n_j);
      PointsOfElements points(model);
      for (Index e = first; e < last; ++e) {
        gather(assembly, e, W, 1 + dim, element.U), gather(assembly, e, stiffening.u, 0, element.u);
        element.compute(points.of(e), L);
        scatter(model, e, element.U_bar, out.U), scatter(model, e, element.u_bar, u_bar);
        out.stiffness[e] = element.by_E;
      }
    });
    u_bars.conservativeResize(Eigen::NoChange, u_bars.cols() + n_j);
    u_bars.rightCols(n_j) = u_bar;
  }
  K.solve(u_bars, answers);
  const Index n_j = bars.empty() ? 0 : answers.cols() / std::ssize(bars);
  for (std::size_t f = 0; f < bars.size(); ++f) {
    const MatrixXd w = answers.middleCols(static_cast<Index>(f) * n_j, n_j);
    add_answer_bars(model, W, stiffening.u, on_all_nodes(assembly, w, n_j), of_functions[f]);
  }
  return of_functions;
}

}  // namespace kurbel::fem
