#include <fmt/format.h>

#include <cmath>

#include "app/body_shape.hpp"
#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/finished_run.hpp"
#include "app/fitted_mesh.hpp"
#include "app/scratch_folder.hpp"
#include "output/log.hpp"
#include "output/surface_writer.hpp"
#include "parts/abaqus_writer.hpp"
#include "shape/shape_step.hpp"

namespace kurbel {

namespace {

/// @throws InputError for a body that is not flat
void require_flat(const ShapesOfResult& shapes) {
  for (const CutBody& body : shapes.bodies()) {
    if (shapes.model(body).mesh().dim() == 2) continue;
    throw InputError(fmt::format(
        "--step: body {} is not flat, and a surface of triangles is not a solid of CAD; use --stl or --3mf",
        shapes.name(body)));
  }
}

/// @throws ShapeFailure with the name of the body
double write_step(const std::string& body, const std::string& file, double thickness, const Shape& shape) {
  const ScratchFolder scratch;
  try {
    return write_step(file, shape, thickness, scratch.path());
  } catch (const ShapeFailure& error) {
    throw ShapeFailure(
        fmt::format("--step: the shape of body {} is no solid of CAD: {}", body, error.what()));
  }
}

void export_step(const std::string& body, const std::string& file, double thickness, const Shape& shape,
                 Report& report) {
  constexpr double alike = 0.01;
  const double volume = write_step(body, file, thickness, shape);
  const double error = volume / shape.volume - 1.0;
  report.say("{}: a solid of CAD, lengths in mm; its volume is {:+.2g} % off the shape's",
             named("step_file", file), 100.0 * error);
  report["step_volume"] = volume;
  if (std::abs(error) > alike)
    log_warning(fmt::format(
        "{}: its splines do not follow the shape. Raise filter.radius, and optimize again", file));
}

/// The shapes of all bodies, before the first file is written.
/// @throws ShapeFailure  if one bounds no solid
std::vector<Shape> solid_shapes(const ShapesOfResult& shapes) {
  std::vector<Shape> all;
  for (const CutBody& body : shapes.bodies()) {
    all.push_back(shapes.make(body));
    if (const auto fault = fault_of(all.back()))
      throw ShapeFailure(fmt::format("body {}: {}", shapes.name(body), *fault));
  }
  return all;
}

}  // namespace

int run_export(const CommandLine& args) {
  ResultFolder folder(args);
  Study study = study_of_result(folder.run(), "export");
  const ShapesOfResult shapes(study);
  const LengthUnit unit = args.unit == "mm" ? LengthUnit::millimetre : LengthUnit::metre;
  if (args.threemf) require_3mf();
  if (args.step) require_flat(shapes);
  // Triangles unless something else alone is asked for.
  const bool triangles = args.stl || !(args.mesh || args.threemf || args.step);
  std::vector<std::filesystem::path> files;
  for (const CutBody& body : shapes.bodies()) {
    const std::string& name = shapes.name(body);
    if (triangles) files.push_back(folder.files() / (name + ".stl"));
    if (args.threemf) files.push_back(folder.files() / (name + ".3mf"));
    if (args.step) files.push_back(folder.files() / (name + ".step"));
    if (args.mesh) files.push_back(folder.files() / (name + ".inp"));
  }
  const std::vector<Shape> made = solid_shapes(shapes);
  folder.claim(files, study.problem());

  Report report = console_report(args);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const CutBody& body = shapes.bodies()[i];
    const Shape& shape = made[i];
    const std::string& name = shapes.name(body);
    const std::filesystem::path base = folder.files() / name;
    Report own = report.part("bodies", name);
    own.say("body {}: {:.6g} m^3 within {}", name, named("volume", shape.volume),
            Counted{"triangles", shape.surface.triangles.cols(), "triangle"});
    if (!shapes.model(body).spec().surface)
      own.say("body {}: its surface is where the density is {:.3g}", name, named("level", shape.level));
    own["pieces"] = count_pieces(shape.surface), own["crumbs"] = shape.n_crumbs,
    own["lost_volume"] = shape.lost;
    if (triangles) {
      const std::string file = base.string() + ".stl";
      write_stl(file, shape.surface, per_metre(unit));
      own.say("{}: triangles, lengths in {}", named("file", file), args.unit);
    }
    if (args.threemf) {
      const std::string file = base.string() + ".3mf";
      write_3mf(file, shape.surface, name, unit);
      own.say("{}: triangles, lengths in {}", named("threemf_file", file), args.unit);
    }
    if (args.step) export_step(name, base.string() + ".step", shapes.thickness(body), shape, own);
    if (args.mesh) {
      const auto mesh = fitted_mesh(shapes.model(body), shape, shapes.thickness(body));
      const std::string file = base.string() + ".inp";
      write_abaqus(file, *mesh, fmt::format("Body {} of {}", name, study.problem().title), per_metre(unit));
      own.say("{}: {} and {}, lengths in {}", named("mesh_file", file),
              Counted{"nodes", mesh->n_nodes(), "node"}, Counted{"elements", mesh->n_elements(), "element"},
              args.unit);
    }
    warn_of(name, shape);
  }
  write_json(args, report);
  return 0;
}

}  // namespace kurbel
