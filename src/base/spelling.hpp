/// @file
/// The nearest right spelling of a mistyped word; texts of others in messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kurbel {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, the first of several; else the only one of which `word` is a part, as "angle" of
/// "joint-angle". None if all are too far off to be meant.
std::optional<std::string> nearest_spelling(std::string_view word,
                                            const std::vector<std::string>& candidates);

/// "; did you mean NEAREST?", or "; allowed: A, B, C" when nothing is near, each word between `quote`s.
std::string spelling_advice(std::string_view word, const std::vector<std::string>& candidates,
                            std::string_view quote = "");

/// The text on one line and harmless to a terminal: control characters as \n, \t, \x1b.
std::string printable(std::string_view text);

}  // namespace kurbel
