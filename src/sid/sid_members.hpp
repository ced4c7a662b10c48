/// @file
/// The Taylor members of classes modal and node by name, in the order in which files list them.
#pragma once

#include <array>

#include "sid/sid.hpp"

namespace kurbel {

/// J has a coefficient for each product of two: more take more memory than there is.
inline constexpr Eigen::Index most_elastic_coordinates = 2000;

/// Member of class modal, with the unit of its M0.
struct SidMember {
  const char* name;
  Taylor Sid::*taylor;
  const char* unit;
};
inline constexpr std::array<SidMember, 11> sid_members = {{{"mdCM", &Sid::mdCM, "kg m"},
                                                           {"J", &Sid::J, "kg m^2"},
                                                           {"Ct", &Sid::Ct, "kg m/[q]"},
                                                           {"Cr", &Sid::Cr, "kg m^2/[q]"},
                                                           {"Me", &Sid::Me, "kg m^2/[q]^2"},
                                                           {"Gr", &Sid::Gr, "kg m^2/[q]"},
                                                           {"Ge", &Sid::Ge, "kg m^2/[q]^2"},
                                                           {"Oe", &Sid::Oe, "kg m^2/[q]"},
                                                           {"ksigma", &Sid::ksigma, "N m/[q]"},
                                                           {"Ke", &Sid::Ke, "N m/[q]^2"},
                                                           {"De", &Sid::De, "N m s/[q]^2"}}};

/// Member of class node, with the unit of its M0.
struct SidNodeMember {
  const char* name;
  Taylor SidNode::*taylor;
  const char* unit;
};
inline constexpr std::array<SidNodeMember, 4> sid_node_members = {{{"origin", &SidNode::origin, "m"},
                                                                   {"phi", &SidNode::phi, "m/[q]"},
                                                                   {"psi", &SidNode::psi, "rad/[q]"},
                                                                   {"AP", &SidNode::AP, "1"}}};

}  // namespace kurbel
