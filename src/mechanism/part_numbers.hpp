/// @file
/// The numbers of parts that are parameters of a mechanism: a row each, bound to the member that holds it.
///
/// From a row follow the index among the parameters (ParameterLayout), the value that a design sets (SystemQuantity),
/// and the path by which an input names it, "springs.left.stiffness".
#pragma once

#include <algorithm>
#include <span>

#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The place of a kind of parts: the table of an input, and the list of a mechanism.
template <class Part>
struct Section;
#define KURBEL_SECTION(Part, list, table)            \
  template <>                                        \
  struct Section<Part> {                             \
    static constexpr const char* name = table;       \
    static constexpr auto parts = &SystemSpec::list; \
  };
KURBEL_SECTION(SpringSpec, springs, "springs")
KURBEL_SECTION(TorsionSpringSpec, torsion_springs, "torsion_springs")
KURBEL_SECTION(BushingSpec, bushings, "bushings")
KURBEL_SECTION(StopSpec, stops, "stops")
KURBEL_SECTION(ControlSpec, controls, "controls")
KURBEL_SECTION(JointSpec, joints, "joints")
KURBEL_SECTION(TyreSpec, tyres, "tyres")
KURBEL_SECTION(BeamSpec, beams, "beams")
KURBEL_SECTION(PointMassSpec, point_masses, "bodies")
KURBEL_SECTION(AttachedMassSpec, attached_masses, "masses")
#undef KURBEL_SECTION

/// Words for the components of a number that has several.
using Components = std::span<const char* const>;
inline constexpr std::array<const char*, 3> axis_words = {"x", "y", "z"};

/// Views of a member as numbers. What is absent has none.
inline std::span<double> numbers_in(double& number) {
  return {&number, 1};
}
inline std::span<double> numbers_in(std::optional<double>& number) {
  return number ? numbers_in(*number) : std::span<double>{};
}
inline std::span<double> numbers_in(Vector3d& vector) {
  return {vector.data(), 3};
}
inline std::span<double> numbers_in(std::optional<Vector3d>& vector) {
  return vector ? numbers_in(*vector) : std::span<double>{};
}
inline std::span<double> numbers_in(VectorXd& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}
template <std::size_t n>
std::span<double> numbers_in(std::array<double, n>& values) {
  return values;
}

/// Row of the table.
struct PartNumber {
  const char* section;    ///< Section::name
  const char* key;        ///< "stiffness": the path of the number behind the name of its part
  Components components;  ///< none of a single number
  std::size_t (*n_parts)(const SystemSpec& spec);
  std::span<double> (*of)(SystemSpec& spec, std::size_t part);
  Eigen::Index least;  ///< parameters that it has even where it is absent; they are zero
};

namespace detail {
template <class Part, class T>
Part part_of(T Part::*);
template <auto member>
using PartOf = decltype(part_of(member));
template <auto member>
std::span<double> numbers_of(SystemSpec& spec, std::size_t part) {
  return numbers_in((spec.*Section<PartOf<member>>::parts)[part].*member);
}
template <class Part>
std::size_t count(const SystemSpec& spec) {
  return (spec.*Section<Part>::parts).size();
}
}  // namespace detail

/// A row of a member of a part.
template <auto member>
constexpr PartNumber number(const char* key, Components components = {}, Eigen::Index least = 0) {
  using Part = detail::PartOf<member>;
  return {Section<Part>::name, key, components, &detail::count<Part>, &detail::numbers_of<member>, least};
}

/// The values of a row, read only.
inline std::span<const double> values_in(const PartNumber& row, const SystemSpec& spec, std::size_t part) {
  return row.of(const_cast<SystemSpec&>(spec), part);
}

/// The table: rows of a section stand together, and so do the parameters of a part.
const std::vector<PartNumber>& part_numbers();

/// Place in the table.
template <auto member>
std::size_t row_of() {
  static const std::size_t row = [] {
    const auto at = std::ranges::find(part_numbers(), &detail::numbers_of<member>, &PartNumber::of);
    return static_cast<std::size_t>(at - part_numbers().begin());
  }();
  return row;
}

}  // namespace kurbel
