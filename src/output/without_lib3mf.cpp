#include "base/errors.hpp"
#include "output/surface_writer.hpp"

namespace kurbel {

void require_3mf() {
  throw InputError(
      "--3mf: this kurbel was built without lib3mf, which writes such files; install lib3mf-dev and build "
      "again "
      "(scripts/install.sh installs it on Debian)");
}

void write_3mf(const std::filesystem::path&, const Surface&, const std::string&, LengthUnit) {
  require_3mf();
}

}  // namespace kurbel
