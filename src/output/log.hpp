/// @file
/// Messages of the program: on the console, and with their times in the log file of a run.
#pragma once

#include <filesystem>
#include <string>

#include "output/console.hpp"

namespace kurbel {

/// A message for the user; quiet consoles leave it out.
void log_info(const std::string& message);
/// A warning does not stop the program. If the same text, except for its numbers, was logged before, the
/// message goes to the log file alone, and is counted.
void log_warning(const std::string& message);
/// Tells how often each warning occurred that did so more than once. Called at the end of the program.
void log_repeated_warnings();
/// The reason for which the program ends.
void log_error(const std::string& message);
/// For the log file alone.
void log_detail(const std::string& message);

struct LogOptions {
  bool quiet = false;                       ///< the console shows warnings and errors only
  Console* console = &Console::standard();  ///< not owned
};

/// Starts over: no file, nothing remembered.
void configure_log(const LogOptions& options);

/// From now on messages go to this file, too, preceded by those since configure_log(); every line is on disk
/// at once.
/// @param append  continues the file of the run that is resumed
/// @throws WriteError if the file cannot be written
void open_log_file(const std::filesystem::path& path, bool append = false);

/// True if every message has reached the log file. A failure is reported on the console, once.
bool log_is_complete();

}  // namespace kurbel
