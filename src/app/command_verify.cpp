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
#include "app/fitted_mesh.hpp"
#include "output/console.hpp"
#include "output/log.hpp"
#include "parts/abaqus_writer.hpp"
#include "problem/toml_parser.hpp"

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

bool is_text(const TomlValue* value, const std::string& text) {
  const std::string* found = value ? std::get_if<std::string>(&value->data) : nullptr;
  return found && *found == text;
}

/// Names the surfaces of a part by the sets that a fitted mesh has for them.
void replace_surface_numbers(TomlValue& value, const fem::Mesh& designed) {
  if (auto* array = std::get_if<TomlValue::Array>(&value.data)) {
    for (TomlValue& entry : *array) replace_surface_numbers(entry, designed);
  }
  auto* table = std::get_if<TomlValue::Table>(&value.data);
  if (!table) return;
  for (TomlEntry& entry : *table) {
    const auto* number = std::get_if<std::int64_t>(&entry.value.data);
    if (entry.key == "surface" && number) {
      entry.value.data = set_of_surface(designed, static_cast<int>(*number));
      entry.key = "set";
    } else {
      replace_surface_numbers(entry.value, designed);
    }
  }
}

/// Takes the names of regions that are no more out of lists of places that do not count.
void forget_regions(TomlValue& value, const std::vector<std::string>& names) {
  auto* table = std::get_if<TomlValue::Table>(&value.data);
  if (auto* array = std::get_if<TomlValue::Array>(&value.data)) {
    for (TomlValue& entry : *array) forget_regions(entry, names);
  }
  if (!table) return;
  for (TomlEntry& entry : *table) {
    auto* list = entry.key == "leave_out" ? std::get_if<TomlValue::Array>(&entry.value.data) : nullptr;
    if (list)
      std::erase_if(*list, [&](const TomlValue& one) {
        return std::ranges::any_of(names, [&](const std::string& name) { return is_text(&one, name); });
      });
    else
      forget_regions(entry.value, names);
  }
}

/// Fits what is stated on a body to its new mesh: surfaces are named by sets; void regions go, for they have no elements now,
/// and so do the solver, which was chosen for the mesh of the design, and what is asked of the densities: symmetry and
/// manufacturing.
void fit_document(TomlValue& value, const std::string& body, const fem::Mesh& designed,
                  std::vector<std::string>& forgotten) {
  auto* table = std::get_if<TomlValue::Table>(&value.data);
  if (!table) return;
  if (is_text(value.find("body"), body)) replace_surface_numbers(value, designed);
  TomlValue* bodies = value.find("bodies");
  if (TomlValue* own = bodies ? bodies->find(body) : nullptr) {
    replace_surface_numbers(*own, designed);
    std::erase_if(std::get<TomlValue::Table>(own->data), [](const TomlEntry& entry) {
      return entry.key == "solver" || entry.key == "symmetry" || entry.key == "manufacturing";
    });
    TomlValue* regions = own->find("regions");
    if (auto* of_name = regions ? std::get_if<TomlValue::Table>(&regions->data) : nullptr)
      std::erase_if(*of_name, [&](const TomlEntry& entry) {
        const bool is_void = is_text(entry.value.find("kind"), "void");
        if (is_void) forgotten.push_back(entry.key);
        return is_void;
      });
  }
  for (TomlEntry& entry : *table) fit_document(entry.value, body, designed, forgotten);
}

/// A design in its mechanism.
struct Column {
  std::vector<CriterionRow> rows{};
  std::vector<double> frequencies{};  ///< the first of each body that is shaped, Hz
  std::string failure{};
};

Column evaluate(Study& study, const Design& design, const std::vector<std::string>& shaped) {
  Column column;
  EvaluationChain& chain = study.chain();
  ChainResult result;
  Status status = chain.reduce(design, result);
  for (std::size_t i = 0; !status.failed() && i < chain.n_bodies(); ++i) {
    if (std::ranges::find(shaped, study.problem().bodies[i].name) == shaped.end()) continue;
    const VectorXd& frequencies = result.reduced[i].frequencies_hz;
    column.frequencies.push_back(frequencies.size() > 0 ? frequencies[0] : 0.0);
  }
  if (!status.failed()) status = chain.simulate(result);
  if (status.failed()) {
    column.failure = status.message();
  } else {
    column.rows = criterion_rows(chain, study.space(), design, values_of_all(chain, result));
  }
  return column;
}

class Verification {
 public:
  Verification(const CommandLine& args, RunDirectory& folder)
      : args_(args),
        folder_(folder),
        designed_(study_of_result(folder.path(), "verify")),
        shapes_(designed_) {
    require_motion(designed_.problem(), "verify");
    for (const CutBody& body : shapes_.bodies()) {
      names_.push_back(shapes_.name(body));
      overrides_.push_back(stress_override(shapes_.model(body).spec(), designed_.problem()));
    }
  }

  /// Writes the meshes of the shapes.
  void mesh(Report& report) {
    std::vector<std::filesystem::path> files;
    for (const std::string& name : names_) files.push_back(folder_.path() / (name + "_verified.inp"));
    require_json_is_no_input(args_, files);
    claim_all(folder_, files);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const CutBody& body = shapes_.bodies()[i];
      const double thickness = shapes_.thickness(body);
      const Shape shape = shapes_.make(body);
      warn_of(names_[i], shape);
      const auto mesh = fitted_mesh(shapes_.model(body), shape, thickness);
      write_abaqus(files[i], *mesh, fmt::format("Body {} of {}", names_[i], designed_.problem().title), 1.0);
      Report own = report.part("bodies", names_[i]);
      own.say("body {}: {} and {} fit its shape", names_[i], Counted{"nodes", mesh->n_nodes(), "node"},
              Counted{"elements", mesh->n_elements(), "element"});
      own["volume"] = mesh->volumes().sum(), own["file"] = files[i].string();
      removed_ += shapes_.model(body).mesh().volumes().sum() - mesh->volumes().sum();
      const std::string file = toml_string(std::filesystem::absolute(files[i]).string());
      std::string mesh_table = fmt::format("bodies.{}.mesh={{file={}", names_[i], file);
      if (thickness > 0.0) mesh_table += fmt::format(",thickness={}", thickness);
      if (shapes_.model(body).spec().mesh.plane == fem::PlaneState::strain) mesh_table += ",plane=\"strain\"";
      fitted_overrides_.push_back(mesh_table + "}");
    }
  }

  void simulate() {
    Study with_stress = study_of_result(folder_.path(), "verify", overrides_);
    with_stress.set_threads(args_.threads);
    design_ = evaluate(with_stress, shapes_.grey(), names_);
    cut_ = evaluate(with_stress, shapes_.cut().design, names_);
    try {
      simulate_fitted();
    } catch (const InputError& error) {
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
      if (!row.is_met)
        log_warning(fmt::format("the fitted shape violates {}: it is {:.6g}{}{}, to be {}", row.name,
                                value_of(row), row.unit.empty() ? "" : " ", row.unit, row.bounds.text()));
    }
    warn_of_another_psi();
  }

  bool failed() const { return !fitted_.failure.empty(); }

 private:
  void simulate_fitted() {
    std::vector<std::string> overrides = fitted_overrides_;
    overrides.insert(overrides.end(), overrides_.begin(), overrides_.end());
    for (const char* plain : {"design.start=1.0", "filter={type=\"none\"}", "projection={type=\"none\"}"})
      overrides.emplace_back(plain);
    TomlDocument document = document_of_result(folder_.path(), "verify", overrides);
    std::vector<std::string> forgotten;
    for (const CutBody& body : shapes_.bodies())
      fit_document(document.root, shapes_.name(body), shapes_.model(body).mesh(), forgotten);
    forget_regions(document.root, forgotten);
    Study fitted(read_problem(std::move(document)), Study::Variables::to_evaluate);
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
    double total = 0.0;
    for (const CutBody& body : shapes_.bodies()) total += shapes_.model(body).mesh().volumes().sum();
    for (CriterionRow& row : fitted_.rows) {
      if (row.name != "volume_fraction") continue;
      constexpr double tolerance = 0.01;  // of the volume that a shape encloses
      row.value = 1.0 - removed_ / total;
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
    for (const CriterionRow& row : longest.rows) {
      const auto text = [&](const Column& column) {
        const auto own = std::ranges::find(column.rows, row.name, &CriterionRow::name);
        return own == column.rows.end() ? std::string() : in_short(value_of(*own));
      };
      const bool bounded = is_bounded(row);
      const char* verdict = !bounded || fitted_.rows.empty() ? "" : row.is_met ? "met" : "violated";
      table.rows.push_back({row.name, text(design_), text(cut_), text(fitted_),
                            bounded ? row.bounds.text() : "", row.unit, verdict});
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto text = [&](const Column& column) {
        return i < column.frequencies.size() ? in_short(column.frequencies[i]) : std::string();
      };
      table.rows.push_back(
          {"first frequency of " + names_[i], text(design_), text(cut_), text(fitted_), {}, "Hz", {}});
    }
    return table;
  }

  nlohmann::json numbers_of(const Column& column) const {
    nlohmann::json numbers = nlohmann::json::object();
    for (const CriterionRow& row : column.rows) numbers[row.name] = value_of(row);
    for (std::size_t i = 0; i < column.frequencies.size(); ++i)
      numbers["first_frequencies"][names_[i]] = column.frequencies[i];
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
  RunDirectory& folder_;
  Study designed_;
  ShapesOfResult shapes_;
  std::vector<std::string> names_, overrides_, fitted_overrides_;
  double removed_ = 0.0;  ///< volume of the designed meshes that is not in the fitted ones, m^3
  Column design_, cut_, fitted_;
};

}  // namespace

int run_verify(const CommandLine& args) {
  RunDirectory folder = RunDirectory::of_run(args.file, "verify");
  require_usable_json(args, folder, {});
  Report report = console_report();
  Verification verification(args, folder);
  verification.mesh(report);
  verification.simulate();
  verification.report(report);
  write_json(args, report);
  return verification.failed() ? 3 : 0;
}

}  // namespace kurbel
