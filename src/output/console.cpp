#include "output/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kurbel {
namespace {

int terminal_columns(std::FILE* stream) {
  if (isatty(fileno(stream)) == 0) return 0;
  winsize size{};
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

Console& Console::standard() {
  static Console console(stdout, stderr, terminal_columns(stdout));
  return console;
}

void Console::write_line(std::FILE* stream, const std::string& line) {
  const bool is_written = std::fputs((line + '\n').c_str(), stream) >= 0 && std::fflush(stream) == 0;
  if (!is_written && stream == out_ && error_ == 0) error_ = errno;
}

void Console::clear_line() {
  if (!line_open_) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
  line_open_ = false;
}

void Console::print(const std::string& line) {
  const std::lock_guard lock(mutex_);
  clear_line();
  write_line(out_, line);
}

void Console::print_error(const std::string& line) {
  const std::lock_guard lock(mutex_);
  clear_line();
  write_line(err_, line);
}

void Console::print_in_place(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!is_terminal()) {
    write_line(out_, text);
    return;
  }
  std::fputs("\r", out_);
  std::fputs(text.substr(0, static_cast<std::size_t>(columns_ - 1)).c_str(), out_);
  std::fputs("\033[K", out_);
  std::fflush(out_);
  line_open_ = true;
}

void Console::end_line() {
  const std::lock_guard lock(mutex_);
  if (!line_open_) return;
  write_line(out_, "");
  line_open_ = false;
}

std::optional<std::string> Console::failure() {
  const std::lock_guard lock(mutex_);
  if (error_ == 0 || error_ == EPIPE) return {};
  return std::strerror(error_);
}

}  // namespace kurbel
