#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "fem/modes.hpp"

namespace kurbel::fem {

namespace {

constexpr double dependent_on_modes = 1e-6;        // what is left of an answer beside the normal modes
constexpr double dependent_on_each_other = 1e-12;  // lowest eigenvalue of the answers' correlation

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

}  // namespace

Status find_attachment_modes(const Flexibility& K, const NodalMass& m, const NormalModes& normal,
                             const MatrixXd& B_T, const std::vector<std::string>& load_names,
                             AttachmentModes& out) {
  const Eigen::Index n_a = B_T.cols();
  out = AttachmentModes{};
  if (n_a == 0) {
    out.Psi = out.M_Psi = out.K_Psi = MatrixXd(B_T.rows(), 0);
    out.C = MatrixXd(normal.lambda.size(), 0);
    out.T = MatrixXd(0, 0);
    return {};
  }
  MatrixXd P;  // K^-1 B^T, then without its part in the span of the normal modes
  K.solve(B_T, P);
  out.C = normal.M_Phi.transpose() * P;
  P -= normal.Phi * out.C;
  const MatrixXd correction = normal.M_Phi.transpose() * P;
  P -= normal.Phi * correction;
  out.C += correction;

  MatrixXd M_P(P.rows(), n_a);
  m.multiply_free(P, M_P);
  const MatrixXd S = P.transpose() * M_P;
  for (Eigen::Index j = 0; j < n_a; ++j) {
    const double left = S(j, j), whole = left + out.C.col(j).squaredNorm();
    if (!(left > dependent_on_modes * dependent_on_modes * whole)) {
      return Failure{
          fmt::format("the attachment mode of {} depends linearly on the normal modes", load_names[j]), "",
          remove_a_load};
    }
  }
  const VectorXd scale = S.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXd correlation = scale.asDiagonal() * S * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(correlation);
  if (spectrum.eigenvalues()[0] < dependent_on_each_other) {
    return dependent_pair(spectrum.eigenvectors().col(0), load_names);
  }
  const MatrixXd H = scale.asDiagonal() * (P.transpose() * B_T) * scale.asDiagonal();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> block(0.5 * (H + H.transpose()), correlation);
  out.lambda = block.eigenvalues();
  out.T = scale.asDiagonal() * block.eigenvectors();
  for (Eigen::Index j = 0; j < n_a; ++j) {
    Eigen::Index largest = 0;
    out.T.col(j).cwiseAbs().maxCoeff(&largest);
    if (out.T(largest, j) < 0.0) out.T.col(j) *= -1.0;
  }
  out.Psi = P * out.T;
  out.M_Psi = M_P * out.T;
  out.K_Psi = (B_T - normal.M_Phi * (normal.lambda.asDiagonal() * out.C)) * out.T;
  return {};
}

}  // namespace kurbel::fem
