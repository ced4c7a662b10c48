#include "app/study_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/digest.hpp"
#include "base/errors.hpp"
#include "base/files.hpp"
#include "keys/toml_sources.hpp"
#include "report/packed.hpp"
#include "report/page.hpp"
#include "report/study_text.hpp"

namespace kurbel {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A value as a reader writes it: text without its quotes.
std::string shown(const std::string& value) {
  const bool is_text = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return is_text ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

std::string text_or(const json& of, const char* key, const std::string& absent) {
  return of.contains(key) && of[key].is_string() ? of[key].get<std::string>() : absent;
}

std::optional<double> number_in(const json& of, const char* key) {
  return of.contains(key) && of[key].is_number() ? std::optional(of[key].get<double>()) : std::nullopt;
}

StudyFolder::StudyFolder(fs::path folder, StudyFile file)
    : folder_(std::move(folder)), file_(std::move(file)) {
  for (const fs::path& source : toml_sources(file_.problem.string()))
    problem_ += read_text_file(source) + '\0';
  claim();
}

/// A study replaces its own files alone.
void StudyFolder::claim() const {
  fs::create_directories(folder_);
  const fs::path mark = folder_ / ".kurbel-study";
  for (const char* name : {"study.csv", "study.html", "study.svg"}) {
    if (!fs::exists(mark) && fs::exists(folder_ / name))
      throw InputError(
          fmt::format("cannot write to {}: its {} was not written by a study; choose another folder",
                      folder_.string(), name));
  }
  write_text_file(mark, "kurbel study\n");
}

std::string StudyFolder::name(std::size_t variant) const {
  constexpr std::size_t digits = 10;
  return digest_of(fmt::format("{}\n{}\n{}", problem_, file_.command, fmt::join(overrides(variant), "\n")))
      .substr(0, digits);
}

fs::path StudyFolder::file(std::size_t variant, const char* ending) const {
  return folder_ / (name(variant) + ending);
}

std::vector<std::string> StudyFolder::overrides(std::size_t variant) const {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < file_.keys.size(); ++k)
    texts.push_back(file_.keys[k] + "=" + file_.samples[variant][k]);
  return texts;
}

json StudyFolder::numbers(std::size_t variant, const char* ending) const {
  const fs::path file = this->file(variant, ending);
  if (!fs::exists(file)) return {};
  json found = json::parse(read_text_file(file), nullptr, false);
  return found.is_object() ? found : json();
}

std::string StudyFolder::last_error(std::size_t variant) const {
  const std::string log = read_text_file(file(variant, ".log"));
  const std::size_t place = log.rfind("error: ");
  if (place == std::string::npos) return "interrupted";
  return log.substr(place, log.find('\n', place) - place);
}

/// The ".part.json" of the run, which has ended, is not needed any more.
void StudyFolder::write(std::size_t variant, const char* ending, json numbers) const {
  numbers["study"] = {{"overrides", overrides(variant)}, {"command", file_.command}};
  write_text_file(file(variant, ending), numbers.dump(1, ' ', false, json::error_handler_t::replace));
  std::error_code ignored;
  fs::remove(file(variant, ".part.json"), ignored);
}

void StudyFolder::keep(std::size_t variant, json numbers) const {
  write(variant, ".json", std::move(numbers));
  std::error_code ignored;
  fs::remove(file(variant, ".failed.json"), ignored);
}

void StudyFolder::keep_failure(std::size_t variant, const std::string& reason) const {
  write(variant, ".failed.json", {{"error", reason}});
}

json StudyFolder::row_of(std::size_t variant) const {
  json row = {{"variant", name(variant)}};
  for (std::size_t k = 0; k < file_.keys.size(); ++k)
    row["values"][file_.keys[k]] = shown(file_.samples[variant][k]);
  const json found = numbers(variant, ".json");
  if (found.is_null()) {
    const json failed = numbers(variant, ".failed.json");
    row["status"] = failed.is_null() ? std::string("not run") : text_or(failed, "error", "failed");
    return row;
  }
  row["status"] = text_or(found, "status", "done");
  const auto take = [&](const std::string& function, const json& of, const char* key) {
    if (const auto value = number_in(of, key)) row["functions"][function] = *value;
  };
  take("psi", found, "psi");
  const json none = json::array();
  for (const json& of_row : found.contains("constraints") ? found["constraints"] : none) {
    const std::string function = text_or(of_row, "name", "");
    if (function.empty() || function == "objective") continue;
    take(function, of_row, "value"), take(function, of_row, "peak");
    const bool has_lower = number_in(of_row, "lower").has_value();
    if (has_lower != number_in(of_row, "upper").has_value())
      row["senses"][function] = has_lower ? "larger" : "smaller";
    if (of_row.contains("met") && of_row["met"] == false) row["violated"] = true;
  }
  take("grey_level", found, "grey_level"), take("wall_seconds", found, "wall_seconds");
  return row;
}

void StudyFolder::write_table() const {
  std::vector<json> rows;
  std::vector<std::string> functions;
  for (std::size_t i = 0; i < n_variants(); ++i) {
    rows.push_back(row_of(i));
    const json own = rows.back().value("functions", json::object());
    for (const auto& [name, value] : own.items()) {
      if (std::ranges::find(functions, name) == functions.end()) functions.push_back(name);
    }
  }
  if (const auto psi = std::ranges::find(functions, "psi"); psi != functions.end())
    std::rotate(functions.begin(), psi, psi + 1);
  json study = {{"title", fmt::format("Study of {}", file_.problem.filename().string())},
                {"keys", file_.keys},
                {"functions", functions},
                {"rows", std::move(rows)}};
  replace("study.csv", csv_of_study(study));
  if (const std::string picture = svg_of_study(study); !picture.empty()) replace("study.svg", picture);
  add_pictures(study["rows"]);
  if (const std::string page = html_of_study(study); !page.empty()) replace("study.html", page);
}

/// Other shares of the study, also on other machines, may write the same file at the same time: each has a file of its own
/// that takes its place.
void StudyFolder::replace(const char* name, const std::string& text) const {
  const fs::path own = folder_ / fmt::format("{}.{:08x}", name, std::random_device()());
  write_text_file(own, text);
  fs::rename(own, folder_ / name);
}

/// The page has the pictures of as many shapes as fit into some megabytes.
void StudyFolder::add_pictures(json& rows) const {
  std::uintmax_t left = 4'000'000;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const fs::path picture = file(i, "") / "density.png";
    std::error_code error;
    const std::uintmax_t size = fs::file_size(picture, error);
    if (error || size > left) continue;
    left -= size;
    rows[i]["picture"] = base64(read_text_file(picture));
  }
}

}  // namespace kurbel
