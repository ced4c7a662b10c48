/// @file
/// Criteria as data: quantities of the mechanism, and functionals of their time histories.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechanism/system_spec.hpp"
#include "sid/stress_modes.hpp"

namespace kurbel {

/// The observable of F at one instant.
enum class Quantity {
  compliance,         ///< q^T Ke q of a body, J                              [P0, eq. 81]
  kinetic_energy,     ///< of a body or of the mechanism, J
  total_energy,       ///< kinetic, elastic and gravitational, with springs if of the mechanism, J
  displacement,       ///< of a marker by the elasticity of its body, in the body's frame, m
  position,           ///< of a marker in the inertial frame, m
  velocity,           ///< m/s
  acceleration,       ///< m/s^2
  reaction_force,     ///< of a joint on its "to" body along the axes of its "to" marker, N
  reaction_moment,    ///< about these axes, N m
  rod_force,          ///< of a joint that is a rod, positive in tension, N
  drive_torque,       ///< of the driven rotation of a joint on its "to" body, N m
  joint_angle,        ///< of a hinge: "to" against "from" about z, in (-pi, pi] about the target, rad
  joint_rate,         ///< its rate, rad/s
  mass,               ///< of a body, kg
  centre_of_mass,     ///< of a body in its frame, m
  control_energy,     ///< u.u / 2 of a control or of all, N^2 or (N m)^2         [P2, eqs 55, 61]
  von_mises,          ///< p-norm over the elements of a body of their von Mises stress, Pa
  distance,           ///< of two places, m
  spring_length,      ///< of a spring, m
  tyre_force,         ///< of a tyre on its wheel: forwards, to the left, and up (its load), N
  rotation,           ///< by which the elasticity of its body turns a marker, in the body's frame, rad
  attitude,           ///< roll, pitch and yaw of a body or of a marker, in x, y and z, rad
  attitude_rate,      ///< rad/s
  spring_force,       ///< of a spring on its "to" end, N
  relative_position,  ///< of a marker from another one, along the axes of that, m
  stress,             ///< equivalent stress of a beam, at a point or the largest, Pa
  duration,           ///< of the motion, whose end varies, s
  frequency,          ///< natural frequencies of a body at rest, or of the mechanism, Hz
  damping_ratio,      ///< of the modes of the mechanism, -Re s / |s|
  buckling_load,      ///< factors by which the load on a body at rest grows until it buckles
};

/// True if a quantity has a value for each mode of a body, or of the mechanism.
constexpr bool counts_modes(Quantity quantity) {
  return quantity == Quantity::frequency || quantity == Quantity::damping_ratio ||
         quantity == Quantity::buckling_load;
}

/// True if a quantity depends on the design alone, not on time.
constexpr bool is_constant(Quantity quantity) {
  return quantity == Quantity::mass || quantity == Quantity::duration || counts_modes(quantity);
}

/// The kind of part that an observable belongs to; the keys beside it say which one.
enum class ObservedPlace {
  body,            ///< `body`
  body_or_all,     ///< `body`, or nothing for the whole mechanism
  body_or_marker,  ///< one of `body` and `marker`
  marker,          ///< `marker`
  two_markers,     ///< `marker`, and `from`, or nothing for the ground
  joint,           ///< `joint`
  hinge,           ///< `joint`, one that turns about one axis
  rod,             ///< `joint`, one that is a rod
  spring,          ///< `spring`
  tyre,            ///< `tyre`
  control,         ///< `control`, or nothing for all of them
  beam,            ///< `beam`, and where in it
  motion,          ///< nothing: the whole motion
  modes,           ///< `body` at rest, or nothing for the mechanism
};

/// The value of an observable at an instant.
enum class ObservedValue {
  vector,           ///< of three components
  number,           ///< enters as it is
  formed_number,    ///< enters in a CriterionForm
  measured_number,  ///< the same, and may be measured from a target
};

/// The mechanisms in natural coordinates for which an observable exists. All others have all observables.
enum class InNaturalCoordinates { none, bodies_alone, all };

/// An observable in analyses of a mechanism about a state of rest.
enum class AtRest : unsigned char {
  none,
  zero,         ///< a rate, which has an amplitude in a frequency response
  in_response,  ///< known in a frequency response alone
  value,
};

/// An observable: a row of the table from which readers, keys, checks and texts follow. What a formulation makes of
/// it is in make_integrand() of its criteria.
struct ObservableTraits {
  Quantity quantity;
  std::string word;  ///< "spring-length"
  const char* unit;  ///< "m", "N", ...
  ObservedPlace place;
  ObservedValue value;
  InNaturalCoordinates in_natural_coordinates;
  AtRest at_rest;
  bool reads_highest_derivatives = false;  ///< accelerations or multipliers
};

/// All of them, in the order in which the input file's words are listed.
const std::vector<ObservableTraits>& observable_table();
const ObservableTraits& traits_of(Quantity quantity);

inline bool is_vector(Quantity quantity) {
  return traits_of(quantity).value == ObservedValue::vector;
}
inline const char* unit_of(Quantity quantity) {
  return traits_of(quantity).unit;
}
inline const std::string& word_of(Quantity quantity) {
  return traits_of(quantity).word;
}

/// The function that makes F of z, a vector or a number, less its target s(t).
enum class CriterionForm {
  magnitude,     ///< |z - s|, of a vector unless it enters by a component
  signed_value,  ///< z - s of a component or of a number
  half_square,   ///< |z - s|^2 / 2, where it is requested
};

/// psi of the time history of F(t) over T = t1 - t0; p and k are the exponent.
enum class TimeFunctional {
  integral,                   ///< int F dt
  mean,                       ///< int F dt / T
  final_value,                ///< F(t1)
  p_norm,                     ///< (int |F|^p dt / T)^(1/p), towards max |F| as p grows
  kreisselmeier_steinhauser,  ///< ln(int exp(k F) dt / T) / k, towards max F as k grows, min F as -k does
  instants,                   ///< sum_i w_i F(t_i)
  change,                     ///< F(t1) - F(t0): zero of a motion that is periodic
};

/// psi of natural frequencies, damping ratios, or factors of buckling loads, f_i, i = first, ..., last, n of them; k is the
/// exponent. Both are symmetric in the f_i, and so
/// differentiable where some of these coincide.
enum class ModesFunctional {
  sum,                        ///< sum_i f_i
  kreisselmeier_steinhauser,  ///< ln(sum_i exp(k f_i) / n) / k, towards max f_i as k grows, min f_i as -k does
};

/// A summand of a criterion, times its weight.
struct CriterionTerm {
  Quantity quantity = Quantity::compliance;
  TimeFunctional time = TimeFunctional::integral;
  double exponent = 8.0;     ///< p (at least 1) or k (not 0; one over the unit of F), also of ModesFunctional
  std::vector<int> steps{};  ///< of the instants, ascending: t_i is the end of step i, 0 the start
  std::vector<double> step_weights{};  ///< w_i of the instants; empty: one each
  std::string body{};                  ///< energies: empty for the whole mechanism
  MarkerRef marker{};
  MarkerRef from{"ground"};  ///< distance: the other place
  std::string joint{};
  std::string spring{}, tyre{};
  std::string control{};                ///< control energy: empty for all controls
  std::vector<int> axes{};              ///< of a vector, those that count: among 0, 1, 2; empty: all of them
  std::optional<int> component{};       ///< of a vector: one of its axes
  std::optional<CriterionForm> form{};  ///< if the input says so; form_of() otherwise
  /// Target of a vector, by axis; none is zero. That of a number is the first one.
  std::array<TimeFunctionPtr, 3> target{};
  /// True if the target of a marker's position, velocity or acceleration is the motion of the rigid twin.
  bool relative_to_rigid_twin = false;
  /// For the von Mises stress: exponent of the p-norm, of the density in the stress, and the names of regions
  /// and markers whose elements do not count.
  double element_exponent = 8.0;
  double relaxation = 0.5;
  std::vector<std::string> left_out{};
  std::shared_ptr<const StressModes> stress_modes{};  ///< what the reduction finds for them
  /// For the stress of a beam in natural coordinates: the point along its length, in [0, 1], and that in the section,
  /// relative to its half width and height, in [-1, 1]. Absent: a p-norm, with element_exponent, over the ends and
  /// middles of its elements; the most stressed point of the outline, without a norm.
  std::string beam{};
  std::optional<double> along{}, across{}, up{};
  /// For natural frequencies, damping ratios and buckling loads: the first and the last mode, by increasing frequency or load;
  /// the lowest one is 1.
  int first_mode = 1, last_mode = 1;
  ModesFunctional over_modes = ModesFunctional::sum;
  /// True if F is the amplitude in a frequency response, |z| of the complex amplitude z of a number, or of a vector; `time` is
  /// then what is made of it over the frequencies f in place of times, p_norm or kreisselmeier_steinhauser, or final_value for
  /// that at one frequency.
  bool of_response = false;
  double frequency = 0.0;  ///< Hz, that one
  double weight = 1.0;
};

/// The form of a term: the one that it names, or the plain one of its quantity.
CriterionForm form_of(const CriterionTerm& term);

/// True if F is never negative whatever the motion, so that a smooth maximum or a lower bound below zero says nothing.
bool is_never_negative(const CriterionTerm& term);

/// The axes of a vector that count; none of a number.
std::vector<int> axes_of(const CriterionTerm& term);

/// "x", "y", "z"
std::string axis_name(int axis);

/// True if the term has a target, which is subtracted.
bool has_target(const CriterionTerm& term);

/// True if both terms observe the same quantity at the same place.
bool is_same_observable(const CriterionTerm& a, const CriterionTerm& b);

/// True if the term is a smooth maximum, beside which there is a true one: over time, over elements, over the
/// points of a beam, or over natural frequencies.
bool is_aggregate(const CriterionTerm& term);

/// True if psi grows in proportion with its quantities and with nothing else, so that a factor corrects it: a
/// sum of p-norms.
bool is_sum_of_norms(const std::vector<CriterionTerm>& terms);

}  // namespace kurbel
