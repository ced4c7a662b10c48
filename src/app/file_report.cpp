#include "app/file_report.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "input/sid_file.hpp"
#include "output/run_file.hpp"
#include "sid/sid_info.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

NamedVector named_vector(const char* name, const VectorXd& v) {
  return {name, {v.begin(), v.end()}};
}

void report_origin(const std::filesystem::path& path, const FileHeader& header, Report& report) {
  report.say("{}: {} file, kurbel {}", path.string(), header.content == "run" ? "run" : "SID",
             named("version", header.version));
  report["content"] = header.content, report["title"] = header.title;
  if (!header.title.empty()) report.say("  title               {}", header.title);
  if (!header.command.empty()) report.say("  command             {}", header.command);
  if (!header.input_name.empty())
    report.say("  input               {} ({} lines, kept as input/text)", header.input_name,
               std::ranges::count(header.input_text, '\n'));
  if (!header.overrides.empty()) report.say("  overrides           {}", fmt::join(header.overrides, "; "));
}

void report_history(const RunReader& run, Report& own) {
  const MatrixXd history = run.history();
  if (history.rows() == 0) return;
  const std::vector<std::string> columns = run.history_columns();
  const Index last = history.rows() - 1;
  Report values = own.part("history");
  values.say("  iterations          {}", named(columns[0].c_str(), history(last, 0)));
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const auto column = static_cast<Index>(c);
    values.say("  {:<19} {:.9g} (first {:.9g})", columns[c], named(columns[c].c_str(), history(last, column)),
               history(0, column));
  }
}

void report_trajectory(const BodyTrajectories& t, Report& own) {
  own["instants"] = t.times.size();
  if (t.times.size() == 0) return;
  own.say("  trajectory          {} instants, {:.6g} s to {:.6g} s, {} bodies, {} multipliers",
          t.times.size(), t.times[0], t.times[t.times.size() - 1], t.bodies.size(), t.multipliers.rows());
}

void report_run(const RunReader& run, Report own) {
  own.say("  status              {}", named("status", run.status()));
  report_history(run, own);
  own.say("  evaluations kept    {}", named("evaluations", run.n_evaluations()));
  if (run.has_trajectory()) report_trajectory(run.trajectory(), own);
  for (const std::string& body : run.density_bodies()) {
    const std::vector<int> iterations = run.density_iterations(body);
    if (iterations.empty()) continue;
    const VectorXd density = run.density(body, static_cast<Index>(iterations.size()) - 1);
    if (density.size() == 0) continue;
    own.say("  densities of {}: {} elements, {} iterations up to {}, mean of the last {:.6g}", body,
            density.size(), iterations.size(), iterations.back(), density.mean());
  }
}

void report_derivatives(const Hdf5File& file, const std::string& body, const Report& own) {
  const std::string group = "bodies/" + body;
  const std::vector<std::string> dropped = file.texts_attribute(group, "dropped");
  own.line(fmt::format("  derivatives by      {} design variables ({}); left out: {}",
                       file.integer_attribute(group + "/refmod/mass", "nd"),
                       file.text_attribute(group, "design_variables"),
                       dropped.empty() ? "none" : fmt::format("{}", fmt::join(dropped, ", "))));
}

void report_rigid(const RigidProperties& p, Report& own) {
  own.say("  mass                {:.9g} kg", named("mass", p.mass));
  own.say("  centre of mass      {} m", named_vector("centre_of_mass", p.centre_of_mass));
  for (Index i = 0; i < 3; ++i)
    own["inertia"].push_back(named_vector("", p.inertia.row(i).transpose()).values);
  own.say("  inertia about it    xx yy zz {}, xy yz xz {} kg m^2", named_vector("", p.inertia.diagonal()),
          named_vector("", Vector3d(p.inertia(0, 1), p.inertia(1, 2), p.inertia(0, 2))));
  own.say("  principal moments   {} kg m^2", named_vector("principal_moments", p.principal));
}

void report_elastic(const Sid& sid, Report& own) {
  own["elastic_coordinates"] = sid.refmod.ielastq;
  own.say("  elastic coordinates {}", sid.n_q());
  if (sid.n_q() == 0) return;
  const bool mean_axes = frame_conditions(sid).mean_axes;
  own["mean_axes"] = mean_axes;
  const NamedVector frequencies = named_vector("frequencies", natural_frequencies(sid)),
                    masses = named_vector("modal_masses", sid.Me.M0.diagonal());
  own["frequencies"] = frequencies.values, own["modal_masses"] = masses.values;
  if (frequencies.values.empty()) {
    own.line("  frequencies         none: Me is not positive definite");
    return;
  }
  own.say("  frequencies, {}:", mean_axes ? "free in space" : "held at the reference frame");
  for (std::size_t i = 0; i < frequencies.values.size(); ++i)
    own.say("    {:>3}  {:.6g} Hz", i + 1, frequencies.values[i]);
  own.say("  modal masses        {}", masses);
  own.say("  coordinates         {}", fmt::join(sid.refmod.ielastq, ", "));
}

void report_frame(const Sid& sid, Report& own) {
  const FrameConditions conditions = frame_conditions(sid);
  if (!conditions.rframes.empty()) own.say("  reference frame     {}", fmt::join(conditions.rframes, ", "));
  if (sid.n_q() == 0) return;
  own.say("  boundary conditions {}", conditions.mean_axes
                                          ? "free shapes in a mean-axis frame: Ct and Cr vanish"
                                          : "shapes held in the frame: Ct or Cr does not vanish");
  if (!conditions.clamped.empty()) own.say("    clamped markers   {}", fmt::join(conditions.clamped, ", "));
  if (!conditions.pinned.empty()) own.say("    pinned markers    {}", fmt::join(conditions.pinned, ", "));
}

void report_checks(const NamedSid& body, Report& own) {
  own.line("  checks");
  for (const SidIdentity& identity : sid_identities(body.sid, body.precision)) {
    own.say("    {:<36} {} ({:.1e})", identity.name, identity.holds() ? "holds" : "VIOLATED",
            identity.violation);
    own["identities"][identity.name] = {
        {"violation", identity.violation}, {"tolerance", identity.tolerance}, {"holds", identity.holds()}};
  }
  const MassDefiniteness mass = mass_definiteness(body.sid, body.precision);
  own["mass_matrix"]["indefinite"] = mass.indefinite();
  own.part("mass_matrix")
      .say("    {:<36} {} (smallest eigenvalue {:.3g}, diagonal scaled to 1)", "mass matrix",
           mass.indefinite() ? "INDEFINITE" : "not indefinite", named("smallest_eigenvalue", mass.smallest));
}

}  // namespace

void report_sid(const NamedSid& body, Report& own) {
  const Sid& sid = body.sid;
  own.say("body {} ({})", body.name, sid.n_q() > 0 ? "flexible" : "rigid");
  report_rigid(rigid_properties(sid), own);
  report_elastic(sid, own);
  report_frame(sid, own);
  own.say("  markers             {}", sid.frame.empty() ? "none" : "");
  own["markers"] = nlohmann::json::object();
  for (const SidNode& node : sid.frame)
    own.part("markers").say("    {:<16} at {} m", node.name, named_vector(node.name.c_str(), node.origin.M0));
  report_checks(body, own);
}

void report_file(const std::filesystem::path& path, Report& report) {
  report["file"] = path.string();
  report["bodies"] = nlohmann::json::object();
  const auto add = [&](const NamedSid& body) {
    Report own = report.part("bodies", body.name);
    report_sid(body, own);
    return own;
  };
  if (sid_form(path) == SidForm::text) {
    report.say("{}: {}", path.string(), named("content", "SID text"));
    for (const NamedSid& body : read_sid_file(path)) add(body);
    return;
  }
  const Hdf5File file = Hdf5File::open(path);
  const FileHeader header = read_file_header(file);
  report_origin(path, header, report);
  if (header.content == "run") report_run(RunReader(path), report.part("run"));
  for (const std::string& name : sid_names(file)) {
    const Report own = add({name, read_sid(file, name)});
    if (is_augmented(file, name)) report_derivatives(file, name, own);
  }
}

}  // namespace kurbel
