/// @file
/// The terminal: whole lines, and one line that is rewritten in place.
#pragma once

#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

namespace kurbel {

/// Two streams that may be a terminal. Whole lines first clear the line in place. Thread-safe.
class Console {
 public:
  /// stdout and stderr of this process.
  static Console& standard();

  /// @param out, err  not owned
  /// @param columns   width of the terminal; 0 if `out` is none
  Console(std::FILE* out, std::FILE* err, int columns) : out_(out), err_(err), columns_(columns) {}

  bool is_terminal() const { return columns_ > 0; }

  void print(const std::string& line);        ///< a line to `out`
  void print_error(const std::string& line);  ///< a line to `err`

  /// On a terminal the text takes the place of the one before, cut to the width; elsewhere it is a line.
  void print_in_place(const std::string& text);

  /// Ends the line in place, which stays visible.
  void end_line();

  /// Why something did not reach `out`, nothing if all did. That nobody reads a pipe any more is no failure.
  std::optional<std::string> failure();

 private:
  void write_line(std::FILE* stream, const std::string& line);
  void clear_line();
  std::mutex mutex_;
  std::FILE *out_, *err_;
  int columns_;
  bool line_open_ = false;
  int error_ = 0;  ///< errno of the first line that did not reach `out`
};

}  // namespace kurbel
