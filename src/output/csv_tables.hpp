/// @file
/// Tables of numbers as text (.csv). Numbers are the shortest that read back to the same bits, so that equal runs give equal
/// files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "results/table_column.hpp"
#include "results/variable_table.hpp"

namespace kurbel {

/// "mass [kg]"; quoted if it has a comma, quote or line break (RFC 4180).
std::string csv_title(const TableColumn& column);

/// Column `iteration`, then the columns given. Numbers are the shortest that read back to the same bits, so
/// that equal runs give equal files; keep what differs between runs (times) in a table of its own. Every row
/// is on disk at once.
class HistoryCsv {
 public:
  /// A table without rows; a file of that name is replaced.
  /// @throws WriteError if it cannot be written
  HistoryCsv(std::filesystem::path path, std::vector<TableColumn> columns);

  /// @throws InputError if there are not as many values as columns
  /// @throws WriteError if the row cannot be written
  void add_row(int iteration, const std::vector<double>& values);

 private:
  std::filesystem::path path_;
  std::vector<TableColumn> columns_;
  std::ofstream out_;
};

struct TimeColumn {
  TableColumn column;
  VectorXd values;  ///< one per time
};

/// Writes column `t [s]`, then the columns given, atomically. Numbers are the shortest that read back to the
/// same bits, so that equal runs give equal files.
/// @throws InputError if a column has not as many values as there are times, or the file cannot be written
void write_time_table_csv(const std::filesystem::path& path, const VectorXd& t,
                          const std::vector<TimeColumn>& columns);

/// Writes a row for every row of `values`, whose columns are those given; atomically.
/// @throws WriteError if the file cannot be written
void write_table_csv(const std::filesystem::path& path, const std::vector<TableColumn>& columns,
                     const MatrixXd& values);

/// Writes variables.csv, what an optimizer varies: a row name,value,lower,upper,unit per variable; atomically.
/// @throws WriteError if the file cannot be written
void write_variables(const std::filesystem::path& path, const VariableTable& table);

/// Writes gradient.csv, gradients by it: a row name,value,unit,... per variable; atomically.
/// @param gradients  columns behind these
/// @throws WriteError if the file cannot be written
void write_gradient_table(const std::filesystem::path& path, const VariableTable& table,
                          const std::vector<GradientColumn>& gradients);

}  // namespace kurbel
