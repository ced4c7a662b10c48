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

/// The entries of <stem>/<stem>_00012.vtu beside the collection, at time 12.
std::vector<PvdCollection::Entry> entries_beside(const fs::path& pvd) {
  const std::string stem = pvd.stem().string();
  const fs::path folder = pvd.parent_path() / stem;
  std::vector<PvdCollection::Entry> entries;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, ignored)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(stem + "_") || file.path().extension() != ".vtu") continue;
    const std::string number = file.path().stem().string().substr(stem.size() + 1);
    double time = 0.0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), time);
    if (error != std::errc() || end != number.data() + number.size()) continue;
    entries.push_back({time, fmt::format("{}/{}", stem, name), true});
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return entries;
}

}  // namespace

std::string xml_escaped(const std::string& text) {
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

PvdCollection::PvdCollection(fs::path path) : PvdCollection(std::move(path), std::vector<Entry>()) {}

PvdCollection::PvdCollection(fs::path path, std::vector<Entry> entries)
    : path_(std::move(path)), entries_(std::move(entries)) {
  write();
}

PvdCollection PvdCollection::of_files(fs::path path) {
  std::vector<Entry> entries = entries_beside(path);
  return {std::move(path), std::move(entries)};
}

std::vector<std::string> PvdCollection::drop_found() {
  std::vector<std::string> dropped;
  for (const Entry& e : entries_) {
    if (e.found) dropped.push_back(e.file);
  }
  std::erase_if(entries_, [](const Entry& e) { return e.found; });
  write();
  return dropped;
}

void PvdCollection::add(double time, const std::string& file) {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), time,
                                   [](const Entry& e, double t) { return e.time < t; });
  if (it != entries_.end() && it->time == time) {
    *it = {time, file};
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
    text +=
        fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", e.time, xml_escaped(e.file));
  }
  text += "  </Collection>\n</VTKFile>\n";
  write_text_file(path_, text);
}

}  // namespace kurbel
