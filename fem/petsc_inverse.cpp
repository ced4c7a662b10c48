#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/digest.hpp"
#include "fem/petsc_session.hpp"
#include "fem/stiffness_inverse.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double reachable = 1e-10;

/// The first process's end of a stiffness whose rows all processes hold.
class PetscInverse final : public StiffnessInverse {
 public:
  PetscInverse(const Assembly& assembly, const Mesh& mesh)
      : assembly_(assembly),
        session_(started()),
        body_(next_body()),
        partition_(partition_nodes(assembly, mesh, session_.size())),
        shares_(static_cast<std::size_t>(session_.size())) {
    session_.order({Kind::make, body_}, [&] {
      for (int p = 1; p < session_.size(); ++p) send(share_of(assembly, mesh, partition_, p, at(p)), p);
      rows_ = std::make_unique<StiffnessRows>(session_.processes(),
                                              share_of(assembly, mesh, partition_, 0, at(0)));
    });
  }

  ~PetscInverse() override {
    if (session_.is_running()) {
      session_.order({Kind::discard, body_}, [&] { rows_.reset(); });
    } else {
      [[maybe_unused]] const auto* ended_with_petsc = rows_.release();
    }
  }
  PetscInverse(const PetscInverse&) = delete;
  PetscInverse& operator=(const PetscInverse&) = delete;

  Outcome update(const VectorXd& E, const std::vector<Index>& springs) override {
    E_ = E;
    failure_ = {};
    const bool with_matrices = session_.size() > 1 && have_matrices_changed();
    bool is_definite = false;
    session_.order({Kind::update, body_, with_matrices}, [&] {
      for (int p = 1; p < session_.size(); ++p) {
        session_.send(moduli_of(p), p);
        if (with_matrices) session_.send(matrices_of(p), p);
      }
      std::vector<int> rows;
      for (const Index dof : springs) rows.push_back(row_of(dof));
      session_.broadcast(rows);
      std::vector<const double*> matrices;
      for (const int e : at(0).representatives) matrices.push_back(assembly_.matrices(e).stiffness.data());
      is_definite = rows_->update(moduli_of(0), matrices, rows);
    });
    if (is_definite) session_.order({Kind::memory, body_}, [&] { memory_ = rows_->memory(); });
    return is_definite ? Outcome::ok : Outcome::singular;
  }

  void multiply(ConstBlock x, Block K_x) const override {
    for_each_column({Kind::multiply, body_}, x, K_x,
                    [&](const double* from, double* to) { rows_->multiply(from, to); });
  }

  void precondition(ConstBlock r, Block z) override {
    for_each_column({Kind::precondition, body_}, r, z,
                    [&](const double* from, double* to) { rows_->precondition(from, to); });
  }

  int solve(ConstBlock b, Block x, double tolerance) override {
    const double target = std::max(tolerance, reachable);
    int most = 0;
    for_each_column({Kind::solve, body_, 0, target}, b, x, [&](const double* from, double* to) {
      const StiffnessRows::Solution solution = rows_->solve(from, to, target);
      most = std::max(most, solution.iterations);
      if (solution.has_converged || failure_.failed()) return;
      failure_ =
          Failure{fmt::format("PETSc's conjugate gradients do not converge in {} iterations to {:.1g} ({})",
                              solution.iterations, target, solution.reason),
                  "", "take the direct solver (solver = \"direct\")"};
    });
    return most;
  }

  bool is_exact() const override { return false; }
  double accuracy() const override { return reachable; }
  Status status() const override { return failure_; }
  double memory() const override { return memory_; }

  VectorXd energy_errors(ConstBlock u) const override {
    const Index dim = assembly_.dim(), n_free = assembly_.order().n_free();
    VectorXd errors = VectorXd::Zero(u.cols()), u_e;
    for (Index e = 0; e < assembly_.n_elements(); ++e) {
      const MatrixXd k = E_[e] * assembly_.matrices(e).stiffness.cwiseAbs();
      const auto corners = assembly_.corners(e);
      u_e.resize(k.rows());
      for (Index c = 0; c < u.cols(); ++c) {
        for (Index a = 0; a < corners.size(); ++a) {
          if (corners[a] < n_free) {
            u_e.segment(dim * a, dim) = u.col(c).segment(dim * corners[a], dim).cwiseAbs();
          } else {
            u_e.segment(dim * a, dim).setZero();
          }
        }
        errors[c] += u_e.dot(k * u_e);
      }
    }
    return std::numeric_limits<double>::epsilon() * errors;
  }

 private:
  using Kind = PetscOrder::Kind;

  static PetscSession& started() {
    PetscSession::instance().start(false);
    return PetscSession::instance();
  }
  static int next_body() {
    static std::atomic<int> next = 0;
    return next++;
  }

  ShareElements& at(int process) { return shares_[static_cast<std::size_t>(process)]; }

  void send(const StiffnessShare& share, int to) {
    session_.send(std::vector<int>{share.dim}, to);
    for (const std::vector<int>* part : {&share.node_begin, &share.vertex_begin, &share.ends,
                                         &share.corner_begin, &share.corners, &share.class_of})
      session_.send(*part, to);
    session_.send(share.positions, to);
    std::vector<int> sizes;
    for (const int e : at(to).representatives)
      sizes.push_back(static_cast<int>(assembly_.matrices(e).stiffness.size()));
    session_.send(sizes, to);
  }

  std::vector<double> moduli_of(int process) {
    std::vector<double> moduli;
    for (const int e : at(process).elements) moduli.push_back(E_[e]);
    return moduli;
  }

  std::vector<double> matrices_of(int process) {
    std::vector<double> all;
    for (const int e : at(process).representatives) {
      const MatrixXd& k = assembly_.matrices(e).stiffness;
      all.insert(all.end(), k.data(), k.data() + k.size());
    }
    return all;
  }

  /// True if the shape of the mesh is another one than at the last call.
  bool have_matrices_changed() {
    std::string digest;
    for (const ShareElements& share : shares_) {
      for (const int e : share.representatives) {
        const MatrixXd& k = assembly_.matrices(e).stiffness;
        const std::size_t n_bytes = sizeof(double) * static_cast<std::size_t>(k.size());
        digest = digest_of(digest + digest_of({reinterpret_cast<const char*>(k.data()), n_bytes}));
      }
    }
    const bool has_changed = digest != digest_;
    digest_ = std::move(digest);
    return has_changed;
  }

  int row_of(Index dof) const {
    const int dim = assembly_.dim();
    return dim * partition_.node_at[static_cast<std::size_t>(dof / dim)] + static_cast<int>(dof % dim);
  }

  /// Columns of `from` and `to` in the order of the rows.
  template <class Operation>
  void for_each_column(PetscOrder order, ConstBlock from, Block to, const Operation& operation) const {
    if (from.cols() == 0) return;
    order.argument = static_cast<int>(from.cols());
    session_.order(order, [&] {
      VectorXd in(from.rows()), out(from.rows());
      for (Index c = 0; c < from.cols(); ++c) {
        for (Index i = 0; i < from.rows(); ++i) in[row_of(i)] = from(i, c);
        if (order.kind == Kind::solve)
          for (Index i = 0; i < from.rows(); ++i) out[row_of(i)] = to(i, c);
        operation(in.data(), out.data());
        for (Index i = 0; i < from.rows(); ++i) to(i, c) = out[row_of(i)];
      }
    });
  }

  const Assembly& assembly_;
  PetscSession& session_;
  int body_;
  NodePartition partition_;
  std::vector<ShareElements> shares_;
  std::unique_ptr<StiffnessRows> rows_;
  VectorXd E_;
  std::string digest_;  // of the matrices that the other processes have
  Status failure_;
  double memory_ = 0.0;
};

}  // namespace

std::unique_ptr<StiffnessInverse> make_petsc_inverse(const Assembly& assembly, const Mesh& mesh) {
  return std::make_unique<PetscInverse>(assembly, mesh);
}

}  // namespace kurbel::fem
