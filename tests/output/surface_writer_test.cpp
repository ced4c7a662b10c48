/// Surfaces for printers, as another program reads them.
#include "output/surface_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "base/files.hpp"
#include "tests/app/run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

TEST(ThreeMf, HasTheUnitOfItsNumbers) {
  try {
    require_3mf();
  } catch (const InputError& error) {
    GTEST_SKIP() << error.what();
  }
  Surface tetrahedron;
  tetrahedron.points.resize(3, 4), tetrahedron.triangles.resize(3, 4);
  tetrahedron.points << 0.0, 0.25, 0.0, 0.0,  //
      0.0, 0.0, 0.25, 0.0,                    //
      0.0, 0.0, 0.0, 0.25;
  tetrahedron.triangles << 0, 0, 0, 1,  //
      2, 1, 3, 2,                       //
      1, 3, 2, 3;
  const TemporaryFolder folder;
  const std::string file = (folder / "part.3mf").string(), stl = (folder / "part.stl").string();
  for (const auto& [unit, name, edge] :
       {std::tuple{LengthUnit::millimetre, "millimeter", "vertex 250.0 0.0 0.0"},
        {LengthUnit::metre, "meter", "vertex 0.25 0.0 0.0"}}) {
    write_3mf(file, tetrahedron, "part", unit);
    const std::string script = KURBEL_SOURCE_DIR "/tests/app/stl_of_3mf.py ";
    EXPECT_EQ(test::run_command("python3 " + script + file + " " + stl).text, std::string(name) + " part\n");
    EXPECT_THAT(read_text_file(stl), testing::HasSubstr(edge));
  }
}

}  // namespace
}  // namespace kurbel
