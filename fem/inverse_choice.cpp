#include "fem/inverse_choice.hpp"

#include "fem/mesh.hpp"
#include "fem/rigid_ties.hpp"
#include "fem/spec_check.hpp"

namespace kurbel::fem {

MakeInverse inverse_of(const FlexibleBodySpec& spec) {
  if (is_by_multigrid(spec)) {
    return [spec](const Assembly& assembly) {
      std::vector<Eigen::Index> held;
      if (!spec.supports.empty()) held = held_dofs(spec, *make_mesh(spec.mesh), assembly.order());
      return make_multigrid_inverse(assembly, spec.mesh.divisions, coarsest_elements, std::move(held));
    };
  }
  if (has_ties(spec)) {
    return [spec](const Assembly& assembly) {
      RigidTies ties = rigid_ties(spec, *make_mesh(spec.mesh), assembly.order());
      return make_tied_inverse(assembly, std::move(ties.T), ties.block);
    };
  }
  if (spec.solver == SolverType::petsc) {
    return [mesh = spec.mesh](const Assembly& assembly) {
      return make_petsc_inverse(assembly, *make_mesh(mesh));
    };
  }
  return make_direct_inverse;
}

}  // namespace kurbel::fem
