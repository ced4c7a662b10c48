/// @file
/// About which points the recursion along a tree takes twists and wrenches.
#pragma once

namespace kurbel {

/// The centre of mass of each body (RTdyn0), or one point for all (RTdyn1).
enum class ReferencePoint { centre_of_mass, common };

}  // namespace kurbel
