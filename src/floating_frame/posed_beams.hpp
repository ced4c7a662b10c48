/// @file
/// Elements of spatial beams whose nodes are poses (r, R) with twists v = (v, omega) in their own frames.
///
/// The coordinates of a DirectorBeam and their rates follow from both poses,
///
///     q = (r, R E_1, R E_2, R E_3),     q_dot = B v,     B = [R, 0; 0, -R E_k~],     k = 1, 2, 3
///
/// so that its equations M q_ddot = Q become, gravity being an acceleration of the frame,
///
///     f = B^T (M (B v_dot + B_dot v - g) - Q(q, B v)),      g = (g, 0, 0, 0) for either node
///
/// No constraint has to keep the axes orthonormal. M is constant. The mass matrix of the nodes, B^T M B, is regular,
/// because d_2 and d_3 supply the inertia of a section about its axis.
#pragma once

#include "elements/director_beam.hpp"
#include "floating_frame/body_energy.hpp"
#include "floating_frame/parameters.hpp"

namespace kurbel {

template <class Scalar>
class PosedBeams {
 public:
  using Vec = VectorX<Scalar>;
  using Twists = Eigen::Matrix<Scalar, 12, 1>;  ///< of both nodes; forces and moments on them
  using Square = Eigen::Matrix<Scalar, 12, 12>;

  /// State of both nodes: positions and axes in the inertial frame, twists and their rates in their own frames.
  struct Nodes {
    std::array<Vector3<Scalar>, 2> r;
    std::array<Matrix3<Scalar>, 2> R;
    Twists v = Twists::Zero(), v_dot = Twists::Zero();
  };
  /// Scratch memory.
  struct Workspace {
    Workspace();
    ForceDerivatives<Scalar> Q;
    MatrixX<Scalar> mass, M_xi;  ///< 24 x 24, d(M a)/dxi 24 x 13
  };
  /// Parameters xi of DirectorBeam, or derivatives by them.
  using Parameters = Eigen::Matrix<Scalar, 13, 1>;

  PosedBeams(const SystemSpec& spec, const ParameterLayout& layout, const Vec& p);
  void set_parameters(const Vec& p);

  std::size_t n_elements() const { return places_.size(); }
  /// The node at which an element begins, counted over all beams; it ends at the next one.
  std::size_t first_node(std::size_t element) const { return places_[element].node; }
  /// Index among all elements of element i of a beam.
  std::size_t element(std::size_t beam, int i) const { return first_[beam] + static_cast<std::size_t>(i); }
  /// Parameters xi of an element. pull_back() adds what their bars contribute to those of the mechanism's parameters.
  Parameters parameters(std::size_t element) const { return xi_.col(static_cast<Eigen::Index>(element)); }
  void pull_back(std::size_t element, const Parameters& xi_bar, Eigen::Ref<Vec> p_bar) const;

  /// Computes f of the file's head. jacobians() are its derivatives by both nodes' displacements in their frames, by v
  /// and by v_dot.
  void residual(std::size_t element, const Nodes& nodes, Workspace& ws, Twists& f) const;
  void jacobians(std::size_t element, const Nodes& nodes, Workspace& ws, Square& f_x, Square& f_v,
                 Square& M) const;
  /// p_bar += d(mu . f)/dp
  void pullback(std::size_t element, const Nodes& nodes, const Twists& mu, Workspace& ws,
                Eigen::Ref<Vec> p_bar) const;
  /// df/dp p_dot
  Twists push_forward(std::size_t element, const Nodes& nodes, const Eigen::Ref<const Vec>& p_dot,
                      Workspace& ws) const;

  BodyEnergy<Scalar> energy(std::size_t element, const Nodes& nodes, Workspace& ws) const;
  /// Adds the derivatives of the weighted sum of energies.
  void add_energy_partials(std::size_t element, const Nodes& nodes, const EnergyWeights& weights,
                           Workspace& ws, Twists& x_bar, Twists& v_bar, Eigen::Ref<Vec> p_bar) const;
  /// Adds the linear momentum, and the angular momentum about the inertial origin, in the inertial frame.
  void add_momentum(std::size_t element, const Nodes& nodes, Workspace& ws, Vector3<Scalar>& linear,
                    Vector3<Scalar>& angular) const;

  /// Mass of a beam, kg; pull_back_mass() adds its derivatives.
  Scalar mass(std::size_t beam) const;
  void pull_back_mass(std::size_t beam, const Scalar& mass_bar, Eigen::Ref<Vec> p_bar) const;

  /// Returns q of a DirectorBeam. pull_back_coordinates() is the transpose of its derivative by the nodes'
  /// displacements.
  static Eigen::Matrix<Scalar, 24, 1> coordinates(const Nodes& nodes);
  static Twists pull_back_coordinates(const Nodes& nodes, const Eigen::Matrix<Scalar, 24, 1>& q_bar);

 private:
  struct Place {
    std::size_t beam, node;
  };
  const DirectorBeam<Scalar>& beam_of(std::size_t element) const { return beams_[places_[element].beam]; }
  /// First row of the strains of an arc's element among the derivatives of its BeamShape.
  Eigen::Index strains_in_shape(std::size_t element) const {
    return 1 + 6 * static_cast<Eigen::Index>(element - first_[places_[element].beam]);
  }
  void update_mass(std::size_t element, Workspace& ws) const;
  void update_derivatives(std::size_t element, const Nodes& nodes, Workspace& ws) const;
  /// Sets ws.M_xi to d(M a - Q)/dxi, where a is the acceleration less gravity.
  void update_parameter_derivatives(std::size_t element, const Nodes& nodes, Workspace& ws) const;

  std::vector<BeamLayout> layouts_;
  std::vector<BeamSpec> specs_;
  std::vector<DirectorBeam<Scalar>> beams_;
  std::vector<std::size_t> first_;  ///< first element of each beam
  std::vector<Place> places_;
  Vector3<Scalar> gravity_;
  Eigen::Matrix<Scalar, 13, Eigen::Dynamic> xi_;  ///< by element
  std::vector<MatrixX<Scalar>> shape_by_places_;  ///< by beam: derivatives() of its BeamShape
};

}  // namespace kurbel
