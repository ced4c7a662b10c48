/// @file
/// Changes of a right input that must lead to one message.
#pragma once

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>

namespace kurbel {

/// A change of the test input, and what it must lead to.
struct Mistake {
  const char* name;
  const char* right;
  const char* wrong;
  const char* message;       ///< after "FILE:LINE: "
  const char* at = nullptr;  ///< text on the line that the message names, when it is not the first of `wrong`
};

inline void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

/// The text with the mistake.
inline std::string changed(const Mistake& mistake, std::string text) {
  const std::size_t position = text.find(mistake.right);
  if (position == std::string::npos) throw std::logic_error("the test input has no such text");
  return text.replace(position, std::string(mistake.right).size(), mistake.wrong);
}

/// The message about it.
/// @param text  with the mistake
inline std::string expected(const Mistake& mistake, const std::string& text, const std::string& file) {
  const std::size_t position = text.find(mistake.at ? mistake.at : mistake.wrong);
  if (position == std::string::npos) throw std::logic_error("the changed input has no such text");
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n');
  return file + ":" + std::to_string(line) + ": " + mistake.message;
}

}  // namespace kurbel
