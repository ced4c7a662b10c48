/// @file
/// Free vibration of a linear system, x(t) = Re(x exp(s t)):
///
///     (s^2 M + s D + K) x = 0,    w^T (s^2 M + s D + K) = 0,    w^T (2 s M + D) x = 1
///
/// Without damping, and with a symmetric K, s^2 = -lambda are the eigenvalues of the symmetric pencil K x = lambda M x.
/// Modes without stiffness are rigid-body modes; they stand apart.
#pragma once

#include <complex>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace kurbel {

using VectorXcd = VectorX<std::complex<double>>;
using MatrixXcd = MatrixX<std::complex<double>>;

/// n x n each; M is symmetric and positive definite.
struct QuadraticPencil {
  MatrixXd M, D, K;
};

struct PencilMode {
  std::complex<double> s;  ///< 1/s, Im s >= 0; the conjugate is not stored
  VectorXcd right, left;   ///< x with x^H M x = 1, and w
};

struct PencilModes {
  bool is_conservative = true;    ///< no damping, and a symmetric K
  MatrixXd rigid;                 ///< n x (number of rigid-body modes), X^T M X = 1
  VectorXcd s;                    ///< of all other modes, by their |s|
  std::vector<PencilMode> modes;  ///< the first of them
};

/// |s| / (2 pi), Hz
double frequency_of(std::complex<double> s);
/// -Re s / |s|
double damping_ratio_of(std::complex<double> s);
/// True if Re s is positive by more than rounding.
bool grows(std::complex<double> s);

/// @param n_wanted  number of modes, rigid-body modes aside
/// @return          a failure if M is not positive definite or eigenvalues are not found
Status find_modes(const QuadraticPencil& pencil, int n_wanted, PencilModes& out);

}  // namespace kurbel
