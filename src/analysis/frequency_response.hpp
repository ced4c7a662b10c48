/// @file
/// Amplitudes and phases of a mechanism that harmonic loads and drives shake about its rest, over a range of frequencies:
///
///     excitation Im(u A exp(i phi + 2 pi i f t)), u = (2 pi f)^growth    ->    observable Im(z(f) exp(2 pi i f t))
///
/// The amplitude of a number is |z|, that of a vector (sum_j |z_j|^2)^(1/2). Functions of it over the n frequencies f_k:
///
///     p-norm   (sum_k |z_k|^p / n)^(1/p)         KS   ln(sum_k exp(a |z_k|) / n) / a
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/linearized_mechanism.hpp"
#include "formulation/criterion_values.hpp"
#include "formulation/motion_model.hpp"

namespace kurbel {

/// A term of a criterion that has an amplitude, with its numbers, each of which is a criterion of its own.
struct ResponseTerm {
  explicit ResponseTerm(const CriterionTerm& term);

  CriterionTerm term;
  std::vector<std::vector<CriterionTerm>> numbers;
};

/// The frequencies of the range, Hz.
VectorXd frequencies_of(const FrequencyResponseOptions& options);

/// The distance of differences that find what excitations force.
double excitation_distance(const SystemSpec& system);

class FrequencyResponse {
 public:
  /// A number in a state, with excitations as at t.
  using Values = std::function<double(double t, const VectorXd& y, const std::vector<CriterionTerm>& number)>;
  /// Adds its derivatives.
  using Partials = std::function<void(double t, const VectorXd& y, const std::vector<CriterionTerm>& number,
                                      Eigen::Ref<VectorXd> y_bar, Eigen::Ref<VectorXd> p_bar)>;

  /// @param mechanism  excited; must outlive it
  FrequencyResponse(const LinearizedMechanism& mechanism, const FrequencyResponseOptions& options,
                    Values values, Partials partials);

  /// The value without its weight; low and high are the largest amplitude.
  CriterionValues value(const ResponseTerm& term) const;
  /// Adds the derivatives of a sum of terms.
  /// @return  an estimate of their error, of LinearizedMechanism::add_derivatives()
  double add_derivatives(const std::vector<ResponseTerm>& terms, Eigen::Ref<VectorXd> y_bar,
                         Eigen::Ref<VectorXd> p_bar) const;
  /// Amplitude and phase of all numbers of outputs over the frequencies.
  ResultTable table(const std::vector<Output>& outputs) const;
  /// The largest amplitude of each, and its frequency.
  MotionSummary peaks(const std::vector<Output>& outputs) const;

 private:
  PencilVectors at(double frequency) const;
  const PencilVectors& at(const CriterionTerm& term, Eigen::Index k, PencilVectors& single) const;
  Eigen::Index count(const CriterionTerm& term) const;
  MatrixXd partials_of(const ResponseTerm& term) const;
  MatrixXcd observed(const ResponseTerm& term) const;

  const LinearizedMechanism& mechanism_;
  FrequencyResponseOptions options_;
  Values values_;
  Partials partials_;
  VectorXd frequencies_;
  std::vector<PencilVectors> responses_;  ///< by frequency
};

/// A failure if a frequency is that of a mode without damping.
/// @param s  of the modes
Status require_finite_response(const VectorXd& frequencies, const VectorXcd& s);

/// A warning if resonances are narrower than the distance of frequencies; empty: they are not.
std::string narrow_resonances(const VectorXd& frequencies, const VectorXcd& s);

}  // namespace kurbel
