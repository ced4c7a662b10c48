#include "app/cut_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "app/criteria_report.hpp"
#include "base/timer.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

using Rows = std::vector<CriterionRow>;

constexpr double much_grey = 0.05;    ///< grey level
constexpr double another_psi = 0.05;  ///< relative
constexpr double many_thin = 0.2;     ///< of the solid
constexpr const char* remedy_of_pieces = "Its separate pieces may be the reason: connect them first.";

std::string in_short(double value) {
  return fmt::format("{:.6g}", value);
}

/// The number that its bounds are compared with.
double compared_value(const CriterionRow& row) {
  return row.is_adaptive ? *row.peak : row.value;
}

class CutReport {
 public:
  CutReport(const EvaluationChain& chain, const DesignSpace& space, const CutComparison& comparison)
      : problem_(chain.problem()), space_(space), of_(comparison) {
    if (!of_.grey_values.empty()) grey_ = criterion_rows(chain, space, of_.grey, of_.grey_values);
    if (of_.cut_values.empty()) return;
    cut_ = criterion_rows(chain, space, of_.cut.design, of_.cut_values);
    allow_for_one_element(chain);
  }

  ReportTable table() const {
    ReportTable table{{{"", "{}", "", "", 0, true},
                       {"design", "{}"},
                       {"cut", "{}"},
                       {"bound", "{}", "", "", 0, true},
                       {"unit", "{}", "", "", 0, true},
                       {"", "{}"}},
                      {}};
    const Rows& rows = cut_.empty() ? grey_ : cut_;
    for (std::size_t i = 0; i < rows.size(); ++i) table.rows.push_back(line_of(i, rows[i]));
    table.rows.push_back(
        {"grey_level", in_short(grey_level()), in_short(space_.grey_level(of_.cut.design)), {}, {}, {}});
    for (const CutBody& body : of_.cut.bodies) add_lines(body, table);
    const char* feasible = grey_.empty() ? "" : meet_bounds(grey_) ? "yes" : "no";
    table.rows.push_back({"feasible", feasible, is_feasible() ? "yes" : "no", {}, {}, {}});
    return table;
  }

  void warn() const {
    if (grey_level() > much_grey) {
      log_warning(
          fmt::format("the grey level is {:.2g}: psi depends on material that is neither solid nor void. {}",
                      grey_level(), remedy_of_grey()));
    }
    if (!of_.failure.empty()) {
      log_warning(fmt::format(
          "the cut of the design cannot be simulated: {}. The results are those of the design. {}",
          of_.failure, remedy_of_change()));
    }
    for (const CutBody& body : of_.cut.bodies) warn_of_pieces(body);
    warn_of_constraints();
    // With projection.robust psi of the design is the worst of three, and may be above that of the cut.
    const double change = problem_.projection.robust > 0.0 ? psi_change() : std::abs(psi_change());
    if (change > another_psi) {
      log_warning(fmt::format("psi of the cut differs by {:+.3g} % from that of the design. {}",
                              100.0 * psi_change(), remedy_of_change()));
    }
  }

  nlohmann::json numbers() const {
    nlohmann::json numbers = {{"feasible", is_feasible()},
                              {"volume_fraction", space_.volume_fraction(of_.cut.design)},
                              {"mass", space_.mass(of_.cut.design)},
                              {"grey_level", grey_level()},
                              {"seconds", of_.seconds}};
    if (!of_.failure.empty()) numbers["failure"] = of_.failure;
    if (!cut_.empty()) numbers["constraints"] = table_of(cut_).numbers();
    if (!of_.cut_values.empty() && !problem_.objective.empty()) numbers["psi"] = of_.cut_values.front().value;
    if (std::isfinite(psi_change())) numbers["psi_change"] = psi_change();
    for (const CutBody& body : of_.cut.bodies) numbers["bodies"][name_of(body)] = numbers_of(body);
    return numbers;
  }

 private:
  const std::string& name_of(const CutBody& body) const { return problem_.bodies[body.body].name; }
  double grey_level() const { return space_.grey_level(of_.grey); }

  /// Relative to psi of the design; NaN where one of them is missing.
  double psi_change() const {
    if (of_.grey_values.empty() || of_.cut_values.empty() || problem_.objective.empty())
      return std::numeric_limits<double>::quiet_NaN();
    const double psi = of_.grey_values.front().value;
    return (of_.cut_values.front().value - psi) / std::abs(psi);
  }

  static bool meet_bounds(const Rows& rows) { return std::ranges::all_of(rows, &CriterionRow::is_met); }
  bool is_feasible() const { return !of_.cut_values.empty() && meet_bounds(cut_) && is_whole(); }
  bool is_whole() const {
    return std::ranges::all_of(of_.cut.bodies, [](const CutBody& body) { return body.pieces.is_whole(); });
  }

  /// A cut has whole elements: it meets bounds of volume and mass to within one.
  void allow_for_one_element(const EvaluationChain& chain) {
    double volume = 0.0, mass = 0.0, total = 0.0;
    for (const std::size_t i : space_.bodies()) total += chain.body(i)->mesh().volumes().sum();
    for (const CutBody& body : of_.cut.bodies) {
      volume = std::max(volume, body.largest_element), mass = std::max(mass, body.mass_of_largest_element);
    }
    for (CriterionRow& row : cut_) {
      const double allowed = row.name == "volume_fraction" ? volume / total : row.name == "mass" ? mass : 0.0;
      if (allowed > 0.0 && row.bounds.upper && row.value <= *row.bounds.upper + allowed) row.is_met = true;
    }
  }

  std::vector<nlohmann::json> line_of(std::size_t i, const CriterionRow& row) const {
    const auto text = [&](const Rows& rows) {
      return rows.empty() ? "" : fmt::format("{:.8g}", compared_value(rows[i]));
    };
    const char* verdict = !row.bounds.any() || cut_.empty() ? "" : row.is_met ? "met" : "violated";
    return {row.name + (row.is_adaptive ? ", true peak" : ""),
            text(grey_),
            text(cut_),
            row.bounds.text(),
            row.unit,
            verdict};
  }

  void add_lines(const CutBody& body, ReportTable& table) const {
    const std::string whose = of_.cut.bodies.size() > 1 ? name_of(body) + ": " : "";
    const auto add = [&](const std::string& name, const std::string& value, const char* unit) {
      table.rows.push_back({whose + name, {}, value, {}, unit, {}});
    };
    add("solid from density", in_short(body.threshold), "");
    add("pieces", fmt::format("{}", body.pieces.n), "");
    add("islands", fmt::format("{}", body.pieces.islands.size()), "");
    for (const ThinMembers& thin : body.thin) {
      add(fmt::format("thinner than {} ({:.4g} m)", thin.than, thin.diameter),
          fmt::format("{:.3g}", 100.0 * thin.share), "% of the solid");
    }
    if (body.too_wide)
      add(fmt::format("wider than {:.4g} m",
                      *problem_.bodies[body.body].flexible.manufacturing.maximum_member),
          fmt::format("{:.3g}", 100.0 * *body.too_wide), "% of the solid");
    if (body.least_sizes) {
      const auto& [asked, found] = *body.least_sizes;
      add(fmt::format("smallest member (asked {:.4g} m)", asked.member), fmt::format("{:.4g}", found.member),
          "m");
      const bool has_gaps = std::isfinite(found.gap);
      add(fmt::format("smallest gap (asked {:.4g} m)", asked.gap),
          has_gaps ? fmt::format("{:.4g}", found.gap) : "none", has_gaps ? "m" : "");
    }
    for (const Asked& asked : asked_of(body)) {
      const auto percent = [](double share) { return fmt::format("{:.3g}", 100.0 * share); };
      add(asked.text, percent(asked.share.varied), "% of the solid");
      if (asked.share.fixed > 0.0)
        add(asked.text + ", in regions", percent(asked.share.fixed), "% of the solid");
    }
  }

  /// What is found of what [bodies.*.manufacturing] asks for.
  struct Asked {
    const char* key;
    std::string text;
    fem::Unmakeable::Share share;
  };
  std::vector<Asked> asked_of(const CutBody& body) const {
    const fem::ManufacturingSpec& spec = problem_.bodies[body.body].flexible.manufacturing;
    const fem::Unmakeable& found = body.unmakeable;
    std::vector<Asked> all;
    if (found.not_extruded)
      all.push_back({"not_extruded",
                     fmt::format("extrusion along {}: unlike its column", "xyz"[*spec.extrusion]),
                     *found.not_extruded});
    if (found.undercut) all.push_back({"undercut", "casting: undercut", *found.undercut});
    if (found.unsupported)
      all.push_back({"unsupported",
                     fmt::format("overhang: unsupported at {:.4g} degrees",
                                 spec.overhang->angle * 180.0 / std::numbers::pi),
                     *found.unsupported});
    return all;
  }

  nlohmann::json numbers_of(const CutBody& body) const {
    nlohmann::json numbers = {{"threshold", body.threshold},
                              {"pieces", body.pieces.n},
                              {"islands", body.pieces.islands.size()},
                              {"island_share", body.island_share},
                              {"apart", body.pieces.apart}};
    if (body.too_wide) numbers["too_wide"] = *body.too_wide;
    if (body.least_sizes) {
      const auto& [asked, found] = *body.least_sizes;
      numbers["smallest_member"] = {{"asked", asked.member}, {"found", found.member}};
      numbers["smallest_gap"] = {{"asked", asked.gap},
                                 {"found", std::isfinite(found.gap) ? nlohmann::json(found.gap) : nullptr}};
    }
    for (const Asked& asked : asked_of(body))
      numbers["manufacturing"][asked.key] = {{"varied", asked.share.varied}, {"regions", asked.share.fixed}};
    for (const ThinMembers& thin : body.thin)
      numbers["thinner_than"][thin.than] = {{"diameter", thin.diameter}, {"share", thin.share}};
    return numbers;
  }

  /// Returns the advice after a change of psi: the pieces of a cut that is not whole; the mesh, if there are thin members and
  /// little is grey; else the projection.
  std::string remedy_of_change() const {
    if (!is_whole()) return remedy_of_pieces;
    double share = 0.0;
    for (const CutBody& body : of_.cut.bodies) share = std::max(share, share_thinner_than_two_elements(body));
    if (grey_level() > much_grey || share <= many_thin) return remedy_of_grey();
    return fmt::format("{:.0f} % of the solid is thinner than two elements: refine the mesh{}", 100.0 * share,
                       problem_.projection.robust > 0.0
                           ? " or raise filter.radius."
                           : ", raise filter.radius, or state projection.robust for a least width.");
  }

  static double share_thinner_than_two_elements(const CutBody& body) {
    const auto found = std::ranges::find(body.thin, std::string("two elements"), &ThinMembers::than);
    return found == body.thin.end() ? 0.0 : found->share;
  }

  std::string remedy_of_grey() const {
    if (problem_.projection.type == ProjectionOptions::Type::none)
      return "Add [projection] with type = \"heaviside\".";
    return fmt::format("Raise projection.beta_max ({:g}) or optimizer.stop.iterations.",
                       problem_.projection.beta_max);
  }

  void warn_of_constraints() const {
    for (std::size_t i = 0; i < cut_.size(); ++i) {
      const CriterionRow& row = cut_[i];
      if (row.is_met) continue;
      const bool as_design = !grey_.empty() && !grey_[i].is_met;
      log_warning(fmt::format("the cut violates {}. {}", row.violation(compared_value(row)),
                              as_design ? "The design violates it, too: raise optimizer.stop.iterations, or "
                                          "loosen the bound."
                                        : remedy_of_cutting(row)));
    }
  }

  /// Returns the advice for a constraint that the design meets and its cut violates.
  std::string remedy_of_cutting(const CriterionRow& row) const {
    const bool of_design = row.name == "volume_fraction" || row.name == "mass";
    if (!is_whole() && !of_design) return remedy_of_pieces;
    if (row.bounds.equals)
      return "State the accuracy that is needed in optimizer.feasibility, or lower the grey level. " +
             remedy_of_grey();
    if (row.name.ends_with(".excess_of_members"))
      return "Raise manufacturing.maximum_member, refine the mesh, or lower the grey level. " +
             remedy_of_grey();
    return fmt::format("Tighten constraints.{}{}, or lower the grey level. {}", of_design ? "" : "criteria.",
                       row.name, remedy_of_grey());
  }

  void warn_of_pieces(const CutBody& body) const {
    const fem::Pieces& pieces = body.pieces;
    if (!pieces.islands.empty()) {
      log_warning(fmt::format(
          "body {}: {} of {} pieces of the cut, {:.2g} % of its solid, touch neither the clamp nor a marker. "
          "Refine the mesh, raise filter.radius, or state a region there in [bodies.{}.regions].{}",
          name_of(body), pieces.islands.size(), pieces.n, 100.0 * body.island_share, name_of(body),
          remedy_of_thin(body)));
    }
    for (const auto& [from, to] : pieces.apart) {
      log_warning(
          fmt::format("body {}: no piece of the cut connects {} with {}. Refine the mesh, or raise "
                      "filter.radius or constraints.volume_fraction.{}",
                      name_of(body), from, to, remedy_of_thin(body)));
    }
  }

  /// Returns the advice for a body whose members are narrow. A thick plane body needs little of its area.
  std::string remedy_of_thin(const CutBody& body) const {
    if (share_thinner_than_two_elements(body) <= many_thin) return "";
    const bool is_plane = problem_.bodies[body.body].flexible.mesh.dim == 2;
    std::string remedy = is_plane ? " Members are narrow; a smaller mesh.thickness makes them wider" : "";
    if (problem_.projection.robust > 0.0) return is_plane ? remedy + "." : "";
    return remedy + (is_plane ? ", and" : " Members are narrow;") +
           " projection.robust gives them a least width.";
  }

  const Problem& problem_;
  const DesignSpace& space_;
  const CutComparison& of_;
  Rows grey_, cut_;
};

}  // namespace

AllValues values_of_all(const EvaluationChain& chain, const ChainResult& result) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  AllValues all(1 + chain.functions().size(), {none, none, none});
  all.front() = result.values.front();
  const std::vector<std::size_t>& requested = chain.requested().functions;
  for (std::size_t j = 0; j < requested.size(); ++j) all[1 + requested[j]] = result.values[1 + j];
  return all;
}

CutComparison compare_with_cut(EvaluationChain& chain, Design grey, AllValues grey_values) {
  const Timer timer;
  CutDesign cut = cut_to_solid_and_void(chain.bodies(), grey);
  CutComparison comparison{std::move(grey), std::move(grey_values), std::move(cut)};
  ChainResult result;
  Status status = chain.reduce(comparison.cut.design, result);
  if (!status.failed()) status = chain.simulate(result);
  comparison.poses = start_poses(result);
  if (status.failed()) {
    comparison.failure = status.message();
  } else {
    comparison.cut_values = values_of_all(chain, result);
  }
  comparison.seconds = timer.seconds();
  return comparison;
}

void write_cut(RunDirectory& folder, const EvaluationChain& chain, const DesignSpace& space,
               const CutComparison& comparison) {
  const CutDesign& cut = comparison.cut;
  BodyFields pieces = cut.design.densities();
  for (VectorXd& of_body : pieces) of_body.setZero();
  for (const CutBody& body : cut.bodies) {
    const std::vector<int>& of_element = body.pieces.of_element;
    pieces[body.body] =
        Eigen::Map<const Eigen::VectorXi>(of_element.data(), std::ssize(of_element)).cast<double>();
  }
  std::vector<FieldArray> arrays = design_arrays(space, cut.design);
  arrays.push_back(cell_array("piece", space, pieces));
  write_design_fields(folder / "cut.vtu", {chain, space, cut.design, comparison.poses}, std::move(arrays));
  if (!chain.problem().output.picture) return;
  write_density_pictures(
      folder, folder / "cut.png", chain,
      {space, cut.design, cut.design.densities(), picture_title(chain.problem().title, "cut")},
      comparison.poses);
}

void report_cut(const EvaluationChain& chain, const DesignSpace& space, const CutComparison& comparison,
                Report& report) {
  const CutReport cut(chain, space, comparison);
  report.line("the design and its cut to solid and void, each body at its own volume:");
  report.show(cut.table());
  cut.warn();
  report["cut"] = cut.numbers();
}

}  // namespace kurbel
