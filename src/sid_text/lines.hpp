/// @file
/// The lines of standard input data as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/errors.hpp"

namespace kurbel::sid_text {

struct Line {
  int number = 0;
  std::string key;  ///< what stands before the first =, or the whole line
  std::string value;
  bool has_value = false;
};

class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The next line that is neither empty nor a comment; nothing at the end.
  std::optional<Line> next();
  /// The next line as it stands; nothing at the end.
  std::optional<std::string_view> next_raw();

  int number() const { return number_; }
  InputError error(int line, const std::string& what) const;

 private:
  std::string_view text_;
  const std::string& file_;
  int number_ = 0;
};

}  // namespace kurbel::sid_text
