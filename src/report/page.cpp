#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/errors.hpp"
#include "base/version.hpp"
#include "report/html_text.hpp"
#include "report/resources.hpp"
#include "report/study_points.hpp"
#include "report/study_text.hpp"

namespace kurbel {

namespace {

using nlohmann::json;

std::string text_of(const json& run, const char* key) {
  return escaped(run.value(key, std::string()));
}

std::string number_cell(const json& row, const char* key) {
  return row.contains(key) ? fmt::format("<td class=\"number\">{:.6g}</td>", row[key].get<double>())
                           : "<td></td>";
}

std::string functions_table(const json& run) {
  if (!run.contains("functions")) return {};
  std::string html =
      "<table><tr><th></th><th>design</th><th>cut</th><th>bound</th><th>unit</th><th></th></tr>\n";
  for (const json& row : run["functions"]) {
    const std::string verdict = text_of(row, "verdict");
    html += fmt::format("<tr><td>{}</td>{}{}<td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
                        text_of(row, "name"), number_cell(row, "value"), number_cell(row, "cut"),
                        text_of(row, "bound"), text_of(row, "unit"),
                        verdict.starts_with("violated") ? "violated" : "", verdict);
  }
  return html + "</table>\n";
}

std::string list_of(const json& sentences) {
  std::string html = "<ul>\n";
  for (const json& sentence : sentences)
    html += fmt::format("<li>{}</li>\n", escaped(sentence.get<std::string>()));
  return html + "</ul>\n";
}

std::string table_of(const json& table) {
  std::string html = fmt::format("<h3>{}</h3>\n<div class=\"table\"><table><tr>", text_of(table, "name"));
  for (const json& name : table["columns"])
    html += fmt::format("<th>{}</th>", escaped(name.get<std::string>()));
  for (const json& row : table["rows"]) {
    html += "</tr>\n<tr>";
    for (const json& number : row)
      html += fmt::format("<td class=\"number\">{:.6g}</td>", number.get<double>());
  }
  return html + "</tr></table></div>\n";
}

std::string phases_bar(const json& run) {
  double total = 0.0;
  for (const json& phase : run["phases"]) total += phase["seconds"].get<double>();
  if (total <= 0.0) return {};
  static constexpr const char* colors[] = {"#2f6db5", "#d9772b", "#3f9b5b", "#a04fa6", "#6b6f76"};
  std::string html = fmt::format("<h3>Time of all evaluations: {:.3g} s</h3>\n<div class=\"bar\">", total);
  std::size_t k = 0;
  for (const json& phase : run["phases"]) {
    const double share = phase["seconds"].get<double>() / total;
    html += fmt::format("<span style=\"width:{:.1f}%;background:{}\" title=\"{:.3g} s\">{} {:.0f} %</span>",
                        100.0 * share, colors[k++ % std::size(colors)], phase["seconds"].get<double>(),
                        text_of(phase, "name"), 100.0 * share);
  }
  return html + "</div>\n";
}

std::string pictures_of(const json& run) {
  std::string html;
  for (const json& picture : run["pictures"])
    html += fmt::format("<h3>{0}</h3>\n<img alt=\"{0}\" src=\"data:image/png;base64,{1}\">\n",
                        text_of(picture, "title"), picture["data"].get<std::string>());
  return html;
}

std::string section(const std::string& title, const std::string& content, const std::string& id = {}) {
  const std::string place =
      id.empty() ? std::string() : fmt::format("<div class=\"views\" id=\"{}\"></div>\n", id);
  return fmt::format("<section>\n<h2>{}</h2>\n{}{}</section>\n", title, content, place);
}

std::string run_section(const json& run, std::size_t r) {
  std::string notes;
  for (const json& note : run["warnings"])
    notes += fmt::format("<p class=\"note\">{}</p>\n", escaped(note.get<std::string>()));
  std::string input = text_of(run, "input");
  for (const json& one : run["overrides"])
    input += fmt::format("\n# --set {}", escaped(one.get<std::string>()));
  const auto place = [r](const char* what) { return fmt::format("{}-{}", what, r); };
  std::string html = fmt::format(
      "<header>\n<h1>{}</h1>\n<p>{} <span class=\"status\">{}</span></p>\n{}{}</header>\n",
      text_of(run, "title"), text_of(run, "name"), text_of(run, "status"), notes, functions_table(run));
  const auto has = [&](const char* key) { return run.contains(key) && !run[key].empty(); };
  html += section("The problem", list_of(run["words"]));
  if (has("numbers")) {
    std::string tables;
    for (const json& table : run.value("tables", json::array())) tables += table_of(table);
    html += section("Results in numbers", list_of(run["numbers"]) + tables);
  }
  if (has("bodies")) html += section("Design", "", place("design"));
  if (has("motion")) html += section("Mechanism", "", place("motion"));
  if (has("history")) html += section("Convergence", phases_bar(run), place("convergence"));
  if (has("curves")) html += section("Over frequency", "", place("curves"));
  if (has("times")) html += section("Over time", "", place("times"));
  if (has("pictures")) html += section("Pictures", pictures_of(run));
  return html + section("Input file", "<pre>" + input + "</pre>\n");
}

std::string comparison(const json& a, const json& b) {
  std::string html =
      fmt::format("<table><tr><th></th><th>{}</th><th>{}</th><th>change</th><th>unit</th></tr>\n",
                  text_of(a, "name"), text_of(b, "name"));
  for (const json& row : a.value("functions", json::array())) {
    for (const json& other : b.value("functions", json::array())) {
      if (row["name"] != other["name"]) continue;
      const double x = row["value"], y = other["value"];
      html +=
          fmt::format("<tr><td>{}</td>{}{}<td class=\"number\">{}</td><td>{}</td></tr>\n",
                      text_of(row, "name"), number_cell(row, "value"), number_cell(other, "value"),
                      x != 0.0 ? fmt::format("{:+.3g} %", 100.0 * (y / x - 1.0)) : "", text_of(row, "unit"));
    }
  }
  return section("Two runs", html + "</table>\n", "comparison");
}

/// JSON that no HTML parser mistakes for the end of its element.
std::string data_text(const json& data) {
  std::string out;
  for (const char c : data.dump(-1, ' ', false, json::error_handler_t::replace)) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

/// The page up to its body.
std::string head_of(const std::string& title) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += fmt::format("<title>{}</title>\n<style>\n", title);
  html += page_css();
  return html + "</style>\n</head>\n<body>\n";
}

std::string study_table(const json& study) {
  std::string html = "<div class=\"table\"><table><tr><th>variant</th>";
  for (const json& key : study["keys"]) html += fmt::format("<th>{}</th>", escaped(key.get<std::string>()));
  html += "<th>status</th>";
  for (const json& name : study["functions"])
    html += fmt::format("<th>{}</th>", escaped(name.get<std::string>()));
  html += "<th class=\"fronts\">on the Pareto front of</th></tr>\n";
  const std::vector<StudyFront> fronts = fronts_of(study);
  for (std::size_t i = 0; i < study["rows"].size(); ++i) {
    const json& row = study["rows"][i];
    html += fmt::format("<tr><td>{}</td>", text_of(row, "variant"));
    for (const json& key : study["keys"])
      html += fmt::format("<td>{}</td>", escaped(row["values"][key.get<std::string>()].get<std::string>()));
    html += fmt::format("<td class=\"{}\">{}{}</td>", row.contains("violated") ? "violated" : "",
                        text_of(row, "status"), row.contains("violated") ? ", a bound is violated" : "");
    const json functions = row.value("functions", json::object());
    for (const json& name : study["functions"])
      html += number_cell(functions, name.get<std::string>().c_str());
    html += fmt::format("<td class=\"fronts\">{}</td></tr>\n", escaped(fronts_text(fronts, i)));
  }
  return html + "</table></div>\n";
}

/// The data that the page's script plots: axes, and Pareto fronts.
json study_data(const json& study) {
  json rows = json::array(), axes = json::array(), fronts = json::array();
  for (const json& row : study["rows"])
    rows.push_back({{"variant", row["variant"]}, {"violated", row.contains("violated")}});
  std::vector<StudyAxis> all = axes_of_keys(study);
  std::ranges::move(axes_of_functions(study), std::back_inserter(all));
  for (const StudyAxis& axis : all)
    axes.push_back({{"name", axis.name},
                    {"label", axis.label},
                    {"logarithmic", axis.is_logarithmic()},
                    {"values", axis.values},
                    {"categories", axis.categories}});
  for (const StudyFront& front : fronts_of(study))
    fronts.push_back({{"x", front.x}, {"y", front.y}, {"variants", front.variants}});
  return {{"rows", rows}, {"axes", axes}, {"fronts", fronts}, {"n_keys", study["keys"].size()}};
}

std::string study_pictures(const json& study) {
  std::string html = "<div class=\"views\">\n";
  for (const json& row : study["rows"]) {
    if (!row.contains("picture")) continue;
    std::string what;
    for (const auto& [key, value] : row["values"].items())
      what += fmt::format("{}{} = {}", what.empty() ? "" : ", ", key, value.get<std::string>());
    html += fmt::format(
        "<div class=\"view\"><h3>{}: {}</h3><img alt=\"shape\" src=\"data:image/png;base64,{}\"></div>\n",
        text_of(row, "variant"), escaped(what), row["picture"].get<std::string>());
  }
  return html + "</div>\n";
}

}  // namespace

void require_page_libraries() {
  if (three_js().empty() || chart_js().empty()) {
    throw InputError(
        "this kurbel was built without the libraries that draw on a page; install libjs-three and "
        "libjs-chart.js and build "
        "again (scripts/install.sh installs them on Debian)");
  }
}

std::string html_of(const std::vector<json>& runs) {
  require_page_libraries();
  std::string body;
  if (runs.size() > 1) body += comparison(runs[0], runs[1]);
  for (std::size_t r = 0; r < runs.size(); ++r) body += run_section(runs[r], r);
  std::string html = head_of(text_of(runs.front(), "title"));
  html += body;
  html += fmt::format("<footer>Written by kurbel {}.</footer>\n", version());
  html +=
      "<script type=\"application/json\" id=\"data\">" + data_text({{"runs", runs}}) + "</script>\n<script>";
  html += three_js();
  html += "</script>\n<script>";
  html += chart_js();
  html += "</script>\n<script>\n";
  html += page_js();
  return html + "</script>\n</body>\n</html>\n";
}

std::string html_of_study(const json& study) {
  if (chart_js().empty()) return {};
  std::string html = head_of(text_of(study, "title"));
  html += fmt::format("<header><h1>{}</h1></header>\n", text_of(study, "title"));
  html += section("Variants",
                  "<div class=\"view\"><div class=\"controls\"><label>across <select "
                  "id=\"x\"></select></label> <label>up <select "
                  "id=\"y\"></select></label> <label>colour <select id=\"color\"></select></label> hollow: "
                  "a bound is violated; line: Pareto front</div><div "
                  "class=\"chart\"><canvas id=\"chart\"></canvas></div></div>\n");
  if (const std::string matrix = svg_of_study(study); !matrix.empty())
    html += section("Functions over parameters", "<div class=\"table\">" + matrix + "</div>\n");
  html += section("Table", study_table(study)) + section("Shapes", study_pictures(study));
  html += fmt::format("<footer>Written by kurbel {}.</footer>\n", version());
  html +=
      "<script type=\"application/json\" id=\"data\">" + data_text(study_data(study)) + "</script>\n<script>";
  html += chart_js();
  html += "</script>\n<script>\n";
  html += study_js();
  return html + "</script>\n</body>\n</html>\n";
}

}  // namespace kurbel
