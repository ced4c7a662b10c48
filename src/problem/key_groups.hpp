/// @file
/// The groups of keys, one for each kind of table; each stands in the keys_*.cpp of its
/// topic, or as a part in part_tables.hpp.
#pragma once

#include "keys/key_table.hpp"
#include "problem/readers.hpp"

namespace kurbel {

/// The group of the whole file.
const KeyGroup& root_keys();

namespace keys {

template <>
struct ValueOf<MarkerRef> {
  static MarkerRef read(const TomlTable& table, const std::string& key) {
    return read_marker_ref(table, key);
  }
};

/// A marker; it is required.
template <class Spec>
BoundKey<Spec> marker(std::string name, MarkerRef Spec::*member, std::string meaning) {
  return key(std::move(name), member, text(), "", required, std::move(meaning));
}

// keys_root.cpp
/// Words of the values of keys; in each list the usual one is the first.
extern const TomlTable::Words<Analysis> analyses;
extern const TomlTable::Words<Formulation> formulations;

/// "x" as 0, "y" as 1, "z" as 2.
extern const TomlTable::Words<int> axis_indices;

// keys_bodies.cpp
const KeyTable<fem::FlexibleBodySpec>& body();
const KeyTable<fem::Region>& region();
const KeyTable<fem::MarkerSpec>& flexible_marker();
const KeyTable<fem::SupportSpec>& support();
const KeyTable<fem::MeshSpec>& mesh();
/// Tables of a body.
const KeyTable<InitialState>& start();
const KeyTable<StaticLoad>& static_load();
const KeyGroup& body_place();
const KeyGroup& placed_marker();

// keys_manufacturing.cpp
const KeyTable<fem::ManufacturingSpec>& manufacturing();

// keys_mechanism.cpp
/// The numbers of a function of time, as its type has them.
struct FunctionNumbers {
  enum class Type { constant, constant_rate, harmonic, polynomial, spin_up, table };
  Type type = Type::constant;
  double value = 0.0, rate = 0.0, t = 0.0;                              ///< unit, unit/s, s
  double amplitude = 0.0, frequency = 0.0, phase = 0.0, fade_in = 0.0;  ///< unit, Hz, rad, s
  double duration = 0.0;                                                ///< of a spin-up, s
};
const KeyTable<FunctionNumbers>& function_of_time();
const KeyGroup& time_function();
extern const TomlTable::Words<Beyond> beyond_words;
/// Interpolations in tables of loads, targets and roads.
/// @param may_jump  whether "constant" is one of them
TomlTable::Words<TableInterpolation> table_interpolations(bool may_jump);
const KeyGroup& ground();
const KeyTable<JointSpec>& joint();
/// Its types, those of locked degrees of freedom and rods.
extern const std::vector<std::string> joint_types;
extern const TomlTable::Words<RelativeDof> dof_words;
const KeyTable<DriveSpec>& drive();
const KeyTable<MarkerLoadSpec>& load();
/// Its numbers, as its profile has them.
struct RoadNumbers {
  enum class Profile { flat, step, sine, table };
  Profile profile = Profile::flat;
  double height = 0.0, position = 0.0, width = 0.0;       ///< of a step, m
  double amplitude = 0.0, wavelength = 0.0, start = 0.0;  ///< of waves, m
  std::vector<double> x{};                                ///< of a table, m
};
const KeyTable<RoadNumbers>& road();
/// Tables of the mechanism.
const KeyTable<SystemSpec>& initial();
const KeyTable<MarkerLoadSpec>& control();
const KeyTable<ControlCurve>& curve();

// keys_beams.cpp
const KeyTable<NamedPoint>& named_point();
const KeyTable<SystemSpec>& coordinates();
const KeyTable<BeamSpec>& beam();
/// The section of a beam; its outline alone is bound.
const KeyTable<BeamSpec>& section();

// keys_criteria.cpp
/// The word of an integral of the compliance over time.
inline constexpr const char* integral_compliance = "integral-compliance";
const KeyGroup& output_quantity();
const KeyTable<CriterionTerm>& observed_place();
/// A quantity, or an output, and what is made of its time history.
const KeyTable<CriterionTerm>& criterion();
extern const TomlTable::Words<TimeFunctional> functionals;
const KeyTable<CriterionTerm>& sum_term();
const KeyGroup& term();
const KeyTable<ConstraintOptions>& constraints();

// keys_optimization.cpp
const KeyGroup& variable();
const KeyTable<Stage>& stage();
const KeyGroup& own_case();
const KeyTable<OverCases>& over_cases();
const KeyTable<IntegratorOptions>& integrator();
extern const TomlTable::Words<IntegratorMethod> integrator_methods;
/// Reference points of the semi-recursive formulation.
extern const TomlTable::Words<ReferencePoint> recursions;
const KeyTable<SensitivityOptions>& sensitivity();
const KeyGroup& design();
const KeyTable<FilterOptions>& filter();
const KeyTable<ProjectionOptions>& projection();
const KeyTable<FrequencyResponseOptions>& frequency_response();
/// Progress in ten iterations, relative, that ends an optimization of densities.
inline constexpr double progress_of_densities = 1e-4;
/// Change of every variable that ends an optimization without densities: few numbers, which are wanted precisely.
inline constexpr double change_of_numbers = 5e-4;
const KeyTable<OptimizerOptions>& optimizer();
extern const TomlTable::Words<Strategy> strategies;
const KeyTable<OutputOptions>& output();

}  // namespace keys

}  // namespace kurbel
