/// @file
/// The groups of keys, one for each kind of table; each stands in the keys_*.cpp of its
/// topic, or as a part in part_tables.hpp.
#pragma once

#include "problem/key_table.hpp"

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
const KeyTable<Stage>& stage();
const KeyGroup& own_case();
const KeyTable<OverCases>& over_cases();
const KeyTable<IntegratorOptions>& integrator();
const TomlTable::Words<IntegratorMethod>& integrator_methods();
/// Of the semi-recursive formulation.
const TomlTable::Words<ReferencePoint>& recursions();
const KeyTable<SensitivityOptions>& sensitivity();
const KeyGroup& design();
const KeyTable<FilterOptions>& filter();
const KeyTable<ProjectionOptions>& projection();
const KeyTable<OptimizerOptions>& optimizer();
const KeyTable<OutputOptions>& output();

}  // namespace kurbel::keys
