/// @file
/// A finite-element body as data: mesh, material, regions, clamp, markers, reduction. SI units.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "fem/manufacturing_spec.hpp"
#include "fem/place.hpp"

namespace kurbel::fem {

/// Displacements within a quadrilateral or hexahedron: those of its corners, or with incompatible modes, which bend
/// without locking (fem/element.hpp).
enum class ElementType { standard, incompatible };

/// A plane body has no stress across its plane, as a thin plate, or no strain across it, as a long part between rigid
/// walls.
enum class PlaneState { stress, strain };

class Mesh;
class SurfaceMorph;
struct NodeSet;

/// The origin of a body's mesh. It is a box of equal elements (dim = 2: quadrilaterals at z = 0;
/// dim = 3: hexahedra), or a mesh that is given. Either may be stretched along the axes.
struct MeshSpec {
  int dim = 2;
  Vector3d origin = Vector3d::Zero();        ///< lowest corner of the box around it, m
  Vector3d size = Vector3d::Zero();          ///< edge lengths of that box, m (2D: the third is ignored)
  std::array<int, 3> divisions = {1, 1, 1};  ///< of a box
  std::shared_ptr<const Mesh> given{};       ///< if it is not a box of equal elements (spec_of_given)
  double thickness = 1.0;                    ///< m, 2D only
  /// A box with these numbers that was made before; make_mesh() then shares it. One with other numbers does not count.
  std::shared_ptr<const Mesh> made{};
  ElementType element = ElementType::standard;
  PlaneState plane = PlaneState::stress;  ///< 2D only
  /// The map by which the surface of a given mesh moves; FlexibleBody makes it where FlexibleBodySpec::surface is stated.
  std::shared_ptr<const SurfaceMorph> morph{};
};

/// A surface whose nodes move along its normals (fem/surface_morph.hpp). Clamps, supports, markers and regions stay.
struct SurfaceSpec {
  double radius = 0.0;         ///< R of the means over offsets, m
  std::vector<Place> fixed{};  ///< nodes that stay besides
  /// Nodes that move inward only, as where the space for the part ends.
  std::vector<Place> inward{};
  std::optional<double> distortion{};  ///< of the mesh, at most (fem/moved_mesh.hpp)
};

struct Material {
  double youngs_modulus = 0.0;  ///< E0, Pa
  double poisson_ratio = 0.0;   ///< nu
  double density = 0.0;         ///< rho0, kg/m^3
};

/// The material of relative density p. By default SIMP of [P0, eq. 78]: E = p^s E0; rho = p rho0 for p >= threshold t,
/// c p^q rho0 below it.
struct Simp {
  /// E / E0: p^s; r + (1 - r) p^s (modified SIMP); r + (1 - r) p / (1 + s (1 - p)) (RAMP).
  enum class Stiffness { power, modified, ramp };
  /// rho / rho0 below t: c p^q, with a kink at t; or without one p (q (p/t)^(q-1) - (q-1) (p/t)^q), which for t = 0.1 and
  /// q = 6 is 6e5 p^6 - 5e6 p^7 (Du and Olhoff 2007).
  enum class LightMass { power, smooth };
  double c = 1e5;
  double q = 6.0;
  double s = 3.0;
  double p_min = 0.01;
  double threshold = 0.1;
  Stiffness stiffness = Stiffness::power;
  LightMass light_mass = LightMass::power;
  double void_stiffness = 1e-9;  ///< r, of modified SIMP and RAMP
};

/// Elements (by centre) whose density the optimizer does not vary.
struct Region {
  enum class Kind { solid, voided, frozen };  ///< density 1, p_min, or as it was at the start
  std::string name;
  Kind kind = Kind::solid;
  Place place;
};

/// A plane about which a design is symmetric (fem/symmetry.hpp).
struct SymmetryPlane {
  Vector3d point = Vector3d::Zero();  ///< m
  Vector3d normal = Vector3d::Zero();
};

/// Nodes that do not move along some axes of the body's frame, as on rollers or in a plane of symmetry.
struct SupportSpec {
  std::string name;
  Place place;
  std::array<bool, 3> fixed = {false, false, false};  ///< along x, y, z
};

/// Node set of a marker: displacement = mean over the nodes, rotation = least-squares rotation of the set.
struct MarkerSpec {
  /// Every node counts alike, or by the area (in 2D the length) of the surface around it within the set (marker_nodes).
  enum class Weights { equal, area };
  /// The tie of the nodes: each moves by itself, or all move with the marker as a rigid body (rigid_ties.hpp).
  enum class Tie { distributing, rigid };
  std::string name;
  Place nodes;
  Weights weights = Weights::equal;
  Tie tie = Tie::distributing;
  std::shared_ptr<const NodeSet>
      set{};  ///< if given, used in place of nodes and weights: a share of a load on a surface (surface_loads.hpp)
};

/// Unit loads at a marker whose static answers join the modal basis (attachment modes).
struct AttachmentSpec {
  std::string marker;
  std::array<bool, 3> force = {false, false, false};   ///< along x, y, z of the body's frame
  std::array<bool, 3> moment = {false, false, false};  ///< about x, y, z
};

/// Forces at several markers that act together. Their common static answer joins the modal basis.
struct CombinedLoadSpec {
  struct Force {
    std::string marker;
    Vector3d force = Vector3d::Zero();  ///< along the axes of the body's frame; only the ratios count
  };
  std::string name;
  std::vector<Force> forces;
};

/// The frame that the elastic displacements are relative to (frame.hpp). Markers by name, chord only.
struct FrameSpec {
  enum class Type { tangent, chord, buckens };
  Type type = Type::tangent;
  std::string origin, end;
  std::string third;  ///< 3D only; empty: the mean rotation of `origin` about the chord vanishes
};

/// Normal modes and static answers to loads on the markers, or fixed-interface modes with them
/// (interface_modes.hpp).
enum class BasisType { normal, craig_bampton };

/// The solver of systems with the stiffness (fem/stiffness_inverse.hpp): a sparse factor, for boxes conjugate gradients
/// with a multigrid cycle, or for any mesh PETSc, whose work several processes share. `automatic` takes multigrid for boxes
/// of at least many_elements hexahedra, and otherwise the factor.
enum class SolverType { automatic, direct, multigrid, petsc };
inline constexpr int many_elements = 20000;

struct FlexibleBodySpec {
  std::string name;
  MeshSpec mesh;
  Material material;
  Simp simp;
  std::vector<Region> regions;
  FrameSpec frame;
  Place clamp;  ///< nodes that carry a tangent frame
  std::vector<MarkerSpec> markers;
  BasisType basis = BasisType::normal;
  int n_normal_modes = 0;             ///< how many are kept
  std::vector<int> mode_list;         ///< which, counted from 1, ascending; empty: the lowest
  std::optional<double> modes_up_to;  ///< Hz: all below it; counted once, then n_normal_modes (count_modes)
  std::vector<AttachmentSpec> attachments;  ///< in 2D, those without a meaning in the plane are omitted
  std::vector<CombinedLoadSpec> combined_loads;
  double damping_alpha = 0.0;         ///< De = alpha Me + beta Ke; 1/s
  double damping_beta = 0.0;          ///< s
  std::vector<double> damping_modal;  ///< ratios: none, one for all, or one per elastic coordinate
  /// True if the motion of the reference frame and forces at markers stiffen it
  /// (fem/geometric_stiffening.hpp).
  bool geometric_stiffening = false;
  SolverType solver = SolverType::automatic;
  std::vector<SymmetryPlane> symmetry{};  ///< of the densities that vary
  ManufacturingSpec manufacturing{};
  std::optional<SurfaceSpec> surface{};  ///< of a mesh whose surface may move
  std::vector<SupportSpec> supports{};   ///< besides the clamp
  bool is_clamped = true;                ///< false: a tangent frame without `clamp`, held by supports alone
  /// False for a body that is analysed as it is: no elastic coordinates are made of it.
  bool is_reduced = true;
};

/// True if the stiffness of the body is solved by multigrid.
bool is_by_multigrid(const FlexibleBodySpec& spec);

/// True if the mesh of the body may change its shape: without rigid ties and, if it is reduced, with normal modes in a
/// tangent frame, without geometric stiffening and supports.
bool shape_may_vary(const FlexibleBodySpec& spec);

/// True if a marker has a rigid tie.
bool has_rigid_ties(const FlexibleBodySpec& spec);
/// True if displacements are tied: a marker has a rigid tie, or there are supports (fem/rigid_ties.hpp).
bool has_ties(const FlexibleBodySpec& spec);

}  // namespace kurbel::fem
