#include "fem/petsc_rows.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kurbel::fem {

namespace {

constexpr int most_iterations = 1000;
constexpr double never_diverges = 1e300;  // a first guess may be far off
// Two, because a mechanism may have bodies of both kinds.
constexpr const char *without_linear_grid = "kurbel_", *with_linear_grid = "kurbel_quadratic_";

/// A smoother's polynomial begins at a tenth of the largest eigenvalue, which it estimates by itself.
constexpr std::pair<const char*, const char*> of_smoothers[] = {
    {"mg_levels_ksp_type", "chebyshev"},
    {"mg_levels_ksp_chebyshev_esteig", "0,0.1,0,1.3"},
    {"mg_levels_esteig_ksp_max_it", "30"},
};

/// Smoothed aggregation for elasticity of any contrast. PETSc's defaults make an indefinite preconditioner of it: their
/// estimate of the largest eigenvalue, which smoothers take over from the aggregation, is too low for them.
constexpr std::pair<const char*, const char*> of_aggregation[] = {
    {"pc_type", "gamg"},
    {"pc_gamg_threshold", "0.01"},
    {"pc_gamg_use_sa_esteig", "false"},
    {"mg_levels_pc_type", "jacobi"},
};

/// The cycle of quadratic elements with linear ones as coarse grid. Blocks of a node are regular here, those of an
/// aggregate with one node are not.
constexpr std::pair<const char*, const char*> of_quadratic_elements[] = {
    {"pc_type", "mg"},
    {"mg_levels_pc_type", "pbjacobi"},
    {"mg_coarse_ksp_type", "preonly"},
};

/// Sets those that are not in the environment (PETSC_OPTIONS) or in the user's .petscrc.
void set_defaults(const std::string& before, std::span<const std::pair<const char*, const char*>> options) {
  for (const auto& [name, value] : options) {
    const std::string full = "-" + before + name;
    PetscBool is_set = PETSC_FALSE;
    require_petsc(PetscOptionsHasName(nullptr, nullptr, full.c_str(), &is_set));
    if (!is_set) require_petsc(PetscOptionsSetValue(nullptr, full.c_str(), value));
  }
}

/// True if the user asks for no preconditioner, or for this one.
bool allows(const std::string& before, const char* type) {
  char asked[64] = "";
  PetscBool is_set = PETSC_FALSE;
  require_petsc(PetscOptionsGetString(nullptr, before.c_str(), "-pc_type", asked, sizeof asked, &is_set));
  return is_set == PETSC_FALSE || std::string_view(asked) == type;
}

bool is_of_type(PC preconditioner, const char* type) {
  PetscBool is = PETSC_FALSE;
  require_petsc(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner), type, &is));
  return is == PETSC_TRUE;
}

/// The matrices of a solver and of its coarse grids, of all processes, bytes.
double memory_of(KSP solver) {
  Mat K = nullptr;
  PC preconditioner = nullptr;
  require_petsc(KSPGetOperators(solver, &K, nullptr));
  require_petsc(KSPGetPC(solver, &preconditioner));
  MatInfo info;
  require_petsc(MatGetInfo(K, MAT_GLOBAL_SUM, &info));
  const double memory = info.nz_allocated * (sizeof(double) + sizeof(PetscInt));
  if (is_of_type(preconditioner, PCGAMG)) {
    PetscReal of_grids = 1.0, of_matrices = 1.0;
    require_petsc(PCMGGetGridComplexity(preconditioner, &of_grids, &of_matrices));
    return memory * of_matrices;
  }
  if (!is_of_type(preconditioner, PCMG)) return memory;
  KSP coarse = nullptr;
  require_petsc(PCMGGetCoarseSolve(preconditioner, &coarse));
  return memory + memory_of(coarse);
}

}  // namespace

StiffnessRows::StiffnessRows(MPI_Comm processes, StiffnessShare share)
    : processes_(processes), share_(std::move(share)) {
  int rank = 0;
  MPI_Comm_rank(processes_, &rank);
  const std::vector<int>& begin = share_.node_begin;
  first_node_ = begin[static_cast<std::size_t>(rank)];
  end_node_ = begin[static_cast<std::size_t>(rank) + 1];
  for (std::size_t p = 0; p + 1 < begin.size(); ++p) {
    n_rows_.push_back(share_.dim * (begin[p + 1] - begin[p]));
    first_row_.push_back(share_.dim * begin[p]);
  }
  count_neighbours();
  const std::string before = prefix();
  set_defaults(before, of_smoothers);
  if (has_linear_grid() && allows(before, PCMG)) {
    set_defaults(before, of_quadratic_elements);
    set_defaults(before + "mg_coarse_", of_smoothers);
    set_defaults(before + "mg_coarse_", of_aggregation);
    make_interpolation();
  } else {
    set_defaults(before, of_aggregation);
  }
}

const char* StiffnessRows::prefix() const {
  return has_linear_grid() ? with_linear_grid : without_linear_grid;
}

StiffnessRows::~StiffnessRows() {
  KSPDestroy(&solver_);
  VecDestroy(&x_);
  VecDestroy(&y_);
  MatDestroy(&K_);
  MatDestroy(&from_vertices_);
}

/// Counts the neighbours of every node of the share, its own and others.
void StiffnessRows::count_neighbours() {
  const auto n_nodes = static_cast<std::size_t>(end_node_ - first_node_);
  std::vector<int> begin(n_nodes + 1, 0);
  const auto is_own = [&](int node) { return node >= first_node_ && node < end_node_; };
  for (const int node : share_.corners)
    if (is_own(node)) ++begin[static_cast<std::size_t>(node - first_node_) + 1];
  for (std::size_t i = 0; i < n_nodes; ++i) begin[i + 1] += begin[i];
  std::vector<int> elements(static_cast<std::size_t>(begin.back())), next = begin;
  for (std::size_t e = 0; e < share_.class_of.size(); ++e) {
    for (int k = share_.corner_begin[e]; k < share_.corner_begin[e + 1]; ++k) {
      const int node = share_.corners[static_cast<std::size_t>(k)];
      if (is_own(node))
        elements[static_cast<std::size_t>(next[static_cast<std::size_t>(node - first_node_)]++)] =
            static_cast<int>(e);
    }
  }
  n_own_.resize(n_nodes), n_other_.resize(n_nodes);
  std::vector<int> neighbours;
  for (std::size_t i = 0; i < n_nodes; ++i) {
    neighbours.clear();
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      const auto e = static_cast<std::size_t>(elements[static_cast<std::size_t>(k)]);
      neighbours.insert(neighbours.end(), share_.corners.begin() + share_.corner_begin[e],
                        share_.corners.begin() + share_.corner_begin[e + 1]);
    }
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    n_own_[i] = static_cast<PetscInt>(std::count_if(neighbours.begin(), neighbours.end(), is_own));
    const auto n_clamped = static_cast<PetscInt>(!neighbours.empty() && neighbours.front() < 0);
    n_other_[i] = static_cast<PetscInt>(neighbours.size()) - n_clamped - n_own_[i];
  }
}

void StiffnessRows::add_elements(const std::vector<double>& E, const std::vector<const double*>& matrices) {
  std::vector<PetscInt> rows, columns;
  std::vector<double> k;
  for (std::size_t e = 0; e < E.size(); ++e) {
    columns.assign(share_.corners.begin() + share_.corner_begin[e],
                   share_.corners.begin() + share_.corner_begin[e + 1]);
    rows = columns;
    for (PetscInt& row : rows)
      if (row < first_node_ || row >= end_node_) row = -1;  // which PETSc takes for none
    const std::size_t n = columns.size() * static_cast<std::size_t>(share_.dim);
    const double* matrix = matrices[static_cast<std::size_t>(share_.class_of[e])];
    k.resize(n * n);
    std::transform(matrix, matrix + n * n, k.begin(), [&](double entry) { return E[e] * entry; });
    const auto n_corners = static_cast<PetscInt>(columns.size());
    require_petsc(
        MatSetValuesBlocked(K_, n_corners, rows.data(), n_corners, columns.data(), k.data(), ADD_VALUES));
  }
  require_petsc(MatAssemblyBegin(K_, MAT_FINAL_ASSEMBLY));
  require_petsc(MatAssemblyEnd(K_, MAT_FINAL_ASSEMBLY));
}

/// The spring of a row is as stiff as the row's entry on the diagonal.
bool StiffnessRows::add_springs(const std::vector<int>& springs) {
  require_petsc(MatGetDiagonal(K_, x_));
  PetscReal least = 0.0;
  require_petsc(VecMin(x_, nullptr, &least));
  spring_rows_.clear();
  spring_stiffness_.clear();
  if (!(least > 0.0)) return false;
  const double* diagonal = nullptr;
  require_petsc(VecGetArrayRead(x_, &diagonal));
  for (const int row : springs) {
    const int own = row - share_.dim * first_node_;
    if (own < 0 || row >= share_.dim * end_node_) continue;
    spring_rows_.push_back(own);
    spring_stiffness_.push_back(diagonal[own]);
  }
  require_petsc(VecRestoreArrayRead(x_, &diagonal));
  if (springs.empty()) return true;
  for (std::size_t i = 0; i < spring_rows_.size(); ++i) {
    const PetscInt row = share_.dim * first_node_ + spring_rows_[i];
    require_petsc(MatSetValue(K_, row, row, spring_stiffness_[i], ADD_VALUES));
  }
  require_petsc(MatAssemblyBegin(K_, MAT_FINAL_ASSEMBLY));
  require_petsc(MatAssemblyEnd(K_, MAT_FINAL_ASSEMBLY));
  return true;
}

void StiffnessRows::make_matrix() {
  const PetscInt n = share_.dim * (end_node_ - first_node_);
  require_petsc(MatDestroy(&K_));
  require_petsc(MatCreate(processes_, &K_));
  require_petsc(MatSetSizes(K_, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  require_petsc(MatSetType(K_, MATAIJ));
  require_petsc(MatSetBlockSize(K_, share_.dim));
  require_petsc(MatXAIJSetPreallocation(K_, share_.dim, n_own_.data(), n_other_.data(), nullptr, nullptr));
  require_petsc(MatSetOption(K_, MAT_SPD, PETSC_TRUE));
  if (!x_) require_petsc(MatCreateVecs(K_, &x_, &y_));
  if (!from_vertices_) set_rigid_motions(K_, share_.positions);
}

void StiffnessRows::set_rigid_motions(Mat K, const std::vector<double>& positions) const {
  Vec places = nullptr;
  MatNullSpace rigid = nullptr;
  require_petsc(VecCreateMPIWithArray(processes_, share_.dim, static_cast<PetscInt>(positions.size()),
                                      PETSC_DECIDE, positions.data(), &places));
  require_petsc(MatNullSpaceCreateRigidBody(places, &rigid));
  require_petsc(MatSetNearNullSpace(K, rigid));
  require_petsc(MatNullSpaceDestroy(&rigid));
  require_petsc(VecDestroy(&places));
}

/// A node in the middle of an edge moves by the mean of its ends.
void StiffnessRows::make_interpolation() {
  int rank = 0;
  MPI_Comm_rank(processes_, &rank);
  const auto process = static_cast<std::size_t>(rank);
  const PetscInt dim = share_.dim, n_nodes = end_node_ - first_node_,
                 n_vertices = share_.vertex_begin[process + 1] - share_.vertex_begin[process];
  require_petsc(MatCreate(processes_, &from_vertices_));
  require_petsc(
      MatSetSizes(from_vertices_, dim * n_nodes, dim * n_vertices, PETSC_DETERMINE, PETSC_DETERMINE));
  require_petsc(MatSetType(from_vertices_, MATAIJ));
  require_petsc(MatSetBlockSize(from_vertices_, share_.dim));
  require_petsc(MatSeqAIJSetPreallocation(from_vertices_, 2, nullptr));
  require_petsc(MatMPIAIJSetPreallocation(from_vertices_, 2, nullptr, 2, nullptr));
  for (PetscInt i = 0; i < n_nodes; ++i) {
    for (int k = 0; k < 2; ++k) {
      const PetscInt end = ends_of(i)[k];
      for (PetscInt d = 0; end >= 0 && d < dim; ++d)
        require_petsc(
            MatSetValue(from_vertices_, dim * (first_node_ + i) + d, dim * end + d, 0.5, ADD_VALUES));
    }
  }
  require_petsc(MatAssemblyBegin(from_vertices_, MAT_FINAL_ASSEMBLY));
  require_petsc(MatAssemblyEnd(from_vertices_, MAT_FINAL_ASSEMBLY));
}

/// Gives a cycle of two grids the linear elements as its coarse one.
void StiffnessRows::make_linear_grid(PC cycle) {
  Mat K = nullptr;
  require_petsc(MatPtAP(K_, from_vertices_, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &K));
  require_petsc(MatSetOption(K, MAT_SPD, PETSC_TRUE));
  std::vector<double> positions;
  for (int i = 0; i < end_node_ - first_node_; ++i) {
    const int* ends = ends_of(i);
    if (ends[0] >= 0 && ends[0] == ends[1])
      positions.insert(positions.end(), share_.positions.begin() + share_.dim * i,
                       share_.positions.begin() + share_.dim * (i + 1));
  }
  set_rigid_motions(K, positions);
  // Products by blocks of a node take less than half of the time of those by entries, which the aggregation wants.
  require_petsc(MatConvert(K_, MATBAIJ, MAT_INPLACE_MATRIX, &K_));
  KSP coarse = nullptr;
  require_petsc(PCMGSetInterpolation(cycle, 1, from_vertices_));
  require_petsc(PCMGGetCoarseSolve(cycle, &coarse));
  require_petsc(KSPSetOperators(coarse, K, K));
  require_petsc(MatDestroy(&K));
}

void StiffnessRows::make_solver() {
  require_petsc(KSPCreate(processes_, &solver_));
  require_petsc(KSPSetOptionsPrefix(solver_, prefix()));
  require_petsc(KSPSetType(solver_, KSPCG));
  require_petsc(KSPSetNormType(solver_, KSP_NORM_NATURAL));
  require_petsc(KSPSetInitialGuessNonzero(solver_, PETSC_TRUE));
  require_petsc(KSPSetOperators(solver_, K_, K_));
  PC preconditioner = nullptr;
  require_petsc(KSPGetPC(solver_, &preconditioner));
  if (from_vertices_) {
    require_petsc(PCSetType(preconditioner, PCMG));
    require_petsc(PCMGSetLevels(preconditioner, 2, nullptr));
  }
  require_petsc(KSPSetFromOptions(solver_));
  if (from_vertices_ && is_of_type(preconditioner, PCMG)) make_linear_grid(preconditioner);
  require_petsc(KSPSetUp(solver_));
}

bool StiffnessRows::update(const std::vector<double>& E, const std::vector<const double*>& matrices,
                           const std::vector<int>& springs) {
  // PETSc 3.18 keeps with a matrix what it found out of its former values, on which the preconditioner would depend.
  require_petsc(KSPDestroy(&solver_));
  make_matrix();
  add_elements(E, matrices);
  if (!add_springs(springs)) return false;
  make_solver();
  return true;
}

void StiffnessRows::scatter(const double* column, Vec to) {
  double* own = nullptr;
  require_petsc(VecGetArrayWrite(to, &own));
  PetscInt n = 0;
  require_petsc(VecGetLocalSize(to, &n));
  MPI_Scatterv(column, n_rows_.data(), first_row_.data(), MPI_DOUBLE, own, n, MPI_DOUBLE, 0, processes_);
  require_petsc(VecRestoreArrayWrite(to, &own));
}

void StiffnessRows::gather(Vec from, double* column) {
  const double* own = nullptr;
  require_petsc(VecGetArrayRead(from, &own));
  PetscInt n = 0;
  require_petsc(VecGetLocalSize(from, &n));
  MPI_Gatherv(own, n, MPI_DOUBLE, column, n_rows_.data(), first_row_.data(), MPI_DOUBLE, 0, processes_);
  require_petsc(VecRestoreArrayRead(from, &own));
}

void StiffnessRows::multiply(const double* x, double* K_x) {
  scatter(x, x_);
  require_petsc(MatMult(K_, x_, y_));
  const double* own_x = nullptr;
  double* own_y = nullptr;
  require_petsc(VecGetArrayRead(x_, &own_x));
  require_petsc(VecGetArray(y_, &own_y));
  for (std::size_t i = 0; i < spring_rows_.size(); ++i)
    own_y[spring_rows_[i]] -= spring_stiffness_[i] * own_x[spring_rows_[i]];
  require_petsc(VecRestoreArrayRead(x_, &own_x));
  require_petsc(VecRestoreArray(y_, &own_y));
  gather(y_, K_x);
}

void StiffnessRows::precondition(const double* r, double* z) {
  PC preconditioner = nullptr;
  require_petsc(KSPGetPC(solver_, &preconditioner));
  scatter(r, x_);
  require_petsc(PCApply(preconditioner, x_, y_));
  gather(y_, z);
}

StiffnessRows::Solution StiffnessRows::solve(const double* b, double* x, double tolerance) {
  scatter(b, y_);
  scatter(x, x_);
  PetscReal size = 0.0;
  require_petsc(VecNorm(y_, NORM_INFINITY, &size));
  if (size == 0.0) {
    require_petsc(VecZeroEntries(x_));
    gather(x_, x);
    return {0, KSPConvergedReasons[KSP_CONVERGED_RTOL], true};
  }
  // PETSc's own test is sqrt(r^T T r) <= tolerance sqrt(b^T T b), too.
  require_petsc(KSPSetTolerances(solver_, tolerance, 1e-300, never_diverges, most_iterations));
  require_petsc(KSPSolve(solver_, y_, x_));
  KSPConvergedReason reason{};
  PetscInt iterations = 0;
  require_petsc(KSPGetConvergedReason(solver_, &reason));
  require_petsc(KSPGetIterationNumber(solver_, &iterations));
  gather(x_, x);
  return {static_cast<int>(iterations), KSPConvergedReasons[reason], reason > 0};
}

double StiffnessRows::memory() const {
  return memory_of(solver_);
}

}  // namespace kurbel::fem
