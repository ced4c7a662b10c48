#include "output/pvd_collection.hpp"

#include "base/files.hpp"
#include "tests/input_error.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(PvdCollection, IsValidXmlAfterEveryAddition) {
  const TemporaryFolder folder;
  PvdCollection pvd(folder / "a.pvd");
  EXPECT_THAT(read_text_file(folder / "a.pvd"), ::testing::HasSubstr("</VTKFile>"));
  pvd.add(0.0, "a/0.vtu");
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(0.0, "a/0.vtu")));
  pvd.add(0.1, "a/1.vtu");
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(0.0, "a/0.vtu"), Pair(0.1, "a/1.vtu")));
}

TEST(PvdCollection, KeepsTheOrderOfTimesAndReplacesEqualOnes) {
  const TemporaryFolder folder;
  PvdCollection pvd(folder / "a.pvd");
  pvd.add(2.0, "two");
  pvd.add(1.0, "one");
  pvd.add(2.0, "another two");
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(1.0, "one"), Pair(2.0, "another two")));
}

TEST(PvdCollection, EscapesNames) {
  const TemporaryFolder folder;
  const std::string name = "a & b <\"c\">.vtu";
  PvdCollection(folder / "a.pvd").add(0.0, name);
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(0.0, name)));
}

TEST(PvdCollection, IsRebuiltFromTheFilesBesideIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  for (const char* name :
       {"a_00010.vtu", "a_00000.vtu", "a_00005.vtu", "a_00010.vtu.part", "a_x.vtu", "mine.vtu"})
    write_text_file(folder / "a" / name, "");
  for (const char* damaged : {"", "<VTKFile>", "no .pvd at all"}) {
    write_text_file(folder / "a.pvd", damaged);
    PvdCollection::of_files(folder / "a.pvd");
    EXPECT_THAT(
        read_pvd(folder / "a.pvd"),
        ElementsAre(Pair(0.0, "a/a_00000.vtu"), Pair(5.0, "a/a_00005.vtu"), Pair(10.0, "a/a_00010.vtu")));
  }
  EXPECT_TRUE(PvdCollection::of_files(folder / "none.pvd").entries().empty());
}

TEST(PvdCollection, IsRebuiltFromTheNamedBlocksWhereThereAreSome) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  for (const char* name : {"a_00000.vtu", "a_00000.vtm", "a_00000_0.vtu", "a_00000_1.vtu", "a_00005.vtu",
                           "a_00010.vtm", "a_00010.vtu", "a_00010.vtm.part"})
    write_text_file(folder / "a" / name, "");
  PvdCollection pvd = PvdCollection::of_files(folder / "a.pvd");
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(0.0, "a/a_00000.vtm"), Pair(5.0, "a/a_00005.vtu"),
                                                      Pair(10.0, "a/a_00010.vtm")));
  pvd.add(5.0, "a/a_00005.vtm");
  EXPECT_THAT(pvd.drop_found(), ElementsAre("a/a_00000.vtm", "a/a_00000.vtu", "a/a_00000_0.vtu",
                                            "a/a_00000_1.vtu", "a/a_00010.vtm", "a/a_00010.vtu"));
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(5.0, "a/a_00005.vtm")));
}

TEST(PvdCollection, DoesNotTakeUpBlocksWithoutAGrid) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  for (const char* name : {"a_00000.vtu", "a_00000.vtm", "a_00000_0.vtu", "a_00005.vtm", "a_00005_0.vtu",
                           "a_00010_0.vtu", "a_x.vtm", "a_5_mine.vtu", "a_00005.txt"})
    write_text_file(folder / "a" / name, "");
  PvdCollection::of_files(folder / "a.pvd");
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(0.0, "a/a_00000.vtm")));
  std::vector<std::string> left;
  for (const auto& file : std::filesystem::directory_iterator(folder / "a"))
    left.push_back(file.path().filename().string());
  EXPECT_THAT(left, ::testing::UnorderedElementsAre("a_00000.vtu", "a_00000.vtm", "a_00000_0.vtu", "a_x.vtm",
                                                    "a_5_mine.vtu", "a_00005.txt"));
}

TEST(PvdCollection, DropsFoundFilesThatWereNotWrittenAgain) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  for (const char* name : {"a_00000.vtu", "a_00005.vtu"}) write_text_file(folder / "a" / name, "");
  PvdCollection pvd = PvdCollection::of_files(folder / "a.pvd");
  pvd.add(0.0, "a/a_00000.vtu");
  pvd.add(10.0, "a/a_00010.vtu");
  EXPECT_THAT(pvd.drop_found(), ElementsAre("a/a_00005.vtu"));
  EXPECT_THAT(read_pvd(folder / "a.pvd"),
              ElementsAre(Pair(0.0, "a/a_00000.vtu"), Pair(10.0, "a/a_00010.vtu")));
}

}  // namespace
}  // namespace kurbel
