#include "keys/other_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/letters.hpp"

namespace kurbel {

namespace {

enum class Use {
  part,
  converted,
  robot,
  other_robot,
  macros,
  results,
  foreign,
  data,
  page,
  packed,
  encoding,
  binary
};

/// Formats that other formats are made of, so that the ending of a name says more than the beginning of the text.
constexpr bool is_container(Use use) {
  return use == Use::results || use == Use::packed || use == Use::encoding;
}

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
      {"a mesh of VTK", Use::part, {"# vtk datafile"}, {".vtk"}},
      {"a mesh of VTK", Use::part, {"<vtkfile"}, {".vtu"}},
      {"a surface of triangles (STL)", Use::part, {"solid "}, {".stl"}},
      {"a geometry of Gmsh", Use::part, {}, {".geo"}},
      {"a geometry of OpenCASCADE", Use::part, {"dbrep_drawableshape", "cascade topology"}, {".brep"}},
      {"a universal file of I-DEAS", Use::converted, {"-1\n", "-1\r\n", "-1 \n"}, {".unv"}},
      {"a mesh of Nastran",
       Use::converted,
       {"sol ", "cend", "begin bulk", "grid,", "grid "},
       {".bdf", ".nas"}},
      {"a mesh of Medit", Use::converted, {"meshversionformatted"}, {".mesh"}},
      {"macros that make a robot", Use::macros, {}, {".xacro"}},
      {"a robot (URDF)", Use::robot, {"<robot"}, {".urdf"}},
      {"a robot or world of another program", Use::other_robot, {"<sdf", "<mujoco"}, {".sdf", ".mjcf"}},
      {"a drawing or mesh of another program",
       Use::foreign,
       {"ply\n", "mfem mesh", "/prep7", "/batch"},
       {".dxf", ".dwg", ".igs", ".iges", ".x_t", ".sldprt", ".prt", ".ipt", ".fcstd", ".3dm", ".3mf", ".obj",
        ".med", ".cgns", ".exo", ".e", ".cdb", ".ply"}},
      {"JSON", Use::data, {"{"}, {".json"}},
      {"YAML", Use::data, {"---\n", "%yaml"}, {".yaml", ".yml"}},
      {"a page of the web", Use::page, {"<!doctype html", "<html"}, {".html", ".htm"}},
      {"an HDF5 file", Use::results, {"\x89hdf"}, {".h5"}},
      {"a packed file", Use::packed, {"\x1f\x8b", "pk\x03\x04", "7z\xbc\xaf", "bzh", "\xfd\x37zxz"}, {}},
      {"text in UTF-16", Use::encoding, {"\xff\xfe", "\xfe\xff"}, {}},
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

std::string ending_of(const std::string& file) {
  return lower_case(std::filesystem::path(file).extension().string());
}

const Format* format_of(std::string_view text, const std::string& file) {
  static const Format binary = {"a binary file", Use::binary, {}, {}};
  const std::string head = beginning_of(text), ending = ending_of(file);
  const auto begins = [&](const Format& format) {
    return std::ranges::any_of(format.beginnings, [&](std::string_view b) { return head.starts_with(b); }) &&
           !(format.use == Use::robot && ending == ".xacro");
  };
  const auto find = [](const auto& fits) -> const Format* {
    const auto format = std::ranges::find_if(formats(), fits);
    return format == formats().end() ? nullptr : &*format;
  };
  if (const Format* one = find([&](const Format& f) { return !is_container(f.use) && begins(f); }))
    return one;
  if (const Format* one = find([&](const Format& f) { return std::ranges::count(f.endings, ending) > 0; }))
    return one;
  if (const Format* one = find(begins)) return one;
  return head.find('\0') == std::string::npos ? nullptr : &binary;
}

std::string advice_on_part(const Format& format, const std::string& file) {
  if (std::ranges::count(format.endings, ending_of(file)) == 0)
    return fmt::format("Its name has to end in {}; then `kurbel check` shows its size and its surfaces",
                       format.endings.front());
  return fmt::format(
      "Name it in a problem file, as the part of a body: mesh = {{ file = \"{}\" }}. "
      "`kurbel check {}` shows its size and its surfaces",
      std::filesystem::path(file).filename().string(), file);
}

/// Gmsh goes by the ending of a name.
std::string advice_on_conversion(const Format& format, const std::string& file) {
  std::filesystem::path from = file;
  if (std::ranges::count(format.endings, ending_of(file)) == 0)
    from.replace_extension(format.endings.front());
  return fmt::format("kurbel reads .msh, .inp, .vtk and .vtu; Gmsh makes one: {}`gmsh {} -save -o {}`",
                     from == file ? "" : fmt::format("name it {}, then ", from.filename().string()),
                     from.string(),
                     std::filesystem::path(from).replace_extension(".msh").filename().string());
}

std::string advice(const Format& format, const std::string& file) {
  switch (format.use) {
    case Use::part:
      return advice_on_part(format, file);
    case Use::converted:
      return advice_on_conversion(format, file);
    case Use::robot:
      return fmt::format("`kurbel import {}` makes a problem file of it", file);
    case Use::other_robot:
      return "`kurbel import` reads robots in URDF";
    case Use::macros:
      return "Expand it with `xacro`; `kurbel import` makes a problem file of the URDF";
    case Use::results:
      return fmt::format("`kurbel info {}` shows what it holds", file);
    case Use::foreign:
      return "Export a drawing as .step, a mesh as .inp or .stl; a problem file names it as mesh.file of a "
             "body";
    case Use::data:
    case Use::binary:
      return "`kurbel new` copies a problem file to start from";
    case Use::page:
      return "If it was downloaded, fetch the file itself in place of the page that shows it";
    case Use::packed:
      return "Unpack it first";
    case Use::encoding:
      return "Save it as UTF-8";
  }
  return "";
}

}  // namespace

std::string other_format(std::string_view text, const std::string& file) {
  const Format* format = format_of(text, file);
  if (!format) return "";
  return fmt::format("{}: this is {}, not a problem file (TOML). {}", file, format->what,
                     advice(*format, file));
}

}  // namespace kurbel
