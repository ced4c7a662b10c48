#include "base/hdf5_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "base/hdf5_process.hpp"

namespace kurbel {
namespace fs = std::filesystem;

CheckpointedHdf5::CheckpointedHdf5(fs::path path, bool published)
    : path_(std::move(path)), spare_(path_), published_(published), resumed_(published) {
  spare_ += ".spare";
}

CheckpointedHdf5 CheckpointedHdf5::create(const fs::path& path) {
  return {path, false};
}

CheckpointedHdf5 CheckpointedHdf5::resume(const fs::path& path) {
  Hdf5File::open(path);
  return {path, true};
}

CheckpointedHdf5::CheckpointedHdf5(CheckpointedHdf5&& other) noexcept
    : path_(std::move(other.path_)),
      spare_(std::move(other.spare_)),
      changes_(std::move(other.changes_)),
      in_published_(other.in_published_),
      in_spare_(other.in_spare_),
      published_(other.published_),
      resumed_(other.resumed_),
      spare_exists_(std::exchange(other.spare_exists_, false)) {}

CheckpointedHdf5::~CheckpointedHdf5() {
  std::error_code ignored;
  if (spare_exists_) fs::remove(spare_, ignored);
}

void CheckpointedHdf5::write_spare() {
  if (!spare_exists_ && !published_) {
    Hdf5File::create(spare_).commit();
    in_spare_ = 0;
  } else if (!spare_exists_) {
    std::error_code error;
    fs::copy_file(path_, spare_, fs::copy_options::overwrite_existing, error);
    if (error) throw WriteError(fmt::format("cannot write {}: {}", spare_.string(), error.message()));
    in_spare_ = in_published_;
  }
  spare_exists_ = true;
  const auto change = [&] {
    Hdf5File file = Hdf5File::open_for_append(spare_);
    for (std::size_t i = in_spare_; i < changes_.size(); ++i) changes_[i](file);
    file.commit();
    return std::vector<double>();
  };
  resumed_ ? run_apart(spare_, "HDF5 file", change) : change();
  in_spare_ = changes_.size();
}

void CheckpointedHdf5::bring_spare_up_to_date() {
  // A second try starts from a fresh copy: somebody may have the old one open, or have damaged it.
  for (const bool last_try : {false, true}) {
    try {
      write_spare();
      return;
    } catch (const std::runtime_error&) {
      std::error_code ignored;
      fs::remove(spare_, ignored);
      spare_exists_ = false;
      if (last_try) throw;
    }
  }
}

void CheckpointedHdf5::publish() {
  fs::path previous = path_;
  previous += ".previous";
  std::error_code error, ignored;
  fs::remove(previous, ignored);
  if (published_) fs::create_hard_link(path_, previous, error);
  const bool keep_previous = published_ && !error;  // without hard links the next spare is a copy
  fs::rename(spare_, path_, error);
  if (error) throw WriteError(fmt::format("cannot write {}: {}", path_.string(), error.message()));
  spare_exists_ = false;
  published_ = true;
  std::swap(in_published_, in_spare_);
  if (!keep_previous) return;
  fs::rename(previous, spare_, error);
  spare_exists_ = !error;
}

void CheckpointedHdf5::checkpoint() {
  bring_spare_up_to_date();
  publish();
  const std::size_t in_both = spare_exists_ ? std::min(in_published_, in_spare_) : in_published_;
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(in_both));
  in_published_ -= in_both;
  in_spare_ -= std::min(in_spare_, in_both);
}

}  // namespace kurbel
