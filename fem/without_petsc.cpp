/// @file
/// Stands for PETSc in a build without it.
#include "fem/processes.hpp"
#include "fem/stiffness_inverse.hpp"

namespace kurbel::fem {

bool has_petsc() {
  return false;
}

std::optional<int> join_processes() {
  return {};
}

void leave_processes(int) {}

std::unique_ptr<StiffnessInverse> make_petsc_inverse(const Assembly&, const Mesh&) {
  throw InputError(std::string(without_petsc) + ", or take another solver");
}

}  // namespace kurbel::fem
