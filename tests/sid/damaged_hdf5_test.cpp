#include <fmt/format.h>
#include <hdf5.h>
#include <signal.h>

#include <cstring>
#include <random>

#include "base/files.hpp"
#include "base/hdf5_file.hpp"
#include "sid/sid_file.hpp"
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

TEST(DamagedHdf5, IsReadOrRefusedInOneLine) {
  const TemporaryFolder folder;
  write_sid_file(folder / "sid.h5", {{"crank", random_sid(1)}});
  const std::string whole = read_text_file(folder / "sid.h5");
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    write_text_file(folder / "damaged.h5", mutated(whole, random));
    const std::string message = input_error_message([&] { read_sid_file(folder / "damaged.h5"); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << i << ": " << message;
    if (message == "no InputError") continue;
    EXPECT_THAT(message, ::testing::HasSubstr("damaged.h5")) << i;
    ++refused;
  }
  EXPECT_GT(refused, 20);
}

/// A file with a table of numbers that says of itself that it is `count` long, in the oldest format, which has no
/// checksums.
fs::path file_that_claims(const TemporaryFolder& folder, std::uint64_t count) {
  constexpr hsize_t length = 12'347;  // stands nowhere else
  const VectorXd numbers = VectorXd::Random(length);
  const hid_t file = H5Fcreate((folder / "claims.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &length, nullptr);
  const hid_t v = H5Dcreate2(file, "v", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(v, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
  H5Dclose(v), H5Sclose(space), H5Fclose(file);
  std::string bytes = read_text_file(folder / "claims.h5");
  const std::string honest(reinterpret_cast<const char*>(&length), sizeof length);
  std::size_t replaced = 0;
  for (std::size_t at = bytes.find(honest); at != std::string::npos; at = bytes.find(honest, at + 1)) {
    std::memcpy(bytes.data() + at, &count, sizeof count);
    ++replaced;
  }
  EXPECT_GT(replaced, 0u);
  write_text_file(folder / "claims.h5", bytes);
  return folder / "claims.h5";
}

TEST(DamagedHdf5, MayNotClaimMoreThanItHolds) {
  const TemporaryFolder folder;
  for (const std::uint64_t count :
       {std::uint64_t{1} << 33, std::uint64_t{1} << 45, std::uint64_t{1} << 61, ~std::uint64_t{0} - 1}) {
    const fs::path path = file_that_claims(folder, count);
    expect_input_error([&] { Hdf5File::open(path).read_vector("v"); }, {"claims.h5"});
  }
  expect_input_error([&] { Hdf5File::open(file_that_claims(folder, 1 << 30)).read_vector("v"); },
                     {"claims.h5: v: claims to be 1073741824, but", "the file is damaged"});
}

TEST(DamagedHdf5, OfManyElasticCoordinatesTakesNoMemory) {
  const TemporaryFolder folder;
  write_sid_file(folder / "sid.h5", {{"crank", random_sid(1)}});
  Hdf5File file = Hdf5File::open_for_append(folder / "sid.h5");
  file.write_texts("bodies/crank/refmod/ielastq", std::vector<std::string>(100'000, "q"));
  file.set_attribute("bodies/crank/refmod", "nelastq", std::int64_t{100'000});
  file.commit();
  expect_input_error([&] { read_sid_file(folder / "sid.h5"); },
                     {"refmod: names 100000 elastic coordinates", "2000"});
}

TEST(DamagedHdf5, ReaderThatDiesIsAnErrorAndNotOurEnd) {
  const TemporaryFolder folder;
  write_sid_file(folder / "sid.h5", {{"crank", random_sid(1)}});
  const Hdf5File file = Hdf5File::open(folder / "sid.h5");
  const std::string children = fmt::format("/proc/self/task/{}/children", getpid());
  if (!fs::exists(children)) GTEST_SKIP() << "this system does not list processes";
  kill(static_cast<pid_t>(std::stol(read_text_file(children))), SIGSEGV);
  for (int i = 0; i < 2; ++i)
    expect_input_error([&] { file.has("bodies"); }, {"sid.h5: damaged HDF5 file (reading it"});
}

}  // namespace
}  // namespace kurbel
