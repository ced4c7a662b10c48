/// @file
/// The groups of keys, one for each kind of table; each stands in the keys_*.cpp of its
/// topic, or as a part in part_tables.hpp.
#pragma once

#include "problem/keys.hpp"

namespace kurbel::keys {

// keys_bodies.cpp
const KeyGroup& body();
const KeyGroup& body_place();
const KeyGroup& placed_marker();

// keys_mechanism.cpp
const KeyGroup& time_function();
const KeyGroup& ground();
const KeyGroup& joint();
/// Its types, those of locked degrees of freedom and rods.
const std::vector<std::string>& joint_types();
const KeyGroup& load();
const KeyGroup& road();
const KeyGroup& initial();
const KeyGroup& control();

// keys_beams.cpp
const KeyGroup& named_point();
const KeyGroup& coordinates();
const KeyGroup& beam();

// keys_criteria.cpp
const KeyGroup& output_quantity();
const KeyGroup& term();
const KeyGroup& constraints();

// keys_optimization.cpp
const KeyGroup& variable();
const KeyGroup& stage();
const KeyGroup& own_case();
const KeyGroup& over_cases();
const KeyGroup& integrator();
const KeyGroup& sensitivity();
const KeyGroup& design();
const KeyGroup& filter();
const KeyGroup& projection();
const KeyGroup& optimizer();
const KeyGroup& output();

}  // namespace kurbel::keys
