#include "app/report_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/command_context.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/finished_run.hpp"
#include "app/problem_in_words.hpp"
#include "base/files.hpp"
#include "evaluation/body_mesh.hpp"
#include "input/vtu_reader.hpp"
#include "output/run_file.hpp"
#include "report/packed.hpp"
#include "report/skin.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using nlohmann::json;

/// Chooses at most so many of n columns, the first and the last among them.
std::vector<Index> chosen_of(Index n, Index most) {
  std::vector<Index> chosen;
  const Index kept = std::min(n, most);
  for (Index k = 0; k < kept; ++k) chosen.push_back(kept == 1 ? 0 : k * (n - 1) / (kept - 1));
  return chosen;
}

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

class RunForPage {
 public:
  explicit RunForPage(const std::filesystem::path& folder)
      : folder_(folder), run_(folder / "run.h5"), fields_(last_fields(folder)) {
    TomlDocument document = document_with_variables(folder);
    Problem problem = read_problem(std::move(document));
    require_motion(problem, "report");
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
      is_reduced_ = true;
      status = study_->simulate(result_.design, events_, result_);
    }
    if (status.failed()) warnings_.push_back("The result cannot be simulated: " + status.message());
    if (result_.trajectory.n_stored < 2) return;
    page["times"] = events_.times;
    page["motion"] = motion();
    if (status.failed()) return;
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
    body["modes"] = modes(i);
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

  json modes(std::size_t i) const {
    json modes = json::array();
    if (!is_reduced_) return modes;
    const fem::ReducedBody& reduced = result_.reduced[i];
    for (Index k = 0; k < std::min<Index>(reduced.frequencies_hz.size(), 6); ++k)
      modes.push_back(
          {{"hertz", reduced.frequencies_hz[k]}, {"shape", packed_finely(reduced.shapes.col(k))}});
    return modes;
  }

  /// Frames of the motion, of several cases that of the first: at most 80, and fewer where their points would take more than 1.3 megabytes.
  json motion() {
    json motion;
    bool is_first = true;
    study_->chain().draw(result_, [&](const std::string& case_name, MotionFrames& frames) {
      if (!std::exchange(is_first, false)) return;
      motion = motion_of(frames);
      if (!case_name.empty() && motion.is_object()) motion["case"] = case_name;
    });
    return motion;
  }

  json motion_of(MotionFrames& frames) {
    if (frames.n_frames() == 0) return {};
    json blocks = json::array();
    std::vector<Skin> skins;
    std::vector<std::vector<Index>> used;
    Index n_points = 0;
    for (const NamedBlock& block : frames.blocks(0)) {
      Skin& skin = skins.emplace_back(skin_of(block.grid, false));
      std::vector<int> number(static_cast<std::size_t>(block.grid.points.cols()), -1);
      std::vector<Index>& points = used.emplace_back();
      for (Eigen::MatrixXi* faces : {&skin.triangles, &skin.lines}) {
        for (int& point : faces->reshaped()) {
          int& own = number[static_cast<std::size_t>(point)];
          if (own < 0) own = static_cast<int>(points.size()), points.push_back(point);
          point = own;
        }
      }
      n_points += std::ssize(points);
      blocks.push_back({{"name", block.name},
                        {"n_points", points.size()},
                        {"triangles", packed(skin.triangles)},
                        {"lines", packed(skin.lines)}});
    }
    constexpr double bytes = 1.3e6, of_point = 3 * sizeof(std::uint16_t);
    const auto affordable =
        static_cast<Index>(bytes / (of_point * std::max(1.0, static_cast<double>(n_points))));
    if (affordable < 8) {
      warnings_.emplace_back(
          "The moving mechanism is left out: it has too many points for a page. See motion.pvd.");
      return {};
    }
    const std::vector<Index> chosen =
        chosen_of(static_cast<Index>(frames.n_frames()), std::min<Index>(80, affordable));
    std::vector<double> times;
    std::vector<MatrixXd> all(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b)
      all[b].resize(3 * std::ssize(used[b]), std::ssize(chosen));
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const auto frame = static_cast<std::size_t>(chosen[k]);
      times.push_back(frames.time(frame));
      const std::vector<NamedBlock>& now = frames.blocks(frame);
      for (std::size_t b = 0; b < blocks.size(); ++b)
        all[b].col(static_cast<Index>(k)) = now[b].grid.points(Eigen::all, used[b]).reshaped();
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b]["frames"] = packed_finely(all[b]);
    // Gravity along z says what is above.
    const Vector3d gravity = study_->problem().system.gravity.cwiseAbs();
    const bool is_z_above = gravity.z() > gravity.head<2>().maxCoeff();
    return {{"times", times}, {"blocks", blocks}, {"up", is_z_above ? "z" : "y"}};
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
      const std::vector<Index> chosen = chosen_of(tables.t.size(), 600);
      times = {{"t", packed(VectorXd(tables.t(chosen)))}, {"panels", json::array()}};
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
  bool is_reduced_ = false;
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
