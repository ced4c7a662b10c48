#include "base/hdf5_file.hpp"

#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>

#include "base/file_header.hpp"
#include "base/files.hpp"
#include "base/version.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Eigen::Index;
using ::testing::ElementsAre;

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

VectorXd awkward_numbers() {
  using Limits = std::numeric_limits<double>;
  VectorXd v(9);
  v << 0.1, -0.0, Limits::denorm_min(), Limits::max(), -Limits::min(), Limits::infinity(),
      -Limits::infinity(), Limits::quiet_NaN(), 1.0 + Limits::epsilon();
  return v;
}

fs::path small_file(const TemporaryFolder& folder) {
  Hdf5File file = Hdf5File::create(folder / "a.h5");
  file.write_matrix("group/M", MatrixXd::Identity(3, 4));
  file.write_text("text", "some text");
  file.commit();
  return folder / "a.h5";
}

TEST(Hdf5File, NumbersComeBackBitForBit) {
  const TemporaryFolder folder;
  const VectorXd awkward = awkward_numbers();
  const MatrixXd small = MatrixXd::Random(3, 5),
                 large = MatrixXd::Random(70, 3000);  // the latter is compressed
  const MatrixXd wide = MatrixXd::Random(1, 500000);  // and this one in two chunks
  {
    Hdf5File file = Hdf5File::create(folder / "a.h5");
    file.write_vector("v", awkward);
    file.write_matrix("deep/er/small", small);
    file.write_matrix("large", large);
    file.write_matrix("wide", wide);
    file.write_number("number", 0.1);
    file.commit();
  }
  const Hdf5File file = Hdf5File::open(folder / "a.h5");
  EXPECT_TRUE(same_bits(file.read_vector("v"), awkward));
  EXPECT_TRUE(same_bits(file.read_matrix("deep/er/small"), small));
  EXPECT_TRUE(same_bits(file.read_matrix("large"), large));
  EXPECT_TRUE(same_bits(file.read_matrix("wide"), wide));
  EXPECT_EQ(file.read_number("number"), 0.1);
}

TEST(Hdf5File, StoresMatricesRowMajor) {
  const TemporaryFolder folder;
  Hdf5File file = Hdf5File::create(folder / "a.h5");
  MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  file.write_matrix("m", m);
  const Hdf5Array array = file.read_array("m");
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_THAT(array.values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Hdf5File, KeepsShapesWithoutEntries) {
  const TemporaryFolder folder;
  Hdf5File file = Hdf5File::create(folder / "a.h5");
  file.write_matrix("a", MatrixXd(0, 3));
  file.write_matrix("b", MatrixXd(0, 0));
  file.write_vector("c", VectorXd());
  file.write_texts("d", {});
  EXPECT_EQ(file.read_matrix("a").cols(), 3);
  EXPECT_EQ(file.read_matrix("b").size(), 0);
  EXPECT_EQ(file.read_vector("c").size(), 0);
  EXPECT_TRUE(file.read_texts("d").empty());
}

TEST(Hdf5File, KeepsTextOfAnyLength) {
  const TemporaryFolder folder;
  const std::string long_text(200000, 'x');  // attributes of fixed length end at 64 KiB
  {
    Hdf5File file = Hdf5File::create(folder / "a.h5");
    file.write_text("text", "L\xc3\xa4nge in m\n");
    file.write_texts("texts", {"a", "", long_text});
    file.set_attribute("/", "input", long_text);
    file.set_attribute("texts", "names", std::vector<std::string>{"one", "two"});
    file.commit();
  }
  const Hdf5File file = Hdf5File::open(folder / "a.h5");
  EXPECT_EQ(file.read_text("text"), "L\xc3\xa4nge in m\n");
  EXPECT_THAT(file.read_texts("texts"), ElementsAre("a", "", long_text));
  EXPECT_EQ(file.text_attribute("/", "input"), long_text);
  EXPECT_THAT(file.texts_attribute("texts", "names"), ElementsAre("one", "two"));
}

TEST(Hdf5File, AttributesKeepTheirTypesAndAreReplaced) {
  const TemporaryFolder folder;
  Hdf5File file = Hdf5File::create(folder / "a.h5");
  file.make_group("g");
  file.set_attribute("g", "x", 0.1);
  file.set_attribute("g", "n", std::int64_t{1} << 60);
  file.set_attribute("g", "x", 0.2);
  EXPECT_EQ(file.number_attribute("g", "x"), 0.2);
  EXPECT_EQ(file.integer_attribute("g", "n"), std::int64_t{1} << 60);
  EXPECT_TRUE(file.has_attribute("g", "x"));
  EXPECT_FALSE(file.has_attribute("g", "y"));
  EXPECT_FALSE(file.has_attribute("no/such/group", "y"));
}

TEST(Hdf5File, ListsMembersInOrderOfCreation) {
  const TemporaryFolder folder;
  Hdf5File file = Hdf5File::create(folder / "a.h5");
  for (const char* name : {"zeta", "alpha", "mid/x"}) file.write_number(name, 1.0);
  EXPECT_THAT(file.members(), ElementsAre("zeta", "alpha", "mid"));
  file.remove("alpha");
  file.remove("never there");
  EXPECT_THAT(file.members(), ElementsAre("zeta", "mid"));
  EXPECT_FALSE(file.has("mid/y"));
  EXPECT_FALSE(file.has("zeta/y"));
}

TEST(Hdf5File, WritingReplaces) {
  const TemporaryFolder folder;
  Hdf5File file = Hdf5File::create(folder / "a.h5");
  file.write_matrix("m", MatrixXd::Zero(2, 2));
  file.write_matrix("m", MatrixXd::Ones(3, 1));
  EXPECT_TRUE(same_bits(file.read_matrix("m"), MatrixXd(MatrixXd::Ones(3, 1))));
}

TEST(Hdf5File, TablesGrowAndShrink) {
  const TemporaryFolder folder;
  const MatrixXd rows =
      MatrixXd::Random(20000, 6);  // the columns are the rows of the table; several chunks each
  const fs::path path = folder / "a.h5";
  Hdf5File::create(path).commit();
  for (Index i = 0; i < 6; ++i) {  // each in a session of its own
    Hdf5File file = Hdf5File::open(path);
    EXPECT_EQ(file.n_rows("log/design"), i);
    file.append_row("log/design", rows.col(i));
    file.append_row("log/objective", VectorXd::Constant(1, static_cast<double>(i)));
    file.commit();
  }
  Hdf5File file = Hdf5File::open(path);
  EXPECT_EQ(file.n_rows("log/design"), 6);
  for (Index i = 0; i < 6; ++i) EXPECT_TRUE(same_bits(file.read_row("log/design", i), VectorXd(rows.col(i))));
  EXPECT_EQ(file.read_matrix("log/objective")(5, 0), 5.0);
  file.keep_rows("log/design", 4);
  file.keep_rows("log/design", 100);
  EXPECT_EQ(file.n_rows("log/design"), 4);
  file.append_row("log/design", rows.col(5));
  EXPECT_TRUE(same_bits(file.read_row("log/design", 4), VectorXd(rows.col(5))));
  expect_input_error([&] { file.append_row("log/design", VectorXd::Zero(3)); },
                     {"log/design", "row of 3 numbers"});
  expect_input_error([&] { file.read_row("log/design", 5); }, {"log/design", "no row 5"});
}

TEST(Hdf5File, ADamagedFileIsRefusedBeforeHdf5SeesIt) {
  const TemporaryFolder folder;
  const MatrixXd numbers = MatrixXd::Random(40, 9);  // rows that do not become smaller by compression
  {
    Hdf5File file = Hdf5File::create(folder / "a.h5");
    for (Index i = 0; i < numbers.cols(); ++i) file.append_row("log", numbers.col(i));
    file.write_matrix("small", numbers);
    file.write_number("one", numbers(0, 0));
    file.commit();
  }
  const std::string whole = read_text_file(folder / "a.h5");
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    write_text_file(folder / "damaged.h5", damaged);
    expect_input_error([&] { Hdf5File::open(folder / "damaged.h5"); },
                       {"cannot read", "damaged.h5", "checksum", "Make it anew"});
  }
}

TEST(Hdf5File, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  const fs::path path = small_file(folder);
  const std::string before = read_text_file(path);
  {
    Hdf5File file = Hdf5File::create(path);
    file.write_number("x", 1.0);
    EXPECT_EQ(read_text_file(path), before);
  }
  EXPECT_EQ(read_text_file(path), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Hdf5File, EqualContentGivesEqualBytes) {
  const TemporaryFolder folder;
  const std::string first = read_text_file(small_file(folder));
  usleep(1100000);  // time stamps of HDF5 count seconds
  EXPECT_EQ(read_text_file(small_file(folder)), first);
}

TEST(Hdf5File, RefusesWhatIsNoWholeHdf5File) {
  const TemporaryFolder folder;
  expect_input_error([&] { Hdf5File::open(folder / "none.h5"); }, {"cannot read", "none.h5", "No such file"});
  expect_input_error([&] { Hdf5File::open(folder.path()); }, {"cannot read", "it is a folder"});
  write_text_file(folder / "text.h5", "mesh = 1\n");
  expect_input_error([&] { Hdf5File::open(folder / "text.h5"); }, {"text.h5: truncated or not an HDF5 file"});
  write_text_file(folder / "empty.h5", "");
  expect_input_error([&] { Hdf5File::open(folder / "empty.h5"); },
                     {"empty.h5: truncated or not an HDF5 file"});
}

TEST(Hdf5File, RefusesATruncatedFileWhereverItEnds) {
  const TemporaryFolder folder;
  const std::string whole = read_text_file(small_file(folder));
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    write_text_file(folder / "cut.h5", whole.substr(0, length));
    expect_input_error([&] { Hdf5File::open(folder / "cut.h5"); }, {"cut.h5: truncated or not an HDF5 file"});
  }
}

hid_t open_directly(const fs::path& path, unsigned access) {
  return H5Fopen(path.c_str(), access, H5P_DEFAULT);
}

TEST(Hdf5File, IsAnHdf5FileToOtherPrograms) {
  const TemporaryFolder folder;
  const hid_t file = open_directly(small_file(folder), H5F_ACC_RDONLY);
  ASSERT_GE(file, 0);
  const hid_t M = H5Dopen2(file, "group/M", H5P_DEFAULT);
  double values[12] = {};
  EXPECT_GE(H5Dread(M, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  EXPECT_THAT(values, ElementsAre(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0));
  H5Dclose(M), H5Fclose(file);
}

TEST(Hdf5File, RefusesWhatAnotherProgramHasWritten) {
  const TemporaryFolder folder;
  const fs::path path = small_file(folder);
  const hid_t file = open_directly(path, H5F_ACC_RDWR);
  H5Gclose(H5Gcreate2(file, "another", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), H5Fclose(file);
  expect_input_error([&] { Hdf5File::open(path); }, {"cannot read", "a.h5", "checksum"});
  H5Fclose(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  expect_input_error([&] { Hdf5File::open(path); }, {"a.h5: truncated or not an HDF5 file of kurbel"});
}

TEST(Hdf5File, NamesTheObjectThatIsMissingOrOfAnotherKind) {
  const TemporaryFolder folder;
  const Hdf5File file = Hdf5File::open(small_file(folder));
  expect_input_error([&] { file.read_matrix("group/none"); }, {"a.h5", "group/none", "missing"});
  expect_input_error([&] { file.read_matrix("group"); }, {"group", "is not a dataset"});
  expect_input_error([&] { file.read_vector("group/M"); }, {"group/M", "(3, 4)", "1 dimensions"});
  expect_input_error([&] { file.read_matrix("text"); }, {"text", "does not hold numbers"});
  expect_input_error([&] { file.read_text("group/M"); }, {"group/M", "does not hold text"});
  expect_input_error([&] { file.members("text"); }, {"text", "is not a group"});
  expect_input_error([&] { file.text_attribute("group", "unit"); }, {"group", "'unit' is missing"});
  expect_input_error([&] { file.number_attribute("none", "unit"); }, {"none", "missing"});
}

TEST(Hdf5File, RefusesAFolderThatIsNone) {
  const TemporaryFolder folder;
  write_text_file(folder / "file", "");
  expect_write_error([&] { Hdf5File::create(folder / "file/a.h5").commit(); }, {"cannot write", "file/a.h5"});
  expect_write_error([&] { Hdf5File::create(folder / "none/a.h5").commit(); }, {"cannot write", "none/a.h5"});
}

TEST(Hdf5File, ReportsAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  fs::create_symlink("/dev/full", folder / "a.h5.part");
  expect_write_error(
      [&] {
        Hdf5File file = Hdf5File::create(folder / "a.h5");
        file.write_matrix("m", MatrixXd::Random(100, 100));
        file.commit();
      },
      {"cannot write", "a.h5"});
  EXPECT_FALSE(fs::exists(folder / "a.h5"));
}

enum Outcome { written = 10, refused = 11, other = 12 };

/// How a process ends that may write files up to `size` bytes: an Outcome, or 128 and its signal. It ends as
/// programs do, with all that HDF5 does at the end.
int outcome_with_limited_files(std::size_t size, const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);  // the write then fails, as on a full disk
    const rlimit limit{size, size};
    setrlimit(RLIMIT_FSIZE, &limit);
    int outcome = written;
    try {
      action();
    } catch (const WriteError&) {
      outcome = refused;
    } catch (...) {
      outcome = other;
    }
    std::exit(outcome);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Of every kind that a run file holds; 400 kB.
void write_content(Hdf5File& file) {
  for (int i = 0; i < 20; ++i) {
    const std::string group = "group/" + std::to_string(i);
    file.write_matrix(group + "/M", MatrixXd::Random(30, 30));
    file.append_row("table", VectorXd::Random(1000));
    file.set_attribute(group, "text", std::string(3000, 'x'));
    file.write_text(group + "/text", std::string(500, 'y'));
  }
}

TEST(Hdf5File, AWriteThatFailsIsAnErrorWhereverItFails) {
  const TemporaryFolder folder;
  const fs::path path = small_file(folder);
  const std::string before = read_text_file(path);
  const auto replace = [&] {
    Hdf5File file = Hdf5File::create(path);
    write_content(file);
    file.commit();
  };
  for (std::size_t size = 0; size < 400'000; size += size < 8000 ? 500 : 13'331) {
    EXPECT_EQ(outcome_with_limited_files(size, replace), refused) << size;
    EXPECT_EQ(read_text_file(path), before) << size;
  }
  EXPECT_EQ(outcome_with_limited_files(4'000'000, replace), written);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(Hdf5File, AWriteThatFailsWhileAFileGrowsIsAnError) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.h5", grown = folder / "b.h5";
  {
    Hdf5File file = Hdf5File::create(path);
    write_content(file);
    file.commit();
  }
  const std::size_t begin = fs::file_size(path);
  const std::string before = read_text_file(path);
  for (std::size_t size = begin; size < begin + 250'000; size += 17'011) {
    fs::copy_file(path, grown, fs::copy_options::overwrite_existing);
    const auto grow = [&] {
      Hdf5File file = Hdf5File::open(grown);
      for (int i = 0; i < 40; ++i) file.append_row("table", VectorXd::Random(1000));
      file.write_text("end", "end");
      file.commit();
    };
    EXPECT_EQ(outcome_with_limited_files(size, grow), refused) << size;
    EXPECT_EQ(read_text_file(grown), before) << size;
  }
}

TEST(Hdf5File, DropsWhatIsNotCommitted) {
  const TemporaryFolder folder;
  const fs::path path = small_file(folder);
  Hdf5File::open(path).write_number("x", 1.0);
  EXPECT_FALSE(Hdf5File::open(path).has("x"));
}

TEST(FileHeader, ComesBack) {
  const TemporaryFolder folder;
  {
    Hdf5File file = Hdf5File::create(folder / "a.h5");
    write_file_header(
        file, {"run", "", "Crank", "optimize", "crank.toml", "title = \"Crank\"\n", {"a.b=1", "c=2"}});
    file.commit();
  }
  const Hdf5File file = Hdf5File::open(folder / "a.h5");
  const FileHeader header = read_file_header(file);
  EXPECT_EQ(header.content, "run");
  EXPECT_EQ(header.version, version());
  EXPECT_EQ(header.title, "Crank");
  EXPECT_EQ(header.command, "optimize");
  EXPECT_EQ(header.input_name, "crank.toml");
  EXPECT_EQ(header.input_text, "title = \"Crank\"\n");
  EXPECT_THAT(header.overrides, ElementsAre("a.b=1", "c=2"));
  EXPECT_THAT(file.text_attribute("/", "units"), ::testing::StartsWith("SI"));
}

TEST(FileHeader, RefusesForeignAndNewerFiles) {
  const TemporaryFolder folder;
  expect_input_error([&] { read_file_header(Hdf5File::open(small_file(folder))); },
                     {"a.h5", "neither a SID nor a run"});
  Hdf5File file = Hdf5File::open(folder / "a.h5");
  write_file_header(file, {"sid", "", "", "", "", "", {}});
  file.set_attribute("/", "schema", file_schema + 1);
  expect_input_error([&] { read_file_header(file); }, {"a.h5", "its schema is 3", "reads schema 2"});
}

}  // namespace
}  // namespace kurbel
