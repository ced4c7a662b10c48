#include "app/gradient_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_context.hpp"

namespace kurbel {

namespace {

std::string word_of(Agreement verdict) {
  switch (verdict) {
    case Agreement::agrees:
      return "agrees";
    case Agreement::cannot_tell:
      return "cannot tell";
    case Agreement::differs:
      break;
  }
  return "differs";
}

/// A differing row is worse than one that cannot be judged; then the larger error counts.
bool is_worse(const GradientCheckRow& a, const GradientCheckRow& b, const std::optional<double>& tolerance) {
  const Agreement of_a = verdict_of(a, tolerance), of_b = verdict_of(b, tolerance);
  return of_a != of_b ? of_a > of_b : a.relative_error > b.relative_error;
}

using Iterator = std::vector<GradientCheckRow>::const_iterator;

class CheckTable {
 public:
  CheckTable(const CheckedNames& names, const CommandLine& args) : names_(names), args_(args) {}

  /// All rows, as numbers.
  ReportTable all(const std::vector<GradientCheckRow>& rows) const {
    ReportTable table = empty();
    for (const GradientCheckRow& row : rows) add(row, label(row), "", table);
    return table;
  }

  /// By groups, one line per variable and direction: that of the worst function.
  ReportTable by_groups(const std::vector<GradientCheckRow>& rows) const {
    ReportTable table = empty();
    for (auto first = rows.begin(); first != rows.end();) {
      const std::string& group = function(*first).group;
      const auto last =
          std::find_if(first, rows.end(), [&](const auto& row) { return function(row).group != group; });
      table.rows.push_back({group, {}, {}, {}, {}, {}, {}});
      add_group(first, last, table);
      first = last;
    }
    return table;
  }

 private:
  static ReportTable empty() {
    return {{{"", "{}", "label", "", 24, true},
             {"adjoint", "{:.12e}", "adjoint", "", 19},
             {"differences", "{:.12e}", "difference", "", 19},
             {"rel. error", "{:.2e}", "relative_error", "", 11},
             {"uncertainty", "{:.2e}", "uncertainty"},
             {"verdict", "{}", "verdict", "", 0, true},
             {.key = "function"}},
            {}};
  }
  std::string label(const GradientCheckRow& row) const {
    return row.variable ? names_.variable(*row.variable) : row.label();
  }
  const CheckedNames::Function& function(const GradientCheckRow& row) const {
    return names_.functions[static_cast<std::size_t>(row.function)];
  }

  /// @param note  behind the verdict
  void add(const GradientCheckRow& row, const std::string& name, const std::string& note,
           ReportTable& table) const {
    table.rows.push_back({name, row.adjoint, row.difference, row.relative_error, row.uncertainty,
                          word_of(verdict_of(row, args_.tolerance)) + note, function(row).name});
  }

  void add_group(Iterator first, Iterator last, ReportTable& table) const {
    const Iterator end_of_function =
        std::find_if(first, last, [&](const auto& row) { return row.function != first->function; });
    const std::ptrdiff_t n_lines = end_of_function - first;
    for (std::ptrdiff_t line = 0; line < n_lines; ++line) {
      const GradientCheckRow* worst = &first[line];
      for (std::ptrdiff_t k = line + n_lines; k < last - first; k += n_lines)
        if (is_worse(first[k], *worst, args_.tolerance)) worst = &first[k];
      const bool alone = last - first == n_lines;
      add(*worst, "  " + label(*worst), alone ? "" : fmt::format(" ({})", function(*worst).name), table);
    }
  }

  const CheckedNames& names_;
  const CommandLine& args_;
};

const char* conclusion(Agreement overall) {
  switch (overall) {
    case Agreement::agrees:
      return "the gradient agrees with the differences";
    case Agreement::cannot_tell:
      return "the differences CANNOT TELL whether the gradient is right: where it says so, the function is "
             "too noisy, has a kink or jumps";
    case Agreement::differs:
      break;
  }
  return "the gradient DIFFERS by more than the tolerance";
}

}  // namespace

int report_gradient_check(const std::vector<GradientCheckRow>& rows, const CheckedNames& names,
                          const CommandLine& args, Report& report) {
  const CheckTable table(names, args);
  console_report().show(table.by_groups(rows));
  report["check"] = table.all(rows).numbers();
  const Agreement overall = overall_verdict(rows, args.tolerance);
  report["verdict"] = word_of(overall);
  report.say("largest relative error {:.2e}: {}", named("worst_relative_error", worst_relative_error(rows)),
             conclusion(overall));
  return overall == Agreement::agrees ? 0 : 1;
}

}  // namespace kurbel
