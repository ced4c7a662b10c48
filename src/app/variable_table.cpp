#include "app/variable_table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "base/errors.hpp"
#include "base/files.hpp"

namespace kurbel {

void write_variables(const std::filesystem::path& path, const VariableTable& table) {
  std::string text = "name,value,lower,upper\n";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    text += fmt::format("{},{},{},{}\n", table.names[i], table.value[k], table.lower[k], table.upper[k]);
  }
  write_text_file(path, text);
}

void write_gradient_table(const std::filesystem::path& path, const VariableTable& table,
                          const VectorXd& gradient) {
  std::string text = "name,value,gradient\n";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    text += fmt::format("{},{},{}\n", table.names[i], table.value[k], gradient[k]);
  }
  write_text_file(path, text);
}

VectorXd read_variables(const std::filesystem::path& path, const VariableTable& table) {
  const std::vector<std::string>& names = table.names;
  VectorXd z(static_cast<Eigen::Index>(names.size()));
  std::istringstream text(read_text_file(path));
  std::string line;
  std::getline(text, line);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto fail = [&](const std::string& what) {
      throw InputError(fmt::format("{}:{}: {}", path.string(), i + 2, what));
    };
    if (!std::getline(text, line))
      fail(fmt::format("{} is missing; the problem has {} variables", names[i], names.size()));
    const std::string name = line.substr(0, line.find(','));
    if (name != names[i]) fail(fmt::format("is about {}, but the problem has {} here", name, names[i]));
    const std::string rest = line.substr(std::min(line.size(), name.size() + 1));
    const auto k = static_cast<Eigen::Index>(i);
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), z[k]);
    if (error != std::errc() || (end != rest.data() + rest.size() && *end != ','))
      fail(fmt::format("{} has no number", name));
    if (!(z[k] >= table.lower[k] && z[k] <= table.upper[k])) {
      fail(fmt::format("{} = {} is outside its bounds [{}, {}]", name, z[k], table.lower[k], table.upper[k]));
    }
  }
  if (std::getline(text, line)) {
    throw InputError(fmt::format("{}:{}: is one line too many; the problem has {} variables", path.string(),
                                 names.size() + 2, names.size()));
  }
  return z;
}

}  // namespace kurbel
