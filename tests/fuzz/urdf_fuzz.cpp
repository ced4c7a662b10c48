/// Robots, as far as the text of their problem files.
#include "harness.hpp"
#include "robots/robot_problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kurbel::test::ScratchFile file("robot.urdf");
  file.write(data, size);
  return kurbel::test::accept_or_refuse(
      [&] { kurbel::robot_problem(kurbel::read_robot(file.path()), "robot.urdf"); });
}
