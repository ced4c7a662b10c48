#include "python/motion_series.hpp"

#include "study/motion_tables.hpp"

namespace kurbel::python {

namespace {

Status add_columns(const ResultTable& table, std::vector<Series>& out) {
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const TableColumn& column = table.columns[j];
    if (!table.values.col(static_cast<Eigen::Index>(j)).allFinite())
      return Failure{.what = column.name + " is not finite",
                     .where = table.name,
                     .advice = "check loads, masses and stiffness for extreme values"};
    out.push_back({table.has_curves ? column.name : table.name + "." + column.name, column.unit,
                   table.values.col(static_cast<Eigen::Index>(j))});
  }
  return {};
}

template <class Table>
void add_rows(const std::vector<Table>& tables, std::vector<Series>& out) {
  for (const Table& table : tables) {
    for (Eigen::Index row = 0; row < table.values.rows(); ++row)
      out.push_back({name_of_row(table, static_cast<std::size_t>(row)), table.unit, table.values.row(row)});
  }
}

}  // namespace

Status find_series(ChainResult& result, std::vector<Series>& out) {
  out.clear();
  if (is_about_rest(result.motion->model().problem().analysis)) {
    for (const ResultTable& table : result.motion->tables())
      if (Status s = add_columns(table, out); s.failed()) return s;
    return {};
  }
  MotionTables tables;
  if (Status s = find_tables(result, tables); s.failed()) return s;
  out.push_back({"t", "s", result.trajectory.t.head(result.trajectory.n_stored)});
  if (tables.every > 1) out.push_back({"t of histories", "s", tables.t});
  add_rows(tables.histories, out), add_rows(tables.outputs, out);
  return {};
}

}  // namespace kurbel::python
