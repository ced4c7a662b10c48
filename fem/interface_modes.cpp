#include "fem/interface_modes.hpp"

#include <fmt/format.h>

#include "base/symmetric_eigen.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double dependent = 1e-12;  // lowest eigenvalue of a correlation matrix

}  // namespace

Status hold_interfaces(const Flexibility& K, const MatrixXd& B_T, const std::vector<std::string>& names,
                       InterfaceHold& out) {
  // Loads combined so that their answers are independent in the energy: as unit loads answer to a soft part
  // of the body, they are nearly the same.
  MatrixXd answers;
  K.solve(B_T, answers);
  const VectorXd scale = dots(B_T, answers).cwiseSqrt().cwiseInverse();
  const MatrixXd F = scale.asDiagonal() * gram(B_T, answers) * scale.asDiagonal();
  const SymmetricEigen spectrum = symmetric_eigen(0.5 * (F + F.transpose()));
  if (!(spectrum.values[0] > dependent)) {
    Index largest = 0;
    spectrum.vectors.col(0).cwiseAbs().maxCoeff(&largest);
    return Failure{fmt::format("the interface {} depends linearly on the others",
                               names[static_cast<std::size_t>(largest)]),
                   "", "take fewer markers or joints, or modes.basis = \"normal\""};
  }
  const VectorXd energy = spectrum.values.cwiseSqrt().cwiseInverse();
  out.B_T = B_T * (scale.asDiagonal() * spectrum.vectors * energy.asDiagonal());
  K.solve(out.B_T, out.Psi);
  const MatrixXd B_Psi = gram(out.B_T, out.Psi);
  out.B_Psi.compute(B_Psi);
  return {};
}

Status find_craig_bampton_modes(const NodalMass& m, const NormalModes& fixed, const InterfaceHold& interfaces,
                                CraigBamptonModes& out, BasisCombination& combination) {
  const Index n = fixed.lambda.size(), n_B = interfaces.Psi.cols();
  MatrixXd V(interfaces.Psi.rows(), n + n_B), M_V(V.rows(), V.cols()), K_V(V.rows(), V.cols());
  V << fixed.Phi, interfaces.Psi;
  m.multiply_free(V, M_V);
  const MatrixXd inertia = fixed.M_Phi * fixed.lambda.asDiagonal();
  K_V.leftCols(n) = inertia - interfaces.B_T * interfaces.B_Psi.solve(gram(interfaces.Psi, inertia));
  K_V.rightCols(n_B) = interfaces.B_T;
  const MatrixXd S = gram(V, M_V);
  const VectorXd scale = S.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXd correlation = scale.asDiagonal() * (0.5 * (S + S.transpose())) * scale.asDiagonal();
  if (!(symmetric_eigenvalues(correlation)[0] > dependent)) {
    return Failure{"the fixed-interface modes and the static answers are linearly dependent", "",
                   "take fewer normal modes (modes)"};
  }
  const MatrixXd H = scale.asDiagonal() * gram(V, K_V) * scale.asDiagonal();
  const SymmetricEigen ritz = symmetric_eigen(0.5 * (H + H.transpose()), correlation);
  MatrixXd Y = scale.asDiagonal() * ritz.vectors;
  for (Index k = 0; k < Y.cols(); ++k) {
    Index largest = 0;
    ritz.vectors.col(k).cwiseAbs().maxCoeff(&largest);
    if (Y(largest, k) < 0.0) Y.col(k) *= -1.0;
  }
  out.lambda = ritz.values;
  out.U = V * Y;
  out.K_U = K_V * Y;
  combination.inverse = Y.transpose() * S;
  combination.Y = std::move(Y);
  return {};
}

}  // namespace kurbel::fem
