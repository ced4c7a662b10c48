/// @file
/// The folder of a study: the files of its variants, and the table and pages of all.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/study_file.hpp"

namespace kurbel {

/// Numbers and texts of a JSON object that may be damaged: nothing, or `absent`, where there is none.
std::optional<double> number_in(const nlohmann::json& of, const char* key);
std::string text_or(const nlohmann::json& of, const char* key, const std::string& absent);

class StudyFolder {
 public:
  /// @throws InputError if files of others have the names of a study's
  StudyFolder(std::filesystem::path folder, StudyFile file);

  const StudyFile& study() const { return file_; }
  std::size_t n_variants() const { return file_.samples.size(); }

  /// "key=value" of each key that varies.
  std::vector<std::string> overrides(std::size_t variant) const;
  /// Says what the run is: variants of one name have the same problem, command and values.
  std::string name(std::size_t variant) const;
  /// The file of a variant: its run (""), ".log", ".json" when it is done, ".failed.json" with the reason if it is not.
  std::filesystem::path file(std::size_t variant, const char* ending) const;

  /// The content of a file of numbers; null if there is none, or it is damaged.
  nlohmann::json numbers(std::size_t variant, const char* ending) const;
  bool is_done(std::size_t variant) const { return !numbers(variant, ".json").is_null(); }
  /// The last line of the log with an error.
  std::string last_error(std::size_t variant) const;

  /// Takes the numbers of a run that has ended well.
  void keep(std::size_t variant, nlohmann::json numbers) const;
  /// Keeps the reason of a failure for the table. The variant is tried again when the study is run again.
  void keep_failure(std::size_t variant, const std::string& reason) const;

  /// study.csv, study.svg and study.html of all that has ended so far.
  void write_table() const;
  std::filesystem::path table() const { return folder_ / "study.csv"; }
  bool has_page() const { return std::filesystem::exists(folder_ / "study.html"); }

 private:
  void claim() const;
  void write(std::size_t variant, const char* ending, nlohmann::json numbers) const;
  nlohmann::json row_of(std::size_t variant) const;
  void replace(const char* name, const std::string& text) const;
  void add_pictures(nlohmann::json& rows) const;

  std::filesystem::path folder_;
  StudyFile file_;
  std::string problem_;  ///< its text, with what it includes
};

}  // namespace kurbel
