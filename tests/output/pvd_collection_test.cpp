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
  EXPECT_EQ(PvdCollection::resume(folder / "a.pvd", 1.0).entries().at(0).file, name);
}

TEST(PvdCollection, GoesOnBeforeATime) {
  const TemporaryFolder folder;
  PvdCollection pvd(folder / "a.pvd");
  for (const double time : {0.0, 0.1, 0.2, 0.3}) pvd.add(time, "x");
  PvdCollection more = PvdCollection::resume(folder / "a.pvd", 0.2);
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(0.0, "x"), Pair(0.1, "x")));
  more.add(0.2, "y");
  EXPECT_THAT(read_pvd(folder / "a.pvd"), ElementsAre(Pair(0.0, "x"), Pair(0.1, "x"), Pair(0.2, "y")));
  EXPECT_TRUE(PvdCollection::resume(folder / "new.pvd", 1.0).entries().empty());
}

TEST(PvdCollection, RefusesToGoOnWithAnotherFile) {
  const TemporaryFolder folder;
  for (const char* text :
       {"", "<VTKFile>", "<Collection><DataSet timestep=\"x\" file=\"a\"/></Collection></VTKFile>"}) {
    write_text_file(folder / "a.pvd", text);
    expect_input_error([&] { PvdCollection::resume(folder / "a.pvd", 1.0); }, {"a.pvd", "not a .pvd file"});
  }
}

}  // namespace
}  // namespace kurbel
