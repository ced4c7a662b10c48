/// @file
/// Short names of contents: equal contents have equal digests, and others in practice never.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kurbel {

/// XXH3 (128 bits) of the bytes as 32 hexadecimal digits. Against mistakes, not against forgery.
std::string digest_of(std::string_view bytes);

/// The same of the content of a file.
/// @throws InputError if the file cannot be read
std::string digest_of_file(const std::filesystem::path& path);

}  // namespace kurbel
