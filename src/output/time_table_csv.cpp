#include "output/time_table_csv.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "output/csv_title.hpp"

namespace kurbel {
void write_time_table_csv(const std::filesystem::path& path, const VectorXd& t,
                          const std::vector<TimeColumn>& columns) {
  std::string text = csv_title({"t", "s"});
  for (const TimeColumn& column : columns) {
    if (column.values.size() != t.size()) {
      throw InputError(fmt::format("cannot write {}: column '{}' has {} values at {} times", path.string(),
                                   column.column.name, column.values.size(), t.size()));
    }
    text += "," + csv_title(column.column);
  }
  text += "\n";
  for (Eigen::Index i = 0; i < t.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}", t[i]);
    for (const TimeColumn& column : columns) {
      fmt::format_to(std::back_inserter(text), ",{}", column.values[i]);
    }
    text += "\n";
  }
  write_text_file(path, text);
}

}  // namespace kurbel
