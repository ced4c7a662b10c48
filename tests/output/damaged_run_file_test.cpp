#include <random>

#include "base/files.hpp"
#include "input/density_reader.hpp"
#include "output/run_file.hpp"
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

RunEvaluation evaluation() {
  return {
      VectorXd::Random(5), 1.0, VectorXd::Random(5), VectorXd::Random(1), MatrixXd::Random(1, 5), "", 0.0};
}

void write_run(const fs::path& path) {
  RunFile run = RunFile::create(path, {"", "", "crank", "optimize", "crank.toml", "title = 1\n", {}});
  BodyTrajectories t;
  t.times = VectorXd::LinSpaced(3, 0.0, 1.0);
  t.bodies = {{"crank", MatrixXd::Random(7, 3), MatrixXd::Random(6, 3), MatrixXd::Random(6, 3)}};
  t.multipliers = MatrixXd::Random(2, 3);
  t.multiplier_names = {"pin tx", "pin ty"};
  run.set_sid("crank", random_sid(0));
  run.set_trajectory(t);
  for (int i = 0; i < 2; ++i) {
    run.add_density("crank", i, VectorXd::Random(5));
    run.add_history(i, {"objective"}, {0.1});
    run.add_evaluation(i, evaluation());
  }
  run.checkpoint();
}

void read_all(const fs::path& path) {
  const RunReader run(path);
  for (const std::string& body : run.sid_bodies()) run.sid(body);
  for (const std::string& body : run.density_bodies()) {
    const auto n = std::ssize(run.density_iterations(body));
    for (Eigen::Index row = 0; row < n; ++row) run.density(body, row);
  }
  run.history();
  if (run.has_trajectory()) run.trajectory();
  for (Eigen::Index i = 0; i < run.n_evaluations(); ++i) run.evaluation(i);
}

void go_on(const fs::path& path) {
  RunFile run = RunFile::resume(RunReader(path));
  run.add_density("crank", 1, VectorXd::Random(5));
  run.add_evaluation(2, evaluation());
  run.set_status("finished");
  run.checkpoint();
}

TEST(DamagedRunFile, IsRefusedInOneLineAndLeftAsItIs) {
  const TemporaryFolder folder;
  write_run(folder / "run.h5");
  const std::string whole = read_text_file(folder / "run.h5");
  const fs::path damaged = folder / "damaged.h5";
  std::mt19937 random(11);
  for (int i = 0; i < 120; ++i) {
    const std::string bytes = mutated(whole, random);
    if (bytes == whole) continue;
    for (const auto& use : {read_all, go_on}) {
      write_text_file(damaged, bytes);
      expect_input_error([&] { use(damaged); }, {"damaged.h5", "Make it anew"});
      EXPECT_TRUE(read_text_file(damaged) == bytes) << i;
    }
  }
}

/// A .vtu whose binary array claims that many bytes.
std::string vtu_that_claims(std::uint64_t bytes) {
  const std::string claim(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  return std::string(R"(<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <UnstructuredGrid>
    <Piece NumberOfPoints="1" NumberOfCells=")") +
         std::to_string(bytes / 8) + R"(">
      <Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">0 0 0</DataArray></Points>
      <Cells>
        <DataArray type="Int64" Name="connectivity" format="ascii"></DataArray>
        <DataArray type="Int64" Name="offsets" format="ascii"></DataArray>
        <DataArray type="UInt8" Name="types" format="ascii"></DataArray>
      </Cells>
      <CellData><DataArray type="Float64" Name="density" format="appended" offset="0"/></CellData>
    </Piece>
  </UnstructuredGrid>
  <AppendedData encoding="raw">_)" +
         claim + "</AppendedData>\n</VTKFile>\n";
}

TEST(DamagedDensity, MayNotClaimMoreThanTheFileHolds) {
  const TemporaryFolder folder;
  for (const std::uint64_t bytes : {std::uint64_t{1} << 32, std::uint64_t{1} << 36, std::uint64_t{1} << 62}) {
    write_text_file(folder / "a.vtu", vtu_that_claims(bytes));
    expect_input_error([&] { DensityFile(folder / "a.vtu"); }, {"a.vtu"});
  }
}

}  // namespace
}  // namespace kurbel
