#include "analysis/frequency_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanism/excitation.hpp"

namespace kurbel {

using Eigen::Index;
using Complex = std::complex<double>;

namespace {

constexpr double radians_per_cycle = 2.0 * EIGEN_PI;

/// The function of amplitudes that a term is.
/// @param slopes  set to its derivatives, if requested
double over_frequencies(const CriterionTerm& term, const VectorXd& amplitudes, VectorXd* slopes) {
  const double largest = amplitudes.maxCoeff();
  const auto n = static_cast<double>(amplitudes.size());
  if (slopes) slopes->setZero(amplitudes.size());
  if (term.time == TimeFunctional::kreisselmeier_steinhauser) {
    const VectorXd terms = (term.exponent * (amplitudes.array() - largest)).exp();
    if (slopes) *slopes = terms / terms.sum();
    return largest + std::log(terms.mean()) / term.exponent;
  }
  if (term.time == TimeFunctional::p_norm) {
    if (largest == 0.0) return 0.0;
    const double psi =
        largest * std::pow((amplitudes.array() / largest).pow(term.exponent).mean(), 1.0 / term.exponent);
    if (slopes) *slopes = (amplitudes.array() / psi).pow(term.exponent - 1.0) / n;
    return psi;
  }
  if (slopes) slopes->setOnes();
  return amplitudes[0];
}

/// Columns of a table, and lines, are of numbers: "hand.y".
std::vector<std::string> names_of_numbers(const Output& output) {
  std::vector<std::string> names;
  for (const int axis : axes_of(output.observable)) names.push_back(output.name + "." + axis_name(axis));
  if (names.empty()) names.push_back(output.name);
  return names;
}

double amplitude_of(const TimeFunctionPtr& function) {
  if (!function || !function->is_excitation()) return 0.0;
  return std::hypot(function->at(time_in_phase(1.0)).value, function->at(time_in_quadrature(1.0)).value);
}

}  // namespace

ResponseTerm::ResponseTerm(const CriterionTerm& of) : term(of) {
  CriterionTerm number = term;
  number.of_response = false;
  number.time = TimeFunctional::instants, number.steps = {0}, number.weight = 1.0;
  number.form = CriterionForm::signed_value;
  std::vector<int> axes = axes_of(term);
  if (term.component) axes = {*term.component};
  for (const int axis : axes) {
    number.component = axis;
    numbers.push_back({number});
  }
  if (numbers.empty()) numbers.push_back({number});
}

VectorXd frequencies_of(const FrequencyResponseOptions& options) {
  const bool is_linear = options.spacing == FrequencyResponseOptions::Spacing::linear;
  VectorXd f =
      is_linear ? VectorXd(VectorXd::LinSpaced(options.points, options.from, options.to))
                : VectorXd(VectorXd::LinSpaced(options.points, std::log(options.from), std::log(options.to))
                               .array()
                               .exp());
  f[0] = options.from, f[f.size() - 1] = options.to;
  return f;
}

/// Short where drives turn what forces act on; else so long that forces are large beside rounding.
double excitation_distance(const SystemSpec& system) {
  constexpr double small_turn = 0.05, large_force = 1e3;  // m or rad, N or N m
  double of_drives = 0.0, of_loads = 0.0;
  for (const JointSpec& joint : system.joints) {
    for (const DriveSpec& drive : joint.drives) of_drives = std::max(of_drives, amplitude_of(drive.motion));
  }
  for (const MarkerLoadSpec& load : system.loads) {
    for (const auto* components : {&load.force, &load.torque}) {
      for (const TimeFunctionPtr& component : *components)
        of_loads = std::max(of_loads, amplitude_of(component));
    }
  }
  if (of_drives > 0.0) return small_turn / of_drives;
  return of_loads > 0.0 ? large_force / of_loads : 1.0;
}

FrequencyResponse::FrequencyResponse(const LinearizedMechanism& mechanism,
                                     const FrequencyResponseOptions& options, Values values,
                                     Partials partials)
    : mechanism_(mechanism),
      options_(options),
      values_(std::move(values)),
      partials_(std::move(partials)),
      frequencies_(frequencies_of(options)) {
  for (const double frequency : frequencies_) responses_.push_back(at(frequency));
}

PencilVectors FrequencyResponse::at(double frequency) const {
  const double omega = radians_per_cycle * frequency;
  return mechanism_.response(Complex(0.0, omega), std::pow(omega, options_.growth));
}

/// @param single  room for the response at a frequency of the term's own
const PencilVectors& FrequencyResponse::at(const CriterionTerm& term, Index k, PencilVectors& single) const {
  if (term.time != TimeFunctional::final_value) return responses_[static_cast<std::size_t>(k)];
  return single = at(term.frequency);
}

/// Number of frequencies.
Index FrequencyResponse::count(const CriterionTerm& term) const {
  return term.time == TimeFunctional::final_value ? 1 : frequencies_.size();
}

/// A column for each number.
MatrixXd FrequencyResponse::partials_of(const ResponseTerm& term) const {
  MatrixXd l = MatrixXd::Zero(mechanism_.layout().n_tangent(), std::ssize(term.numbers));
  VectorXd p_bar = VectorXd::Zero(mechanism_.model().parameters().size());
  for (Index j = 0; j < l.cols(); ++j)
    partials_(mechanism_.time(), mechanism_.state(), term.numbers[static_cast<std::size_t>(j)], l.col(j),
              p_bar);
  return l;
}

/// A row for each frequency, a column for each number.
MatrixXcd FrequencyResponse::observed(const ResponseTerm& term) const {
  const MatrixXd l = partials_of(term);
  VectorXcd l_u(l.cols());
  for (Index j = 0; j < l.cols(); ++j) {
    const auto& number = term.numbers[static_cast<std::size_t>(j)];
    l_u[j] = mechanism_.by_excitation([&](double t) { return values_(t, mechanism_.state(), number); });
  }
  MatrixXcd z(count(term.term), l.cols());
  PencilVectors single;
  for (Index k = 0; k < z.rows(); ++k) {
    const PencilVectors& response = at(term.term, k, single);
    for (Index j = 0; j < z.cols(); ++j) z(k, j) = mechanism_.observed(response, l.col(j), l_u[j]);
  }
  return z;
}

CriterionValues FrequencyResponse::value(const ResponseTerm& term) const {
  const VectorXd amplitudes = observed(term).rowwise().norm();
  const double largest = amplitudes.maxCoeff();
  return {over_frequencies(term.term, amplitudes, nullptr), largest, largest};
}

/// d|z| = Re(conj(z) dz) / |z|: frequencies one after the other, each with its adjoint solution.
double FrequencyResponse::add_derivatives(const std::vector<ResponseTerm>& terms, Eigen::Ref<VectorXd> y_bar,
                                          Eigen::Ref<VectorXd> p_bar) const {
  constexpr double nothing = 1e-9;  // of the largest slope
  double error = 0.0;
  for (const ResponseTerm& term : terms) {
    const MatrixXd l = partials_of(term);
    const MatrixXcd z = observed(term);
    const VectorXd amplitudes = z.rowwise().norm();
    VectorXd slopes;
    over_frequencies(term.term, amplitudes, &slopes);
    const auto add_numbers = [&](double t, const VectorXd& y, const VectorXd& weights,
                                 Eigen::Ref<VectorXd> of_y, Eigen::Ref<VectorXd> of_p) {
      for (Index j = 0; j < weights.size(); ++j) {
        VectorXd own_y = VectorXd::Zero(of_y.size()), own_p = VectorXd::Zero(of_p.size());
        partials_(t, y, term.numbers[static_cast<std::size_t>(j)], own_y, own_p);
        of_y += weights[j] * own_y, of_p += weights[j] * own_p;
      }
    };
    PencilVectors single;
    for (Index k = 0; k < z.rows(); ++k) {
      if (amplitudes[k] == 0.0 || std::abs(slopes[k]) <= nothing * slopes.cwiseAbs().maxCoeff()) continue;
      PencilVectors response = at(term.term, k, single);
      response.l = term.term.weight * slopes[k] / amplitudes[k] * z.row(k).adjoint();
      mechanism_.add_adjoint(l * response.l, response);
      error = std::max(error, mechanism_.add_derivatives(response, 1.0, y_bar, p_bar, add_numbers));
    }
  }
  return error;
}

ResultTable FrequencyResponse::table(const std::vector<Output>& outputs) const {
  ResultTable table{"response", {{"frequency", "Hz"}}, frequencies_, true};
  for (const Output& output : outputs) {
    const MatrixXcd z = observed(ResponseTerm(output.observable));
    const std::vector<std::string> names = names_of_numbers(output);
    for (Index j = 0; j < z.cols(); ++j) {
      const std::string& name = names[static_cast<std::size_t>(j)];
      table.columns.push_back({name, unit_of(output.observable.quantity)});
      table.columns.push_back({name + " phase", "deg"});
      table.values.conservativeResize(Eigen::NoChange, table.values.cols() + 2);
      table.values.rightCols<2>() << z.col(j).cwiseAbs(), z.col(j).cwiseArg() * (360.0 / radians_per_cycle);
    }
  }
  return table;
}

MotionSummary FrequencyResponse::peaks(const std::vector<Output>& outputs) const {
  MotionSummary summary;
  const ResultTable all = table(outputs);
  for (Index j = 1; j < all.values.cols(); j += 2) {
    const TableColumn& column = all.columns[static_cast<std::size_t>(j)];
    Index k = 0;
    const double largest = all.values.col(j).maxCoeff(&k);
    summary.lines.push_back(fmt::format("{}: largest amplitude {:.8g} {} at {:.6g} Hz", column.name, largest,
                                        column.unit, frequencies_[k]));
    summary.numbers.emplace_back(column.name + "_amplitude", largest);
    summary.numbers.emplace_back(column.name + "_frequency", frequencies_[k]);
  }
  return summary;
}

Status require_finite_response(const VectorXd& frequencies, const VectorXcd& s) {
  constexpr double at_resonance = 1e-7;
  for (const double f : frequencies) {
    for (const Complex& pole : s) {
      if (std::abs(pole - Complex(0.0, radians_per_cycle * f)) > at_resonance * radians_per_cycle * f)
        continue;
      return Failure{
          .what = fmt::format(
              "at {:.8g} Hz a mode without damping is in resonance, where no amplitude is finite", f),
          .advice = "give springs, joints or bodies damping, or choose frequencies beside this one"};
    }
  }
  return {};
}

std::string narrow_resonances(const VectorXd& frequencies, const VectorXcd& s) {
  std::string text;
  int n = 0;
  for (const Complex& pole : s) {
    const double f = std::abs(pole) / radians_per_cycle,
                 width = 2.0 * std::abs(pole.real()) / radians_per_cycle;
    const auto above = std::ranges::upper_bound(frequencies, f);
    if (pole.imag() <= 0.0 || above == frequencies.begin() || above == frequencies.end()) continue;
    const double step = *above - *(above - 1);
    if (width >= step) continue;
    if (n++ == 0)
      text = fmt::format(
          "the resonance at {:.6g} Hz is {:.3g} Hz wide, and frequencies of the response are {:.3g} Hz "
          "apart there: its peak lies between them",
          f, width, step);
  }
  if (n <= 1) return text;
  return fmt::format("{}. {} more resonance{} as narrow", text, n - 1, n == 2 ? " is" : "s are");
}

}  // namespace kurbel
