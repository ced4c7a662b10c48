#include "output/density_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/numbers.hpp"
#include "output/vtk_writer.hpp"

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

}  // namespace

VectorXd read_density(const fs::path& path, Eigen::Index n_elements) {
  VectorXd values =
      path.extension() == ".vtu" ? read_vtu_cell_array(path, "density") : read_text_density(path);
  if (values.size() != n_elements) {
    throw InputError(fmt::format("{}: holds {} densities; the mesh has {} elements", path.string(),
                                 values.size(), n_elements));
  }
  for (Eigen::Index i = 0; i < n_elements; ++i) {
    if (!std::isfinite(values[i])) {
      throw InputError(fmt::format("{}: the density of element {} is {}", path.string(), i, values[i]));
    }
  }
  return values;
}

}  // namespace kurbel
