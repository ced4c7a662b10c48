#include "input/density_reader.hpp"

#include <limits>

#include "base/files.hpp"
#include "output/vtk_writer.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

fs::path text_file(const TemporaryFolder& folder, const std::string& text) {
  write_text_file(folder / "rho.txt", text);
  return folder / "rho.txt";
}

TEST(DensityReader, TakesTextInManyForms) {
  const TemporaryFolder folder;
  const Eigen::Vector4d expected(0.1, 0.5, 1.0, 1e-2);
  for (const char* text : {"0.1\n0.5\n1\n1e-2\n", "0.1 0.5 1.0 0.01", "0.1,0.5,\n1,\t0.01\r\n",
                           "# densities\n0.1\n\n0.5 # the second\n1\n.01\n"}) {
    EXPECT_EQ(DensityFile(text_file(folder, text)).of_body("", 4).density, expected) << text;
  }
}

TEST(DensityReader, TakesTheCellArrayOfAVtu) {
  const TemporaryFolder folder;
  UnstructuredGrid grid{MatrixXd::Random(3, 4), {{CellBlock::Kind::line, Eigen::MatrixXi::Zero(2, 3)}}};
  const VectorXd rho = VectorXd::Random(3);
  write_vtu(folder / "a.vtu", grid, {{"density", rho.transpose()}});
  EXPECT_EQ(DensityFile(folder / "a.vtu").of_body("", 3).density, rho);
}

/// Five elements of the bodies "rod" and "crank", which alternate; elements 0, 2 and 4 are those of the crank.
void write_two_bodies(const fs::path& path, double body_of_last = 1.0) {
  UnstructuredGrid grid{MatrixXd::Random(3, 4), {{CellBlock::Kind::line, Eigen::MatrixXi::Zero(2, 5)}}};
  MatrixXd density(1, 5), design(1, 5), body(1, 5);
  density << 0.1, 0.2, 0.3, 0.4, 0.5;
  design << 0.6, 0.7, 0.8, 0.9, 1.0;
  body << 1.0, 0.0, 1.0, 0.0, body_of_last;
  write_vtu(path, grid, {{"density", density}, {"design", design}, {"body", body}}, {},
            {.bodies = {"rod", "crank"}});
}

TEST(DensityReader, GivesEveryBodyItsElementsByItsName) {
  const TemporaryFolder folder;
  write_two_bodies(folder / "a.vtu");
  const DensityFile file(folder / "a.vtu");
  EXPECT_FALSE(file.is_of_one_body());
  EXPECT_EQ(file.of_body("crank", 3).density, Vector3d(0.1, 0.3, 0.5));
  EXPECT_EQ(file.of_body("crank", 3).design, Vector3d(0.6, 0.8, 1.0));
  EXPECT_EQ(file.of_body("rod", 2).density, Eigen::Vector2d(0.2, 0.4));
  expect_input_error([&] { file.of_body("rod", 3); }, {"a.vtu", "holds 2 densities", "has 3 elements"});
  expect_input_error([&] { file.of_body("arm", 3); }, {"a.vtu", "has no body arm; it has crank, rod"});
}

TEST(DensityReader, RefusesABodyWithoutAName) {
  const TemporaryFolder folder;
  for (const double body : {2.0, -1.0, 0.5}) {
    write_two_bodies(folder / "a.vtu", body);
    expect_input_error([&] { DensityFile(folder / "a.vtu"); },
                       {"a.vtu", "the body of element 4", "`bodies` has 2 names"});
  }
}

TEST(DensityReader, KnowsNoVariablesWhereTheFileHasNone) {
  const TemporaryFolder folder;
  EXPECT_EQ(DensityFile(text_file(folder, "0.1 0.2\n")).of_body("", 2).design.size(), 0);
  EXPECT_TRUE(DensityFile(text_file(folder, "0.1 0.2\n")).is_of_one_body());
}

TEST(DensityReader, RefusesAnotherNumberOfValues) {
  const TemporaryFolder folder;
  expect_input_error([&] { DensityFile(text_file(folder, "0.1 0.2\n")).of_body("", 3); },
                     {"rho.txt", "holds 2 densities", "has 3 elements"});
  expect_input_error([&] { DensityFile(text_file(folder, "")).of_body("", 3); },
                     {"rho.txt", "holds 0 densities"});
}

TEST(DensityReader, NamesTheLineOfABadValue) {
  const TemporaryFolder folder;
  for (const char* word : {"abc", "nan", "inf", "1e999", "0.5x", "0,5.5.5"}) {
    expect_input_error(
        [&] { DensityFile(text_file(folder, std::string("0.1\n0.2 ") + word + "\n")).of_body("", 3); },
        {"rho.txt:2:", "is not a finite number"});
  }
}

TEST(DensityReader, RefusesNonFiniteValuesInAVtu) {
  const TemporaryFolder folder;
  UnstructuredGrid grid{MatrixXd::Random(3, 4), {{CellBlock::Kind::line, Eigen::MatrixXi::Zero(2, 2)}}};
  MatrixXd rho(1, 2);
  rho << 0.5, std::numeric_limits<double>::quiet_NaN();
  write_vtu(folder / "a.vtu", grid, {{"density", rho}});
  expect_input_error([&] { DensityFile(folder / "a.vtu").of_body("", 2); }, {"a.vtu", "element 1 is nan"});
}

TEST(DensityReader, RefusesAMissingFile) {
  const TemporaryFolder folder;
  expect_input_error([&] { DensityFile(folder / "none.txt").of_body("", 2); }, {"none.txt", "No such file"});
}

}  // namespace
}  // namespace kurbel
