#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "base/letters.hpp"
#include "base/numbers.hpp"
#include "parts/vtk_grid.hpp"
#include "parts/vtk_numbers.hpp"

namespace kurbel {

namespace {

/// Reads keywords and types without regard to case, as VTK does.
class VtkLegacyReader {
 public:
  VtkLegacyReader(std::string_view text, const std::string& file) : text_(text), rest_(text), file_(file) {}

  VtkGrid read() {
    read_head();
    while (read_section(next_word())) {
    }
    for (const auto& [is_there, name] : {std::pair(has_points_, "POINTS"), std::pair(has_cells_, "CELLS"),
                                         std::pair(has_types_, "CELL_TYPES")}) {
      if (!is_there) fail(fmt::format("it is damaged or cut off, or has no elements: there is no {}", name));
    }
    require_consistent(grid_, 0, file_);
    return std::move(grid_);
  }

 private:
  /// Names the line; in a binary file, which has none, the section.
  [[noreturn]] void fail(const std::string& what) const {
    if (is_binary_) throw InputError(fmt::format("{}: {}: {}", file_, section_, what));
    const auto line = 1 + std::ranges::count(text_.substr(0, text_.size() - rest_.size()), '\n');
    throw InputError(fmt::format("{}:{}: {}", file_, line, what));
  }

  std::string_view next_line() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    return trimmed(line);
  }
  /// The next word; blocks of METADATA, which an empty line ends, are no words.
  std::string_view next_word() {
    std::string_view word = take_word(rest_);
    while (lower_case(word) == "metadata") {
      next_line();
      while (!rest_.empty() && !next_line().empty()) {
      }
      word = take_word(rest_);
    }
    return word;
  }
  /// @param most_in_byte  number of the things that a byte of the file can hold
  std::size_t next_count(std::size_t most_in_byte = 1) {
    const std::string_view word = take_word(rest_);
    const std::optional<std::int64_t> count = parse_integer(word);
    if (!count || *count < 0 || static_cast<std::size_t>(*count) > most_in_byte * rest_.size())
      fail(fmt::format("it is damaged or cut off: \"{}\" is no number of things that follow", shown(word)));
    return static_cast<std::size_t>(*count);
  }
  VtkNumber next_type() { return type_named(take_word(rest_)); }
  VtkNumber type_named(std::string_view word) const {
    const std::optional<VtkNumber> type = vtk_number(word);
    if (!type) fail(fmt::format("it is damaged: \"{}\" is no type of numbers", shown(word)));
    return *type;
  }

  template <class T>
  std::vector<T> values(std::size_t count, VtkNumber type) {
    if (is_binary_) {
      next_line();
      if (count > rest_.size() / size_of(type)) fail("it is damaged or cut off: numbers are missing");
      const std::string_view bytes = rest_.substr(0, count * size_of(type));
      rest_.remove_prefix(bytes.size());
      return numbers_in_bytes<T>(bytes, type, std::endian::big);
    }
    std::vector<T> found;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view word = take_word(rest_);
      const std::optional<T> value = number_in_word<T>(word);
      if (!value)
        fail(fmt::format("it is damaged or cut off: \"{}\" stands where a number should", shown(word)));
      found.push_back(*value);
    }
    return found;
  }
  std::vector<std::int64_t> whole_values(std::size_t count, VtkNumber type) {
    if (!is_whole(type)) fail("it is damaged: its numbers are no whole numbers");
    return values<std::int64_t>(count, type);
  }

  void read_head() {
    const bool is_vtk = next_line().starts_with("# vtk DataFile Version");
    next_line();  // title
    const std::string format = lower_case(take_word(rest_));
    const bool is_grid =
        lower_case(take_word(rest_)) == "dataset" && lower_case(take_word(rest_)) == "unstructured_grid";
    if (!is_vtk || !is_grid || (format != "ascii" && format != "binary"))
      fail("it is no VTK file of an unstructured grid");
    is_binary_ = format == "binary";
  }

  /// False where what belongs to the mesh ends.
  bool read_section(std::string_view keyword) {
    const std::string name = lower_case(keyword);
    if (name.empty() || name == "cell_data" || name == "point_data") return false;
    section_ = shown(keyword);
    if (name == "points") {
      const std::size_t n = next_count();
      const VtkNumber type = next_type();
      grid_.points = values<double>(3 * n, type);
      has_points_ = true;
    } else if (name == "cells") {
      read_cells();
      has_cells_ = true;
    } else if (name == "cell_types") {
      grid_.types = whole_values(next_count(), VtkNumber::int32);
      has_types_ = true;
    } else if (name == "field") {
      skip_field();
    } else {
      fail(fmt::format("it is damaged: \"{}\" stands where a section should begin", section_));
    }
    return true;
  }

  /// Elements as lists that begin with their length, or since version 5 as two arrays.
  void read_cells() {
    const std::size_t n = next_count(), size = next_count();
    grid_.nodes.clear(), grid_.ends.clear();
    std::string_view after = rest_;
    if (lower_case(take_word(after)) == "offsets") {
      grid_.ends = array_named("offsets", n);
      grid_.nodes = array_named("connectivity", size);
      if (grid_.ends.empty() || grid_.ends.front() != 0) fail("it is damaged: OFFSETS do not begin with 0");
      grid_.ends.erase(grid_.ends.begin());
      return;
    }
    const std::vector<std::int64_t> lists = whole_values(size, VtkNumber::int32);
    for (std::size_t at = 0; at < lists.size();) {
      const std::int64_t length = lists[at++];
      if (length < 0 || static_cast<std::size_t>(length) > lists.size() - at)
        fail(fmt::format("it is damaged: element {} has {} nodes", grid_.ends.size(), length));
      const auto first = lists.begin() + static_cast<std::ptrdiff_t>(at);
      grid_.nodes.insert(grid_.nodes.end(), first, first + length);
      grid_.ends.push_back(static_cast<std::int64_t>(grid_.nodes.size()));
      at += static_cast<std::size_t>(length);
    }
    if (grid_.ends.size() != n)
      fail(fmt::format("it is damaged: there are {} elements, not {}", grid_.ends.size(), n));
  }
  std::vector<std::int64_t> array_named(std::string_view name, std::size_t count) {
    if (const std::string_view word = next_word(); lower_case(word) != name)
      fail(fmt::format("it is damaged: \"{}\" stands where {} should begin", shown(word), name));
    return whole_values(count, next_type());
  }

  void skip_field() {
    take_word(rest_);
    const std::size_t n_arrays = next_count();
    for (std::size_t i = 0; i < n_arrays; ++i) {
      next_word();
      constexpr std::size_t n_bits = 8;
      const std::size_t n_components = next_count(n_bits), n = next_count(n_bits);
      if (n > 0 && n_components > n_bits * rest_.size() / n)
        fail("it is damaged or cut off: numbers are missing");
      skip_values(n_components * n, take_word(rest_));
    }
  }
  void skip_values(std::size_t count, std::string_view type) {
    const std::string name = lower_case(type);
    if (name == "string" || name == "utf8_string") {
      next_line();
      for (std::size_t i = 0; i < count; ++i) skip_string();
    } else if (name != "bit") {
      values<double>(count, type_named(type));
    } else if (is_binary_) {
      values<double>((count + 7) / 8, VtkNumber::uint8);
    } else {
      values<double>(count, VtkNumber::uint8);
    }
  }
  /// A string is a line in text. In binary files it follows its length, whose first two bits tell the width of the length.
  void skip_string() {
    const auto require = [&](std::uint64_t n_bytes) {
      if (n_bytes > rest_.size()) fail("it is damaged or cut off: strings are missing");
    };
    require(1);
    if (!is_binary_) {
      next_line();
      return;
    }
    constexpr std::array<std::size_t, 4> widths = {8, 4, 2, 1};
    const auto first = static_cast<unsigned char>(rest_.front());
    const std::size_t width = widths[first >> 6];
    require(width);
    std::uint64_t length = first & 0x3fu;
    for (const char byte : rest_.substr(1, width - 1))
      length = (length << 8) | static_cast<unsigned char>(byte);
    rest_.remove_prefix(width);
    require(length);
    rest_.remove_prefix(static_cast<std::size_t>(length));
  }

  std::string_view text_, rest_;
  const std::string& file_;
  bool is_binary_ = false, has_points_ = false, has_cells_ = false, has_types_ = false;
  std::string section_ = "head";
  VtkGrid grid_;
};

}  // namespace

VtkGrid read_vtk_legacy(std::string_view text, const std::string& file) {
  return VtkLegacyReader(text, file).read();
}

}  // namespace kurbel
