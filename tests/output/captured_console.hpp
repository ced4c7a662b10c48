/// @file
#pragma once

#include <cstdio>
#include <string>

#include "output/console.hpp"

namespace kurbel {

/// A console whose streams are files that can be read.
class CapturedConsole {
 public:
  explicit CapturedConsole(int columns = 0)
      : out_(std::tmpfile()), err_(std::tmpfile()), console_(out_, err_, columns) {}
  ~CapturedConsole() {
    std::fclose(out_);
    std::fclose(err_);
  }
  CapturedConsole(const CapturedConsole&) = delete;
  CapturedConsole& operator=(const CapturedConsole&) = delete;

  Console& console() { return console_; }
  std::string out() const { return content(out_); }
  std::string err() const { return content(err_); }

 private:
  static std::string content(std::FILE* file) {
    std::fflush(file);
    std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fseek(file, 0, SEEK_END);
    return text;
  }
  std::FILE *out_, *err_;
  Console console_;
};

}  // namespace kurbel
