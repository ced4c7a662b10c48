/// @file
/// Checks of an input file that concern several of its sections. Each throws an InputError with file, line
/// and key.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "problem/problem.hpp"

namespace kurbel {

/// Error of a flexible body whose input does not fit its mesh.
class BodyFault : public InputError {
 public:
  BodyFault(const InputError& error, std::string body) : InputError(error), body_(std::move(body)) {}
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

/// Error of a problem that needs more memory than there is at present.
class TooLarge : public InputError {
 public:
  explicit TooLarge(const InputError& error) : InputError(error) {}
};

/// Meshes, full matrices and motion fit into the memory, as far as can be told before any of it is taken; and
/// no body weighs so little or so much that the equations of the mechanism lose it in their rounding errors.
/// @param available  bytes; if not given, those that the system has left
/// @throws TooLarge if they do not fit, InputError of a weight
void check_size(const Problem& problem);
void check_size(const Problem& problem, double available);

/// Bytes that a body takes at least, after what was measured: its solver (a factor, multigrid, or PETSc in all processes
/// together) with what stands beside it, and the filter of its densities.
double least_memory(const Problem& problem, const fem::FlexibleBodySpec& body);

/// The same of full matrices, by all bodies, beams and joints.
double least_memory_of_dense_systems(const Problem& problem);

/// Markers of joints, springs, loads exist; links join different markers; torsion springs sit in hinges.
void check_mechanism(const Problem& problem);

/// Beams are attached to something, and the inner diameters of tubes stay below the outer ones.
void check_beams(const Problem& problem);

/// Refuses what natural coordinates cannot have: flexible bodies, tyres, driven rotations but those of hinges; and what
/// they alone can have: points, planar beams and masses at markers.
void check_natural_coordinates(const Problem& problem);

/// Points and planar beams: their joints, their plane, and steps that go with them.
void check_planar_parts(const Problem& problem);

/// True if a mechanism in natural coordinates has no constraints: points and planar beams, whose joints share
/// coordinates.
bool has_no_constraints(const SystemSpec& spec);

/// Does something with every term of [outputs], [objective], [stages.*] and [constraints.criteria], and its key.
void for_each_term(const Problem& problem,
                   const std::function<void(const CriterionTerm& term, const std::string& path)>& act);

/// There is such a control, or any if the term names none.
void check_criterion_control(const Problem& problem, const CriterionTerm& term, const std::string& path);

/// Refuses observables of bodies that exist only without beams and points.
void check_observed_beside_beams(const Problem& problem, const CriterionTerm& term, const std::string& path);

/// A criterion on the stress of a beam names a beam that exists and a point of its section.
void check_stress_of_beam(const Problem& problem, const CriterionTerm& term, const std::string& path);

/// Clamp, markers and regions of flexible bodies select something; the modes fit in the mesh; initial elastic
/// coordinates have the right number; initial loads act on something.
void check_bodies(const Problem& problem);

/// True if the end of the motion is a variable.
bool varies_end(const Problem& problem);

/// Checks a variable end of the motion: steps are of equal length and have discrete derivatives, and nothing but controls is a
/// function of time.
void check_end_of_motion(const Problem& problem);

/// Bodies, markers and joints named in [outputs], [objective] and [constraints.criteria] exist and have the
/// quantity; the method of sensitivity analysis can treat its functional over time.
void check_criteria(const Problem& problem);

/// Tables over time cover the motion, unless they are held or repeated beyond their ends.
void check_tables(const Problem& problem);

/// No two constraints contradict each other at the end.
void check_reachable(const Problem& problem);

/// The path of the sensitivities can treat the bodies' geometric stiffening.
void check_geometric_stiffening(const Problem& problem);

/// Without a motion: loads act on markers that deform with their body, and sizes of meshes do not vary.
void check_analysis(const Problem& problem);

/// Bodies named in design exist and are flexible; the start lies in the bounds.
void check_design(const Problem& problem);

/// Equivalent static loads serve the problem, where optimizer.strategy asks for them.
void check_strategy(const Problem& problem);

/// Bodies with [bodies.*.manufacturing] have densities that vary and a density filter or none; what it asks for is of the
/// mesh's axes and does not contradict itself, nor planes of symmetry.
void check_manufacturing(const Problem& problem);

}  // namespace kurbel
