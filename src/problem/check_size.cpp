#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/memory.hpp"
#include "fem/box_helmholtz_filter.hpp"
#include "fem/helmholtz_filter.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_source.hpp"
#include "fem/stiffness_inverse.hpp"
#include "problem/checks.hpp"

namespace kurbel {

namespace {

constexpr double gigabyte = 1e9;

/// Free coordinates of planar beams, but for those that joints hold or that beams share.
double n_planar_coordinates(const Problem& problem) {
  constexpr double by_node = 6.0;  // place and two slopes in a plane
  double n = 0.0;
  for (const PlanarBeamSpec& beam : problem.system.planar_beams)
    n += by_node * static_cast<double>(beam.n_elements);
  return n;
}

/// Velocities of bodies and of nodes of beams, and the reactions in their joints.
double n_unknowns_of_bodies(const Problem& problem) {
  double n_v = 6.0 * static_cast<double>(problem.bodies.size()), n_c = 0.0;
  for (const BeamSpec& beam : problem.system.beams) n_v += 6.0 * (beam.n_elements + 1.0);
  for (const JointSpec& joint : problem.system.joints)
    n_c += static_cast<double>(std::ranges::count(joint.locked, true));
  return n_v + std::min(n_c, n_v);
}

/// The part that makes most of the unknowns, as a key and the words behind it.
std::pair<std::string, std::string> largest_part(const Problem& problem) {
  std::string name;
  double most = 0.0, elements = 0.0;
  const auto add = [&](const auto& beam) {
    elements += static_cast<double>(beam.n_elements);
    if (static_cast<double>(beam.n_elements) <= most) return;
    name = beam.name, most = static_cast<double>(beam.n_elements);
  };
  for (const BeamSpec& beam : problem.system.beams) add(beam);
  for (const PlanarBeamSpec& beam : problem.system.planar_beams) add(beam);
  const std::size_t n_bodies = problem.bodies.size();
  if (elements > static_cast<double>(n_bodies))
    return {"beams." + name + ".elements", fmt::format("= {} makes", most)};
  return {"bodies", fmt::format(": {} of them make", n_bodies)};
}

/// Bytes of the stored motion: poses, velocities, accelerations of every body at every instant.
double trajectory_memory(const Problem& problem) {
  constexpr double numbers_per_body = 7.0 + 6.0 + 6.0;
  if (problem.integrator.step == 0.0) return 0.0;
  return sizeof(double) * numbers_per_body * static_cast<double>(problem.bodies.size()) *
         (problem.integrator.t1 - problem.integrator.t0) / problem.integrator.step;
}

/// A continuum below the weight of an atom, or above that of a galaxy, is a slip of the pen; its rows would
/// be all but zero or infinite beside those of other bodies, and the failure would be put down to their
/// joints.
void check_weight(const Problem& problem, const fem::FlexibleBodySpec& body) {
  constexpr double lightest = 1e-27, heaviest = 1e42;  // kg
  const fem::MeshSpec& mesh = body.mesh;
  double volume = mesh.dim == 2 ? mesh.thickness : 1.0;
  for (int d = 0; d < mesh.dim; ++d) volume *= mesh.size[d];
  const double mass = volume * body.material.density;
  if (mass >= lightest && mass <= heaviest) return;
  const std::string shape =
      mesh.dim == 2 ? fmt::format("[{}, {}] m, thickness {} m", mesh.size[0], mesh.size[1], mesh.thickness)
                    : fmt::format("[{}, {}, {}] m", mesh.size[0], mesh.size[1], mesh.size[2]);
  throw problem.error(fmt::format("bodies.{}.mesh", body.name),
                      ": size {} and density {} kg/m^3 make a mass of {:.3g} kg, outside [{}, {}]", shape,
                      body.material.density, mass, lightest, heaviest);
}

std::string shortage(double needed, double available) {
  return fmt::format("at least {:.3g} GB of memory, and {:.3g} GB are there", needed / gigabyte,
                     available / gigabyte);
}

/// By nested dissection a factor grows with n log n in 2D and with n^(4/3) in 3D (A. George, 1973).
double memory_by_dissection(int dim, double n_nodes, double per_node_2d, double per_node_3d) {
  return dim == 2 ? per_node_2d * n_nodes * std::log2(n_nodes + 1.0)
                  : per_node_3d * std::pow(n_nodes, 4.0 / 3.0);
}

/// The constants are six tenths of what `reduce` was measured to take: 210 in 2D for n from 3e4 to 1e6, 700 in 3D for n from
/// 3e3 to 2e4.
double memory_of_factor(int dim, double n_nodes) {
  return memory_by_dissection(dim, n_nodes, 120.0, 400.0);
}

/// The factor of the coarsest grid of a multigrid cycle, in single precision. The constants are the least that
/// GridFactor::memory() gave: 193 to 336 in 3D and 56 to 62 in 2D, with 4800 to 16 400 elements.
double memory_of_grid_factor(int dim, double n_nodes) {
  return memory_by_dissection(dim, n_nodes, 55.0, 190.0);
}

/// Fields and elements of the finest grid, six tenths of 3700 bytes an element in 3D and 2200 in 2D, which `reduce` was
/// measured to take beside the coarsest grid's factor with 106 000 and 71 000 elements; and that factor.
double memory_of_multigrid(const fem::MeshSpec& mesh) {
  constexpr double per_element_2d = 1300.0, per_element_3d = 2200.0;
  constexpr double coarsest = static_cast<double>(fem::coarsest_elements);
  std::array<int, 3> n = mesh.divisions;
  if (mesh.dim == 2) n[2] = 1;
  const auto n_elements = [&] { return static_cast<double>(n[0]) * n[1] * n[2]; };
  const double of_elements = (mesh.dim == 2 ? per_element_2d : per_element_3d) * n_elements();
  while (n_elements() > coarsest)
    for (int& along : n) along = (along + 1) / 2;
  const double n_nodes = (n[0] + 1.0) * (n[1] + 1.0) * (mesh.dim == 2 ? 1.0 : n[2] + 1.0);
  return of_elements + memory_of_grid_factor(mesh.dim, n_nodes);
}

/// The matrix, which couples a node with its neighbours, 8 or 26 in boxes and fewer in triangles and tetrahedra, with
/// values and columns of 12 bytes; its coarser grids; graph and mass of the first process. It is half of the 8000 bytes a
/// node that `reduce` was measured to take in 3D, with 1000 to 7000 nodes.
double memory_of_petsc(const fem::MeshSpec& mesh, double n_nodes) {
  constexpr double per_entry = 12.0, with_grids = 1.1, with_graph = 1.3;
  const double coupled = mesh.given ? (mesh.dim == 2 ? 7.0 : 14.0) : (mesh.dim == 2 ? 9.0 : 27.0);
  return per_entry * with_grids * with_graph * coupled * mesh.dim * mesh.dim * n_nodes;
}

double memory_of_solver(const fem::FlexibleBodySpec& body) {
  const double n_nodes = fem::mesh_source(body.mesh)->n_nodes();
  if (body.solver == fem::SolverType::petsc) return memory_of_petsc(body.mesh, n_nodes);
  return fem::is_by_multigrid(body) ? memory_of_multigrid(body.mesh)
                                    : memory_of_factor(body.mesh.dim, n_nodes);
}

/// Nodes that are corners of elements, between which the filter's functions are linear.
double n_corners_of(const fem::Mesh& mesh) {
  std::vector<bool> is_corner(static_cast<std::size_t>(mesh.n_nodes()), false);
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    for (const int node : mesh.nodes_of(e).head(fem::topology(mesh.kind_of(e)).n_corners))
      is_corner[static_cast<std::size_t>(node)] = true;
  }
  return static_cast<double>(std::ranges::count(is_corner, true));
}

/// Boxes have no matrix. Other meshes have one unknown per corner: a factor has the dim^2-th part of the stiffness's entries. In
/// large solids, matrix and incomplete factor have 14 entries of 12 bytes per corner, and the shares of elements in their
/// corners 8.
double memory_of_helmholtz_filter(const fem::MeshSpec& mesh) {
  constexpr double per_corner = 12.0 * (14.0 + 14.0 + 8.0);
  if (!mesh.given || fem::divisions_of_joined_box(*mesh.given)) return 0.0;
  const double n = n_corners_of(*mesh.given);
  if (mesh.dim == 3 && n > static_cast<double>(fem::HelmholtzFilter::most_factored)) return per_corner * n;
  return memory_of_factor(mesh.dim, n) / (mesh.dim * mesh.dim);
}

/// The integral of a control's energy takes a full matrix of its nodes.
void check_control_energy(const Problem& problem, double available) {
  for_each_term(problem, [&](const CriterionTerm& term, const std::string&) {
    if (term.quantity != Quantity::control_energy) return;
    for (const ControlCurve& control : problem.controls) {
      if (!term.control.empty() && term.control != control.name) continue;
      const double n = static_cast<double>(control.start.size()), needed = sizeof(double) * n * n;
      if (needed > available)
        throw TooLarge(problem.error(fmt::format("controls.{}.nodes", control.name),
                                     "= {} makes a full matrix of the energy, which takes {}; take fewer",
                                     control.start.size(), shortage(needed, available)));
    }
  });
}

}  // namespace

double least_memory(const Problem& problem, const fem::FlexibleBodySpec& body) {
  const bool has_filter = problem.filter.type == FilterOptions::Type::density &&
                          problem.filter.kernel == FilterOptions::Kernel::helmholtz &&
                          std::ranges::find(problem.design.bodies, body.name) != problem.design.bodies.end();
  return memory_of_solver(body) + (has_filter ? memory_of_helmholtz_filter(body.mesh) : 0.0);
}

/// Starts of bodies, and of beams beside them, take 18 matrices of all unknowns, implicit steps of planar
/// beams 13 of all coordinates, measured with 100 to 7200 unknowns and 1200 to 2400 coordinates; six
/// tenths of these. Explicit ones keep the mass matrix and its factors.
double least_memory_of_dense_systems(const Problem& problem) {
  constexpr double by_start = 0.6 * 18.0, by_implicit_step = 0.6 * 13.0, by_explicit_step = 2.0;
  double n = 0.0, matrices = by_start;
  if (is_natural(problem.formulation) && has_no_constraints(problem.system)) {
    n = n_planar_coordinates(problem);
    matrices = traits_of(problem.integrator.method).is_implicit ? by_implicit_step : by_explicit_step;
  } else if (!is_natural(problem.formulation) || problem.system.beams.empty()) {
    n = n_unknowns_of_bodies(problem);  // those of natural coordinates with beams are sparse
  }
  return sizeof(double) * matrices * n * n;
}

void check_size(const Problem& problem, double available) {
  double needed = 0.0;
  for (const ProblemBody& body : problem.bodies) {
    if (body.type != ProblemBody::Type::flexible) continue;
    check_weight(problem, body.flexible);
    needed += least_memory(problem, body.flexible);
    if (needed <= available) continue;
    throw TooLarge(problem.error(
        fmt::format("bodies.{}.mesh.divisions", body.name), "makes {:.3g} nodes, which {} {}",
        fem::mesh_source(body.flexible.mesh)->n_nodes(),
        problem.bodies.size() > 1 ? "with the other bodies take" : "take", shortage(needed, available)));
  }
  check_control_energy(problem, available);
  const double systems = least_memory_of_dense_systems(problem);
  if (systems > available) {
    const auto [key, what] = largest_part(problem);
    throw TooLarge(problem.error(key, "{} full matrices, which take {}", what, shortage(systems, available)));
  }
  const double motion = trajectory_memory(problem);
  if (motion <= available) return;
  throw TooLarge(problem.error("integrator.step", "makes {:.3g} time steps, which take {}",
                               (problem.integrator.t1 - problem.integrator.t0) / problem.integrator.step,
                               shortage(motion, available)));
}

void check_size(const Problem& problem) {
  check_size(problem, available_memory());
}

}  // namespace kurbel
