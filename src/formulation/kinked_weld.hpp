/// @file
/// Welds of beams in natural coordinates, where motions begin as they are given.
///
/// A weld makes the tangents of two cables one if one continues the other; at any other angle it holds that angle alone, so
/// that functions of a design that bends the weld have no derivative there. Welded sections of spatial beams have the
/// same axes in every design.
#pragma once

#include <optional>
#include <string>

#include "floating_frame/parameters.hpp"

namespace kurbel {

struct KinkedWeld {
  std::string joint;
  BeamSpec::Kind kind;     ///< of both beams
  Eigen::Index direction;  ///< the first that bends the weld
};

/// A weld of two spatial beams, or of two cables in line, that a direction in the space of parameters bends.
/// @param p_dot  (layout.size() x directions)
std::optional<KinkedWeld> find_kinked_weld(const SystemSpec& spec, const ParameterLayout& layout,
                                           const SparseMatrix& p_dot);

}  // namespace kurbel
