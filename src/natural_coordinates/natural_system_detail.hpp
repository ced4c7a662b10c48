/// @file
/// Scratch memory of NaturalSystem, and the assembler of its parts. Internal to natural_system*.cpp.
#pragma once

#include "natural_coordinates/natural_system.hpp"

namespace kurbel {

/// Copies the coordinates of a form that is itself a vector of coordinates, for an element.
/// @return true if it is one
template <class Scalar>
bool copy_direct(const PlacedElement<Scalar>& placed, std::size_t form,
                 const Eigen::Ref<const VectorX<Scalar>>& x, Eigen::Ref<VectorX<Scalar>>& out) {
  if (placed.direct.empty() || placed.direct[form] < 0) return false;
  const Scalar* from = x.data() + placed.direct[form];
  Scalar* to = out.data() + placed.place(form);
  for (int d = 0; d < placed.dimension; ++d) to[d] = from[d];
  return true;
}

/// Gathers the coordinates of an element.
template <class Scalar>
void gather_values(const PlacedElement<Scalar>& placed, const Scalar* p,
                   const Eigen::Ref<const VectorX<Scalar>>& x, Eigen::Ref<VectorX<Scalar>> out) {
  for (std::size_t i = 0; i < placed.forms.size(); ++i) {
    if (!copy_direct(placed, i, x, out)) placed.put(placed.forms[i].template at<Scalar>(p, x), i, out);
  }
}
/// The same of rates.
template <class Scalar>
void gather_rates(const PlacedElement<Scalar>& placed, const Scalar* p,
                  const Eigen::Ref<const VectorX<Scalar>>& v, Eigen::Ref<VectorX<Scalar>> out) {
  for (std::size_t i = 0; i < placed.forms.size(); ++i) {
    if (!copy_direct(placed, i, v, out)) placed.put(placed.forms[i].template linear<Scalar>(p, v), i, out);
  }
}

template <class Scalar>
class NaturalSystem<Scalar>::NaturalWorkspace final : public ConstantMassWorkspace<Scalar> {
 public:
  using Vec = VectorX<Scalar>;

  explicit NaturalWorkspace(const NaturalSystem& system)
      : ConstantMassWorkspace<Scalar>(system.make_jacobians().C),
        inputs(Vec::Zero(std::ssize(system.inputs_))),
        extended_bar(Vec::Zero(system.n_extended_)) {
    for (const ControlSpec& control : system.spec_.controls) weights.emplace_back(control.grid.n_nodes());
    Eigen::Index n_q = 0, n_xi = 0;
    for (const PlacedElement<Scalar>& placed : system.elements_) {
      n_q = std::max(n_q, placed.element->n_q());
      n_xi = std::max(n_xi, placed.element->n_xi());
      elements.emplace_back(*placed.element);
    }
    for (Vec* of_element : {&a, &w, &q_bar, &v_bar}) of_element->resize(n_q);
    mass.resize(n_q, n_q);
    xi.resize(n_xi);
    zero.setZero(system.n_x());
  }

  /// The state of an element, and its force with derivatives where it was last evaluated.
  struct AtElement {
    explicit AtElement(const DynamicElement<Scalar>& element)
        : q(element.n_q()), v(element.n_q()), u(element.n_u()), xi(element.n_xi()), Q(element.n_q()) {}
    Vec q, v, u, xi, Q;
    long revision = -1;  ///< of xi
    ForceDerivatives<Scalar> derivatives;
  };

  /// The state of element i at x, with the inputs as they are.
  ElementState<Scalar> state(const NaturalSystem& system, std::size_t i, const Eigen::Ref<const Vec>& x,
                             const Eigen::Ref<const Vec>& rate) {
    const PlacedElement<Scalar>& placed = system.elements_[i];
    AtElement& at = elements[i];
    const Scalar* p = system.extended_.data();
    gather_values<Scalar>(placed, p, x, at.q);
    gather_rates<Scalar>(placed, p, rate, at.v);
    if (at.revision != system.revision_) {
      for (std::size_t k = 0; k < placed.parameters.size(); ++k)
        at.xi[static_cast<Eigen::Index>(k)] = p[placed.parameters[k]];
      at.revision = system.revision_;
    }
    for (std::size_t k = 0; k < placed.inputs.size(); ++k)
      at.u[static_cast<Eigen::Index>(k)] = inputs[placed.inputs[k]];
    return {at.q, at.v, at.u, at.xi};
  }

  Vec inputs;                   ///< u(t)
  OneSidedTime time_of_inputs;  ///< and their parameters
  long revision_of_inputs = -1;
  std::vector<Eigen::RowVectorXd> weights;  ///< of the nodes of each control
  Vec extended_bar;
  Vec a, w, q_bar, v_bar, xi;  ///< of one element
  Vec zero;                    ///< n_x
  MatrixX<Scalar> Ma_xi, mass;
  MatrixX<Scalar> by_active, by_control;     ///< d(M a - F) / d(active parameters) and d(controls)
  MatrixX<Scalar> columns, control_columns;  ///< of several directions

  /// Forces and their derivatives are requested one after the other at an instant, and by several criteria.
  std::vector<AtElement> elements;
  struct Instant {
    long revision = -1;
    OneSidedTime t;
    Vec x, v;
    bool has_forces = false, has_derivatives = false;
    Vec dx, dv;  ///< what refine() was told
    bool is_refined = false;

    /// Goes to an instant; nothing is known there unless it is the last one.
    void move_to(long new_revision, const OneSidedTime& new_t, const Eigen::Ref<const Vec>& new_x,
                 const Eigen::Ref<const Vec>& new_v) {
      if (revision == new_revision && t.is(new_t) && x == new_x && v == new_v) return;
      revision = new_revision, t = new_t, x = new_x, v = new_v;
      has_forces = has_derivatives = is_refined = false;
    }
  } evaluated_at;

  /// Moves beam element i, whose state() is at evaluated_at, to its first node, which no force sees, where there is
  /// room for dx.
  void refine(const NaturalSystem& system, std::size_t i) {
    const PlacedElement<Scalar>& placed = system.elements_[i];
    const Scalar* p = system.extended_.data();
    AtElement& at = elements[i];
    const Vector3<Scalar> first = at.q.template head<3>();
    for (std::size_t k = 0; k < placed.forms.size(); ++k) {
      auto q = at.q.template segment<3>(placed.place(k));
      if (placed.is_point(k)) q -= first;
      q += placed.forms[k].template linear<Scalar>(p, evaluated_at.dx);
      at.v.template segment<3>(placed.place(k)) +=
          placed.forms[k].template linear<Scalar>(p, evaluated_at.dv);
    }
  }
};

/// Calls visit(i, j, a, b) for the terms a and b of the forms of an element whose parts begin at i and j: the order of
/// PlacedElement::blocks.
template <class Scalar, class Visit>
void for_each_pair(const PlacedElement<Scalar>& placed, const Visit& visit) {
  for (std::size_t i = 0; i < placed.forms.size(); ++i) {
    for (std::size_t j = 0; j < placed.forms.size(); ++j) {
      for (const VectorForm::Term& a : placed.forms[i].terms) {
        for (const VectorForm::Term& b : placed.forms[j].terms) visit(placed.place(i), placed.place(j), a, b);
      }
    }
  }
}

/// Adds weight times the matrix of an element to the blocks of its vectors, of each of which Size parts are coordinates.
/// @param out  f_x, f_v or M of make_jacobians()
template <int Size, class Scalar, class ElementMatrix>
void scatter_parts(const PlacedElement<Scalar>& placed, const Scalar* p, double weight,
                   const ElementMatrix& K, BlockMatrix<Scalar>& out) {
  const std::size_t* place = placed.blocks.data();
  for_each_pair(placed, [&](auto i, auto j, const VectorForm::Term& a, const VectorForm::Term& b) {
    const typename BlockMatrix<Scalar>::Block& at = out.blocks()[*place++];
    Eigen::Map<Eigen::Matrix<Scalar, Size, Size>, 0, Eigen::OuterStride<>> block(
        out.values().data() + at.first, Eigen::OuterStride<>(at.stride));
    block += (weight * a.weight(p) * b.weight(p)) * K.template block<Size, Size>(i, j);
  });
}
/// The same where vectors differ in the parts that are coordinates.
template <class Scalar, class ElementMatrix>
void scatter_parts(const PlacedElement<Scalar>& placed, const Scalar* p, double weight,
                   const ElementMatrix& K, BlockMatrix<Scalar>& out) {
  const std::size_t* place = placed.blocks.data();
  for_each_pair(placed, [&](auto i, auto j, const VectorForm::Term& a, const VectorForm::Term& b) {
    const typename BlockMatrix<Scalar>::Block& at = out.blocks()[*place++];
    const Scalar scale = weight * a.weight(p) * b.weight(p);
    a.parts.for_each([&](int of_a, int row) {
      b.parts.for_each([&](int of_b, int column) {
        if (of_a < placed.dimension && of_b < placed.dimension)
          out.values()[at.first + row + column * at.stride] += scale * K(i + of_a, j + of_b);
      });
    });
  });
}
/// @param common_size  CoordinateMap::common_size()
template <class Scalar, class ElementMatrix>
void scatter_matrix(const PlacedElement<Scalar>& placed, int common_size, const Scalar* p, double weight,
                    const ElementMatrix& K, BlockMatrix<Scalar>& out) {
  if (common_size == 2) {
    scatter_parts<2>(placed, p, weight, K, out);
  } else if (common_size == 3 && placed.dimension == 3) {
    scatter_parts<3>(placed, p, weight, K, out);
  } else {
    scatter_parts(placed, p, weight, K, out);
  }
}

/// The element on the forms of a mechanism, its joints and its constraints.
template <class Scalar>
class NaturalAssembler {
 public:
  explicit NaturalAssembler(NaturalSystem<Scalar>& system)
      : system_(system), spec_(system.spec_), start_(system.real_start()) {}
  void assemble();

 private:
  using Elements = std::shared_ptr<const DynamicElement<Scalar>>;
  void add_bodies();
  void add_beams();
  void add_springs();
  void add_torsion_springs();
  void add_pair_parts();
  void add_point_masses();
  void add_planar_beams();
  PlacedElement<Scalar> joint_moment(const CarriedFrame& to, const CarriedFrame& from, Eigen::Index damping,
                                     std::vector<int> inputs) const;
  void add_loads();
  void add_motors();
  void hold_axes(int frame);
  void add_row(ProductRow row, std::string name);
  bool says_something(const ProductRow& row, const std::string& joint) const;
  void check_axes(const JointSpec& spec, const CarriedFrame& frame) const;
  void add_joint(const JointSpec& spec);
  void add_rod(const JointSpec& spec, NaturalJoint& joint);
  void add_translations(const JointSpec& spec, NaturalJoint& joint);
  void add_rotations(const JointSpec& spec, NaturalJoint& joint);
  void hold_axes(const JointSpec& spec, NaturalJoint& joint);
  void add_hinge(const JointSpec& spec, int k, NaturalJoint& joint);
  void add_direction(const JointSpec& spec, const CarriedFrame& to, const CarriedFrame& from);
  RowMotion motion_of(const JointSpec& spec, const DriveSpec& drive, RowMotion::Part part) const;
  void hold_cable(const JointSpec& spec, NaturalJoint& joint);
  void hold_tangents(const JointSpec& spec, NaturalJoint& joint);
  void weld(CableWeld of, NaturalJoint& joint);
  void add_row(NaturalJoint& joint, ProductRow row, RelativeDof dof);
  void check_axis(const CarriedFrame& hinge, const std::string& owner) const;
  int input(NaturalInput input);
  const VectorForm& vector(int of_carried) const { return system_.frames_.map().form(of_carried); }
  CarriedFrame at(const MarkerRef& ref, const std::string& owner) const {
    return system_.frames_.at(ref, owner);
  }

  NaturalSystem<Scalar>& system_;
  const SystemSpec& spec_;
  std::pair<VectorXd, VectorXd>
      start_;  ///< parameters and coordinates, but for directions of driven rotations
};

}  // namespace kurbel
