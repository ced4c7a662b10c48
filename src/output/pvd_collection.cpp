#include "output/pvd_collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/files.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

constexpr std::pair<char, std::string_view> entities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto it =
        std::find_if(std::begin(entities), std::end(entities), [c](const auto& e) { return e.first == c; });
    if (it != std::end(entities)) {
      out += it->second;
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto it = std::find_if(std::begin(entities), std::end(entities),
                                 [text](const auto& e) { return text.starts_with(e.second); });
    out += it != std::end(entities) ? it->first : text[0];
    text.remove_prefix(it != std::end(entities) ? it->second.size() : 1);
  }
  return out;
}

std::string_view attribute(std::string_view element, std::string_view name) {
  const std::string key = fmt::format(" {}=\"", name);
  const std::size_t begin = element.find(key);
  if (begin == std::string_view::npos) return {};
  element.remove_prefix(begin + key.size());
  return element.substr(0, element.find('"'));
}

std::vector<PvdCollection::Entry> read_entries(const fs::path& path) {
  const std::string text = read_text_file(path);
  const InputError damaged(fmt::format("{}: not a .pvd file, or damaged", path.string()));
  if (text.find("<Collection>") == std::string::npos || text.find("</VTKFile>") == std::string::npos)
    throw damaged;
  std::vector<PvdCollection::Entry> entries;
  for (std::size_t at = 0; (at = text.find("<DataSet ", at)) != std::string::npos; ++at) {
    const std::string_view element = std::string_view(text).substr(at, text.find("/>", at) - at);
    const std::string_view time = attribute(element, "timestep"), file = attribute(element, "file");
    PvdCollection::Entry entry{0.0, unescaped(file)};
    if (file.empty() ||
        std::from_chars(time.data(), time.data() + time.size(), entry.time).ec != std::errc()) {
      throw damaged;
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

PvdCollection::PvdCollection(fs::path path) : PvdCollection(std::move(path), std::vector<Entry>()) {}

PvdCollection::PvdCollection(fs::path path, std::vector<Entry> entries)
    : path_(std::move(path)), entries_(std::move(entries)) {
  write();
}

PvdCollection PvdCollection::resume(fs::path path, double time) {
  std::vector<Entry> entries;
  if (fs::exists(path)) entries = read_entries(path);
  std::erase_if(entries, [time](const Entry& e) { return e.time >= time; });
  return {std::move(path), std::move(entries)};
}

void PvdCollection::add(double time, const std::string& file) {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), time,
                                   [](const Entry& e, double t) { return e.time < t; });
  if (it != entries_.end() && it->time == time) {
    it->file = file;
  } else {
    entries_.insert(it, {time, file});
  }
  write();
}

void PvdCollection::write() const {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const Entry& e : entries_) {
    text += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", e.time, escaped(e.file));
  }
  text += "  </Collection>\n</VTKFile>\n";
  write_text_file(path_, text);
}

}  // namespace kurbel
