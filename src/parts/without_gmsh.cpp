#include "base/errors.hpp"
#include "parts/gmsh_reader.hpp"

namespace kurbel {

void require_gmsh() {
  throw InputError(
      "this kurbel was built without Gmsh, which reads it; install libgmsh-dev and build again "
      "(scripts/install.sh installs it on Debian)");
}

MeshFile read_with_gmsh(const PartFile&, const SizeAt&) {
  require_gmsh();
  return {};
}

double make_step(const std::filesystem::path&, const std::filesystem::path&, double) {
  throw InputError(
      "this kurbel was built without Gmsh, which writes .step; install libgmsh-dev and build again "
      "(scripts/install.sh installs it on Debian)");
}

}  // namespace kurbel
