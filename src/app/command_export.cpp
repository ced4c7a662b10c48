#include <fmt/format.h>

#include "app/body_shape.hpp"
#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "output/log.hpp"
#include "output/surface_writer.hpp"

namespace kurbel {

namespace {

/// A run as it ended: its problem at the densities and variables of its result.
Study study_of_run(const std::filesystem::path& folder) {
  const std::filesystem::path densities = folder / "final.vtu", variables = folder / "variables.csv";
  if (!std::filesystem::exists(densities)) {
    throw InputError(
        fmt::format("cannot export {}: there is no final.vtu, which an optimization of densities leaves "
                    "when it ends. Let it end, by --resume if it was interrupted",
                    folder.string()));
  }
  std::vector<std::string> overrides;
  if (std::filesystem::exists(variables))
    overrides.push_back(
        text_override("design.start_variables", std::filesystem::absolute(variables).string()));
  return Study(read_problem(document_of_run(folder, overrides)), Study::Variables::to_evaluate,
               densities.string());
}

void warn_of(const std::string& name, const Shape& shape, int pieces) {
  const SurfaceFaults faults = find_faults(shape.surface);
  if (!faults.is_closed()) {
    log_warning(fmt::format(
        "body {}: the surface is not that of a solid: {} open edges, {} of more than two triangles, "
        "{} where triangles are turned. Such edges arise where parts touch along a line",
        name, faults.open_edges, faults.crowded_edges, faults.turned_edges));
  }
  constexpr double much = 0.001;
  if (shape.lost > much * shape.volume)
    log_warning(fmt::format(
        "body {}: {:.2g} % of the solid is in members of one element, which the shape lacks. Raise "
        "filter.radius, or refine the mesh, and optimize again",
        name, 100.0 * shape.lost / shape.volume));
  if (shape.n_crumbs > 0)
    log_warning(
        fmt::format("body {}: {} that nothing holds {} left out", name,
                    shape.n_crumbs == 1 ? "a small piece" : fmt::format("{} small pieces", shape.n_crumbs),
                    shape.n_crumbs == 1 ? "is" : "are"));
  if (pieces > 1)
    log_warning(fmt::format("body {}: its shape consists of {} pieces that do not touch", name, pieces));
}

}  // namespace

int run_export(const CommandLine& args) {
  RunDirectory folder = RunDirectory::of_run(args.file, "export");
  require_usable_json(args, folder, {});
  Study study = study_of_run(folder.path());
  const FlexibleBodies& bodies = study.chain().bodies();
  const Design grey = study.space().at(study.space().start());
  const CutDesign cut = cut_to_solid_and_void(bodies, grey);
  if (cut.bodies.empty())
    throw InputError("no densities vary in this run, so that there is no shape to export");
  const double per_metre = args.unit == "mm" ? 1e3 : 1.0;

  const auto file_of = [&](const CutBody& body) {
    return folder.path() / (study.problem().bodies[body.body].name + ".stl");
  };
  for (const CutBody& body : cut.bodies) {
    if (!folder.may_replace(file_of(body)))
      throw InputError(
          fmt::format("{} was not written by kurbel; move it elsewhere", file_of(body).string()));
  }
  Report report = console_report();
  for (const CutBody& of_body : cut.bodies) {
    const fem::FlexibleBody& body = *bodies[of_body.body];
    const std::string& name = study.problem().bodies[of_body.body].name;
    const std::filesystem::path file = file_of(of_body);
    const fem::BodyDesign &of_grey = grey.bodies[of_body.body], &of_cut = cut.design.bodies[of_body.body];
    const Shape shape = make_shape(density_field(body, of_grey, of_cut), shape_options(body, of_cut));
    const int pieces = count_pieces(shape.surface);
    folder.claim(file);
    write_stl(file, shape.surface, per_metre);
    Report own = report.part("bodies", name);
    own.say("body {}: {:.6g} m^3 within {} at density {:.3g}; {}, lengths in {}", name,
            named("volume", shape.volume), Counted{"triangles", shape.surface.triangles.cols(), "triangle"},
            named("level", shape.level), file.string(), args.unit);
    own["pieces"] = pieces, own["crumbs"] = shape.n_crumbs, own["lost_volume"] = shape.lost;
    own["file"] = file.string();
    warn_of(name, shape, pieces);
  }
  write_json(args, report);
  return 0;
}

}  // namespace kurbel
