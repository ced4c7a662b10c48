/// Every optimizer on every input with densities, from three starts: the best feasible objective, the evaluations
/// until within 1 % of the best of all optimizers, failures; and the performance profile of [E. Dolan, J. More, Math.
/// Program. 91 (2002) 201]: the share of the problems that an optimizer brings within 1 % of the best known objective
/// with at most tau times the evaluations of the fastest. The densities are not projected: the steps of a continuation
/// have different objectives.
///
/// Usage: optimizer_benchmark [FOLDER [SECONDS [INPUT...]]]
///        FOLDER takes runs, results.csv and profile.png; SECONDS is the limit of each run (60).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "base/files.hpp"
#include "output/line_plot.hpp"
#include "tests/app/csv_table.hpp"
#include "tests/app/run_program.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

constexpr double close = 0.01;         // of the best known objective
constexpr double feasibility = 1e-4;   // largest violation that counts as none here
constexpr double largest_ratio = 8.0;  // of evaluations, in the profile
const std::vector<std::string> methods = {"mma", "gcmma", "nlopt-mma", "ccsa", "ipopt", "oc"};
const std::vector<std::string> default_inputs = {
    "flexible_crank_small", "crank_two_speeds", "flexible_crank_accurate",
    "stress_crank",         "four_bar",         "spatial_slider_crank",
    "double_pendulum",      "leaf_arm"};

struct Start {
  std::string name, override_text;
};
const std::vector<Start> starts = {
    {"shipped", ""}, {"light", "design.start=0.3"}, {"full", "design.start=1.0"}};

struct Result {
  bool refused = false;  ///< the optimizer cannot treat the problem
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, double>> progress;  ///< evaluations, least feasible objective so far
};

Result read_result(const std::filesystem::path& folder) {
  const test::CsvTable history(folder / "history.csv");
  const VectorXd objective = history.column("objective"), violation = history.column("violation"),
                 evaluations = history.column("evaluations");
  Result result;
  for (Eigen::Index i = 0; i < objective.size(); ++i) {
    if (violation[i] > feasibility) continue;
    result.best = std::min(result.best, objective[i]);
    result.progress.emplace_back(evaluations[i], result.best);
  }
  return result;
}

Result run(const std::filesystem::path& folder, const std::string& input, const std::string& method,
           const Start& start, const std::string& seconds) {
  std::string command = "optimize " + test::input(input + ".toml") + " --quiet --overwrite --output " +
                        folder.string() + " --set optimizer.method=" + method +
                        " --set optimizer.stop.wall_time=" + seconds +
                        " --set projection.type=none --set projection.robust=0" +
                        " --set output.motion=false --set output.picture=false --set output.every=0";
  if (!start.override_text.empty()) command += " --set " + start.override_text;
  const test::Outcome outcome = test::run(command);
  Result result;
  result.refused = outcome.exit_code == 2;
  if (std::filesystem::exists(folder / "history.csv")) result = read_result(folder);
  return result;
}

/// Evaluations until within 1 % of `best`; infinite if never.
double evaluations_to(const Result& result, double best) {
  for (const auto& [evaluations, objective] : result.progress)
    if (objective <= best + close * std::abs(best)) return evaluations;
  return std::numeric_limits<double>::infinity();
}

using Results = std::map<std::string, Result>;  ///< by method

void write_profile(const std::filesystem::path& path, const std::vector<Results>& problems) {
  LinePlot plot;
  plot.time_axis = "tau: evaluations over those of the fastest";
  plot.panels.push_back(
      {"Share of the problems brought within 1 % of the best known objective", "share", {}, {}});
  for (const std::string& method : methods) {
    PlotCurve curve{method, VectorXd::LinSpaced(100, 1.0, largest_ratio), VectorXd::Zero(100), {}, {}};
    for (const Results& results : problems) {
      double best = std::numeric_limits<double>::infinity(), fastest = best;
      for (const auto& [name, result] : results) best = std::min(best, result.best);
      for (const auto& [name, result] : results) fastest = std::min(fastest, evaluations_to(result, best));
      for (Eigen::Index i = 0; i < curve.t.size(); ++i)
        curve.y[i] += evaluations_to(results.at(method), best) <= curve.t[i] * fastest ? 1.0 : 0.0;
    }
    curve.y /= static_cast<double>(problems.size());
    plot.panels.front().curves.push_back(std::move(curve));
  }
  write_line_plot(path, plot);
}

}  // namespace
}  // namespace kurbel

int main(int argc, char** argv) {
  using namespace kurbel;
  const std::vector<std::string> args(argv + 1, argv + argc);
  const std::filesystem::path folder = args.empty() ? "optimizer_benchmark" : args[0];
  const std::string seconds = args.size() > 1 ? args[1] : "60";
  const std::vector<std::string> inputs =
      args.size() > 2 ? std::vector<std::string>(args.begin() + 2, args.end()) : default_inputs;
  std::filesystem::create_directories(folder);
  std::string table = "input,start,method,objective,over_best,evaluations\n";
  std::vector<Results> problems;
  for (const std::string& input : inputs) {
    for (const Start& start : starts) {
      Results results;
      double best = std::numeric_limits<double>::infinity();
      for (const std::string& method : methods) {
        results[method] =
            run(folder / (input + "_" + start.name + "_" + method), input, method, start, seconds);
        best = std::min(best, results[method].best);
      }
      for (const std::string& method : methods) {
        const Result& result = results[method];
        table += fmt::format("{},{},{},{:.6g},{:.4g},{:g}\n", input, start.name, method, result.best,
                             result.best / best, evaluations_to(result, best));
        fmt::print("{:<24} {:<8} {:<10} {}\n", input, start.name, method,
                   result.refused ? std::string("refused")
                                  : fmt::format("{:.5g}, {:.3f} of the best, {:g} evaluations", result.best,
                                                result.best / best, evaluations_to(result, best)));
      }
      problems.push_back(std::move(results));
      write_text_file(folder / "results.csv", table);
    }
  }
  write_profile(folder / "profile.png", problems);
}
