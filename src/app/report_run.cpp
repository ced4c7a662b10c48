#include "app/report_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/command_context.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/finished_run.hpp"
#include "app/problem_in_words.hpp"
#include "app/report_motions.hpp"
#include "base/files.hpp"
#include "evaluation/body_mesh.hpp"
#include "input/vtu_reader.hpp"
#include "output/run_file.hpp"
#include "problem/criterion_text.hpp"
#include "report/packed.hpp"
#include "report/skin.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using nlohmann::json;

json history_of(const RunReader& run) {
  const std::vector<std::string> columns = run.history_columns();
  if (columns.empty()) return {};
  const MatrixXd values = run.history();
  return {{"columns", columns}, {"rows", values.rows()}, {"values", packed(values)}};
}

/// The phases of an iteration, summed over all: what timing.csv has beside iteration and elapsed time.
json phases_of(const std::filesystem::path& file) {
  json phases = json::array();
  if (!std::filesystem::exists(file)) return phases;
  const std::string text = read_text_file(file);
  const auto fields_of = [](std::string_view line) {
    std::vector<std::string> fields;
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t to = std::min(line.find(',', from), line.size());
      fields.emplace_back(line.substr(from, to - from));
      from = to + 1;
    }
    return fields;
  };
  std::vector<std::string> names;
  std::vector<double> sums;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::vector<std::string> fields = fields_of(std::string_view(text).substr(from, to - from));
    from = to + 1;
    if (names.empty()) {
      names = fields, sums.assign(fields.size(), 0.0);
      continue;
    }
    for (std::size_t c = 0; c < std::min(fields.size(), sums.size()); ++c)
      sums[c] += std::strtod(fields[c].c_str(), nullptr);
  }
  for (std::size_t c = 2; c < names.size(); ++c)
    phases.push_back({{"name", names[c].substr(0, names[c].find(" ["))}, {"seconds", sums[c]}});
  return phases;
}

/// The fields of the result, or of the last design that a run has stored while it goes on; empty if there is none.
std::filesystem::path last_fields(const std::filesystem::path& folder) {
  if (const std::filesystem::path final = folder / "final.vtu"; std::filesystem::exists(final)) return final;
  std::filesystem::path last;
  std::error_code no_folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "density", no_folder)) {
    // density_00012.vtu has all bodies, density_00012_0.vtu is a block of one.
    const std::string name = entry.path().filename().string();
    if (name.starts_with("density_") && name.rfind('_') == 7 && name.ends_with(".vtu"))
      last = std::max(last, entry.path());
  }
  return last;
}

/// "mode_1" as "mode 1".
std::string in_words(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

class RunForPage {
 public:
  explicit RunForPage(const std::filesystem::path& folder)
      : folder_(folder), run_(folder / "run.h5"), fields_(last_fields(folder)) {
    TomlDocument document = document_with_variables(folder);
    Problem problem = read_problem(std::move(document));
    require_simulation_problem(problem);
    study_ = std::make_unique<Study>(std::move(problem), Study::Variables::to_evaluate, fields_.string());
    if (!fields_.empty() && fields_.filename() != "final.vtu")
      warnings_.push_back(fmt::format("The run has no result yet: the page shows the densities of {}.",
                                      fields_.filename().string()));
  }

  json make() {
    const FileHeader& header = run_.header();
    json page = {{"name", std::filesystem::weakly_canonical(folder_).filename().string()},
                 {"title", header.title},
                 {"status", run_.status()},
                 {"version", header.version},
                 {"input", header.input_text},
                 {"overrides", header.overrides},
                 {"words", problem_in_words(study_->problem())},
                 {"history", history_of(run_)},
                 {"phases", phases_of(folder_ / "timing.csv")}};
    simulate(page);
    page["bodies"] = json::array();
    for (std::size_t i = 0; i < study_->chain().n_bodies(); ++i) {
      if (study_->chain().body(i)) page["bodies"].push_back(body(i));
    }
    page["pictures"] = pictures();
    page["warnings"] = warnings_;
    return page;
  }

 private:
  Design design() const { return study_->space().at(study_->space().start()); }

  void simulate(json& page) {
    EvaluationChain& chain = study_->chain();
    Status status = chain.reduce(design(), result_);
    if (!status.failed()) {
      is_reduced_ = chain.has_motion();
      status = study_->simulate(result_.design, events_, result_);
    }
    if (status.failed()) warnings_.push_back("The result cannot be simulated: " + status.message());
    if (result_.motion && result_.trajectory.n_stored > 0) {
      page["times"] = events_.times;
      page["motion"] = motions_of(chain, result_, warnings_);
    }
    if (status.failed()) return;
    page["numbers"] = summary_of(result_).lines;
    if (result_.motion) add_tables(result_.motion->tables(), page);
    const AllValues values = values_of_all(chain, result_);
    const std::vector<CriterionRow> rows = criterion_rows(chain, study_->space(), result_.design, values);
    std::vector<CriterionRow> cut_rows;
    if (!study_->problem().design.bodies.empty()) {
      const CutComparison comparison = compare_with_cut(chain, result_.design, values);
      cut_ = comparison.cut.design;
      if (!comparison.cut_values.empty())
        cut_rows = criterion_rows(chain, study_->space(), *cut_, comparison.cut_values);
    }
    add_functions(rows, cut_rows, page);
  }

  static void add_functions(const std::vector<CriterionRow>& rows, const std::vector<CriterionRow>& cut_rows,
                            json& page) {
    const auto number = [](const CriterionRow& row) { return row.is_adaptive ? *row.peak : row.value; };
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const CriterionRow& row = rows[i];
      page["functions"].push_back({{"name", row.name},
                                   {"unit", row.unit},
                                   {"value", number(row)},
                                   {"bound", row.bounds.text()},
                                   {"verdict", row.verdict()}});
      if (i < cut_rows.size()) page["functions"].back()["cut"] = number(cut_rows[i]);
      if (row.bounds.upper) page["bounds"][row.name]["upper"] = *row.bounds.upper;
      if (row.bounds.lower) page["bounds"][row.name]["lower"] = *row.bounds.lower;
    }
  }

  json body(std::size_t i) {
    const fem::FlexibleBody& model = *study_->chain().body(i);
    const Design at = design();
    const UnstructuredGrid grid = design_mesh(model, at.bodies[i]);
    const Skin skin = skin_of(grid, true);
    const bool is_flat = model.mesh().dim() == 2;
    json body = {{"name", model.spec().name},
                 {"flat", is_flat},
                 {"points", packed(grid.points)},
                 {"triangles", packed(skin.triangles)},
                 {"cells", packed(skin.cells)}};
    add_densities(model.spec().name, at.bodies[i].density, body);
    if (cut_) body["cut"] = packed_coarsely(cut_->bodies[i].density);
    add_sensitivity(i, model.n_elements(), body);
    add_shapes(i, body);
    return body;
  }

  /// Adds the densities of at most 40 iterations, and last those of the result.
  void add_densities(const std::string& name, const VectorXd& result, json& body) const {
    body["densities"] = json::array();
    const std::vector<std::string> stored = run_.density_bodies();
    if (std::ranges::find(stored, name) != stored.end()) {
      const std::vector<int> iterations = run_.density_iterations(name);
      for (const Index row : chosen_of(std::ssize(iterations), 40)) {
        body["densities"].push_back({{"iteration", iterations[static_cast<std::size_t>(row)]},
                                     {"values", packed_coarsely(run_.density(name, row))}});
      }
    }
    body["densities"].push_back({{"iteration", "result"}, {"values", packed_coarsely(result)}});
  }

  void add_sensitivity(std::size_t i, Index n_elements, json& body) const {
    if (fields_.empty()) return;
    const VtuCells cells = read_vtu_cells(fields_, {"density", {"sensitivity", "body"}, {}});
    const auto found = cells.arrays.find("sensitivity");
    if (found == cells.arrays.end()) return;
    VectorXd own = found->second;
    if (const auto of_body = cells.arrays.find("body"); of_body != cells.arrays.end()) {
      std::vector<Index> places;
      for (Index e = 0; e < own.size(); ++e) {
        if (of_body->second[e] == static_cast<double>(i)) places.push_back(e);
      }
      own = VectorXd(own(places));
    }
    if (own.size() == n_elements) body["sensitivity"] = packed_finely(own);
  }

  /// Adds the modes that a motion is made of, or what a question about the body has for an answer.
  void add_shapes(std::size_t i, json& body) const {
    body["shapes"] = body["stresses"] = json::array();
    if (result_.answer) {
      for (const NodalField& field : result_.answer->fields(i)) {
        const double largest = field.values.colwise().norm().maxCoeff();
        const std::string most =
            field.unit.empty() ? "" : fmt::format(", at most {:.4g} {}", largest, field.unit);
        body["shapes"].push_back(
            {{"name", in_words(field.name) + most}, {"shape", packed_finely(field.values)}});
      }
      for (const ElementField& field : result_.answer->element_fields(i))
        body["stresses"].push_back(
            {{"name", in_words(field.name)},
             {"unit", field.unit},
             {"values", packed_finely(field.values.array().isFinite().select(field.values, -1.0))}});
    } else if (is_reduced_) {
      const fem::ReducedBody& reduced = result_.reduced[i];
      for (Index k = 0; k < std::min<Index>(reduced.frequencies_hz.size(), 6); ++k)
        body["shapes"].push_back(
            {{"name", fmt::format("mode {}: {:.4g} Hz", k + 1, reduced.frequencies_hz[k])},
             {"shape", packed_finely(reduced.shapes.col(k))}});
    }
  }

  /// Adds curves over their first column, by unit, and tables of numbers. An amplitude and its phase have one colour.
  static void add_tables(const std::vector<ResultTable>& tables, json& page) {
    for (const ResultTable& table : tables) {
      std::vector<std::string> names;
      for (const TableColumn& column : table.columns) names.push_back(with_unit(column.name, column.unit));
      if (!table.has_curves) {
        json rows = json::array();
        for (const auto& row : table.values.rowwise())
          rows.push_back(std::vector<double>(row.begin(), row.end()));
        page["tables"].push_back({{"name", table.name}, {"columns", names}, {"rows", rows}});
        continue;
      }
      std::vector<std::pair<std::string, std::vector<Index>>> by_unit;
      for (Index j = 1; j < std::ssize(names); ++j) {
        const std::string& unit = table.columns[static_cast<std::size_t>(j)].unit;
        auto own = std::ranges::find(by_unit, unit, &std::pair<std::string, std::vector<Index>>::first);
        if (own == by_unit.end()) own = by_unit.insert(own, {unit, {}});
        own->second.push_back(j);
      }
      json curves = {{"axis", names.front()},
                     {"logarithmic", true},
                     {"t", packed(table.values.col(0))},
                     {"panels", json::array()}};
      for (const auto& [unit, columns] : by_unit) {
        json rows = json::array(), colors = json::array();
        for (const Index j : columns) {
          rows.push_back(table.columns[static_cast<std::size_t>(j)].name);
          colors.push_back((j - 1) / 2);
        }
        curves["panels"].push_back({{"name", table.name},
                                    {"unit", unit},
                                    {"rows", rows},
                                    {"colors", colors},
                                    {"values", packed(MatrixXd(table.values(Eigen::all, columns)))}});
      }
      page["curves"] = curves;
    }
  }

  json pictures() const {
    json pictures = json::array();
    for (const auto& [file, title] : {std::pair{"density.png", "Densities of the result"},
                                      {"cut.png", "The result cut to solid and void"},
                                      {"convergence.png", "Convergence"},
                                      {"histories.png", "Motion over time"},
                                      {"control.png", "Controls over time"}}) {
      constexpr std::uintmax_t most = 400'000;  // bytes
      std::error_code error;
      const auto size = std::filesystem::file_size(folder_ / file, error);
      if (!error && size <= most)
        pictures.push_back({{"title", title}, {"data", base64(read_text_file(folder_ / file))}});
    }
    return pictures;
  }

  /// Keeps the tables of a motion, of at most 600 instants.
  struct Tables final : StudyEvents {
    json times;
    void simulated(const StudyMotion& motion) override {
      const MotionTables& tables = motion.tables;
      if (tables.t.size() < 2) return;
      const std::vector<Index> chosen = chosen_of(tables.t.size(), 600);
      times = {{"axis", "time, s"}, {"t", packed(VectorXd(tables.t(chosen)))}, {"panels", json::array()}};
      for (const HistoryPanel& panel : tables.histories) {
        if (panel.rows.empty()) continue;
        times["panels"].push_back(
            {{"name", panel.name},
             {"unit", panel.unit},
             {"rows", panel.rows},
             {"values", packed(MatrixXd(panel.values(Eigen::all, chosen).transpose()))}});
      }
    }
  };

  std::filesystem::path folder_;
  RunReader run_;
  std::filesystem::path fields_;  ///< with the densities of its design, if there are any
  bool is_reduced_ = false;       ///< bodies have modes, which a motion is made of
  std::unique_ptr<Study> study_;
  ChainResult result_;
  Tables events_;
  std::optional<Design> cut_;
  std::vector<std::string> warnings_;
};

}  // namespace

json report_of_run(const std::filesystem::path& folder) {
  return RunForPage(folder).make();
}

}  // namespace kurbel
