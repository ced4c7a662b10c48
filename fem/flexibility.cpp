#include "fem/flexibility.hpp"

namespace kurbel::fem {

using Eigen::Index;

Index Flexibility::n_conditions() const {
  return (frame_ ? frame_->R.cols() : 0) + (interfaces_ ? interfaces_->Psi.cols() : 0);
}

void Flexibility::solve(const double* f, double* u, Index n_rhs) const {
  if (!frame_ && !interfaces_) return K_->solve(f, u, n_rhs);
  const Index n = frame_ ? frame_->R.rows() : interfaces_->Psi.rows();
  MatrixXd balanced = Eigen::Map<const MatrixXd>(f, n, n_rhs);
  take_out_reactions(balanced);
  Eigen::Map<MatrixXd> answers(u, n, n_rhs);
  K_->solve(balanced.data(), u, n_rhs);
  if (frame_) answers -= frame_->R * (frame_->C_T.transpose() * answers).eval();
  if (interfaces_)
    answers -= interfaces_->Psi * interfaces_->B_Psi.solve(interfaces_->B_T.transpose() * answers).eval();
}

void Flexibility::take_out_reactions(MatrixXd& f) const {
  if (frame_) f -= frame_->C_T * (frame_->R.transpose() * f).eval();
  if (interfaces_) f -= interfaces_->B_T * interfaces_->B_Psi.solve(interfaces_->Psi.transpose() * f);
}

void Flexibility::solve(const MatrixXd& f, MatrixXd& u) const {
  u.resize(f.rows(), f.cols());
  if (f.cols() > 0) solve(f.data(), u.data(), f.cols());
}

}  // namespace kurbel::fem
