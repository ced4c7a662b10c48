/// @file
/// The report of a command: each statement is made once, and has its text and its numbers.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kurbel {

/// A value that a sentence shows, and that --json has under a name.
template <class T>
struct Named {
  const char* name;
  T value;
};
template <class T>
Named<std::decay_t<T>> named(const char* name, T&& value) {
  return {name, std::forward<T>(value)};
}

/// A number of things, in a sentence "1 node" or "7 nodes".
struct Counted {
  const char* name;  ///< for --json; empty: not there
  std::ptrdiff_t n;
  const char* what;
};

/// Numbers in a sentence, "(1, 2.5)".
struct NamedVector {
  const char* name;  ///< for --json; empty: not there
  std::vector<double> values;
};

/// Rows of values by column. The same rows are lines of text, lines of a .csv and an array of objects for --json.
struct ReportTable {
  struct Column {
    std::string title{};    ///< in the text
    std::string format{};   ///< of its values in the text, "{:.8g}"; empty: not in the text
    std::string key{};      ///< in the objects; empty: not there
    std::string csv{};      ///< title in the .csv; empty: not there
    std::size_t width = 0;  ///< at least, characters
    bool is_left = false;   ///< aligned
  };
  std::vector<Column> columns;
  std::vector<std::vector<nlohmann::json>> rows;  ///< a value per column; null: blank, or left out

  /// Columns are as wide as their longest text, with two blanks in between. The first line has the titles.
  std::vector<std::string> lines() const;
  std::string csv() const;
  nlohmann::json numbers() const;
};

/// Sends its sentences and tables to whoever shows them as they are made, and keeps their numbers by name. Parts of it are
/// objects within the object of numbers.
class Report {
 public:
  using Show = std::function<void(const std::string& line)>;
  explicit Report(Show show)
      : show_(std::move(show)), owned_(std::make_shared<nlohmann::json>()), numbers_(owned_.get()) {}

  /// Shows the text; those of its values that have names are kept.
  template <class... T>
  void say(fmt::format_string<T...> text, T&&... values) {
    (keep(values), ...);
    show_(fmt::format(text, std::forward<T>(values)...));
  }
  void line(const std::string& text) const { show_(text); }
  void lines(const std::vector<std::string>& texts) const;
  /// Shows the table.
  void show(const ReportTable& table) const { lines(table.lines()); }

  /// A number, text or object that is not shown.
  nlohmann::json& operator[](const std::string& name) { return (*numbers_)[name]; }
  /// Several of them.
  void add(const nlohmann::json& numbers) { numbers_->update(numbers); }
  const nlohmann::json& numbers() const { return *numbers_; }

  /// The part under a name, or under a name within another; valid as long as the report.
  Report part(const std::string& name) { return Report(show_, owned_, &(*numbers_)[name]); }
  Report part(const std::string& name, const std::string& within) { return part(name).part(within); }

 private:
  Report(Show show, std::shared_ptr<nlohmann::json> owned, nlohmann::json* numbers)
      : show_(std::move(show)), owned_(std::move(owned)), numbers_(numbers) {}

  template <class T>
  void keep(const Named<T>& value) {
    (*numbers_)[value.name] = value.value;
  }
  void keep(const Counted& value) {
    if (*value.name) (*numbers_)[value.name] = value.n;
  }
  void keep(const NamedVector& vector) {
    if (*vector.name) (*numbers_)[vector.name] = vector.values;
  }
  template <class T>
  void keep(const T&) {}

  Show show_;
  std::shared_ptr<nlohmann::json> owned_;  ///< of the whole report
  nlohmann::json* numbers_;                ///< of this part
};

}  // namespace kurbel

template <class T>
struct fmt::formatter<kurbel::Named<T>> : fmt::formatter<T> {
  template <class Context>
  auto format(const kurbel::Named<T>& value, Context& context) const {
    return fmt::formatter<T>::format(value.value, context);
  }
};

template <>
struct fmt::formatter<kurbel::Counted> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  auto format(const kurbel::Counted& counted, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{} {}{}", counted.n, counted.what, counted.n == 1 ? "" : "s");
  }
};

template <>
struct fmt::formatter<kurbel::NamedVector> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  auto format(const kurbel::NamedVector& vector, fmt::format_context& context) const {
    auto out = fmt::format_to(context.out(), "(");
    for (std::size_t i = 0; i < vector.values.size(); ++i)
      out = fmt::format_to(out, "{}{:.6g}", i > 0 ? ", " : "", vector.values[i]);
    return fmt::format_to(out, ")");
  }
};
