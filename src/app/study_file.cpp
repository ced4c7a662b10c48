#include "app/study_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>

#include "base/errors.hpp"
#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "keys/toml_document.hpp"

namespace kurbel {

namespace {

using Rows = std::vector<std::vector<std::string>>;

class StudyReader {
 public:
  explicit StudyReader(const std::string& file) : document_(TomlDocument::read(file)) {}

  StudyFile read() {
    static const std::vector<std::string> known = {"problem", "command", "sampling",
                                                   "samples", "seed",    "study"};
    for (const TomlEntry& entry : *document_.root.table()) {
      if (std::ranges::find(known, entry.key) == known.end())
        throw document_.error(entry.key,
                              fmt::format("is no key of a study{}", spelling_advice(entry.key, known, "")));
    }
    StudyFile study;
    study.problem = document_.directory / word("problem", {}, "");
    if (!std::filesystem::is_regular_file(study.problem))
      throw document_.error("problem", fmt::format("= \"{}\" is no file", study.problem.string()));
    study.command = word("command", {"optimize", "simulate"}, "optimize");
    const std::string sampling = word("sampling", {"grid", "list", "latin-hypercube"}, "grid");
    for (const char* key : {"samples", "seed"}) {
      if (document_.find(key) && sampling != "latin-hypercube")
        throw document_.error(key, "needs sampling = \"latin-hypercube\"");
    }
    const TomlValue* varied = document_.find("study");
    if (!varied || !varied->table() || varied->table()->empty())
      throw document_.error("study",
                            "is missing; give a table of key paths, each with the list of its values");
    for (const TomlEntry& entry : *varied->table()) {
      const TomlValue::Array* values = entry.value.array();
      if (entry.value.table()) fail(entry, "is a table: write the whole path of a key in quotes");
      if (!values || values->empty()) fail(entry, "has to be a list of values");
      study.keys.push_back(entry.key);
    }
    const TomlValue::Table& table = *varied->table();
    study.samples = sampling == "grid"   ? grid(table)
                    : sampling == "list" ? list(table)
                                         : latin_hypercube(table);
    return study;
  }

 private:
  [[noreturn]] void fail(const TomlEntry& entry, const std::string& message) const {
    throw InputError(fmt::format("{}: study.\"{}\" {}", entry.value.place.text(), entry.key, message));
  }

  std::string word(const char* key, const std::vector<std::string>& words, const std::string& absent) const {
    const TomlValue* value = document_.find(key);
    if (!value && absent.empty()) throw document_.error(key, "is missing");
    if (!value) return absent;
    const std::string* text = std::get_if<std::string>(&value->data);
    const bool is_known = text && (words.empty() || std::ranges::find(words, *text) != words.end());
    if (!is_known)
      throw document_.error(key, words.empty()
                                     ? std::string("has to be text")
                                     : fmt::format("has to be one of \"{}\"", fmt::join(words, "\", \"")));
    return *text;
  }

  std::int64_t integer(const char* key, std::optional<std::int64_t> absent, std::int64_t least) const {
    const TomlValue* value = document_.find(key);
    if (!value && absent) return *absent;
    const std::int64_t* number = value ? std::get_if<std::int64_t>(&value->data) : nullptr;
    if (!number || *number < least || *number > 100'000)
      throw document_.error(key, fmt::format("has to be a whole number from {} to 100000", least));
    return *number;
  }

  Rows grid(const TomlValue::Table& table) const {
    constexpr std::size_t most = 100'000;
    Rows rows = {{}};
    for (const TomlEntry& entry : table) {
      if (rows.size() * entry.value.array()->size() > most)
        fail(entry, "makes the grid larger than 100000 variants");
      Rows longer;
      for (const std::vector<std::string>& row : rows) {
        for (const TomlValue& value : *entry.value.array()) {
          longer.push_back(row);
          longer.back().push_back(value.to_toml());
        }
      }
      rows = std::move(longer);
    }
    return rows;
  }

  Rows list(const TomlValue::Table& table) const {
    Rows rows(table.front().value.array()->size());
    for (const TomlEntry& entry : table) {
      const TomlValue::Array& values = *entry.value.array();
      if (values.size() != rows.size())
        fail(entry, fmt::format("has {} values, but \"{}\" has {}; the lists are taken together",
                                values.size(), table.front().key, rows.size()));
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(values[i].to_toml());
    }
    return rows;
  }

  Rows latin_hypercube(const TomlValue::Table& table) const {
    const auto n = static_cast<std::size_t>(integer("samples", {}, 2));
    std::mt19937_64 generator(static_cast<std::uint64_t>(integer("seed", 1, 0)));
    Rows rows(n);
    for (const TomlEntry& entry : table) {
      const Bounds bounds = bounds_of(entry);
      std::vector<std::size_t> part(n);
      std::iota(part.begin(), part.end(), std::size_t{0});
      for (std::size_t i = n; i > 1; --i) std::swap(part[i - 1], part[generator() % i]);
      for (std::size_t i = 0; i < n; ++i) {
        const double within = static_cast<double>(generator() >> 11) * 0x1p-53;
        const double share = (static_cast<double>(part[i]) + within) / static_cast<double>(n);
        const double value = bounds.lower + share * (bounds.upper - bounds.lower);
        rows[i].push_back(bounds.unit.empty() ? fmt::format("{:.7g}", value)
                                              : fmt::format("\"{:.7g} {}\"", value, bounds.unit));
      }
    }
    return rows;
  }

  struct Bounds {
    double lower, upper;
    std::string unit;
  };

  /// A number, or a text of a number and its unit.
  static std::optional<std::pair<double, std::string>> number_of(const TomlValue& value) {
    if (const double* number = std::get_if<double>(&value.data)) return {{*number, ""}};
    if (const auto* whole = std::get_if<std::int64_t>(&value.data))
      return {{static_cast<double>(*whole), ""}};
    const std::string* text = std::get_if<std::string>(&value.data);
    const std::size_t space = text ? text->find(' ') : std::string::npos;
    if (space == std::string::npos) return {};
    const std::optional<double> number = parse_finite_number(std::string_view(*text).substr(0, space));
    const std::string_view unit = trimmed(std::string_view(*text).substr(space));
    if (!number || unit.empty()) return {};
    return {{*number, std::string(unit)}};
  }

  Bounds bounds_of(const TomlEntry& entry) const {
    const TomlValue::Array& values = *entry.value.array();
    constexpr const char* wanted =
        "has to be the lower and the upper bound of the samples: two numbers, or two texts such as \"5 mm\"";
    if (values.size() != 2) fail(entry, wanted);
    const auto lower = number_of(values.front()), upper = number_of(values.back());
    if (!lower || !upper || !(lower->first < upper->first)) fail(entry, wanted);
    if (lower->second != upper->second) fail(entry, "has to have both bounds in the same unit");
    return {lower->first, upper->first, lower->second};
  }

  TomlDocument document_;
};

}  // namespace

StudyFile read_study_file(const std::string& file) {
  return StudyReader(file).read();
}

StudyShare share_of_study(const std::string& text) {
  if (text.empty()) return {};
  StudyShare share;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, share.k);
  const bool has_slash = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second = has_slash ? std::from_chars(first.ptr + 1, end, share.n) : first;
  if (!has_slash || second.ec != std::errc{} || second.ptr != end || share.k < 1 || share.k > share.n)
    throw InputError(fmt::format("--array {}: write K/N with whole numbers, 1 <= K <= N", text));
  return share;
}

}  // namespace kurbel
