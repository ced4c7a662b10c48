#include "output/variables_writer.hpp"

#include <fmt/format.h>

#include <string>

#include "base/files.hpp"
#include "output/csv_title.hpp"

namespace kurbel {

void write_variables(const std::filesystem::path& path, const VariableTable& table) {
  std::string text = "name,value,lower,upper,unit\n";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    text += fmt::format("{},{},{},{},{}\n", table.names[i], table.value[k], table.lower[k], table.upper[k],
                        table.units[i]);
  }
  write_text_file(path, text);
}

void write_gradient_table(const std::filesystem::path& path, const VariableTable& table,
                          const std::vector<GradientColumn>& gradients) {
  std::string text = "name,value,unit";
  for (const GradientColumn& gradient : gradients) text += "," + csv_title(gradient.column);
  text += "\n";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    text += fmt::format("{},{},{}", table.names[i], table.value[k], table.units[i]);
    for (const GradientColumn& gradient : gradients) text += fmt::format(",{}", gradient.values[k]);
    text += "\n";
  }
  write_text_file(path, text);
}

}  // namespace kurbel
