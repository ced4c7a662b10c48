#include "keys/other_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/letters.hpp"

namespace kurbel {

namespace {

enum class Use { part, robot, macros, results, foreign };

struct Format {
  const char* what;
  Use use;
  std::vector<std::string_view> beginnings;  ///< of the text behind spaces, in small letters
  std::vector<std::string_view> endings;     ///< of the name, in small letters
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {"a geometry of STEP", Use::part, {"iso-10303-21"}, {".step", ".stp"}},
      {"a mesh of Gmsh", Use::part, {"$meshformat"}, {".msh"}},
      {"a mesh of Abaqus", Use::part, {"*heading", "*node"}, {".inp"}},
      {"a mesh of VTK", Use::part, {"# vtk datafile", "<vtkfile"}, {".vtk", ".vtu"}},
      {"a surface of triangles (STL)", Use::part, {"solid "}, {".stl"}},
      {"a geometry of Gmsh", Use::part, {}, {".geo"}},
      {"a geometry of OpenCASCADE", Use::part, {"dbrep_drawableshape", "cascade topology"}, {".brep"}},
      {"macros that make a robot", Use::macros, {}, {".xacro"}},
      {"a robot (URDF)", Use::robot, {"<robot"}, {".urdf"}},
      {"an HDF5 file", Use::results, {"\x89hdf"}, {".h5"}},
      {"a drawing or mesh of another program",
       Use::foreign,
       {},
       {".dxf", ".dwg", ".igs", ".iges", ".x_t", ".sldprt", ".prt", ".ipt", ".fcstd", ".3dm", ".3mf", ".obj",
        ".ply", ".bdf", ".nas"}},
  };
  return all;
}

/// The beginning of a text in small letters, without spaces and the declaration and comments of XML before it.
std::string beginning_of(std::string_view text) {
  constexpr std::size_t enough = 4096;
  std::string head = lower_case(text.substr(0, enough));
  const auto skip = [&head](std::string_view from, std::string_view to) {
    const std::size_t end = head.find(to);
    if (!head.starts_with(from) || end == std::string::npos) return false;
    head.erase(0, end + to.size());
    return true;
  };
  do {
    head.erase(0, std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  } while (skip("<?xml", "?>") || skip("<!--", "-->"));
  return head;
}

const Format* format_of(std::string_view text, const std::string& file) {
  const std::string head = beginning_of(text);
  const std::string ending = lower_case(std::filesystem::path(file).extension().string());
  for (const Format& format : formats())
    if (std::ranges::any_of(format.beginnings, [&](std::string_view b) { return head.starts_with(b); }) &&
        !(format.use == Use::robot && ending == ".xacro"))
      return &format;
  for (const Format& format : formats())
    if (std::ranges::find(format.endings, ending) != format.endings.end()) return &format;
  return nullptr;
}

std::string advice(Use use, const std::string& file) {
  switch (use) {
    case Use::part:
      return fmt::format(
          "Name it in a problem file, as the part of a body: mesh = {{ file = \"{}\" }}. "
          "`kurbel check {}` shows its size and its surfaces",
          std::filesystem::path(file).filename().string(), file);
    case Use::robot:
      return fmt::format("`kurbel import {}` makes a problem file of it", file);
    case Use::macros:
      return "Expand it with `xacro`; `kurbel import` makes a problem file of the URDF";
    case Use::results:
      return fmt::format("`kurbel info {}` shows what it holds", file);
    case Use::foreign:
      return "Export a drawing as .step, a mesh as .inp or .stl; a problem file names it as mesh.file of a "
             "body";
  }
  return "";
}

}  // namespace

std::string other_format(std::string_view text, const std::string& file) {
  const Format* format = format_of(text, file);
  if (!format) return "";
  return fmt::format("{}: this is {}, not a problem file (TOML). {}", file, format->what,
                     advice(format->use, file));
}

}  // namespace kurbel
