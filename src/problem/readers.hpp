/// @file
/// Sections of the input file. Each reads its keys and checks their values; what concerns several sections is
/// left to checks.hpp.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <set>
#include <span>
#include <string>

#include "base/spelling.hpp"
#include "fem/surface_loads.hpp"
#include "integration/lie_group.hpp"
#include "keys/toml_reader.hpp"
#include "problem/control_curve.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Refuses what belongs to other analyses than that of the problem, before it is read.
void refuse_keys_of_other_analyses(const TomlTable& root, Analysis analysis);

/// [bodies.*]: fills Problem::bodies and SystemSpec::bodies, for which points must have been read. There are none
/// where beams are alone, in natural coordinates. Relative file names start at `directory`.
/// @return the flexible bodies that are to have attachment modes
/// @param same  a problem with the same parts, whose meshes are shared; none: they are made
std::set<std::string> read_bodies(const TomlTable& root, const std::filesystem::path& directory,
                                  const Problem* same, Problem& problem);

/// One flexible body.
/// @param directory         at which relative file names start
/// @param same              its mesh if it was made before, else nullptr
/// @param analysis          without a motion it has no elastic coordinates
/// @param attachment_modes  set to what the file says, or to their default
fem::FlexibleBodySpec read_flexible_body(const TomlTable& body, const std::filesystem::path& directory,
                                         const fem::MeshSpec* same, Analysis analysis,
                                         bool& attachment_modes);

/// A place in the body of a mesh: what all keys of the table have in common.
fem::Place read_place(const TomlTable& table, const fem::MeshSpec& mesh);

/// A vector in a body, with zero as its z if the list has two numbers.
/// @param dim  how many numbers there must be; 0: as many as the row says
Vector3d read_vector(const TomlTable& table, const std::string& key, int dim = 0);

/// [variables.*], for which bodies and mechanism must have been read.
std::vector<DesignVariable> read_design_variables(const TomlTable& variables, const Problem& problem);

/// [ground], [joints.*], all parts of part_sections(), [loads.*], [road], [initial], gravity.
/// @param followed_joints  as Problem::followed_joints, appended to
void read_mechanism(const TomlTable& root, SystemSpec& system, std::vector<std::string>& followed_joints);

/// [coordinates], for which the joints and all criteria must have been read: joints whose reactions these ask for keep
/// their multipliers.
void read_coordinates(const TomlTable& root, Problem& problem);

/// [controls.*]: motors and loads whose time history is varied, for which the joints must have been read.
/// @param directory  of the file
void read_controls(const TomlTable& controls, const std::filesystem::path& directory, Problem& problem);

/// True if a function of time is one of type "table".
bool is_table(const TomlTable& function);
/// Course of a table between its entries, and beyond them.
struct TableForm {
  TableInterpolation interpolation = TableInterpolation::monotone;
  Beyond beyond = Beyond::refused;
};
/// The form of the table of a load, a target or a road.
/// @param values_key  the key of its values
/// @param may_jump    whether "constant" is one of its words
TableForm read_table_form(const TomlTable& function, const char* values_key, std::span<const double> values,
                          bool may_jump);
/// The table of a drive, and its function.
struct DriveTable {
  TableSpec table;
  TimeFunctionPtr function;
};
/// @param unit  of its values, in m or rad
DriveTable read_drive_table(const TomlTable& function, double unit);

/// Joints over whose angles loads may be given, and the names of those with drives over which they are.
struct JointAngles {
  const std::vector<JointSpec>& joints;
  std::vector<std::string>& followed;
};

/// A function of time by its `type`; all its values are multiplied by `unit`.
TimeFunctionPtr read_time_function(const TomlTable& table, double unit = 1.0);

/// Refuses those of some keys that a table has.
void refuse_keys(const TomlTable& table, std::initializer_list<const char*> keys, const std::string& message);

/// Refuses a function of time, or a vector with one among its components, as the value of a key.
/// @throws InputError with the place of the key or component, and the message
void refuse_functions_of_time(const TomlTable& table, const std::string& key, const std::string& message);

/// A function of time, which over the angle of a driven joint is composed, too, or of the angle of a hinge that is free.
struct LoadFunction {
  TimeFunctionPtr function;
  std::optional<HingeAngle> over{};
};
/// A function of a load.
LoadFunction read_load_function(const TomlTable& table, const JointAngles& joints);

/// A component for each of some axes under a key, a number or a function of time; zeros, and all if the key
/// is absent, are left out.
void read_components(const TomlTable& table, const std::string& key, const std::vector<int>& axes,
                     std::array<TimeFunctionPtr, 3>& out);

/// A load on a surface as the file says it, before there is a mesh.
struct NamedSurfaceLoad {
  std::string name;
  std::size_t body = 0;  ///< index of the flexible body
  fem::SurfaceLoad load;
  LoadFunction amplitude;  ///< Pa or N
};
bool is_load_at_marker(const TomlTable& load);
/// Reads those of [loads.*] that act on surfaces; bodies and joints must have been read.
std::vector<NamedSurfaceLoad> read_surface_loads(const TomlTable& root, Problem& problem);
/// Adds the markers that they act on to the bodies, forces at them to the mechanism, and where attachment modes are wanted
/// one for each load. Meshes must have been made.
/// @param with_attachment_modes  names of bodies
void add_surface_loads(const std::vector<NamedSurfaceLoad>& loads,
                       const std::set<std::string>& with_attachment_modes, Problem& problem);

/// [integrator], [controls], [outputs], [objective], [sensitivity], [constraints], [design], [filter],
/// [projection], [optimizer], [stages], [output]
void read_options(const TomlTable& root, const std::filesystem::path& directory, Problem& problem);

/// The document that all cases share: without [cases.*] and [over_cases].
TomlDocument without_cases(const TomlDocument& document);

/// The problem of such a document.
/// @param same  as of read_bodies()
Problem read_case(TomlDocument document, const Problem* same = nullptr);

/// True for a frequency response with neither a harmonic load nor a harmonic drive.
bool lacks_excitation(const Problem& problem);

/// [cases.*] and [over_cases], when all else has been read: the problem of each case, the constraints of all
/// of them in place of those that they share, and attachment modes for the loads of all.
/// @param shared  without_cases() of the problem's document
void read_cases(const TomlDocument& shared, Problem& problem);

class CriteriaReader;
/// [stages.*], for which variables, constraints and optimizer must have been read.
void read_stages(const TomlTable& stages, const CriteriaReader& criteria, Problem& problem);
/// A list of names of constraints as their indices among ConstraintOptions::criteria.
std::vector<std::size_t> read_constraint_names(const TomlTable& table, const std::string& key,
                                               const Problem& problem);

/// The table's name, as that of a body, marker or joint: letters, digits, _ and -, and not `reserved`.
std::string read_name(const TomlTable& table, const std::string& reserved = "");

/// The one of `all` that a key names.
/// @param is_no  what is said of a name that none has: "is no joint"
/// @throws InputError naming the nearest spelling
template <class All>
auto& find_by_name(const TomlTable& table, const std::string& key, All& all, const std::string& is_no) {
  const std::string name = table.text(key);
  std::vector<std::string> known;
  for (auto& one : all) {
    if (one.name == name) return one;
    known.push_back(one.name);
  }
  table.refuse(key, is_no + spelling_advice(name, known, "\""));
}

/// A marker as "body.marker", or "body" for its reference frame.
MarkerRef read_marker_ref(const TomlTable& table, const std::string& key);

/// [points.*], before what stands at them.
void read_points(const TomlTable& root, SystemSpec& system);

/// [beams.*], for which points and bodies must have been read.
void read_beams(const TomlTable& root, Problem& problem);

/// A marker placed by position (m), or by a point, and rotation (rotation vector, rad).
/// @param frame  of its body at the start
/// @param use  what the marker is, which the point is told
SidNode read_placed_marker(const TomlTable& table, const Pose<double>& frame, const PointUse& use,
                           std::vector<NamedPoint>& points);

}  // namespace kurbel
