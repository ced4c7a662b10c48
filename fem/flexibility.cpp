#include "fem/flexibility.hpp"

#include "fem/row_sums.hpp"

namespace kurbel::fem {

using Eigen::Index;
using Block = StiffnessInverse::Block;
using ConstBlock = StiffnessInverse::ConstBlock;

Index Flexibility::n_conditions() const {
  return K_->n_tied() + (frame_ ? frame_->R.cols() : 0) + (interfaces_ ? interfaces_->Psi.cols() : 0);
}

template <class Solve>
void Flexibility::apply(ConstBlock f, Block u, const Solve& solve) const {
  if (f.cols() == 0) return;
  if (!frame_ && !interfaces_) return solve(f, u);
  MatrixXd balanced = f;
  take_out_reactions(balanced);
  solve(balanced, u);
  if (frame_) u -= frame_->R * gram(frame_->C_T, u);
  if (interfaces_) u -= interfaces_->Psi * interfaces_->B_Psi.solve(gram(interfaces_->B_T, u)).eval();
}

void Flexibility::solve(ConstBlock f, Block u) const {
  apply(f, u, [this](ConstBlock b, Block x) {
    if (!K_->is_exact()) x.setZero();
    K_->solve(b, x, K_->accuracy());
  });
}

void Flexibility::precondition(ConstBlock f, Block u) const {
  apply(f, u, [this](ConstBlock r, Block z) { K_->precondition(r, z); });
}

void Flexibility::solve(const MatrixXd& f, MatrixXd& u) const {
  u.resize(f.rows(), f.cols());
  solve(ConstBlock(f), Block(u));
}

void Flexibility::multiply(ConstBlock u, Block f) const {
  K_->multiply(u, f);
  take_out_reactions(f);
}

void Flexibility::take_out_reactions(Block f) const {
  if (frame_) f -= frame_->C_T * gram(frame_->R, f);
  if (interfaces_) f -= interfaces_->B_T * interfaces_->B_Psi.solve(gram(interfaces_->Psi, f));
}

}  // namespace kurbel::fem
