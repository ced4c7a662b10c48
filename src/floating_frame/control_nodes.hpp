/// @file
/// Indices of the nodes of controls among the parameters of a mechanism.
#pragma once

#include "floating_frame/parameters.hpp"
#include "sensitivity/control_energy.hpp"

namespace kurbel {

/// The nodes of one control, or with an empty name of all of them.
/// @throws InputError if there is none
std::vector<ControlNodes> control_nodes(const SystemSpec& spec, const ParameterLayout& layout,
                                        const std::string& name);

}  // namespace kurbel
