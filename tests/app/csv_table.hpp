/// @file
/// A table of numbers as the program writes it (.csv).
#pragma once

#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/types.hpp"

namespace kurbel::test {

struct CsvTable {
  std::map<std::string, std::string> units;  ///< by name
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  explicit CsvTable(const std::filesystem::path& path) {
    std::istringstream text(read_text_file(path));
    std::string line, cell;
    std::getline(text, line);
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) {
      const std::size_t unit = cell.find(" [");
      names.push_back(cell.substr(0, unit));
      units[names.back()] = unit == std::string::npos ? "" : cell.substr(unit + 2, cell.size() - unit - 3);
    }
    while (std::getline(text, line)) {
      rows.emplace_back();
      for (std::istringstream cells(line); std::getline(cells, cell, ',');)
        rows.back().push_back(std::stod(cell));
      if (rows.back().size() != names.size()) throw std::runtime_error("a row of another length: " + line);
    }
  }
  Eigen::Index n_rows() const { return std::ssize(rows); }
  std::size_t place(const std::string& name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) throw std::runtime_error("no column " + name);
    return static_cast<std::size_t>(at - names.begin());
  }
  VectorXd column(const std::string& name) const {
    VectorXd values(n_rows());
    for (Eigen::Index i = 0; i < n_rows(); ++i) values[i] = rows[static_cast<std::size_t>(i)][place(name)];
    return values;
  }
};

}  // namespace kurbel::test
