#include "base/file_header.hpp"

#include <fmt/format.h>

#include "base/version.hpp"

namespace kurbel {

void write_file_header(Hdf5File& file, const FileHeader& header) {
  file.set_attribute("/", "program", std::string("kurbel"));
  file.set_attribute("/", "version", std::string(version()));
  file.set_attribute("/", "schema", file_schema);
  file.set_attribute("/", "content", header.content);
  file.set_attribute("/", "units", std::string("SI; angles in radians; time in seconds"));
  file.set_attribute("/", "title", header.title);
  file.set_attribute("/", "command", header.command);
  file.set_attribute("/", "input_name", header.input_name);
  file.set_attribute("/", "input_directory", header.input_directory);
  file.write_text("input/text", header.input_text);
  file.write_texts("input/overrides", header.overrides);
}

FileHeader read_file_header(const Hdf5File& file) {
  if (!file.has_attribute("/", "content") || !file.has_attribute("/", "schema")) {
    throw InputError(
        fmt::format("{}: neither a SID nor a run file of kurbel (attribute 'content' or 'schema' is missing)",
                    file.path().string()));
  }
  const std::int64_t schema = file.integer_attribute("/", "schema");
  if (schema < 1 || schema > file_schema) {
    throw InputError(fmt::format("{}: its schema is {}; this version of kurbel ({}) reads schema {}",
                                 file.path().string(), schema, version(), file_schema));
  }
  const auto optional_text = [&](const std::string& name) {
    return file.has_attribute("/", name) ? file.text_attribute("/", name) : std::string();
  };
  FileHeader header;
  header.content = file.text_attribute("/", "content");
  header.version = optional_text("version");
  header.title = optional_text("title");
  header.command = optional_text("command");
  header.input_name = optional_text("input_name");
  header.input_directory = optional_text("input_directory");
  if (schema == 1) {
    header.input_text = optional_text("input_text");
    if (file.has_attribute("/", "overrides")) header.overrides = file.texts_attribute("/", "overrides");
  } else {
    header.input_text = file.read_text("input/text");
    header.overrides = file.read_texts("input/overrides");
  }
  return header;
}

}  // namespace kurbel
