#include "problem/variable_path.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/spelling.hpp"

namespace kurbel {

std::string take_word(std::string& text) {
  const std::size_t dot = text.find('.');
  const std::string word = text.substr(0, dot);
  text = dot == std::string::npos ? "" : text.substr(dot + 1);
  return word;
}

void refuse_quantity(const TomlTable& variable, const std::vector<std::string>& allowed) {
  variable.refuse("quantity", "is nothing that can be varied; allowed here: {}", fmt::join(allowed, ", "));
}

std::size_t find_name(const TomlTable& variable, const std::string& name,
                      const std::vector<std::string>& names) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end())
    variable.refuse("quantity", "names \"{}\", which does not exist{}", name,
                    spelling_advice(name, names, "\""));
  return static_cast<std::size_t>(at - names.begin());
}

int read_component(const TomlTable& variable, Components components) {
  if (components.empty()) return 0;
  const std::vector<std::string> words(components.begin(), components.end());
  return static_cast<int>(std::ranges::find(words, variable.choice_among("component", words)) -
                          words.begin());
}

bool is_of_drive(std::string path) {
  if (path.starts_with("-")) path.erase(0, 1);
  if (take_word(path) != "joints") return false;
  take_word(path);
  return take_word(path) == "drive";
}

VariedTable find_table(const TomlTable& variable, std::string path, const SystemSpec& system) {
  VariedTable found;
  if (!is_of_drive(path)) variable.refuse("quantity", "ties values of a drive with what is no drive");
  if (path.starts_with("-")) found.sign = -1.0, path.erase(0, 1);
  take_word(path);
  found.joint = find_named(variable, take_word(path), system.joints);
  take_word(path);
  const JointSpec& joint = system.joints[found.joint];
  const std::size_t n = joint.drives.size();
  if (n == 0) variable.refuse("quantity", "belongs to a joint without a drive");
  if (path == "values" && n > 1) {
    variable.refuse("quantity", "names one of {} drives; say which: joints.{}.drive.0.values", n, joint.name);
  }
  if (path != "values") {
    const std::string number = take_word(path);
    while (found.drive < n && std::to_string(found.drive) != number) ++found.drive;
    if (found.drive == n || path != "values")
      refuse_quantity(variable, {"joints.NAME.drive.values", "joints.NAME.drive.NUMBER.values"});
  }
  const std::optional<TableSpec>& table = joint.drives[found.drive].table;
  if (!table)
    variable.refuse("quantity", "belongs to a drive that has no values; one of type = \"table\" has");
  if (table->beyond == Beyond::repeat)
    variable.refuse("quantity",
                    "belongs to a table that repeats, whose last value must remain equal to its first");
  found.table = &*table;
  return found;
}

std::vector<std::size_t> varied_indices(const TomlTable& variable, const std::vector<double>& times) {
  std::vector<std::size_t> indices;
  if (!variable.has("times")) {
    for (std::size_t i = 0; i < times.size(); ++i) indices.push_back(i);
    return indices;
  }
  for (const double t : variable.numbers("times")) {
    const auto at = std::ranges::find(times, t);
    if (at == times.end()) {
      variable.refuse("times", "holds {}, which is none of those of the table: {}", t,
                      fmt::join(times, ", "));
    }
    indices.push_back(static_cast<std::size_t>(at - times.begin()));
    if (std::ranges::count(indices, indices.back()) > 1) variable.refuse("times", "holds {} twice", t);
  }
  return indices;
}

}  // namespace kurbel
