#include <fmt/format.h>

#include "base/symmetric_eigen.hpp"
#include "fem/modes.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

namespace {

constexpr double dependent_on_modes = 1e-6;        // what is left of a load beside the normal modes
constexpr double dependent_on_each_other = 1e-12;  // lowest eigenvalue of the answers' correlation
constexpr double ill_conditioned = 1e-4;  // the same: below it, answers to combined loads are solved for

const char* const remove_a_load = "take fewer attachment modes or markers, or fewer normal modes (modes)";

Failure dependent_pair(const VectorXd& combination, const std::vector<std::string>& names) {
  Eigen::Index first = 0, second = 0;
  combination.cwiseAbs().maxCoeff(&first);
  VectorXd others = combination.cwiseAbs();
  others[first] = -1.0;
  others.maxCoeff(&second);
  return {
      fmt::format("the attachment modes of {} and {} are linearly dependent", names[first], names[second]),
      "", remove_a_load};
}

/// P = G F without its part in the span of the normal modes, which the load F does not excite but for
/// rounding.
void solve_beside_modes(const Flexibility& K, const NormalModes& normal, const MatrixXd& F, MatrixXd& P) {
  K.solve(F, P);
  P -= normal.Phi * gram(normal.M_Phi, P);
}

/// The eigenvectors of the span of P, which answers the loads F.
class Ritz {
 public:
  Ritz(const NodalMass& m, const MatrixXd& P, const MatrixXd& F) : M_P(P.rows(), P.cols()) {
    m.multiply_free(P, M_P);
    const MatrixXd S = gram(P, M_P);
    scale_ = S.diagonal().cwiseSqrt().cwiseInverse();
    correlation_ = scale_.asDiagonal() * (0.5 * (S + S.transpose())) * scale_.asDiagonal();
    H_ = scale_.asDiagonal() * gram(P, F) * scale_.asDiagonal();
    spectrum = symmetric_eigen(correlation_);
  }

  void solve(VectorXd& lambda, MatrixXd& T) const {
    const SymmetricEigen block = symmetric_eigen(0.5 * (H_ + H_.transpose()), correlation_);
    lambda = block.values;
    T = scale_.asDiagonal() * block.vectors;
  }

  MatrixXd M_P;
  SymmetricEigen spectrum;  ///< of the correlation

 private:
  VectorXd scale_;
  MatrixXd correlation_, H_;
};

}  // namespace

Status find_attachment_modes(const HeldPencil& body, const NormalModes& normal, const MatrixXd& B_T,
                             const std::vector<std::string>& load_names, AttachmentModes& out) {
  const Eigen::Index n_a = B_T.cols();
  out = AttachmentModes{};
  if (n_a == 0) {
    out.Psi = out.M_Psi = out.K_Psi = MatrixXd(B_T.rows(), 0);
    out.C = out.D = MatrixXd(normal.lambda.size(), 0);
    out.T = MatrixXd(0, 0);
    return {};
  }
  // Answers to loads that do not excite the normal modes: where a mode is much softer than the rest, it is
  // nearly all of an answer to B^T, and taking it out would leave few digits.
  const MatrixXd B_Phi = gram(normal.Phi, B_T);
  out.C = normal.lambda.cwiseInverse().asDiagonal() * B_Phi;
  MatrixXd F = B_T - normal.M_Phi * B_Phi, P;
  const VectorXd left = norms(F), whole = norms(B_T);
  for (Eigen::Index j = 0; j < n_a; ++j) {
    if (left[j] > dependent_on_modes * whole[j]) continue;
    return Failure{
        fmt::format("the attachment mode of {} depends linearly on the normal modes", load_names[j]), "",
        remove_a_load};
  }
  solve_beside_modes(body.K, normal, F, P);
  Ritz ritz(body.m, P, F);
  const double independence = ritz.spectrum.values[0];
  if (!(independence > dependent_on_each_other)) {
    return dependent_pair(ritz.spectrum.vectors.col(0), load_names);
  }
  ritz.solve(out.lambda, out.T);
  if (independence < ill_conditioned) {
    F = F * out.T;
    F -= normal.M_Phi * gram(normal.Phi, F);
    solve_beside_modes(body.K, normal, F, P);
    ritz = Ritz(body.m, P, F);
    MatrixXd correction;
    ritz.solve(out.lambda, correction);
    out.T = out.T * correction;
    P = P * correction, F = F * correction;
    ritz.M_P = ritz.M_P * correction;
  } else {
    P = P * out.T, F = F * out.T;
    ritz.M_P = ritz.M_P * out.T;
  }
  for (Eigen::Index j = 0; j < n_a; ++j) {
    Eigen::Index largest = 0;
    out.T.col(j).cwiseAbs().maxCoeff(&largest);
    if (out.T(largest, j) > 0.0) continue;
    for (MatrixXd* columns : {&out.T, &P, &F, &ritz.M_P}) columns->col(j) *= -1.0;
  }
  out.Psi = std::move(P);
  out.M_Psi = std::move(ritz.M_P);
  out.K_Psi = std::move(F);
  out.D = B_Phi * out.T;
  return {};
}

}  // namespace kurbel::fem
