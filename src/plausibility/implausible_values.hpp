/// @file
/// Values that an input may have and that nobody can mean, most of them in a wrong unit.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// Modulus below which a solid is softer than rubber, Pa.
inline constexpr double softest_solid = 1e6;

/// Largest extent of a part of the mechanism, or distance between places where parts begin, m; 0: it has none.
double length_of_mechanism(const Problem& problem);

/// Largest edge of the mesh of a body, or distance between its markers, its origin and its centre of mass, m.
double length_of_body(const Problem& problem, std::size_t body);

/// True if a part is longer or shorter than parts of mechanisms are, as one that was drawn in another unit.
bool is_unlikely_length(double metres);

/// A drive as its motion shows it from step to step.
struct DriveMotion {
  std::string key;  ///< "joints.bearing.drive"
  double turns =
      0.0;  ///< the largest frequency with which it turns the joint around, Hz; 0: less than one turn
  double frequency = 0.0;  ///< the largest frequency with which it moves to and fro, or turns, Hz
  double travel = 0.0;     ///< largest less smallest value, rad or m
  double speed = 0.0;      ///< largest rate, rad/s or m/s
  bool is_rotation = true;
};
std::vector<DriveMotion> drive_motions(const Problem& problem);

/// Values of a function at many instants of the motion, more than there are steps if these are few: steps that are far too
/// long may meet every zero of an oscillation.
std::vector<TimeValue> sampled(const TimeFunction& function, const IntegratorOptions& steps);

/// Material, mesh, mass and inertia, sections of beams: each a sentence that begins with file, line and key.
std::vector<std::string> implausible_bodies(const Problem& problem);

/// Gravity, starts, drives, loads that oscillate, roads, lengths that vary, and steps.
std::vector<std::string> implausible_motion(const Problem& problem);

/// Springs, dampers and tyres beside the weight and the loads of the mechanism.
std::vector<std::string> implausible_forces(const Problem& problem);

/// The filter and the bounds of constraints.
std::vector<std::string> implausible_design(const Problem& problem);

/// Warnings about bodies and motion, of the problem and its cases, without duplicates.
std::vector<std::string> implausible_mechanism(const Problem& problem);

/// All warnings of the problem and its cases, without duplicates.
std::vector<std::string> implausible_values(const Problem& problem);

}  // namespace kurbel
