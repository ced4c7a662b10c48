#include "base/sealed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/digest.hpp"
#include "base/errors.hpp"
#include "base/files.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view seal_begin = "<!-- kurbel: checksum XXH3 ", seal_end = " -->\n";
constexpr std::size_t digest_size = 32;
constexpr std::size_t seal_size = seal_begin.size() + digest_size + seal_end.size();

std::string seal_of(std::string_view content) {
  return fmt::format("{}{}{}", seal_begin, digest_of(content), seal_end);
}

/// Bytes from a position on, fewer where the file ends; none if there is no such position.
std::string bytes_at(std::ifstream& in, std::streamoff at, std::size_t count) {
  in.clear();
  std::string bytes(at < 0 ? 0 : count, '\0');
  in.seekg(std::max<std::streamoff>(0, at));
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

}  // namespace

void write_sealed_file(const fs::path& path, std::string_view content, bool durable) {
  write_file(path, {content, seal_of(content)}, durable);
}

std::string read_sealed_file(const fs::path& path, const FileKind& kind) {
  require_readable(path);
  std::ifstream in(path, std::ios::binary);
  in.seekg(0, std::ios::end);
  const std::streamoff content_size = in.tellg() - static_cast<std::streamoff>(seal_size);
  // Both ends come first, so that a huge file of another kind takes no memory.
  const std::string seal = bytes_at(in, content_size, seal_size);
  if (!seal.starts_with(seal_begin) || bytes_at(in, 0, kind.signature.size()) != kind.signature) {
    throw InputError(
        fmt::format("cannot read {}: truncated or not {} of kurbel with a checksum (earlier versions wrote "
                    "none). Make it anew.",
                    path.string(), kind.name));
  }
  std::string content = bytes_at(in, 0, static_cast<std::size_t>(content_size));
  if (seal != seal_of(content)) {
    throw InputError(fmt::format(
        "cannot read {}: it is damaged, its content and its checksum differ. Make it anew.", path.string()));
  }
  return content;
}

}  // namespace kurbel
