#include "base/errors.hpp"
#include "robots/robot.hpp"

namespace kurbel {

Robot read_robot(const std::filesystem::path& file) {
  throw InputError(
      "cannot import " + file.string() +
      ": this kurbel was built without urdfdom, which reads it; install liburdfdom-dev and build again "
      "(scripts/install.sh installs it on Debian)");
}

}  // namespace kurbel
