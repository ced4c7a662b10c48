/// Tables of variables.
#include "harness.hpp"
#include "input/variables_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kurbel::test::ScratchFile file("variables.csv");
  static const kurbel::VariableTable table{{"mass", "length[1]", "u(0.5 s)"},
                                           Eigen::Vector3d(1.0, 2.0, 3.0),
                                           Eigen::Vector3d(0.0, 0.0, -1e300),
                                           Eigen::Vector3d(10.0, 10.0, 1e300),
                                           {"kg", "m", ""}};
  file.write(data, size);
  return kurbel::test::accept_or_refuse([&] {
    const kurbel::VectorXd values = kurbel::read_variables(file.path(), table);
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      if (!(values[i] >= table.lower[i] && values[i] <= table.upper[i])) std::abort();
    }
  });
}
