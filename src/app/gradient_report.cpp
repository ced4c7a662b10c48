#include "app/gradient_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "output/console.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

const char* word_of(Agreement verdict) {
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

class Table {
 public:
  Table(const CheckedNames& names, const CommandLine& args) : names_(names), args_(args) {}

  std::string label(const GradientCheckRow& row) const {
    return row.variable ? names_.variable(*row.variable) : row.label();
  }
  const CheckedNames::Function& function(const GradientCheckRow& row) const {
    return names_.functions[static_cast<std::size_t>(row.function)];
  }

  void print(const std::vector<GradientCheckRow>& rows) const {
    Console& console = Console::standard();
    console.print(fmt::format("{:<24} {:>20} {:>20} {:>12} {:>12}  {}", "", "adjoint", "differences",
                              "rel. error", "uncertainty", "verdict"));
    for (auto first = rows.begin(); first != rows.end();) {
      const std::string& group = function(*first).group;
      const auto last =
          std::find_if(first, rows.end(), [&](const auto& row) { return function(row).group != group; });
      console.print(group);
      print_group(first, last);
      first = last;
    }
  }

 private:
  using Iterator = std::vector<GradientCheckRow>::const_iterator;

  /// One line per variable and direction.
  void print_group(Iterator first, Iterator last) const {
    const Iterator end_of_function =
        std::find_if(first, last, [&](const auto& row) { return row.function != first->function; });
    const std::ptrdiff_t n_lines = end_of_function - first;
    for (std::ptrdiff_t line = 0; line < n_lines; ++line) {
      const GradientCheckRow* worst = &first[line];
      for (std::ptrdiff_t k = line + n_lines; k < last - first; k += n_lines)
        if (is_worse(first[k], *worst, args_.tolerance)) worst = &first[k];
      const bool alone = last - first == n_lines;
      Console::standard().print(fmt::format("{:<24} {:>20.12e} {:>20.12e} {:>12.2e} {:>12.2e}  {}{}",
                                            "  " + label(*worst), worst->adjoint, worst->difference,
                                            worst->relative_error, worst->uncertainty,
                                            word_of(verdict_of(*worst, args_.tolerance)),
                                            alone ? "" : fmt::format(" ({})", function(*worst).name)));
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
                          const CommandLine& args, nlohmann::json& numbers) {
  const Table table(names, args);
  table.print(rows);
  nlohmann::json& list = numbers["check"] = nlohmann::json::array();
  for (const GradientCheckRow& row : rows) {
    list.push_back({{"function", table.function(row).name},
                    {"label", table.label(row)},
                    {"adjoint", row.adjoint},
                    {"difference", row.difference},
                    {"relative_error", row.relative_error},
                    {"uncertainty", row.uncertainty},
                    {"verdict", word_of(verdict_of(row, args.tolerance))}});
  }
  const Agreement overall = overall_verdict(rows, args.tolerance);
  numbers["verdict"] = word_of(overall);
  numbers["worst_relative_error"] = worst_relative_error(rows);
  log_info(fmt::format("largest relative error {:.2e}: {}", worst_relative_error(rows), conclusion(overall)));
  return overall == Agreement::agrees ? 0 : 1;
}

}  // namespace kurbel
