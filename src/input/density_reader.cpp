#include "input/density_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/numbers.hpp"
#include "input/vtu_reader.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view separators = " \t\r,;";

void append_values(std::string_view line, const fs::path& path, std::size_t line_number,
                   std::vector<double>& values) {
  line = line.substr(0, line.find('#'));
  for (;;) {
    const std::size_t begin = line.find_first_not_of(separators);
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(separators));
    const std::optional<double> value = parse_finite_number(word);
    if (!value)
      throw InputError(fmt::format("{}:{}: '{}' is not a finite number", path.string(), line_number, word));
    values.push_back(*value);
    line.remove_prefix(word.size());
  }
}

VectorXd read_text_density(const fs::path& path) {
  const std::string text = read_text_file(path);
  std::vector<double> values;
  std::string_view rest = text;
  for (std::size_t line_number = 1; !rest.empty(); ++line_number) {
    const std::size_t end = rest.find('\n');
    append_values(rest.substr(0, end), path, line_number, values);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

void require_finite(const VectorXd& values, const fs::path& path, const char* what) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw InputError(fmt::format("{}: the {} of element {} is {}", path.string(), what, i, values[i]));
  }
}

}  // namespace

DensityFile::DensityFile(fs::path path) : path_(std::move(path)) {
  if (path_.extension() != ".vtu") {
    all_.density = read_text_density(path_);
    return;
  }
  VtuCells cells = read_vtu_cells(path_, {"density", {"design", "body"}, "bodies"});
  all_.density = std::move(cells.arrays.at("density"));
  require_finite(all_.density, path_, "density");
  for (const auto& [name, values] : cells.arrays) {
    if (name != "density" && values.size() != all_.density.size())
      throw InputError(fmt::format("{}: its arrays differ in length", path_.string()));
  }
  if (cells.arrays.contains("design")) all_.design = std::move(cells.arrays.at("design"));
  require_finite(all_.design, path_, "design variable");
  if (cells.arrays.contains("body")) sort_by_body(cells.arrays.at("body"), cells.texts);
}

void DensityFile::sort_by_body(const VectorXd& body, const std::vector<std::string>& names) {
  for (Eigen::Index i = 0; i < body.size(); ++i) {
    if (!(body[i] >= 0.0 && body[i] < static_cast<double>(names.size()) && body[i] == std::floor(body[i]))) {
      throw InputError(fmt::format("{}: the body of element {} is {}; the field data `bodies` has {} names",
                                   path_.string(), i, body[i], names.size()));
    }
    cells_[names[static_cast<std::size_t>(body[i])]].push_back(i);
  }
}

DensitiesOfBody DensityFile::of_body(const std::string& name, Eigen::Index n_elements) const {
  DensitiesOfBody of = all_;
  if (!is_of_one_body()) {
    const auto found = cells_.find(name);
    if (found == cells_.end()) {
      std::vector<std::string> known;
      for (const auto& [body, cells] : cells_) known.push_back(body);
      throw InputError(
          fmt::format("{}: has no body {}; it has {}", path_.string(), name, fmt::join(known, ", ")));
    }
    of.density = all_.density(found->second).eval();
    if (all_.design.size() > 0) of.design = all_.design(found->second).eval();
  }
  if (of.density.size() != n_elements) {
    throw InputError(fmt::format("{}: holds {} densities; the mesh has {} elements", path_.string(),
                                 of.density.size(), n_elements));
  }
  return of;
}

}  // namespace kurbel
