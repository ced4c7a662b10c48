#include "output/log.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/spelling.hpp"

namespace kurbel {
namespace {

/// Warnings and errors go to the error stream.
class ConsoleSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ConsoleSink(Console& console) : console_(console) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string text(message.payload.data(), message.payload.size());
    if (message.level >= spdlog::level::err) {
      console_.print_error(fmt::format("error: {}", text));
    } else if (message.level == spdlog::level::warn) {
      console_.print_error(fmt::format("warning: {}", text));
    } else {
      console_.print(text);
    }
  }
  void flush_() override {}
  Console& console_;
};

/// Remembers messages until there is a file for them.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void open(const std::filesystem::path& path, bool append) {
    const std::lock_guard lock(mutex_);
    auto file = std::make_unique<spdlog::sinks::basic_file_sink_st>(path.string(), !append);
    file->set_pattern("%Y-%m-%d %H:%M:%S.%e %-8l %v");
    file_ = std::move(file);
    failed_ = false;
    for (const Message& m : early_) write({m.time, {}, {}, m.level, m.text});
    early_.clear();
  }

  bool failed() {
    const std::lock_guard lock(mutex_);
    return failed_;
  }

 private:
  struct Message {
    spdlog::log_clock::time_point time;
    spdlog::level::level_enum level;
    std::string text;
  };
  /// After a failure there is no file any more: the first message about it is the last.
  void write(const spdlog::details::log_msg& message) {
    try {
      file_->log(message);
      file_->flush();
    } catch (const spdlog::spdlog_ex&) {
      file_.reset();
      failed_ = true;
      throw;
    }
  }
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (file_) {
      write(message);
    } else if (!failed_) {
      early_.push_back({message.time, message.level, {message.payload.data(), message.payload.size()}});
    }
  }
  void flush_() override {}

  std::unique_ptr<spdlog::sinks::basic_file_sink_st> file_;
  std::vector<Message> early_;
  bool failed_ = false;
};

/// Whether a character belongs to a name or a number, so that a digit behind it begins no number.
bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '@';
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The text with # in place of each number; digits in names stay: "link1", "way@2".
std::string without_numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_signed = text[i] == '-' && i + 1 < text.size() && is_digit(text[i + 1]);
    if ((i > 0 && continues_word(text[i - 1])) || !(is_digit(text[i]) || is_signed)) {
      out += text[i++];
      continue;
    }
    const auto is_exponent = [&](std::size_t at) {
      return text[at] == 'e' && at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+');
    };
    for (++i; i < text.size() && (is_digit(text[i]) || text[i] == '.' || is_exponent(i));)
      i += is_exponent(i) ? 2 : 1;
    out += '#';
  }
  return out;
}

/// A warning that was told, and how often it has occurred.
struct ToldWarning {
  std::string pattern, last;
  int count = 1;
};

struct Log {
  explicit Log(const LogOptions& options)
      : console(std::make_shared<ConsoleSink>(*options.console)),
        file(std::make_shared<FileSink>()),
        logger("kurbel", {console, file}) {
    console->set_level(options.quiet ? spdlog::level::warn : spdlog::level::info);
    file->set_level(spdlog::level::debug);
    logger.set_level(spdlog::level::debug);
    logger.set_error_handler([to = options.console](const std::string& reason) {
      to->print_error(fmt::format("error: cannot write the log: {}", reason));
    });
  }
  std::shared_ptr<ConsoleSink> console;
  std::shared_ptr<FileSink> file;
  spdlog::logger logger;
  std::mutex mutex;  ///< of the following
  std::vector<ToldWarning> warnings;
};

std::optional<Log>& instance() {
  static std::optional<Log> log(std::in_place, LogOptions());
  return log;
}

}  // namespace

void log_info(const std::string& message) {
  instance()->logger.info(printable(message));
}
void log_warning(const std::string& message) {
  const std::string text = printable(message), pattern = without_numbers(text);
  const std::lock_guard lock(instance()->mutex);
  std::vector<ToldWarning>& told = instance()->warnings;
  const auto known = std::ranges::find(told, pattern, &ToldWarning::pattern);
  if (known == told.end()) {
    told.push_back({pattern, text});
    instance()->logger.warn(text);
    return;
  }
  ++known->count;
  known->last = text;
  instance()->logger.debug("warning: " + text);
}
void log_repeated_warnings() {
  const std::lock_guard lock(instance()->mutex);
  for (const ToldWarning& warning : instance()->warnings) {
    if (warning.count > 1)
      instance()->logger.warn(fmt::format("{} times in all, last: {}", warning.count, warning.last));
  }
  instance()->warnings.clear();
}
void log_error(const std::string& message) {
  instance()->logger.error(printable(message));
}
void log_detail(const std::string& message) {
  instance()->logger.debug(printable(message));
}

bool log_is_complete() {
  return !instance()->file->failed();
}

void configure_log(const LogOptions& options) {
  instance().emplace(options);
}

void open_log_file(const std::filesystem::path& path, bool append) {
  try {
    instance()->file->open(path, append);
  } catch (const spdlog::spdlog_ex& error) {
    throw WriteError(fmt::format("cannot write {}: {}", path.string(), error.what()));
  }
}

}  // namespace kurbel
