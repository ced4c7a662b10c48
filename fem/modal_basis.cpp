#include "fem/modal_basis.hpp"

#include "fem/mode_choice.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

namespace {

/// Rigid-body modes as modes that the basis leaves out.
void add_rigid_modes(const FrameProjection& buckens, OtherModes& others) {
  const Eigen::Index n = others.lambda.size(), n_rigid = buckens.R.cols();
  others.lambda.conservativeResize(n + n_rigid);
  others.lambda.tail(n_rigid).setZero();
  others.Phi.conservativeResize(buckens.R.rows(), n + n_rigid);
  others.Phi.rightCols(n_rigid) = buckens.R;
  others.M_Phi.conservativeResize(buckens.R.rows(), n + n_rigid);
  others.M_Phi.rightCols(n_rigid) = buckens.C_T;
}

}  // namespace

std::vector<std::string> HeldBody::load_names() const {
  std::vector<std::string> names;
  for (const UnitLoad& load : loads) names.push_back(load.name);
  return names;
}

void BasisBar::add_stiffness(const MatrixXd& K_U, const MatrixXd& Ke_bar_sum, Eigen::Index first) {
  const auto rows = Ke_bar_sum.middleRows(first, K_U.cols());
  U.noalias() += K_U * rows;
  size += rows.cwiseAbs().transpose() * norms(K_U);
}

/// The normal modes chosen, of the body as it is held for them.
Status ModalBasis::find_normal(const HeldBody& body, const HeldPencil& held, const ModeChoice& choice) {
  const int n_found = choice.list.empty() ? choice.n : choice.list.back();
  if (Status s = find_normal_modes(held, n_found, normal_); s.failed()) return s;
  const VectorXd errors = body.K.energy_errors(normal_.Phi);
  if (Status s = check_truncation(normal_, errors); s.failed()) return s;
  if (!choice.list.empty()) {
    if (Status s = keep_modes(choice.list, normal_, errors); s.failed()) return s;
  }
  if (body.frame.is_buckens()) add_rigid_modes(*body.frame.projection(), normal_.left_out);
  return {};
}

std::unique_ptr<ModalBasis> make_basis(BasisType type) {
  switch (type) {
    case BasisType::normal:
      return std::make_unique<NormalBasis>();
    case BasisType::craig_bampton:
      return std::make_unique<CraigBamptonBasis>();
  }
  return nullptr;
}

}  // namespace kurbel::fem
