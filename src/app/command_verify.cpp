/// @file
/// `kurbel verify`: the shape of a result, meshed anew, in the same mechanism as the design that it was made of.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/body_shape.hpp"
#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/finished_run.hpp"
#include "app/fitted_problem.hpp"
#include "keys/toml_parser.hpp"
#include "output/console.hpp"
#include "output/log.hpp"
#include "shape/shape_mesh.hpp"

namespace kurbel {

namespace {

constexpr double no_bound = 1e30;  // Pa

/// A constraint that shows the largest stress of a body and bounds nothing.
std::string stress_override(const fem::FlexibleBodySpec& spec, const Problem& problem) {
  std::string name = "stress_of_" + spec.name;
  const auto is_taken = [&](const CriterionConstraint& other) { return other.name == name; };
  while (std::ranges::any_of(problem.constraints.criteria, is_taken)) name += "_verified";
  std::vector<std::string> left_out;
  if (spec.frame.type == fem::FrameSpec::Type::tangent) left_out.push_back("\"clamp\"");
  for (const fem::MarkerSpec& marker : spec.markers) {
    if (!marker.set) left_out.push_back(toml_string(marker.name));
  }
  return fmt::format(
      "constraints.criteria.{0}={{type=\"von-mises\",body={1},relaxation=1.0,element_exponent=8,"
      "time="
      "\"p-norm\",exponent=8,leave_out=[{2}],upper={3}}}",
      name, toml_string(spec.name), fmt::join(left_out, ","), no_bound);
}

/// A number of a body that is shaped, beside the criteria.
struct BodyNumber {
  std::string body, name, unit;
  std::string key;  ///< in JSON
  double value;
};

/// A design in its mechanism, or at rest.
struct Column {
  std::vector<CriterionRow> rows{};
  std::vector<BodyNumber> numbers{};
  std::string failure{};
};

/// The largest stress of a body at rest in what is solid, of all load cases, where criteria look at stresses, or else anywhere;
/// nothing if its answer has no stresses.
std::optional<double> largest_stress(const BodyAnswer& answer, std::size_t body, const VectorXd& density) {
  constexpr double solid = 0.5;
  std::optional<double> largest;
  for (const ElementField& field : answer.element_fields(body)) {
    for (Eigen::Index e = 0; e < field.values.size(); ++e) {
      if (density[e] >= solid && field.values[e] > largest.value_or(0.0)) largest = field.values[e];
    }
  }
  return largest;
}

/// Finds a number of each body that is shaped: the first frequency of one that moves, the largest stress of one at rest.
std::vector<BodyNumber> body_numbers(const Study& study, const ChainResult& result,
                                     const std::vector<std::string>& shaped) {
  std::vector<BodyNumber> numbers;
  for (std::size_t i = 0; i < study.chain().n_bodies(); ++i) {
    const std::string& name = study.problem().bodies[i].name;
    if (std::ranges::find(shaped, name) == shaped.end()) continue;
    if (study.chain().has_motion()) {
      const VectorXd& hertz = result.reduced[i].frequencies_hz;
      numbers.push_back(
          {name, "first frequency of " + name, "Hz", "first_frequencies", hertz.size() > 0 ? hertz[0] : 0.0});
    } else if (result.answer) {
      if (const auto stress = largest_stress(*result.answer, i, result.design.bodies[i].density))
        numbers.push_back({name, "largest stress of " + name, "Pa", "largest_stresses", *stress});
    }
  }
  return numbers;
}

Column evaluate(Study& study, const Design& design, const std::vector<std::string>& shaped) {
  Column column;
  EvaluationChain& chain = study.chain();
  ChainResult result;
  Status status = chain.reduce(design, result);
  if (!status.failed()) {
    status = chain.simulate(result);
    column.numbers = body_numbers(study, result, shaped);
  }
  if (status.failed()) {
    column.failure = status.message();
  } else {
    column.rows = criterion_rows(chain, study.space(), design, values_of_all(chain, result));
  }
  return column;
}

class Verification {
 public:
  Verification(const CommandLine& args, ResultFolder& folder)
      : args_(args),
        folder_(folder),
        designed_(study_of_result(folder.run(), "verify")),
        shapes_(designed_),
        fitted_problem_(shapes_, folder.run(), folder.files(), "verified"),
        names_(fitted_problem_.names()) {
    if (designed_.problem().analysis != Analysis::motion) return;
    for (const CutBody& body : shapes_.bodies())
      overrides_.push_back(stress_override(shapes_.model(body).spec(), designed_.problem()));
  }

  /// Writes the meshes of the shapes, if they can be meshed.
  void mesh(Report& report) {
    folder_.claim(fitted_problem_.files(), designed_.problem());
    try {
      fitted_problem_.mesh(designed_.problem().title, report);
    } catch (const ShapeFailure& error) {
      fitted_.failure = error.what();
    }
  }

  void simulate() {
    Study with_stress = study_of_result(folder_.run(), "verify", overrides_);
    with_stress.set_threads(args_.threads);
    design_ = evaluate(with_stress, shapes_.grey(), names_);
    cut_ = evaluate(with_stress, shapes_.cut().design, names_);
    if (failed()) return;
    try {
      simulate_fitted();
    } catch (const InputError& error) {
      fitted_.failure = error.what();
    } catch (const ShapeFailure& error) {
      fitted_.failure = error.what();
    }
  }

  void report(Report& report) const {
    report.show(table());
    report["design"] = numbers_of(design_), report["cut"] = numbers_of(cut_),
    report["fitted"] = numbers_of(fitted_);
    for (const auto& [what, column] :
         {std::pair{"design", &design_}, {"cut", &cut_}, {"fitted shape", &fitted_}}) {
      if (!column->failure.empty())
        log_warning(fmt::format("the {} cannot be simulated: {}", what, column->failure));
    }
    for (const CriterionRow& row : fitted_.rows) {
      if (!row.is_met) log_warning(fmt::format("the fitted shape violates {}", row.violation(value_of(row))));
    }
    warn_of_another_psi();
  }

  bool failed() const { return !fitted_.failure.empty(); }

 private:
  void simulate_fitted() {
    Study fitted(read_problem(fitted_problem_.document("verify", overrides_)), Study::Variables::to_evaluate);
    fitted.set_threads(args_.threads);
    fitted_ = evaluate(fitted, fitted.space().at(fitted.space().start()), names_);
    share_volume();
  }

  static double value_of(const CriterionRow& row) {
    return row.peak && row.bounds.any() ? *row.peak : row.value;
  }
  static bool is_bounded(const CriterionRow& row) { return row.bounds.any() && row.bounds.upper != no_bound; }

  /// The elements of a fitted mesh are all solid: their share is that of the part which the designed mesh fills.
  void share_volume() {
    for (CriterionRow& row : fitted_.rows) {
      if (row.name != "volume_fraction") continue;
      constexpr double tolerance = 0.01;  // of the volume that a shape encloses
      row.value = fitted_problem_.share_of_volume();
      row.is_met = !row.bounds.upper || row.value <= (1.0 + tolerance) * *row.bounds.upper;
    }
  }

  static std::string in_short(double value) { return fmt::format("{:.6g}", value); }

  ReportTable table() const {
    ReportTable table{{{"", "{}", "", "", 0, true},
                       {"design", "{}"},
                       {"cut", "{}"},
                       {"fitted", "{}"},
                       {"bound", "{}", "", "", 0, true},
                       {"unit", "{}", "", "", 0, true},
                       {"", "{}"}},
                      {}};
    const Column& longest = !fitted_.rows.empty() ? fitted_ : !cut_.rows.empty() ? cut_ : design_;
    const auto has = [](const std::vector<CriterionRow>& rows, const std::string& name) {
      return std::ranges::find(rows, name, &CriterionRow::name) != rows.end();
    };
    std::vector<CriterionRow> rows = longest.rows;
    for (const CriterionRow& row : design_.rows) {
      if (!has(rows, row.name)) rows.push_back(row);  // of densities, which a fitted mesh does not have
    }
    for (const CriterionRow& row : rows) {
      const auto text = [&](const Column& column) {
        const auto own = std::ranges::find(column.rows, row.name, &CriterionRow::name);
        return own == column.rows.end() ? std::string() : in_short(value_of(*own));
      };
      const bool bounded = is_bounded(row);
      const char* verdict = !bounded || !has(fitted_.rows, row.name) ? "" : row.is_met ? "met" : "violated";
      table.rows.push_back({row.name, text(design_), text(cut_), text(fitted_),
                            bounded ? row.bounds.text() : "", row.unit, verdict});
    }
    std::vector<BodyNumber> numbers = design_.numbers;
    for (const Column* column : {&cut_, &fitted_}) {
      for (const BodyNumber& number : column->numbers) {
        if (std::ranges::find(numbers, number.name, &BodyNumber::name) == numbers.end())
          numbers.push_back(number);
      }
    }
    for (const BodyNumber& number : numbers) {
      const auto text = [&](const Column& column) {
        const auto own = std::ranges::find(column.numbers, number.name, &BodyNumber::name);
        return own == column.numbers.end() ? std::string() : in_short(own->value);
      };
      table.rows.push_back({number.name, text(design_), text(cut_), text(fitted_), {}, number.unit, {}});
    }
    return table;
  }

  nlohmann::json numbers_of(const Column& column) const {
    nlohmann::json numbers = nlohmann::json::object();
    for (const CriterionRow& row : column.rows) numbers[row.name] = value_of(row);
    for (const BodyNumber& number : column.numbers) numbers[number.key][number.body] = number.value;
    if (!column.failure.empty()) numbers["failure"] = column.failure;
    return numbers;
  }

  void warn_of_another_psi() const {
    constexpr double another = 0.03;
    if (fitted_.rows.empty() || design_.rows.empty() || designed_.problem().objective.empty()) return;
    const double psi = design_.rows.front().value,
                 change = (fitted_.rows.front().value - psi) / std::abs(psi);
    if (std::abs(change) > another)
      log_warning(
          fmt::format("psi of the fitted shape differs by {:+.3g} % from that of the design. Refine the "
                      "mesh, or raise filter.radius or projection.beta_max, and optimize again",
                      100.0 * change));
  }

  const CommandLine& args_;
  ResultFolder& folder_;
  Study designed_;
  ShapesOfResult shapes_;
  FittedProblem fitted_problem_;
  std::vector<std::string> names_, overrides_;
  Column design_, cut_, fitted_;
};

}  // namespace

int run_verify(const CommandLine& args) {
  ResultFolder folder(args);
  Report report = console_report(args);
  Verification verification(args, folder);
  verification.mesh(report);
  verification.simulate();
  verification.report(report);
  write_json(args, report);
  return verification.failed() ? 3 : 0;
}

}  // namespace kurbel
