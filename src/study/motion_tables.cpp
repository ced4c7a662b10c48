#include "study/motion_tables.hpp"

#include <cmath>
#include <limits>
#include <optional>

namespace kurbel {

namespace {

/// Evenly spaced instants of a trajectory and its last one, if it is so large that a table of all of them
/// would have hundreds of megabytes.
Trajectory<double> thinned_out(const Trajectory<double>& all, Eigen::Index every) {
  std::vector<Eigen::Index> kept;
  for (Eigen::Index k = 0; k < all.n_stored - 1; k += every) kept.push_back(k);
  kept.push_back(all.n_stored - 1);
  return Trajectory<double>{all.y(Eigen::all, kept), all.t(kept), std::ssize(kept)};
}

Eigen::Index instants_in_a_table(const Trajectory<double>& all) {
  constexpr double most = 5e6;  // numbers
  return std::max<Eigen::Index>(
      1, static_cast<Eigen::Index>(std::ceil(double(all.y.rows()) * double(all.n_stored) / most)));
}

/// The first quantity that is not finite, and its instant.
struct NotFinite {
  std::string what;
  double time = std::numeric_limits<double>::infinity();

  void look(const std::string& name, const Eigen::Ref<const Eigen::RowVectorXd>& row, const VectorXd& t) {
    if (row.allFinite()) return;
    Eigen::Index k = 0;
    while (std::isfinite(row[k])) ++k;
    if (t[k] < time) what = name, time = t[k];
  }
};

}  // namespace

std::string name_of_row(const OutputHistory& output, std::size_t row) {
  return output.rows.empty() || output.rows[row].empty() ? output.name : output.name + "." + output.rows[row];
}

std::string name_of_row(const HistoryPanel& history, std::size_t row) {
  return history.name + "." + history.rows[row];
}

Status find_tables(ChainResult& result, MotionTables& out) {
  Trajectory<double>& all = result.trajectory;
  out.every = instants_in_a_table(all);
  const std::optional<Trajectory<double>> some =
      out.every > 1 ? std::optional(thinned_out(all, out.every)) : std::nullopt;
  const Trajectory<double>& told = some ? *some : all;
  out.t = told.t.head(told.n_stored);
  out.histories = result.motion->histories(told);
  out.outputs = result.motion->outputs(all);
  NotFinite first;
  const auto look = [&](const auto& tables, const VectorXd& t) {
    for (const auto& table : tables) {
      for (Eigen::Index row = 0; row < table.values.rows(); ++row)
        first.look(name_of_row(table, static_cast<std::size_t>(row)), table.values.row(row), t);
    }
  };
  look(out.histories, out.t);
  look(out.outputs, all.t.head(all.n_stored));
  if (std::isinf(first.time)) return {};
  Eigen::Index n = 0;
  while (n < all.n_stored && all.t[n] < first.time) ++n;
  all.n_stored = n;
  if (n > 0) {
    if (Status s = find_tables(result, out); s.failed()) return s;
  }
  return Failure{.what = "an observable is not a finite number",
                 .where = first.what,
                 .advice = "check the numbers of the input for extreme values",
                 .time = first.time};
}

}  // namespace kurbel
