#include <random>

#include "base/files.hpp"
#include "base/hdf5_file.hpp"
#include "input/sid_file.hpp"
#include "tests/input_error.hpp"
#include "tests/sid/point_mass_sid.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

/// Replaces a few bytes, most often by such as are extreme in a length or an address.
std::string mutated(std::string bytes, std::mt19937& random) {
  const int n = 1 + static_cast<int>(random() % 8);
  std::size_t at = random() % bytes.size();
  for (int i = 0; i < n; ++i) {
    constexpr char extremes[] = {'\0', '\1', '\x7f', '\x80', '\xff'};
    bytes[at] = random() % 2 == 0 ? extremes[random() % 5] : static_cast<char>(random());
    at = random() % 3 == 0 ? random() % bytes.size() : (at + 1) % bytes.size();
  }
  return bytes;
}

TEST(DamagedHdf5, IsRefusedInOneLine) {
  const TemporaryFolder folder;
  write_sid_file(folder / "sid.h5", {{"crank", random_sid(1)}});
  const std::string whole = read_text_file(folder / "sid.h5");
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const std::string damaged = mutated(whole, random);
    if (damaged == whole) continue;
    write_text_file(folder / "damaged.h5", damaged);
    expect_input_error([&] { read_sid_file(folder / "damaged.h5"); }, {"damaged.h5", "Make it anew"});
  }
}

TEST(DamagedHdf5, OfManyElasticCoordinatesTakesNoMemory) {
  const TemporaryFolder folder;
  write_sid_file(folder / "sid.h5", {{"crank", random_sid(1)}});
  Hdf5File file = Hdf5File::open(folder / "sid.h5");
  file.write_texts("bodies/crank/refmod/ielastq", std::vector<std::string>(100'000, "q"));
  file.set_attribute("bodies/crank/refmod", "nelastq", std::int64_t{100'000});
  file.commit();
  expect_input_error([&] { read_sid_file(folder / "sid.h5"); },
                     {"refmod: names 100000 elastic coordinates", "2000"});
}

}  // namespace
}  // namespace kurbel
