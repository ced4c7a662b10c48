#include "base/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/files.hpp"

namespace kurbel {

std::string digest_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string digest_of_file(const std::filesystem::path& path) {
  return digest_of(read_text_file(path));
}

}  // namespace kurbel
