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

/// The files <stem>/* beside the collection, relative to it, in the order of their names.
std::vector<fs::path> files_beside(const fs::path& pvd) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(pvd.parent_path() / pvd.stem(), ignored))
    files.push_back(pvd.stem() / file.path().filename());
  std::sort(files.begin(), files.end());
  return files;
}

/// The entries of <stem>/<stem>_00012.vtu or .vtm beside the collection, at time 12.
std::vector<PvdCollection::Entry> entries_beside(const fs::path& pvd) {
  const std::string begin = pvd.stem().string() + "_";
  std::vector<PvdCollection::Entry> entries;
  for (const fs::path& file : files_beside(pvd)) {
    const std::string name = file.stem().string();
    if (!name.starts_with(begin) || (file.extension() != ".vtu" && file.extension() != ".vtm")) continue;
    const std::string number = name.substr(begin.size());
    double time = 0.0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), time);
    if (error != std::errc() || end != number.data() + number.size()) continue;
    entries.push_back({time, file.string(), true});
  }
  // A .vtm stands before the .vtu of its number, and replaces it.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  const auto same_time = [](const auto& a, const auto& b) { return a.time == b.time; };
  entries.erase(std::unique(entries.begin(), entries.end(), same_time), entries.end());
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
  const std::vector<fs::path> files = files_beside(path_);
  for (const Entry& e : entries_) {
    if (!e.found) continue;
    const std::string stem = fs::path(e.file).stem().string();
    for (const fs::path& file : files) {
      const std::string own = file.stem().string();
      if (own == stem || own.starts_with(stem + "_")) dropped.push_back(file.string());
    }
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
