/// @file
/// Scratch memory of NaturalSystem, and the assembler of its parts. Internal to natural_system*.cpp.
#pragma once

#include "natural_coordinates/natural_system.hpp"

namespace kurbel {

/// What an element sees of a vector of coordinates, or of rates.
template <class Scalar>
void gather_values(const std::vector<VectorForm>& forms, const Scalar* p,
                   const Eigen::Ref<const VectorX<Scalar>>& x, VectorX<Scalar>& out) {
  for (std::size_t i = 0; i < forms.size(); ++i)
    out.template segment<3>(3 * static_cast<Eigen::Index>(i)) = forms[i].template at<Scalar>(p, x);
}
template <class Scalar>
void gather_rates(const std::vector<VectorForm>& forms, const Scalar* p,
                  const Eigen::Ref<const VectorX<Scalar>>& v, VectorX<Scalar>& out) {
  for (std::size_t i = 0; i < forms.size(); ++i)
    out.template segment<3>(3 * static_cast<Eigen::Index>(i)) = forms[i].template linear<Scalar>(p, v);
}

template <class Scalar>
class NaturalSystem<Scalar>::NaturalWorkspace final : public Base::Workspace {
 public:
  using Vec = VectorX<Scalar>;

  explicit NaturalWorkspace(const NaturalSystem& system)
      : inputs(Vec::Zero(std::ssize(system.inputs_))), extended_bar(Vec::Zero(system.n_extended_)) {
    for (const ControlSpec& control : system.spec_.controls) weights.emplace_back(control.grid.n_nodes());
    Eigen::Index n_q = 0, n_xi = 0, n_u = 0;
    for (const PlacedElement<Scalar>& placed : system.elements_) {
      n_q = std::max(n_q, placed.element->n_q());
      n_xi = std::max(n_xi, placed.element->n_xi());
      n_u = std::max(n_u, placed.element->n_u());
    }
    for (Vec* of_element : {&q, &v, &a, &Q, &w, &q_bar, &v_bar}) of_element->resize(n_q);
    xi.resize(n_xi), u.resize(n_u);
    zero.setZero(system.n_x());
    linearized.resize(system.elements_.size());
  }

  /// The state of an element at x, with the inputs as they are.
  ElementState<Scalar> state(const NaturalSystem& system, const PlacedElement<Scalar>& placed,
                             const Eigen::Ref<const Vec>& x, const Eigen::Ref<const Vec>& rate) {
    const Scalar* p = system.extended_.data();
    gather_values<Scalar>(placed.forms, p, x, q);
    gather_rates<Scalar>(placed.forms, p, rate, v);
    for (std::size_t k = 0; k < placed.parameters.size(); ++k)
      xi[static_cast<Eigen::Index>(k)] = p[placed.parameters[k]];
    for (std::size_t k = 0; k < placed.inputs.size(); ++k)
      u[static_cast<Eigen::Index>(k)] = inputs[placed.inputs[k]];
    const Eigen::Index n = placed.element->n_q();
    return {q.head(n), v.head(n), u.head(placed.element->n_u()), xi.head(placed.element->n_xi())};
  }

  Vec inputs;                               ///< u(t)
  std::vector<Eigen::RowVectorXd> weights;  ///< of the nodes of each control
  Vec extended_bar;
  Vec q, v, a, Q, w, q_bar, v_bar, xi, u;  ///< of one element
  Vec zero;                                ///< n_x
  ForceDerivatives<Scalar> derivatives;
  MatrixX<Scalar> mass, Ma_xi;

  /// The force of an element and its derivatives at the instant last pulled back through: several criteria ask
  /// for them one after the other.
  struct Linearized {
    Vec Q;
    ForceDerivatives<Scalar> derivatives;
  };
  std::vector<Linearized> linearized;  ///< by element
  struct Instant {
    long revision = -1;
    double t = 0.0;
    Vec x, v;
  } linearized_at;
};

/// Adds weight times the matrix of an element to the blocks of its vectors.
template <class Scalar, class ElementMatrix>
void scatter_matrix(const std::vector<VectorForm>& forms, const Scalar* p, double weight,
                    const ElementMatrix& K, BlockMatrix<Scalar>& out) {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    for (std::size_t j = 0; j < forms.size(); ++j) {
      const auto block =
          K.template block<3, 3>(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(j));
      for (const VectorForm::Term& a : forms[i].terms) {
        for (const VectorForm::Term& b : forms[j].terms)
          out.block(3 * a.vector, 3 * b.vector, 3, 3) += (weight * a.weight(p) * b.weight(p)) * block;
      }
    }
  }
}

/// The element on the forms of a mechanism, its joints and its constraints.
template <class Scalar>
class NaturalAssembler {
 public:
  explicit NaturalAssembler(NaturalSystem<Scalar>& system) : system_(system), spec_(system.spec_) {}
  void assemble();

 private:
  using Elements = std::shared_ptr<const Element<Scalar>>;
  void add_bodies();
  void add_beams();
  void add_springs();
  void add_loads();
  void add_motors();
  void hold_axes(int frame);
  void add_joint(const JointSpec& spec);
  void add_rod(const JointSpec& spec, NaturalJoint& joint);
  void add_translations(const JointSpec& spec, NaturalJoint& joint);
  void add_rotations(const JointSpec& spec, NaturalJoint& joint);
  void add_hinge(const JointSpec& spec, int k, NaturalJoint& joint);
  void add_direction(const JointSpec& spec, const CarriedFrame& to, const CarriedFrame& from);
  RowMotion motion_of(const JointSpec& spec, const DriveSpec& drive, RowMotion::Part part) const;
  void hold_cable(const JointSpec& spec, NaturalJoint& joint);
  void hold_tangents(const JointSpec& spec, NaturalJoint& joint);
  void add_row(NaturalJoint& joint, ProductRow row, RelativeDof dof);
  int input(NaturalInput input);
  CarriedFrame at(const MarkerRef& ref, const std::string& owner) const {
    return system_.frames_.at(ref, owner);
  }

  NaturalSystem<Scalar>& system_;
  const SystemSpec& spec_;
};

}  // namespace kurbel
