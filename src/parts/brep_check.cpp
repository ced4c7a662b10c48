#include "parts/brep_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/errors.hpp"
#include "base/letters.hpp"
#include "base/spelling.hpp"

namespace kurbel {

namespace {

constexpr std::string_view header = "CASCADE Topology V";
constexpr std::array<std::string_view, 8> sections = {
    "Locations", "Curve2ds",       "Curves", "Polygon3D", "PolygonOnTriangulations",
    "Surfaces",  "Triangulations", "TShapes"};
constexpr std::array<std::string_view, 5> needed_sections = {"Locations", "Curve2ds", "Curves", "Surfaces",
                                                             "TShapes"};

bool is_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && last == word.data() + word.size();
}

/// A word of the section of shapes: "Ve", a kind; "30CN", which ends in a continuity; a number.
bool is_of_shapes(std::string_view word) {
  const auto is_letter_or_digit = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return std::ranges::any_of(word, is_letter_or_digit) && std::ranges::all_of(word, [&](char c) {
           return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.';
         });
}

/// Words of the text, with the line of the last one.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  /// The next word, which is empty at the end.
  std::string_view next() {
    while (!rest_.empty() && is_blank(rest_.front())) {
      if (rest_.front() == '\n') ++line_;
      rest_.remove_prefix(1);
    }
    const auto last = std::ranges::find_if(rest_, is_blank);
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(last - rest_.begin()));
    rest_.remove_prefix(word.size());
    return word;
  }
  /// Goes on behind the name of a section. Sections before that of the shapes consist of numbers, and of a "p" before the
  /// deflection of a polygon.
  void go_behind(std::string_view section) {
    for (std::string_view word = next(); word != section; word = next()) {
      if (word.empty()) fail(fmt::format("is damaged or cut off: it has no section {}", section));
      const bool is_of_geometry = section != sections.front();
      if (is_of_geometry && word != "p" && !is_number(word) &&
          std::ranges::find(sections, word) == sections.end())
        fail_at(word);
    }
  }
  [[noreturn]] void fail_at(std::string_view word) const {
    fail(fmt::format("is damaged: \"{}\" is no number", printable(word)));
  }
  int number() {
    const std::string_view word = next();
    int value = 0;
    const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || last != word.data() + word.size() || value < 0)
      fail(fmt::format("\"{}\" is no number of shapes", word));
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, what));
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  std::string_view rest_;
  const std::string& file_;
  int line_ = 1;
};

}  // namespace

bool is_brep(const std::filesystem::path& path) {
  return lower_case(path.extension().string()) == ".brep";
}

void check_brep(std::string_view text, const std::string& file) {
  Words words(text, file);
  if (text.find(header) == text.npos)
    words.fail(fmt::format("is no BREP file as text, which has a line \"{}...\"", header));
  for (const std::string_view section : needed_sections) words.go_behind(section);
  const int stated = words.number();
  int found = 0;  // every shape ends with a star
  while (found < stated) {
    const std::string_view word = words.next();
    if (word.empty())
      words.fail(fmt::format("is cut off: it has {} of the {} shapes of section TShapes", found, stated));
    if (word == "*")
      ++found;
    else if (!is_of_shapes(word))
      words.fail_at(word);
  }
  if (words.next().empty() || words.next().empty())
    words.fail("is cut off: the shape that it holds is not named behind section TShapes");
}

}  // namespace kurbel
