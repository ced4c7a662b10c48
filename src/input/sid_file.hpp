/// @file
/// Standard input data from a file of either form, told apart by its content: HDF5 (sid_hdf5.hpp) or text
/// (sid_text.hpp). A text file holds one body, named as the file without its extension.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sid/augmented_sid.hpp"

namespace kurbel {

/// The forms of a SID file.
enum class SidForm { hdf5, text };

/// @throws InputError if the file is missing or is neither
SidForm sid_form(const std::filesystem::path& path);

/// All bodies of a SID or run file.
/// @throws InputError as read_sid and read_sid_text, and if there is no body
std::vector<NamedSid> read_sid_file(const std::filesystem::path& path);

/// One body of a SID or run file; an empty name stands for the only one.
/// @throws InputError listing the bodies if there is none of that name, or several and no name is given
Sid read_sid_file(const std::filesystem::path& path, const std::string& name);

/// The same with its name and, for text, with how exactly its numbers are written.
NamedSid read_named_sid(const std::filesystem::path& path, const std::string& name);

/// One body of an augmented SID file; nothing if the file is text or the body has no derivatives.
/// @throws InputError as read_sid_file and read_augmented_sid
std::optional<AugmentedSid> read_augmented_sid_file(const std::filesystem::path& path,
                                                    const std::string& name);

}  // namespace kurbel
