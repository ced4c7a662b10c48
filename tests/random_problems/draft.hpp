/// @file
/// A problem while it is being made.
#pragma once

#include <array>

#include "random_numbers.hpp"
#include "random_problem.hpp"

namespace kurbel::random_problems {

inline constexpr const char* axes[] = {"x", "y", "z"};

/// A bar along the x axis of its frame, undeformed; and where it is at the start, in the plane z = 0.
struct DraftBody {
  enum class Kind { rigid, flexible, sid };
  std::string name;
  Kind kind = Kind::rigid;
  double length = 0.0, height = 0.0, mass = 0.0;
  std::string root, pin;              ///< references to its ends, "b1.root"
  std::vector<std::string> deformed;  ///< markers with elastic displacements
  double angle = 0.0, rate = 0.0;     ///< about z
  Vector3d position = Vector3d::Zero(), velocity = Vector3d::Zero();
  int dim = 3;
  bool moves_with_size = false;  ///< flexible: mesh.size may vary
  bool stiffens = false, craig_bampton = false;
  std::vector<std::string> left_out;  ///< names that leave_out may have

  Vector3d end() const { return position + length * Vector3d(std::cos(angle), std::sin(angle), 0.0); }
  Vector3d end_velocity() const {
    return velocity + rate * length * Vector3d(-std::sin(angle), std::cos(angle), 0.0);
  }
};

struct DraftJoint {
  std::string name, from, to;
  std::array<bool, 6> locked{}, driven{};
};

struct Draft {
  explicit Draft(std::uint64_t seed, bool rigid_only = false)
      : seed(seed), rigid_only(rigid_only), random(seed) {}

  std::uint64_t seed;
  bool rigid_only;  ///< no body deforms
  Random random;
  RandomProblem problem;
  std::vector<DraftBody> bodies;
  std::vector<DraftJoint> joints;
  double t0 = 0.0, duration = 0.0;
  bool moves_twin = false;  ///< what varies, so that the rigid twin is no target

  Table& root() { return problem.input; }
  Table& section(const std::string& name) { return sub_table(root(), name); }
  Table& body_table(const DraftBody& body) { return sub_table(section("bodies"), body.name); }
  void mark(const std::string& feature) { problem.features.insert(feature); }
  bool has(const std::string& feature) const { return problem.has(feature); }
  /// One of the words, by weight, marked as a feature "kind=word".
  std::string choose(const std::string& kind, const std::vector<std::pair<std::string, double>>& words);
};

/// Adds a body without its initial state.
DraftBody& add_body(Draft& draft, bool allow_sid);
/// Makes a marker of the ground.
/// @return the reference to it
std::string add_ground_marker(Draft& draft, const std::string& name, const Vector3d& position, double angle);

/// A time history whose rate at the start is known, of about the given rate; value at the start as given.
TimeHistory random_time_history(Draft& draft, double value, double rate, bool may_start_elsewhere);
/// A time history of a load or a target, of about that size.
TimeHistory random_amplitude(Draft& draft, double size);

void add_mechanism(Draft& draft);  ///< bodies, joints, drives and initial states
void add_forces(Draft& draft);     ///< gravity, springs, loads
void add_start(Draft& draft);      ///< initial.state and deviations from it
void add_controls(Draft& draft);   ///< motors and thrusts whose nodes vary
void add_design(Draft& draft);     ///< what varies, and how gradients are found
void add_criteria(Draft& draft);   ///< objective and constraints
/// Rods, planar joints, damped hinges, loads that oscillate, outputs at instants and cases.
void add_additions(Draft& draft);
/// Of a mechanism of rigid bodies: in which coordinates and by which steps it moves.
void add_formulation(Draft& draft);

}  // namespace kurbel::random_problems
