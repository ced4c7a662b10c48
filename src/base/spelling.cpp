#include "base/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace kurbel {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

namespace {

/// True if `word` is a part of the candidate between hyphens or underscores, as "angle" of "joint-angle".
bool is_part_of(std::string_view word, std::string_view candidate) {
  const auto is_border = [&](std::size_t i) {
    return i >= candidate.size() || candidate[i] == '-' || candidate[i] == '_';
  };
  for (std::size_t at = candidate.find(word); at != std::string_view::npos;
       at = candidate.find(word, at + 1)) {
    if ((at == 0 || is_border(at - 1)) && is_border(at + word.size())) return true;
  }
  return false;
}

/// The only candidate of which the word is a part; none if there are several, or if the word is short.
std::optional<std::string> only_one_with(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t least_length = 4;
  const auto has_it = [&](const std::string& candidate) { return is_part_of(word, candidate); };
  if (word.size() < least_length || std::ranges::count_if(candidates, has_it) != 1) return std::nullopt;
  return *std::ranges::find_if(candidates, has_it);
}

}  // namespace

std::optional<std::string> nearest_spelling(std::string_view word,
                                            const std::vector<std::string>& candidates) {
  std::optional<std::string> nearest;
  std::size_t smallest = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t limit = std::min<std::size_t>(3, std::max(word.size(), candidate.size()) / 3);
    if (distance > limit || (nearest && distance >= smallest)) continue;
    nearest = candidate;
    smallest = distance;
  }
  return nearest ? nearest : only_one_with(word, candidates);
}

std::string spelling_advice(std::string_view word, const std::vector<std::string>& candidates,
                            std::string_view quote) {
  if (const auto nearest = nearest_spelling(word, candidates)) {
    return fmt::format("; did you mean {0}{1}{0}?", quote, *nearest);
  }
  std::string list;
  for (const std::string& candidate : candidates) {
    list += fmt::format("{0}{1}{2}{1}", list.empty() ? "" : ", ", quote, candidate);
  }
  return list.empty() ? "" : fmt::format("; allowed: {}", list);
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\x{:02x}", code);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace kurbel
