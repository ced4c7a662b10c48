#include "app/info_numbers.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "output/run_file.hpp"
#include "sid/sid_file.hpp"
#include "sid/sid_info.hpp"

namespace kurbel {
namespace {

using nlohmann::json;

std::vector<double> list(const VectorXd& v) {
  return {v.data(), v.data() + v.size()};
}

json numbers_of(const SidIdentity& identity) {
  return {{"violation", identity.violation}, {"tolerance", identity.tolerance}, {"holds", identity.holds()}};
}

json numbers_of(const NamedSid& body) {
  const Sid& sid = body.sid;
  const RigidProperties rigid = rigid_properties(sid);
  json out{{"mass", rigid.mass},
           {"centre_of_mass", list(rigid.centre_of_mass)},
           {"principal_moments", list(rigid.principal)},
           {"elastic_coordinates", sid.refmod.ielastq}};
  for (int i = 0; i < 3; ++i) out["inertia"].push_back(list(rigid.inertia.row(i).transpose()));
  if (sid.n_q() > 0) {
    out["frequencies"] = list(natural_frequencies(sid));
    out["modal_masses"] = list(sid.Me.M0.diagonal());
    out["mean_axes"] = frame_conditions(sid).mean_axes;
  }
  out["markers"] = json::object();
  for (const SidNode& node : sid.frame) out["markers"][node.name] = list(node.origin.M0);
  for (const SidIdentity& identity : sid_identities(sid, body.precision))
    out["identities"][identity.name] = numbers_of(identity);
  const MassDefiniteness mass = mass_definiteness(sid, body.precision);
  out["mass_matrix"] = {{"smallest_eigenvalue", mass.smallest}, {"indefinite", mass.indefinite()}};
  return out;
}

json numbers_of(const RunReader& run) {
  json out{{"status", run.status()}, {"evaluations", run.n_evaluations()}};
  const MatrixXd history = run.history();
  const std::vector<std::string> columns = run.history_columns();
  for (std::size_t c = 0; c < columns.size() && history.rows() > 0; ++c)
    out["history"][columns[c]] = history(history.rows() - 1, static_cast<Eigen::Index>(c));
  if (run.has_trajectory()) out["instants"] = run.trajectory().times.size();
  return out;
}

}  // namespace

nlohmann::json info_numbers(const std::filesystem::path& path) {
  json out{{"file", path.string()}, {"bodies", json::object()}};
  std::vector<NamedSid> bodies;
  if (sid_form(path) == SidForm::text) {
    out["content"] = "SID text";
    bodies = read_sid_file(path);
  } else {
    const Hdf5File file = Hdf5File::open(path);
    const FileHeader header = read_file_header(file);
    out["content"] = header.content;
    out["version"] = header.version;
    out["title"] = header.title;
    if (header.content == "run") out["run"] = numbers_of(RunReader(path));
    for (const std::string& name : sid_names(file)) bodies.push_back({name, read_sid(file, name)});
  }
  for (const NamedSid& body : bodies) out["bodies"][body.name] = numbers_of(body);
  return out;
}

}  // namespace kurbel
