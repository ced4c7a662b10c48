/// @file
/// The report of `kurbel info`: what a run file or standard input data hold.
#pragma once

#include <filesystem>

#include "app/report.hpp"
#include "sid/named_sid.hpp"

namespace kurbel {

/// Reports a run file, a SID file or SID text.
/// @throws InputError if it is none of them, or damaged
void report_file(const std::filesystem::path& path, Report& report);

/// Reports mass, inertia, frequencies, frame, markers and identities of a body.
void report_sid(const NamedSid& body, Report& own);

}  // namespace kurbel
