#include "input/sid_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "base/files.hpp"
#include "sid_text/sid_text.hpp"

namespace kurbel {
namespace {

constexpr std::size_t n_inspected = 64 * 1024;  // bytes: `part` follows a few lines of comments

std::string first_bytes(const std::filesystem::path& path) {
  require_readable(path);
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(n_inspected, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

NamedSid read_text_body(const std::filesystem::path& path) {
  NamedSid body{path.stem().string(), {}, {}};
  body.sid = read_sid_text(read_text_file(path), path.string(), &body.precision);
  return body;
}

InputError no_such_body(const std::filesystem::path& path, const std::string& name,
                        const std::vector<std::string>& names) {
  return InputError(
      fmt::format("{}: {}; it holds: {}", path.string(),
                  name.empty() ? "name one of its bodies" : fmt::format("no body is named '{}'", name),
                  names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

/// The name of a body in the file; an empty name stands for the only one.
std::string name_in(const Hdf5File& file, const std::string& name) {
  read_file_header(file);
  const std::vector<std::string> names = sid_names(file);
  if (name.empty() && names.size() == 1) return names[0];
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw no_such_body(file.path(), name, names);
  return name;
}

}  // namespace

SidForm sid_form(const std::filesystem::path& path) {
  const std::string bytes = first_bytes(path);
  if (bytes.starts_with(hdf5_signature)) return SidForm::hdf5;
  if (looks_like_sid_text(bytes)) return SidForm::text;
  throw InputError(
      fmt::format("{}: truncated or not an HDF5 file, nor SID text, which has a line `part`", path.string()));
}

std::vector<NamedSid> read_sid_file(const std::filesystem::path& path) {
  if (sid_form(path) == SidForm::text) return {read_text_body(path)};
  const Hdf5File file = Hdf5File::open(path);
  read_file_header(file);
  std::vector<NamedSid> bodies;
  for (const std::string& name : sid_names(file)) bodies.push_back({name, read_sid(file, name)});
  if (bodies.empty()) throw InputError(fmt::format("{}: holds no body", path.string()));
  return bodies;
}

NamedSid read_named_sid(const std::filesystem::path& path, const std::string& name) {
  if (sid_form(path) == SidForm::text) {
    NamedSid body = read_text_body(path);
    if (!name.empty() && name != body.name) throw no_such_body(path, name, {body.name});
    return body;
  }
  const Hdf5File file = Hdf5File::open(path);
  const std::string found = name_in(file, name);
  return {found, read_sid(file, found)};
}

Sid read_sid_file(const std::filesystem::path& path, const std::string& name) {
  return read_named_sid(path, name).sid;
}

std::optional<AugmentedSid> read_augmented_sid_file(const std::filesystem::path& path,
                                                    const std::string& name) {
  if (sid_form(path) == SidForm::text) return {};
  const Hdf5File file = Hdf5File::open(path);
  const std::string body = name_in(file, name);
  if (!is_augmented(file, body)) return {};
  return read_augmented_sid(file, body);
}

}  // namespace kurbel
