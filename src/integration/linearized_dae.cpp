#include "integration/linearized_dae.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

template <class S>
class LinearizedInBlocks final : public LinearizedDae<S> {
 public:
  using Base = LinearizedDae<S>;
  using typename Base::Blocks;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Instant;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  LinearizedInBlocks(const SecondOrderDae<S>& model, LinearSolver form)
      : model_(model), jacobians_(model.make_jacobians()), solver_(jacobians_, form) {
    if (!solver_.is_sparse()) jacobians_.store_full();
  }

  void linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) override {
    model_.linearize(at, ws, f, c, jacobians_);
  }
  void differentiate(const Instant& at, Workspace& ws) override { model_.jacobians(at, ws, jacobians_); }

  void forget() override { solver_.forget(); }
  bool factorize(const Blocks& blocks, double c_v, double c_x) override {
    return solver_.factorize(jacobians_, blocks, c_v, c_x);
  }
  void solve(const Vec& rhs, Vec& solution) const override { solver_.solve(rhs, solution); }
  void solve(const Matrix& rhs, Matrix& solution) const override { solver_.solve(rhs, solution); }
  void solve_transposed(Vec& rhs, Vec& solution) const override { solver_.solve_transposed(rhs, solution); }

  void add_product(const ConstColumns& x, const ConstColumns& v, Columns f, Columns c) const override {
    jacobians_.f_x.add_product(1.0, x, f);
    jacobians_.f_v.add_product(1.0, v, f);
    jacobians_.C.add_product(1.0, x, c);
  }
  double kinetic_norm(const Segment& w) const override {
    return kurbel::kinetic_norm<S>(jacobians_.M, w, M_w_);
  }
  void subtract_transposed_product(const Segment& mu, const Segment& nu, Eigen::Ref<Vec> x_bar,
                                   Eigen::Ref<Vec> v_bar) const override {
    jacobians_.f_v.add_transposed_product(-1.0, mu, v_bar);
    jacobians_.f_x.add_transposed_product(-1.0, mu, x_bar);
    jacobians_.C.add_transposed_product(-1.0, nu, x_bar);
  }

 private:
  const SecondOrderDae<S>& model_;
  DaeJacobians<S> jacobians_;
  SaddlePointSolver<S> solver_;
  mutable Vec M_w_;
};

}  // namespace

template <class S>
std::unique_ptr<LinearizedDae<S>> make_linearized_dae(const SecondOrderDae<S>& model, LinearSolver form) {
  const auto* recursive = dynamic_cast<const RecursiveDae<S>*>(&model);
  if (recursive && form == LinearSolver::automatic) {
    if (auto recursion = recursive->make_recursion()) return recursion;
  }
  return std::make_unique<LinearizedInBlocks<S>>(model, form);
}

template std::unique_ptr<LinearizedDae<InstantiatedScalar>> make_linearized_dae(
    const SecondOrderDae<InstantiatedScalar>&, LinearSolver);

}  // namespace kurbel
