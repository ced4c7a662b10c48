#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>

#include "fem/block_cg.hpp"
#include "fem/multigrid.hpp"
#include "fem/stiffness_inverse.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double reachable = 1e-10;  // a cycle in single precision, products in double
constexpr int most_iterations = 500;
/// Stiffness of the cycle's spring at a held displacement, relative to the diagonal entry there.
constexpr double holding = 100.0;

template <int dim>
class MultigridInverse final : public StiffnessInverse {
 public:
  MultigridInverse(const Assembly& assembly, const std::array<int, 3>& divisions, Index coarsest,
                   std::vector<Index> held)
      : assembly_(assembly),
        multigrid_(divisions, clamped(assembly), coarsest),
        grid_(multigrid_.finest()),
        held_(std::move(held)) {
    const Index row = divisions[0] + 1, layer = row * (divisions[1] + 1);
    for (Index position = 0; position < assembly.order().n_free(); ++position) {
      const Index node = assembly.order().node_at(position);
      grid_node_.push_back(grid_.node_at(static_cast<int>(node % row), static_cast<int>(node % layer / row),
                                         static_cast<int>(node / layer)));
    }
    for (Index e = 0; e < assembly.n_elements(); ++e) {
      const Index i = e % divisions[0], j = e / divisions[0] % divisions[1],
                  k = e / divisions[0] / divisions[1];
      const std::array<int, 3>& n = grid_.divisions();
      grid_element_.push_back(i + n[0] * (j + n[1] * k));
    }
  }

  Outcome update(const VectorXd& E, const std::vector<Index>& springs) override {
    const MatrixXd& k = assembly_.matrices(0).stiffness;
    k_ = k;
    box_ = BoxStiffness<dim, double>(k);
    reference_ = E.maxCoeff();
    E_.assign(static_cast<std::size_t>(grid_.n_elements()), 0.0);
    for (Index e = 0; e < E.size(); ++e) E_[at(grid_element_, e)] = E[e] / reference_;
    springs_.clear();
    spring_dofs_ = springs;
    for (const Index dof : springs) springs_.push_back(spring_at(dof, 1.0));
    std::vector<GridSpring> of_cycle = springs_;
    for (const Index dof : held_) of_cycle.push_back(spring_at(dof, holding));
    failure_ = {};
    try {
      return multigrid_.update(E_, k, std::move(of_cycle)) ? Outcome::ok : Outcome::singular;
    } catch (const std::bad_alloc&) {  // of the factor of the coarsest grid
      return Outcome::out_of_memory;
    }
  }

  void multiply(ConstBlock x, Block K_x) const override {
    for (Index first = 0; first < x.cols(); first += lanes) {
      const Index width = std::min<Index>(lanes, x.cols() - first);
      to_grid<double>(x.middleCols(first, width), VectorXd::Ones(width), x_);
      parallel_for(std::ssize(y_), 16384, [this](Index begin, Index end) {
        std::fill(y_.begin() + begin, y_.begin() + end, Fields<double>::value_type::Zero());
      });
      grid_.template add_product<double, lanes>(1.0, E_, box_, x_, y_);
      from_grid<double>(y_, VectorXd::Constant(width, reference_), K_x.middleCols(first, width));
    }
  }

  int solve(ConstBlock b, Block x, double tolerance) override {
    clear_held(x);  // what precondition() gives vanishes there, and so all that follows
    const BlockCgOutcome outcome = block_cg(
        [this](ConstBlock v, Block K_v) {
          multiply(v, K_v);
          for (std::size_t i = 0; i < springs_.size(); ++i)
            K_v.row(spring_dofs_[i]) += reference_ * springs_[i].stiffness * v.row(spring_dofs_[i]);
        },
        [this](ConstBlock r, Block z) { precondition(r, z); }, b, std::max(tolerance, reachable),
        most_iterations, x);
    if (outcome.error > std::max(tolerance, reachable) && !failure_.failed()) {
      failure_ = Failure{
          fmt::format("the multigrid iteration does not converge in {} iterations (error {:.1g} of {:.1g})",
                      outcome.iterations, outcome.error, tolerance),
          "", "take the direct solver (solver = \"direct\")"};
    }
    return outcome.iterations;
  }

  void precondition(ConstBlock r, Block z) override {
    const MatrixXd rest = without_held(r);
    const ConstBlock load = held_.empty() ? r : ConstBlock(rest);
    for (Index first = 0; first < r.cols(); first += Multigrid<dim>::W) {
      const Index width = std::min<Index>(Multigrid<dim>::W, r.cols() - first);
      const auto own = load.middleCols(first, width);
      const VectorXd size = own.cwiseAbs().colwise().maxCoeff().cwiseMax(std::numeric_limits<double>::min());
      to_grid<float>(own, size.cwiseInverse(), multigrid_.load());
      multigrid_.cycle();
      from_grid<float>(multigrid_.answer(), size / reference_, z.middleCols(first, width));
    }
    clear_held(z);
  }

  bool is_exact() const override { return false; }
  double accuracy() const override { return reachable; }
  Status status() const override { return failure_; }
  Index n_tied() const override { return std::ssize(held_); }

  VectorXd energy_errors(ConstBlock u) const override {
    const MatrixXd k = k_.cwiseAbs();
    VectorXd errors = VectorXd::Zero(u.cols());
    VectorXd u_e(Level::dofs);
    for (Index c = 0; c < u.cols(); ++c) {
      to_grid<double>(u.col(c), VectorXd::Ones(1), x_);
      for (Index e = 0; e < grid_.n_elements(); ++e) {
        const double E = E_[static_cast<std::size_t>(e)];
        if (E == 0.0) continue;
        for (Index i = 0; i < Level::dofs; ++i) {
          const Index node = grid_.first_node(e) + grid_.offset(static_cast<int>(i) / dim);
          u_e[i] = std::abs(x_[static_cast<std::size_t>(dim * node + i % dim)][0]);
        }
        errors[c] += E * u_e.dot(k * u_e);
      }
    }
    return std::numeric_limits<double>::epsilon() * reference_ * errors;
  }

  double memory() const override {
    return multigrid_.memory() +
           8.0 * static_cast<double>(E_.size() + grid_node_.size() + grid_element_.size()) +
           2.0 * sizeof(double) * lanes * static_cast<double>(x_.size());
  }

 private:
  using Level = GridLevel<dim>;
  static constexpr int lanes = 4;  // of doubles
  template <class Scalar>
  using Fields =
      std::vector<Eigen::Array<Scalar, std::is_same_v<Scalar, float> ? Multigrid<dim>::W : lanes, 1>>;
  using RowMatrix = Eigen::Matrix<double, Level::dofs, Level::dofs, Eigen::RowMajor>;

  static std::vector<bool> clamped(const Assembly& assembly) {
    const NodeOrder& order = assembly.order();
    std::vector<bool> is_clamped(static_cast<std::size_t>(order.n_nodes()), false);
    for (Index position = order.n_free(); position < order.n_nodes(); ++position)
      is_clamped[static_cast<std::size_t>(order.node_at(position))] = true;
    return is_clamped;
  }
  static std::size_t at(const std::vector<Index>& of, Index i) {
    return static_cast<std::size_t>(of[static_cast<std::size_t>(i)]);
  }

  void clear_held(Block x) const {
    for (const Index dof : held_) x.row(dof).setZero();
  }
  /// Returns x with zeros at held displacements; empty if nothing is held, where callers use x.
  MatrixXd without_held(ConstBlock x) const {
    MatrixXd rest;
    if (held_.empty()) return rest;
    rest = x;
    clear_held(rest);
    return rest;
  }

  /// @param factor  by the stiffness that is there
  GridSpring spring_at(Index dof, double factor) const {
    const Index node = grid_node_[static_cast<std::size_t>(dof / dim)];
    const auto direction = static_cast<int>(dof % dim);
    return {node, direction, factor * diagonal_entry(node, direction)};
  }
  double diagonal_entry(Index node, int direction) const {
    double sum = 0.0;
    const std::array<int, 3> place = grid_.place(node);
    const std::array<int, 3>& n = grid_.divisions();
    for (int a = 0; a < Level::corners; ++a) {
      std::array<int, 3> first = place;
      bool is_inside = true;
      for (std::size_t d = 0; d < dim; ++d) {
        first[d] -= corner_ends[static_cast<std::size_t>(a)][d];
        is_inside = is_inside && first[d] >= 0 && first[d] < n[d];
      }
      if (!is_inside) continue;
      const Index e = first[0] + static_cast<Index>(n[0]) * (first[1] + static_cast<Index>(n[1]) * first[2]);
      sum += E_[static_cast<std::size_t>(e)] * k_(dim * a + direction, dim * a + direction);
    }
    return sum;
  }

  /// Columns times a factor each, as fields over the grid; lanes without a column are zero.
  template <class Scalar>
  void to_grid(ConstBlock columns, const VectorXd& factor, Fields<Scalar>& fields) const {
    using Lane = typename Fields<Scalar>::value_type;
    parallel_for(std::ssize(grid_node_), 4096, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        for (Index d = 0; d < dim; ++d) {
          Lane& lane = fields[static_cast<std::size_t>(dim * grid_node_[static_cast<std::size_t>(i)] + d)];
          lane.setZero();
          for (Index c = 0; c < columns.cols(); ++c)
            lane[c] = static_cast<Scalar>(factor[c] * columns(dim * i + d, c));
        }
      }
    });
  }
  template <class Scalar>
  void from_grid(const Fields<Scalar>& fields, const VectorXd& factor, Block columns) const {
    parallel_for(std::ssize(grid_node_), 4096, [&](Index begin, Index end) {
      for (Index c = 0; c < columns.cols(); ++c) {
        for (Index i = begin; i < end; ++i) {
          for (Index d = 0; d < dim; ++d)
            columns(dim * i + d, c) =
                factor[c] *
                static_cast<double>(
                    fields[static_cast<std::size_t>(dim * grid_node_[static_cast<std::size_t>(i)] + d)][c]);
        }
      }
    });
  }

  const Assembly& assembly_;
  Multigrid<dim> multigrid_;
  const Level& grid_;
  std::vector<Index> held_;          // degrees of freedom
  std::vector<Index> grid_node_;     // by position of a free node
  std::vector<Index> grid_element_;  // by element
  RowMatrix k_;                      // of an element with E = 1
  BoxStiffness<dim, double> box_;    // the same
  double reference_ = 1.0;           // Pa: E_ and the springs are relative to it
  std::vector<double> E_;            // by element of the grid
  std::vector<GridSpring> springs_;
  std::vector<Index> spring_dofs_;
  Status failure_;
  mutable Fields<double> x_ = Fields<double>(static_cast<std::size_t>(dim * grid_.n_nodes()),
                                             Fields<double>::value_type::Zero()),
                         y_ = x_;
};

}  // namespace

std::unique_ptr<StiffnessInverse> make_multigrid_inverse(const Assembly& assembly,
                                                         const std::array<int, 3>& divisions, Index coarsest,
                                                         std::vector<Index> held) {
  try {
    if (assembly.dim() == 2)
      return std::make_unique<MultigridInverse<2>>(assembly, divisions, coarsest, std::move(held));
    return std::make_unique<MultigridInverse<3>>(assembly, divisions, coarsest, std::move(held));
  } catch (const std::bad_alloc&) {
    throw InputError(
        "mesh.divisions: the grids of the multigrid cycle and the factor of the coarsest one do not fit into "
        "memory");
  }
}

}  // namespace kurbel::fem
