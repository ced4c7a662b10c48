#include "output/run_file.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "sid/sid_hdf5.hpp"

namespace kurbel {
namespace fs = std::filesystem;

namespace {

using Eigen::Index;

void require_run_file(const FileHeader& header, const fs::path& path) {
  if (header.content != "run") throw InputError(fmt::format("{}: not a run file", path.string()));
}

/// The only number of a row.
double number_in(const Hdf5File& file, const std::string& table, Index row) {
  const VectorXd values = file.read_row(table, row);
  if (values.size() < 1) throw file.error(table, "has no columns");
  return values[0];
}

/// Removes the rows of `tables` from the first on whose number in `iterations` is not below `iteration`.
void drop_from(Hdf5File& file, const std::string& iterations, const std::vector<std::string>& tables,
               int iteration) {
  Index keep = file.n_rows(iterations);
  while (keep > 0 && number_in(file, iterations, keep - 1) >= iteration) --keep;
  for (const std::string& table : tables) file.keep_rows(table, keep);
}

void write_trajectory(Hdf5File& file, const BodyTrajectories& t) {
  file.remove("trajectory");
  file.make_group("trajectory");
  file.write_vector("trajectory/time", t.times);
  file.set_attribute("trajectory/time", "unit", std::string("s"));
  file.make_group("trajectory/bodies");
  for (const BodyTrajectories::Body& body : t.bodies) {
    const std::string group = "trajectory/bodies/" + body.name + "/";
    const auto write = [&](const char* name, const MatrixXd& values, const char* columns) {
      file.write_matrix(group + name, values.transpose());
      file.set_attribute(group + name, "columns", std::string(columns));
    };
    write("pose", body.pose, "r (inertial frame, m), quaternion (w, x, y, z), q");
    write("velocity", body.velocity, "v, omega (body's frame, m/s, rad/s), q_dot");
    write("acceleration", body.acceleration, "time derivatives of velocity");
  }
  file.write_matrix("trajectory/multipliers", t.multipliers.transpose());
  file.set_attribute("trajectory/multipliers", "columns", t.multiplier_names);
}

const std::array<const char*, 8> evaluation_tables = {
    "design",    "objective", "gradient",   "constraints", "constraint_gradients",
    "steepness", "stage",     "diagnostics"};

void drop_evaluations(Hdf5File& file, Index first) {
  const Index last = file.n_rows("evaluations/design");
  for (Index row = first; row < last; ++row) file.remove(fmt::format("evaluations/failures/{}", row));
  for (const char* name : evaluation_tables) file.keep_rows(fmt::format("evaluations/{}", name), first);
}

void write_evaluation(Hdf5File& file, const RunEvaluation& e) {
  const Index row = file.n_rows("evaluations/design");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto append = [&](const char* name, const VectorXd& values) {
    const std::string table = fmt::format("evaluations/{}", name);
    if (values.size() == 0) return;
    while (file.n_rows(table) < row) file.append_row(table, VectorXd::Constant(values.size(), nan));
    file.append_row(table, values);
  };
  append("design", e.design);
  append("steepness", VectorXd::Constant(1, e.steepness));
  append("stage", VectorXd::Constant(1, e.stage));
  if (!e.failure.empty()) {
    file.write_text(fmt::format("evaluations/failures/{}", row), e.failure);
    return;
  }
  append("objective", VectorXd::Constant(1, e.objective));
  append("gradient", e.gradient);
  append("constraints", e.constraints);
  append("diagnostics", e.diagnostics);
  const MatrixXd by_columns = e.constraint_gradients.transpose();
  append("constraint_gradients", Eigen::Map<const VectorXd>(by_columns.data(), by_columns.size()));
}

}  // namespace

RunFile RunFile::create(const fs::path& path, FileHeader header) {
  RunFile run(Hdf5File::create(path));
  header.content = "run";
  write_file_header(run.file_, header);
  run.set_status("running");
  return run;
}

RunFile RunFile::resume(const RunReader& earlier) {
  RunFile run = create(earlier.path(), earlier.header());
  run.set_provenance(earlier.provenance());
  for (Index i = 0; i < earlier.n_evaluations(); ++i) write_evaluation(run.file_, earlier.evaluation(i));
  return run;
}

void RunFile::set_status(const std::string& status) {
  file_.set_attribute("/", "status", status);
}

void RunFile::set_sid(const std::string& body, const Sid& sid) {
  write_sid(file_, body, sid);
}

void RunFile::set_trajectory(const BodyTrajectories& trajectory) {
  write_trajectory(file_, trajectory);
}

void RunFile::add_density(const std::string& body, int iteration, const VectorXd& density) {
  const std::string iterations = fmt::format("densities/{}/iteration", body);
  const std::string densities = fmt::format("densities/{}/density", body);
  drop_from(file_, iterations, {iterations, densities}, iteration);
  file_.append_row(iterations, VectorXd::Constant(1, iteration));
  file_.append_row(densities, density);
}

void RunFile::add_history(int iteration, const std::vector<std::string>& columns,
                          const std::vector<double>& values) {
  VectorXd row(static_cast<Index>(values.size()) + 1);
  row << iteration, Eigen::Map<const VectorXd>(values.data(), row.size() - 1);
  drop_from(file_, "history", {"history"}, iteration);
  file_.append_row("history", row);
  if (file_.has_attribute("history", "columns")) return;
  std::vector<std::string> names = {"iteration"};
  names.insert(names.end(), columns.begin(), columns.end());
  file_.set_attribute("history", "columns", names);
}

void RunFile::set_provenance(const std::vector<ProvenancePart>& parts) {
  std::vector<std::string> names, values;
  for (const ProvenancePart& part : parts) {
    names.push_back(part.name);
    values.push_back(part.value);
  }
  file_.write_texts("provenance/names", names);
  file_.write_texts("provenance/values", values);
}

void RunFile::add_evaluation(Index number, const RunEvaluation& evaluation) {
  drop_evaluations(file_, number);
  write_evaluation(file_, evaluation);
}

void RunFile::checkpoint() {
  const Clock::time_point begin = Clock::now();
  file_.commit();
  last_checkpoint_ = Clock::now();
  checkpoint_cost_ = *last_checkpoint_ - begin;
}

void RunFile::checkpoint_if_due() {
  if (!last_checkpoint_ || Clock::now() - *last_checkpoint_ >= 50 * checkpoint_cost_) checkpoint();
}

RunReader::RunReader(const fs::path& path) : file_(Hdf5File::open(path)), header_(read_file_header(file_)) {
  require_run_file(header_, path);
}

std::string RunReader::status() const {
  return file_.text_attribute("/", "status");
}

std::vector<std::string> RunReader::sid_bodies() const {
  return sid_names(file_);
}

Sid RunReader::sid(const std::string& body) const {
  return read_sid(file_, body);
}

bool RunReader::has_trajectory() const {
  return file_.has("trajectory");
}

BodyTrajectories RunReader::trajectory() const {
  BodyTrajectories t;
  t.times = file_.read_vector("trajectory/time");
  const auto read = [&](const std::string& name) {
    MatrixXd values = file_.read_matrix("trajectory/" + name).transpose();
    if (values.cols() != t.times.size()) {
      throw file_.error("trajectory/" + name,
                        fmt::format("has {} instants; expected {}", values.cols(), t.times.size()));
    }
    return values;
  };
  for (const std::string& name : file_.members("trajectory/bodies")) {
    const std::string group = "bodies/" + name + "/";
    t.bodies.push_back({name, read(group + "pose"), read(group + "velocity"), read(group + "acceleration")});
  }
  t.multipliers = read("multipliers");
  t.multiplier_names = file_.texts_attribute("trajectory/multipliers", "columns");
  return t;
}

std::vector<std::string> RunReader::density_bodies() const {
  return file_.has("densities") ? file_.members("densities") : std::vector<std::string>();
}

std::vector<int> RunReader::density_iterations(const std::string& body) const {
  const std::string table = fmt::format("densities/{}/iteration", body);
  const MatrixXd column = file_.read_matrix(table);
  std::vector<int> iterations;
  for (Index i = 0; i < column.rows(); ++i) {
    const double iteration = column.cols() == 1 ? column(i, 0) : -1.0;
    if (!(iteration >= 0.0 && iteration <= 1e9))
      throw file_.error(table, "does not hold iterations, the file is damaged");
    iterations.push_back(static_cast<int>(iteration));
  }
  return iterations;
}

VectorXd RunReader::density(const std::string& body, Index row) const {
  return file_.read_row(fmt::format("densities/{}/density", body), row);
}

std::vector<std::string> RunReader::history_columns() const {
  return file_.has("history") ? file_.texts_attribute("history", "columns") : std::vector<std::string>();
}

MatrixXd RunReader::history() const {
  if (!file_.has("history")) return {};
  MatrixXd history = file_.read_matrix("history");
  const std::size_t n_columns = history_columns().size();
  if (n_columns == 0 || history.cols() != static_cast<Index>(n_columns)) {
    throw file_.error("history",
                      fmt::format("has {} columns and {} names of columns", history.cols(), n_columns));
  }
  return history;
}

std::vector<ProvenancePart> RunReader::provenance() const {
  if (!file_.has("provenance")) return {};
  const std::vector<std::string> names = file_.read_texts("provenance/names");
  const std::vector<std::string> values = file_.read_texts("provenance/values");
  if (values.size() != names.size()) {
    throw file_.error("provenance/values",
                      fmt::format("holds {} texts; expected {}", values.size(), names.size()));
  }
  std::vector<ProvenancePart> parts;
  for (std::size_t i = 0; i < names.size(); ++i) parts.push_back({names[i], values[i]});
  return parts;
}

Index RunReader::n_evaluations() const {
  return file_.n_rows("evaluations/design");
}

RunEvaluation RunReader::evaluation(Index row) const {
  const auto read = [&](const char* name) {
    const std::string table = fmt::format("evaluations/{}", name);
    return file_.has(table) ? file_.read_row(table, row) : VectorXd();
  };
  RunEvaluation e;
  e.design = file_.read_row("evaluations/design", row);
  e.steepness = file_.read_row("evaluations/steepness", row)[0];
  if (file_.has("evaluations/stage")) e.stage = static_cast<int>(number_in(file_, "evaluations/stage", row));
  const std::string failure = fmt::format("evaluations/failures/{}", row);
  if (file_.has(failure)) {
    e.failure = file_.read_text(failure);
    return e;
  }
  e.objective = number_in(file_, "evaluations/objective", row);
  e.gradient = read("gradient");
  e.constraints = read("constraints");
  e.diagnostics = read("diagnostics");
  const VectorXd by_columns = read("constraint_gradients");
  const Index m = e.constraints.size(), n = e.design.size();
  if (by_columns.size() != m * n) {
    throw file_.error("evaluations/constraint_gradients",
                      fmt::format("has {} columns; expected {}", by_columns.size(), m * n));
  }
  e.constraint_gradients = Eigen::Map<const MatrixXd>(by_columns.data(), n, m).transpose();
  return e;
}

}  // namespace kurbel
