#include "output/density_reader.hpp"

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
    EXPECT_EQ(read_density(text_file(folder, text), 4), expected) << text;
  }
}

TEST(DensityReader, TakesTheCellArrayOfAVtu) {
  const TemporaryFolder folder;
  UnstructuredGrid grid{MatrixXd::Random(3, 4), {{CellBlock::Kind::line, Eigen::MatrixXi::Zero(2, 3)}}};
  const VectorXd rho = VectorXd::Random(3);
  write_vtu(folder / "a.vtu", grid, {{"density", rho.transpose()}});
  EXPECT_EQ(read_density(folder / "a.vtu", 3), rho);
}

TEST(DensityReader, RefusesAnotherNumberOfValues) {
  const TemporaryFolder folder;
  expect_input_error([&] { read_density(text_file(folder, "0.1 0.2\n"), 3); },
                     {"rho.txt", "holds 2 densities", "has 3 elements"});
  expect_input_error([&] { read_density(text_file(folder, ""), 3); }, {"rho.txt", "holds 0 densities"});
}

TEST(DensityReader, NamesTheLineOfABadValue) {
  const TemporaryFolder folder;
  for (const char* word : {"abc", "nan", "inf", "1e999", "0.5x", "0,5.5.5"}) {
    expect_input_error([&] { read_density(text_file(folder, std::string("0.1\n0.2 ") + word + "\n"), 3); },
                       {"rho.txt:2:", "is not a finite number"});
  }
}

TEST(DensityReader, RefusesNonFiniteValuesInAVtu) {
  const TemporaryFolder folder;
  UnstructuredGrid grid{MatrixXd::Random(3, 4), {{CellBlock::Kind::line, Eigen::MatrixXi::Zero(2, 2)}}};
  MatrixXd rho(1, 2);
  rho << 0.5, std::numeric_limits<double>::quiet_NaN();
  write_vtu(folder / "a.vtu", grid, {{"density", rho}});
  expect_input_error([&] { read_density(folder / "a.vtu", 2); }, {"a.vtu", "element 1 is nan"});
}

TEST(DensityReader, RefusesAMissingFile) {
  const TemporaryFolder folder;
  expect_input_error([&] { read_density(folder / "none.txt", 2); }, {"none.txt", "No such file"});
}

}  // namespace
}  // namespace kurbel
