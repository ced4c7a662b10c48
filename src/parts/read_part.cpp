#include "parts/read_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/letters.hpp"
#include "parts/abaqus_reader.hpp"
#include "parts/brep_check.hpp"
#include "parts/gmsh_reader.hpp"
#include "parts/msh_check.hpp"
#include "parts/step_check.hpp"
#include "parts/vtu_mesh_reader.hpp"

namespace kurbel {

namespace {

constexpr std::array extensions = {".msh", ".geo", ".step", ".stp", ".brep", ".inp", ".stl", ".vtk", ".vtu"};

void require_known(const PartFile& part) {
  if (!is_part(part.path))
    throw InputError(fmt::format(
        "{}: a part is one of .msh, .geo, .step, .brep, .inp, .stl, .vtk, .vtu. "
        "Export a drawing as .step, a mesh as .inp or .stl. Gmsh makes a .msh of a .unv, .bdf or .mesh: "
        "`gmsh FILE -save -o PART.msh`",
        part.path.string()));
  std::error_code error;
  if (!std::filesystem::is_regular_file(part.path, error))
    throw InputError(fmt::format("{} does not exist, or is no file", part.path.string()));
  if (is_step(part.path) && part.unit)
    throw InputError(
        fmt::format("{}: a STEP file states its unit itself; leave `unit` out", part.path.string()));
}

MeshFile read_content(const PartFile& part) {
  const std::string file = part.path.string();
  const std::string extension = lower_case(part.path.extension().string());
  if (extension == ".inp" || extension == ".vtu" || extension == ".vtk") {
    if (part.size || part.order || !part.near.empty())
      throw InputError(
          fmt::format("{}: it is a mesh; `size`, `order` and `near` belong to a geometry", file));
    const double unit = part.unit.value_or(1.0);
    return extension == ".inp" ? read_abaqus(part.path, unit) : read_vtu_mesh(part.path, unit);
  }
  if (is_step(part.path)) check_step(read_text_file(part.path), file);
  if (is_brep(part.path)) check_brep(read_text_file(part.path), file);
  if (extension == ".msh") check_msh(read_text_file(part.path), file);
  try {
    return read_with_gmsh(part);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

bool is_part(const std::filesystem::path& path) {
  return std::ranges::find(extensions, lower_case(path.extension().string())) != extensions.end();
}

std::shared_ptr<const fem::Mesh> read_part(const PartFile& part, double thickness) {
  constexpr int per_turn = 12;  // quadratic elements around a hole: none of those that were tried folds
  require_known(part);
  const std::string file = part.path.string();
  PartFile round = part;
  round.least_per_turn = per_turn;
  const bool is_drawn = is_step(part.path) || is_brep(part.path);
  if (is_drawn && !part.size) return make_mesh(read_content(round), file, thickness);
  const MeshFile content = read_content(part);
  try {
    return make_mesh(content, file, thickness);
  } catch (const FoldedElement&) {
    if (!is_drawn && lower_case(part.path.extension().string()) != ".geo") throw;
  }
  return make_mesh(read_content(round), file, thickness);
}

}  // namespace kurbel
