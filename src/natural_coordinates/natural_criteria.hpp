/// @file
/// Observables of a mechanism in natural coordinates, for criteria and histories.
///
/// Stresses, accelerations and reactions are those of the middle of a step where a method has one: there its forces
/// balance, while at its ends a turn by omega h fakes a strain (omega h)^2 / 8.
#pragma once

#include "integration/dae_steps.hpp"
#include "natural_coordinates/natural_system.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/norm_of_observables.hpp"

namespace kurbel {

/// A point that something carries: position (m), velocity (m/s), acceleration (m/s^2) in the inertial frame.
template <class Scalar>
class CarriedPoint final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;
  enum class Kind { position, velocity, acceleration };

  CarriedPoint(const NaturalSystem<Scalar>& system, VectorForm point, Kind kind)
      : system_(system), point_(std::move(point)), kind_(kind) {}
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;
  bool in_the_middle() const override { return kind_ == Kind::acceleration; }

 private:
  const NaturalSystem<Scalar>& system_;
  VectorForm point_;
  Kind kind_;
};

/// Functions of what an element sees, a row each: a distance, the force of a spring, a stress.
template <class Scalar>
class ElementFunction final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  ElementFunction(const NaturalSystem<Scalar>& system, PlacedElement<Scalar> placed,
                  std::shared_ptr<const StateFunction<Scalar>> function, bool in_the_middle);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;
  bool in_the_middle() const override { return in_the_middle_; }

 private:
  ElementState<Scalar> state(const Instant& at) const;

  const NaturalSystem<Scalar>& system_;
  PlacedElement<Scalar> placed_;
  std::shared_ptr<const StateFunction<Scalar>> function_;
  bool in_the_middle_;
  mutable VectorX<Scalar> q_, v_, u_, xi_, extended_bar_;  ///< scratch: a function is for one thread
  mutable FunctionDerivatives<Scalar> derivatives_;
};

/// The joint of that name, as it is stated.
/// @throws InputError if there is none
template <class Scalar>
const JointSpec& joint_spec(const NaturalSystem<Scalar>& system, const std::string& name);

/// The force of a joint on its "to" side along the axes of its "to" marker, N, or the moment about them, N m. A cable has
/// no axes; there, along those of the inertial frame.
template <class Scalar>
class NaturalReaction final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if the joint holds no axis in this way
  NaturalReaction(const NaturalSystem<Scalar>& system, const std::string& joint, bool is_moment);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;
  bool in_the_middle() const override { return true; }

 private:
  bool turns_with_axes() const { return rotated_ && joint_.to.has_axes; }

  const NaturalSystem<Scalar>& system_;
  const NaturalJoint& joint_;
  std::array<Eigen::Index, 3> rows_ = {-1, -1, -1};
  bool rotated_ = false;  ///< rows are along the inertial axes
};

/// Force in a rod, positive in tension, N.
template <class Scalar>
class NaturalRodForce final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  NaturalRodForce(const NaturalSystem<Scalar>& system, const std::string& joint);
  Rows<Scalar> value(const Instant& at) const override {
    return Rows<Scalar>::Constant(1, row_ < 0 ? Scalar(0) : at.lambda[row_]);
  }
  void add_partials(const Instant&, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>>) const override {
    if (row_ >= 0) bar.lambda[row_] += z_bar[0];
  }
  bool in_the_middle() const override { return true; }

 private:
  Eigen::Index row_ = -1;  ///< none where it is redundant
};

/// v^T M v / 2, J.
template <class Scalar>
class NaturalKineticEnergy final : public Integrand<Scalar> {
 public:
  explicit NaturalKineticEnergy(const NaturalSystem<Scalar>& system)
      : system_(system), ws_(system.make_workspace()) {}
  Scalar value(const DaeInstant<Scalar>& at) const override { return system_.kinetic_energy(at.v); }
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override {
    system_.add_kinetic_energy_partials(at.v, weight, *ws_, bar.v, p_bar);
  }

 private:
  const NaturalSystem<Scalar>& system_;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> ws_;
};

/// Mass of a body, a beam, or a mass in a point or at a marker, kg.                                [P2, eq. 62]
template <class Scalar>
class NaturalMass final : public Integrand<Scalar>, public ParameterFunction<Scalar> {
 public:
  /// @throws InputError if nothing with a mass has the name
  NaturalMass(const NaturalSystem<Scalar>& system, const std::string& name)
      : system_(system), part_(system.massive_elements(name)) {}
  Scalar value() const override { return system_.mass_of(part_); }
  void add_partials(double weight, Eigen::Ref<VectorX<Scalar>> p_bar) const override {
    system_.pull_back_mass_of(part_, weight, p_bar);
  }
  Scalar value(const DaeInstant<Scalar>&) const override { return value(); }
  void add_partials(const DaeInstant<Scalar>&, double weight, DaeInstantBar<Scalar>&,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override {
    add_partials(weight, p_bar);
  }

 private:
  const NaturalSystem<Scalar>& system_;
  std::vector<typename NaturalSystem<Scalar>::MassiveElement> part_;
};

/// All functions of a beam's stress, at the most stressed point of the section: of cables at the ends and in the middle
/// of its elements, of spatial beams once in each; or where the term looks.
template <class Scalar>
std::vector<ElementFunction<Scalar>> beam_stresses(const NaturalSystem<Scalar>& system,
                                                   const CriterionTerm& term);

/// @throws InputError for names that do not exist
template <class Scalar>
std::shared_ptr<const Integrand<Scalar>> make_integrand(const NaturalSystem<Scalar>& system,
                                                        const CriterionTerm& term);

/// The terms as a criterion; everything given must outlive it.
template <class Scalar>
Criterion<Scalar> make_criterion(const DaeSteps<Scalar>& steps, const NaturalSystem<Scalar>& system,
                                 const std::vector<CriterionTerm>& terms);

}  // namespace kurbel
