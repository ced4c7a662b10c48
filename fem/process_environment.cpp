#include <cstdlib>

#include "fem/processes.hpp"

namespace kurbel::fem {

namespace {

/// The first of two variables that is set, by Open MPI or by MPICH.
int number_in_environment(const char* of_open_mpi, const char* of_mpich, int otherwise) {
  for (const char* name : {of_open_mpi, of_mpich})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return otherwise;
}

}  // namespace

int n_processes() {
  return number_in_environment("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
}

bool is_first_process() {
  return number_in_environment("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0) == 0;
}

}  // namespace kurbel::fem
