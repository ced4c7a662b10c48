/// @file
/// Deflections and vibrations of bodies in the trial of a motion.
#pragma once

#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// A body with elastic coordinates.
struct BodyTrial {
  std::size_t body = 0;          ///< index in Problem::bodies
  double first_frequency = 0.0;  ///< Hz, of the body as its reference frame holds it
  double last_frequency = 0.0;   ///< Hz, of those kept
  double first_damping = 0.0;    ///< ratio
  double deflection = 0.0;       ///< largest displacement of a node, or of a marker where there is no mesh, m
  double missing = 0.0;          ///< deflection that an undeformed start lacks, m
  double unresolved = 0.0;       ///< Hz, of a mode that vibrates from step to step; 0: none does
};

/// All of them, as far as the motion was simulated.
std::vector<BodyTrial> examine_bodies(const EvaluationChain& chain, const ChainResult& result);

}  // namespace kurbel
