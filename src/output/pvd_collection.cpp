#include "output/pvd_collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
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

/// Of <stem>_00012.vtu and .vtm, and of the blocks <stem>_00012_0.vtu.
struct NumberedFile {
  std::string number;
  bool is_block = false;
};

std::optional<NumberedFile> numbered(const fs::path& file, const fs::path& stem) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  const std::string begin = stem.string() + "_", name = file.stem().string();
  if (!name.starts_with(begin) || (file.extension() != ".vtu" && file.extension() != ".vtm")) return {};
  const std::string rest = name.substr(begin.size());
  const std::size_t end = rest.find('_');
  const NumberedFile found{rest.substr(0, end), end != std::string::npos};
  if (!is_number(found.number) || (found.is_block && !is_number(rest.substr(end + 1)))) return {};
  return found;
}

/// Blocks without a grid of their number belong to a result, or to an iteration that was being written.
void remove_blocks_without_grid(const fs::path& pvd) {
  for (const fs::path& file : files_beside(pvd)) {
    const auto found = numbered(file, pvd.stem());
    if (!found) continue;
    const fs::path grid = file.parent_path() / fmt::format("{}_{}.vtu", pvd.stem().string(), found->number);
    std::error_code ignored;
    if (!fs::exists(pvd.parent_path() / grid, ignored)) fs::remove(pvd.parent_path() / file, ignored);
  }
}

/// The entries of <stem>/<stem>_00012.vtu or .vtm beside the collection, at time 12.
std::vector<PvdCollection::Entry> entries_beside(const fs::path& pvd) {
  std::vector<PvdCollection::Entry> entries;
  for (const fs::path& file : files_beside(pvd)) {
    const auto found = numbered(file, pvd.stem());
    if (!found || found->is_block) continue;
    double time = 0.0;
    std::from_chars(found->number.data(), found->number.data() + found->number.size(), time);
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
  remove_blocks_without_grid(path);
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
