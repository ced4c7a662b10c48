#include "output/file_info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "output/run_file.hpp"
#include "sid/augmented_sid.hpp"
#include "sid/sid_file.hpp"
#include "sid/sid_info.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

std::string describe_origin(const std::filesystem::path& path, const FileHeader& header) {
  std::string text = fmt::format("{}: {} file, kurbel {}\n", path.string(),
                                 header.content == "run" ? "run" : "SID", header.version);
  if (!header.title.empty()) text += fmt::format("  title               {}\n", header.title);
  if (!header.command.empty()) text += fmt::format("  command             {}\n", header.command);
  if (!header.input_name.empty()) {
    const auto lines = std::count(header.input_text.begin(), header.input_text.end(), '\n');
    text +=
        fmt::format("  input               {} ({} lines, kept as input/text)\n", header.input_name, lines);
  }
  if (!header.overrides.empty())
    text += fmt::format("  overrides           {}\n", fmt::join(header.overrides, "; "));
  return text;
}

std::string describe_history(const RunReader& run) {
  const MatrixXd history = run.history();
  if (history.rows() == 0) return {};
  const std::vector<std::string> columns = run.history_columns();
  const Index last = history.rows() - 1;
  std::string text = fmt::format("  iterations          {}\n", history(last, 0));
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const Index column = static_cast<Index>(c);
    text += fmt::format("  {:<19} {:.9g} (first {:.9g})\n", columns[c], history(last, column),
                        history(0, column));
  }
  return text;
}

std::string describe_run(const RunReader& run) {
  std::string text = fmt::format("  status              {}\n", run.status());
  text += describe_history(run);
  text += fmt::format("  evaluations kept    {}\n", run.n_evaluations());
  if (run.has_trajectory()) {
    const BodyTrajectories t = run.trajectory();
    if (t.times.size() > 0) {
      text += fmt::format(
          "  trajectory          {} instants, {:.6g} s to {:.6g} s, {} bodies, {} multipliers\n",
          t.times.size(), t.times[0], t.times[t.times.size() - 1], t.bodies.size(), t.multipliers.rows());
    }
  }
  for (const std::string& body : run.density_bodies()) {
    const std::vector<int> iterations = run.density_iterations(body);
    if (iterations.empty()) continue;
    const VectorXd density = run.density(body, static_cast<Index>(iterations.size()) - 1);
    if (density.size() == 0) continue;
    text += fmt::format("  densities of {}: {} elements, {} iterations up to {}, mean of the last {:.6g}\n",
                        body, density.size(), iterations.size(), iterations.back(), density.mean());
  }
  return text;
}

std::string describe_derivatives(const Hdf5File& file, const std::string& body) {
  const std::string group = "bodies/" + body;
  const std::vector<std::string> dropped = file.texts_attribute(group, "dropped");
  return fmt::format("  derivatives by      {} design variables ({}); left out: {}\n",
                     file.integer_attribute(group + "/refmod/mass", "nd"),
                     file.text_attribute(group, "design_variables"),
                     dropped.empty() ? "none" : fmt::format("{}", fmt::join(dropped, ", ")));
}

}  // namespace

std::string describe_file(const std::filesystem::path& path) {
  if (sid_form(path) == SidForm::text) {
    std::string text = fmt::format("{}: SID text\n", path.string());
    for (const NamedSid& body : read_sid_file(path))
      text += describe_sid(body.name, body.sid, body.precision);
    return text;
  }
  const Hdf5File file = Hdf5File::open(path);
  const FileHeader header = read_file_header(file);
  std::string text = describe_origin(path, header);
  if (header.content == "run") text += describe_run(RunReader(path));
  for (const std::string& body : sid_names(file)) {
    text += describe_sid(body, read_sid(file, body));
    if (is_augmented(file, body)) text += describe_derivatives(file, body);
  }
  return text;
}

}  // namespace kurbel
