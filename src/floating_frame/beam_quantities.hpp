/// @file
/// Observables of spatial beams between poses.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "sensitivity/observable.hpp"

namespace kurbel {

/// A function of an element's coordinates, such as a DirectorStress; not of its rates.
template <class Scalar>
class BeamFunction final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @param element  among those of all beams
  BeamFunction(const MultibodySystem<Scalar>& system, std::size_t element,
               std::shared_ptr<const StateFunction<Scalar>> function);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  typename PosedBeams<Scalar>::Nodes nodes(const Instant& at) const;

  const MultibodySystem<Scalar>& system_;
  std::size_t element_, first_;  ///< and its first node among the bodies
  std::shared_ptr<const StateFunction<Scalar>> function_;
  mutable FunctionDerivatives<Scalar> derivatives_;  ///< scratch: a function is for one thread
};

/// Von Mises' stresses of a beam in all of its elements, or in the one where a term looks: at the most stressed point
/// of the section, or at that of the term.
/// @throws InputError if there is no such beam
template <class Scalar>
std::vector<std::shared_ptr<const Observable<Scalar>>> beam_stresses(const MultibodySystem<Scalar>& system,
                                                                     const CriterionTerm& term);

}  // namespace kurbel
